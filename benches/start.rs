//! `start`: how long `ampoule serve` takes from its process's start to the answered first
//! `tools/list`, with one server and with those of 13 clients' files, none of which ever answers.
//!
//! Fails where what is promised does not hold: as a bench, that is. As a test (`cargo test --bench
//! start`) the program is not optimised, and it is enough that it answers.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ampoule_benches::server::{PipedServer, config, program};
use serde_json::{Map, Value, json};
use tokio::process::Command;

const ROUNDS: usize = 31;
/// In all clients' files together.
const SERVERS: usize = 40;
/// What a list may take, and what the clients' files may add to it.
const FIRST_LIST: Duration = Duration::from_millis(50);
const OF_CLIENTS: Duration = Duration::from_millis(20);

/// What each server is: it reads, and never answers.
const COMMAND: &str = "sh";
const ARGUMENTS: [&str; 2] = ["-c", "while read -r _; do :; done"];

/// How a client's file has its servers.
enum Layout {
    /// Under these names, one in the other, as JSON.
    Json(&'static [&'static str]),
    Opencode,
    Codex,
    Goose,
}

/// Where each client's file is, below the home folder.
const CLIENTS: [(&str, &str, Layout); 13] = [
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        MCP_SERVERS,
    ),
    ("claude-code", ".claude.json", MCP_SERVERS),
    ("cursor", ".cursor/mcp.json", MCP_SERVERS),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        Layout::Json(&["servers"]),
    ),
    ("copilot", ".copilot/mcp-config.json", MCP_SERVERS),
    ("windsurf", ".config/devin/mcp_config.json", MCP_SERVERS),
    (
        "zed",
        ".config/zed/settings.json",
        Layout::Json(&["context_servers"]),
    ),
    (
        "cline",
        ".cline/data/settings/cline_mcp_settings.json",
        MCP_SERVERS,
    ),
    ("gemini", ".gemini/settings.json", MCP_SERVERS),
    ("codex", ".codex/config.toml", Layout::Codex),
    (
        "opencode",
        ".config/opencode/opencode.json",
        Layout::Opencode,
    ),
    ("goose", ".config/goose/config.yaml", Layout::Goose),
    ("kiro", ".kiro/settings/mcp.json", MCP_SERVERS),
];
const MCP_SERVERS: Layout = Layout::Json(&["mcpServers"]);

fn main() {
    let tokio = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    tokio.expect("Tokio").block_on(measure());
}

async fn measure() {
    let home = tempfile::tempdir().expect("a folder");
    let names = write_files(home.path());
    let folder = |name: &str| {
        let folder = home.path().join(name);
        fs::create_dir(&folder).expect("a folder");
        folder
    };
    let one = format!("[servers.one]\ncommand = {COMMAND:?}\nargs = {ARGUMENTS:?}\n");
    let ids = CLIENTS.map(|(id, ..)| id);
    let cases = [
        (config(&folder("one"), &one), vec!["one".to_owned()]),
        (
            config(&folder("all"), &format!("import = {ids:?}\n")),
            names,
        ),
    ];
    let is_bench = env::args().any(|argument| argument == "--bench");
    let rounds = if is_bench { ROUNDS } else { 1 };
    let mut took = [Vec::new(), Vec::new()];
    // In turns, so that the machine's moods are shared. The first is for what is then in memory.
    for round in 0..=rounds {
        for ((config, names), took) in cases.iter().zip(&mut took) {
            let time = first_list(home.path(), config, names).await;
            if round > 0 {
                took.push(time);
            }
        }
    }
    let [one, all] = took.map(|mut took| {
        took.sort_unstable();
        (took[rounds / 2], took[rounds - 1])
    });
    for (what, (median, most)) in [
        ("with one server", one),
        ("with 40 servers of 13 clients", all),
    ] {
        println!("first tools/list {what}: {median:.1?}, at most {most:.1?}");
        assert!(!is_bench || median <= FIRST_LIST, "{what}: {median:?}");
    }
    let added = all.0.saturating_sub(one.0);
    println!("the clients' files add {added:.1?}");
    assert!(!is_bench || added <= OF_CLIENTS, "{added:?}");
}

/// From the process's start to the answer, which has to know these servers.
async fn first_list(home: &Path, config: &Path, names: &[String]) -> Duration {
    let mut command = Command::new(program());
    command
        .env_clear()
        .envs(env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join(".config"))
        .env("XDG_CACHE_HOME", cache())
        .current_dir(home);
    let began = Instant::now();
    let mut server = PipedServer::of(command, config);
    let list = server.ask("tools/list", json!({})).await;
    let took = began.elapsed();
    let described = list["result"]["tools"][0]["description"].as_str();
    let described = described.unwrap_or_else(|| panic!("{list}"));
    for name in names {
        assert!(described.contains(name.as_str()), "{name}: {described}");
    }
    took
}

/// Where compiled code is kept: a start does not wait for it, but compiling would take the cores.
fn cache() -> PathBuf {
    let home = PathBuf::from(env::var_os("HOME").unwrap_or_default());
    env::var_os("XDG_CACHE_HOME").map_or_else(|| home.join(".cache"), PathBuf::from)
}

/// Writes all clients' files; gives their servers' names.
fn write_files(home: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for (at, (id, file, layout)) in CLIENTS.iter().enumerate() {
        let count = SERVERS / CLIENTS.len() + usize::from(at < SERVERS % CLIENTS.len());
        let names: Vec<_> = (0..count)
            .map(|n| format!("{}{n}", id.replace('-', "")))
            .collect();
        let path = home.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, layout.written(&names)).expect("a file");
        all.extend(names);
    }
    assert_eq!(all.len(), SERVERS);
    all
}

impl Layout {
    fn written(&self, names: &[String]) -> String {
        let json = |keys: &[&str], entry: Value| {
            let entries = names.iter().map(|name| (name.clone(), entry.clone()));
            let table = Value::Object(entries.collect::<Map<_, _>>());
            let nested = keys.iter().rev();
            nested
                .fold(table, |inner, key| json!({ *key: inner }))
                .to_string()
        };
        match self {
            Self::Json(keys) => json(keys, json!({ "command": COMMAND, "args": ARGUMENTS })),
            Self::Opencode => {
                let [first, second] = ARGUMENTS;
                let command = [COMMAND, first, second];
                json(&["mcp"], json!({ "type": "local", "command": command }))
            }
            Self::Codex => {
                let entry = |name| {
                    format!("[mcp_servers.{name}]\ncommand = {COMMAND:?}\nargs = {ARGUMENTS:?}\n")
                };
                names.iter().map(entry).collect()
            }
            Self::Goose => {
                let entry = |name| {
                    format!(
                        "  {name}:\n    type: stdio\n    cmd: {COMMAND}\n    args: {ARGUMENTS:?}\n"
                    )
                };
                format!(
                    "extensions:\n{}",
                    names.iter().map(entry).collect::<String>()
                )
            }
        }
    }
}
