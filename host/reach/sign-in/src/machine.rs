//! Sign-ins that ask nobody: of the client itself, of a workload, and of a caller.

use std::sync::Arc;

use rmcp::transport::auth::StoredCredentials;

use crate::answer::{Remedy, Tokens};
use crate::assertion;
use crate::discovery::{self, DiscoveredServer};
use crate::dpop::ProofKey;
use crate::error::SignInError;
use crate::options::{Grant, SignInOptions};
use crate::platform;
use crate::refresh::RefreshOutcome;
use crate::sign_in::Inner;
use crate::stored_sign_in::{self, StoredClient, StoredSignIn};
use crate::token_request::{ClientIdentity, TokenEndpoint, TokenError};

/// Of an assertion that is a grant by itself (RFC 7523, 2.1).
pub(crate) const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// What is configured must be enough.
pub(crate) fn check(options: &SignInOptions) -> Result<(), SignInError> {
    let name = &options.name;
    let proves = options.client_secret.is_some() || options.private_key.is_some();
    let is_asserted = options.assertion.is_some();
    let missing = match (options.grant, &options.client_id) {
        (_, None) if proves => "a secret or a key belongs to a client: add its `client-id`",
        (Grant::ClientCredentials, None) => "client credentials need a `client-id`",
        (Grant::ClientCredentials, Some(_)) if !proves && !is_asserted => {
            "client credentials need a `client-secret`, a `private-key` or an `assertion`"
        }
        (Grant::JwtBearer, _) if !is_asserted => {
            "`jwt-bearer` needs `assertion`, the file with the workload's token"
        }
        (Grant::TokenExchange, _) if options.exchange.is_none() => {
            "`token-exchange` needs `exchange`, with the `issuer` of callers' tokens"
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
    /// A token for the client itself, for the workload or for the caller. It is kept in memory alone:
    /// another one costs a request. `is_bound`: it is to be bound to a key.
    pub(crate) async fn sign_in_itself(&self, is_bound: bool) -> RefreshOutcome {
        match self.ask_for_itself(is_bound).await {
            Ok(kept) => RefreshOutcome::Anew(Box::new(kept)),
            Err(TokenError { error, remedy }) => match remedy {
                // The server knows the client, and refuses.
                Remedy::SignIn(Tokens::Lost) if self.options.grant == Grant::ClientCredentials => {
                    RefreshOutcome::Lost(error)
                }
                Remedy::SignIn(_) | Remedy::Without(_) => RefreshOutcome::Refused(error),
                Remedy::Later(after) => RefreshOutcome::Later(error, after),
            },
        }
    }

    async fn ask_for_itself(&self, is_bound: bool) -> Result<StoredSignIn, TokenError> {
        let key = is_bound.then(|| self.proof_key()).transpose()?;
        self.client.bind(key.clone());
        let (issuer, tokens) = match self.options.grant {
            Grant::TokenExchange => self.exchange_token(key.clone()).await?,
            _ => {
                let found = discovery::discover(&self.client, &self.options, None).await?;
                let tokens = match self.options.grant {
                    Grant::JwtBearer => {
                        let file = self.options.assertion.as_deref().unwrap_or("".as_ref());
                        let assertion = platform::token(file)?;
                        self.by_assertion(&found, assertion.expose()).await?
                    }
                    _ => self.as_client(&found).await?,
                };
                (found.issuer(), tokens)
            }
        };
        Ok(StoredSignIn {
            who: tokens.token_response.as_ref().and_then(stored_sign_in::who),
            tokens: Some(tokens.clone()),
            key: key.map(|key| key.kept()),
            ..StoredSignIn::of_client(
                issuer,
                StoredClient {
                    id: tokens.client_id,
                    ..StoredClient::at_port(0)
                },
            )
        })
    }

    /// The key of this sign-in: the one that its token is bound to, or a new one.
    fn proof_key(&self) -> Result<Arc<ProofKey>, SignInError> {
        match self.client.key() {
            Some(key) => Ok(key),
            None => ProofKey::generate().map(Arc::new),
        }
    }

    /// By the client's own credentials. What a server refuses to read is left out.
    async fn as_client(&self, found: &DiscoveredServer) -> Result<StoredCredentials, TokenError> {
        loop {
            let form = vec![("grant_type", "client_credentials".to_owned())];
            let failed = match self.ask(found, form).await {
                Ok(tokens) => return Ok(tokens),
                Err(failed) => failed,
            };
            let Remedy::Without(parameter) = failed.remedy else {
                return Err(failed);
            };
            let refused = [self.client.left_out(), vec![parameter]].concat();
            self.client.leave_out(&refused);
        }
    }

    /// By an assertion that is the grant. A refusal is final: nothing else is tried.
    pub(crate) async fn by_assertion(
        &self,
        found: &DiscoveredServer,
        assertion: &str,
    ) -> Result<StoredCredentials, TokenError> {
        let form = vec![
            ("grant_type", JWT_BEARER.to_owned()),
            ("assertion", assertion.to_owned()),
        ];
        self.ask(found, form).await
    }

    async fn ask(
        &self,
        found: &DiscoveredServer,
        mut form: Vec<(&'static str, String)>,
    ) -> Result<StoredCredentials, TokenError> {
        form.extend(self.wanted());
        let issuer = found.issuer();
        let endpoint = TokenEndpoint {
            address: &found.metadata.token_endpoint,
            issuer: &issuer,
            methods: found
                .metadata
                .additional_fields
                .get("token_endpoint_auth_methods_supported"),
        };
        let answer = endpoint.ask(&self.client, self.identity()?, form).await?;
        answer.credentials(self.options.client_id.clone().unwrap_or_default())
    }

    /// What is asked for, whoever asks.
    pub(crate) fn wanted(&self) -> Vec<(&'static str, String)> {
        let scope = self.options.scopes.join(" ");
        let mut wanted = vec![("resource", self.options.resource.to_string())];
        if !scope.is_empty() {
            wanted.push(("scope", scope));
        }
        wanted
    }

    /// The client at the server's authorization server. Where the assertion is the grant, or the
    /// caller's, it does not say who the client is.
    fn identity(&self) -> Result<ClientIdentity<'_>, SignInError> {
        let options = &self.options;
        let asserted = options.assertion.as_deref();
        let asserted = asserted.filter(|_| options.grant == Grant::ClientCredentials);
        Ok(ClientIdentity {
            id: options.client_id.as_deref(),
            key: options.private_key.as_ref(),
            assertion: asserted.map(platform::token).transpose()?,
            secret: options.client_secret.as_ref(),
        })
    }
}
