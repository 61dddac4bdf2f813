//! Ampoule for Node, by its own tests, under a real Node and with real packages.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use ampoule_tests::command::Workplace;
use ampoule_tests::{prepared, repository};
use serde::Deserialize;

/// Longer than all of them take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// Runs a program where the package is, with what it is tried with.
async fn passes(folder: &Path, program: impl AsRef<Path>, arguments: &[&str]) {
    let workplace = Workplace::default();
    let mut command = workplace.command(program, arguments);
    command
        .current_dir(folder.join("ampoule"))
        .env("AMPOULE_REPOSITORY", repository());
    let ended = tokio::time::timeout(PATIENCE, command.output()).await;
    let output = ended.expect("it ends").expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
}

fn folder(test: &str) -> Option<std::path::PathBuf> {
    prepared(test, "AMPOULE_TEST_BINDINGS_NODE")
}

/// The files of its tests, as arguments for Node.
fn tests(folder: &Path) -> Vec<String> {
    let files = std::fs::read_dir(folder.join("ampoule/test")).expect("the tests");
    let names = files.map(|file| file.expect("a file").file_name());
    let mut names: Vec<_> = names
        .map(|name| format!("test/{}", name.to_string_lossy()))
        .filter(|name| name.ends_with(".test.js"))
        .collect();
    names.sort();
    assert!(names.len() > 5, "{names:?}");
    names
}

#[tokio::test]
async fn its_own_tests_pass() {
    let Some(folder) = folder("bindings_node::its_own_tests_pass") else {
        return;
    };
    let tests = tests(&folder);
    let mut arguments = vec!["--test"];
    arguments.extend(tests.iter().map(String::as_str));
    passes(&folder, "node", &arguments).await;
}

#[tokio::test]
async fn its_types_are_right() {
    let Some(folder) = folder("bindings_node::its_types_are_right") else {
        return;
    };
    let compiler = folder.join("node_modules/.bin/tsc");
    passes(&folder, &compiler, &["--project", "."]).await;
    // As somebody sees them who has the package alone.
    passes(&folder, &compiler, &["--project", "test/consumer"]).await;
}

/// What napi's macros wrote of one item, when the crate was compiled.
#[derive(Deserialize)]
struct Item {
    kind: String,
    name: String,
    def: String,
    js_doc: String,
}

#[test]
fn its_native_types_are_those_of_the_library() {
    let Some(folder) = folder("bindings_node::its_native_types_are_those_of_the_library") else {
        return;
    };
    let items = std::fs::read_to_string(folder.join("types")).expect("what napi wrote");
    let items: Vec<Item> = items
        .lines()
        .map(|line| serde_json::from_str(line).expect("an item"))
        .collect();
    let declared = declared(&items);
    let file = repository().join("host/bind/node/native.d.ts");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &declared).expect("it can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == declared,
        "host/bind/node/native.d.ts is not what the library has; with BLESS=1 this test writes it:\n{declared}"
    );
}

/// The items as a file of declarations.
fn declared(items: &[Item]) -> String {
    let mut text =
        "// Made from `src/` by tests/all/bindings_node.rs with BLESS=1. Nobody writes here.\n"
            .to_owned();
    for item in items.iter().filter(|item| item.kind != "impl") {
        let head = match item.kind.as_str() {
            "interface" => format!("export interface {}", item.name),
            "struct" => format!("export declare class {}", item.name),
            other => panic!("{}: {other} is not known here", item.name),
        };
        let methods = items
            .iter()
            .filter(|other| other.kind == "impl" && other.name == item.name);
        let members = [item].into_iter().chain(methods);
        let _ = write!(text, "\n{}{head} {{\n", item.js_doc);
        for line in members.flat_map(|member| member.def.lines()) {
            let line = line.trim();
            // Of a comment of several lines.
            let margin = if line.starts_with('*') { "   " } else { "  " };
            let _ = writeln!(text, "{margin}{line}");
        }
        text += "}\n";
    }
    text
}
