//! Results and output of runs that were too large for an answer: the client's next scripts read
//! them whole, as tools of a server called `ampoule`.

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule::{CallError, Error, Functions, Grant, Language, RunId, Runtime, Tool, ToolResult};
use parking_lot::Mutex;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// What scripts find it under.
const SERVER: &str = "ampoule";

/// How much is kept for one client, in bytes; the oldest goes first.
const MOST_BYTES: usize = 16 << 20;

/// Gets the labels of stored output that a run reads.
pub(crate) type ReadListener = Arc<dyn Fn(RunId, &Value) -> Result<(), CallError> + Send + Sync>;

/// Runs of a runtime are labelled by what they read.
pub(crate) fn listener_in(runtime: &Runtime) -> ReadListener {
    let runtime = runtime.clone();
    Arc::new(move |run, carried| {
        runtime.reads(run, carried).map_err(|error| {
            let id = ampoule_untrusted::log_id();
            tracing::error!(id, %error, "can't read the output of an earlier run");
            CallError::Refused(format!("the host failed ({id}, in its log)"))
        })
    })
}

/// What is kept for one client. Clones are the same.
#[derive(Clone)]
pub(crate) struct StoredOutput {
    runs: Arc<Mutex<Runs>>,
    functions: Arc<Functions>,
}

#[derive(Default)]
struct Runs {
    kept: VecDeque<Run>,
    bytes: usize,
    last: u64,
}

/// One run's, each part as JSON.
struct Run {
    number: u64,
    parts: [Option<Arc<RawValue>>; 2],
    /// What it had read.
    carried: Option<Value>,
}

/// What an answer had no room for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LeftOut<'a> {
    pub(crate) returned: Option<&'a RawValue>,
    pub(crate) printed: Option<&'a str>,
    /// What the run had read.
    pub(crate) carried: Option<&'a Value>,
}

/// What there can be of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Returned,
    Printed,
}

impl StoredOutput {
    /// Whether scripts can find it: not where the operator has a server of that name.
    pub(crate) fn possible(runtime: &Runtime) -> Result<bool, Error> {
        Ok(runtime.tools(Grant::all())?.server(SERVER).is_err())
    }

    pub(crate) fn new(listener: ReadListener) -> Self {
        let runs: Arc<Mutex<Runs>> = Arc::default();
        let mut functions = Functions::new(SERVER);
        for part in [Part::Returned, Part::Printed] {
            let (runs, listener) = (Arc::clone(&runs), Arc::clone(&listener));
            functions = functions.raw(part.tool(), move |arguments, context| {
                let (run, listener) = (context.call().run, Arc::clone(&listener));
                std::future::ready(read(&runs, part, &arguments, &|carried| {
                    listener(run, carried)
                }))
            });
        }
        let functions = Arc::new(functions);
        Self { runs, functions }
    }

    /// The binding by which scripts read it, if there is anything, and its name.
    pub(crate) fn binding(&self) -> Option<(Arc<Functions>, &'static str)> {
        let anything = !self.runs().kept.is_empty();
        anything.then(|| (Arc::clone(&self.functions), SERVER))
    }

    /// Keeps what was left out of an answer. Gives its number; none where it is too much.
    pub(crate) fn keep(&self, left_out: LeftOut<'_>) -> Option<u64> {
        let LeftOut {
            returned,
            printed,
            carried,
        } = left_out;
        let printed = printed.and_then(|text| to_raw_value(text).ok());
        let parts = [returned.map(ToOwned::to_owned), printed].map(|part| part.map(Arc::from));
        let mut runs = self.runs();
        let run = Run {
            number: runs.last + 1,
            parts,
            carried: carried.cloned(),
        };
        if run.bytes() > MOST_BYTES {
            return None;
        }
        runs.last = run.number;
        runs.bytes += run.bytes();
        runs.kept.push_back(run);
        while runs.bytes > MOST_BYTES {
            let gone = runs.kept.pop_front();
            runs.bytes -= gone.map_or(0, |gone| gone.bytes());
        }
        Some(runs.last)
    }

    fn runs(&self) -> parking_lot::MutexGuard<'_, Runs> {
        self.runs.lock()
    }
}

impl Run {
    fn bytes(&self) -> usize {
        self.parts
            .iter()
            .flatten()
            .map(|part| part.get().len())
            .sum()
    }
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Returned => "returned",
            Self::Printed => "printed",
        }
    }

    /// How a script reads it.
    pub(crate) fn call(self, run: u64, language: Language) -> String {
        let name = self.name();
        match language {
            Language::Python => format!("await tools.{SERVER}.{name}(run={run})"),
            _ => format!("await tools.{SERVER}.{name}({{ run: {run} }})"),
        }
    }

    fn tool(self) -> Tool {
        let name = self.name();
        let definition = json!({
            "name": name,
            "description": format!("What an earlier script {name}, whole, if it was too large for an answer."),
            "inputSchema": {
                "type": "object",
                "properties": { "run": { "type": "integer" } },
                "required": ["run"],
                "additionalProperties": false,
            },
            "annotations": { "readOnlyHint": true },
        });
        serde_json::from_value(definition).expect("a tool")
    }
}

