//! From a text to a rule.

use std::collections::BTreeSet;

use serde_json::Value;

use super::reader::Reader;
use super::{Part, Source, Step, Term, UndoRule};

/// What the arguments of the call that is taken back are called.
pub(super) const ARGUMENTS: &str = "args";
/// What its result is called.
pub(super) const RESULT: &str = "result";

/// How long a text may be, in bytes.
const MOST_BYTES: usize = 4096;
/// How deeply objects and lists may be nested.
const MOST_DEPTH: usize = 16;

/// What is wrong with the text of a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this does not say what takes a call back, at character {column}: {expected}; write it like `delete_issue({{ id: result.id }})`"
)]
pub struct UndoRuleError {
    /// From one, in characters.
    pub(super) column: usize,
    pub(super) expected: String,
}

/// `server.tool({ name: value })`, or the same without the server.
pub(super) fn rule(text: &str) -> Result<UndoRule, UndoRuleError> {
    let mut reader = Reader::new(text);
    if text.len() > MOST_BYTES {
        return Err(reader.wrong(format!("it has more than {MOST_BYTES} bytes")));
    }
    let first = reader.name()?;
    let (server, tool) = match reader.takes('.') {
        true => (Some(first), reader.name()?),
        false => (None, first),
    };
    if reader.peek() == Some('.') {
        return Err(reader.wrong(
            "expected `(`; a tool whose name has a `.` stands in quotes, as in `tracker.\"issues.delete\"`",
        ));
    }
    reader.expect('(')?;
    let arguments = match reader.peek() {
        Some('{') => object(&mut reader, 0)?,
        Some(')') => Vec::new(),
        _ => return Err(reader.wrong("expected the arguments in braces")),
    };
    reader.expect(')')?;
    reader.end()?;
    Ok(UndoRule {
        text: text.to_owned(),
        server,
        tool,
        arguments,
    })
}

fn object(reader: &mut Reader<'_>, depth: usize) -> Result<Vec<(String, Term)>, UndoRuleError> {
    reader.expect('{')?;
    let (mut members, mut names) = (Vec::new(), BTreeSet::new());
    while !reader.takes('}') {
        let name = match reader.peek() {
            Some('"' | '\'') => reader.quoted()?,
            _ => match reader.plain() {
                Some(name) => name.to_owned(),
                None => return Err(reader.wrong("expected the name of an argument, or `}`")),
            },
        };
        if !names.insert(name.clone()) {
            return Err(reader.wrong("expected each argument once"));
        }
        reader.expect(':')?;
        members.push((name, term(reader, depth)?));
        if !reader.takes(',') && reader.peek() != Some('}') {
            return Err(reader.wrong("expected `,` or `}`"));
        }
    }
    Ok(members)
}

fn list(reader: &mut Reader<'_>, depth: usize) -> Result<Vec<Term>, UndoRuleError> {
    reader.expect('[')?;
    let mut items = Vec::new();
    while !reader.takes(']') {
        items.push(term(reader, depth)?);
        if !reader.takes(',') && reader.peek() != Some(']') {
            return Err(reader.wrong("expected `,` or `]`"));
        }
    }
    Ok(items)
}

fn term(reader: &mut Reader<'_>, depth: usize) -> Result<Term, UndoRuleError> {
    let expected = || {
        format!(
            "expected a value: a part of `{ARGUMENTS}` or `{RESULT}`, or one that is written down"
        )
    };
    match reader.peek() {
        Some('{' | '[') if depth >= MOST_DEPTH => Err(reader.wrong("values are nested too deeply")),
        Some('{') => object(reader, depth + 1).map(Term::Object),
        Some('[') => list(reader, depth + 1).map(Term::List),
        Some('"' | '\'') => Ok(Term::Value(reader.quoted()?.into())),
        Some('-' | '0'..='9') => reader.number().map(Term::Value),
        _ => match reader.plain() {
            Some("true") => Ok(Term::Value(Value::Bool(true))),
            Some("false") => Ok(Term::Value(Value::Bool(false))),
            Some("null") => Ok(Term::Value(Value::Null)),
            Some(ARGUMENTS) => part(reader, Source::Arguments),
            Some(RESULT) => part(reader, Source::Result),
            _ => Err(reader.wrong(expected())),
        },
    }
}

fn part(reader: &mut Reader<'_>, source: Source) -> Result<Term, UndoRuleError> {
    let mut steps = Vec::new();
    loop {
        if reader.takes('.') {
            let name = reader.plain();
            let name = name.ok_or_else(|| {
                reader.wrong("expected a name; one that is not plain stands in brackets, as in `result[\"node-id\"]`")
            })?;
            steps.push(Step::Key(name.to_owned()));
        } else if reader.takes('[') {
            steps.push(match reader.peek() {
                Some('"' | '\'') => Step::Key(reader.quoted()?),
                _ => Step::Place(reader.place()?),
            });
            reader.expect(']')?;
        } else {
            return Ok(Term::Part(Part { source, steps }));
        }
    }
}
