//! Where a run is another than the recorded one.

use std::fmt;

use ampoule_untrusted::text::one_line;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::Notify;

/// How much is shown of a call's arguments, of a value or of a line of output, in bytes.
const SHOWN: usize = 2_000;

/// A call, as it is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallRequest {
    /// The binding's name.
    pub server: String,
    /// The tool's name.
    pub tool: String,
    /// What the tool is to get.
    pub arguments: Map<String, Value>,
}

impl fmt::Display for CallRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = Value::Object(self.arguments.clone()).to_string();
        let call = format!("{}.{}({})", self.server, self.tool, shown(&arguments));
        f.write_str(&one_line(&call))
    }
}

/// The first thing that is not as it was recorded. Displays as what was expected, and what is there
/// instead.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Difference {
    /// A call is another one.
    Call {
        /// Which of the run's calls it is, counted from 0.
        call: u32,
        /// What was recorded; nothing, if the recorded run made no such call.
        expected: Option<CallRequest>,
        /// What the script asks for.
        got: CallRequest,
    },
    /// A changed script asks for what nobody answered.
    Unanswered {
        /// Which of its calls it is, counted from 0.
        call: u32,
        /// What it asks for.
        got: CallRequest,
        /// A recorded call of the same tool whose answer nobody asked for yet.
        near: Option<CallRequest>,
    },
    /// It does not make a call that was recorded.
    Missing {
        /// Which of the recorded run's calls it is, counted from 0.
        call: u32,
        /// What was recorded.
        expected: CallRequest,
    },
    /// It asked its world for more than the recorded run did.
    World {
        /// What for.
        what: String,
    },
    /// It came to something else.
    End {
        /// What differs: `ending`, `output`, `value`, `error` or `fuel`.
        what: &'static str,
        /// What was recorded.
        expected: String,
        /// What it is now.
        got: String,
    },
}

impl Difference {
    pub(crate) fn end(what: &'static str, expected: &str, got: &str) -> Self {
        // What they begin with alike is not what differs.
        let alike = expected.bytes().zip(got.bytes());
        let alike = alike.take_while(|(one, other)| one == other).count();
        let from = alike.saturating_sub(SHOWN / 20);
        let part = |text: &str| {
            let from = text.floor_char_boundary(from);
            let before = if from > 0 { "…" } else { "" };
            format!("{before}{}", shown(&text[from..]))
        };
        Self::End {
            what,
            expected: part(expected),
            got: part(got),
        }
    }
}

impl CallRequest {
    /// The same, without what the tool is to get.
    pub(crate) fn without_arguments(self) -> Self {
        let arguments = Map::new();
        Self { arguments, ..self }
    }
}

impl Difference {
    /// The same, without what calls and outcomes have in them.
    pub(crate) fn without_texts(self) -> Self {
        match self {
            Self::Call {
                call,
                expected,
                got,
            } => Self::Call {
                call,
                expected: expected.map(CallRequest::without_arguments),
                got: got.without_arguments(),
            },
            Self::Unanswered { call, got, near } => Self::Unanswered {
                call,
                got: got.without_arguments(),
                near: near.map(CallRequest::without_arguments),
            },
            Self::Missing { call, expected } => Self::Missing {
                call,
                expected: expected.without_arguments(),
            },
            Self::End { what, .. } => Self::End {
                what,
                expected: "…".to_owned(),
                got: "…".to_owned(),
            },
            Self::World { .. } => self,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call {
                call,
                expected: Some(expected),
                got,
            } => write!(
                f,
                "call {call} differs\n  recorded: {expected}\n  now:      {got}"
            ),
            Self::Call {
                call,
                expected: None,
                got,
            } => write!(
                f,
                "call {call} is one more than the recorded run made\n  now: {got}"
            ),
            Self::Unanswered { call, got, near } => {
                write!(f, "call {call} has no recorded answer\n  now:      {got}")?;
                match near {
                    Some(near) => write!(f, "\n  recorded: {near}"),
                    None => Ok(()),
                }
            }
            Self::Missing { call, expected } => {
                write!(f, "call {call} is not made\n  recorded: {expected}")
            }
            Self::World { what } => write!(f, "{}", one_line(what)),
            Self::End {
                what,
                expected,
                got,
            } => write!(
                f,
                "the {what} differs\n  recorded: {}\n  now:      {}",
                one_line(expected),
                one_line(got)
            ),
        }
    }
}

fn shown(text: &str) -> String {
    match text.len() > SHOWN {
        true => format!("{}…", &text[..text.floor_char_boundary(SHOWN)]),
        false => text.to_owned(),
    }
}

/// Whether a text is the one that was recorded, as far as nothing of that was redacted.
pub(crate) fn is_same(recorded: &str, got: &str) -> bool {
    let alike = |(recorded, got): (u8, u8)| {
        let is_break = recorded == b' ' && matches!(got, b'\n' | b'\r');
        recorded == got || recorded == b'*' || is_break
    };
    recorded.len() == got.len() && recorded.bytes().zip(got.bytes()).all(alike)
}

/// The first difference that was found, and that the run is to stop.
#[derive(Default)]
pub(crate) struct Findings {
    difference: Mutex<Option<Difference>>,
    /// The call before which it was to stop.
    stopped: Mutex<Option<(u32, CallRequest)>>,
    pub(crate) stops: Notify,
}

impl Findings {
    pub(crate) fn difference(&self, difference: Difference) {
        self.difference.lock().get_or_insert(difference);
        self.stops.notify_one();
    }

    pub(crate) fn stop_before(&self, call: u32, asked: CallRequest) {
        self.stopped.lock().get_or_insert((call, asked));
        self.stops.notify_one();
    }

    pub(crate) fn any(&self) -> bool {
        self.difference.lock().is_some()
    }

    pub(crate) fn take(&self) -> (Option<Difference>, Option<(u32, CallRequest)>) {
        (self.difference.lock().take(), self.stopped.lock().take())
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.stopped.lock().is_some()
    }
}
