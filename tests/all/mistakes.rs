//! Scripts with a mistake that models make, and the text that comes back, which says what to write
//! instead.
//!
//! Each section of `tests/mistakes/*.md` is one: after its name what the text must have, then the
//! script and the text. `BLESS=1` writes the texts anew; what they must have stays.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Ending, Grant, Limits, Outcome, Runtime, Script};
use ampoule_tests::{binary, repository, runtime_builder};

/// How many there are at least, in both languages.
const LEAST: usize = 100;

/// A script, and what is known of the text that it gives.
pub(crate) struct Mistake {
    pub(crate) name: String,
    /// Parts that the text must have, for they say what to write.
    names: Vec<String>,
    pub(crate) script: String,
    pub(crate) text: String,
}

/// The scripts of a file in `tests/mistakes`.
pub(crate) fn scripts(file: &str) -> Vec<Mistake> {
    let path = repository().join("tests/mistakes").join(file);
    read(&std::fs::read_to_string(path).expect("a file"))
}

/// The sections of a file: `## name`, `- part`, the script, the text.
fn read(file: &str) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    for section in file.split("\n## ").skip(1) {
        let mut blocks = section.split("\n```");
        let head = blocks.next().expect("a head");
        let mut block = || {
            let block = blocks.next().expect("two blocks of code");
            let (_, text) = block.split_once('\n').expect("lines");
            blocks.next();
            text.to_owned()
        };
        let mut lines = head.lines();
        let name = lines.next().expect("a name").to_owned();
        let names = lines
            .filter_map(|line| line.strip_prefix("- "))
            .map(str::to_owned);
        mistakes.push(Mistake {
            name,
            names: names.collect(),
            script: block(),
            text: block(),
        });
    }
    mistakes
}

/// The file of such sections, after what stands before them.
fn written(before: &str, language: &str, mistakes: &[Mistake]) -> String {
    let mut file = before.to_owned();
    for Mistake {
        name,
        names,
        script,
        text,
    } in mistakes
    {
        write!(file, "\n## {name}\n\n").expect("a string");
        for part in names {
            writeln!(file, "- {part}").expect("a string");
        }
        write!(
            file,
            "\n```{language}\n{script}\n```\n\n```text\n{text}\n```\n"
        )
        .expect("a string");
    }
    file
}

/// What a model reads of a run: what it printed, and how it ended.
fn told(outcome: &Outcome) -> String {
    let ended = match &outcome.ending {
        Ending::Returned(None) => String::new(),
        ending => ending.to_string(),
    };
    format!("{}{ended}", outcome.output).trim_end().to_owned()
}

/// A runtime with the demo server.
pub(crate) fn demo() -> Runtime {
    let options = UpstreamOptions {
        start_timeout: Duration::from_secs(60),
        ..UpstreamOptions::default()
    };
    let command = ServerCommand::new(binary()).args(["demo-server"]);
    let demo = Upstream::stdio("demo", command, options);
    runtime_builder().binding(demo).build().expect("a runtime")
}

async fn are_told(file: &str, language: &str, script_of: fn(&str) -> Script) -> usize {
    let path: PathBuf = repository().join("tests/mistakes").join(file);
    let content = std::fs::read_to_string(&path).expect("a file");
    let mut mistakes = read(&content);
    let runtime = demo();
    let limits = Limits {
        fuel: 200_000_000,
        wall_time: Duration::from_secs(10),
        ..Limits::default()
    };
    let mut wrong = Vec::new();
    for mistake in &mut mistakes {
        let isolate = runtime
            .isolate(script_of(&mistake.script))
            .grant(Grant::all());
        let isolate = isolate.limits(limits).expect("limits below the ceilings");
        let text = told(&isolate.run().await.expect("no host fault"));
        let name = &mistake.name;
        assert!(
            !mistake.names.is_empty(),
            "{name}: nothing says what the text must have"
        );
        for part in &mistake.names {
            if !text.contains(part) {
                wrong.push(format!("{name} does not say {part:?}:\n{text}"));
            }
        }
        if text != mistake.text && std::env::var_os("BLESS").is_none() {
            wrong.push(format!("{name} says\n{text}\nand not\n{}", mistake.text));
        }
        mistake.text = text;
    }
    runtime.close().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    if std::env::var_os("BLESS").is_some() {
        let before = content.split("\n## ").next().unwrap_or_default();
        std::fs::write(&path, written(before, language, &mistakes)).expect("a file");
    }
    mistakes.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_told_what_to_write() {
    let (typescript, python) = futures::join!(
        are_told("typescript.md", "ts", |script| Script::typescript(script)),
        are_told("python.md", "py", |script| Script::python(script)),
    );
    let all = typescript + python;
    assert!(all >= LEAST, "{all} mistakes");
}
