//! What `[servers.NAME.auth]` says of sign-ins that ask nobody.

use super::servers::remote;
use super::*;
use crate::{Exchange, Subject};

fn auth(text: &str) -> Auth {
    let config = parse(&format!(
        "[servers.notes]\nurl = 'https://example.com/mcp'\n[servers.notes.auth]\n{text}"
    ));
    remote(&config.expect("a sound file"), "notes").auth.clone()
}

fn refused(text: &str) -> String {
    fault(&format!(
        "[servers.notes]\nurl = 'https://example.com/mcp'\n[servers.notes.auth]\n{text}"
    ))
}

#[test]
fn a_callers_token_is_exchanged_at_its_issuer() {
    let found = auth(
        "grant = 'token-exchange'\nexchange = { issuer = '${ISSUER:-https://login.example.com}', client-id = 'ampoule', client-secret = '${TOKEN}', audience = 'notes', subject = 'id-token' }",
    );
    assert_eq!(found.grant, SignIn::TokenExchange);
    let exchange = Exchange {
        issuer: "https://login.example.com".to_owned(),
        client_id: Some("ampoule".to_owned()),
        client_secret: Some("hunter2-hunter2".to_owned()),
        audience: Some("notes".to_owned()),
        subject: Subject::IdToken,
    };
    assert!(!format!("{found:?}").contains("hunter2"));
    assert_eq!(found.exchange, Some(exchange));
}

#[test]
fn a_workload_has_a_token_in_a_file() {
    let found = auth("grant = 'jwt-bearer'\nassertion = 'token'\ndpop = true");
    assert_eq!(found.grant, SignIn::JwtBearer);
    assert_eq!(
        found.assertion.as_deref(),
        Some(Path::new("/srv/etc/token"))
    );
    assert_eq!(found.dpop, Some(true));
    let found = auth("grant = 'client-credentials'\nclient-id = 'x'\nassertion = 'token'");
    assert_eq!(found.grant, SignIn::ClientCredentials);
}

#[test]
fn what_a_grant_lacks_or_has_no_use_for_is_named() {
    for (text, why) in [
        (
            "client-id = 'x'\nendpoints = { authorization = 'https://example.com/a' }",
            "`endpoints` needs `token`",
        ),
        (
            "client-id = 'x'\nendpoints = { token = 'https://example.com/t' }",
            "`endpoints` needs `authorization`",
        ),
        (
            "endpoints = { authorization = 'https://example.com/a', token = 'https://example.com/t' }",
            "with `endpoints`, give `client-id`",
        ),
        (
            "client-id = 'x'\nendpoints = { authorization = 'javascript:alert(1)', token = 'https://example.com/t' }",
            "an address, such as `https://login.example.com/token`",
        ),
        (
            "client-id = 'x'\nendpoints = { authorization = 'https://a:b@example.com/a', token = 'https://example.com/t' }",
            "an address, such as `https://login.example.com/token`",
        ),
        (
            "grant = 'token-exchange'\nexchange = { issuer = 'https://example.com' }\nendpoints = { token = 'https://example.com/t' }",
            "with `token-exchange`, the issuer says where tokens are exchanged; remove `endpoints`",
        ),
        ("grant = 'jwt-bearer'", "for `jwt-bearer`, give `assertion`"),
        (
            "grant = 'token-exchange'",
            "for `token-exchange`, give `exchange`",
        ),
        (
            "grant = 'token-exchange'\nexchange = { client-id = 'x' }",
            "for `token-exchange`, give `exchange`, with the `issuer`",
        ),
        (
            "grant = 'token-exchange'\nexchange = { issuer = 'login' }",
            "the address of an issuer, such as `https://login.example.com`",
        ),
        (
            "exchange = { issuer = 'https://x.example' }",
            "`exchange` is for",
        ),
        (
            "assertion = 'token'",
            "a person signs in without an `assertion`",
        ),
        (
            "grant = 'client-credentials'\nclient-id = 'x'\nassertion = 'a'\nprivate-key = 'b'",
            "one of `client-secret`, `private-key` and `assertion`",
        ),
        (
            "grant = 'jwt-bearer'\nassertion = 'a'\nper-principal = true",
            "with `jwt-bearer`, a machine signs in for everybody",
        ),
        (
            "grant = 'token-exchange'\nexchange = { issuer = 'https://x.example' }\nper-principal = false",
            "with `per-principal = false`, no caller's token is exchanged",
        ),
    ] {
        let said = refused(text);
        assert!(said.contains(why), "{text}: {said}");
    }
}
