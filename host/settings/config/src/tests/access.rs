//! What `[serve.auth]` says.

use ampoule_secrets::{KeySource, Reference};

use super::*;

fn access(text: &str) -> AccessConfig {
    let config = parse(&format!("[serve.auth]\n{text}"));
    config
        .expect("a sound file")
        .serve
        .auth
        .expect("it is there")
}

#[test]
fn tokens_come_from_a_file_or_a_command() {
    assert_eq!(parse("").unwrap().serve.auth, None);
    assert_eq!(parse("serve = {}").unwrap().serve.auth, None);
    assert_eq!(
        access("tokens = '${HOME}/tokens'"),
        AccessConfig {
            tokens: Some("/home/ada/tokens".into()),
            tls: Some(Tls::default()),
            ..AccessConfig::default()
        }
    );
    let both = access("tokens = 'tokens'\ntokens-command = ['./tokens', '--key=${TOKEN}']");
    assert_eq!(both.tokens.as_deref(), Some(Path::new("/srv/etc/tokens")));
    assert_eq!(
        both.tokens_command,
        ["/srv/etc/./tokens", "--key=hunter2-hunter2"]
    );
    assert!(!format!("{both:?}").contains("hunter2"));
}

#[test]
fn the_key_of_sign_ins_is_in_a_file_or_where_a_reference_says() {
    let key = |text: &str| {
        let config = parse(&format!("[serve]\nsign-in-key = '{text}'"));
        config.expect("a sound file").serve.sign_in_key
    };
    let file = |path: &str| Some(KeySource::File(path.into()));
    assert_eq!(parse("").unwrap().serve.sign_in_key, None);
    assert_eq!(key("sign-in.key"), file("/srv/etc/sign-in.key"));
    assert_eq!(key("${HOME}/sign-in.key"), file("/home/ada/sign-in.key"));
    let folder = Path::new("/srv/etc");
    for text in [
        "keyring:ampoule/sign-in",
        "file:sign-in.txt",
        "command:vault read -field=key hunter2",
        "op://Work/Ampoule/key",
    ] {
        let reference = Reference::parse(text, folder).expect("a reference");
        let found = key(&format!("${{{text}}}"));
        assert_eq!(found, Some(KeySource::Secret(reference.seal())));
        assert!(!format!("{found:?}").contains("hunter2"));
    }
    let error = parse("[serve]\nsign-in-key = '${keyring:x}'").unwrap_err();
    assert!(error.contains("serve.sign-in-key"), "{error}");
}

#[test]
fn an_issuer_has_an_audience() {
    let trusted = access(
        "issuer = '${ISSUER:-https://login.example.com}'\naudience = 'https://a.example.com/mcp'\nscopes = ['mcp']\nprincipal-claim = 'email'\ngroups-claim = 'roles'\ntls = { authority = 'ca.pem' }",
    );
    assert_eq!(
        trusted,
        AccessConfig {
            issuer: Some("https://login.example.com".to_owned()),
            audience: Some("https://a.example.com/mcp".to_owned()),
            scopes: vec!["mcp".to_owned()],
            principal_claim: Some("email".to_owned()),
            groups_claim: Some("roles".to_owned()),
            tls: Some(Tls {
                authority: Some("/srv/etc/ca.pem".into()),
                ..Tls::default()
            }),
            ..AccessConfig::default()
        }
    );
    let file = "[tls]\nauthority = '/ca.pem'\n[serve.auth]\nissuer = 'x'\naudience = 'y'";
    let of_file = parse(file).unwrap().serve.auth.expect("it is there");
    let authority = of_file.tls.and_then(|tls| tls.authority);
    assert_eq!(authority.as_deref(), Some(Path::new("/ca.pem")));
}

#[test]
fn what_lets_nobody_in_is_refused() {
    for (text, said) in [
        ("", "nobody could use it"),
        ("tokens-command = []", "the command is empty"),
        ("token = 'x'", "unknown key `token`; did you mean `tokens`?"),
        (
            "issuer = 'x'",
            "serve.auth.issuer: this needs `issuer` and `audience`",
        ),
        (
            "tokens = 'x'\nscopes = ['mcp']",
            "serve.auth.scopes: this needs `issuer` and `audience`",
        ),
        ("tokens = 'x'\naudience = '${NO}'", "variable NO is not set"),
    ] {
        let error = parse(&format!("[serve.auth]\n{text}")).unwrap_err();
        assert!(error.contains(said), "{text}: {error}");
    }
    let error = parse("[serve.auth]\ntoken = 'x'").unwrap_err();
    assert_eq!(error.lines().count(), 1, "{error}");
    let error = parse("[serve]\nauht = {}").unwrap_err();
    assert!(error.contains("did you mean `auth`?"), "{error}");
}
