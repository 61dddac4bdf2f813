//! JSON that people and programs write: read, with errors in the words of JSON.
//!
//! An error says where in the document the value is that is wrong: `servers.docs.args[0]`.

use std::fmt;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::error::Category;
use serde_path_to_error::{Path, Segment};

/// What is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// The place of the value that is wrong: `env.NAME`; empty for the whole document.
    place: String,
    /// What the whole document is called in a sentence.
    whole: &'static str,
    problem: Problem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Problem {
    /// There is no document.
    Nothing,
    /// It is not JSON, as the sentence says.
    Syntax(String),
    /// The value lacks this key.
    Missing(String),
    /// This key means nothing; these are the ones that do.
    Unknown { key: String, known: String },
    /// The value is of another type than expected.
    Type { expected: String, given: String },
    /// As the sentence says.
    Other(String),
}

/// The value that a text of JSON stands for.
///
/// # Errors
///
/// What is wrong with the text, and where.
pub fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, DocumentError> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let read = serde_path_to_error::deserialize(&mut reader);
    let value = read.map_err(|error| DocumentError::of(error.path(), error.inner(), text))?;
    let end = reader.end();
    end.map_err(|error| DocumentError::of_whole(Problem::of(&error, text)))?;
    Ok(value)
}

/// What a value stands for.
///
/// # Errors
///
/// What is wrong with the value, and where.
pub fn of_value<T: DeserializeOwned>(value: Value) -> Result<T, DocumentError> {
    let read = serde_path_to_error::deserialize(value);
    read.map_err(|error| DocumentError::of(error.path(), error.inner(), "-"))
}

impl DocumentError {
    fn of(path: &Path, error: &serde_json::Error, text: &str) -> Self {
        let problem = Problem::of(error, text);
        if matches!(problem, Problem::Nothing | Problem::Syntax(_)) {
            return Self::of_whole(problem);
        }
        let mut segments: Vec<&Segment> = path.iter().collect();
        // The key stands in the problem.
        if let (Problem::Unknown { key, .. }, Some(Segment::Map { key: last })) =
            (&problem, segments.last())
            && key == last
        {
            segments.pop();
        }
        let mut place = String::new();
        for segment in segments {
            step(&mut place, segment);
        }
        Self {
            place,
            ..Self::of_whole(problem)
        }
    }

    fn of_whole(problem: Problem) -> Self {
        Self {
            place: String::new(),
            whole: "the document",
            problem,
        }
    }

    /// The same of a document that is itself a value of this name: of an option, or an argument.
    #[must_use]
    pub fn within(mut self, name: &str) -> Self {
        let separator = match self.place.as_str() {
            "" => "",
            place if place.starts_with('[') => "",
            _ => ".",
        };
        self.place = format!("{name}{separator}{}", self.place);
        self
    }

    /// The same, where the document is called so in a sentence.
    #[must_use]
    pub fn about(self, whole: &'static str) -> Self {
        Self { whole, ..self }
    }

    /// The place of a key of the value.
    fn key(&self, key: &str) -> String {
        let mut place = self.place.clone();
        member(&mut place, key);
        place
    }
}

fn step(place: &mut String, segment: &Segment) {
    match segment {
        Segment::Seq { index } => place.push_str(&format!("[{index}]")),
        Segment::Map { key } => member(place, key),
        Segment::Enum { .. } | Segment::Unknown => {}
    }
}

/// Continues with a member. A key that would be mistaken for several is quoted.
fn member(place: &mut String, key: &str) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-$".contains(&byte);
    if key.is_empty() || !key.bytes().all(is_plain) {
        place.push_str(&format!("[{}]", Value::from(key)));
        return;
    }
    if !place.is_empty() {
        place.push('.');
    }
    place.push_str(key);
}

impl Problem {
    fn of(error: &serde_json::Error, text: &str) -> Self {
        let said = error.to_string();
        let position = format!(" at line {} column {}", error.line(), error.column());
        let said = said.strip_suffix(&position).unwrap_or(&said);
        match error.classify() {
            _ if text.trim().is_empty() => Self::Nothing,
            Category::Data => Self::of_data(said),
            Category::Io => Self::Other(said.to_owned()),
            Category::Eof => Self::Syntax("the text ends before the value does".to_owned()),
            Category::Syntax => {
                let (line, column) = (error.line(), error.column());
                Self::Syntax(format!("line {line}, column {column}: {}", syntax(said)))
            }
        }
    }

