//! What is in a record: a line of JSON for each thing that the run saw. `outcome`: what calls came
//! to.

mod outcome;

use std::collections::BTreeMap;

use ampoule_isolate::{Code, Component, DirectCall, Module, Script, Tape, Undo, UndoOffer};
use ampoule_limits::{Limit, Limits, LimitsConfig};
use ampoule_projection::Tool;
use ampoule_tools::{Grant, RunId};
use ampoule_workspace::FileChange;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

pub(crate) use self::outcome::{CallOutcome, there};
use crate::error::RecordError;
use crate::file_line::FileLine;

/// The version of the form.
pub(crate) const VERSION: u64 = 1;

/// A line of a record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Entry {
    /// The first one.
    Head(Head),
    Program(Box<Program>),
    List(List),
    Told(BindingReply),
    Sent(SentCall),
    Answer(Answer),
    World(Tape),
    File(Box<FileLine>),
    /// The files that the run changed, for whoever looks at the record.
    Changed(Vec<FileChange>),
    /// How the run ended, as `ampoule run --json` has it.
    Outcome(Box<RawValue>),
    /// Which of its calls can be taken back.
    Undo(Box<UndoOffer>),
    /// The last one.
    End(RecordEnd),
}

/// What lists show of a record, but for how it ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The version of the form.
    pub(crate) version: u64,
    /// The run's id.
    pub run: String,
    /// When the run began, in milliseconds since 1970.
    pub made: u64,
    /// On whose behalf it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The toolkit that it was within, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub toolkit: Option<String>,
    /// The script's language; `component`, `call` for a call without a script, or `undo`.
    pub language: String,
    /// What ran it.
    pub build: Build,
}

impl Head {
    /// Of a run that begins.
    pub fn new(run: String, made: u64, language: String, build: Build) -> Self {
        Self {
            version: VERSION,
            run,
            made,
            principal: None,
            toolkit: None,
            language,
            build,
        }
    }
}

/// What ran a run: one that is the same runs it again to the same bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// Ampoule's version.
    pub version: String,
    /// The hash of the interpreter, or of the component.
    pub guest: String,
    /// The packages that the interpreter had, each with its version and the digest of its archive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<String>,
}

/// What was run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Program {
    pub(crate) code: RecordedCode,
    /// What it was granted.
    pub grant: Grant,
    /// All servers, by name: scripts tell names apart among them.
    pub(crate) servers: Vec<String>,
    /// Those of them that are the default accounts of servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) default_accounts: Vec<String>,
    pub(crate) limits: BTreeMap<String, String>,
    /// Whether it was given files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub files: bool,
    /// Whether these were folders alone, and its working folder was in memory.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub folders_alone: bool,
    /// The session that it was a run of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionOrigin>,
}

/// Code, as it is written down.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordedCode {
    Script(Script),
    Component {
        wasm: String,
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "there"
        )]
        arguments: Option<Box<RawValue>>,
        /// The variables of its environment, in their order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        env: Vec<(String, String)>,
    },
    Call(DirectCall),
    Undo(Undo),
}

/// The session that a run was one of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOrigin {
    /// What it is called.
    pub name: String,
    /// How many runs the script could go back.
    pub back: u32,
    /// A run that threw was kept, too.
    pub always: bool,
    /// The number of the run before; zero if there was none.
    pub run: u64,
    /// The hash of the memory that the run began with; none for the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<String>,
}

impl Program {
    /// What a run is about to do.
    pub fn new(code: &Code, grant: Grant, limits: &Limits) -> Self {
        let code = match code {
            Code::Script(script) => RecordedCode::Script(script.clone()),
            Code::Component(component) => RecordedCode::Component {
                wasm: STANDARD.encode(&**component.wasm()),
                arguments: component.given_arguments().map(ToOwned::to_owned),
                env: component
                    .variables()
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .collect(),
            },
            Code::Call(call) => RecordedCode::Call(call.clone()),
            Code::Undo(undo) => RecordedCode::Undo(undo.clone()),
        };
        Self {
            code,
            grant,
            servers: Vec::new(),
            default_accounts: Vec::new(),
            limits: Limit::ALL.map(|limit| written(limit, limits)).into(),
            files: false,
            folders_alone: false,
            session: None,
        }
    }

    /// The code.
    ///
    /// # Errors
    ///
    /// [`RecordError::Damaged`].
    pub fn code(&self) -> Result<Code, RecordError> {
        match &self.code {
            RecordedCode::Script(script) => Ok(script.clone().into()),
            RecordedCode::Component {
                wasm,
                arguments,
                env,
            } => {
                let wasm = STANDARD.decode(wasm).map_err(RecordError::damaged)?;
                let mut component = Component::from_bytes(wasm).map_err(RecordError::damaged)?;
                for (name, value) in env {
                    component = component.env(name, value);
                }
                Ok(match arguments {
                    Some(arguments) => component.arguments(arguments.clone()),
                    None => component,
                }
                .into())
            }
            RecordedCode::Call(call) => Ok(call.clone().into()),
            RecordedCode::Undo(undo) => Ok(undo.clone().into()),
        }
    }

