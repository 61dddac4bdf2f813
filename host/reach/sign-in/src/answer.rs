//! What token endpoints answer, and what is to be done about it.
//!
//! RFC 6749 says how they do: JSON, 400 and `error` where they refuse. Some answer as a form, some
//! refuse with 200, some write numbers as texts, and what stands before them answers in HTML.

use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use serde_json::{Map, Value, json};
use url::form_urlencoded;

use crate::form::{Form, Parameter};

/// Of an error's code, more is not shown.
const MOST_CODE: usize = 64;
/// Of an error's description, neither.
const MOST_SAID: usize = 200;
/// A word that is longer may be a token.
const LONGEST_WORD: usize = 48;
/// No server is left alone for longer, whatever it says.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// How a token endpoint answered, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TokenResponse {
    pub(crate) status: u16,
    /// The code by which it refused, such as `invalid_grant`.
    pub(crate) code: Option<String>,
    /// What it said of that.
    said: Option<String>,
    /// When it wants to be asked again.
    after: Option<Duration>,
    /// What could be left out of the request.
    optional: Vec<Parameter>,
    form: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Understood,
    Page,
    Other,
    /// A token that is not bound to the key, as was asked for.
    Unbound,
}

/// What is to be done about a request that gave no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// Ask again at once, without what was refused.
    Without(Parameter),
    /// A person has to sign in.
    SignIn(Tokens),
    /// Ask again when this has passed; where the server says when, then.
    Later(Option<Duration>),
}

/// What becomes of the tokens that are kept, where a person has to sign in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tokens {
    /// The server said that they are no longer good.
    Lost,
    /// It said nothing of them: they stay, and are tried again now and then.
    Stay,
}

impl Remedy {
    /// No answer came: that passes.
    pub(crate) const UNANSWERED: Self = Self::Later(None);
}

impl TokenResponse {
    /// What an answer says, and the answer as the specification has it. `is_bound`: a token has to be
    /// bound to a key, and another one is left out.
    pub(crate) fn read(
        form: &Form,
        is_bound: bool,
        status: u16,
        headers: &mut HeaderMap,
        body: Vec<u8>,
    ) -> (Self, u16, Vec<u8>) {
        let after = headers
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok());
        let after = after.and_then(|seconds| seconds.trim().parse().ok());
        let mut answered = Self {
            status,
            code: None,
            said: None,
            after: after.map(|seconds| Duration::from_secs(seconds).min(LONGEST_WAIT)),
            optional: form.optional(),
            form: Shape::Other,
        };
        let Some(mut members) = members(&body) else {
            if is_page(&body) {
                answered.form = Shape::Page;
            }
            return (answered, status, body);
        };
        answered.form = Shape::Understood;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if status < 400 && members.get("access_token").is_some_and(Value::is_string) {
            repair(&mut members);
            let kind = members.get("token_type").and_then(Value::as_str);
            if is_bound && !kind.is_some_and(|kind| kind.eq_ignore_ascii_case("dpop")) {
                answered.form = Shape::Unbound;
                return (answered, 400, b"{}".to_vec());
            }
            return (
                answered,
                status,
                Value::Object(members).to_string().into_bytes(),
            );
        }
        let (refused, said) = refusal(&members);
        answered.code = refused
            .map(|refused| code(&refused))
            .filter(|code| !code.is_empty());
        answered.said = said.and_then(|said| shown(&said, &form.secrets()));
        // A refusal is one, whatever its status.
        let status = if status < 400 && answered.code.is_some() {
            400
        } else {
            status
        };
        (answered, status, body)
    }

    /// What is to be done about it.
    pub(crate) fn next(&self) -> Remedy {
        let without = |parameter| {
            self.optional
                .contains(&parameter)
                .then_some(Remedy::Without(parameter))
        };
        let unclear = Remedy::SignIn(Tokens::Stay);
        let is_for_proof = |code: &str| matches!(code, "use_dpop_nonce" | "invalid_dpop_proof");
        if self.form == Shape::Unbound || self.code.as_deref().is_some_and(is_for_proof) {
            return unclear;
        }
        match self.code.as_deref() {
            Some("temporarily_unavailable" | "slow_down" | "server_error") => {
                Remedy::Later(self.after)
            }
            // What was asked for is refused, and not who asks.
            Some("invalid_scope") => {
                without(Parameter::Scope).unwrap_or(Remedy::SignIn(Tokens::Lost))
            }
            Some(
                "invalid_grant"
                | "invalid_client"
                | "unauthorized_client"
                | "unsupported_grant_type"
                | "invalid_refresh_token"
                | "bad_refresh_token"
                | "incorrect_client_credentials"
                | "token_revoked"
                | "invalid_client_id",
            ) => Remedy::SignIn(Tokens::Lost),
            _ if self.status >= 500 || matches!(self.status, 408 | 425 | 429) => {
                Remedy::Later(self.after)
            }
            // `invalid_target`, `invalid_request`, and what servers say instead.
            Some(_) => without(Parameter::Resource).unwrap_or(unclear),
            None if matches!(self.status, 400 | 422) => {
                without(Parameter::Resource).unwrap_or(unclear)
            }
            None => unclear,
        }
    }

    /// A sentence's part: what it answered.
    pub(crate) fn sentence(&self) -> String {
        let said = self.said.as_deref();
        match (&self.code, said) {
            (Some(_), _) => format!("the authorization server refused: {}", self.reason()),
            (None, Some(said)) => {
                format!(
                    "the authorization server answered with {}: {said}",
                    self.status
                )
            }
            (None, None) if self.form == Shape::Page => format!(
                "the authorization server answered with {} and a web page, which holds no token",
                self.status
            ),
            (None, None) if self.form == Shape::Unbound => {
                "the authorization server gave a token that is not bound to Ampoule's key (DPoP)"
                    .to_owned()
            }
            (None, None) if self.status < 400 => {
                "the authorization server's answer holds no token".to_owned()
            }
            (None, None) => format!("the authorization server answered with {}", self.status),
        }
    }

    /// The code with what was said of it.
    pub(crate) fn reason(&self) -> String {
        let code = self.code.as_deref().unwrap_or_default();
        match &self.said {
            Some(said) => format!("{code}: {said}"),
            None => code.to_owned(),
        }
    }
}

