//! What is wrong with a configuration file, and where.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most mistakes of one file that are told at once.
const MOST_TOLD: usize = 50;

/// What is wrong with a configuration file: its name, and for each mistake line and column, the
/// key, and what to do. Shows no value of the file: any may be a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ConfigError {
    /// In the order of the file; never empty.
    mistakes: Vec<Mistake>,
}

/// A place in a file, counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Position {
    pub(super) line: usize,
    pub(super) column: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Mistake {
    file: Arc<Path>,
    place: Option<Position>,
    key: String,
    message: String,
}

impl ConfigError {
    /// A mistake that has no place in the file.
    pub(super) fn new(file: &Path, message: impl Into<String>) -> Self {
        Self::of(file.into(), None, "", message)
    }

    pub(super) fn of(
        file: Arc<Path>,
        place: Option<Position>,
        key: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        let mistake = Mistake {
            file,
            place,
            key: key.into(),
            message: message.into(),
        };
        Self {
            mistakes: vec![mistake],
        }
    }

    /// The file that it is about.
    pub fn file(&self) -> PathBuf {
        self.mistakes[0].file.to_path_buf()
    }

    /// The same for those who need not know where on the host the file is, such as scripts.
    pub fn without_file(&self) -> String {
        self.lines(|mistake| {
            let place = (mistake.place).map(|Position { line, .. }| format!("line {line}: "));
            format!("{}{}", place.unwrap_or_default(), mistake.said())
        })
    }

    /// Whether all that is wrong is that variables of the environment are not set: they may be, later.
    pub(super) fn is_about_a_variable(&self) -> bool {
        let said = |message: &str| {
            message.contains("environment variable")
                || message.contains("set it in the environment")
        };
        self.mistakes.iter().all(|it| said(&it.message))
    }

    fn lines(&self, line: impl Fn(&Mistake) -> String) -> String {
        let mut lines: Vec<String> = self.mistakes.iter().take(MOST_TOLD).map(line).collect();
        if self.mistakes.len() > MOST_TOLD {
            lines.push(format!("and {} more", self.mistakes.len() - MOST_TOLD));
        }
        lines.join("\n")
    }
}

impl Mistake {
    fn said(&self) -> String {
        let colon = if self.key.is_empty() { "" } else { ": " };
        format!("{}{colon}{}", self.key, self.message)
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines(|mistake| {
            let place = mistake
                .place
                .map(|Position { line, column }| format!(":{line}:{column}"));
            let file = mistake.file.display();
            format!("{file}{}: {}", place.unwrap_or_default(), mistake.said())
        }))
    }
}

/// Mistakes as they are found: reading continues after each, so that all are told at once.
#[derive(Debug, Default)]
pub(super) struct Mistakes(Vec<Mistake>);

impl Mistakes {
    /// What was read, unless it is wrong.
    pub(super) fn unless<T>(&mut self, read: Result<T, ConfigError>) -> Option<T> {
        read.map_err(|error| self.add(error)).ok()
    }

    /// Those of another reading, too.
    pub(super) fn take(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(super) fn add(&mut self, error: ConfigError) {
        self.0.extend(error.mistakes);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// # Errors
    ///
    /// All that were found, in the order of the file.
    pub(super) fn none(self) -> Result<(), ConfigError> {
        let mut mistakes = self.0;
        mistakes.sort();
        mistakes.dedup();
        if mistakes.is_empty() {
            Ok(())
        } else {
            Err(ConfigError { mistakes })
        }
    }
}
