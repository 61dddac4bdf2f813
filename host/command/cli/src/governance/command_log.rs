//! What commands do besides runs, such as signing in, in the audit log where there is one.

use ampoule_audit::{Event, Log};
use ampoule_config::Config;
use ampoule_configured::governed;

use crate::exit::Failure;

/// The audit log, for what a command does. It is opened before that: what can't be recorded is not
/// done.
pub(crate) struct CommandLog(Option<Log>);

impl CommandLog {
    /// That of the configuration.
    pub(crate) fn of(config: &Config) -> Result<Self, Failure> {
        let audit = config.governance.audit.as_ref();
        Ok(Self(audit.map(governed::log).transpose()?))
    }

    /// Records that something was done.
    pub(crate) fn done(&self, event: impl FnOnce() -> Event) -> Result<(), Failure> {
        let Some(log) = &self.0 else { return Ok(()) };
        log.write(&event()).map(drop).map_err(|error| {
            Failure::usage(format!(
                "it is done, and is missing in the audit log: {error}"
            ))
        })
    }
}
