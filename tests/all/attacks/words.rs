//! Text from servers never becomes code: what `ampoule generate` writes of hostile words, as the generators and compilers read it that people use next.

#[path = "../../../host/src/projection/tests/support/words.rs"]
mod support;

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::{prepared, repository};
use arbitrary::Unstructured;
use serde_json::{Value, json};

use crate::fuzz::Random;
use crate::rust_crate::complaints;

const LISTED_SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

/// How many hostile servers are made at random. The same each time.
const SERVERS: u64 = 12;

/// The tools of hostile servers, and of as many harmless ones.
fn hostile_tools() -> Vec<Value> {
    let tools = |seed: u64| {
        let mut random = Random(seed);
        let bytes: Vec<u8> = (0..600).flat_map(|_| random.next().to_le_bytes()).collect();
        let mut u = Unstructured::new(&bytes);
        support::saying(|| support::hostile(&mut u)).expect("enough bytes")
    };
    (0..SERVERS).map(tools).collect()
}

fn harmless_tools() -> Vec<Value> {
    let tools = |_| support::saying_nothing();
    (0..SERVERS).map(tools).collect()
}

/// What `ampoule generate` writes for servers with these tools, in folders of a workplace.
async fn generated(tools: &[Value], language: &str) -> Workplace {
    let workplace = Workplace::default();
    let mut config = String::new();
    for (index, tools) in tools.iter().enumerate() {
        let list = workplace.file(
            &format!("tools-{index}.json"),
            json!({ "tools": tools }).to_string(),
        );
        config += &format!(
            "[servers.s{index}]\ncommand = {}\nargs = [{}]\n",
            json!(LISTED_SERVER),
            json!(list)
        );
    }
    workplace.file("ampoule.toml", config);
    let ran = workplace
        .run(&["generate", "--lang", language, "--out", "guest"])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    workplace
}

/// The files in a folder of a workplace that end so, in the order of their names.
fn files(workplace: &Workplace, folder: &str, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![workplace.path().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {end} in {folder}");
    found
}

/// What a script says of files: a line for each.
async fn shapes(
    workplace: &Workplace,
    program: &Path,
    arguments: &[PathBuf],
    files: &[PathBuf],
) -> Vec<String> {
    let mut command = workplace.command(program, &[]);
    command.args(arguments).args(files);
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.stdout.lines().map(str::to_owned).collect()
}

async fn python_shapes(workplace: &Workplace, python: &Path, files: &[PathBuf]) -> Vec<String> {
    let script = repository().join("tests/all/attacks/shape.py");
    shapes(workplace, &python.join("venv/bin/python"), &[script], files).await
}

/// The lines that two lists share are alike; a file's name decides its place in a list, and hostile names are of another order.
fn assert_same_shapes(mut hostile: Vec<String>, mut harmless: Vec<String>) {
    hostile.sort();
    harmless.sort();
    assert!(hostile == harmless, "{hostile:#?}\nis not\n{harmless:#?}");
}

#[tokio::test]
async fn no_generated_file_hides_anything() {
    let hidden = |c: char| {
        let unseen = matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x180b..=0x180f | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e
            | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0d | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0xe0000..=0xe0fff);
        unseen || (c.is_control() && c != '\n')
    };
    for language in ["wit", "typescript", "python", "rust"] {
        let workplace = generated(&hostile_tools(), language).await;
        for file in files(&workplace, "guest", "") {
            let name = file
                .strip_prefix(workplace.path())
                .expect("inside")
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(&file).expect("text");
            for (said, what) in [(&name, "name"), (&text, "text")] {
                let found = said.chars().find(|c| hidden(*c));
                // The list of files has tabs, between names and digests.
                let tab = found == Some('\t') && name.ends_with(".ampoule-rust");
                assert!(
                    found.is_none() || tab,
                    "{language}: {found:?} in the {what} of {name:?}"
                );
            }
        }
    }
}

#[tokio::test]
async fn the_bindings_of_componentize_py_are_those_of_harmless_words() {
    let Some(python) = prepared(
        "the_bindings_of_componentize_py_are_those_of_harmless_words",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let mut shapes = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "wit").await;
        let arguments = ["-d", "guest/wit", "-w", "program", "bindings", "bindings"];
        let ran =
            ended(workplace.command(python.join("venv/bin/componentize-py"), &arguments)).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let files = files(&workplace, "bindings/wit_world", ".py");
        shapes.push(python_shapes(&workplace, &python, &files).await);
    }
    let harmless = shapes.pop().expect("two");
    assert_same_shapes(shapes.pop().expect("two"), harmless);
}

#[tokio::test]
async fn stubs_in_python_are_those_of_harmless_words() {
    let Some(python) = prepared(
        "stubs_in_python_are_those_of_harmless_words",
        "AMPOULE_TEST_PYTHON",
    ) else {
        return;
    };
    let mut shapes = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "python").await;
        shapes.push(python_shapes(&workplace, &python, &files(&workplace, "guest", ".pyi")).await);
    }
    let harmless = shapes.pop().expect("two");
    assert_same_shapes(shapes.pop().expect("two"), harmless);
}

#[tokio::test]
async fn modules_in_typescript_are_those_of_harmless_words() {
    let Some(node) = prepared(
        "modules_in_typescript_are_those_of_harmless_words",
        "AMPOULE_TEST_NODE",
    ) else {
        return;
    };
    let script = repository().join("tests/all/attacks/shape.cjs");
    let compiler = node.join("node_modules/typescript");
    let mut all = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "typescript").await;
        let files = files(&workplace, "guest", ".ts");
        all.push(
            shapes(
                &workplace,
                Path::new("node"),
                &[script.clone(), compiler.clone()],
                &files,
            )
            .await,
        );
    }
    let harmless = all.pop().expect("two");
    let hostile = all.pop().expect("two");
    // No file has an order to the compiler, or is wrong.
    assert!(
        hostile.iter().all(|shape| shape.starts_with("[[0,0,0,0],")),
        "{hostile:#?}"
    );
    assert_same_shapes(hostile, harmless);
}

#[tokio::test]
async fn the_crate_of_hostile_words_compiles_without_a_word() {
    let workplace = generated(&hostile_tools()[..4], "rust").await;
    assert_eq!(complaints(&workplace).await, "");
}
