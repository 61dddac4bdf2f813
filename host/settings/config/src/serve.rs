//! How `ampoule serve --http` is reached.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_limits::units;

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::server::{self, Surroundings};
use super::{AccessConfig, ConfigError, Tls, access, keys};

/// How `ampoule serve --http` is reached. What is not configured has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServeConfig {
    /// `auth`: who may use it; `None` if nothing is said of that.
    pub auth: Option<AccessConfig>,
    /// `hosts`: names that it is reached by, beside those of this machine.
    pub hosts: Vec<String>,
    /// `origins`: pages that may use it, beside those of this machine.
    pub origins: Vec<String>,
    /// `tls-cert`: a file in PEM.
    pub tls_cert: Option<PathBuf>,
    /// `tls-key`: a file in PEM.
    pub tls_key: Option<PathBuf>,
    /// `connections`: how many there may be.
    pub connections: Option<NonZeroU32>,
    /// `connections-each`: how many of one address.
    pub connections_each: Option<NonZeroU32>,
    /// `requests-each`: how many of one principal at once.
    pub requests_each: Option<NonZeroU32>,
    /// `sessions`: how many there may be.
    pub sessions: Option<NonZeroU32>,
    /// `sessions-each`: how many of one principal.
    pub sessions_each: Option<NonZeroU32>,
    /// `session-idle`: how long one is kept that nobody uses.
    pub session_idle: Option<Duration>,
    /// `stop-grace`: how long runs may go on once the server is told to stop.
    pub stop_grace: Option<Duration>,
}

pub(super) fn read(
    table: &Table<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<ServeConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::serve::SERVE));
    let auth = table.read("auth", |auth| access::read(auth, tls, around));
    let auth = mistakes.unless(auth).flatten();
    let mut texts = |key| {
        let read = table.read(key, |list| {
            list.each(|entry| entry.text().map(ToOwned::to_owned))
        });
        mistakes.unless(read).flatten().unwrap_or_default()
    };
    let (hosts, origins) = (texts("hosts"), texts("origins"));
    let mut path = |key| {
        let read = table.read(key, |entry| server::path(entry, around));
        mistakes.unless(read).flatten()
    };
    let (tls_cert, tls_key) = (path("tls-cert"), path("tls-key"));
    let mut count = |key| mistakes.unless(table.read(key, number)).flatten();
    let (connections, connections_each) = (count("connections"), count("connections-each"));
    let requests_each = count("requests-each");
    let (sessions, sessions_each) = (count("sessions"), count("sessions-each"));
    let mut time = |key| {
        let read = table.read(key, |entry| entry.quantity(units::parse_duration));
        mistakes.unless(read).flatten()
    };
    let (session_idle, stop_grace) = (time("session-idle"), time("stop-grace"));
    if tls_cert.is_some() != tls_key.is_some() {
        let there = ["tls-cert", "tls-key"]
            .into_iter()
            .find_map(|key| table.get(key));
        let said = "`tls-cert` and `tls-key` go together";
        mistakes.unless(there.map_or(Ok(()), |entry| Err(entry.refuse(said))));
    }
    mistakes.none()?;
    Ok(ServeConfig {
        auth,
        hosts,
        origins,
        tls_cert,
        tls_key,
        connections,
        connections_each,
        requests_each,
        sessions,
        sessions_each,
        session_idle,
        stop_grace,
    })
}

fn number(entry: &Entry<'_>) -> Result<NonZeroU32, ConfigError> {
    let count = entry.quantity(units::parse_count)?;
    let count = u32::try_from(count).ok().and_then(NonZeroU32::new);
    count.ok_or_else(|| entry.refuse(format!("this must be 1 to {}", u32::MAX)))
}
