//! Each client's file as it is written, and what becomes of it.

mod pages;
mod systems;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::testing::Somebody;
use super::super::{Command, Config, Reach};
use super::tests_files::FILES;
use super::*;

fn somebody() -> Somebody {
    Somebody::at("/work/shop", "/opt/bin/ampoule-0.1")
}

impl Somebody {
    fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.home.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    fn configured(&self, text: &str) -> Config {
        let file = self.file("etc/ampoule.toml", text);
        Config::load_for(&self.user, &file).unwrap()
    }

    /// What comes of a client's file alone.
    fn imported(&self, id: &str, text: &str) -> Config {
        let file = Client::called(id).unwrap().file(&self.user).unwrap();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        let config = self.configured(&format!("import = ['{id}']"));
        std::fs::remove_file(&file).unwrap();
        config
    }

    /// A text without what differs from one home to the next.
    fn usual(&self, text: &str) -> String {
        text.replace(self.home.path().to_str().unwrap(), "~")
    }
}

/// All that was read, in words.
fn told(config: &Config) -> String {
    let mut told = String::new();
    for (name, server) in &config.servers {
        writeln!(told, "{name}: {}", server.written).unwrap();
        match &server.reach {
            Reach::Process(Command {
                program,
                args,
                env,
                cwd,
                ..
            }) => {
                writeln!(told, "  {program:?} {args:?} {env:?} {cwd:?}").unwrap();
            }
            Reach::Api(_) | Reach::Graphql(_) => writeln!(told, "  an API").unwrap(),
            Reach::Remote(remote) => {
                let (url, how, auth) = (&remote.url, remote.transport, &remote.auth);
                let (headers, command) = (&remote.headers, &remote.headers_command);
                writeln!(told, "  {how:?} {url} {headers:?} {command:?}").unwrap();
                if *auth != Default::default() {
                    writeln!(told, "  {:?} {:?}", auth.client_id, auth.scopes).unwrap();
                }
            }
        }
        if !server.tools.allow_all() {
            writeln!(told, "  {:?} {:?}", server.tools.allow, server.tools.deny).unwrap();
        }
        if let Some(timeout) = server.call_timeout {
            writeln!(told, "  {timeout:?}").unwrap();
        }
    }
    for (name, error) in &config.disabled {
        writeln!(told, "{name}: disabled: {error}").unwrap();
    }
    for name in &config.off {
        writeln!(told, "{name}: off").unwrap();
    }
    for note in &config.notes {
        writeln!(told, "note: {note}").unwrap();
    }
    told
}

/// `BLESS=1` writes anew what is expected.
#[test]
fn each_client_is_read_as_it_reads_itself() {
    let somebody = somebody();
    let mut all = String::new();
    for (id, text) in FILES {
        let told = told(&somebody.imported(id, text));
        writeln!(all, "## {id}\n{}", somebody.usual(&told)).unwrap();
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clients/tests/read.txt");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&golden, &all).unwrap();
    }
    let expected = std::fs::read_to_string(&golden).unwrap();
    assert_eq!(all, expected);
    assert_eq!(Client::all().len(), 13);
}

#[test]
fn nothing_that_is_shown_holds_a_secret() {
    let somebody = somebody();
    for (id, text) in FILES {
        let config = somebody.imported(id, text);
        let mut shown = format!("{config:?}");
        for server in config.servers.values() {
            shown += &server.written;
        }
        for error in config.disabled.values() {
            shown += &error.to_string();
        }
        for secret in ["hunter2", "s3cret"] {
            assert!(!shown.contains(secret), "{id}: {shown}");
        }
    }
}

