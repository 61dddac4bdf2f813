//! Files before and after.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use super::super::clients::tests_files::FILES;
use super::super::testing::Somebody;
use super::super::{Client, ClientFile, Config, FILE_NAME, User, schema};
use super::own::template;
use super::*;

fn somebody() -> Somebody {
    Somebody::at("/nowhere", "/opt/bin/ampoule")
}

impl Somebody {
    /// What is meant by this name or path.
    fn named(&self, named: &str) -> ClientFile {
        ClientFile::named(named, &self.user).unwrap()
    }

    fn holds(&self, target: &ClientFile, text: &str) -> PathBuf {
        std::fs::create_dir_all(target.path.parent().unwrap()).unwrap();
        std::fs::write(&target.path, text).unwrap();
        target.path.clone()
    }
}

fn serve() -> Vec<String> {
    vec!["serve".to_owned()]
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn install_move_and_uninstall_give_the_old_bytes_back() {
    for (id, text) in FILES {
        let somebody = somebody();
        let client = &somebody.named(id);
        // None that is there already.
        let text = &*text.replace("\"ampoule\": {", "\"by-hand\": {");
        let file = somebody.holds(client, text);
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let own = somebody.home.path().join("ampoule.toml");
        std::fs::write(&own, "# mine\n[limits]\ncalls = 5 # few\n").unwrap();
        std::fs::set_permissions(&own, Permissions::from_mode(0o644)).unwrap();
        // Beside the others.
        install(client, &somebody.user, &serve(), None)
            .unwrap()
            .apply()
            .unwrap();
        let beside = read(&file);
        assert!(beside.contains("/opt/bin/ampoule"), "{id}: {beside}");
        for comment in text
            .lines()
            .filter_map(|line| line.split_once("//").or(line.split_once("# ")))
        {
            assert!(
                beside.contains(comment.1),
                "{id}: {comment:?} is lost in {beside}"
            );
        }
        // And then instead of them.
        let plan = install(client, &somebody.user, &serve(), Some(&own)).unwrap();
        for edit in &plan.edits {
            assert!(!edit.diff().contains("s3cret"), "{id}: {}", edit.diff());
        }
        plan.apply().unwrap();
        let moved = Config::load_for(&somebody.user, &own).unwrap();
        assert!(
            !moved.servers.is_empty() && moved.disabled.len() <= 1,
            "{id}: {moved:?}\n{}",
            read(&own)
        );
        assert!(!read(&own).contains("hunter2"), "references are kept");
        // Who could not read the client's file can't read what was moved.
        let mode = std::fs::metadata(&own).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640, "{id}");
        assert!(
            read(&own).starts_with("# mine\n[limits]\ncalls = 5 # few\n"),
            "{}",
            read(&own)
        );
        uninstall(client, &somebody.user).unwrap().apply().unwrap();
        assert_eq!(read(&file), text, "{id}");
        assert_eq!(read(&own), "# mine\n[limits]\ncalls = 5 # few\n");
        assert_eq!(
            std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert!(uninstall(client, &somebody.user).unwrap().edits.is_empty());
    }
}

#[test]
fn a_file_that_was_edited_since_loses_our_part_alone() {
    for (id, text) in FILES {
        let somebody = somebody();
        let client = &somebody.named(id);
        // None that is there already.
        let text = &*text.replace("\"ampoule\": {", "\"by-hand\": {");
        let file = somebody.holds(client, text);
        install(client, &somebody.user, &serve(), None)
            .unwrap()
            .apply()
            .unwrap();
        let edited = format!("{}\n", read(&file));
        std::fs::write(&file, &edited).unwrap();
        uninstall(client, &somebody.user).unwrap().apply().unwrap();
        let left = read(&file);
        assert!(
            !left.contains("/opt/bin/ampoule") && left.ends_with('\n'),
            "{id}: {left}"
        );
        let format = super::super::tree::Format::of(&file);
        let same = |text: &str| entries::parsed(format, text).unwrap().to_json();
        assert_eq!(same(&left), same(text), "{id}");
    }
}

#[test]
fn a_client_without_a_file_gets_one_and_loses_it_again() {
    for client in Client::all() {
        let somebody = somebody();
        let target = &somebody.named(client.id);
        let file = target.path.clone();
        install(target, &somebody.user, &serve(), None)
            .unwrap()
            .apply()
            .unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", client.id);
        assert!(read(&file).contains("serve"));
        uninstall(target, &somebody.user).unwrap().apply().unwrap();
        assert!(!file.exists(), "{}", client.id);
        // Once more, and there is nothing to do.
        assert!(uninstall(target, &somebody.user).unwrap().edits.is_empty());
    }
}

#[test]
fn a_link_is_written_through_and_a_file_that_changes_is_left() {
    let somebody = somebody();
    let client = &somebody.named("cursor");
    let file = somebody.holds(client, "{}");
    let real = somebody.home.path().join("dotfiles.json");
    std::fs::rename(&file, &real).unwrap();
    std::os::unix::fs::symlink(&real, &file).unwrap();
    let plan = install(client, &somebody.user, &serve(), None).unwrap();
    std::fs::write(&real, "{ }").unwrap();
    let error = plan.apply().unwrap_err().to_string();
    assert!(
        error.contains("has changed meanwhile; try again"),
        "{error}"
    );
    install(client, &somebody.user, &serve(), None)
        .unwrap()
        .apply()
        .unwrap();
    assert!(file.symlink_metadata().unwrap().is_symlink());
    assert!(read(&real).contains("/opt/bin/ampoule"));
}

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

/// A project's file is others' too.
#[test]
fn a_file_of_a_project_is_known_by_its_path() {
    let somebody = somebody();
    let own = somebody.home.path().join("ampoule.toml");
    let mut user = somebody.user.clone();
    user.folder = somebody.home.path().join("shop");
    let text = "{\"mcpServers\": {\"a\": {\"command\": \"./bin/x\"}}}\n";
    let shared = ClientFile::named(".mcp.json", &user).unwrap();
    assert_eq!((shared.client.id, shared.is_own), ("claude-code", false));
    let file = somebody.holds(&shared, text);
    let plan = install(&shared, &user, &serve(), Some(&own)).unwrap();
    assert_eq!(
        plan.notes,
        [
            "a project's file has no path of this machine in it: `ampoule` must be in PATH",
            "GitHub Copilot and Mastra read this file too: they find Ampoule there now, and the servers no longer",
        ]
    );
    plan.apply().unwrap();
    let entry: serde_json::Value = serde_json::from_str(&read(&file)).unwrap();
    assert_eq!(entry["mcpServers"]["ampoule"]["command"], "ampoule");
    let program = user.folder.join("bin/x");
    assert!(read(&own).contains(&format!("[servers.a]\ncommand = {program:?}\n")));
    // Neither the user's own file nor another project's is concerned.
    let cursor = somebody.named("claude-code");
    assert!(uninstall(&cursor, &user).unwrap().edits.is_empty());
    uninstall(&shared, &user).unwrap().apply().unwrap();
    assert_eq!(read(&file), text);
    // By its content, where its name says nothing.
    let other = user.folder.join("other.json");
    let path = other.to_str().unwrap();
    let error = ClientFile::named(path, &user).unwrap_err();
    assert!(
        error.starts_with("nothing says which client reads "),
        "{error}"
    );
    std::fs::write(&other, r#"{"context_servers": {}}"#).unwrap();
    assert_eq!(ClientFile::named(path, &user).unwrap().client.id, "zed");
    // One's own, by its path.
    assert!(
        ClientFile::named("~/.cursor/mcp.json", &user)
            .unwrap()
            .is_own
    );
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
