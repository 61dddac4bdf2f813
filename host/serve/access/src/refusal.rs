//! What a request is told that is not admitted.

use http::{HeaderValue, StatusCode};

/// Why a request is not admitted, for its client. Nothing of what the client sent is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct AccessDeniedError {
    why: RefusalReason,
    challenge: HeaderValue,
}

/// Each reason, with what is said of it. RFC 6750 takes no quotes and no backslashes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RefusalReason {
    NoToken,
    TwoTokens,
    NoSuchToken,
    Expired,
    NotYetValid,
    OfAnotherIssuer,
    ForAnother,
    NotSigned,
    NotAccess,
    NamesNobody,
    NamesAnother,
    NoGroups,
    TooLittle,
    OfAnotherSignIn,
    IssuerIsDown,
}

impl RefusalReason {
    fn status(self) -> StatusCode {
        match self {
            Self::TwoTokens => StatusCode::BAD_REQUEST,
            Self::TooLittle => StatusCode::FORBIDDEN,
            Self::IssuerIsDown => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::UNAUTHORIZED,
        }
    }

    /// The code of RFC 6750, 3.1. Who sent no token, and who is not at fault, get none.
    fn code(self) -> Option<&'static str> {
        match self {
            Self::NoToken | Self::IssuerIsDown => None,
            Self::TwoTokens => Some("invalid_request"),
            Self::TooLittle => Some("insufficient_scope"),
            _ => Some("invalid_token"),
        }
    }

    fn message(self) -> &'static str {
        match self {
            Self::NoToken => {
                "a token is needed: send it in the header Authorization, as Bearer TOKEN"
            }
            Self::TwoTokens => "the header Authorization is there twice; send it once",
            Self::NoSuchToken => "the token is unknown; ask this server's operator for another",
            Self::Expired => "the token has expired; get another",
            Self::NotYetValid => "the token is not valid yet; is a clock wrong?",
            Self::OfAnotherIssuer => {
                "the token is from another issuer than the one that this server trusts"
            }
            Self::ForAnother => "the token is for another audience than this server",
            Self::NotSigned => "the token is not signed by a key of the issuer; get another",
            Self::NotAccess => "the token is not an access token that this server can read",
            Self::NamesNobody => {
                "the token does not say whom it is for in the claim that this server reads"
            }
            Self::NamesAnother => {
                "the token's owner has the name of somebody on this server's list of tokens; ask this server's operator to give that token another name"
            }
            Self::NoGroups => {
                "the token does not say which groups its owner is in, in a form that this server can read"
            }
            Self::TooLittle => "the token does not have the scopes that this server asks for",
            Self::OfAnotherSignIn => {
                "the issuer's answer is to another sign-in than the one that was begun here"
            }
            Self::IssuerIsDown => {
                "the issuer can't be reached, so the token can't be checked; try again in a minute"
            }
        }
    }
}

impl AccessDeniedError {
    /// The status of the answer: 401, 400, 403, or 503 where the client is not at fault.
    pub fn status(&self) -> StatusCode {
        self.why.status()
    }

    /// The value of the answer's header `WWW-Authenticate`.
    pub fn challenge(&self) -> HeaderValue {
        self.challenge.clone()
    }

    /// What is wrong, and what to do.
    pub fn message(&self) -> &str {
        self.why.message()
    }
}

/// What all challenges have in common.
#[derive(Debug, Clone)]
pub(crate) struct Challenge(String);

impl Challenge {
    /// `scopes` and the address of the metadata have no quotes in them.
    pub(crate) fn new(scopes: &[String], metadata: Option<&str>) -> Self {
        let mut common = r#"Bearer realm="ampoule""#.to_owned();
        if !scopes.is_empty() {
            common += &format!(r#", scope="{}""#, scopes.join(" "));
        }
        if let Some(metadata) = metadata {
            common += &format!(r#", resource_metadata="{metadata}""#);
        }
        Self(common)
    }

    pub(crate) fn refuse(&self, why: RefusalReason) -> AccessDeniedError {
        let mut text = self.0.clone();
        if let Some(code) = why.code() {
            let message = why.message();
            text += &format!(r#", error="{code}", error_description="{message}""#);
        }
        // All of it is visible ASCII, and was looked at before.
        let plain = HeaderValue::from_static("Bearer");
        let challenge = HeaderValue::from_str(&text).unwrap_or(plain);
        AccessDeniedError { why, challenge }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_can_stand_in_a_header() {
        let metadata = "https://ampoule.example.com/.well-known/oauth-protected-resource/mcp";
        let scopes = ["mcp".to_owned(), "mcp:run".to_owned()];
        let challenge = Challenge::new(&scopes, Some(metadata));
        let of = |why| challenge.refuse(why).challenge();
        assert_eq!(
            of(RefusalReason::NoToken),
            format!(
                r#"Bearer realm="ampoule", scope="mcp mcp:run", resource_metadata="{metadata}""#
            )
        );
        assert_eq!(
            of(RefusalReason::TooLittle),
            format!(
                r#"Bearer realm="ampoule", scope="mcp mcp:run", resource_metadata="{metadata}", error="insufficient_scope", error_description="the token does not have the scopes that this server asks for""#
            )
        );
        for why in [
            RefusalReason::NoToken,
            RefusalReason::TwoTokens,
            RefusalReason::NoSuchToken,
            RefusalReason::Expired,
            RefusalReason::NotYetValid,
            RefusalReason::OfAnotherIssuer,
            RefusalReason::ForAnother,
            RefusalReason::NotSigned,
            RefusalReason::NotAccess,
            RefusalReason::NamesNobody,
            RefusalReason::NamesAnother,
            RefusalReason::NoGroups,
            RefusalReason::TooLittle,
            RefusalReason::OfAnotherSignIn,
            RefusalReason::IssuerIsDown,
        ] {
            let fits = |byte: u8| matches!(byte, b' '..=b'~') && !b"\"\\".contains(&byte);
            assert!(why.message().bytes().all(fits), "{why:?}");
        }
    }
}