    /// The limits that the run had.
    ///
    /// # Errors
    ///
    /// [`RecordError::Damaged`].
    pub fn limits(&self) -> Result<Limits, RecordError> {
        let mut limits = LimitsConfig::default();
        for limit in Limit::ALL {
            if let Some(text) = self.limits.get(limit.name()) {
                limits.read(limit, text).map_err(RecordError::damaged)?;
            }
        }
        Ok(limits.over(Limits::default()))
    }

    /// The source of the script's main module, and the names of the others.
    pub fn source(&self) -> Option<(&str, Vec<&str>)> {
        match &self.code {
            RecordedCode::Script(script) => {
                let names = script
                    .modules()
                    .iter()
                    .map(|(name, _): &(String, Module)| &**name);
                Some((script.source(), names.collect()))
            }
            RecordedCode::Component { .. } | RecordedCode::Call(_) | RecordedCode::Undo(_) => None,
        }
    }

    /// The run whose calls it takes back, if that is what it is for.
    pub fn undoes(&self) -> Option<RunId> {
        match &self.code {
            RecordedCode::Undo(undo) => Some(undo.run()),
            _ => None,
        }
    }
}

fn written(limit: Limit, limits: &Limits) -> (String, String) {
    let amount = limit.of(limits);
    let text = match limit {
        Limit::WallTime => format!("{amount}ms"),
        _ => amount.to_string(),
    };
    (limit.name().to_owned(), text)
}

/// A list of tools, as a binding gave it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct List {
    pub(crate) list: u32,
    pub(crate) tools: Vec<ListedTool>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ListedTool {
    /// A [`Tool`].
    pub(crate) tool: Box<RawValue>,
    /// What was seen of its results by then, in how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) results: u32,
}

impl ListedTool {
    pub(crate) fn of(tool: &Tool) -> serde_json::Result<Self> {
        let seen = tool.seen.shape();
        Ok(Self {
            tool: to_raw_value(tool)?,
            seen: seen.as_ref().map(to_raw_value).transpose()?,
            results: tool.seen.looked(),
        })
    }
}

/// What a binding told, from one question on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct BindingReply {
    /// Its place among the servers.
    pub(crate) server: u32,
    pub(crate) asked: Question,
    /// How often that was asked of it before.
    pub(crate) from: u64,
    pub(crate) told: Reply,
}

/// What a binding is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Question {
    Description,
    Tools,
    Known,
    Offered,
    Starting,
    Trouble,
    Refresh,
}

/// What it says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Reply {
    /// A list of tools, by its number.
    List(u32),
    Text(String),
    Nothing,
    Done,
    Failed(String),
    /// Nobody waited for it.
    Unanswered,
}

/// A call that the run made.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SentCall {
    pub(crate) call: u32,
    pub(crate) server: String,
    pub(crate) tool: String,
    /// When, in microseconds since the run began.
    pub(crate) at: u64,
    /// What the tool got.
    pub(crate) arguments: Box<RawValue>,
}

/// What came of a call.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) call: u32,
    /// When, in microseconds since the run began.
    pub(crate) at: u64,
    pub(crate) answer: CallOutcome,
}

/// What lists show of how a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordEnd {
    /// `returned`, `threw`, `trapped`, `limit` or `cancelled`.
    pub ending: String,
    /// How many calls it made.
    pub calls: u64,
    /// How long it took, in milliseconds.
    #[serde(rename = "wallMs")]
    pub wall_ms: f64,
    /// How often it was parked, which takes fuel that it does not take when it is run again.
    #[serde(default)]
    pub parked: u32,
    /// The fuel that it used.
    pub fuel: u64,
    /// What the run had read, as far as policies care, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Value>,
    /// How many secrets were redacted.
    pub blotted: u64,
    /// The hash of all lines before.
    pub(crate) hash: String,
}

/// A call as it was recorded.
#[derive(Debug, Clone)]
pub struct RecordedCall {
    /// Which of the run's calls it is, counted from 0.
    pub call: u32,
    /// The binding's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// What the tool got.
    pub arguments: Map<String, Value>,
    /// When it was made, in microseconds after the run began.
    pub at: u64,
    /// How long it took, in microseconds; none if nobody waited for it to end.
    pub took: Option<u64>,
    /// Whether it has a result that is not a failure.
    pub answered: bool,
}
