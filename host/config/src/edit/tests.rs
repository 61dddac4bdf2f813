//! Files before and after.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use super::super::clients::tests_files::FILES;
use super::super::{Client, Config, User};
use super::*;

struct Somebody {
    home: tempfile::TempDir,
    user: User,
}

impl Somebody {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let variables = [
            ("HOME", home.path().to_str().unwrap()),
            ("GITHUB_TOKEN", "hunter2"),
            ("AMPOULE_INPUT_API_KEY", "x"),
        ];
        let user = User {
            environment: variables
                .map(|(name, value)| (name.to_owned(), value.into()))
                .into(),
            folder: "/nowhere".into(),
            program: "/opt/bin/ampoule".into(),
        };
        Self { home, user }
    }

    fn file(&self, client: &Client, text: &str) -> PathBuf {
        let file = client.file(&self.user).unwrap();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
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
        let somebody = Somebody::new();
        let client = Client::called(id).unwrap();
        // None that is there already.
        let text = &*text.replace("\"ampoule\": {", "\"by-hand\": {");
        let file = somebody.file(client, text);
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        let own = somebody.home.path().join("ampoule.toml");
        std::fs::write(&own, "# mine\n[limits]\ncalls = 5 # few\n").unwrap();
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
        let somebody = Somebody::new();
        let client = Client::called(id).unwrap();
        // None that is there already.
        let text = &*text.replace("\"ampoule\": {", "\"by-hand\": {");
        let file = somebody.file(client, text);
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
        let somebody = Somebody::new();
        let file = client.file(&somebody.user).unwrap();
        install(client, &somebody.user, &serve(), None)
            .unwrap()
            .apply()
            .unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", client.id);
        assert!(read(&file).contains("serve"));
        uninstall(client, &somebody.user).unwrap().apply().unwrap();
        assert!(!file.exists(), "{}", client.id);
    }
}

#[test]
fn a_link_is_written_through_and_a_file_that_changes_is_left() {
    let somebody = Somebody::new();
    let client = Client::called("cursor").unwrap();
    let file = somebody.file(client, "{}");
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
    let words = ["npx", "-y", "b"].map(str::to_owned);
    add(&file, "b", &words, None).unwrap().apply().unwrap();
    add(&file, "c", &[], Some("https://example.com/mcp"))
        .unwrap()
        .apply()
        .unwrap();
    import(&file, Client::called("cursor").unwrap())
        .unwrap()
        .apply()
        .unwrap();
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
    let error = add(&file, "b", &words, None).unwrap_err();
    assert!(error.contains("there is a server `b` already"), "{error}");
    for name in ["b", "c"] {
        remove(&file, name).unwrap().apply().unwrap();
    }
    let error = remove(&file, "b").unwrap_err();
    assert!(error.contains("there is no server `b`"), "{error}");
    assert!(read(&file).contains("[servers.a] # first\ncommand = \"x\"\n"));
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
