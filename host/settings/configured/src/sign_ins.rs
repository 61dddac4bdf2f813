//! Sign-ins to servers of the configuration: the host's own, and those of principals.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ampoule::upstream::{AuthorizationError, Authorizer, SignInRequiredError, UpstreamOptions};
use ampoule_config::{Auth, Reach, Subject, Tls};
use ampoule_openapi::{OAuthFlow, oauth_endpoints};
use ampoule_secrets::KeySource;
use ampoule_sign_in::{
    Endpoints, Exchange, Grant, Owner, Secret, SignIn, SignInOptions, SignInStatus, Store,
    SubjectType,
};
use ampoule_untrusted::text;
use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, Url};
use tokio::sync::OnceCell;

use crate::apis::api_server;

/// How large a file with a private key may be, in bytes.
const MAX_KEY_BYTES: u64 = 64 << 10;

/// The sign-in to a server of the configuration.
///
/// # Errors
///
/// Its settings can't be read, or used; an API's document does not say where to sign in.
pub async fn sign_in(name: &str, reach: &Reach) -> Result<SignIn, String> {
    sign_in_kept(name, reach, Store::of_user().map_err(said)?).await
}

/// The store of principals' sign-ins. `key`: where the operator's key is, if there is one; `idle`: how
/// long a sign-in is kept that nobody uses, if the operator says so.
///
/// # Errors
///
/// There is no folder for them.
pub fn store_of_principals(
    key: Option<KeySource>,
    idle: Option<Duration>,
) -> Result<Store, String> {
    let store = Store::of_user().map_err(said)?;
    Ok(store.sealed_by(key).kept_for(idle))
}

/// The sign-in to a server of the configuration that this store keeps for an owner.
///
/// # Errors
///
/// As for [`sign_in`].
pub async fn sign_in_of(
    owner: Owner,
    name: &str,
    reach: &Reach,
    store: Store,
) -> Result<SignIn, String> {
    let base = sign_in_kept(name, reach, store).await?;
    Ok(base.owned_by(owner))
}

async fn sign_in_kept(name: &str, reach: &Reach, store: Store) -> Result<SignIn, String> {
    let mut options = sign_in_options(name, reach)?;
    let is_known = options.endpoints.is_some() || options.exchange.is_some();
    let tls = match reach {
        Reach::Process(_) => return Err(NO_SIGN_IN.to_owned()),
        Reach::Remote(remote) => &remote.tls,
        Reach::Graphql(api) => &api.tls,
        // The operator says where, or the issuer gives the API's tokens, whatever the document says.
        Reach::Api(api) if is_known => &api.tls,
        Reach::Api(api) => {
            let server = api_server(api.clone(), UpstreamOptions::default())?;
            let flow = match options.grant {
                Grant::AuthorizationCode => OAuthFlow::AuthorizationCode,
                Grant::ClientCredentials | Grant::JwtBearer | Grant::TokenExchange => {
                    OAuthFlow::ClientCredentials
                }
            };
            let found = oauth_endpoints(&server, flow).await?;
            options.endpoints = Some(Endpoints {
                authorization: found.authorization,
                token: found.token,
            });
            &api.tls
        }
    };
    let http = tls.client()?;
    SignIn::new(options, store, http).map_err(said)
}

/// What is said of a server that nobody signs in to.
const NO_SIGN_IN: &str = "this server needs no sign-in";

/// The stored sign-in to a server, if there is one that can be read. This asks neither a person nor
/// the server.
pub async fn signed_in(name: &str, reach: &Reach) -> Option<SignInStatus> {
    let options = sign_in_options(name, reach).ok()?;
    let store = Store::of_user().ok()?;
    store.signed_in(&options).await.ok()?
}

/// The same of an owner's sign-in that this store keeps.
pub async fn signed_in_of(
    owner: Owner,
    name: &str,
    reach: &Reach,
    store: &Store,
) -> Option<SignInStatus> {
    let options = sign_in_options(name, reach).ok()?;
    let options = SignInOptions { owner, ..options };
    store.signed_in(&options).await.ok()?
}

fn sign_in_options(name: &str, reach: &Reach) -> Result<SignInOptions, String> {
    let url = match reach {
        Reach::Remote(remote) => Some(&remote.url),
        Reach::Api(api) => api.base_url.as_ref(),
        Reach::Graphql(api) => Some(&api.endpoint),
        Reach::Process(_) => None,
    };
    let (Some(url), Some(auth)) = (url, reach.auth()) else {
        return Err(NO_SIGN_IN.to_owned());
    };
    Ok(SignInOptions {
        client_id: auth.client_id.clone(),
        client_secret: auth.client_secret.clone().map(Secret::new),
        client_metadata: auth.client_metadata.clone(),
        scopes: auth.scopes.clone(),
        private_key: auth.private_key.as_ref().map(private_key).transpose()?,
        grant: match auth.grant {
            ampoule_config::SignIn::AuthorizationCode => Grant::AuthorizationCode,
            ampoule_config::SignIn::ClientCredentials => Grant::ClientCredentials,
            ampoule_config::SignIn::JwtBearer => Grant::JwtBearer,
            ampoule_config::SignIn::TokenExchange => Grant::TokenExchange,
        },
        assertion: auth.assertion.clone(),
        exchange: exchange(reach, auth)?,
        dpop: auth.dpop,
        callback_port: auth.callback_port,
        endpoints: endpoints(auth),
        // No server names where it leads then.
        private_network: auth.endpoints.is_some(),
        ..SignInOptions::new(text::one_line(name), url.parse().map_err(said)?)
    })
}

