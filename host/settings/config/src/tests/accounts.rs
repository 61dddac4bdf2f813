//! Several accounts of one server.

use super::*;

#[test]
fn an_account_has_what_differs_from_the_server() {
    let config = parse(
        r#"
        [servers.jira]
        command = "jira"
        args = ["--all"]
        env = { URL = "x", TOKEN = "shared" }
        account = "work"
        [servers.jira.accounts.work]
        env = { TOKEN = "${TOKEN}" }
        [servers.jira.accounts.home]
        args = ["--home"]
        [servers.jira.accounts.old]
        disabled = true
        [servers.docs]
        url = "https://example.com/mcp"
        headers = { Authorization = "Bearer a", X-Team = "birch" }
        [servers.docs.accounts.one]
        headers = { authorization = "Bearer b" }
        "#,
    )
    .unwrap();
    let names: Vec<&str> = config.servers.keys().map(String::as_str).collect();
    assert_eq!(names, ["docs@one", "jira@home", "jira@work"]);
    assert!(config.off.contains("jira@old") && config.disabled.is_empty());
    let (work, home) = (command(&config, "jira@work"), command(&config, "jira@home"));
    let env = |of: &Command| {
        let env = of.env.iter();
        env.map(|(name, value)| format!("{name}={value}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(env(work), ["TOKEN=hunter2-hunter2", "URL=x"]);
    assert_eq!(env(home), ["TOKEN=shared", "URL=x"]);
    assert_eq!(
        (&work.args[..], &home.args[..]),
        (&["--all".to_owned()][..], &["--home".to_owned()][..])
    );
    assert!(config.servers["jira@work"].is_default_account);
    assert!(!config.servers["jira@home"].is_default_account);
    let Reach::Remote(docs) = &config.servers["docs@one"].reach else {
        panic!("it is reached by HTTP");
    };
    let headers: Vec<_> = docs.headers.iter().collect();
    let expected = [("X-Team", "birch"), ("authorization", "Bearer b")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(
        headers,
        expected.iter().map(|(a, b)| (a, b)).collect::<Vec<_>>()
    );
}

#[test]
fn what_is_wrong_with_accounts_is_told() {
    let of = |more: &str| fault(&format!("[servers.jira]\ncommand = \"jira\"\n{more}"));
    for (more, told) in [
        (
            "account = \"work\"",
            "a server in `ampoule.toml` has `accounts`, and `account` names one of them",
        ),
        (
            "account = \"wrk\"\naccounts = { work = {} }",
            "this is not one of the server's accounts; did you mean `work`?",
        ),
        (
            "account = \"a\"\naccounts = { a = { disabled = true } }",
            "this account is switched off",
        ),
        (
            "accounts = { Work = {} }",
            "an account's name has lower-case letters",
        ),
        (
            "accounts = { \"a@b\" = {} }",
            "an account's name has lower-case letters",
        ),
        (
            "accounts = { principal = {} }",
            "the audit log says this of sign-ins",
        ),
        (
            "accounts = { a-b = {}, a_b = {} }",
            "but for case and punctuation",
        ),
        ("accounts = {}", "write a table for each account"),
        ("accounts = { a = { comand = 1 } }", "unknown key `comand`"),
        ("accounts = { a = { accounts = {} } }", "unknown key"),
        (
            "accounts = { a = { headers = {} } }",
            "this is for a server with a `url`",
        ),
    ] {
        assert!(of(more).contains(told), "{more}: {}", of(more));
    }
    let named = fault("[servers.\"jira@work\"]\ncommand = \"jira\"");
    assert!(
        named.contains("a name may contain `@` only at its beginning"),
        "{named}"
    );
    assert_eq!(fault("[servers.\"@acme/jira\"]\ncommand = \"jira\""), "");
}
