//! A person's sign-in, in a browser.

use std::io;

use rmcp::transport::auth::{AuthorizationRequest, AuthorizationSession, OAuthClientConfig};
use tokio::sync::mpsc;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use url::Url;

use crate::address::AddressPolicy;
use crate::answer::code;
use crate::callback::{self, Answer, Callback};
use crate::discovery::{self, DiscoveredServer};
use crate::keyring::Person;
use crate::refresh::union;
use crate::store::SecretPlace;
use crate::stored_sign_in::{self, StoredClient, StoredSignIn};
use crate::{Grant, Secret, SignIn, SignInError, SignInStatus};

/// What the authorization server shows people as the client's name.
const CLIENT: &str = "Ampoule";

/// A sign-in that waits for a person.
pub struct Login {
    sign_in: SignIn,
    session: AuthorizationSession,
    found: Discovery,
    callback: Callback,
    client: StoredClient,
    address: Url,
}

/// What discovery found, once rmcp's part of it is in the session.
struct Discovery {
    issuer: String,
    revocation: Option<String>,
    tokens: rmcp::transport::auth::InMemoryCredentialStore,
}

impl SignIn {
    /// Begins a person's sign-in: finds the authorization server, registers a client if need be,
    /// and listens for the browser. Whoever calls this is a person's command, never the background.
    ///
    /// # Errors
    ///
    /// The server offers no sign-in, or refuses the client; the port is taken.
    pub async fn begin(&self) -> Result<Login, SignInError> {
        let options = &self.0.options;
        if options.grant == Grant::ClientCredentials {
            return Err(SignInError::new(format!(
                "{} signs in with its client's own credentials, so nobody has to",
                options.name
            )));
        }
        let challenge = match options.endpoints {
            Some(_) => None,
            None => discovery::challenge(&self.0.client, &options.resource).await,
        };
        let mut found = discovery::discover(&self.0.client, options, challenge.as_deref()).await?;
        let kept = self.0.load(Person::Present).await?;
        let kept = kept.filter(|kept| kept.issuer == found.issuer());
        let mut callback = self.listen(kept.as_ref()).await?;
        let mut scopes = found.manager.select_initial_scopes(&[]).await;
        if !options.scopes.is_empty() {
            scopes.clone_from(&options.scopes);
        }
        if let Some(kept) = kept.as_ref().filter(|kept| !kept.wanted.is_empty()) {
            scopes = union([&kept.granted().to_vec(), &scopes, &kept.wanted]);
        }
        let client = self
            .client(kept, &mut found, callback.port, &scopes)
            .await?;
        let config = self.0.oauth_client(&client);
        let (session, found) = authorize(found, config, scopes).await?;
        let address = self.address(&session)?;
        let state = address.query_pairs().find(|(name, _)| name == "state");
        let state = state.map(|(_, state)| state.into_owned());
        callback.expect(state.unwrap_or_default());
        Ok(Login {
            sign_in: self.clone(),
            session,
            found,
            callback,
            client,
            address,
        })
    }

    /// The configured port, or the one that the client was registered with, or any.
    async fn listen(&self, kept: Option<&StoredSignIn>) -> Result<Callback, SignInError> {
        let kept = kept.map(|kept| kept.client.port);
        let port = self.0.options.callback_port.or(kept).unwrap_or(0);
        let listening = Callback::listen(port).await;
        let failed = |error: io::Error| {
            SignInError::new(format!(
                "port {port} of 127.0.0.1, which the browser is to come back to, can't be listened on: {error}"
            ))
        };
        match listening {
            // Another one needs another registration, which a configured client can't get.
            Err(error)
                if error.kind() == io::ErrorKind::AddrInUse
                    && self.0.options.client_id.is_none()
                    && self.0.options.callback_port.is_none() =>
            {
                Callback::listen(0).await.map_err(failed)
            }
            listening => listening.map_err(failed),
        }
    }

