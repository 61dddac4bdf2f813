//! How a run ended.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::limits::LimitHit;
use super::output::Output;
use super::usage::Usage;

/// How a run ended, with what it printed and used until then.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What it printed, however it ended.
    pub output: Output,
    /// What it used, however it ended.
    pub usage: Usage,
}

impl Outcome {
    /// The value that the run returned, as `T`. A run that returned nothing gives JSON's `null`.
    ///
    /// # Errors
    ///
    /// [`NoValue`] where the run ended otherwise, or the value is not a `T`.
    pub fn value<T: DeserializeOwned>(&self) -> Result<T, NoValue> {
        match &self.ending {
            Ending::Returned(value) => {
                serde_json::from_str(value.as_deref().map_or("null", RawValue::get))
                    .map_err(|error| NoValue(error.to_string()))
            }
            other => Err(NoValue(other.to_string())),
        }
    }
}

/// Why an [`Outcome`] has no value of the wanted type.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct NoValue(String);

/// How a run ended.
#[derive(Debug)]
pub enum Ending {
    /// The script ended by itself; with the value that it returned, as JSON, or none where it returned nothing.
    Returned(Option<Box<RawValue>>),
    /// It threw, or raised, an error that it did not catch.
    Threw(Thrown),
    /// The guest broke a rule of WebAssembly. The run is over; the host and other runs are untouched.
    Trapped(Trapped),
    /// It hit a limit.
    Limit(LimitHit),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Returned(None) => f.write_str("the script returned nothing"),
            Self::Returned(Some(value)) => f.write_str(value.get()),
            Self::Threw(thrown) => thrown.fmt(f),
            Self::Trapped(trapped) => trapped.fmt(f),
            Self::Limit(hit) => hit.fmt(f),
        }
    }
}

/// An error that a script did not catch. Displays as what a model needs to mend its script.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    wasmtime::component::ComponentType,
    wasmtime::component::Lift,
)]
#[component(record)]
pub struct Thrown {
    /// The error's class, such as `TypeError`.
    pub name: String,
    /// The message.
    pub message: String,
    /// Where it was thrown, if that is in the script's own source.
    pub location: Option<Location>,
    /// The stack, in the script's own lines; empty where there is none.
    pub stack: String,
    /// Its causes, outermost first.
    pub causes: Vec<String>,
}

/// A place in a script's source, as it was written.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    wasmtime::component::ComponentType,
    wasmtime::component::Lift,
)]
#[component(record)]
pub struct Location {
    /// The module's name.
    pub module: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// The line itself, cut to a readable length.
    pub text: String,
}

impl fmt::Display for Thrown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.message)?;
        if let Some(Location {
            module,
            line,
            column,
            text,
        }) = &self.location
        {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            // Tabs stay tabs, so that the caret stands below its character whatever a tab's width is.
            let indent: String = text
                .chars()
                .take((*column as usize).saturating_sub(1))
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            write!(
                f,
                "\n{margin}--> {module}:{line}:{column}\n{number} | {text}\n{margin} | {indent}^"
            )?;
        }
        if self.stack.lines().count() > 1 {
            write!(f, "\n{}", self.stack.trim_end())?;
        }
        self.causes
            .iter()
            .try_for_each(|cause| write!(f, "\ncaused by: {cause}"))
    }
}

/// A guest that broke a rule of WebAssembly.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the guest trapped: {message}")]
pub struct Trapped {
    /// Wasmtime's name for what happened.
    pub message: String,
}
