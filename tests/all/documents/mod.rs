//! The documents say what is so: their examples run, and their links lead somewhere.
//!
//! - `fails`: scripts that show what does not work
//! - `figures`: the README's, which are those that were measured
//! - `links`: links, with the headings that they name
//! - `named`: tests that are named as proof, and files that are named on the way of a call
//! - `search`: what people ask, in the search of the site

mod fails;
mod figures;
mod links;
mod named;
mod search;

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{binary, repository};
use futures::{StreamExt, stream};
use serde_json::Value;

/// Commands that need more than a test has: a network, an installation, or hours.
const NOT_RUN: [&str; 14] = [
    // They ask a model: `chat::guide` runs them with one that is scripted.
    "ampoule chat ",
    // They ask an index of packages.
    "ampoule python add ",
    "ampoule javascript add ",
    "ampoule run -e 'import dayjs ",
    "CC=false pip ",
    "pip ",
    "cargo xtask ",
    "cargo install ",
    "cargo bench ",
    "cargo run --release --manifest-path benches/",
    "claude mcp add ",
    "npx -y ",
    "mkdir -p tests/fuzz/corpus/",
    "RUSTC_BOOTSTRAP=1 cargo fuzz ",
];

/// The pages on governance: each is followed from its first line to its last.
pub(crate) const FOLLOWED: [&str; 14] = [
    "docs/guides/api-pages.md",
    "docs/guides/apis.md",
    "docs/guides/approvals.md",
    "docs/guides/graphql.md",
    "docs/guides/http-requests.md",
    "docs/guides/undo.md",
    "docs/operate/audit.md",
    "docs/operate/governance.md",
    "docs/operate/labels.md",
    "docs/operate/policies.md",
    "docs/operate/privacy.md",
    "docs/operate/quotas.md",
    "docs/operate/roles.md",
    "docs/operate/toolkits.md",
];

/// A block between fences.
pub(crate) struct Block {
    file: PathBuf,
    line: usize,
    /// The last line before it that says anything.
    pub(crate) said_before: String,
    pub(crate) language: String,
    pub(crate) text: String,
}

impl Block {
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.file.display(), self.line)
    }
}

/// The project's own Markdown files.
pub(crate) fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![repository().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if !name.starts_with('.') && !["target", "node_modules"].contains(&&*name) {
                    folders.push(path);
                }
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("text")
}

/// The blocks of a document, in their order.
pub(crate) fn blocks_of(file: &Path) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    let mut said = String::new();
    for (index, line) in read(file).lines().enumerate() {
        match (open.take(), line.trim_start().strip_prefix("```")) {
            (None, Some(language)) => {
                open = Some(Block {
                    file: file.to_owned(),
                    line: index + 1,
                    said_before: said.clone(),
                    language: language.to_owned(),
                    text: String::new(),
                });
            }
            (Some(block), Some(_)) => found.push(block),
            (Some(mut block), None) => {
                block.text += line;
                block.text += "\n";
                open = Some(block);
            }
            (None, None) if line.trim().is_empty() => {}
            (None, None) => said = line.to_owned(),
        }
    }
    assert!(open.is_none(), "{}: a block is not closed", file.display());
    found
}

/// Whether a document is about another client: what it shows but for commands is that client's, and
/// is tested where its files are read.
fn is_of_client(file: &Path) -> bool {
    file.parent()
        .is_some_and(|folder| folder.ends_with("docs/clients"))
}

/// Whether a document is followed from its first line to its last, by a test of its own.
fn is_followed(file: &Path) -> bool {
    let page = file.strip_prefix(repository()).unwrap_or(file);
    page == Path::new("docs/guides/components.md")
        || FOLLOWED.iter().any(|it| page == Path::new(it))
}

/// The blocks of a language in all documents but those that are followed as a whole, the tutorial and
/// the one on governance, and the mistakes, which are made on purpose.
pub(crate) fn blocks(language: &str) -> Vec<Block> {
    let is_mistakes = |file: &Path| {
        let folder = file.parent();
        folder.is_some_and(|folder| folder.ends_with("tests/mistakes"))
    };
    let mut found: Vec<Block> = documents()
        .iter()
        .filter(|file| !is_followed(file) && !is_mistakes(file))
        .flat_map(|file| blocks_of(file))
        .collect();
    found.retain(|block| {
        block.language == language && (language == "sh" || !is_of_client(&block.file))
    });
    found
}

/// The first script of the README in a language.
fn script(language: &str) -> String {
    let scripts = blocks(language);
    let first = scripts
        .iter()
        .find(|block| block.file == repository().join("README.md"));
    first.expect("the README has a script").text.clone()
}

/// A folder as the commands expect it: with the examples, and with the scripts of which the README
/// speaks.
fn workplace() -> Workplace {
    let workplace = Workplace::default();
    std::os::unix::fs::symlink(
        repository().join("examples"),
        workplace.path().join("examples"),
    )
    .expect("a link");
    workplace.file("report.ts", script("ts"));
    workplace.file("report.py", script("py"));
    workplace
}

