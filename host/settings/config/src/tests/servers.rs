//! What the entry of a server says beyond its command.

use super::*;

pub(super) fn remote<'a>(config: &'a Config, name: &str) -> &'a Remote {
    match &config.servers[name].reach {
        Reach::Remote(remote) => remote,
        Reach::Process(_) => panic!("{name} is a process"),
        Reach::Api(_) | Reach::Graphql(_) => panic!("{name} is an API"),
    }
}

#[test]
fn a_server_that_is_reached_by_http() {
    let config = parse(
        r#"
        tls = { authority = "ca.pem" }
        [servers.docs]
        url = "https://example.com/${REPOSITORY:-x}/mcp?key=${TOKEN}"
        transport = "sse"
        headers = { Authorization = "Bearer ${TOKEN}", X-Team = "birch" }
        headers-command = ["./headers", "${TOKEN}"]
        auth = { client-id = "ampoule", private-key = "key.pem", grant = "client-credentials", scopes = ["read"], callback-port = 8123, client-metadata = "https://example.com/client.json" }
        tls = { certificate = "/etc/c.pem", key = "/etc/k.pem" }
        [servers.plain]
        url = "http://localhost:3000/mcp"
        "#,
    )
    .unwrap();
    let docs = remote(&config, "docs");
    assert_eq!(
        docs.url,
        "https://example.com//srv/repository/mcp?key=hunter2-hunter2"
    );
    assert_eq!(docs.transport, Transport::Sse);
    assert_eq!(docs.headers["Authorization"], "Bearer hunter2-hunter2");
    assert_eq!(
        docs.headers_command,
        ["/srv/etc/./headers", "hunter2-hunter2"]
    );
    let auth = Auth {
        client_id: Some("ampoule".to_owned()),
        scopes: vec!["read".to_owned()],
        private_key: Some("/srv/etc/key.pem".into()),
        grant: SignIn::ClientCredentials,
        callback_port: Some(8123),
        client_metadata: Some("https://example.com/client.json".parse().unwrap()),
        ..Auth::default()
    };
    assert!(docs.auth == auth);
    assert_eq!(
        docs.tls.certificate.as_deref(),
        Some(Path::new("/etc/c.pem"))
    );
    assert_eq!(docs.tls.authority, None, "its own table counts as a whole");
    let names: Vec<&str> = docs.variables.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["REPOSITORY", "TOKEN"]);
    let plain = remote(&config, "plain");
    assert_eq!(plain.transport, Transport::Auto);
    assert_eq!(
        plain.tls.authority.as_deref(),
        Some(Path::new("/srv/etc/ca.pem"))
    );
    assert_eq!(
        config.servers["docs"].written,
        "https://example.com/${REPOSITORY:-x}/mcp"
    );
    assert!(!format!("{config:?}").contains("hunter2"));
}

#[test]
fn how_much_a_server_gets_and_which_of_its_tools_there_are() {
    let config = parse(
        r#"
        [servers.git]
        command = "git"
        concurrency = 4
        rate = "300/min"
        idle-timeout = "2min"
        roots = ["${HOME}/work", "data"]
        [servers.git.tools]
        allow = ["get_*", "status"]
        deny = ["get_secret"]
        hints = { destructive = false, read-only = true }
        [servers.off]
        disabled = true
        [servers.also-off]
        command = "x"
        disabled = true
        "#,
    )
    .unwrap();
    let git = &config.servers["git"];
    assert_eq!(git.concurrency, NonZeroU32::new(4));
    let rate = git.rate.unwrap();
    assert_eq!((rate.calls.get(), rate.per), (300, Duration::from_secs(60)));
    assert_eq!(git.idle_timeout, Some(Duration::from_secs(120)));
    assert_eq!(
        git.roots,
        ["/home/ada/work", "/srv/etc/data"].map(PathBuf::from)
    );
    assert_eq!(
        git.tools.allow.as_deref(),
        Some(&["get_*", "status"].map(str::to_owned)[..])
    );
    assert_eq!(git.tools.deny, ["get_secret"]);
    let hints = HintRules {
        destructive: Some(false),
        read_only: Some(true),
        ..HintRules::default()
    };
    assert_eq!(git.tools.hints, hints);
    assert!(config.off.iter().eq(["also-off", "off"]));
}