    /// The client to sign in with: the configured one, a metadata document, the one that was
    /// registered before, or one that is registered now.
    async fn client(
        &self,
        kept: Option<StoredSignIn>,
        found: &mut DiscoveredServer,
        port: u16,
        scopes: &[String],
    ) -> Result<StoredClient, SignInError> {
        let options = &self.0.options;
        let with = |id: String, registered| StoredClient {
            id,
            secret: None,
            port,
            registered,
        };
        if let Some(id) = &options.client_id {
            return Ok(with(id.clone(), false));
        }
        if let Some(document) = &options.client_metadata
            && found.has("client_id_metadata_document_supported")
        {
            return Ok(with(document.to_string(), true));
        }
        if let Some(kept) = kept
            && kept.client.port == port
            && !kept.client.id.is_empty()
        {
            return Ok(kept.client);
        }
        if found.metadata.registration_endpoint.is_none() {
            return Err(SignInError::new(format!(
                "{} registers no clients by itself: register one there by hand, with the redirect {}, and put its id in the server's `client-id`",
                found.issuer(),
                callback::address(port)
            )));
        }
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let redirect = callback::address(port);
        let registering = found.manager.register_client(CLIENT, &redirect, &scopes);
        let registered = registering
            .with_subscriber(NoSubscriber::default())
            .await
            .map_err(|error| SignInError::found(&error))?;
        Ok(StoredClient {
            secret: registered.client_secret.map(Secret::new),
            ..with(registered.client_id, true)
        })
    }

    /// The address for the browser. It is the server's, and a browser opens more than web pages.
    fn address(&self, session: &AuthorizationSession) -> Result<Url, SignInError> {
        let options = &self.0.options;
        let url = Url::parse(session.get_authorization_url())
            .map_err(|_| SignInError::new("the authorization server's address is no address"))?;
        if AddressPolicy::from(&options.resource, options.private_network).allows(&url) {
            return Ok(url);
        }
        Err(SignInError::new(format!(
            "the authorization server sends people to {}, where no server may: it is in a private network, or without TLS",
            url.origin().ascii_serialization()
        )))
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

impl Login {
    /// What the person is to open in a browser.
    pub fn address(&self) -> &Url {
        &self.address
    }

    /// Waits for the browser to come back, or for its address to be pasted, where the browser runs
    /// on another machine; and keeps the sign-in. `told` hears of what was pasted and is not it.
    ///
    /// # Errors
    ///
    /// The sign-in was refused, or is not this one's; what came of it can't be kept.
    pub async fn finish(
        self,
        mut pasted: mpsc::Receiver<String>,
        told: impl Fn(&str),
    ) -> Result<SignInStatus, SignInError> {
        let mut browser = std::pin::pin!(self.callback.browser());
        let answer = loop {
            tokio::select! {
                answer = &mut browser => break answer,
                Some(text) = pasted.recv() => match self.callback.pasted(&text) {
                    Ok(answer) => break answer,
                    Err(why) => told(why),
                },
            }
        };
        let done = self.redeem(&answer).await;
        answer.tell(done.is_ok()).await;
        done
    }

    async fn redeem(&self, answer: &Answer) -> Result<SignInStatus, SignInError> {
        if let Some(error) = answer.value("error") {
            return Err(SignInError::new(match code(&error).as_str() {
                "access_denied" => "the sign-in was declined".to_owned(),
                code => format!("the authorization server refused: {code}"),
            }));
        }
        let client = &self.sign_in.0.client;
        client.take_answered();
        let address = match self.sign_in.0.options.endpoints {
            Some(_) => without_issuer(&answer.url),
            None => answer.url.clone(),
        };
        let redeeming = self.session.handle_callback_url(address.as_str());
        let redeemed = redeeming.with_subscriber(NoSubscriber::default()).await;
        let response = redeemed.map_err(|error| match client.take_answered() {
            // It came to no request, so there is no answer to hide.
            None => SignInError::found(&error),
            answered => SignInError::from_answer(answered.as_ref()),
        })?;
        let mut kept = StoredSignIn {
            issuer: self.found.issuer.clone(),
            client: self.client.clone(),
            tokens: None,
            wanted: Vec::new(),
            refused: Vec::new(),
            who: stored_sign_in::who(&response),
            revocation: self.found.revocation.clone(),
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
        let resource = &inner.options.resource;
        let lock = inner.store.lock(resource).await?;
        let saving = inner.store.save(&lock, resource, kept, Person::Present);
        if saving.await? == SecretPlace::File && inner.store.prefers_a_keyring() {
            tracing::warn!(
                folder = %inner.store.folder().display(),
                "there is no keyring to keep the sign-in in; it is in a file that only this user can read"
            );
        }
        Ok(())
    }
}
