//! Programs of the user's that download packages: pip and npm.

use std::process::{Output, Stdio};

use ampoule_untrusted::text;
use tokio::process::Command;

use crate::exit::Failure;

/// How many lines of such a program are shown where it fails.
pub(crate) const SHOWN_LINES: usize = 6;

/// Runs such a program to its end. `name` is what the user knows it by.
pub(crate) async fn ended(mut program: Command, name: &str) -> Result<Output, Failure> {
    program.stdin(Stdio::null()).kill_on_drop(true);
    program.output().await.map_err(|error| {
        Failure::usage(format!(
            "`{name}` downloads packages, and does not start: {error}"
        ))
    })
}

/// What such a program said, but for empty lines.
pub(crate) fn lines(said: &str) -> Vec<&str> {
    said.lines()
        .filter(|line| !line.trim().is_empty())
        .collect()
}

/// A failure with a message, and lines below it.
pub(crate) fn failure(message: &str, lines: impl IntoIterator<Item = impl AsRef<str>>) -> Failure {
    let mut message = message.to_owned();
    for line in lines {
        message += &format!("\n  {}", text::one_line(line.as_ref()));
    }
    Failure::usage(message)
}