/// What one call of such a tool gives.
fn read(
    runs: &Mutex<Runs>,
    part: Part,
    arguments: &Map<String, Value>,
    reads: &dyn Fn(&Value) -> Result<(), CallError>,
) -> Result<ToolResult, CallError> {
    let number = arguments.get("run").and_then(Value::as_u64);
    let runs = runs.lock();
    let found = runs.kept.iter().find(|run| Some(run.number) == number);
    let found = found.and_then(|run| Some((run.parts[part as usize].as_ref()?, &run.carried)));
    let Some((found, carried)) = found else {
        let there = runs
            .kept
            .iter()
            .filter(|run| run.parts[part as usize].is_some());
        let there: Vec<String> = there.map(|run| run.number.to_string()).collect();
        let name = part.name();
        return Err(CallError::Refused(match there.is_empty() {
            true => {
                format!("no output that a script {name} is stored any more: run the script again")
            }
            false => format!(
                "what that run {name} is not stored; it is stored for these runs: {}",
                there.join(", ")
            ),
        }));
    };
    if let Some(carried) = carried {
        // Before the script has it.
        reads(carried)?;
    }
    Ok(ToolResult {
        structured_content: Some((**found).to_owned()),
        ..ToolResult::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(value: &Value) -> Box<RawValue> {
        to_raw_value(value).unwrap()
    }

    fn returned(value: &RawValue) -> LeftOut<'_> {
        LeftOut {
            returned: Some(value),
            ..LeftOut::default()
        }
    }

    fn printed(text: &str) -> LeftOut<'_> {
        LeftOut {
            printed: Some(text),
            ..LeftOut::default()
        }
    }

    fn get(stored: &StoredOutput, part: Part, run: u64) -> Result<String, String> {
        let arguments = Map::from_iter([("run".to_owned(), json!(run))]);
        match read(&stored.runs, part, &arguments, &|_| Ok(())) {
            Ok(result) => Ok(result.structured_content.unwrap().get().to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn what_was_kept_is_there_by_the_runs_number() {
        let stored = StoredOutput::new(Arc::new(|_, _| Ok(())));
        assert!(stored.binding().is_none());
        assert_eq!(stored.keep(returned(&raw(&json!([1, 2])))), Some(1));
        assert_eq!(stored.keep(printed("a\nb")), Some(2));
        assert!(stored.binding().is_some());
        assert_eq!(get(&stored, Part::Returned, 1), Ok("[1,2]".into()));
        assert_eq!(get(&stored, Part::Printed, 2), Ok("\"a\\nb\"".into()));
        let unknown = "what that run returned is not stored; it is stored for these runs: 1";
        assert_eq!(get(&stored, Part::Returned, 2), Err(unknown.into()));
    }

    #[test]
    fn who_reads_it_is_told_what_that_run_had_read_before_it_has_it() {
        let stored = StoredOutput::new(Arc::new(|_, _| Ok(())));
        let (value, labels) = (raw(&json!(1)), json!({ "labels": "secret" }));
        stored.keep(LeftOut {
            carried: Some(&labels),
            ..returned(&value)
        });
        let arguments = Map::from_iter([("run".to_owned(), json!(1))]);
        let told = Mutex::new(Vec::new());
        let reads = |carried: &Value| {
            told.lock().push(carried.clone());
            Err(CallError::Refused("no".to_owned()))
        };
        let given = read(&stored.runs, Part::Returned, &arguments, &reads);
        assert!(given.is_err(), "{given:?}");
        assert_eq!(*told.lock(), [labels]);
    }

    #[test]
    fn the_oldest_goes_where_there_is_too_much() {
        let stored = StoredOutput::new(Arc::new(|_, _| Ok(())));
        let large = raw(&json!("x".repeat(MOST_BYTES / 2 - 100)));
        for number in 1..=3 {
            assert_eq!(stored.keep(returned(&large)), Some(number));
        }
        assert!(get(&stored, Part::Returned, 1).is_err());
        assert!(get(&stored, Part::Returned, 2).is_ok());
        let too_large = "x".repeat(MOST_BYTES);
        assert_eq!(stored.keep(printed(&too_large)), None);
        assert!(get(&stored, Part::Returned, 3).is_ok());
    }

    #[test]
    fn calls_are_written_in_the_scripts_language() {
        let (returned, printed) = (Part::Returned, Part::Printed);
        assert_eq!(
            returned.call(3, Language::TypeScript),
            "await tools.ampoule.returned({ run: 3 })"
        );
        assert_eq!(
            printed.call(3, Language::Python),
            "await tools.ampoule.printed(run=3)"
        );
    }
}