#[test]
fn of_two_of_one_name_the_first_counts() {
    let somebody = somebody();
    let cursor = r#"{"mcpServers": {"git": {"command": "cursors"}, "my-files": {"command": "cursors"}, "own": {"command": "x"}, "gone": {"command": "x"}}}"#;
    let kiro = r#"{"mcpServers": {"git": {"command": "kiros"}, "myFiles": {"command": "kiros"}}}"#;
    somebody.file(".cursor/mcp.json", cursor);
    somebody.file(".kiro/settings/mcp.json", kiro);
    let own = "[servers.own]\ncommand = 'ours'\n[servers.gone]\ndisabled = true";
    let config = somebody.configured(&format!("import = ['kiro', 'cursor']\n{own}"));
    let written: Vec<(&str, &str)> = config
        .servers
        .iter()
        .map(|(name, server)| (&**name, &*server.written))
        .collect();
    assert_eq!(
        written,
        [
            ("git", "kiros"),
            ("my-files", "cursors"),
            ("myFiles", "kiros"),
            ("own", "ours")
        ]
    );
    let origin = config.servers["git"].origin.as_ref().unwrap();
    assert_eq!(origin.to_string(), "Kiro's ~/.kiro/settings/mcp.json");
    assert_eq!(config.servers["own"].origin, None);
    assert!(config.off.contains("gone"));
    assert_eq!(
        config.notes[0],
        "server `git` is in Kiro's ~/.kiro/settings/mcp.json and in Cursor's ~/.cursor/mcp.json; Kiro's ~/.kiro/settings/mcp.json counts. To use the other, rename one, or change the order of `import`"
    );
    assert_eq!(config.notes.len(), 3, "{:?}", config.notes);
}

#[test]
fn what_is_imported_is_live_and_spoils_nothing() {
    let somebody = somebody();
    let import = "import = ['cursor', 'kiro', 'zed', '~/.mcp/servers/*/config.json', '~/MCPs/*.json']\n[servers.own]\ncommand = 'x'";
    assert_eq!(somebody.configured(import).servers.len(), 1);
    somebody.file(
        ".cursor/mcp.json",
        r#"{"mcpServers": {"a": {"command": "a"}, "bad": {"command": 5}, "worse": 5}}"#,
    );
    somebody.file(".kiro/settings/mcp.json", "{ broken");
    somebody.file(".config/zed/settings.json", &"[".repeat(100_000));
    somebody.file(
        ".mcp/servers/time/config.json",
        r#"{"command": "uvx", "args": ["mcp-server-time"]}"#,
    );
    somebody.file(
        "MCPs/more.json",
        r#"{"mcpServers": {"web": {"url": "http://localhost/mcp"}}}"#,
    );
    somebody.file("MCPs/one.json", r#"{"url": "http://localhost/mcp"}"#);
    let config = somebody.configured(import);
    assert!(config.servers.keys().eq(["a", "one", "own", "time", "web"]));
    assert!(config.disabled.keys().eq(["bad", "worse"]));
    let notes = somebody.usual(&config.notes.join("\n"));
    assert_eq!(
        notes,
        "nothing is imported: ~/.kiro/settings/mcp.json:1:3: expected string for object property\n\
        nothing is imported: ~/.config/zed/settings.json:1:513: maximum nesting depth exceeded"
    );
}

#[test]
fn we_never_start_ourselves() {
    let somebody = somebody();
    let program = somebody.file("opt/renamed", "");
    let path = somebody.home.path().join("opt");
    let mut user = somebody.user.clone();
    user.program = program;
    user.environment.insert("PATH".to_owned(), path.into());
    let text = r#"{"mcpServers": {
        "by-path": {"command": "~/opt/renamed", "args": ["serve"]},
        "by-name": {"command": "renamed", "args": ["--color", "never", "serve"]},
        "by-file": {"command": "/elsewhere/ampoule", "args": ["serve", "--config", "x"]},
        "behind": {"command": "env", "args": ["A=1", "ampoule", "serve"]},
        "Ampoule": {"command": "docker"},
        "demo": {"command": "ampoule", "args": ["demo-server"]}
    }}"#;
    let text = text.replace('~', somebody.home.path().to_str().unwrap());
    somebody.file(".cursor/mcp.json", &text);
    let file = somebody.file("etc/ampoule.toml", "import = ['cursor']");
    let config = Config::load_for(&user, &file).unwrap();
    assert!(config.servers.keys().eq(["demo"]), "{config:?}");
}

