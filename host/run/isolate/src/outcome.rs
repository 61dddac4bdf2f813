//! How a run ended.

use std::fmt;

use ampoule_limits::LimitError;
use ampoule_tools::RunId;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::call_log::CallLog;
use super::output::Output;
use super::usage::Usage;
use crate::undo::UndoOffer;

/// How much of an error's message, of its stack and of each cause is kept, in bytes.
const TEXT_BYTES: usize = 16 << 10;
/// The same for its name, and for what tells its place.
const NAME_BYTES: usize = 1 << 10;
/// How many causes are kept.
const CAUSES: usize = 8;

/// How a run ended, with what it printed and used until then.
///
/// It serialises as one JSON document, which `ampoule run --json` prints:
///
/// | key | what it holds |
/// | --- | --- |
/// | `ending` | `returned`, `threw`, `trapped`, `limit`, `cancelled` or `interrupted` |
/// | `value` | what was returned, as it was written, to the last digit; text if it is nested too deeply for most readers; `null` if nothing was |
/// | `error` | what was thrown: `name`, `message`, `location`, `stack`, `causes`; of a trap, or where a parked run could not resume, the `message` |
/// | `errorContent` | what the error of a tool has besides text, if it has anything: content blocks, such as images |
/// | `limit`, `used`, `allowed`, `unit` | the limit that was hit |
/// | `output` | what was printed: a list of `level` and `text` |
/// | `emitted` | the values that the script gave the person with `emit`, if there are any |
/// | `usage` | what was used |
/// | `callLog` | of a run that failed after calls that may have changed something: the first and the last of these `calls`, each with its `call`, `server`, `tool`, short `arguments` and `result` (`done`, `failed`, `denied`, `not-sent`, `unknown`); those `leftOut` between them; how many `reads` there were; all that as `text` for a model |
/// | `undo` | of a run that failed after calls that something takes back: the `run`; the `calls` that do that, those of the newest first, each with what it `takesBack`, its `server`, `tool` and `arguments`; those that are `irreversible`, and `why`; how many older ones were `leftOut` |
/// | `session` | of a run in a session: its `name`, whether what the run left is `kept`, the number of the `run` that it has come to, the `bytes` that takes, `notes` |
/// | `record` | of a run that left a record: the id by which it is run again |
/// | `withheld` | why a value, an error and output are not here, where they may not be shown |
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What the error of a tool that it threw has besides text: images, links, resources. Each is a
    /// content block of MCP, as JSON.
    pub error_content: Vec<Box<RawValue>>,
    /// What it printed, however it ended.
    pub output: Output,
    /// What it gave the person with `emit`, apart from its value and however it ended: each as JSON.
    pub emitted: Vec<Box<RawValue>>,
    /// What it used, however it ended.
    pub usage: Usage,
    /// The calls that it made of tools that may change something, if it did not come to its end by
    /// itself and one of them may have.
    pub call_log: Option<CallLog>,
    /// The calls that can be taken back, if it did not come to its end by itself. Nothing is taken back
    /// until somebody has that done.
    pub undo: Option<UndoOffer>,
    /// What became of its session, if it was one of a session's runs.
    pub session: Option<SessionEnd>,
    /// The run, if it left a record.
    pub record: Option<RunId>,
    /// Why nothing of what it returned, threw and printed is here: the reader of this must not have
    /// it. In words for them.
    pub withheld: Option<String>,
    /// What the run had read, as far as policies care: who keeps something of this outcome for other
    /// runs keeps that with it, and says so (`Runtime::reads`) before one of them has it.
    pub carried: Option<serde_json::Value>,
}

/// What became of a session in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SessionEnd {
    /// What it is called.
    pub name: String,
    /// What the run left is there for the next one. If not, the session is as it was.
    pub kept: bool,
    /// It went back, as the script asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rewound: bool,
    /// The number of the run that it has come to; zero if there was none.
    pub run: u64,
    /// What that takes on disk, in bytes, if this run left it.
    pub bytes: u64,
    /// Why it is not kept, and what else there is to say.
    pub notes: Vec<String>,
}

impl SessionEnd {
    /// A session that is as it was.
    pub fn unchanged(name: impl Into<String>, run: u64) -> Self {
        Self {
            name: name.into(),
            kept: false,
            rewound: false,
            run,
            bytes: 0,
            notes: Vec::new(),
        }
    }
}

impl Outcome {
    /// An outcome, for tests of what is done with one.
    pub fn new(ending: Ending, output: Output, usage: Usage) -> Self {
        Self {
            ending,
            error_content: Vec::new(),
            output,
            emitted: Vec::new(),
            usage,
            call_log: None,
            undo: None,
            session: None,
            record: None,
            withheld: None,
            carried: None,
        }
    }

