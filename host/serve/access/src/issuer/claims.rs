//! What a token says.

use jsonwebtoken::errors::ErrorKind;
use serde_json::{Map, Value};

use crate::principal;
use crate::refusal::RefusalReason;

/// Claims that list scopes: of the standard, and of two large issuers.
const SCOPES: [&str; 2] = ["scope", "scp"];

/// Why a token is not taken, for its client.
pub(super) fn why(kind: &ErrorKind) -> RefusalReason {
    match kind {
        ErrorKind::ExpiredSignature => RefusalReason::Expired,
        ErrorKind::ImmatureSignature => RefusalReason::NotYetValid,
        ErrorKind::InvalidIssuer => RefusalReason::OfAnotherIssuer,
        ErrorKind::InvalidAudience => RefusalReason::ForAnother,
        ErrorKind::InvalidSignature => RefusalReason::NotSigned,
        _ => RefusalReason::NotAccess,
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

/// The groups that it lists; none at all if it does not say, or not in a way that can be read: who
/// may be in a group of which nothing is known must not pass for somebody outside of it.
pub(super) fn groups<'a>(claims: &'a Map<String, Value>, claim: &str) -> Option<Vec<&'a str>> {
    let mut steps = claim.split('/');
    // Some claims are called like addresses.
    let found = match claim.starts_with('/') {
        true => {
            let first = steps.nth(1).and_then(|name| claims.get(name));
            steps.try_fold(first?, |value, name| value.get(name))
        }
        false => claims.get(claim),
    };
    let groups = match found {
        // Where there are too many, some issuers say in which other place they are.
        None if is_elsewhere(claims, claim) => return None,
        None | Some(Value::Null) => return Some(Vec::new()),
        Some(Value::String(group)) => vec![group.as_str()],
        Some(Value::Array(groups)) if groups.len() <= principal::MOST_GROUPS => {
            let groups: Option<Vec<_>> = groups.iter().map(Value::as_str).collect();
            groups?
        }
        Some(_) => return None,
    };
    let are_names = groups
        .iter()
        .all(|group| principal::check_group(group).is_ok());
    are_names.then_some(groups)
}

/// Whether a token says that a claim is to be had from elsewhere (OpenID Connect Core, 5.6.2; and
/// `hasgroups`, which one large issuer sets instead).
fn is_elsewhere(claims: &Map<String, Value>, claim: &str) -> bool {
    let names = claims.get("_claim_names").and_then(Value::as_object);
    let is_named = names.is_some_and(|names| names.contains_key(claim));
    is_named || claim == "groups" && claims.get("hasgroups") == Some(&Value::Bool(true))
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

    #[test]
    fn groups_are_a_list_and_a_token_that_hides_some_is_none() {
        let many: Vec<String> = (0..=principal::MOST_GROUPS)
            .map(|it| it.to_string())
            .collect();
        for (said, claim, listed) in [
            (json!({}), "groups", Some(vec![])),
            (json!({"groups": null}), "groups", Some(vec![])),
            (json!({"groups": "ops"}), "groups", Some(vec!["ops"])),
            (
                json!({"groups": ["ops", "Domain Admins"]}),
                "groups",
                Some(vec!["ops", "Domain Admins"]),
            ),
            (
                json!({"https://a.example/roles": ["ops"]}),
                "https://a.example/roles",
                Some(vec!["ops"]),
            ),
            (
                json!({"realm_access": {"roles": ["ops"]}}),
                "/realm_access/roles",
                Some(vec!["ops"]),
            ),
            (
                json!({"realm_access": 1}),
                "/realm_access/roles",
                Some(vec![]),
            ),
            (json!({"groups": ["ops", 1]}), "groups", None),
            (json!({"groups": [""]}), "groups", None),
            (json!({"groups": ["a\u{202e}b"]}), "groups", None),
            (json!({"groups": ["x".repeat(257)]}), "groups", None),
            (json!({"groups": {"ops": true}}), "groups", None),
            (json!({"groups": many}), "groups", None),
            (
                json!({"groups": many[1..]}),
                "groups",
                Some(many[1..].iter().map(String::as_str).collect()),
            ),
            (json!({"_claim_names": {"groups": "src1"}}), "groups", None),
            (json!({"hasgroups": true}), "groups", None),
        ] {
            assert_eq!(groups(&claims(said.clone()), claim), listed, "{said}");
        }
    }
}
