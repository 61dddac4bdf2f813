//! What a token says.

use jsonwebtoken::errors::ErrorKind;
use serde_json::{Map, Value};

use crate::refused::Why;

/// Claims that list scopes: of the standard, and of two large issuers.
const SCOPES: [&str; 2] = ["scope", "scp"];

/// Why a token is not taken, for its client.
pub(super) fn why(kind: &ErrorKind) -> Why {
    match kind {
        ErrorKind::ExpiredSignature => Why::Expired,
        ErrorKind::ImmatureSignature => Why::NotYetValid,
        ErrorKind::InvalidIssuer => Why::OfAnotherIssuer,
        ErrorKind::InvalidAudience => Why::ForAnother,
        ErrorKind::InvalidSignature => Why::NotSigned,
        _ => Why::NotAccess,
    }
}

/// Whether it allows all of this.
pub(super) fn allows(claims: &Map<String, Value>, scopes: &[String]) -> bool {
    let mut granted = Vec::new();
    for claim in SCOPES.iter().filter_map(|name| claims.get(*name)) {
        match claim {
            Value::String(text) => granted.extend(text.split(' ')),
            Value::Array(items) => granted.extend(items.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    scopes.iter().all(|scope| granted.contains(&scope.as_str()))
}

/// Whom it names. An address that the issuer has not verified names nobody: people may write there
/// what they like.
pub(super) fn name<'a>(claims: &'a Map<String, Value>, claim: &str) -> Option<&'a str> {
    let unverified = claims.get("email_verified") == Some(&Value::Bool(false));
    if claim == "email" && unverified {
        return None;
    }
    claims.get(claim)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(value: Value) -> Map<String, Value> {
        value.as_object().cloned().expect("an object")
    }

    #[test]
    fn scopes_are_texts_or_lists() {
        let asked = ["mcp".to_owned(), "run".to_owned()];
        for (said, allowed) in [
            (json!({"scope": "openid run mcp"}), true),
            (json!({"scp": "mcp run"}), true),
            (json!({"scp": ["mcp", "run"]}), true),
            (json!({"scope": "mcp", "scp": ["run"]}), true),
            (json!({"scope": "mcp running"}), false),
            (json!({"scope": ["mcp run"]}), false),
            (json!({"scope": 1}), false),
            (json!({}), false),
        ] {
            assert_eq!(allows(&claims(said.clone()), &asked), allowed, "{said}");
        }
        assert!(allows(&claims(json!({})), &[]));
    }

    #[test]
    fn an_address_names_somebody_where_it_is_verified() {
        for (said, named) in [
            (json!({"email": "ada@example.com"}), Some("ada@example.com")),
            (
                json!({"email": "ada@example.com", "email_verified": true}),
                Some("ada@example.com"),
            ),
            (
                json!({"email": "ada@example.com", "email_verified": false}),
                None,
            ),
            (json!({"email": ["ada@example.com"]}), None),
            (json!({"sub": "ada"}), None),
        ] {
            assert_eq!(name(&claims(said.clone()), "email"), named, "{said}");
        }
    }
}
