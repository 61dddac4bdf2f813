//! What servers ask while they carry out a call (elicitation), and the respondent.

use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a respondent can answer. Servers learn exactly this.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Abilities {
    /// A person can fill in a form.
    pub form: bool,
    /// A person can be shown an address to open.
    pub url: bool,
    /// There is a model to sample from.
    pub sampling: bool,
    /// That model can use tools that the server offers with its request.
    pub sampling_tools: bool,
    /// There are folders that servers may work in: MCP's roots.
    pub roots: bool,
}

impl Abilities {
    /// Whether there is nothing that can be answered.
    pub fn is_none(self) -> bool {
        self == Self::default()
    }

    /// Whether this can be answered, as far as its kind says.
    pub fn include(self, kind: AskKind) -> bool {
        match kind {
            AskKind::Form => self.form,
            AskKind::Url => self.url,
            AskKind::Sampling => self.sampling,
            AskKind::Roots => self.roots,
        }
    }
}

/// What kind of thing a server asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AskKind {
    /// A person is to fill in a form: MCP's `elicitation/create`.
    Form,
    /// A person is to open an address: `elicitation/create` with the mode `url`.
    Url,
    /// A model is to answer: `sampling/createMessage`.
    Sampling,
    /// Which folders a server may work in: `roots/list`.
    Roots,
}

impl AskKind {
    /// The method of the protocol.
    pub fn method(self) -> &'static str {
        match self {
            Self::Form | Self::Url => "elicitation/create",
            Self::Sampling => "sampling/createMessage",
            Self::Roots => "roots/list",
        }
    }
}

/// What a server asks. Everything in it is the server's own, and may be anything.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ask {
    /// Which server asks, as the operator named it.
    pub server: Arc<str>,
    /// What kind of thing it asks.
    pub kind: AskKind,
    /// The request's parameters, as the protocol has them.
    pub params: Map<String, Value>,
    /// The server's name for it, among all that it asks for the call. Since 2026-07-28, servers
    /// have such names.
    pub name: Option<String>,
}

impl Ask {
    /// What a server asks.
    pub fn new(server: Arc<str>, kind: AskKind, params: Map<String, Value>) -> Self {
        Self {
            server,
            kind,
            params,
            name: None,
        }
    }

    /// The same, with the server's name for it.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
            ..self
        }
    }
}

/// How grave a line for the log is. As JSON its name, such as `warning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// What helps to find a fault.
    Debug,
    /// What happens as it should.
    Info,
    /// What happens as it should, and matters.
    Notice,
    /// What may become a fault.
    Warning,
    /// A fault.
    Error,
    /// A fault of a part that others need.
    Critical,
    /// A person has to do something at once.
    Alert,
    /// Nothing works.
    Emergency,
}

/// What a server tells while it carries out a call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// How far a call is.
    Progress {
        /// The server's name.
        server: Arc<str>,
        /// The tool's name.
        tool: Arc<str>,
        /// How far, in the server's own measure.
        progress: f64,
        /// How far it will be in the end.
        total: Option<f64>,
        /// What it does, in the server's words.
        message: Option<String>,
    },
    /// A line for the log: the parameters of MCP's `notifications/message`.
    Log {
        /// The server's name.
        server: Arc<str>,
        /// The parameters, as the protocol has them.
        params: Map<String, Value>,
    },
    /// What a person opened an address for is done: MCP's `notifications/elicitation/complete`. It
    /// may come long after the call.
    Done {
        /// The server's name.
        server: Arc<str>,
        /// The `elicitationId` that the server [asked](Ask::params) with.
        elicitation: String,
    },
    /// The server made a task of a call: it takes longer, and continues meanwhile.
    Task {
        /// The server's name.
        server: Arc<str>,
        /// The tool's name.
        tool: Arc<str>,
    },
    /// The server answered a call with an error of the protocol. What it says of that is the
    /// call's [error](crate::CallError::Refused).
    Refused {
        /// The server's name.
        server: Arc<str>,
        /// The tool's name.
        tool: Arc<str>,
        /// The error's number.
        code: i64,
        /// The capabilities that the server misses, where that is why: MCP's
        /// `requiredCapabilities`.
        required: Map<String, Value>,
    },
}

/// The respondent of what servers ask during a run's calls: a client, a person at a terminal, the
/// program that embeds runs.
///
/// How much is asked at once, how large it is, how long an answer takes: all that is bounded before
/// it gets here. The run's deadline stands still meanwhile.
pub trait Respondent: fmt::Debug + Send + Sync + 'static {
    /// What can be answered.
    fn abilities(&self) -> Abilities;

    /// Answers: the result that the protocol has for the request. Dropping the future takes the
    /// question back.
    ///
    /// # Errors
    ///
    /// A sentence for the server: why there is no answer.
    fn answer(&self, ask: Ask) -> BoxFuture<'_, Result<Map<String, Value>, String>>;

    /// Whether anything becomes of the progress that servers report. Constant.
    fn follows_progress(&self) -> bool {
        false
    }

    /// From which level on servers are asked for lines for the log, as it is now. None leaves it to
    /// them; those of 2026-07-28 then send none.
    fn log_level(&self) -> Option<LogLevel> {
        None
    }

    /// Hears what a server tells. It is called where messages are read, and must not block. What is
    /// not heard is false: it is for the host's own log.
    fn hear(&self, notice: Notice) -> bool {
        let _ = notice;
        false
    }
}
