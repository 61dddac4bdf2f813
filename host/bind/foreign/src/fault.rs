//! Faults: why a run has no outcome.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ampoule::Error;
use ampoule_configured::SetupError;
use serde::Serialize;

/// Why a runtime can't be made, or a run has no outcome. Displays as a sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Fault {
    /// The kind: whose fault it is.
    pub kind: FaultKind,
    /// What is wrong.
    pub message: String,
    /// After how many seconds a retry may help, if the host was busy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

/// The kind of a [`Fault`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FaultKind {
    /// The options or the configuration can't be used.
    Usage,
    /// Too many isolates were alive for too long.
    Busy,
    /// The runtime was closed, or the process was forked.
    Closed,
    /// The host failed.
    Host,
}

impl FaultKind {
    /// Its name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usage => "usage",
            Self::Busy => "busy",
            Self::Closed => "closed",
            Self::Host => "host",
        }
    }
}

impl Fault {
    fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            retry_after: None,
        }
    }

    /// The caller's options can't be used.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Usage, message)
    }

    /// The runtime was closed.
    pub fn closed(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Closed, message)
    }

    /// The host is at fault.
    pub fn host(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Host, message)
    }

    /// As JSON: `kind`, `message`, and `retryAfter` if there is one.
    pub fn to_json(&self) -> String {
        // Texts and numbers alone can always be written.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// Does work for a caller that nothing may unwind into: a panic is a fault of the host's.
///
/// # Errors
///
/// The work's own, or that it panicked.
pub fn caught<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    // What a panic left half done is not used after it: the host has failed.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// A panic, as a fault of the host's.
pub(crate) fn panicked(panic: &(dyn Any + Send)) -> Fault {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message");
    Fault::host(format!(
        "this is a bug in Ampoule, please report it: {text}"
    ))
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let kind = match () {
            () if error.is_busy() => FaultKind::Busy,
            () if error.is_config() || error.is_request() => FaultKind::Usage,
            () => FaultKind::Host,
        };
        Self {
            retry_after: error.retry_after().map(|after| Duration::as_secs(&after)),
            ..Self::new(kind, told(&error))
        }
    }
}

impl From<SetupError> for Fault {
    fn from(error: SetupError) -> Self {
        match error {
            SetupError::Configuration(why) => Self::usage(why),
            host @ SetupError::Host(_) => Self::host(told(&host)),
        }
    }
}

/// An error with its causes.
fn told(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message += &format!(": {cause}");
        source = cause.source();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_fault_of_the_hosts() {
        let fault = caught::<()>(|| panic!("on purpose")).unwrap_err();
        assert_eq!(
            fault.to_json(),
            r#"{"kind":"host","message":"this is a bug in Ampoule, please report it: on purpose"}"#
        );
        let number = 3;
        let fault = caught::<()>(|| panic!("on purpose, {number}")).unwrap_err();
        assert!(fault.message.ends_with("on purpose, 3"), "{fault}");
        assert_eq!(caught(|| Ok(number)), Ok(3));
        let own = Fault::usage("its own");
        assert_eq!(caught::<()>(|| Err(own.clone())), Err(own));
    }
}