/// Where to sign in, where the operator says so.
fn endpoints(auth: &Auth) -> Option<Endpoints> {
    let endpoints = auth.endpoints.as_ref()?;
    Some(Endpoints {
        authorization: endpoints.authorization.clone(),
        token: endpoints.token.clone()?,
    })
}

/// Where the tokens of callers are exchanged.
fn exchange(reach: &Reach, auth: &Auth) -> Result<Option<Exchange>, String> {
    let Some(exchange) = &auth.exchange else {
        return Ok(None);
    };
    let tls = match reach {
        Reach::Remote(remote) => &remote.tls,
        Reach::Api(api) => &api.tls,
        Reach::Graphql(api) => &api.tls,
        Reach::Process(_) => return Ok(None),
    };
    // The certificate that Ampoule has is for the server.
    let tls = Tls {
        authority: tls.authority.clone(),
        ..Tls::default()
    };
    let is_secured = exchange.issuer.starts_with("https:");
    Ok(Some(Exchange {
        client_id: exchange.client_id.clone(),
        client_secret: exchange.client_secret.clone().map(Secret::new),
        audience: exchange.audience.clone(),
        subject: match exchange.subject {
            Subject::AccessToken => SubjectType::AccessToken,
            Subject::IdToken => SubjectType::IdToken,
            Subject::Jwt => SubjectType::Jwt,
        },
        is_direct: matches!(reach, Reach::Api(_) | Reach::Graphql(_)),
        tls: Some(tls.configured(is_secured)?),
        ..Exchange::at(&exchange.issuer)
    }))
}

fn private_key(file: &PathBuf) -> Result<Secret, String> {
    let read = || {
        if fs::metadata(file)?.len() > MAX_KEY_BYTES {
            return Err(std::io::Error::other("the file is too large for a key"));
        }
        fs::read_to_string(file)
    };
    read().map(Secret::new).map_err(|error| {
        let file = file.to_string_lossy();
        let file = text::one_line(&file);
        format!("the private key {file} can't be read: {error}")
    })
}

/// A sign-in that is read when a request is about to be sent: the keyring and certificates are only
/// read for servers that are used.
pub(crate) struct LazySignIn {
    name: String,
    reach: Reach,
    sign_in: OnceCell<Result<SignIn, SignInRequiredError>>,
}

impl LazySignIn {
    pub(crate) fn new(name: &str, reach: Reach) -> Self {
        Self {
            name: name.to_owned(),
            reach,
            sign_in: OnceCell::new(),
        }
    }

    async fn sign_in(&self) -> Result<&SignIn, SignInRequiredError> {
        let look = async || {
            sign_in(&self.name, &self.reach)
                .await
                .map_err(SignInRequiredError)
        };
        self.sign_in
            .get_or_init(look)
            .await
            .as_ref()
            .map_err(Clone::clone)
    }
}

impl fmt::Debug for LazySignIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazySignIn")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Authorizer for LazySignIn {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, AuthorizationError>> {
        async move { self.sign_in().await?.authorization().await }.boxed()
    }

    fn refused<'a>(
        &'a self,
        status: u16,
        challenges: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, AuthorizationError>> {
        async move { self.sign_in().await?.refused(status, challenges).await }.boxed()
    }

    fn proof<'a>(
        &'a self,
        authorization: &'a HeaderValue,
        method: &'a Method,
        url: &'a Url,
    ) -> BoxFuture<'a, Result<Option<HeaderValue>, AuthorizationError>> {
        async move {
            let sign_in = self.sign_in().await?;
            sign_in.proof(authorization, method, url).await
        }
        .boxed()
    }

    fn answered(&self, headers: &HeaderMap) -> bool {
        let sign_in = self.sign_in.get().and_then(|it| it.as_ref().ok());
        sign_in.is_some_and(|it| it.answered(headers))
    }

    fn secrets(&self) -> BoxFuture<'_, Vec<String>> {
        async move {
            match self.sign_in().await {
                Ok(sign_in) => sign_in.secrets().await,
                Err(_) => Vec::new(),
            }
        }
        .boxed()
    }
}

fn said(error: impl fmt::Display) -> String {
    error.to_string()
}
