//! What commands do besides runs, such as signing in, in the audit log where there is one.

use ampoule_audit::{Event, Log};
use ampoule_config::Config;
use ampoule_configured::governed;

use crate::exit::Failure;

/// The audit log, for the actions of a command. It is opened before the action: an action that
/// can't be recorded does not happen.
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
                "the command is done, but the audit log lacks its event: {error}"
            ))
        })
    }
}
