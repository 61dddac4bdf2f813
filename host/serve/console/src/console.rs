//! The console itself: its sources, its browsers, and what it may take.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::access::Browsers;
use crate::model::{Me, Viewer};
use crate::sources::{Fingerprints, RecordLists, RunList, Shared, Shares, Sources};

/// How many live streams there may be, and how many of each viewer.
const STREAMS: usize = 256;
const STREAMS_EACH: usize = 32;
/// How many requests are answered at once, and how many of each viewer.
const REQUESTS: usize = 128;
const REQUESTS_EACH: usize = 32;
/// How many files may be sent at once, and how many to each viewer: each is held in memory.
const DOWNLOADS: usize = 16;
const DOWNLOADS_EACH: usize = 4;

/// How many sign-ins to servers of this machine's user may wait for a browser at once.
const SIGN_INS_WAITING: usize = 8;

/// The console of a running Ampoule. Clones are the same.
#[derive(Clone)]
pub struct Console(Arc<Inner>);

struct Inner {
    sources: Sources,
    browsers: Browsers,
    streams: Shares,
    requests: Shares,
    downloads: Shares,
    fingerprints: Fingerprints,
    record_lists: RecordLists,
    run_lists: Shared<Arc<RunList>>,
    waiting: Shared<usize>,
    sign_in_turns: Arc<Semaphore>,
}

impl Console {
    /// A console over these sources. Browsers come in as `browsers` says.
    pub fn new(sources: Sources, browsers: Browsers) -> Self {
        Self(Arc::new(Inner {
            sources,
            browsers,
            streams: Shares::new("live streams", STREAMS, STREAMS_EACH),
            requests: Shares::new("requests", REQUESTS, REQUESTS_EACH),
            downloads: Shares::new("downloads", DOWNLOADS, DOWNLOADS_EACH),
            fingerprints: Fingerprints::default(),
            record_lists: RecordLists::default(),
            run_lists: Shared::default(),
            waiting: Shared::default(),
            sign_in_turns: Arc::new(Semaphore::new(SIGN_INS_WAITING)),
        }))
    }

    pub(crate) fn sources(&self) -> &Sources {
        &self.0.sources
    }

    pub(crate) fn streams(&self) -> &Shares {
        &self.0.streams
    }

    pub(crate) fn requests(&self) -> &Shares {
        &self.0.requests
    }

    pub(crate) fn downloads(&self) -> &Shares {
        &self.0.downloads
    }

    pub(crate) fn fingerprints(&self) -> &Fingerprints {
        &self.0.fingerprints
    }

    pub(crate) fn record_lists(&self) -> &RecordLists {
        &self.0.record_lists
    }

    pub(crate) fn run_lists(&self) -> &Shared<Arc<RunList>> {
        &self.0.run_lists
    }

    /// How many approvals wait for each audience, up to a bound.
    pub(crate) fn waiting(&self) -> &Shared<usize> {
        &self.0.waiting
    }

    /// The sign-ins to servers that may wait for a browser of this machine.
    pub(crate) fn sign_in_turns(&self) -> &Arc<Semaphore> {
        &self.0.sign_in_turns
    }

    /// The browsers that are signed in.
    pub fn browsers(&self) -> &Browsers {
        &self.0.browsers
    }

    /// The viewer, and what is set up here.
    pub fn me(&self, viewer: &Viewer) -> Me {
        Me {
            principal: viewer.name().to_owned(),
            groups: viewer.owner().map_or_else(Vec::new, |it| {
                it.groups().iter().map(ToString::to_string).collect()
            }),
            operator: viewer.is_operator(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parts: self.parts(),
        }
    }
}