#[test]
fn an_import_that_means_nothing_is_refused() {
    let somebody = somebody();
    for (import, said) in [
        (
            "cursr",
            "1:11: import[0]: unknown client; did you mean `cursor`?",
        ),
        (
            "emacs",
            "1:11: import[0]: unknown client; write a path to a file, or one of claude-desktop, ",
        ),
        ("./absent.json", "1:11: import[0]: the file does not exist"),
        (
            "$UNSET/mcp.json",
            "1:11: import[0]: the variable that this path begins with is not set",
        ),
    ] {
        let file = somebody.file("etc/ampoule.toml", &format!("import = ['{import}']"));
        let error = Config::load_for(&somebody.user, &file)
            .unwrap_err()
            .to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// Files of a project are read by their paths, each as its client does.
#[test]
fn files_of_projects_are_read_by_their_paths() {
    let somebody = somebody();
    somebody.file(
        "shop/.mcp.json",
        r#"{"mcpServers": {"a": {"command": "./bin/a"}}}"#,
    );
    somebody.file(
        "shop/.vscode/mcp.json",
        r#"{"servers": {"b": {"command": "./bin/b"}}}"#,
    );
    somebody.file("shop/any.yaml", "extensions: {c: {type: stdio, cmd: c}}");
    let config = somebody
        .configured("import = ['~/shop/.mcp.json', '../shop/.vscode/mcp.json', '~/shop/any.yaml']");
    assert_eq!(
        somebody.usual(&told(&config)),
        "a: ./bin/a\n  \"~/shop/./bin/a\" [] {} None\nb: ./bin/b\n  \"~/etc/../shop/./bin/b\" [] {} None\nc: c\n  \"c\" [] {} None\n"
    );
}

/// A client's file with so many servers.
fn crowded(client: &Client, servers: usize) -> String {
    let names = (0..servers).map(|number| format!("{}-{number}", client.id));
    match client.id {
        "codex" => names
            .map(|name| format!("[mcp_servers.{name}]\ncommand = \"x\"\nargs = [\"y\"]\n"))
            .collect(),
        "goose" => names.fold("extensions:\n".to_owned(), |text, name| {
            text + &format!("  {name}:\n    type: stdio\n    cmd: x\n    args: [y]\n")
        }),
        id => {
            let entry = match id {
                "opencode" => r#"{ "type": "local", "command": ["x", "y"] }"#,
                _ => r#"{ "command": "x", "args": ["y"], "env": { "TOKEN": "t" } }"#,
            };
            let entries: Vec<String> = names.map(|name| format!("\"{name}\": {entry}")).collect();
            let table = format!("{{\n{}\n}}", entries.join(",\n"));
            let keys = client.tables.last().unwrap().iter().rev();
            keys.fold(table, |table, key| format!("{{ \"{key}\": {table} }}"))
        }
    }
}

/// `serve` reads the files of all clients before it answers. With optimisation, 40 servers in all
/// take 2 ms, and 40 in each file 25 ms. `MEASURE=1` shows it:
/// `MEASURE=1 cargo test --release -p ampoule-config reading_all_clients`.
#[test]
fn reading_all_clients_is_quick() {
    const EACH: usize = 40;
    let somebody = somebody();
    for client in Client::all() {
        let file = client.file(&somebody.user).unwrap();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, crowded(client, EACH)).unwrap();
    }
    let ids: Vec<&str> = Client::all().iter().map(|client| client.id).collect();
    let text = format!("import = {ids:?}");
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        let config = somebody.configured(&text);
        least = least.min(began.elapsed());
        let read = config.servers.len();
        assert_eq!(read, EACH * ids.len(), "{:?}", config.notes);
    }
    // Unoptimised, and on a loaded machine.
    assert!(least.as_secs() < 2, "{least:?}");
    assert!(std::env::var_os("MEASURE").is_none(), "{least:?}");
}

/// What would take long if anything were looked through again and again.
#[test]
fn hostile_files_take_linear_time() {
    let somebody = somebody();
    let big = 300_000;
    for (id, text) in [
        (
            "cursor",
            format!(
                r#"{{"mcpServers": {{"a": {{"command": "{}"}}}}}}"#,
                "${".repeat(big)
            ),
        ),
        (
            "gemini",
            format!(
                r#"{{"mcpServers": {{"a": {{"command": "{}"}}}}}}"#,
                "$".repeat(big)
            ),
        ),
        (
            "opencode",
            format!(
                r#"{{"mcp": {{"a": {{"command": ["{}"]}}}}}}"#,
                "{".repeat(big)
            ),
        ),
        ("goose", format!("extensions: {}", "{a: ".repeat(big))),
        ("goose", "- ".repeat(big)),
        (
            "goose",
            format!("a: &a [x]\nextensions:\n{}", "  b: *a\n".repeat(big / 10)),
        ),
        ("codex", format!("a = {}", "[".repeat(big))),
        ("kiro", format!(r#"{{"a": {}"#, r#"{"a": "#.repeat(big))),
    ] {
        let began = Instant::now();
        let config = somebody.imported(id, &text);
        assert!(config.servers.len() < 2);
        assert!(
            began.elapsed().as_secs() < 20,
            "{id}: {:?}",
            began.elapsed()
        );
    }
}