    /// The value that the run returned, as `T`. A run that returned nothing gives JSON's `null`.
    ///
    /// # Errors
    ///
    /// [`NoValueError`] if the run ended otherwise, or the value is not a `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, NoValueError> {
        match &self.ending {
            Ending::Returned(value) => {
                serde_json::from_str(value.as_deref().map_or("null", RawValue::get))
                    .map_err(|error| NoValueError(error.to_string()))
            }
            other => Err(NoValueError(other.to_string())),
        }
    }
}

/// Why an [`Outcome`] has no value of the wanted type.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct NoValueError(String);

/// How a run ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// The script ended by itself; with the value that it returned, as JSON, or none if it returned
    /// nothing.
    Returned(Option<Box<RawValue>>),
    /// It threw, or raised, an error that it did not catch.
    Threw(Thrown),
    /// The guest broke a rule of WebAssembly. The run is over; the host and other runs are
    /// untouched.
    Trapped(TrapError),
    /// It hit a limit.
    Limit(LimitError),
    /// Somebody cancelled it, by `Run::cancel`.
    Cancelled,
    /// It was parked, and could not continue.
    Interrupted(InterruptedError),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(None) => f.write_str("the script returned nothing"),
            Self::Returned(Some(value)) => f.write_str(value.get()),
            Self::Threw(thrown) => thrown.fmt(f),
            Self::Trapped(trapped) => trapped.fmt(f),
            Self::Limit(hit) => hit.fmt(f),
            Self::Cancelled => f.write_str("the run was cancelled"),
            Self::Interrupted(interrupted) => interrupted.fmt(f),
        }
    }
}

/// An error that a script did not catch. Displays as what a model needs to fix its script.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    wasmtime::component::ComponentType,
    wasmtime::component::Lift,
)]
#[component(record)]
pub struct Thrown {
    /// The error's class, such as `TypeError`.
    pub name: String,
    /// The message.
    pub message: String,
    /// Where it was thrown, if that is in the script's own source.
    pub location: Option<Location>,
    /// The stack, in the script's own lines; empty if there is none.
    pub stack: String,
    /// Its causes, outermost first.
    pub causes: Vec<String>,
}

/// A place in a script's source, as it was written.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    wasmtime::component::ComponentType,
    wasmtime::component::Lift,
)]
#[component(record)]
pub struct Location {
    /// The module's name.
    pub module: String,
    /// Counting from 1.
    pub line: u32,
    /// Counting from 1, in characters.
    pub column: u32,
    /// The line itself, cut to a readable length.
    pub text: String,
}

impl Thrown {
    /// Cuts what is too long to be read: it is as long as the script likes.
    pub(super) fn cut(&mut self) {
        self.causes.truncate(CAUSES);
        let texts = [&mut self.message, &mut self.stack].into_iter();
        texts
            .chain(&mut self.causes)
            .for_each(|text| cut(text, TEXT_BYTES));
        cut(&mut self.name, NAME_BYTES);
        if let Some(location) = &mut self.location {
            cut(&mut location.module, NAME_BYTES);
            cut(&mut location.text, NAME_BYTES);
        }
    }

    /// Whether it, or one of its causes, is of this class.
    pub(super) fn is_caused_by(&self, class: &str) -> bool {
        let of_class = |cause: &String| cause.split(':').next() == Some(class);
        self.name == class || self.causes.iter().any(of_class)
    }

    pub(super) fn bytes(&self) -> u64 {
        let location = self.location.as_ref();
        let location = location.map_or(0, |location| location.module.len() + location.text.len());
        let causes: usize = self.causes.iter().map(String::len).sum();
        (self.name.len() + self.message.len() + self.stack.len() + location + causes) as u64
    }
}

fn cut(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
        text.shrink_to_fit();
    }
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.message)?;
        if let Some(Location {
            module,
            line,
            column,
            text,
        }) = &self.location
        {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            // Tabs stay tabs, so that the caret stands below its character whatever a tab's width
            // is.
            let indent: String = text
                .chars()
                .take((*column as usize).saturating_sub(1))
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            write!(
                f,
                "\n{margin}--> {module}:{line}:{column}\n{number} | {text}\n{margin} | {indent}^"
            )?;
        }
        if self.stack.lines().count() > 1 {
            write!(f, "\n{}", self.stack.trim_end())?;
        }
        self.causes
            .iter()
            .try_for_each(|cause| write!(f, "\ncaused by: {cause}"))
    }
}

/// A run that was parked, and could not continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct InterruptedError {
    /// Why.
    pub message: String,
}

/// A guest that broke a rule of WebAssembly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("the guest trapped: {message}")]
pub struct TrapError {
    /// Wasmtime's name for what happened.
    pub message: String,
}
