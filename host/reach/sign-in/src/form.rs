//! Requests to a token endpoint: what may be left out of them, and what of them is never shown.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

/// A parameter that some authorization servers refuse, and that a request does without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Parameter {
    /// Which server the token is for (RFC 8707).
    Resource,
    /// Without it, a refreshed token has the rights of the one before (RFC 6749, 6).
    Scope,
}

impl Parameter {
    fn name(self) -> &'static str {
        match self {
            Self::Resource => "resource",
            Self::Scope => "scope",
        }
    }
}

/// What a request to a token endpoint sends.
pub(crate) struct Form {
    pairs: Vec<(String, String)>,
    authorization: Option<String>,
}

impl Form {
    /// What this request sends, if it is one to a token endpoint.
    pub(crate) fn of(request: &http::Request<Vec<u8>>) -> Option<Self> {
        let kind = request.headers().get(CONTENT_TYPE)?.to_str().ok()?;
        if !kind.starts_with("application/x-www-form-urlencoded") {
            return None;
        }
        let pairs: Vec<_> = form_urlencoded::parse(request.body())
            .into_owned()
            .collect();
        let authorization = request.headers().get(AUTHORIZATION);
        let form = Self {
            pairs,
            authorization: authorization.and_then(|value| Some(value.to_str().ok()?.to_owned())),
        };
        form.has("grant_type").then_some(form)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(key, _)| key == name)
    }

    /// The same body without these parameters. A code is for what was asked for when it was given, so
    /// nothing is left out of its exchange.
    pub(crate) fn without(&mut self, parameters: &[Parameter]) -> Vec<u8> {
        let is_code =
            |(key, value): &(String, String)| key == "grant_type" && value == "authorization_code";
        if !self.pairs.iter().any(is_code) {
            self.pairs
                .retain(|(key, _)| parameters.iter().all(|out| out.name() != key));
        }
        form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&self.pairs)
            .finish()
            .into_bytes()
    }

    /// The parameters that a further try could leave out.
    pub(crate) fn optional(&self) -> Vec<Parameter> {
        let all = [Parameter::Resource, Parameter::Scope];
        all.into_iter().filter(|it| self.has(it.name())).collect()
    }

    /// What an answer must not repeat where people see it.
    pub(crate) fn secrets(&self) -> Vec<String> {
        const SECRET: [&str; 7] = [
            "refresh_token",
            "client_secret",
            "client_assertion",
            "assertion",
            "subject_token",
            "code",
            "code_verifier",
        ];
        let sent = self.pairs.iter();
        let mut secrets: Vec<String> = sent
            .filter(|(key, value)| SECRET.contains(&key.as_str()) && !value.is_empty())
            .map(|(_, value)| value.clone())
            .collect();
        let basic = self.authorization.as_deref();
        if let Some(encoded) = basic.and_then(|value| value.strip_prefix("Basic ")) {
            secrets.push(encoded.to_owned());
            let pair = STANDARD.decode(encoded).unwrap_or_default();
            let pair = String::from_utf8(pair).unwrap_or_default();
            if let Some((_, secret)) = pair.split_once(':').filter(|(_, it)| !it.is_empty()) {
                secrets.push(secret.to_owned());
            }
        }
        secrets
    }
}
