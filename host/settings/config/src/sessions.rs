//! What is kept of sessions.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_limits::units;

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::server::{self, Surroundings};
use super::{ConfigError, keys};

/// What sessions may take, where it is not the default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionsConfig {
    /// `folder`: where they are.
    pub folder: Option<PathBuf>,
    /// `bytes`: how much what one run leaves may take.
    pub bytes: Option<u64>,
    /// `runs`: how many runs of a session are kept, to go back to.
    pub runs: Option<NonZeroUsize>,
    /// `most`: how many sessions a principal may have.
    pub most: Option<NonZeroUsize>,
    /// `age`: after how long without a run a session goes.
    pub age: Option<Duration>,
}

pub(super) fn read(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<SessionsConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("sessions")));
    let folder = table.read("folder", |folder| server::path(folder, around));
    let bytes = table.read("bytes", |bytes| bytes.quantity(units::parse_bytes));
    let age = table.read("age", |age| age.quantity(units::parse_duration));
    let (runs, most) = (table.read("runs", some), table.read("most", some));
    let config = SessionsConfig {
        folder: mistakes.unless(folder).flatten(),
        bytes: mistakes.unless(bytes).flatten(),
        runs: mistakes.unless(runs).flatten(),
        most: mistakes.unless(most).flatten(),
        age: mistakes.unless(age).flatten(),
    };
    mistakes.none().map(|()| config)
}

/// One, or more.
pub(super) fn some(entry: &Entry<'_>) -> Result<NonZeroUsize, ConfigError> {
    let count = entry.quantity(units::parse_count)?;
    let count = usize::try_from(count).ok().and_then(NonZeroUsize::new);
    count.ok_or_else(|| entry.refuse("this is a number, at least 1"))
}
