//! Tasks that agents are given, each done for real, on servers as processes: by direct calls, with
//! every result in the model's context, by one script, and by the same calls through `call_tool`.
//!
//! What is counted are the messages: tools' definitions, calls, results. What a model thinks, and
//! its answer at the end, is left out of both. Direct calls are made as a model makes them that
//! wastes nothing: calls that need nothing of one another are made at once, in one round trip, each
//! list is asked for in its largest pages, and no result is read twice.
//!
//! - `servers`: the servers, as both ways start them; `transcript`: what is counted; `direct` and
//!   `scripted`: the two ways
//! - `rows`, `documents`, `salaries`, `joined`, `polled`: the tasks

mod direct;
mod documents;
mod joined;
mod polled;
mod rows;
mod salaries;
mod scripted;
mod servers;
mod transcript;

use std::fmt::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use futures::future::BoxFuture;
use serde_json::Value;

use self::direct::Direct;
use self::scripted::Beside;
pub use self::servers::Installed;
use self::servers::Kind;
use self::transcript::Transcript;

/// Something to do.
struct Task {
    name: &'static str,
    /// The servers that it takes.
    servers: &'static [Kind],
    /// Puts what is to be worked on where the servers work.
    prepare: for<'a> fn(&'a Installed, &'a Path) -> BoxFuture<'a, Result<()>>,
    /// By calls that a model makes. Gives what it finds.
    directly: for<'a> fn(&'a mut Direct) -> BoxFuture<'a, Result<Value>>,
    /// By a script, which returns the same.
    script: Script,
}

/// What a model writes.
struct Script {
    language: &'static str,
    code: &'static str,
    /// The tools that it calls, as it calls them, up to their arguments.
    calls: &'static [&'static str],
    /// What the model searches for first, on which server, where the tools are not declared to it
    /// already: the servers' names are.
    searches: &'static [(Kind, &'static str)],
}

/// The tasks, and last one at which direct calls are as good.
const TASKS: [Task; 6] = [
    rows::TASK,
    documents::TASK,
    salaries::TASK,
    joined::TASK,
    polled::TASK,
    salaries::BY_QUERY,
];

/// How many of them are those that a script is meant for.
const MEANT_FOR_SCRIPTS: usize = 5;

/// What a task took.
struct Taken {
    directly: Transcript,
    by_call_tool: Transcript,
    scripted: Transcript,
    /// The same, where there are other servers besides.
    directly_beside: Transcript,
    scripted_beside: Transcript,
}

/// The table, in Markdown.
///
/// # Errors
///
/// Where a server can't be started, or the two ways don't come to the same.
pub async fn measured(installed: &Installed) -> Result<String> {
    let mut text = String::from(
        "| task | how | round trips | calls | definitions | calls' text | results | in the context at the end | sent over all requests |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut saved = String::from(
        "| task | less in the context | less sent | the same, beside eight other servers |\n| --- | --- | --- | --- |\n",
    );
    let mut by_call_tool = String::from(
        "| task, by call_tool | round trips | calls | definitions | calls' text | results | in the context at the end | sent over all requests |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut sums: [usize; 6] = [0; 6];
    for (index, task) in TASKS.iter().enumerate() {
        let taken = taken(task, installed)
            .await
            .with_context(|| task.name.to_owned())?;
        for (how, transcript) in [
            ("directly", &taken.directly),
            ("one script", &taken.scripted),
        ] {
            writeln!(text, "| {} | {how} | {transcript} |", task.name)?;
        }
        writeln!(by_call_tool, "| {} | {} |", task.name, taken.by_call_tool)?;
        let pairs = taken.pairs();
        writeln!(saved, "| {} | {} |", task.name, less(&pairs))?;
        if index < MEANT_FOR_SCRIPTS {
            let counts = pairs.as_flattened();
            sums = std::array::from_fn(|count| sums[count] + counts[count]);
        }
    }
    let [context, sent, beside] = [[sums[0], sums[1]], [sums[2], sums[3]], [sums[4], sums[5]]];
    writeln!(
        saved,
        "| the first five together | {} |",
        less(&[context, sent, beside])
    )?;
    Ok(format!("{text}\n{saved}\n{by_call_tool}"))
}

/// By how much the second of each pair is less than the first.
fn less(pairs: &[[usize; 2]; 3]) -> String {
    let percent = |[directly, scripted]: &[usize; 2]| {
        format!(
            "{:.1} %",
            100.0 * (1.0 - *scripted as f64 / *directly as f64)
        )
    };
    pairs.iter().map(percent).collect::<Vec<_>>().join(" | ")
}

impl Taken {
    /// Tokens directly and by script: in the context, sent, and in the context beside others.
    fn pairs(&self) -> [[usize; 2]; 3] {
        [
            [self.directly.context(), self.scripted.context()],
            [self.directly.sent(), self.scripted.sent()],
            [
                self.directly_beside.context(),
                self.scripted_beside.context(),
            ],
        ]
    }
}

/// Does a task in all ways, each time in a folder and with servers of its own.
async fn taken(task: &Task, installed: &Installed) -> Result<Taken> {
    let (found, directly) = by_calls(task, installed).await?;
    let mut scripted = Vec::new();
    for beside in [Beside::Nothing, Beside::Others] {
        let folder = prepared(task, installed).await?;
        let (value, transcript) = scripted::done(task, installed.at(folder.path()), beside).await?;
        ensure!(value == found, "the script found {value}, calls {found}");
        scripted.push(transcript);
    }
    let [scripted, scripted_beside] = <[_; 2]>::try_from(scripted).ok().context("two ways")?;
    let (by_it, by_call_tool) = by_call_tool(task, installed).await?;
    ensure!(by_it == found, "call_tool found {by_it}, calls {found}");
    let directly_beside = directly.beside(scripted::definitions_of_others()?);
    Ok(Taken {
        directly,
        by_call_tool,
        scripted,
        directly_beside,
        scripted_beside,
    })
}

async fn by_calls(task: &Task, installed: &Installed) -> Result<(Value, Transcript)> {
    let folder = prepared(task, installed).await?;
    let mut direct = Direct::to(task.servers, installed.at(folder.path())).await?;
    let found = (task.directly)(&mut direct).await?;
    Ok((found, direct.end().await))
}

/// The same calls by `call_tool`.
async fn by_call_tool(task: &Task, installed: &Installed) -> Result<(Value, Transcript)> {
    let folder = prepared(task, installed).await?;
    let mut direct = Direct::by_call_tool(task, installed.at(folder.path())).await?;
    let found = (task.directly)(&mut direct).await?;
    Ok((found, direct.end().await))
}

async fn prepared(task: &Task, installed: &Installed) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    (task.prepare)(installed, folder.path()).await?;
    Ok(folder)
}

/// A number that looks like any, and is always the same for these two.
fn any(index: usize, salt: usize) -> usize {
    let mixed = (index as u64 * 64 + salt as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize
}

/// One of them, by such a number.
fn one_of<'a>(all: &[&'a str], index: usize, salt: usize) -> &'a str {
    all[any(index, salt) % all.len()]
}

const FIRST_NAMES: [&str; 12] = [
    "Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Fatima", "Goran", "Hanna", "Imre", "Joana",
    "Kofi", "Lena",
];
const LAST_NAMES: [&str; 12] = [
    "Okafor",
    "Lindqvist",
    "Moreau",
    "Haddad",
    "Novak",
    "Tanaka",
    "Silva",
    "Keller",
    "Byrne",
    "Rossi",
    "Demir",
    "Kowalski",
];
