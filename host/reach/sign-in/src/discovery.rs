//! Which authorization server a resource names.

use std::sync::Arc;

use http::header::{ACCEPT, CONTENT_TYPE, WWW_AUTHENTICATE};
use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadata, InMemoryCredentialStore, OAuthClientConfig,
    StoredCredentials, WWWAuthenticateParams,
};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use url::Url;

use crate::client::Client;
use crate::dpop;
use crate::error::SignInError;
use crate::options::{Endpoints, SignInOptions};

/// A server may ask for so many scopes, each of so many bytes.
const MOST_SCOPES: usize = 64;
const MOST_SCOPE_BYTES: usize = 256;

/// An authorization server, and rmcp's state of a flow with it.
pub(crate) struct DiscoveredServer {
    pub(crate) manager: AuthorizationManager,
    pub(crate) metadata: AuthorizationMetadata,
    /// Where rmcp leaves what it was given. Ours is kept by the store, under its lock.
    pub(crate) tokens: InMemoryCredentialStore,
}

impl DiscoveredServer {
    /// What its credentials are kept under. An authorization server without metadata has no name
    /// but its own address.
    pub(crate) fn issuer(&self) -> String {
        let metadata = &self.metadata;
        let issuer = metadata.issuer.as_ref();
        issuer.unwrap_or(&metadata.token_endpoint).clone()
    }

    pub(crate) fn names(&self, member: &str) -> Option<&str> {
        self.metadata.additional_fields.get(member)?.as_str()
    }

    pub(crate) fn has(&self, member: &str) -> bool {
        let found = self.metadata.additional_fields.get(member);
        found.and_then(serde_json::Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn configure(&mut self, client: OAuthClientConfig) -> Result<(), SignInError> {
        tracing::subscriber::with_default(NoSubscriber::default(), || {
            self.manager.configure_client(client)
        })
        .map_err(|error| SignInError::found(&error))
    }

    /// What rmcp was given, if anything.
    pub(crate) async fn given(&self) -> Option<StoredCredentials> {
        use rmcp::transport::auth::CredentialStore as _;
        self.tokens.load().await.ok().flatten()
    }
}

/// Finds the authorization server, from the resource's challenge or by probing.
///
/// rmcp is not heard: at its `debug` level it logs codes and tokens.
pub(crate) async fn discover(
    client: &Arc<Client>,
    options: &SignInOptions,
    challenge: Option<&str>,
) -> Result<DiscoveredServer, SignInError> {
    let resource = options.resource.clone();
    let finding = async {
        let client: Arc<Client> = client.clone();
        let mut manager =
            AuthorizationManager::new_with_oauth_http_client(resource, client).await?;
        let tokens = InMemoryCredentialStore::new();
        manager.set_credential_store(tokens.clone());
        let metadata = match &options.endpoints {
            Some(endpoints) => known(endpoints),
            None => {
                let found = manager.resolve_metadata_from_challenge(challenge).await?;
                found.metadata
            }
        };
        manager.set_metadata(metadata.clone());
        Ok(DiscoveredServer {
            manager,
            metadata,
            tokens,
        })
    };
    finding
        .with_subscriber(NoSubscriber::default())
        .await
        .map_err(|error| SignInError::found(&error))
}

/// What an authorization server would say of itself, where its endpoints are known beforehand.
fn known(endpoints: &Endpoints) -> AuthorizationMetadata {
    let authorization = endpoints.authorization.as_ref();
    let mut metadata = AuthorizationMetadata::default();
    metadata.authorization_endpoint = authorization.unwrap_or(&endpoints.token).to_string();
    metadata.token_endpoint = endpoints.token.to_string();
    // A server that does not know what is sent for it passes over it.
    metadata.code_challenge_methods_supported = Some(vec!["S256".to_owned()]);
    metadata
}

/// The resource's challenge to requests as clients send them first. Some servers challenge no
/// others; and some greet anyone, and challenge who wants more than that.
pub(crate) async fn challenge(client: &Client, resource: &Url) -> Option<Challenge> {
    const FIRST: [&str; 2] = [
        concat!(
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","#,
            r#""capabilities":{},"clientInfo":{"name":"ampoule","version":""#,
            env!("CARGO_PKG_VERSION"),
            r#""}}}"#
        ),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}"#,
    ];
    for message in FIRST {
        let request = http::Request::post(resource.as_str())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "application/json, text/event-stream")
            .body(message.as_bytes().to_vec())
            .ok()?;
        let answer = client
            .send(request)
            .with_subscriber(NoSubscriber::default())
            .await
            .ok()?;
        let challenges = answer.headers().get_all(WWW_AUTHENTICATE).iter();
        let challenges: Vec<&str> = challenges.filter_map(|value| value.to_str().ok()).collect();
        let asked = Challenge::of(&challenges);
        if asked.is_some() {
            return asked;
        }
    }
    None
}

/// A challenge that a token answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Challenge {
    /// As one of the scheme `Bearer`, the only one that rmcp reads.
    pub(crate) text: String,
    /// Whether the token has to be bound to a key: no other one is asked for.
    pub(crate) is_bound: bool,
}

impl Challenge {
    /// That of a response.
    pub(crate) fn of(challenges: &[&str]) -> Option<Self> {
        let is_bearer = |value: &&&str| {
            let scheme = value.trim_start().split(' ').next();
            scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer"))
        };
        if let Some(bearer) = challenges.iter().find(is_bearer) {
            return Some(Self {
                text: (*bearer).to_owned(),
                is_bound: false,
            });
        }
        let bound = challenges.iter().find(|value| dpop::is_asked(value))?;
        let (_, parameters) = bound.trim_start().split_once(' ').unwrap_or_default();
        Some(Self {
            text: format!("Bearer {parameters}"),
            is_bound: true,
        })
    }
}

/// The scopes that a challenge asks for, where what was granted is not enough.
pub(crate) fn insufficient(challenge: &str, resource: &Url) -> Option<Vec<String>> {
    let asked = tracing::subscriber::with_default(NoSubscriber::default(), || {
        WWWAuthenticateParams::parse(challenge, resource)
    });
    let is_scope = |scope: &&str| {
        scope.len() <= MOST_SCOPE_BYTES
            && scope
                .bytes()
                .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
    };
    asked.is_insufficient_scope().then(|| {
        let scopes = asked.scope.as_deref().unwrap_or_default();
        let scopes = scopes.split_whitespace().filter(is_scope);
        scopes.take(MOST_SCOPES).map(str::to_owned).collect()
    })
}