#[tokio::test]
async fn scripts_run_on_the_demo_server() {
    let mut scripts = blocks("ts");
    scripts.append(&mut blocks("py"));
    for block in scripts {
        let workplace = Workplace::default();
        let file = workplace.file(&format!("block.{}", block.language), &block.text);
        let ran = workplace
            .run(&["run", "--quiet", file.to_str().expect("a path")])
            .await;
        assert_eq!(ran.code, Some(0), "{}: {ran:?}", block.place());
        assert!(!ran.stdout.is_empty(), "{} gives nothing", block.place());
    }
    let workplace = workplace();
    let slow = workplace.run(&["run", "--quiet", "report.ts"]).await.json();
    let in_python = workplace.run(&["run", "--quiet", "report.py"]).await.json();
    assert_eq!(in_python, slow, "the README's scripts do the same job");
    let orders = slow.as_array().expect("the README's script gives a list");
    assert!(
        !orders.is_empty()
            && orders
                .iter()
                .all(|order| order.as_str().is_some_and(|id| id.starts_with("ORD-"))),
        "{orders:?}"
    );
}

/// Runs a line as a shell does, with the `ampoule` that was built.
pub(crate) async fn shell(workplace: &Workplace, line: &str) -> Ran {
    let path = std::env::var("PATH").expect("PATH");
    let binary = binary();
    let folder = binary.parent().expect("a folder").display();
    let mut command = workplace.command("sh", &["-c", line]);
    workplace.at_home(&mut command);
    command.env("PATH", format!("{folder}:{path}"));
    ended(command).await
}

#[tokio::test]
async fn commands_run() {
    let (mut workplace, mut of) = (workplace(), PathBuf::new());
    let (mut run, mut failed) = (0, 0);
    for block in blocks("sh").into_iter().chain(blocks("sh fails")) {
        // One document changes nothing for another.
        if block.file != of {
            (workplace, of) = (self::workplace(), block.file.clone());
        }
        for line in block.text.lines().map(str::trim) {
            if line.is_empty()
                || line.starts_with('#')
                || NOT_RUN.iter().any(|start| line.starts_with(start))
            {
                continue;
            }
            let place = format!("{}: {line}", block.place());
            let line = line.replacen("cargo run --", "ampoule", 1);
            assert!(
                line.starts_with("ampoule "),
                "{place}: neither run, nor among those that can't be"
            );
            // What `jq` would pick must be there, whether or not there is a `jq`.
            let (command, picked) = match line.split_once(" | jq .") {
                Some((command, key)) => (command, Some(key)),
                None => (line.as_str(), None),
            };
            let ran = shell(&workplace, command).await;
            if block.language == "sh fails" {
                assert_ne!(ran.code, Some(0), "{place}: {ran:?}");
                assert!(!ran.stderr.is_empty(), "{place} does not say why");
                failed += 1;
                continue;
            }
            assert_eq!(ran.code, Some(0), "{place}: {ran:?}");
            assert!(!ran.stdout.is_empty(), "{place} gives nothing");
            if let Some(key) = picked {
                assert!(!ran.json()[key].is_null(), "{place}: there is no `{key}`");
            }
            run += 1;
        }
    }
    assert!(run >= 4, "only {run} commands were run");
    assert!(failed >= 2, "only {failed} commands were to fail");
}

/// Has a configuration read, with the variables that the documents speak of.
async fn configured(workplace: &Workplace, file: &Path) -> Ran {
    let mut command = workplace.command(
        binary(),
        &["run", "-e", "return (await tools.$servers()).length"],
    );
    workplace.at_home(&mut command);
    command
        .arg("--config")
        .arg(file)
        .env("GITHUB_TOKEN", "a token");
    ended(command).await
}

/// How many configurations are read at once: of some, servers that can't be started are waited for.
const CONFIGURATIONS_AT_ONCE: usize = 4;

/// That a configuration is read, and has the servers that it names.
async fn can_be_read(workplace: &Workplace, block: &Block, file: PathBuf) {
    let ran = configured(workplace, &file).await;
    assert_eq!(ran.code, Some(0), "{}: {ran:?}", block.place());
    let names = || {
        let lines = block.text.lines().map(str::trim);
        lines.filter_map(|line| line.strip_prefix("[servers.")?.strip_suffix(']'))
    };
    // Each account of a server is one.
    let is_one = |name: &&str| match name.split('.').collect::<Vec<_>>()[..] {
        [server] => !names().any(|other| other.starts_with(&format!("{server}.accounts."))),
        [_, "accounts", _] => true,
        _ => false,
    };
    let servers = names().filter(is_one);
    // What scripts have saved is one, too, and so are their requests, and components that are tools.
    let others = ["[skills]", "[outbound]", "[tools."];
    let others = others.iter().filter(|table| block.text.contains(**table));
    let expected = servers.count() + others.count();
    assert_eq!(ran.json(), expected, "{}", block.place());
}

#[tokio::test]
async fn configurations_can_be_read() {
    let workplace = Workplace::default();
    let blocks = blocks("toml");
    assert!(!blocks.is_empty());
    let read = blocks.iter().enumerate().map(|(number, block)| {
        let file = workplace.file(&format!("block-{number}.toml"), &block.text);
        can_be_read(&workplace, block, file)
    });
    let read = stream::iter(read).buffer_unordered(CONFIGURATIONS_AT_ONCE);
    read.collect::<Vec<()>>().await;
    let ran = configured(&workplace, &repository().join("examples/ampoule.toml")).await;
    // Its servers, what scripts have saved, their requests, components that are tools, and what they have
    // of governance.
    assert_eq!((ran.code, ran.json()), (Some(0), Value::from(7)));
}

#[test]
fn the_program_of_the_start_in_rust_is_the_example() {
    let example = read(&repository().join("examples/embed.rs"));
    let start: Vec<Block> = blocks("rust")
        .into_iter()
        .filter(|block| block.file == repository().join("docs/start/rust.md"))
        .collect();
    assert!(!start.is_empty());
    for block in start {
        assert_eq!(block.text, example, "{}", block.place());
    }
}
