//! What takes a call back: `issues.delete({ id: result.id })`, as an operator writes it. `parse` reads
//! the text, `reader` its names and values.
//!
//! It is a language of its own, and small: one call, whose arguments come from the arguments and the
//! result of the call that is taken back, or are written down.

mod parse;
mod reader;
#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value};

pub use parse::UndoRuleError;

use crate::names::server_and_account;

/// What takes a call back: a tool, and where its arguments come from.
///
/// ```
/// # use ampoule_projection::undo::UndoRule;
/// # use serde_json::json;
/// let rule: UndoRule = "delete_issue({ id: result.id, repo: args.repo, force: true })".parse()?;
/// let sent = json!({ "repo": "birch", "title": "Rotten wood" });
/// let arguments = rule.arguments(sent.as_object().unwrap(), &json!({ "id": 7 }))?;
/// assert_eq!(json!(arguments), json!({ "id": 7, "repo": "birch", "force": true }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct UndoRule {
    text: String,
    server: Option<String>,
    tool: String,
    arguments: Vec<(String, Term)>,
}

/// What an argument is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    /// A part of the call that is taken back.
    Part(Part),
    /// A value that is written down.
    Value(Value),
    Object(Vec<(String, Term)>),
    List(Vec<Term>),
}

/// A part of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    source: Source,
    steps: Vec<Step>,
}

/// What a part is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// What the tool got.
    Arguments,
    /// What the tool answered.
    Result,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Key(String),
    Place(usize),
}

/// A part of a call that is not there, or is null.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is missing")]
pub struct MissingPartError(String);

impl UndoRule {
    /// The server that it names; none for the server of the call that is taken back.
    pub fn server(&self) -> Option<&str> {
        self.server.as_deref()
    }

    /// The server whose tool it means, for a call of a tool of `server`: the same account of a server
    /// that has several.
    pub fn server_for<'a>(&'a self, server: &'a str) -> &'a str {
        match self.server.as_deref() {
            None => server,
            Some(named) if named == server_and_account(server).0 => server,
            Some(named) => named,
        }
    }

    /// The tool that it names.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The arguments for a call that got `sent` and was answered with `result`.
    ///
    /// # Errors
    ///
    /// [`MissingPartError`]: the call can't be taken back.
    pub fn arguments(
        &self,
        sent: &Map<String, Value>,
        result: &Value,
    ) -> Result<Map<String, Value>, MissingPartError> {
        object(&self.arguments, sent, result)
    }

    /// Whether the result of the call is needed.
    pub fn reads_result(&self) -> bool {
        self.reads(Source::Result)
    }

    /// Whether the arguments of the call are needed.
    pub fn reads_arguments(&self) -> bool {
        self.reads(Source::Arguments)
    }

    fn reads(&self, source: Source) -> bool {
        self.arguments.iter().any(|(_, term)| term.reads(source))
    }
}

impl Term {
    fn reads(&self, source: Source) -> bool {
        match self {
            Self::Part(part) => part.source == source,
            Self::Value(_) => false,
            Self::Object(members) => members.iter().any(|(_, term)| term.reads(source)),
            Self::List(items) => items.iter().any(|term| term.reads(source)),
        }
    }

    fn value(&self, sent: &Map<String, Value>, result: &Value) -> Result<Value, MissingPartError> {
        match self {
            Self::Part(part) => part.value(sent, result),
            Self::Value(value) => Ok(value.clone()),
            Self::Object(members) => object(members, sent, result).map(Value::Object),
            Self::List(items) => {
                let items = items.iter().map(|term| term.value(sent, result));
                items.collect::<Result<_, _>>().map(Value::Array)
            }
        }
    }
}

fn object(
    members: &[(String, Term)],
    sent: &Map<String, Value>,
    result: &Value,
) -> Result<Map<String, Value>, MissingPartError> {
    let members = members.iter();
    members
        .map(|(name, term)| Ok((name.clone(), term.value(sent, result)?)))
        .collect()
}

impl Part {
    fn value(&self, sent: &Map<String, Value>, result: &Value) -> Result<Value, MissingPartError> {
        let missing = || MissingPartError(self.to_string());
        let (first, rest) = match (self.source, self.steps.split_first()) {
            (Source::Result, _) => (result, &self.steps[..]),
            (Source::Arguments, None) => return Ok(Value::Object(sent.clone())),
            (Source::Arguments, Some((Step::Key(key), rest))) => {
                (sent.get(key).ok_or_else(missing)?, rest)
            }
            (Source::Arguments, Some((Step::Place(_), _))) => return Err(missing()),
        };
        let mut value = first;
        for step in rest {
            let next = match step {
                Step::Key(key) => value.get(key),
                Step::Place(place) => value.get(place),
            };
            value = next.ok_or_else(missing)?;
        }
        // Nobody means null where an id was expected.
        match value {
            Value::Null => Err(missing()),
            value => Ok(value.clone()),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.source {
            Source::Arguments => parse::ARGUMENTS,
            Source::Result => parse::RESULT,
        })?;
        self.steps.iter().try_for_each(|step| match step {
            Step::Key(key) if reader::is_plain(key) => write!(f, ".{key}"),
            Step::Key(key) => write!(f, "[{}]", Value::from(key.as_str())),
            Step::Place(place) => write!(f, "[{place}]"),
        })
    }
}

impl FromStr for UndoRule {
    type Err = UndoRuleError;

    fn from_str(text: &str) -> Result<Self, UndoRuleError> {
        parse::rule(text)
    }
}

impl TryFrom<String> for UndoRule {
    type Error = UndoRuleError;

    fn try_from(text: String) -> Result<Self, UndoRuleError> {
        text.parse()
    }
}

/// As it is written.
impl fmt::Display for UndoRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
