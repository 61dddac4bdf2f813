//! Why an endpoint gave no answer, and what to do.

use std::time::{Duration, SystemTime};

use ampoule_untrusted::text::one_line;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// How much is shown of what an endpoint says, in characters.
const SHOWN_CHARS: usize = 400;
/// Anthropic's status of an overloaded service.
const OVERLOADED: u16 = 529;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The key is missing, wrong, or not allowed to use the model.
    Key,
    /// The address or the model is unknown.
    Unknown,
    /// Too many requests, or no money left.
    RateLimit,
    /// The conversation is longer than the model can read.
    TooLong,
    /// The endpoint does not accept the request.
    Refused,
    /// The endpoint itself failed.
    Server,
    /// The endpoint can't be reached.
    Unreachable,
    /// The answer ended in its middle, or is not in the form.
    Broken,
}

/// Why an answer is missing, as a sentence with what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EndpointError {
    /// What kind of failure it is.
    pub kind: FailureKind,
    message: String,
    /// When the endpoint wants the request again.
    pub(super) retry_after: Option<Duration>,
    /// Sending the request again may help, and does no harm.
    pub(super) is_passing: bool,
}

impl EndpointError {
    pub(super) fn new(kind: FailureKind, message: String) -> Self {
        let is_passing = matches!(
            kind,
            FailureKind::Server | FailureKind::Unreachable | FailureKind::Broken
        );
        Self {
            kind,
            message,
            retry_after: None,
            is_passing,
        }
    }

    pub(super) fn broken(why: impl std::fmt::Display) -> Self {
        let message = format!("the model's answer broke off ({why}); try again");
        Self::new(FailureKind::Broken, message)
    }

    /// The same failure, which no further request would change.
    pub(super) fn lasting(self) -> Self {
        Self {
            is_passing: false,
            ..self
        }
    }

    /// Of a status, and the body that came with it. The key is not in it.
    pub(super) fn of_status(
        status: StatusCode,
        headers: &HeaderMap,
        body: &str,
        key: Option<&str>,
    ) -> Self {
        let said = said(body, key);
        let kind = kind_of(status, body);
        let number = status.as_u16();
        let shown = match said.is_empty() {
            true => format!("status {number}"),
            false => format!("status {number}: {said}"),
        };
        let advice = match kind {
            FailureKind::Key => {
                "check the key: AMPOULE_MODEL_KEY, or OPENAI_API_KEY and ANTHROPIC_API_KEY for these companies' own addresses, or `key` in [chat] of ampoule.toml"
            }
            FailureKind::Unknown => "check --model and --endpoint",
            FailureKind::RateLimit => "wait, or raise the limit of the account",
            FailureKind::TooLong => {
                "start a new conversation with /new, or use a model that reads more"
            }
            FailureKind::Server => "try again later",
            _ => "check --model and --endpoint; the endpoint may need another form",
        };
        let verb = match kind {
            FailureKind::Server => "the model's endpoint failed",
            FailureKind::TooLong => "the conversation is longer than the model can read",
            _ => "the model's endpoint refused the request",
        };
        let retry_after = retry_after(headers);
        let mut error = Self::new(kind, format!("{verb} ({shown}); {advice}"));
        error.retry_after = retry_after;
        error.is_passing |= kind == FailureKind::RateLimit && !has_no_money(body);
        error
    }

    /// Of an error that came within a stream. The key is not in it.
    pub(super) fn of_event(error: &Value, key: Option<&str>) -> Self {
        let code = ["type", "code"].map(|name| error[name].as_str().unwrap_or_default());
        let message = shown(error["message"].as_str().unwrap_or_default(), key);
        let has = |part: &str| code.iter().any(|code| code.contains(part));
        if has("context_length") || is_too_long(&message) {
            let message = format!("the conversation is longer than the model can read ({message})");
            return Self::new(FailureKind::TooLong, message);
        }
        let kind = match () {
            () if has("rate_limit") => FailureKind::RateLimit,
            () if has("invalid") => FailureKind::Refused,
            () => FailureKind::Server,
        };
        let mut error = Self::new(
            kind,
            format!(
                "the model's endpoint failed in the middle of its answer ({message}); try again"
            ),
        );
        error.is_passing |= kind == FailureKind::RateLimit;
        error
    }

    /// The endpoint has no reasoning to give back for the next request.
    pub(super) fn lacks_reasoning(&self) -> bool {
        let is_named = self.message.to_lowercase().contains("encrypted");
        self.kind == FailureKind::Refused && is_named
    }
}

fn kind_of(status: StatusCode, body: &str) -> FailureKind {
    match status.as_u16() {
        401 | 403 => FailureKind::Key,
        404 => FailureKind::Unknown,
        402 | 429 => FailureKind::RateLimit,
        408 | 409 | OVERLOADED => FailureKind::Server,
        413 => FailureKind::TooLong,
        400 | 422 if is_too_long(body) => FailureKind::TooLong,
        500.. => FailureKind::Server,
        _ => FailureKind::Refused,
    }
}

/// How companies and local servers say that a model can't read as much.
fn is_too_long(said: &str) -> bool {
    let said = said.to_lowercase();
    let phrases = [
        "context_length",
        "context length",
        "context window",
        "context size",
        "prompt is too long",
        "maximum context",
        "too many tokens",
    ];
    phrases.iter().any(|phrase| said.contains(phrase))
}

/// Waiting does not bring money.
fn has_no_money(body: &str) -> bool {
    body.contains("insufficient_quota") || body.contains("billing")
}

/// What the body says, in a line.
fn said(body: &str, key: Option<&str>) -> String {
    let json: Option<Value> = serde_json::from_str(body).ok();
    let json = json.unwrap_or_default();
    let message = [&json["error"]["message"], &json["error"], &json["message"]];
    let message = message.into_iter().find_map(Value::as_str);
    shown(message.unwrap_or(body), key)
}

/// A text of the endpoint's, cut. The key is hidden before: half of a key is not found any more.
fn shown(text: &str, key: Option<&str>) -> String {
    let text = match key.filter(|key| !key.is_empty()) {
        Some(key) => text.replace(key, "***"),
        None => text.to_owned(),
    };
    let cut: String = text.trim().chars().take(SHOWN_CHARS).collect();
    one_line(&cut).into_owned()
}

/// `Retry-After`: seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?;
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}
