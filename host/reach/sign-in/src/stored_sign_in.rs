//! What is kept of a sign-in.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use oauth2::basic::BasicTokenType;
use rmcp::transport::auth::{OAuthTokenResponse, StoredCredentials};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use url::Url;

use crate::form::Parameter;
use crate::secret::Secret;
use crate::{callback, secret};

/// The sign-in to one resource at one issuer. What an issuer gave is used with no other.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredSignIn {
    pub(crate) issuer: String,
    pub(crate) client: StoredClient,
    /// None: the sign-in is lost, and only the registration is left.
    pub(crate) tokens: Option<StoredCredentials>,
    /// What the server asked for beyond what was granted: the next sign-in asks for both.
    #[serde(default)]
    pub(crate) wanted: Vec<String>,
    /// What the token endpoint refused at a refresh, and gets no more.
    #[serde(default)]
    pub(crate) refused: Vec<Parameter>,
    pub(crate) who: Option<String>,
    /// Tells what a person did from what they did at another time. Refreshed, it stays the same.
    #[serde(default)]
    pub(crate) made: Option<String>,
    pub(crate) revocation: Option<String>,
    /// The key to which the tokens are bound, if they are.
    #[serde(
        serialize_with = "secret::write",
        deserialize_with = "secret::read",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) key: Option<Secret>,
}

/// The client that a sign-in was made with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoredClient {
    pub(crate) id: String,
    /// Of a client that was registered; a configured one's secret stays in the configuration.
    #[serde(
        serialize_with = "secret::write",
        deserialize_with = "secret::read",
        default
    )]
    pub(crate) secret: Option<Secret>,
    /// The port that its redirect names, where the browser comes back to a port of this machine.
    pub(crate) port: u16,
    /// The page that its redirect names, where the browser comes back to a server's page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<String>,
    /// Whether it was registered by us, rather than configured.
    pub(crate) registered: bool,
}

impl StoredClient {
    /// One without an id yet, whose redirect names a port of this machine.
    pub(crate) fn at_port(port: u16) -> Self {
        Self {
            id: String::new(),
            secret: None,
            port,
            page: None,
            registered: false,
        }
    }

    /// One without an id yet, whose redirect names a server's page.
    pub(crate) fn at_page(page: &Url) -> Self {
        Self {
            page: Some(page.to_string()),
            ..Self::at_port(0)
        }
    }

    /// Where the browser comes back to.
    pub(crate) fn redirect(&self) -> String {
        match &self.page {
            Some(page) => page.clone(),
            None => callback::address(self.port),
        }
    }
}

/// A token is refreshed this long before it ends, or when a tenth of its life is left.
const AHEAD: Duration = Duration::from_secs(60);

impl StoredSignIn {
    /// A client of this issuer's, without any token yet.
    pub(crate) fn of_client(issuer: String, client: StoredClient) -> Self {
        Self {
            issuer,
            client,
            tokens: None,
            wanted: Vec::new(),
            refused: Vec::new(),
            who: None,
            made: None,
            revocation: None,
            key: None,
        }
    }

    /// The access token, with the moment when it ends, if that is known.
    pub(crate) fn access(&self) -> Option<(&str, Option<SystemTime>)> {
        use oauth2::TokenResponse as _;
        let tokens = self.tokens.as_ref()?;
        let response = tokens.token_response.as_ref()?;
        let token = response.access_token().secret();
        Some((token, ends(tokens, response)))
    }

    /// The key that the access token is bound to, if it is.
    pub(crate) fn bound_to(&self) -> Option<&Secret> {
        use oauth2::TokenResponse as _;
        let response = self.tokens.as_ref()?.token_response.as_ref()?;
        let BasicTokenType::Extension(kind) = response.token_type() else {
            return None;
        };
        self.key
            .as_ref()
            .filter(|_| kind.eq_ignore_ascii_case("dpop"))
    }

    /// Whether the token is to be replaced before it is used.
    pub(crate) fn is_due(&self, now: SystemTime) -> bool {
        let Some(tokens) = &self.tokens else {
            return false;
        };
        let Some(response) = &tokens.token_response else {
            return false;
        };
        let (Some(lives), Some(received)) = (lifetime(response), tokens.token_received_at) else {
            return false;
        };
        match now.duration_since(at(received)) {
            Ok(age) => age + AHEAD.min(lives / 10) >= lives,
            // The clock has been set back, and nothing is known of its age.
            Err(_) => true,
        }
    }

    /// Whether there is something to get a new token for.
    pub(crate) fn can_be_refreshed(&self) -> bool {
        use oauth2::TokenResponse as _;
        let response = self
            .tokens
            .as_ref()
            .and_then(|tokens| tokens.token_response.as_ref());
        response.is_some_and(|response| response.refresh_token().is_some())
    }

    /// The refresh token, the token that says who it is, and the client's own secret.
    pub(crate) fn secrets(&self) -> Vec<String> {
        use oauth2::TokenResponse as _;
        let tokens = self.tokens.as_ref();
        let response = tokens.and_then(|tokens| tokens.token_response.as_ref());
        let refresh = response.and_then(|response| response.refresh_token());
        let identity = response.and_then(|response| response.extra_fields().0.get("id_token"));
        let secrets = [
            refresh.map(|token| token.secret().as_str()),
            identity.and_then(|token| token.as_str()),
            self.client.secret.as_ref().map(Secret::expose),
        ];
        secrets.into_iter().flatten().map(str::to_owned).collect()
    }

    pub(crate) fn granted(&self) -> &[String] {
        self.tokens
            .as_ref()
            .map_or(&[], |tokens| &tokens.granted_scopes)
    }
}

fn at(seconds: u64) -> SystemTime {
    // A century is far enough, and can be added to any moment.
    UNIX_EPOCH + Duration::from_secs(seconds.min(u64::from(u32::MAX)))
}

fn lifetime(response: &OAuthTokenResponse) -> Option<Duration> {
    use oauth2::TokenResponse as _;
    let century = Duration::from_secs(u64::from(u32::MAX));
    Some(response.expires_in()?.min(century))
}

fn ends(tokens: &StoredCredentials, response: &OAuthTokenResponse) -> Option<SystemTime> {
    Some(at(tokens.token_received_at?) + lifetime(response)?)
}

/// Whose sign-in it is, as far as tokens say. They came from the token endpoint itself, so their
/// signature need not be checked to show a name.
pub(crate) fn who(response: &OAuthTokenResponse) -> Option<String> {
    use oauth2::TokenResponse as _;
    let id_token = response.extra_fields().0.get("id_token");
    let tokens = [
        id_token.and_then(|token| token.as_str()),
        Some(response.access_token().secret().as_str()),
    ];
    tokens.into_iter().flatten().find_map(named_in)
}

/// The name in a JWT's claims.
fn named_in(token: &str) -> Option<String> {
    const MOST: usize = 200;
    let claims = claims_of(token)?;
    let name = ["email", "preferred_username", "name", "sub"]
        .iter()
        .find_map(|claim| claims.get(*claim)?.as_str())?;
    Some(name.chars().take(MOST).collect())
}

/// What a JWT says. Nobody has checked its signature.
pub(crate) fn claims_of(token: &str) -> Option<Map<String, Value>> {
    let claims = URL_SAFE_NO_PAD.decode(token.split('.').nth(1)?).ok()?;
    serde_json::from_slice(&claims).ok()
}