#[test]
fn all_mistakes_are_told_at_once() {
    let error = parse(
        "isolate = 5\n[limits]\nfuel = -1\ncalls = true\n[servers.git]\ncomand = 'x'\nrate = 'often'\n\
        [servers.web]\nurl = 'ftp://x'\nargs = []\ntransport = 'pigeon'\n[servers.web.headers]\n'a b' = ''\n[servers.both]\ncommand = 'x'\nurl = 'http://x'",
    )
    .unwrap_err();
    let expected = [
        "etc/ampoule.toml:1:1: unknown key `isolate`; did you mean `isolates`?",
        "etc/ampoule.toml:3:8: limits.fuel: this is not a whole number; write it like `10000` or `10_000`",
        "etc/ampoule.toml:4:9: limits.calls: this must be a whole number, or a string with a unit",
        "etc/ampoule.toml:6:1: servers.git: unknown key `comand`; did you mean `command`?",
        "etc/ampoule.toml:7:8: servers.git.rate: this is not a rate; write it like `10/s`, `300/min` or `1000/h`",
        "etc/ampoule.toml:9:7: servers.web.url: this must be an address, such as `https://example.com/mcp`",
        "etc/ampoule.toml:10:8: servers.web.args: this is for a server with a `command`",
        "etc/ampoule.toml:11:13: servers.web.transport: this must be `auto`, `http` or `sse`",
        "etc/ampoule.toml:13:1: servers.web.headers: this is not the name of a header",
        "etc/ampoule.toml:16:7: servers.both.url: a server has a `command` or a `url`, not both; remove one",
    ];
    assert_eq!(error.lines().collect::<Vec<_>>(), expected);
    // Two places where the file is not TOML.
    let broken = parse("a = \nb = 1\nc = @").unwrap_err();
    assert_eq!(broken.lines().count(), 2, "{broken}");
}

#[test]
fn mistakes_take_linear_time_and_are_not_told_without_end() {
    let mut text = String::new();
    for number in 0..2_000 {
        text += &format!("[servers.a{number}]\ncomand = 'x'\n");
    }
    let config = parse(&text).unwrap();
    assert_eq!(config.disabled.len(), 2_000);
    let error = parse(&format!("isolate = 1\n{text}")).unwrap_err();
    assert!(error.ends_with("\nand 1951 more"), "{error}");
}

#[test]
fn what_takes_calls_back() {
    let config = parse(
        r#"
        [servers.tracker]
        command = "tracker"
        [servers.tracker.tools]
        deny = ["purge"]
        [servers.tracker.tools.undo]
        create_issue = "delete_issue({ id: result.id })"
        assign = 'mail."mails.send"({ to: args.who })'
        [servers.mail]
        command = "mail"
        disabled = true
        [servers.jira]
        command = "jira"
        tools = { undo = { create = "jira.drop({ id: result.id })" } }
        [servers.jira.accounts.work]
        [servers.jira.accounts.home]
        tools = { undo = { create = "jira@work.drop()" } }
        "#,
    )
    .unwrap();
    assert!(config.disabled.is_empty(), "{:?}", config.disabled);
    let rules = &config.servers["tracker"].tools.undo;
    assert_eq!(rules["create_issue"].tool(), "delete_issue");
    assert_eq!(rules["assign"].server(), Some("mail"));
    assert_eq!(
        config.servers["jira@work"].tools.undo["create"].tool(),
        "drop"
    );
    let only_undo = &config.servers["jira@work"].tools;
    assert!(only_undo.allow_all() && !config.servers["tracker"].tools.allow_all());
}

#[test]
fn what_takes_calls_back_is_told_where_it_is_wrong() {
    let wrong = |rule: &str| {
        fault(&format!(
            "[servers.tracker]\ncommand = \"tracker\"\ntools.undo.create = {rule}\n"
        ))
    };
    let told = wrong("\"drop({ id: results.id })\"");
    assert!(
        told.contains(":3:21: servers.tracker.tools.undo.create: "),
        "{told}"
    );
    assert!(told.contains("at character 19: expected a value"), "{told}");
    let told = wrong("\"trakcer.drop()\"");
    assert!(
        told.contains(":3:21: servers.tracker.tools.undo.create: "),
        "{told}"
    );
    assert!(
        told.contains("an unknown server; did you mean `tracker`?"),
        "{told}"
    );
    assert!(wrong("7").contains("servers.tracker.tools.undo.create: "));
    let account = fault(
        "[servers.jira]\ncommand = \"jira\"\n[servers.jira.accounts.work.tools.undo]\ncreate = \"x.drop()\"\n",
    );
    assert!(
        account.contains("servers.jira.accounts.work.tools.undo.create: "),
        "{account}"
    );
}
