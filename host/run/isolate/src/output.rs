//! What a run printed.

use std::fmt;

use ampoule_limits::{Limit, LimitHit, Limits};
use serde::{Deserialize, Serialize};

/// How much a piece of output matters. `console.log` and `print` write [`Level::Log`].
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    wasmtime::component::ComponentType,
    wasmtime::component::Lift,
)]
#[serde(rename_all = "lowercase")]
#[component(enum)]
#[repr(u8)]
pub enum Level {
    /// `console.debug`
    #[component(name = "debug")]
    Debug,
    /// `console.log`
    #[component(name = "log")]
    Log,
    /// `console.info`
    #[component(name = "info")]
    Info,
    /// `console.warn`
    #[component(name = "warn")]
    Warn,
    /// `console.error`
    #[component(name = "error")]
    Error,
}

/// A piece of output: what one call of `console.log` wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// How much it matters.
    pub level: Level,
    /// The text, without the line end that follows it. It may hold several lines.
    pub text: String,
}

impl Line {
    /// What `console.log` writes.
    pub fn log(text: impl Into<String>) -> Self {
        let (level, text) = (Level::Log, text.into());
        Self { level, text }
    }
}

/// What a run printed, in order. Displays as the text alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Output {
    lines: Vec<Line>,
}

impl Output {
    /// The pieces, in the order in which they were written.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The pieces' texts, for what stands between a run and its readers.
    #[doc(hidden)]
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.lines.iter_mut().map(|line| &mut line.text)
    }

    /// Whether nothing was printed.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines
            .iter()
            .try_for_each(|line| writeln!(f, "{}", line.text))
    }
}

/// The output of a run that is under way.
#[derive(Default)]
pub(crate) struct OutputBuffer {
    output: Output,
    bytes: u64,
}

impl OutputBuffer {
    /// Adds a piece. One that goes over the limit is kept as far as it fits, so that it shows where
    /// the output was cut.
    pub(crate) fn write(
        &mut self,
        level: Level,
        text: &str,
        limits: &Limits,
    ) -> Result<(), LimitHit> {
        let wanted = self.bytes.saturating_add(text.len() as u64 + 1);
        let fits = wanted <= limits.output_bytes;
        let kept = if fits {
            text
        } else {
            let room = limits.output_bytes.saturating_sub(self.bytes);
            &text[..text.floor_char_boundary(usize::try_from(room).unwrap_or(usize::MAX))]
        };
        self.bytes += kept.len() as u64 + 1;
        self.output.lines.push(Line {
            level,
            text: kept.to_owned(),
        });
        if fits {
            Ok(())
        } else {
            Err(Limit::OutputBytes.hit(wanted, limits))
        }
    }

    /// Counts what is also output, but kept elsewhere: the value that the run returned.
    pub(crate) fn count(&mut self, bytes: u64, limits: &Limits) -> Result<(), LimitHit> {
        let wanted = self.bytes.saturating_add(bytes);
        if wanted > limits.output_bytes {
            return Err(Limit::OutputBytes.hit(wanted, limits));
        }
        self.bytes = wanted;
        Ok(())
    }

    /// Counts what is reported whether or not there is room for it: the error that the run threw.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(crate) fn last(&self) -> Option<&Line> {
        self.output.lines.last()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn lines(&self) -> &[Line] {
        &self.output.lines
    }

    /// What was printed elsewhere.
    pub(crate) fn restore(&mut self, lines: Vec<Line>, bytes: u64) {
        self.output.lines = lines;
        self.bytes = bytes;
    }

    pub(crate) fn take(&mut self) -> Output {
        std::mem::take(&mut self.output)
    }
}
