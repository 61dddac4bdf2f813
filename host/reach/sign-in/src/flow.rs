//! A person's sign-in between its beginning and its end: what it asked for, and how an answer is
//! redeemed.

use std::sync::Arc;

use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession, OAuthClientConfig};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use url::Url;

use crate::address::AddressPolicy;
use crate::answer::code;
use crate::discovery::{self, DiscoveredServer};
use crate::dpop::ProofKey;
use crate::error::SignInError;
use crate::keyring::Person;
use crate::options::Grant;
use crate::refresh::union;
use crate::secret;
use crate::secret::Secret;
use crate::sign_in::{Inner, SignIn, SignInStatus};
use crate::store::SecretPlace;
use crate::stored_sign_in::{self, StoredClient, StoredSignIn};

/// What the authorization server shows people as the client's name.
const CLIENT: &str = "Ampoule";

/// A sign-in that was begun.
pub(crate) struct Flow {
    pub(crate) sign_in: SignIn,
    session: AuthorizationSession,
    found: Discovery,
    client: StoredClient,
    person: Person,
}

/// What is known before a client is chosen.
pub(crate) struct Beginning {
    pub(crate) found: DiscoveredServer,
    /// What is kept of an earlier sign-in at the same issuer.
    pub(crate) kept: Option<StoredSignIn>,
    pub(crate) scopes: Vec<String>,
}

/// What discovery found, once rmcp's part of it is in the session.
struct Discovery {
    issuer: String,
    revocation: Option<String>,
    tokens: rmcp::transport::auth::InMemoryCredentialStore,
}

impl SignIn {
    /// Finds the authorization server, and what to ask it for.
    pub(crate) async fn beginning(&self, person: Person) -> Result<Beginning, SignInError> {
        let options = &self.0.options;
        let itself = match options.grant {
            Grant::AuthorizationCode => None,
            Grant::ClientCredentials => Some("signs in with its client's own credentials"),
            Grant::JwtBearer => Some("signs in with the token of its workload"),
            Grant::TokenExchange => Some("exchanges its caller's token"),
        };
        if let Some(itself) = itself {
            let name = &options.name;
            return Err(SignInError::new(format!(
                "{name} {itself}, so nobody has to"
            )));
        }
        let challenge = match options.endpoints {
            Some(_) => None,
            None => discovery::challenge(&self.0.client, &options.resource).await,
        };
        let is_bound = challenge.as_ref().is_some_and(|it| it.is_bound);
        let key = options.dpop.unwrap_or(is_bound).then(ProofKey::generate);
        self.0.client.bind(key.transpose()?.map(Arc::new));
        let challenge = challenge.map(|it| it.text);
        let found = discovery::discover(&self.0.client, options, challenge.as_deref()).await?;
        let kept = self.0.load(person).await?;
        let kept = kept.filter(|kept| kept.issuer == found.issuer());
        let mut scopes = found.manager.select_initial_scopes(&[]).await;
        if !options.scopes.is_empty() {
            scopes.clone_from(&options.scopes);
        }
        if let Some(kept) = kept.as_ref().filter(|kept| !kept.wanted.is_empty()) {
            scopes = union([&kept.granted().to_vec(), &scopes, &kept.wanted]);
        }
        Ok(Beginning {
            found,
            kept,
            scopes,
        })
    }

    /// Begins with this client: the sign-in, and the address for the browser.
    pub(crate) async fn flow(
        &self,
        beginning: Beginning,
        client: StoredClient,
        person: Person,
    ) -> Result<(Flow, Url), SignInError> {
        let config = self.0.oauth_client(&client);
        let (session, found) = authorize(beginning.found, config, beginning.scopes).await?;
        let address = self.address(&session)?;
        let flow = Flow {
            sign_in: self.clone(),
            session,
            found,
            client,
            person,
        };
        Ok((flow, address))
    }

    /// The address for the browser. It is the server's, and a browser opens more than web pages.
    fn address(&self, session: &AuthorizationSession) -> Result<Url, SignInError> {
        let options = &self.0.options;
        let url = Url::parse(session.get_authorization_url())
            .map_err(|_| SignInError::new("the authorization server's address is not a URL"))?;
        if AddressPolicy::from(&options.resource, options.private_network).allows(&url) {
            return Ok(url);
        }
        Err(SignInError::new(format!(
            "the authorization server sends people to {}, where no server may: it is in a private network, or without TLS",
            url.origin().ascii_serialization()
        )))
    }
}

impl Inner {
    /// The client that needs no registration here: the configured one, or a metadata document.
    pub(crate) fn given_client(
        &self,
        found: &DiscoveredServer,
        redirect: &StoredClient,
    ) -> Option<StoredClient> {
        let with = |id: String, registered| StoredClient {
            id,
            registered,
            ..redirect.clone()
        };
        let options = &self.options;
        if let Some(id) = &options.client_id {
            return Some(with(id.clone(), false));
        }
        let document = options.client_metadata.as_ref();
        let document = document.filter(|_| found.has("client_id_metadata_document_supported"));
        document.map(|document| with(document.to_string(), true))
    }

