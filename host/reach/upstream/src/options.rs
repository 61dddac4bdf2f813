//! How an upstream behaves, as far as that is configured.

use ampoule_projection::names::server_and_account;
use std::num::NonZeroU16;
use std::path::PathBuf;
use std::time::Duration;

use super::cache::Cache;

/// How an upstream behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpstreamOptions {
    /// How long one call may take, apart from the server's start. Default 5 min: what bounds calls
    /// as a rule is the wall time of the run that makes them.
    pub call_timeout: Duration,
    /// How long the server may show no life while it starts, and how long it may then take to list
    /// its tools. Default 30 s. What it prints is a sign of life, and so is, on Linux, that it or
    /// what it started computes: `npx` and `uvx` may have to download it. A start takes at most ten
    /// minutes, or this if it is more. At most a year.
    pub start_timeout: Duration,
    /// A folder in which the server's list of tools is kept between processes, readable by its
    /// owner alone. Default none. With one, tools are known before the server is started, and
    /// brought up to date when it is.
    pub cache_dir: Option<PathBuf>,
    /// How long nobody may use a server before it is stopped; the next call starts it again, and
    /// its tools stay known. Default 10 min; it is stopped at most a tenth later than that. With
    /// none, or zero, never. Calls under way are uses, however long they take.
    pub idle_timeout: Option<Duration>,
    /// How many calls may be under way at once, of all runs together, at least 1; further ones wait
    /// in order. Default 256: as many as eight runs may make with the default of theirs. What a
    /// server can't do at once, it queues itself; this bounds what it has to.
    pub concurrency: usize,
    /// How many calls may be sent in how much time; further ones wait in order. Default: any
    /// number.
    pub rate: Option<Rate>,
    /// What the server is told where it asks for roots: absolute paths, or addresses. Default none:
    /// then the respondent of the call is asked, if it has roots.
    pub roots: Vec<String>,
}

impl UpstreamOptions {
    /// Where the list of the server is kept that is configured like this. Accounts of a server have
    /// lists of their own, also where they differ in nothing but who signed in.
    pub(super) fn cache_of(&self, name: &str, identity: blake3::Hash) -> Option<Cache> {
        let folder = self.cache_dir.as_deref()?;
        let identity = match server_and_account(name) {
            (_, None) => identity,
            (_, Some(_)) => {
                let mut hasher = blake3::Hasher::new_derive_key("ampoule account of a server");
                hasher.update(identity.as_bytes()).update(name.as_bytes());
                hasher.finalize()
            }
        };
        Some(Cache::new(folder, identity))
    }
}

impl Default for UpstreamOptions {
    fn default() -> Self {
        Self {
            call_timeout: Duration::from_secs(300),
            start_timeout: Duration::from_secs(30),
            cache_dir: None,
            idle_timeout: Some(Duration::from_mins(10)),
            concurrency: 256,
            rate: None,
            roots: Vec::new(),
        }
    }
}

/// So many calls in any stretch of time that is so long: services that count requests count them
/// like that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many.
    pub calls: NonZeroU16,
    /// In how much time.
    pub per: Duration,
}
