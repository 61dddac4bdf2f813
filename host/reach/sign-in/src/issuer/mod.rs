//! People who sign in to Ampoule itself, at an issuer that the operator names: the authorization code
//! flow with PKCE of OAuth 2.1, for a client that is registered there.
//!
//! The caller keeps the state between the two halves of a sign-in: [`Proof`] is what the second half
//! needs of the first. Tokens are returned to the caller, and nothing is stored here. Whether a token is
//! valid is for the server that it is sent to.
//!
//! - `answer`: what the browser came back with

mod answer;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use url::Url;

use self::answer::BrowserAnswer;
use crate::answer::{Remedy, Tokens};
use crate::error::SignInError;
use crate::form::Parameter;
use crate::provider::Provider;
use crate::secret::Secret;
use crate::stored_sign_in::claims_of;
use crate::token_request::{ClientIdentity, TokenAnswer, TokenEndpoint, TokenError};

/// How long an issuer's description of itself is used.
const FRESH: Duration = Duration::from_mins(10);
/// After an issuer did not describe itself, it is not asked again for this long.
const FAILED: Duration = Duration::from_secs(10);
/// The scope of OpenID Connect: with it, the issuer also says who signed in.
pub const OPENID: &str = "openid";

/// The client by which people sign in at an issuer.
#[derive(Clone)]
pub struct IssuerClientOptions {
    /// The issuer, exactly as it names itself.
    pub issuer: String,
    /// The client's id, as it is registered there.
    pub client_id: String,
    /// The client's secret, in which references to secrets may stand: they are read when it is sent.
    /// Default: the client is a public one.
    pub client_secret: Option<Secret>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// What the token is for (RFC 8707).
    pub resource: String,
    /// Where the browser comes back to, as it is registered there.
    pub redirect: Url,
}

/// What the second half of a sign-in has of the first, and nobody else can know or make.
#[derive(Clone)]
pub struct Proof {
    /// What the answer repeats.
    pub state: String,
    /// What proves that the code was asked for here (PKCE): 43 to 128 letters, digits and `-._~`.
    pub verifier: Secret,
    /// What the token that says who signed in repeats.
    pub nonce: String,
}

/// What an issuer gave.
pub struct IssuedTokens {
    /// The token for access.
    pub access: Secret,
    /// When that ends, where it is known.
    pub ends: Option<SystemTime>,
    /// The token that says who signed in, where it was asked for.
    pub identity: Option<Secret>,
    /// What gets the next tokens.
    pub refresh: Option<Secret>,
}

/// Why there are no further tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefreshError {
    /// In a sentence.
    pub why: SignInError,
    /// Whether the issuer refused, so that the person has to sign in again.
    pub is_final: bool,
}

impl fmt::Display for RefreshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.why.fmt(f)
    }
}

impl std::error::Error for RefreshError {}

/// An issuer at which people sign in.
pub struct IssuerClient {
    options: IssuerClientOptions,
    provider: Provider,
    described: Mutex<Option<Description>>,
}

/// What an issuer said of itself, and when.
struct Description {
    at: Instant,
    found: Result<Arc<IssuerMetadata>, SignInError>,
}

/// What is needed of that.
struct IssuerMetadata {
    authorization: Url,
    token: String,
    revocation: Option<String>,
    /// How clients may say who they are.
    methods: Option<Value>,
    /// Whether each answer says whose it is (RFC 9207).
    is_named: bool,
}

impl IssuerClient {
    /// A client at an issuer. `http` may bring certificates and proxies. The issuer is asked when
    /// the first person signs in.
    ///
    /// # Errors
    ///
    /// The issuer is not an address, or no HTTP client can be made.
    pub fn new(
        options: IssuerClientOptions,
        http: reqwest::ClientBuilder,
    ) -> Result<Self, SignInError> {
        // The operator named it, and trusts it: it may be in a private network.
        let provider = Provider::at(&options.issuer, true, http)?.ok_or_else(|| {
            SignInError::new(
                "`issuer` must be an address, as the issuer names itself: https://login.example.com",
            )
        })?;
        Ok(Self {
            options,
            provider,
            described: Mutex::default(),
        })
    }

    /// The client's id: whom the token that says who signed in is for.
    pub fn client_id(&self) -> &str {
        &self.options.client_id
    }

    /// Where the browser comes back to.
    pub fn redirect(&self) -> &Url {
        &self.options.redirect
    }

    /// Whether the issuer is asked for a token that says who signed in.
    pub fn asks_for_identity(&self) -> bool {
        self.options.scopes.iter().any(|scope| scope == OPENID)
    }

