//! A file's tables, read key by key. What is wrong is told in plain words, with line, column and
//! key, and quotes no value: any may be a secret.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ampoule_projection::names::near;
use ampoule_untrusted::text;

use super::error::{ConfigError, Mistakes, Position};
use super::tree::{Format, Node, Value};

/// The longest part of a line that is counted in characters, in bytes: who writes longer ones does
/// not look for columns.
const COUNTED_LINE: usize = 4096;

/// The file that is read.
pub(super) struct Source<'a> {
    file: Arc<Path>,
    text: &'a str,
    /// Where its lines begin.
    lines: Vec<usize>,
}

/// A table of the file.
#[derive(Clone)]
pub(super) struct Table<'a> {
    source: &'a Source<'a>,
    /// The keys that lead to it.
    key: String,
    node: &'a Node,
}

/// A value of the file.
#[derive(Clone)]
pub(super) struct Entry<'a> {
    source: &'a Source<'a>,
    key: String,
    node: &'a Node,
}

impl<'a> Source<'a> {
    pub(super) fn new(file: &Path, text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            file: file.into(),
            text,
            lines: std::iter::once(0).chain(ends).collect(),
        }
    }

    /// What the parser finds wrong with the file as a whole. Its messages are made of what it
    /// expected, never of what stands there.
    pub(super) fn parsed(&self, format: Format) -> Result<Node, ConfigError> {
        format.parsed(self.text).map_err(|broken| {
            let mut mistakes = Mistakes::default();
            for (message, place) in broken {
                mistakes.add(self.wrong(place, "", message));
            }
            let whole = ConfigError::new(&self.file, "it can't be read");
            mistakes.none().err().unwrap_or(whole)
        })
    }

    /// Says that something is wrong that stands there.
    pub(super) fn wrong(
        &self,
        place: Option<Range<usize>>,
        key: &str,
        message: impl Into<String>,
    ) -> ConfigError {
        let place = place.map(|place| self.position(place.start));
        ConfigError::of(Arc::clone(&self.file), place, key, message)
    }

    /// The place of a byte.
    fn position(&self, at: usize) -> Position {
        let at = self.text.floor_char_boundary(at);
        let line = self.lines.partition_point(|start| *start <= at);
        let before = &self.text[self.lines[line - 1]..at];
        let column = if before.len() > COUNTED_LINE {
            before.len()
        } else {
            before.chars().count()
        };
        Position {
            line,
            column: column + 1,
        }
    }
}

impl<'a> Table<'a> {
    /// The table that leads to all others, or one that is called so.
    pub(super) fn called(source: &'a Source<'a>, key: impl Into<String>, node: &'a Node) -> Self {
        Self {
            source,
            key: key.into(),
            node,
        }
    }

    /// Says that something about the table is wrong.
    pub(super) fn refuse(&self, message: impl Into<String>) -> ConfigError {
        let place = Some(self.node.place.clone());
        self.source.wrong(place, &self.key, message)
    }

    pub(super) fn get(&self, key: &str) -> Option<Entry<'a>> {
        let member = self.node.member(key)?;
        Some(self.entry(&member.name, &member.node))
    }

    /// What this key has, as `read` reads it.
    pub(super) fn read<T>(
        &self,
        key: &str,
        read: impl FnOnce(&Entry<'a>) -> Result<T, ConfigError>,
    ) -> Result<Option<T>, ConfigError> {
        self.get(key).map(|entry| read(&entry)).transpose()
    }

    /// Its keys, each with its place, and their values.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, Range<usize>, Entry<'a>)> {
        self.node.members().iter().map(|member| {
            let entry = self.entry(&member.name, &member.node);
            (&*member.name, member.place.clone(), entry)
        })
    }

    fn entry(&self, name: &str, node: &'a Node) -> Entry<'a> {
        let dot = if self.key.is_empty() { "" } else { "." };
        Entry {
            source: self.source,
            key: format!("{}{dot}{}", self.key, shown_key(name)),
            node,
        }
    }
}

impl<'a> Entry<'a> {
    pub(super) fn new(source: &'a Source<'a>, key: impl Into<String>, node: &'a Node) -> Self {
        Self {
            source,
            key: key.into(),
            node,
        }
    }

    /// Another value of the same file.
    pub(super) fn with<'b>(&self, key: String, node: &'b Node) -> Entry<'b>
    where
        'a: 'b,
    {
        Entry {
            source: self.source,
            key,
            node,
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Says that something about the value is wrong.
    pub(super) fn refuse(&self, message: impl Into<String>) -> ConfigError {
        self.refuse_at(self.node.place.clone(), message)
    }

    /// Says that something about it is wrong that stands there.
    pub(super) fn refuse_at(&self, place: Range<usize>, message: impl Into<String>) -> ConfigError {
        self.source.wrong(Some(place), &self.key, message)
    }

    pub(super) fn node(&self) -> &'a Node {
        self.node
    }

    /// Says that something within it is wrong that stands there.
    pub(super) fn wrong(&self, place: Range<usize>, key: &str, message: String) -> ConfigError {
        self.source.wrong(Some(place), key, message)
    }

    pub(super) fn text(&self) -> Result<&'a str, ConfigError> {
        self.node
            .as_text()
            .ok_or_else(|| self.refuse("this must be a string, in quotes"))
    }

    pub(super) fn list(&self) -> Result<Vec<Entry<'a>>, ConfigError> {
        match &self.node.value {
            Value::List(items) => {
                let entry = |(number, node)| Self {
                    source: self.source,
                    key: format!("{}[{number}]", self.key),
                    node,
                };
                Ok(items.iter().enumerate().map(entry).collect())
            }
            _ => Err(self.refuse("this must be a list of strings, in brackets")),
        }
    }

    /// Each item of a list, as `read` reads it.
    pub(super) fn each<T>(
        &self,
        mut read: impl FnMut(&Entry<'a>) -> Result<T, ConfigError>,
    ) -> Result<Vec<T>, ConfigError> {
        let mut mistakes = Mistakes::default();
        let items = self.list()?;
        let read = items
            .iter()
            .filter_map(|item| mistakes.unless(read(item)))
            .collect();
        mistakes.none().map(|()| read)
    }

    pub(super) fn table(&self) -> Result<Table<'a>, ConfigError> {
        match &self.node.value {
            Value::Table(_) => Ok(Table::called(self.source, self.key.as_str(), self.node)),
            _ => Err(self.refuse("this must be a table, in braces or below a heading in brackets")),
        }
    }
}

/// What a choice must be: `a`, `b` or `c`.
pub(super) fn one_of(choices: &[&str]) -> String {
    let names: Vec<String> = choices.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => {
            format!("this must be {} or {last}", before.join(", "))
        }
        _ => format!("this must be {}", names.concat()),
    }
}

/// What is said of a key that is not among those that there are.
pub(super) fn unknown(name: &str, known: &[&str]) -> String {
    match near(name, known.iter().copied(), 1).first() {
        Some(near) => format!("unknown key `{name}`; did you mean `{near}`?"),
        None if is_like_ours(name) => {
            let known = known.join(", ");
            format!("unknown key `{name}`; the keys are {known}")
        }
        None => format!("unknown key; the keys are {}", known.join(", ")),
    }
}

/// Whether a key is of the form of Ampoule's own, which secrets seldom are.
fn is_like_ours(key: &str) -> bool {
    key.len() <= 32
        && key
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// A key as it is written in the file.
pub(super) fn shown_key(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if bare {
        key.to_owned()
    } else {
        text::one_line(&format!("{key:?}")).into_owned()
    }
}
