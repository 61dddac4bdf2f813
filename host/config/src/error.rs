//! What is wrong with a configuration file, and where.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// What is wrong with a configuration file: its name, line and column, the key, and what to do.
/// Shows no value of the file: any may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    file: PathBuf,
    /// Line and column, from one.
    place: Option<(usize, usize)>,
    key: String,
    message: String,
}

impl ConfigError {
    pub(super) fn new(file: &Path, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            key: String::new(),
            message: message.into(),
        }
    }

    #[must_use]
    pub(super) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Says where in `text` it is.
    #[must_use]
    pub(super) fn at(mut self, text: &str, span: Range<usize>) -> Self {
        let before = &text[..text.floor_char_boundary(span.start)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        self.place = Some((
            before.matches('\n').count() + 1,
            before[line_start..].chars().count() + 1,
        ));
        self
    }
}

impl ConfigError {
    /// The same for those who need not know where on the host the file is, such as scripts.
    pub fn without_file(&self) -> String {
        let place = self.place.map(|(line, _)| format!("line {line}: "));
        let colon = if self.key.is_empty() { "" } else { ": " };
        let place = place.unwrap_or_default();
        format!("{place}{}{colon}{}", self.key, self.message)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        if !self.key.is_empty() {
            write!(f, ": {}", self.key)?;
        }
        write!(f, ": {}", self.message)
    }
}
