//! How commands that show data print it.

use std::fmt::Display;

use clap::Args;
use serde_json::Value;

use super::streams;

/// Text for people, or JSON for programs.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct Output {
    /// Prints JSON instead of text.
    #[arg(long = "json", global = true)]
    pub(super) as_json: bool,
}

impl Output {
    /// Prints what a command did: a document for programs, or a line for people.
    pub(super) fn report(self, document: &Value, line: impl Display) {
        let out = streams::out();
        match self.as_json {
            true => out.json(&document.to_string()),
            false => out.line(line),
        }
    }
}
