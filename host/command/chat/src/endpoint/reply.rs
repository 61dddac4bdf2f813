//! An answer in no form: what a model says, calls and costs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::conversation::ToolCall;

/// A part of an answer, as it arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text for the person.
    Text(String),
    /// A call begins.
    Call {
        /// Its id.
        id: String,
        /// The tool's name.
        tool: String,
    },
    /// More of a call's arguments, which are JSON once they are whole.
    Arguments {
        /// The call's id.
        id: String,
        /// What comes next.
        text: String,
    },
    /// What the endpoint says that this answer costs so far.
    Usage(Usage),
    /// The request is sent again: the texts and calls that arrived so far do not count.
    Retry {
        /// Why.
        why: String,
        /// How long that waits, in milliseconds.
        wait_ms: u64,
    },
}

/// What requests cost, in tokens as the endpoint counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// What the model read.
    pub input: u64,
    /// As much of it was read from the endpoint's cache.
    pub cached: u64,
    /// As much of it was written to the endpoint's cache.
    #[serde(default)]
    pub written: u64,
    /// What the model wrote.
    pub output: u64,
    /// The endpoint reported nothing: these are estimates, of four bytes a token.
    #[serde(default)]
    pub estimated: bool,
}

impl Usage {
    /// All tokens.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// Adds those of another request.
    pub fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.written = self.written.saturating_add(other.written);
        self.output = self.output.saturating_add(other.output);
        self.estimated |= other.estimated;
    }
}

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is done, or waits for results of calls.
    Finished,
    /// The answer was as long as it may be.
    Length,
    /// It, or its endpoint, refused.
    Refused,
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What it says.
    pub text: String,
    /// What it calls.
    pub calls: Vec<ToolCall>,
    /// What the endpoint wants back with the next request, as it gave it.
    pub opaque: Vec<Value>,
    /// What it cost, if the endpoint said that.
    pub usage: Option<Usage>,
    /// Why it ended.
    pub stop: Stop,
}

/// An answer while it arrives.
#[derive(Debug, Default)]
pub(super) struct ReplyBuilder {
    text: String,
    calls: Vec<ToolCall>,
    /// The call that the endpoint means by a place.
    places: BTreeMap<u64, usize>,
    pub(super) opaque: Vec<Value>,
    pub(super) usage: Option<Usage>,
    pub(super) stop: Option<Stop>,
    /// The stream said that the answer is whole.
    pub(super) is_whole: bool,
    /// The stream said that nothing follows.
    pub(super) is_over: bool,
    pieces: Vec<Piece>,
}

impl ReplyBuilder {
    pub(super) fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.pieces.push(Piece::Text(text.to_owned()));
        }
    }

    /// Whether it has a text or a call.
    pub(super) fn has_content(&self) -> bool {
        !self.text.is_empty() || !self.calls.is_empty()
    }

    /// The tokens so far.
    pub(super) fn count(&mut self, usage: Usage) {
        self.usage = Some(usage);
        self.pieces.push(Piece::Usage(usage));
    }

    /// A call begins, or the endpoint says more of it. Some servers give the same place to several
    /// calls: another id, or a name after whole arguments, begins another call. Ids that are missing or
    /// taken are made.
    pub(super) fn call(&mut self, place: u64, id: Option<&str>, tool: Option<&str>) {
        let Some(tool) = tool.filter(|tool| !tool.is_empty()) else {
            return;
        };
        let given = id.filter(|id| !id.is_empty());
        if let Some(known) = self.at(place) {
            let is_same = match given {
                Some(id) => known.id == id,
                None => !is_object(&known.arguments),
            };
            if is_same {
                return;
            }
        }
        let is_free = |id: &str| self.calls.iter().all(|call| call.id != id);
        let given = given.filter(|id| is_free(id));
        let mut id = given.map_or_else(|| format!("call_{}", self.calls.len()), str::to_owned);
        while !is_free(&id) {
            id.push('_');
        }
        self.pieces.push(Piece::Call {
            id: id.clone(),
            tool: tool.to_owned(),
        });
        self.places.insert(place, self.calls.len());
        self.calls.push(ToolCall {
            id,
            tool: tool.to_owned(),
            arguments: String::new(),
        });
    }

    pub(super) fn arguments(&mut self, place: u64, text: &str) {
        let Some(call) = self.places.get(&place).filter(|_| !text.is_empty()) else {
            return;
        };
        let call = &mut self.calls[*call];
        call.arguments.push_str(text);
        self.pieces.push(Piece::Arguments {
            id: call.id.clone(),
            text: text.to_owned(),
        });
    }

    /// The arguments as a whole, where the endpoint sends them once more.
    pub(super) fn all_arguments(&mut self, place: u64, text: &str) {
        if self.at(place).is_some_and(|call| call.arguments.is_empty()) {
            self.arguments(place, text);
        }
    }

    fn at(&self, place: u64) -> Option<&ToolCall> {
        self.calls.get(*self.places.get(&place)?)
    }

    /// What has arrived since the last time.
    pub(super) fn take_pieces(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.pieces)
    }

    pub(super) fn finish(self) -> Reply {
        Reply {
            text: self.text,
            calls: self.calls,
            opaque: self.opaque,
            usage: self.usage,
            stop: self.stop.unwrap_or(Stop::Finished),
        }
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<Map<String, Value>>(text).is_ok()
}
