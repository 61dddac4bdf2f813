//! What a run printed.

use std::fmt;

use ampoule_limits::{Limit, LimitError, Limits};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

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

/// How many values a run may give the person.
const MOST_EMITTED: usize = 100;

/// The output of a run that is under way.
#[derive(Default)]
pub(crate) struct OutputBuffer {
    output: Output,
    bytes: u64,
    emitted: Vec<Box<RawValue>>,
}

/// What is kept of it while the run waits.
pub(crate) struct OutputSnapshot {
    pub(crate) lines: Vec<Line>,
    pub(crate) bytes: u64,
    pub(crate) emitted: Vec<Box<RawValue>>,
}

/// Why a value did not get to the person.
pub(crate) enum EmitError {
    /// The run can go on.
    Refused(String),
    Limit(LimitError),
}

impl OutputBuffer {
    /// Adds a piece. One that goes over the limit is kept as far as it fits, so that it shows where
    /// the output was cut.
    pub(crate) fn write(
        &mut self,
        level: Level,
        text: &str,
        limits: &Limits,
    ) -> Result<(), LimitError> {
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
    pub(crate) fn count(&mut self, bytes: u64, limits: &Limits) -> Result<(), LimitError> {
        self.bytes = self.room(bytes, limits)?;
        Ok(())
    }

    /// How much is output with so many bytes more, where that is allowed.
    pub(crate) fn room(&self, bytes: u64, limits: &Limits) -> Result<u64, LimitError> {
        let wanted = self.bytes.saturating_add(bytes);
        match wanted > limits.output_bytes {
            true => Err(Limit::OutputBytes.hit(wanted, limits)),
            false => Ok(wanted),
        }
    }

    /// Counts what is reported whether or not there is room for it: the error that the run threw.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_add(bytes);
    }

    pub(crate) fn last(&self) -> Option<&Line> {
        self.output.lines.last()
    }

    /// Adds a value for the person: a JSON document.
    pub(crate) fn emit(&mut self, value: String, limits: &Limits) -> Result<(), EmitError> {
        if self.emitted.len() >= MOST_EMITTED {
            return Err(EmitError::Refused(format!(
                "a script can emit at most {MOST_EMITTED} values: put several into one"
            )));
        }
        self.count(value.len() as u64, limits)
            .map_err(EmitError::Limit)?;
        let value = RawValue::from_string(value)
            .map_err(|error| EmitError::Refused(format!("the value is not JSON: {error}")))?;
        self.emitted.push(value);
        Ok(())
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) fn kept(&self) -> OutputSnapshot {
        OutputSnapshot {
            lines: self.output.lines.clone(),
            bytes: self.bytes,
            emitted: self.emitted.clone(),
        }
    }

    /// What was printed elsewhere.
    pub(crate) fn restore(&mut self, kept: OutputSnapshot) {
        self.output.lines = kept.lines;
        self.bytes = kept.bytes;
        self.emitted = kept.emitted;
    }

    pub(crate) fn take(&mut self) -> (Output, Vec<Box<RawValue>>) {
        (
            std::mem::take(&mut self.output),
            std::mem::take(&mut self.emitted),
        )
    }
}