    /// Registers a client that comes back to this redirect.
    pub(crate) async fn register(
        &self,
        found: &mut DiscoveredServer,
        redirect: &StoredClient,
        scopes: &[String],
    ) -> Result<StoredClient, SignInError> {
        let address = redirect.redirect();
        if found.metadata.registration_endpoint.is_none() {
            return Err(SignInError::new(format!(
                "{} does not register clients by itself: register one there by hand, with the redirect {address}, and put its id in the server's `client-id`",
                found.issuer(),
            )));
        }
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let registering = found.manager.register_client(CLIENT, &address, &scopes);
        let registered = registering
            .with_subscriber(NoSubscriber::default())
            .await
            .map_err(|error| SignInError::found(&error))?;
        Ok(StoredClient {
            id: registered.client_id,
            secret: registered.client_secret.map(Secret::new),
            registered: true,
            ..redirect.clone()
        })
    }
}

async fn authorize(
    found: DiscoveredServer,
    config: OAuthClientConfig,
    scopes: Vec<String>,
) -> Result<(AuthorizationSession, Discovery), SignInError> {
    let kept = Discovery {
        issuer: found.issuer(),
        revocation: found.names("revocation_endpoint").map(str::to_owned),
        tokens: found.tokens.clone(),
    };
    let mut request = AuthorizationRequest::new(config.redirect_uri)
        .with_preregistered_client(config.client_id)
        .with_initial_scope_selection()
        .with_scopes(scopes);
    if let Some(secret) = config.client_secret {
        request = request.with_client_secret(secret);
    }
    let session = AuthorizationSession::new(found.manager, request)
        .with_subscriber(NoSubscriber::default())
        .await
        .map_err(|(_, error)| SignInError::found(&error))?;
    Ok((session, kept))
}

/// An answer that does not say who answers. Where the endpoints are known beforehand, nobody said what
/// the server calls itself, and there is no other one that an answer could be meant for.
fn without_issuer(answer: &Url) -> Url {
    let kept: Vec<(String, String)> = answer
        .query_pairs()
        .filter(|(name, _)| name != "iss")
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect();
    let mut answer = answer.clone();
    answer.query_pairs_mut().clear().extend_pairs(kept);
    answer
}

/// A value of an answer.
fn value(answer: &Url, name: &str) -> Option<String> {
    let mut pairs = answer.query_pairs();
    Some(pairs.find(|(found, _)| found == name)?.1.into_owned())
}

impl Flow {
    pub(crate) async fn redeem(&self, answer: &Url) -> Result<SignInStatus, SignInError> {
        if let Some(error) = value(answer, "error") {
            return Err(SignInError::new(match code(&error).as_str() {
                "access_denied" => "the sign-in was declined".to_owned(),
                code => format!("the authorization server refused: {code}"),
            }));
        }
        let client = &self.sign_in.0.client;
        client.take_answered();
        let address = match self.sign_in.0.options.endpoints {
            Some(_) => without_issuer(answer),
            None => answer.clone(),
        };
        let redeeming = self.session.handle_callback_url(address.as_str());
        let redeemed = redeeming.with_subscriber(NoSubscriber::default()).await;
        let response = match redeemed {
            Ok(response) => response,
            Err(error) => {
                let answered = client.take_answered();
                let code = answered.as_ref().and_then(|it| it.code.as_deref());
                if code == Some("invalid_client") {
                    self.sign_in.0.forget_client(&self.client).await?;
                }
                return Err(match answered {
                    // It came to no request, so there is no answer to hide.
                    None => SignInError::found(&error),
                    answered => SignInError::from_answer(answered.as_ref()),
                });
            }
        };
        let mut kept = StoredSignIn {
            who: stored_sign_in::who(&response),
            made: Some(secret::random()?),
            revocation: self.found.revocation.clone(),
            key: client.key().map(|key| key.kept()),
            ..StoredSignIn::of_client(self.found.issuer.clone(), self.client.clone())
        };
        kept.tokens = {
            use rmcp::transport::auth::CredentialStore as _;
            self.found.tokens.load().await.ok().flatten()
        };
        self.keep(&kept).await?;
        SignInStatus::of(&kept)
            .ok_or_else(|| SignInError::new("the authorization server gave no token"))
    }

    async fn keep(&self, kept: &StoredSignIn) -> Result<(), SignInError> {
        let inner = &self.sign_in.0;
        let place = &inner.options.place();
        let lock = inner.store.lock(place).await?;
        let saving = inner.store.save(&lock, place, kept, self.person);
        if saving.await? == SecretPlace::File && inner.store.prefers_a_keyring() {
            tracing::warn!(
                folder = %inner.store.folder().display(),
                "there is no keyring to keep the sign-in in; it is in a file that only this user can read"
            );
        }
        Ok(())
    }
}
