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
    // Two places where the file is no TOML.
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
fn the_schema_knows_what_the_reader_knows() {
    let written = schema();
    let schema = jsonschema::validator_for(&written).unwrap();
    let example = include_str!("../../../../../examples/ampoule.toml");
    let whole: serde_json::Value = toml::from_str(example).unwrap();
    let refused: Vec<String> = schema.iter_errors(&whole).map(|e| e.to_string()).collect();
    assert!(refused.is_empty(), "{refused:?}");
    const SERVER: &str = "/properties/servers/additionalProperties";
    // What one of them refuses, the other does, for each key.
    let mut tried = 0;
    let derived = |pointer: &str| -> Vec<String> {
        let table = written.pointer(pointer).unwrap();
        let keys = table["properties"].as_object().unwrap();
        keys.keys().cloned().collect()
    };
    let places: Vec<(Vec<String>, &str)> = vec![
        (derived(""), "@ = #"),
        (derived(SERVER), "[servers.a]\ncommand = 'x'\n@ = #"),
        (
            derived(&format!("{SERVER}/properties/tools")),
            "[servers.a]\ncommand = 'x'\ntools = { @ = # }",
        ),
        (
            derived(&format!("{SERVER}/properties/tools/properties/hints")),
            "[servers.a]\ncommand = 'x'\ntools.hints = { @ = # }",
        ),
        (
            derived(&format!("{SERVER}/properties/auth")),
            "[servers.a]\nurl = 'http://x'\nauth = { @ = # }",
        ),
        (
            derived("/properties/tls"),
            "[servers.a]\nurl = 'http://x'\ntls = { @ = # }",
        ),
        (derived("/properties/components"), "components = { @ = # }"),
        (derived("/properties/telemetry"), "telemetry = { @ = # }"),
        (derived("/properties/sessions"), "sessions = { @ = # }"),
        (derived("/properties/workspace"), "workspace = { @ = # }"),
        (derived("/properties/records"), "records = { @ = # }"),
        (derived("/properties/skills"), "skills = { @ = # }"),
        (derived("/properties/runs"), "runs = { @ = # }"),
        (
            derived("/properties/runs/properties/parked"),
            "runs.parked = { @ = # }",
        ),
        (
            derived("/properties/runs/properties/parked/properties/all"),
            "runs.parked.all = { @ = # }",
        ),
        (
            derived("/properties/roles/additionalProperties"),
            "roles.a = { tools = ['x'], @ = # }",
        ),
        (derived("/properties/policies"), "policies = { @ = # }"),
        (
            derived("/properties/quotas/additionalProperties"),
            "quotas.a = { @ = # }",
        ),
        (derived("/properties/approvals"), "approvals = { @ = # }"),
        (
            derived("/properties/approvals/properties/webhook"),
            "approvals.webhook = { url = 'http://x', secret = 'x', @ = # }",
        ),
        (derived("/properties/labels"), "labels = { @ = # }"),
        (
            derived("/properties/labels/properties/refuses/additionalProperties/anyOf/1"),
            "labels.refuses.model = { labels = 'x', @ = # }",
        ),
        (derived("/properties/privacy"), "privacy = { @ = # }"),
        (
            derived("/properties/privacy/properties/to/items/anyOf/1"),
            "privacy.to = [{ tools = 'x', @ = # }]",
        ),
        (derived("/properties/audit"), "audit = { @ = # }"),
        (
            derived("/properties/audit/properties/export/items"),
            "audit.export = [{ to = 'file', path = 'x', @ = # }]",
        ),
        (
            derived("/properties/folders/additionalProperties"),
            "[folders.a]\npath = 'x'\n@ = #",
        ),
        (derived("/properties/serve"), "serve = { @ = # }"),
        (
            derived("/properties/serve/properties/auth"),
            "serve.auth = { @ = # }",
        ),
        (derived("/properties/limits"), "limits = { @ = # }"),
    ];
    for (keys, place) in places {
        for key in keys {
            // What a table needs is not there twice.
            let values = ["'http://x'", "'x'", "['x']", "'file'"];
            let place = values.iter().fold(place.to_owned(), |place, value| {
                place.replacen(&format!("{key} = {value}, "), "", 1)
            });
            let text = place.replace('@', &key).replace('#', "1979-05-27");
            let text = match &*key {
                "command" => "servers.a.command = 1979-05-27".to_owned(),
                "path" => "folders.a.path = 1979-05-27".to_owned(),
                _ => text,
            };
            assert_ne!(fault(&text), "", "the reader takes {text}");
            // As JSON has no dates, what no key takes is a list of lists there.
            let json: serde_json::Value =
                toml::from_str(&text.replace("1979-05-27", "[[1]]")).unwrap();
            assert!(!schema.is_valid(&json), "the schema takes {json}");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
    assert!(!schema.is_valid(&serde_json::json!({ "isolate": 5 })));
}

/// `BLESS=1` writes it anew.
#[test]
fn the_schema_in_the_repository_is_this_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ampoule.schema.json");
    let text = format!("{:#}\n", schema());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

/// The keys that a schema has and a file has not. Of tables with any names, one has to have each.
fn missing(schema: &serde_json::Value, given: &[&serde_json::Value], key: &str) -> Vec<String> {
    if given.is_empty() {
        return vec![key.to_owned()];
    }
    let inner =
        |name: &str| -> Vec<_> { given.iter().filter_map(|given| given.get(name)).collect() };
    if let Some(properties) = schema["properties"].as_object() {
        let below = |(name, schema): (&String, _)| {
            let key = format!("{key}.{name}");
            missing(schema, &inner(name), key.trim_start_matches('.'))
        };
        return properties.iter().flat_map(below).collect();
    }
    let entries = given.iter().filter_map(|given| given.as_object());
    let entries: Vec<_> = entries.flat_map(|entries| entries.values()).collect();
    match &schema["additionalProperties"] {
        each @ serde_json::Value::Object(_) => missing(each, &entries, key),
        _ => Vec::new(),
    }
}

#[test]
fn the_example_shows_every_key() {
    let example = include_str!("../../../../../examples/ampoule.toml");
    assert!(example.starts_with("#:schema ../ampoule.schema.json\n"));
    let whole: serde_json::Value = toml::from_str(example).unwrap();
    let mut missing = missing(&schema(), &[&whole], "");
    // A toolkit's exposure has the keys of `[exposure]`, which are shown there.
    missing.retain(|key| !key.starts_with("toolkits.exposure."));
    assert_eq!(missing, [""; 0]);
}

#[test]
fn an_api_that_a_document_describes() {
    let config = parse(
        r#"
        [servers.pets]
        openapi = "pets.yaml"
        base-url = "http://localhost:3000/v1?key=${TOKEN}"
        headers = { X-Team = "birch" }
        credentials = { "api key" = "${TOKEN}" }
        tls = { authority = "ca.pem" }
        rate = "10/s"
        tools = { deny = ["delete_*"] }
        [servers.far]
        openapi = "https://example.com/openapi.json?key=${TOKEN}"
        server = "Sandbox"
        server-variables = { region = "us" }
        "#,
    )
    .unwrap();
    let api = |name: &str| match &config.servers[name].reach {
        Reach::Api(api) => api,
        other => panic!("{other:?}"),
    };
    let pets = api("pets");
    assert_eq!(pets.document, "/srv/etc/pets.yaml");
    let base = "http://localhost:3000/v1?key=hunter2-hunter2";
    assert_eq!(pets.base_url.as_deref(), Some(base));
    assert_eq!(pets.credentials["api key"], "hunter2-hunter2");
    assert_eq!(pets.headers["X-Team"], "birch");
    assert!(!format!("{pets:?}").contains("hunter2"));
    assert_eq!(config.servers["pets"].written, "pets.yaml");
    let document = "https://example.com/openapi.json?key=hunter2-hunter2";
    assert_eq!(api("far").document, document);
    assert_eq!(api("far").server.as_deref(), Some("Sandbox"));
    assert_eq!(api("far").server_variables["region"], "us");
    assert_eq!(
        config.servers["far"].written,
        "https://example.com/openapi.json"
    );
}

#[test]
fn what_means_nothing_for_an_api_is_refused() {
    for (entry, why) in [
        (
            "openapi = \"a.json\"\nurl = \"https://example.com\"",
            "a server has a `command`, a `url`, `openapi` or `graphql`; remove what is not meant",
        ),
        (
            "openapi = \"a.json\"\nargs = []",
            "this is for a server with a `command`",
        ),
        (
            "openapi = \"a.json\"\nidle-timeout = \"1s\"",
            "this is for an MCP server",
        ),
        (
            "openapi = \"a.json\"\nauth = {}",
            "to sign in to an API, give its `base-url`",
        ),
        (
            "openapi = \"a.json\"\nbase-url = \"example.com\"",
            "an address, such as",
        ),
        (
            "openapi = \"a.json\"\nbase-url = \"https://example.com\"\nserver = \"2\"",
            "`base-url` is the address already; remove one of them",
        ),
        (
            "url = \"https://example.com\"\ncredentials = {}",
            "this is for a server with `openapi` or `graphql`",
        ),
    ] {
        let config = parse(&format!("[servers.pets]\n{entry}\n")).unwrap();
        let told = config.disabled["pets"].to_string();
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_graphql_api_has_an_address_and_may_have_its_schema_elsewhere() {
    let config = parse(
        r#"
        [servers.asked]
        graphql = "https://example.com/graphql?key=${TOKEN}"
        credentials = { bearer = "${TOKEN}" }
        [servers.told]
        graphql = "schema.graphql"
        base-url = "https://example.com/graphql"
        documents = true
        tools.hints.read-only = true
        [servers.signed]
        graphql = "https://example.com/graphql"
        auth = { client-id = "x" }
        [servers.signed.accounts.work.auth.endpoints]
        authorization = "https://login.example.com/authorize?tenant=1"
        token = "https://login.example.com/token"
        "#,
    )
    .unwrap();
    let api = |name: &str| match &config.servers[name].reach {
        Reach::Graphql(api) => api,
        other => panic!("{other:?}"),
    };
    let asked = api("asked");
    assert_eq!(
        asked.endpoint,
        "https://example.com/graphql?key=hunter2-hunter2"
    );
    assert_eq!((asked.schema.as_ref(), asked.documents), (None, false));
    assert_eq!(asked.credentials["bearer"], "hunter2-hunter2");
    assert!(!format!("{asked:?}").contains("hunter2"));
    let written = &config.servers["asked"].written;
    assert_eq!(written, "https://example.com/graphql");
    let told = api("told");
    assert_eq!(told.endpoint, "https://example.com/graphql");
    assert_eq!(told.schema.as_deref(), Some("/srv/etc/schema.graphql"));
    assert!(told.documents);
    assert_eq!((&told.auth, &asked.auth), (&None, &None));
    let auth = api("signed@work").auth.as_ref().unwrap();
    assert_eq!(auth.client_id.as_deref(), Some("x"));
    let endpoints = auth.endpoints.as_ref().unwrap();
    let shown = |url: &Option<url::Url>| url.as_ref().unwrap().to_string();
    assert_eq!(
        shown(&endpoints.authorization),
        "https://login.example.com/authorize?tenant=1"
    );
    assert_eq!(shown(&endpoints.token), "https://login.example.com/token");
}

#[test]
fn what_means_nothing_for_a_graphql_api_is_refused() {
    for (entry, why) in [
        (
            "graphql = \"schema.graphql\"",
            "this is a file with the schema; add `base-url`, the address of the API",
        ),
        (
            "graphql = \"https://example.com\"\nopenapi = \"a.json\"",
            "a server has a `command`, a `url`, `openapi` or `graphql`; remove what is not meant",
        ),
        (
            "graphql = \"https://example.com\"\ncredentials = { bearer = 'x' }\nauth = {}",
            "`auth` and `credentials` both say who asks; remove one of them",
        ),
        (
            "graphql = \"https://example.com\"\nauth = { grant = 'jwt-bearer' }",
            "for `jwt-bearer`, give `assertion`",
        ),
        (
            "graphql = \"https://example.com\"\ndocuments = true\ntools = { deny = [\"x\"] }",
            "with `documents`, scripts can call every operation",
        ),
        (
            "graphql = \"https://example.com\"\nroots = []",
            "this is for an MCP server",
        ),
        (
            "openapi = \"a.json\"\ndocuments = true",
            "this is for a server with `graphql`",
        ),
    ] {
        let config = parse(&format!("[servers.shop]\n{entry}\n")).unwrap();
        let told = config.disabled["shop"].to_string();
        assert!(told.contains(why), "{told}");
    }
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
        told.contains("a server that there is not; did you mean `tracker`?"),
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
