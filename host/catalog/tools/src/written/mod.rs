//! The calls that are written in a script, judged before anything of it runs: with the names, the
//! schemas and the sentences that calls have at run time.
//!
//! - `judge`: one call after the other, with the tools that their names mean
//! - `arguments`: as the tool would get them, and which places of them are not known
//! - `answer`: what is read of an answer

mod answer;
mod arguments;
mod judge;
#[cfg(test)]
mod tests;

use self::judge::Judge;
use super::granted::GrantedTools;

/// How many mistakes are told at once.
const MOST_MISTAKES: usize = 10;

/// A call that is written in a script, as far as its text proves what it is.
#[derive(Debug, Clone, Default)]
pub struct WrittenCall {
    /// The server as the script names it; none where the tool's name is all that there is.
    pub server: Option<String>,
    /// The tool as the script names it.
    pub tool: String,
    /// The arguments as a JSON object, with null in each place whose value is not known. None where
    /// nothing is known of them.
    pub arguments: Option<String>,
    /// How many of the object's first members are arguments by position, whatever their names.
    pub positional: u32,
    /// The places whose value is not known, as JSON Pointers.
    pub unknown: Vec<String>,
    /// The objects and lists that may have more in them than the text shows, as JSON Pointers.
    pub open: Vec<String>,
    /// Whether the script may end without coming to the call.
    pub conditional: bool,
    /// The properties that the script reads of the answer, as JSON Pointers, where `-` stands for any
    /// item of a list.
    pub reads: Vec<String>,
}

/// What is wrong with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MistakeKind {
    /// The grant has no server or tool of that name. These names were likely meant, best first.
    Name {
        /// The names.
        near: Vec<String>,
    },
    /// The tool's schema does not allow the arguments.
    Arguments {
        /// The tool's server, as configured.
        server: String,
        /// The tool's own name.
        tool: String,
    },
    /// The tool's answers have no such property.
    Answer {
        /// The place in the call's reads.
        read: usize,
    },
}

/// A mistake that a run would come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The call's place in the list.
    pub call: usize,
    /// What is wrong.
    pub kind: MistakeKind,
    /// The sentence that run time has for it.
    pub message: String,
}

impl GrantedTools {
    /// Judges calls that are written in a script: the first mistakes, in the order of the calls.
    #[doc(hidden)]
    pub async fn mistakes(&self, calls: &[WrittenCall]) -> Vec<Mistake> {
        Judge::of(self, calls).mistakes().await
    }
}
