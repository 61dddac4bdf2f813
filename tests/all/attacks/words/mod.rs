//! Text from servers never becomes code: what `ampoule tools generate` writes of hostile words, as the
//! generators and compilers read it that people use next.
//!
//! - `python`: our stubs, and componentize-py's bindings; `typescript`: our modules, and jco's
//!   types; `rust`: our crate, and wit-bindgen's code

mod python;
mod rust;
mod typescript;

use std::path::{Path, PathBuf};

use ampoule_mutated::Random;
use ampoule_projection_tests::words as support;
use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::repository;
use arbitrary::Unstructured;
use serde_json::{Value, json};

const LISTED_SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

/// How many hostile servers are made at random. The same each time.
const SERVERS: u64 = 12;

/// The tools of hostile servers, and of as many harmless ones.
fn hostile_tools() -> Vec<Value> {
    let tools = |seed: u64| {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..600).flat_map(|_| random.draw().to_le_bytes()).collect();
        let mut u = Unstructured::new(&bytes);
        support::saying(|| support::hostile(&mut u)).expect("enough bytes")
    };
    (0..SERVERS).map(tools).collect()
}

fn harmless_tools() -> Vec<Value> {
    let tools = |_| support::saying_nothing();
    (0..SERVERS).map(tools).collect()
}

/// What `ampoule tools generate` writes for servers with these tools, in folders of a workplace.
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
        .run(&["tools", "generate", "--lang", language, "--out", "guest"])
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

/// One of the programs that look at files, in the languages whose files they are.
fn looker(name: &str) -> PathBuf {
    repository().join("tests/all/attacks/words").join(name)
}

/// What a program prints that looks at files: a line for each.
async fn lines(
    workplace: &Workplace,
    program: &Path,
    arguments: &[PathBuf],
    files: &[PathBuf],
) -> Vec<String> {
    let mut command = workplace.command(program, &[]);
    command.args(arguments).args(files);
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<String> = ran.stdout.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), files.len());
    lines
}

/// The lines that two lists share are alike; a file's name decides its place in a list, and hostile
/// names are of another order.
fn assert_same_shapes(mut hostile: Vec<String>, mut harmless: Vec<String>) {
    hostile.sort();
    harmless.sort();
    assert!(hostile == harmless, "{hostile:#?}\nis not\n{harmless:#?}");
}

/// Whether a character is not seen, or turns those around it.
fn is_hidden(c: char) -> bool {
    let unseen = matches!(u32::from(c), 0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x180b..=0x180f | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0x3164 | 0xfe00..=0xfe0d | 0xfeff | 0xffa0 | 0xfff0..=0xfffb | 0xe0000..=0xe0fff);
    unseen || (c.is_control() && c != '\n')
}

#[tokio::test]
async fn no_generated_file_hides_anything() {
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
                let found = said.chars().find(|c| is_hidden(*c));
                // The lists of files have tabs, between names and digests.
                let lists = [".ampoule-rust", ".ampoule-typescript"];
                let tab = found == Some('\t') && lists.iter().any(|list| name.ends_with(list));
                assert!(
                    found.is_none() || tab,
                    "{language}: {found:?} in the {what} of {name:?}"
                );
            }
        }
    }
}
