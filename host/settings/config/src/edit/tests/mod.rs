//! Files before and after: those of clients, and (`ampoule_file`) our own.

mod ampoule_file;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use super::super::clients::tests_files::FILES;
use super::super::testing::Somebody;
use super::super::{Client, ClientFile, Config};
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
