//! Requests of tokens: how the client says who it is, and what is answered.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use oauth2::TokenResponse as _;
use rmcp::transport::auth::{OAuthTokenResponse, StoredCredentials};
use serde_json::{Map, Value};
use url::form_urlencoded::byte_serialize;

use crate::answer::Remedy;
use crate::assertion;
use crate::client::Client;
use crate::error::SignInError;
use crate::secret::Secret;

/// The type of an assertion by which a client says who it is.
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A token endpoint, and the authorization server that has it.
pub(crate) struct TokenEndpoint<'a> {
    pub(crate) address: &'a str,
    pub(crate) issuer: &'a str,
    /// How clients may say who they are, as metadata lists it.
    pub(crate) methods: Option<&'a Value>,
}

/// A client, and how it says who it is: by a key, by what a platform gave it, by a secret, or not at
/// all.
#[derive(Default)]
pub(crate) struct ClientIdentity<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) key: Option<&'a Secret>,
    pub(crate) assertion: Option<Secret>,
    pub(crate) secret: Option<&'a Secret>,
}

/// Why there is no token, and what is to be done about it.
#[derive(Debug)]
pub(crate) struct TokenError {
    pub(crate) error: SignInError,
    pub(crate) remedy: Remedy,
}

/// What a token endpoint answered: members, of which `access_token` is one.
pub(crate) struct TokenAnswer(Map<String, Value>);

impl TokenError {
    /// No answer was got, or asked for.
    pub(crate) fn unasked(error: SignInError) -> Self {
        Self {
            error,
            remedy: Remedy::UNANSWERED,
        }
    }
}

impl From<SignInError> for TokenError {
    fn from(error: SignInError) -> Self {
        Self::unasked(error)
    }
}

impl ClientIdentity<'_> {
    /// Says in a form who asks, or gives a value of `Authorization` that does.
    fn add(
        self,
        to: &TokenEndpoint<'_>,
        form: &mut Vec<(&'static str, String)>,
    ) -> Result<Option<HeaderValue>, SignInError> {
        let id = self.id.unwrap_or_default();
        let asserted = match self.key {
            Some(key) => Some(assertion::signed(key, id, to.issuer)?),
            None => self.assertion.map(|given| given.expose().to_owned()),
        };
        if let Some(asserted) = asserted {
            form.push(("client_assertion_type", ASSERTION_TYPE.to_owned()));
            form.push(("client_assertion", asserted));
            return Ok(None);
        }
        let Some(secret) = self.secret else {
            form.extend(self.id.map(|id| ("client_id", id.to_owned())));
            return Ok(None);
        };
        if to.takes_secrets_in_forms_alone() {
            form.push(("client_id", id.to_owned()));
            form.push(("client_secret", secret.expose().to_owned()));
            return Ok(None);
        }
        // RFC 6749, 2.3.1.
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = STANDARD.encode(format!("{}:{}", encoded(id), encoded(secret.expose())));
        let value = HeaderValue::from_str(&format!("Basic {pair}"));
        let mut value = value.map_err(|_| SignInError::new("the client's secret can't be sent"))?;
        value.set_sensitive(true);
        Ok(Some(value))
    }
}

impl TokenEndpoint<'_> {
    /// Whether a secret has to be in the form: a header is how every server can take one, unless it
    /// says otherwise.
    fn takes_secrets_in_forms_alone(&self) -> bool {
        let listed = |method: &str| {
            let methods = self.methods.and_then(Value::as_array);
            methods.is_some_and(|methods| methods.iter().any(|it| it == method))
        };
        listed("client_secret_post") && !listed("client_secret_basic")
    }

    /// Asks for a token.
    pub(crate) async fn ask(
        &self,
        client: &Client,
        identity: ClientIdentity<'_>,
        form: Vec<(&'static str, String)>,
    ) -> Result<TokenAnswer, TokenError> {
        let sent = self.post(client, identity, form).await;
        let answered = client.take_answered();
        let sent = sent?;
        let failed = || TokenError {
            error: SignInError::from_answer(answered.as_ref()),
            remedy: answered.as_ref().map_or(Remedy::UNANSWERED, |it| it.next()),
        };
        let answer = serde_json::from_slice(sent.body()).ok().map(TokenAnswer);
        let answer = answer.filter(|it| it.text("access_token").is_some());
        match answer.filter(|_| sent.status().is_success()) {
            Some(answer) => Ok(answer),
            None => Err(failed()),
        }
    }

    /// Sends a form, as this client.
    pub(crate) async fn post(
        &self,
        client: &Client,
        identity: ClientIdentity<'_>,
        mut form: Vec<(&'static str, String)>,
    ) -> Result<http::Response<Vec<u8>>, SignInError> {
        let authorization = identity.add(self, &mut form)?;
        let form: Vec<(&str, &str)> = form.iter().map(|(key, value)| (*key, &**value)).collect();
        let sent = client
            .post_form_as(self.address, &form, authorization)
            .await;
        sent.map_err(|error| SignInError::new(error.to_string()))
    }
}

impl TokenAnswer {
    /// A member that is a text.
    pub(crate) fn text(&self, member: &str) -> Option<String> {
        Some(self.0.get(member)?.as_str()?.to_owned())
    }

    /// When the token ends, as far as the answer says so.
    pub(crate) fn ends(&self) -> Option<SystemTime> {
        let seconds = self.0.get("expires_in")?.as_u64()?;
        SystemTime::now().checked_add(Duration::from_secs(seconds))
    }

    /// What is kept of it: in memory alone, so that it can't be refreshed.
    pub(crate) fn credentials(self, client: String) -> Result<StoredCredentials, TokenError> {
        let unusable = || SignInError::new("the authorization server's answer holds no token");
        let given = serde_json::from_value(Value::Object(self.0));
        let mut given: OAuthTokenResponse = given.map_err(|_| unusable())?;
        given.set_refresh_token(None);
        let scopes = given.scopes().into_iter().flatten();
        let scopes = scopes.map(|scope| scope.to_string()).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default().as_secs();
        Ok(StoredCredentials::new(
            client,
            Some(given),
            scopes,
            Some(now),
        ))
    }
}