    /// What `serde` says of a value, in other words.
    fn of_data(said: &str) -> Self {
        let quoted = |rest: &str| rest.split('`').next().unwrap_or_default().to_owned();
        if let Some(rest) = said.strip_prefix("missing field `") {
            return Self::Missing(quoted(rest));
        }
        if let Some(rest) = said.strip_prefix("unknown field `") {
            let known = rest.split_once("expected ").map_or("", |(_, known)| known);
            let known = known.strip_prefix("one of ").unwrap_or(known);
            return Self::Unknown {
                key: quoted(rest),
                known: known.to_owned(),
            };
        }
        if let Some(rest) = said.strip_prefix("duplicate field `") {
            return Self::Other(format!("has the key `{}` twice", quoted(rest)));
        }
        if let Some(rest) = said.strip_prefix("unknown variant `")
            && let Some((given, known)) = rest.split_once("`, expected ")
        {
            return Self::Type {
                expected: known.to_owned(),
                given: Value::from(given).to_string(),
            };
        }
        let wrong = ["invalid type: ", "invalid value: "];
        let wrong = wrong.iter().find_map(|wrong| said.strip_prefix(wrong));
        if let Some((given, expected)) = wrong.and_then(|rest| rest.rsplit_once(", expected ")) {
            return Self::Type {
                expected: words(expected),
                given: words(given),
            };
        }
        Self::Other(format!("is wrong: {said}"))
    }
}

/// What is wrong with a text that is not JSON.
fn syntax(said: &str) -> &str {
    match said {
        "expected value" | "expected ident" => {
            "expected a value; texts and keys have double quotes"
        }
        "key must be a string" => "expected a key in double quotes",
        "trailing comma" => "there is a comma before the end of a list or an object",
        "trailing characters" => "there is more after the value",
        "recursion limit exceeded" => "it is nested too deep",
        said => said,
    }
}

/// A type of `serde`'s, as JSON calls it.
fn words(named: &str) -> String {
    let quoted = |rest: &str| rest.trim_end_matches('`').to_owned();
    for number in ["integer `", "floating point `", "boolean `"] {
        if let Some(rest) = named.strip_prefix(number) {
            return quoted(rest);
        }
    }
    let first = named.split(' ').next().unwrap_or_default();
    let said = match (named, first) {
        ("map" | "a map", _) | (_, "struct" | "object") => "an object",
        ("sequence" | "a sequence", _) | (_, "tuple") => "a list",
        ("unit" | "unit value" | "null" | "Option value", _) => "null",
        ("a boolean", _) => "true or false",
        ("path string" | "a borrowed string" | "string", _) => "a string",
        ("any valid JSON value", _) => "a value",
        ("u8" | "u16" | "u32" | "u64" | "usize", _) => "an integer that is not negative",
        ("i8" | "i16" | "i32" | "i64" | "isize", _) => "an integer",
        ("f32" | "f64", _) => "a number",
        ("string or map", _) | (_, "enum" | "variant") => "a string",
        (_, "string") => "a string",
        (other, _) => other,
    };
    said.to_owned()
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place.as_str();
        let at = |f: &mut fmt::Formatter<'_>| match place {
            "" => f.write_str(self.whole),
            _ => write!(f, "`{place}`"),
        };
        match &self.problem {
            Problem::Nothing => {
                at(f)?;
                f.write_str(" is empty; write JSON, such as {}")
            }
            Problem::Syntax(problem) => {
                at(f)?;
                write!(f, " is not JSON: {problem}")
            }
            Problem::Missing(key) => write!(f, "`{}` is missing", self.key(key)),
            Problem::Unknown { key, known } => {
                write!(f, "`{}` is not a known key", self.key(key))?;
                match known.as_str() {
                    "" => Ok(()),
                    known => write!(f, "; the known ones are {known}"),
                }
            }
            Problem::Type { expected, given } => {
                at(f)?;
                write!(f, " must be {expected}, not {given}")
            }
            Problem::Other(said) => {
                at(f)?;
                write!(f, " {said}")
            }
        }
    }
}

impl std::error::Error for DocumentError {}

#[cfg(test)]
mod tests;
