//! What peers are given to do, and what must come of it. The scripts are files in `workloads`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::data;
use crate::measure::Extent;
use crate::protocol::{Language, Limits, Needs, Script};

/// What runs may use: Ampoule's defaults, as far as a peer has such limits.
pub(crate) const LIMITS: Limits = Limits {
    ms: 20_000,
    mb: 128,
};

pub(crate) struct Workload {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) kind: Kind,
}

#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// The host's process started anew, and one trivial run.
    Cold,
    /// A script, so often in each round, each time in a fresh sandbox.
    Runs(Task, usize),
    /// Small runs among large ones, nine to one.
    Mixed,
    /// So many sandboxes alive together.
    Alive(usize),
    /// Runs a second on all cores.
    Throughput,
    /// The next run after one that had to be ended, which had so many milliseconds.
    After(Task, u64),
}

/// A script's file, and what it needs.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    name: &'static str,
    count: u32,
    needs: Needs,
}

const fn task(name: &'static str, count: u32, needs: Needs) -> Task {
    Task { name, count, needs }
}

pub(crate) const TRIVIAL: Task = task("trivial", 0, Needs::Nothing);
pub(crate) const HOLD: Task = task("hold", 0, Needs::Calls);
/// The large runs among small ones.
pub(crate) const LARGE: [Task; 3] = [
    task("rows", data::MANY, Needs::Calls),
    task("fib", 22, Needs::Nothing),
    task("calls", 0, Needs::Calls),
];

pub(crate) static ALL: [Workload; 19] = [
    Workload {
        id: "cold",
        title: "cold start: the host's process, and a first trivial run",
        kind: Kind::Cold,
    },
    runs("trivial", "1 + 1, among trivial runs", TRIVIAL, 50),
    Workload {
        id: "mixed",
        title: "1 + 1 in a fresh sandbox, one run in ten being large",
        kind: Kind::Mixed,
    },
    runs(
        "print",
        "printing 100 lines",
        task("print", 0, Needs::Console),
        10,
    ),
    runs("rows-10000", "10,000 rows of JSON from a tool", LARGE[0], 4),
    runs(
        "rows-100",
        "100 rows",
        task("rows", data::FEW, Needs::Calls),
        20,
    ),
    runs(
        "text",
        "text of 1 MiB: split, count, match",
        task("text", 0, Needs::Calls),
        2,
    ),
    runs("fib", "fib(27)", task("fib", 27, Needs::Nothing), 3),
    runs(
        "loop",
        "a loop of a million",
        task("loop", 0, Needs::Nothing),
        3,
    ),
    runs(
        "sort",
        "sorting 100,000 numbers",
        task("sort", 0, Needs::Nothing),
        3,
    ),
    runs("calls", "1,000 calls, one after the other", LARGE[2], 4),
    runs(
        "calls-at-once",
        "1,000 calls at once",
        task("calls-at-once", 0, Needs::CallsAtOnce),
        4,
    ),
    runs(
        "mcp",
        "20 calls of a real MCP server",
        task("mcp", 0, Needs::Calls),
        4,
    ),
    runs(
        "mcp-at-once",
        "20 calls of it at once",
        task("mcp-at-once", 0, Needs::CallsAtOnce),
        4,
    ),
    alive("alive-50", "50 alive together", 50),
    alive("alive-500", "500 alive together", 500),
    Workload {
        id: "throughput",
        title: "1 + 1 on all cores",
        kind: Kind::Throughput,
    },
    after(
        "after-endless",
        "the next run after an endless one",
        "endless",
        300,
    ),
    after(
        "after-memory",
        "the next run after one that ate its memory",
        "memory",
        5_000,
    ),
];

const fn runs(id: &'static str, title: &'static str, task: Task, times: usize) -> Workload {
    let kind = Kind::Runs(task, times);
    Workload { id, title, kind }
}

const fn alive(id: &'static str, title: &'static str, count: usize) -> Workload {
    let kind = Kind::Alive(count);
    Workload { id, title, kind }
}

const fn after(id: &'static str, title: &'static str, name: &'static str, ms: u64) -> Workload {
    let kind = Kind::After(task(name, 0, Needs::Nothing), ms);
    Workload { id, title, kind }
}

impl Workload {
    /// In how many rounds it is measured. How much memory sandboxes take does not change.
    pub(crate) fn rounds(&self, rounds: usize) -> usize {
        match self.kind {
            Kind::Alive(_) => rounds.min(1),
            _ => rounds,
        }
    }

    /// About how long it takes a peer in one round.
    pub(crate) fn guess(&self, extent: &Extent) -> Duration {
        let ms = match self.kind {
            Kind::Runs(..) => extent.budget_ms / 2 + 200,
            Kind::Mixed => extent.budget_ms + 1500,
            Kind::Throughput => extent.window_ms + 200,
            Kind::Alive(_) => 4000,
            Kind::Cold | Kind::After(..) => 800,
        };
        Duration::from_millis(ms)
    }

    /// Whether it calls a real MCP server.
    pub(crate) fn calls_server(&self) -> bool {
        matches!(self.kind, Kind::Runs(task, _) if task.name.starts_with("mcp"))
    }
}

impl Task {
    /// The script, from the folder that has them.
    pub(crate) fn script(self, folder: &Path, language: Language) -> Result<Script> {
        let extension = match language {
            Language::JavaScript => "js",
            Language::Python => "py",
        };
        let file = folder.join(self.name).with_extension(extension);
        let code = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        Ok(Script {
            language,
            code: code.replace("COUNT", &self.count.to_string()),
            needs: self.needs,
        })
    }

    /// What it must return, and print.
    pub(crate) fn expected(self) -> (Value, Option<String>) {
        let value = match (self.name, self.count) {
            ("trivial", _) => json!(2),
            ("print", _) => {
                let lines = (0..100).map(|n| format!("line {n} of a hundred"));
                return (json!(100), Some(lines.collect::<Vec<_>>().join("\n")));
            }
            ("rows", count) => data::report(count),
            ("text", _) => data::words(),
            ("fib", count) => json!(fibonacci(count)),
            ("loop", _) => json!((0..1_000_000_u64).map(|n| n % 7).sum::<u64>()),
            ("sort", _) => data::sorted(),
            ("calls" | "calls-at-once", _) => json!((0..1000).sum::<u32>()),
            ("mcp" | "mcp-at-once", _) => json!("The sum of 19 and 1 is 20."),
            ("hold", _) => json!(true),
            _ => Value::Null,
        };
        (value, None)
    }
}

fn fibonacci(n: u32) -> u64 {
    (0..n)
        .fold((0, 1), |(one, other), _| (other, one + other))
        .0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_scripts_in_both_languages() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("workloads");
        for workload in &ALL {
            let tasks = match workload.kind {
                Kind::Runs(task, _) | Kind::After(task, _) => vec![task],
                Kind::Mixed => LARGE.to_vec(),
                Kind::Alive(_) => vec![HOLD],
                Kind::Throughput | Kind::Cold => vec![TRIVIAL],
            };
            for task in tasks {
                for language in [Language::JavaScript, Language::Python] {
                    let script = task.script(&folder, language).unwrap();
                    assert!(!script.code.contains("COUNT"), "{}", workload.id);
                }
            }
        }
    }

    #[test]
    fn what_scripts_must_return() {
        assert_eq!(fibonacci(27), 196_418);
        let (value, output) = task("print", 0, Needs::Console).expected();
        assert_eq!(value, 100);
        assert_eq!(output.unwrap().lines().count(), 100);
    }
}
