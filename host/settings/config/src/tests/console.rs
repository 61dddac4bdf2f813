//! What `[console]` says.

use super::*;

const AUTH: &str =
    "[serve.auth]\nissuer = 'https://login.example.com'\naudience = 'https://a.example/mcp'\n";

#[test]
fn people_sign_in_at_the_issuer_by_a_client_that_is_registered_there() {
    let config = parse(&format!(
        "{AUTH}[console]\noperators = ['olga']\nclient-id = 'console'\nclient-secret = '${{TOKEN}}'\nscopes = ['offline_access']\n"
    ));
    let console = config.unwrap().console.unwrap();
    assert_eq!(console.operators, ["olga"]);
    assert_eq!(console.client_id.as_deref(), Some("console"));
    assert_eq!(console.scopes, ["offline_access"]);
    assert_eq!(console.client_secret.as_ref().unwrap().0, "hunter2-hunter2");
    assert!(!format!("{console:?}").contains("hunter2"));
    // A reference is opened when it is sent.
    let config = parse(&format!(
        "{AUTH}[console]\nclient-id = 'console'\nclient-secret = '${{keyring:ampoule/console}}'\n"
    ));
    let secret = config.unwrap().console.unwrap().client_secret.unwrap();
    assert!(ampoule_secrets::is_sealed(&secret.0));
    let public = parse(&format!("{AUTH}[console]\nclient-id = 'console'\n"));
    assert!(public.unwrap().console.unwrap().client_secret.is_none());
    assert!(parse("[console]\n").is_ok(), "people paste tokens");
}

#[test]
fn a_client_needs_its_id_and_an_issuer() {
    let tokens = "[serve.auth]\ntokens = 'tokens'\n";
    for (text, why) in [
        (
            format!("{tokens}[console]\nclient-id = 'console'\n"),
            "add `issuer` and `audience` to `[serve.auth]`",
        ),
        (
            "[console]\nclient-id = 'console'\n".to_owned(),
            "add `issuer` and `audience` to `[serve.auth]`",
        ),
        (
            format!("{AUTH}[console]\nclient-secret = 'x'\n"),
            "add `client-id`",
        ),
        (
            format!("{AUTH}[console]\nscopes = ['mcp']\n"),
            "add `client-id`",
        ),
    ] {
        let error = parse(&text).unwrap_err();
        assert!(error.contains("console."), "{text}: {error}");
        assert!(error.contains(why), "{text}: {error}");
    }
}
