//! Our own file.

use super::super::super::{ClientFile, Config, FILE_NAME, User, schema};
use super::super::ampoule_file::template;
use super::*;

#[test]
fn our_own_file_is_edited_with_its_comments() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ampoule.toml");
    let text = "# mine\n\n[servers.a] # first\ncommand = \"x\"\n\n[limits]\ncalls = 5\n";
    std::fs::write(&file, text).unwrap();
    let user = User::default();
    let process = NewServer {
        command: ["npx", "-y", "b"].map(str::to_owned).to_vec(),
        ..NewServer::default()
    };
    let remote = NewServer {
        url: Some("https://example.com/mcp".to_owned()),
        headers: vec![("X-Team".to_owned(), "birch".to_owned())],
        transport: Some("http".to_owned()),
        ..NewServer::default()
    };
    for (name, server) in [("b", &process), ("c", &remote)] {
        add(&file, name, server, &user).unwrap().apply().unwrap();
    }
    import(&file, "cursor", &user).unwrap().apply().unwrap();
    let edited = read(&file);
    assert!(
        edited.contains("# mine\n") && edited.contains("[servers.a] # first\ncommand = \"x\"\n"),
        "{edited}"
    );
    let config = Config::load_for(&User::default(), &file);
    assert!(config.is_ok(), "{config:?}\n{edited}");
    assert!(
        config.unwrap().servers.keys().eq(["a", "b", "c"]),
        "{edited}"
    );
    let error = add(&file, "b", &process, &user).unwrap_err();
    assert!(error.contains("there is a server `b` already"), "{error}");
    for name in ["b", "c"] {
        remove(&file, name).unwrap().apply().unwrap();
    }
    let error = remove(&file, "b").unwrap_err();
    assert!(error.contains("there is no server `b`"), "{error}");
    assert!(read(&file).contains("[servers.a] # first\ncommand = \"x\"\n"));
}

#[test]
fn a_server_that_can_not_be_is_not_added() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ampoule.toml");
    let at = |url: &str| NewServer {
        url: Some(url.to_owned()),
        ..NewServer::default()
    };
    let mut both = at("https://example.com/mcp");
    both.command.push("x".to_owned());
    let mut variables = at("https://example.com/mcp");
    variables.env.push(("A".to_owned(), "1".to_owned()));
    for (name, server, said) in [
        ("a", at("example.com"), "this must be an address"),
        ("a", both, "give a command behind `--`, or `--url URL`, or"),
        ("a", variables, "this is for a server with a `command`"),
        (
            "a.b",
            at("https://example.com/mcp"),
            "a name may not contain `.`",
        ),
    ] {
        let error = add(&file, name, &server, &User::default()).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
    // A variable may be set later, or for the client alone.
    let later = at("${BASE}/mcp");
    add(&file, "a", &later, &User::default())
        .unwrap()
        .apply()
        .unwrap();
    assert_eq!(read(&file), "[servers.a]\nurl = \"${BASE}/mcp\"\n");
}

#[test]
fn what_would_be_a_secret_in_the_file_is_known() {
    let pairs = |pairs: &[(&str, &str)]| {
        let owned = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        owned.collect::<Vec<_>>()
    };
    let words = [
        "x",
        "--token",
        "a",
        "--api-key=b",
        "--port",
        "5",
        "--password",
        "${P}",
    ];
    let server = NewServer {
        command: words.map(str::to_owned).to_vec(),
        env: pairs(&[
            ("GITHUB_TOKEN", "a"),
            ("OTHER_TOKEN", "${T}"),
            ("PORT", "5"),
        ]),
        headers: pairs(&[("Authorization", "Bearer a"), ("X-Team", "birch")]),
        ..NewServer::default()
    };
    let secrets = ["GITHUB_TOKEN", "Authorization", "--token", "--api-key"];
    assert_eq!(server.secrets(), secrets);
}

#[test]
fn files_are_imported_by_paths_that_mean_the_same_from_everywhere() {
    let somebody = somebody();
    let own = somebody.home.path().join("etc/ampoule.toml");
    let mut user = somebody.user.clone();
    user.folder = somebody.home.path().join("shop");
    let shared = ClientFile::named(".mcp.json", &user).unwrap();
    let text = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let error = import(&own, ".mcp.json", &user).unwrap_err();
    assert!(error.contains("there is no file"), "{error}");
    somebody.holds(&shared, text);
    for from in [".mcp.json", "./.mcp.json", "../MCPs/*.json", "kiro"] {
        import(&own, from, &user).unwrap().apply().unwrap();
    }
    assert_eq!(
        read(&own),
        "import = [\"~/shop/.mcp.json\", \"~/shop/../MCPs/*.json\", \"kiro\"]\n"
    );
    assert!(
        Config::load_for(&user, &own)
            .unwrap()
            .servers
            .keys()
            .eq(["a"])
    );
    let error = import(&own, "kirro", &user).unwrap_err();
    assert_eq!(error, "unknown client; did you mean `kiro`?");
}

