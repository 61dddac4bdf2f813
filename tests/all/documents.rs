//! The documents say what is so: their examples run, and their links lead somewhere.

use std::path::{Path, PathBuf};

use ampoule_tests::command::{Ran, Workplace, ended};
use ampoule_tests::{binary, repository};
use serde_json::Value;

/// Commands that need more than a test has: a network, an installation, or hours.
const NOT_RUN: [&str; 8] = [
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
fn documents() -> Vec<PathBuf> {
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
    let mut run = 0;
    for block in blocks("sh") {
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
            assert_eq!(ran.code, Some(0), "{place}: {ran:?}");
            assert!(!ran.stdout.is_empty(), "{place} gives nothing");
            if let Some(key) = picked {
                assert!(!ran.json()[key].is_null(), "{place}: there is no `{key}`");
            }
            run += 1;
        }
    }
    assert!(run >= 4, "only {run} commands were run");
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

#[tokio::test]
async fn configurations_can_be_read() {
    let workplace = Workplace::default();
    let blocks = blocks("toml");
    assert!(!blocks.is_empty());
    for block in blocks {
        let file = workplace.file("block.toml", &block.text);
        let ran = configured(&workplace, &file).await;
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
        // What scripts have saved is one, too, and so are their requests.
        let others = ["[skills]", "[outbound]"];
        let others = others.iter().filter(|table| block.text.contains(**table));
        let expected = servers.count() + others.count();
        assert_eq!(ran.json(), expected, "{}", block.place());
    }
    let ran = configured(&workplace, &repository().join("examples/ampoule.toml")).await;
    // Its servers, what scripts have saved, their requests, and what they have of governance.
    assert_eq!((ran.code, ran.json()), (Some(0), Value::from(6)));
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

/// The README says how many tokens scripts save as the page on it has them.
#[test]
fn the_readme_s_figures_are_those_that_were_measured() {
    let page = read(&repository().join("docs/guides/tokens.md"));
    let rows = page
        .lines()
        .skip_while(|line| !line.starts_with("| task | less in the context"));
    let saved = rows.skip(2).take_while(|line| line.starts_with('|'));
    let saved = saved.filter_map(|line| line.split('|').nth(2)?.trim().strip_suffix(" %"));
    let saved: Vec<f64> = saved
        .map(|saved| saved.parse().expect("a number"))
        .collect();
    // The five tasks that scripts are for; the last two rows are a sixth, and all together.
    let five = &saved[..5];
    let least = five.iter().copied().fold(f64::INFINITY, f64::min).round();
    let most = five.iter().copied().fold(0.0, f64::max).round();
    let readme = read(&repository().join("README.md"));
    let readme = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = format!("scripts put {least} % to {most} % fewer tokens");
    assert!(readme.contains(&says), "the README does not say: {says}");
}

/// The targets of a line's links: what stands in `](…)`.
fn links(line: &str) -> Vec<&str> {
    let behind = line.split("](").skip(1);
    behind
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
        .collect()
}

#[test]
fn links_lead_to_files() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for file in documents() {
        let folder = file.parent().expect("a folder");
        let text = read(&file);
        for target in text.lines().flat_map(links) {
            let path = target.split('#').next().unwrap_or_default();
            if path.contains("://") || path.is_empty() {
                continue;
            }
            seen += 1;
            if !folder.join(path).exists() {
                broken.push(format!("{}: {target}", file.display()));
            }
        }
    }
    assert!(seen > 0);
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn the_tests_that_are_named_as_proof_are_there() {
    let evidence = read(&repository().join("docs/security/evidence.md"));
    let named: Vec<_> = evidence
        .split('`')
        .filter_map(|name| name.split_once(".rs::"))
        .collect();
    assert!(named.len() > 50, "{}", named.len());
    for (file, test) in named {
        let file = format!("{file}.rs");
        let folder = if file.starts_with("host/") {
            ""
        } else {
            "tests/all"
        };
        let text = read(&repository().join(folder).join(&file));
        let signature = format!("fn {test}()");
        let at = text.find(&signature);
        let at = at.unwrap_or_else(|| panic!("{file} has no test {test}"));
        let before = text[..at].trim_end_matches("async ").trim_end();
        let attribute = before.rsplit('\n').next().unwrap_or_default().trim();
        assert!(
            attribute.starts_with("#[test]") || attribute.starts_with("#[tokio::test"),
            "{file}: {test} is no test: {attribute}"
        );
    }
}

#[test]
fn each_statement_of_what_holds_links_to_its_evidence() {
    let model = read(&repository().join("docs/security/threat-model.md"));
    let (_, holds) = model.split_once("\n## What holds\n").expect("what holds");
    let (holds, _) = holds.split_once("\n## ").expect("the next part");
    let statements: Vec<_> = holds.split("\n- ").skip(1).collect();
    assert!(statements.len() > 5, "{holds}");
    for statement in statements {
        assert!(statement.contains("(evidence.md#"), "{statement}");
    }
}

/// The steps of a way: each a numbered line, with the lines that are indented below it.
fn steps(way: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in way.lines() {
        if line.starts_with(char::is_numeric) {
            steps.push(line.to_owned());
        } else if line.starts_with("   ")
            && let Some(step) = steps.last_mut()
        {
            step.push(' ');
            step.push_str(line.trim_start());
        }
    }
    steps
}

/// The steps of the page on a call that name a file of the host, and in brackets what to look for
/// in it.
#[test]
fn the_way_of_a_call_leads_through_files_that_are_there() {
    let way = read(&repository().join("docs/internals/a-call.md"));
    let mut files = 0;
    for step in steps(&way) {
        let mut text = String::new();
        for quoted in step.split('`').skip(1).step_by(2) {
            if quoted.starts_with("host/") {
                text = read(&repository().join(quoted));
                files += 1;
            } else if step.contains(&format!("(`{quoted}`"))
                || step.contains(&format!(", `{quoted}`)"))
            {
                let is_there = ["fn ", "struct ", "enum "]
                    .iter()
                    .any(|kind| text.contains(&format!("{kind}{quoted}")));
                assert!(is_there, "{step}: there is no {quoted}");
            }
        }
    }
    assert!(files > 12, "{files}");
}
