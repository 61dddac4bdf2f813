//! The file's tables, read key by key. What is wrong is told in plain words, with line, column and
//! key, and quotes no value: any may be a secret.

use std::ops::Range;
use std::path::Path;

use ampoule_projection::names::near;
use ampoule_untrusted::text;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ConfigError;

/// The file that is read.
pub(super) struct Source<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
}

/// A table of the file.
#[derive(Clone)]
pub(super) struct Table<'a> {
    source: &'a Source<'a>,
    /// The keys that lead to it.
    key: String,
    place: Range<usize>,
    table: &'a DeTable<'a>,
}

/// A value of the file.
#[derive(Clone)]
pub(super) struct Entry<'a> {
    source: &'a Source<'a>,
    key: String,
    value: &'a Spanned<DeValue<'a>>,
}

impl<'a> Source<'a> {
    /// What the parser finds wrong with the file as a whole. Its messages are made of what it
    /// expected, never of what stands there.
    pub(super) fn parsed(&self) -> Result<Spanned<DeTable<'a>>, ConfigError> {
        DeTable::parse(self.text).map_err(|error| {
            let refused = ConfigError::new(self.file, error.message());
            match error.span() {
                Some(span) => refused.at(self.text, span),
                None => refused,
            }
        })
    }
}

impl<'a> Table<'a> {
    pub(super) fn root(source: &'a Source<'a>, table: &'a Spanned<DeTable<'a>>) -> Self {
        Self {
            source,
            key: String::new(),
            place: table.span(),
            table: table.get_ref(),
        }
    }

    /// Says that something about the table is wrong.
    pub(super) fn refuse(&self, message: impl Into<String>) -> ConfigError {
        let error = ConfigError::new(self.source.file, message).key(self.key.as_str());
        error.at(self.source.text, self.place.clone())
    }

    /// Refuses keys that mean nothing.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), ConfigError> {
        let unknown = self
            .table
            .keys()
            .filter(|key| !known.contains(&&**key.get_ref()));
        let Some(unknown) = unknown.min_by_key(|key| key.span().start) else {
            return Ok(());
        };
        let name = &**unknown.get_ref();
        let message = match near(name, known.iter().copied(), 1).first() {
            Some(near) => format!("there is no key `{name}`; did you mean `{near}`?"),
            None if is_like_ours(name) => {
                format!(
                    "there is no key `{name}`; the keys are {}",
                    known.join(", ")
                )
            }
            None => format!("there is no such key; the keys are {}", known.join(", ")),
        };
        let error = ConfigError::new(self.source.file, message).key(self.key.as_str());
        Err(error.at(self.source.text, unknown.span()))
    }

    pub(super) fn get(&self, key: &str) -> Option<Entry<'a>> {
        let (name, value) = self.table.get_key_value(key)?;
        Some(self.entry(name.get_ref(), value))
    }

    /// Its keys, each with its place, and their values.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&'a str, Range<usize>, Entry<'a>)> {
        self.table.iter().map(|(name, value)| {
            let entry = self.entry(name.get_ref(), value);
            (&**name.get_ref(), name.span(), entry)
        })
    }

    fn entry(&self, name: &str, value: &'a Spanned<DeValue<'a>>) -> Entry<'a> {
        let dot = if self.key.is_empty() { "" } else { "." };
        Entry {
            source: self.source,
            key: format!("{}{dot}{}", self.key, shown_key(name)),
            value,
        }
    }
}

impl<'a> Entry<'a> {
    /// The same, called otherwise in what is said of it.
    pub(super) fn called(self, key: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            ..self
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) fn place(&self) -> Range<usize> {
        self.value.span()
    }

    /// Says that something about the value is wrong.
    pub(super) fn refuse(&self, message: impl Into<String>) -> ConfigError {
        self.refuse_at(self.place(), message)
    }

    /// Says that something about it is wrong that stands there.
    pub(super) fn refuse_at(&self, place: Range<usize>, message: impl Into<String>) -> ConfigError {
        let error = ConfigError::new(self.source.file, message).key(self.key.as_str());
        error.at(self.source.text, place)
    }

    pub(super) fn text(&self) -> Result<&'a str, ConfigError> {
        match self.value.get_ref() {
            DeValue::String(text) => Ok(text),
            _ => Err(self.refuse("this must be a string, in quotes")),
        }
    }

    pub(super) fn boolean(&self) -> Result<bool, ConfigError> {
        match self.value.get_ref() {
            DeValue::Boolean(is) => Ok(*is),
            _ => Err(self.refuse("this must be true or false")),
        }
    }

    /// A number, or a text with a unit, as `parse` reads them.
    pub(super) fn quantity<T>(
        &self,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, ConfigError> {
        let parsed = match self.value.get_ref() {
            DeValue::String(text) => parse(text),
            DeValue::Integer(number) if number.radix() == 10 => parse(number.as_str()),
            _ => return Err(self.refuse("this must be a whole number, or a string with a unit")),
        };
        parsed.map_err(|message| self.refuse(message))
    }

    pub(super) fn list(&self) -> Result<Vec<Entry<'a>>, ConfigError> {
        match self.value.get_ref() {
            DeValue::Array(values) => {
                let entry = |(number, value)| Self {
                    source: self.source,
                    key: format!("{}[{number}]", self.key),
                    value,
                };
                Ok(values.iter().enumerate().map(entry).collect())
            }
            _ => Err(self.refuse("this must be a list of strings, in brackets")),
        }
    }

    pub(super) fn table(&self) -> Result<Table<'a>, ConfigError> {
        match self.value.get_ref() {
            DeValue::Table(table) => Ok(Table {
                source: self.source,
                key: self.key.clone(),
                place: self.place(),
                table,
            }),
            _ => Err(self.refuse("this must be a table, in braces or below a heading in brackets")),
        }
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