#[test]
fn an_import_stands_apart_from_the_tables_below_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ampoule.toml");
    let table = "[servers.a]\ncommand = \"x\"\n";
    let import_ = "import = [\"cursor\"]";
    for (before, after) in [
        (String::new(), format!("{import_}\n")),
        (table.to_owned(), format!("{import_}\n\n{table}")),
        (
            format!("# a's\n{table}"),
            format!("{import_}\n\n# a's\n{table}"),
        ),
        (
            format!("#:schema ./x.json\n# a's\n{table}"),
            format!("#:schema ./x.json\n\n{import_}\n\n# a's\n{table}"),
        ),
        (
            format!("# mine\n\n# a's\n{table}"),
            format!("# mine\n\n{import_}\n\n# a's\n{table}"),
        ),
        (
            format!("tls = {{}}\n\n{table}"),
            format!("tls = {{}}\n{import_}\n\n{table}"),
        ),
        (
            format!("import = [\"kiro\"]\n{table}"),
            format!("import = [\"kiro\", \"cursor\"]\n{table}"),
        ),
    ] {
        std::fs::write(&file, before).unwrap();
        for _ in 0..2 {
            let edit = import(&file, "cursor", &User::default()).unwrap();
            edit.apply().unwrap();
            assert_eq!(read(&file), after);
        }
    }
}

#[test]
fn what_is_begun_names_the_schema_beside_it_and_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new/ampoule.toml");
    for edit in init(&file).unwrap() {
        edit.apply().unwrap();
    }
    let begun = read(&file);
    let named = begun.lines().next().unwrap().strip_prefix("#:schema ");
    let beside = file.with_file_name(named.unwrap());
    let there: serde_json::Value = serde_json::from_str(&read(&beside)).unwrap();
    assert_eq!(there, schema());
    assert_eq!(there["title"], FILE_NAME);
    let error = init(&file).unwrap_err();
    assert!(error.ends_with("exists, and is not overwritten"), "{error}");
    // The schema of an earlier version is ours to renew, and no other file is.
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&beside, "{\"title\": \"ampoule.toml\"}").unwrap();
    assert!(init(&file).is_ok());
    std::fs::write(&beside, "{}").unwrap();
    assert!(init(&file).unwrap_err().contains("is not overwritten"));
}

#[test]
fn the_template_is_a_configuration_also_without_its_comments() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ampoule.toml");
    let text = template("./ampoule.schema.json");
    assert!(text.starts_with("#:schema ./ampoule.schema.json\n"));
    let lines = text.lines().map(|line| match line.strip_prefix("# ") {
        Some(code) if code.starts_with('[') || code.contains(" = ") => code,
        _ => line,
    });
    let bare: Vec<&str> = lines.collect();
    for text in [text.clone(), bare.join("\n").replace("DOCS_TOKEN", "HOME")] {
        std::fs::write(&file, &text).unwrap();
        let config = Config::load(&file);
        assert!(
            config.is_ok_and(|config| config.disabled.is_empty()),
            "{text}"
        );
    }
}

#[test]
fn of_two_changes_at_once_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ampoule.toml");
    std::fs::write(&file, "# mine\n").unwrap();
    let edit = super::Edit::of(&file, |text| Ok(format!("{text}# first\n"))).unwrap();
    let held = std::fs::File::open(folder.path()).unwrap();
    held.lock().unwrap();
    let (begins, begun) = std::sync::mpsc::channel();
    let first = std::thread::spawn(move || {
        begins.send(()).unwrap();
        edit.apply()
    });
    begun.recv().unwrap();
    for _ in 0..10_000 {
        std::thread::yield_now();
        assert!(!first.is_finished(), "it waits for its turn");
    }
    std::fs::write(&file, "# second\n").unwrap();
    held.unlock().unwrap();
    let error = first.join().unwrap().unwrap_err().to_string();
    assert!(error.contains("has changed meanwhile"), "{error}");
    assert_eq!(read(&file), "# second\n");
}
