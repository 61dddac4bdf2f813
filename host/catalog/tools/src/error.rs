//! Host faults: what is wrong with the host or its configuration, and never the script's doing.

use std::fmt;
use std::time::Duration;

/// A host fault. What a script does wrong is part of its outcome instead.
pub struct Error {
    kind: Kind,
    message: String,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Config,
    Request,
    Busy { again: Duration },
    Host,
}

impl Error {
    /// What the operator configured can't be used.
    #[doc(hidden)]
    pub fn config(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Config,
            message: message.into(),
            source: None,
        }
    }

    /// The caller asked for something that is not available.
    #[doc(hidden)]
    pub fn request(message: impl Into<String>) -> Self {
        Self {
            kind: Kind::Request,
            message: message.into(),
            source: None,
        }
    }

    /// Too many isolates are alive, or wait for their place.
    #[doc(hidden)]
    pub fn busy(why: impl fmt::Display, again: Duration) -> Self {
        // In whole seconds, as HTTP says it.
        let seconds = again.as_millis().div_ceil(1000).max(1);
        let again = Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX));
        Self {
            kind: Kind::Busy { again },
            message: format!("busy, again in {seconds} s: {why}"),
            source: None,
        }
    }

    /// The host is at fault.
    #[doc(hidden)]
    pub fn host(
        message: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self {
            kind: Kind::Host,
            message: message.into(),
            source: Some(source.into()),
        }
    }

    /// Whether what the operator configured can't be used.
    pub fn is_config(&self) -> bool {
        self.kind == Kind::Config
    }

    /// Whether the caller asked for something that is not available: a limit above its ceiling, a
    /// server that is not configured, a source that is not text.
    pub fn is_request(&self) -> bool {
        self.kind == Kind::Request
    }

    /// Whether too many isolates were alive for too long. Trying again may help, some time
    /// [later](Self::retry_after).
    pub fn is_busy(&self) -> bool {
        self.retry_after().is_some()
    }

    /// After how long trying again may help, where the host was [busy](Self::is_busy): whole
    /// seconds.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.kind {
            Kind::Busy { again } => Some(again),
            Kind::Config | Kind::Request | Kind::Host => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source:?}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
