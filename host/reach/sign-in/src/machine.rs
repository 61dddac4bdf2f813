//! A client's own sign-in, which asks nobody.

use rmcp::transport::auth::{ClientCredentialsConfig, OAuthTokenResponse, StoredCredentials};
use std::time::{SystemTime, UNIX_EPOCH};

use oauth2::TokenResponse as _;
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;

use crate::answer::{Remedy, Tokens};
use crate::assertion;
use crate::discovery::{self, DiscoveredServer};
use crate::error::SignInError;
use crate::options::{Grant, SignInOptions};
use crate::refresh::RefreshOutcome;
use crate::secret::Secret;
use crate::sign_in::Inner;
use crate::stored_sign_in::{self, StoredClient, StoredSignIn};

/// What is configured must be enough.
pub(crate) fn check(options: &SignInOptions) -> Result<(), SignInError> {
    let name = &options.name;
    let has_secret = options.client_secret.is_some() || options.private_key.is_some();
    let missing = match (options.grant, &options.client_id) {
        (_, None) if has_secret => "a secret or a key is of a client: add its `client-id`",
        (Grant::ClientCredentials, None) => "client credentials need a `client-id`",
        (Grant::ClientCredentials, Some(_)) if !has_secret => {
            "client credentials need a `client-secret` or a `private-key`"
        }
        _ => {
            return options
                .private_key
                .as_ref()
                .map_or(Ok(()), assertion::check);
        }
    };
    Err(SignInError::new(format!("{name}: {missing}")))
}

impl Inner {
    /// A token for the client itself. It is kept in memory alone: another one costs a request.
    pub(crate) async fn sign_in_itself(&self) -> RefreshOutcome {
        let mut found = match discovery::discover(&self.client, &self.options, None).await {
            Ok(found) => found,
            Err(error) => return RefreshOutcome::Later(error, None),
        };
        let issuer = found.issuer();
        loop {
            self.client.take_answered();
            let given = match &self.options.private_key {
                Some(key) => self.by_key(&found, key).await,
                None => self.by_secret(&mut found).await,
            };
            let error = match given {
                Ok(tokens) => return RefreshOutcome::Anew(Box::new(self.kept(issuer, tokens))),
                Err(error) => error,
            };
            let Some(answered) = self.client.take_answered() else {
                return RefreshOutcome::Later(error, None);
            };
            let error = SignInError::from_answer(Some(&answered));
            match answered.next() {
                Remedy::Without(parameter) => {
                    let refused = [self.client.left_out(), vec![parameter]].concat();
                    self.client.leave_out(&refused);
                }
                // It knows the client, and refuses.
                Remedy::SignIn(Tokens::Lost) => return RefreshOutcome::Lost(error),
                Remedy::SignIn(Tokens::Stay) => return RefreshOutcome::Refused(error),
                Remedy::Later(after) => return RefreshOutcome::Later(error, after),
            }
        }
    }

    async fn by_secret(
        &self,
        found: &mut DiscoveredServer,
    ) -> Result<StoredCredentials, SignInError> {
        let secret = self.options.client_secret.as_ref();
        let config = ClientCredentialsConfig::ClientSecret {
            client_id: self.options.client_id.clone().unwrap_or_default(),
            client_secret: secret.map(Secret::expose).unwrap_or_default().to_owned(),
            scopes: self.options.scopes.clone(),
            resource: Some(self.options.resource.to_string()),
        };
        let manager = &mut found.manager;
        let exchanging = async {
            manager.validate_client_credentials_metadata(&config)?;
            manager.configure_client_credentials(&config)?;
            manager.exchange_client_credentials(&config).await
        };
        let exchanged = exchanging.with_subscriber(NoSubscriber::default()).await;
        exchanged
            .map_err(|_| SignInError::new("the authorization server does not take this client"))?;
        let given = found.given().await;
        given.ok_or_else(|| SignInError::new("the authorization server gave no token"))
    }

    async fn by_key(
        &self,
        found: &DiscoveredServer,
        key: &Secret,
    ) -> Result<StoredCredentials, SignInError> {
        let client = self.options.client_id.clone().unwrap_or_default();
        let assertion = assertion::signed(key, &client, &found.issuer())?;
        let scope = self.options.scopes.join(" ");
        let mut form = vec![
            ("grant_type", "client_credentials"),
            (
                "client_assertion_type",
                "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ),
            ("client_assertion", &assertion),
            ("resource", self.options.resource.as_str()),
        ];
        if !scope.is_empty() {
            form.push(("scope", &scope));
        }
        let endpoint = &found.metadata.token_endpoint;
        let answer = self.client.post_form(endpoint, &form).await;
        let answer = answer.map_err(|error| SignInError::new(error.to_string()))?;
        let unusable = || SignInError::new("the authorization server's answer holds no token");
        let given: OAuthTokenResponse =
            serde_json::from_slice(answer.body()).map_err(|_| unusable())?;
        let scopes = given.scopes().into_iter().flatten();
        let scopes = scopes.map(|scope| scope.to_string()).collect();
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Ok(StoredCredentials::new(
            client,
            Some(given),
            scopes,
            Some(now.as_secs()),
        ))
    }

    fn kept(&self, issuer: String, tokens: StoredCredentials) -> StoredSignIn {
        StoredSignIn {
            issuer,
            client: StoredClient {
                id: tokens.client_id.clone(),
                ..StoredClient::at_port(0)
            },
            who: tokens.token_response.as_ref().and_then(stored_sign_in::who),
            tokens: Some(tokens),
            wanted: Vec::new(),
            refused: Vec::new(),
            made: None,
            revocation: None,
        }
    }
}
