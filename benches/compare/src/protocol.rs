//! What this program and the drivers of peers say to each other: a line of JSON each. A driver says
//! [`Answer::Ready`] first, then answers each request.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which language a script is in, and so which of Ampoule's a peer is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Language {
    JavaScript,
    Python,
}

/// What a script needs of its host, so that no peer sets up what nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Needs {
    Nothing,
    /// It prints.
    Console,
    /// It makes calls one after the other. A peer may answer them synchronously.
    Calls,
    /// It makes calls at once.
    CallsAtOnce,
}

/// A script, as every peer gets it: statements, of which JavaScript's have a `return` and Python's
/// end in the name `result`. Functions of the host are called as `host.<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Script {
    pub(crate) language: Language,
    pub(crate) code: String,
    pub(crate) needs: Needs,
}

/// What a run may use, as far as the peer can enforce it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Limits {
    /// Milliseconds from start to end.
    pub(crate) ms: u64,
    /// Memory, in MiB.
    pub(crate) mb: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Request {
    /// Runs scripts one after the other, in the order that the plan has, each in a fresh sandbox.
    /// Once the budget of time is spent, the rest is left out.
    Run {
        scripts: Vec<Script>,
        plan: Vec<usize>,
        budget_ms: u64,
        limits: Limits,
    },
    /// Starts so many sandboxes at once, whose script calls `hold`, and answers when all do.
    Together {
        script: Script,
        count: usize,
        limits: Limits,
    },
    /// Has the calls of `hold` answered.
    Release,
    /// Runs a script again and again for so long, so many at once.
    Throughput {
        script: Script,
        window_ms: u64,
        workers: usize,
        limits: Limits,
    },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Answer {
    /// The driver is there.
    Ready { version: String },
    /// What became of runs.
    Runs(Vec<RunMeasurement>),
    /// All sandboxes are alive.
    Alive { ns: u64 },
    /// How many runs there were in how long.
    Count { count: u64, ns: u64 },
    /// Why the peer can't do this.
    Cannot(String),
}

/// One run: how long it took to make the sandbox, run the script and drop the sandbox.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct RunMeasurement {
    pub(crate) ns: u64,
    pub(crate) value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}