/// The members of an answer: of JSON, or of a form.
fn members(body: &[u8]) -> Option<Map<String, Value>> {
    if let Ok(Value::Object(members)) = serde_json::from_slice(body) {
        return Some(members);
    }
    let known = |(key, _): &(String, String)| matches!(key.as_str(), "access_token" | "error");
    let text = std::str::from_utf8(body).ok()?.trim();
    if text.starts_with(['<', '{', '[', '"']) || text.contains(char::is_whitespace) {
        return None;
    }
    let pairs: Vec<_> = form_urlencoded::parse(text.as_bytes())
        .into_owned()
        .collect();
    let members = || pairs.iter().map(|(key, value)| (key.clone(), json!(value)));
    pairs.iter().any(known).then(|| members().collect())
}

fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"<")
}

/// Makes a token's members what the specification says they are. A life that is not a number of seconds
/// is unknown: the token is used until it is refused.
fn repair(members: &mut Map<String, Value>) {
    let seconds = members.get("expires_in").and_then(|life| match life {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    });
    let seconds = seconds
        .map(Duration::try_from_secs_f64)
        .and_then(Result::ok);
    match seconds.map(|life| life.as_secs()).filter(|life| *life > 0) {
        Some(seconds) => members.insert("expires_in".to_owned(), json!(seconds)),
        None => members.remove("expires_in"),
    };
    let is_text = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .is_some_and(|text| !text.trim().is_empty())
    };
    // Some servers have the members of a refusal in every answer.
    members.remove("error");
    // Without another one, the old one stays.
    if !is_text(members.get("refresh_token")) {
        members.remove("refresh_token");
    }
    if !is_text(members.get("token_type")) {
        members.insert("token_type".to_owned(), json!("bearer"));
    }
    match members.remove("scope") {
        Some(Value::Array(scopes)) => {
            let scopes: Vec<&str> = scopes.iter().filter_map(Value::as_str).collect();
            members.insert("scope".to_owned(), json!(scopes.join(" ")));
        }
        Some(scope @ Value::String(_)) => {
            members.insert("scope".to_owned(), scope);
        }
        _ => {}
    }
}

/// The code and the description of a refusal: `error` is a text, or an object that has both.
fn refusal(members: &Map<String, Value>) -> (Option<String>, Option<String>) {
    let text = |of: &Map<String, Value>, keys: &[&str]| {
        let mut texts = keys.iter().filter_map(|key| of.get(*key)?.as_str());
        texts.find(|text| !text.is_empty()).map(str::to_owned)
    };
    match members.get("error") {
        Some(Value::Object(error)) => (
            text(error, &["code", "status", "type", "error"]),
            text(error, &["message", "description", "error_description"]),
        ),
        _ => (
            text(members, &["error", "code"]),
            text(
                members,
                &["error_description", "message", "detail", "error_message"],
            ),
        ),
    }
}

/// A code consists of these characters alone (RFC 6749, 5.2); what has others could say anything.
pub(crate) fn code(error: &str) -> String {
    let fits = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    error.chars().filter(fits).take(MOST_CODE).collect()
}

/// What an answer said, as far as it is fit to be seen: short, in one line, without what was sent in
/// secret, and without what may be a token.
fn shown(said: &str, secrets: &[String]) -> Option<String> {
    // Who is far too long says nothing to anybody.
    let said: String = said.chars().take(16 * MOST_SAID).collect();
    let mut said = said;
    for secret in secrets {
        said = said.replace(secret.as_str(), "…");
    }
    let may_be_token = |word: &&str| {
        word.len() > LONGEST_WORD || word.matches('.').count() == 2 && word.starts_with("ey")
    };
    let words = said.split_whitespace();
    let words: Vec<&str> = words
        .map(|word| if may_be_token(&word) { "…" } else { word })
        .collect();
    let mut short: String = words.join(" ").chars().take(MOST_SAID + 1).collect();
    if short.chars().count() > MOST_SAID {
        short.pop();
        short.push('…');
    }
    let short = short.trim_end_matches(['.', ' ']).to_owned();
    (!short.is_empty()).then_some(short)
}

#[cfg(test)]
#[path = "tests/answers.rs"]
mod tests;