    /// Where the browser is to go.
    ///
    /// # Errors
    ///
    /// The issuer can't be reached, or does not say where people sign in.
    pub async fn address(&self, proof: &Proof) -> Result<Url, SignInError> {
        let metadata = self.metadata().await?;
        let mut url = metadata.authorization.clone();
        let challenge = digest(&SHA256, proof.verifier.expose().as_bytes());
        let mut pairs = url.query_pairs_mut();
        pairs
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.options.client_id)
            .append_pair("redirect_uri", self.options.redirect.as_str())
            .append_pair("state", &proof.state)
            .append_pair("code_challenge", &URL_SAFE_NO_PAD.encode(challenge))
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &self.options.resource);
        if !self.options.scopes.is_empty() {
            pairs.append_pair("scope", &self.options.scopes.join(" "));
        }
        if self.asks_for_identity() {
            pairs.append_pair("nonce", &proof.nonce);
        }
        drop(pairs);
        Ok(url)
    }

    /// Redeems the query with which the browser came back. Whether its `state` is that of this proof,
    /// and this browser's, is looked at here again; that it is used once is for the caller to see to.
    ///
    /// # Errors
    ///
    /// The answer is that of another sign-in or of another issuer; the issuer refused, or can't be
    /// reached.
    pub async fn redeem(&self, query: &str, proof: &Proof) -> Result<IssuedTokens, SignInError> {
        let metadata = self.metadata().await?;
        let answer = BrowserAnswer::read(query)?;
        let code = answer.code(&self.options.issuer, metadata.is_named, &proof.state)?;
        let form = vec![
            ("grant_type", "authorization_code".to_owned()),
            ("code", code.to_owned()),
            ("redirect_uri", self.options.redirect.to_string()),
            ("code_verifier", proof.verifier.expose().to_owned()),
            ("resource", self.options.resource.clone()),
        ];
        let given = self.ask(&metadata, form).await;
        let tokens = tokens(&given.map_err(|failed| failed.error)?)?;
        if self.asks_for_identity() && tokens.identity.is_none() {
            return Err(SignInError::new(
                "the issuer did not say who signed in: it gave no ID token",
            ));
        }
        Ok(tokens)
    }

    /// Gets further tokens. The old refresh token is invalid from then on, if the issuer gave another.
    ///
    /// # Errors
    ///
    /// The issuer refused, or can't be reached.
    pub async fn refresh(&self, refresh: &Secret) -> Result<IssuedTokens, RefreshError> {
        let later = |why| RefreshError {
            why,
            is_final: false,
        };
        let metadata = self.metadata().await.map_err(later)?;
        let form = |has_resource: bool| {
            let mut form = vec![
                ("grant_type", "refresh_token".to_owned()),
                ("refresh_token", refresh.expose().to_owned()),
            ];
            if has_resource {
                form.push(("resource", self.options.resource.clone()));
            }
            form
        };
        let mut given = self.ask(&metadata, form(true)).await;
        if let Err(failed) = &given
            && failed.remedy == Remedy::Without(Parameter::Resource)
        {
            given = self.ask(&metadata, form(false)).await;
        }
        let given = given.map_err(|failed| RefreshError {
            is_final: matches!(failed.remedy, Remedy::SignIn(Tokens::Lost)),
            why: failed.error,
        })?;
        let mut tokens = tokens(&given).map_err(later)?;
        if tokens.refresh.is_none() {
            tokens.refresh = Some(refresh.clone());
        }
        Ok(tokens)
    }

    /// Has the issuer forget a sign-in, where it offers that.
    pub async fn revoke(&self, refresh: &Secret) {
        let Ok(metadata) = self.metadata().await else {
            return;
        };
        let Some(address) = &metadata.revocation else {
            return;
        };
        let form = vec![
            ("token", refresh.expose().to_owned()),
            ("token_type_hint", "refresh_token".to_owned()),
        ];
        let Ok(secret) = self.secret().await else {
            return;
        };
        let endpoint = self.endpoint(&metadata, address);
        let client = self.provider.beside().client;
        match endpoint
            .post(&client, self.identity(secret.as_ref()), form)
            .await
        {
            Ok(answer) if answer.status().is_success() => {}
            Ok(answer) => {
                let status = answer.status().as_u16();
                tracing::debug!(status, "the issuer did not revoke a token");
            }
            Err(error) => tracing::debug!(%error, "the issuer did not revoke a token"),
        }
    }

    async fn ask(
        &self,
        metadata: &IssuerMetadata,
        form: Vec<(&'static str, String)>,
    ) -> Result<TokenAnswer, TokenError> {
        let secret = self.secret().await?;
        // Requests that are under way meanwhile have their own answers.
        let client = self.provider.beside().client;
        let endpoint = self.endpoint(metadata, &metadata.token);
        let identity = self.identity(secret.as_ref());
        endpoint.ask(&client, identity, form).await
    }

    /// The client's secret, with what it refers to.
    async fn secret(&self) -> Result<Option<Secret>, SignInError> {
        let Some(secret) = &self.options.client_secret else {
            return Ok(None);
        };
        let opened = ampoule_secrets::open(secret.expose()).await;
        let opened = opened.map_err(|problem| {
            SignInError::new(format!("the client's secret can't be read: {problem}"))
        })?;
        Ok(Some(Secret::new(opened.text.trim())))
    }

    fn endpoint<'a>(&'a self, metadata: &'a IssuerMetadata, address: &'a str) -> TokenEndpoint<'a> {
        TokenEndpoint {
            address,
            issuer: &self.options.issuer,
            methods: metadata.methods.as_ref(),
        }
    }

    fn identity<'a>(&'a self, secret: Option<&'a Secret>) -> ClientIdentity<'a> {
        ClientIdentity {
            id: Some(&self.options.client_id),
            secret,
            ..ClientIdentity::default()
        }
    }

    /// What the issuer says of itself; asked by one request for all.
    async fn metadata(&self) -> Result<Arc<IssuerMetadata>, SignInError> {
        let mut described = self.described.lock().await;
        if let Some(known) = &*described {
            let holds = match known.found {
                Ok(_) => FRESH,
                Err(_) => FAILED,
            };
            if known.at.elapsed() < holds {
                return known.found.clone();
            }
        }
        let said = self.provider.beside().metadata(&self.options.issuer).await;
        let found = said.and_then(|said| self.understood(&said)).map(Arc::new);
        *described = Some(Description {
            at: Instant::now(),
            found: found.clone(),
        });
        found
    }

    fn understood(&self, said: &Map<String, Value>) -> Result<IssuerMetadata, SignInError> {
        let issuer = &self.options.issuer;
        let text = |member: &str| said.get(member).and_then(Value::as_str);
        let lacks = |what: &str| SignInError::new(format!("the issuer {issuer} {what}"));
        let authorization = text("authorization_endpoint")
            .and_then(|address| Url::parse(address).ok())
            .filter(|address| self.provider.may_lead_to(address))
            .ok_or_else(|| lacks("does not say where people sign in, or not behind https://"))?;
        let token = text("token_endpoint").ok_or_else(|| lacks("has no token endpoint"))?;
        let methods = said.get("code_challenge_methods_supported");
        let methods = methods.and_then(Value::as_array);
        if methods.is_some_and(|methods| methods.iter().all(|method| method != "S256")) {
            return Err(lacks("does not take PKCE with S256"));
        }
        let named = said.get("authorization_response_iss_parameter_supported");
        Ok(IssuerMetadata {
            authorization,
            token: token.to_owned(),
            revocation: text("revocation_endpoint").map(ToOwned::to_owned),
            methods: said.get("token_endpoint_auth_methods_supported").cloned(),
            is_named: named.and_then(Value::as_bool).unwrap_or(false),
        })
    }
}

/// What an answer of the token endpoint gives.
fn tokens(answer: &TokenAnswer) -> Result<IssuedTokens, SignInError> {
    let kind = answer.text("token_type").unwrap_or_default();
    if !kind.eq_ignore_ascii_case("bearer") {
        return Err(SignInError::new(
            "the issuer gave a token that is not a bearer token",
        ));
    }
    let access = answer.text("access_token");
    let access = access.ok_or_else(|| SignInError::new("the issuer gave no token"))?;
    Ok(IssuedTokens {
        ends: answer.ends().or_else(|| end_of(&access)),
        access: Secret::new(access),
        identity: answer.text("id_token").map(Secret::new),
        refresh: answer.text("refresh_token").map(Secret::new),
    })
}

/// When a token ends, as it says of itself.
fn end_of(token: &str) -> Option<SystemTime> {
    let seconds = claims_of(token)?.get("exp")?.as_u64()?;
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

impl fmt::Debug for IssuerClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IssuerClient")
            .field("issuer", &self.options.issuer)
            .field("client_id", &self.options.client_id)
            .field("scopes", &self.options.scopes)
            .finish_non_exhaustive()
    }
}
