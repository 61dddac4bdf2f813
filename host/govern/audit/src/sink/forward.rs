//! Passing a log on while it is written: every event at least once, in the order of its chain.
//!
//! Of several processes that write into a folder, one at a time passes all of it on; another one
//! continues where it ends.

use std::io::{self, Read as _};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ampoule_store::folder::PrivateFolder;
use parking_lot::{Condvar, Mutex};

use crate::error::AuditError;
use crate::sink::follow::Cursors;
use crate::sink::{Sink, SinkError};
use crate::verify::existing;

/// How large the file is that says how far it is, in bytes.
const MOST_CURSORS: u64 = 1 << 16;

/// How a log is passed on. By default 512 events at once, looked for each second; what is not taken is
/// offered again after one second, then two, at last each minute.
#[derive(Debug, Clone)]
pub struct ForwardSettings {
    /// How many events are passed on at once, at most.
    pub batch: usize,
    /// How often it is looked for new ones.
    pub every: Duration,
    /// How long it waits at most before what was not taken is offered again.
    pub longest_pause: Duration,
}

impl Default for ForwardSettings {
    fn default() -> Self {
        Self {
            batch: 512,
            every: Duration::from_secs(1),
            longest_pause: Duration::from_secs(60),
        }
    }
}

/// How far a log has been passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ForwardPosition {
    /// How many events were taken, by whichever process passed them on.
    pub sent: u64,
    /// How many never will be: they were removed before, could not be read, or were refused.
    pub dropped: u64,
    /// Why it does not continue at the moment.
    pub failing: Option<String>,
}

/// A log that is being passed on. Where it is dropped, what is there is passed on if that works at
/// once.
pub struct Forward {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    forwarded: ForwardPosition,
    stop: bool,
}

impl Forward {
    /// Passes the log in a folder on. `name`: what the sink is called, in small letters and digits;
    /// how far it is, is kept under that name.
    ///
    /// # Errors
    ///
    /// [`AuditError::Folder`], [`AuditError::Missing`].
    pub fn start(
        path: &Path,
        name: &str,
        sink: impl Sink,
        settings: ForwardSettings,
    ) -> Result<Self, AuditError> {
        let is_name = |name: &str| {
            let fits =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            (1..=64).contains(&name.len()) && name.bytes().all(fits)
        };
        if !is_name(name) {
            let why = "the name of a sink has small letters, digits and hyphens";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why).into());
        }
        let follower = Follower {
            batch: settings.batch.max(1),
            folder: existing(path)?,
            name: format!("passed-on.{name}"),
            sink: Box::new(sink),
            settings,
        };
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("ampoule-audit-forward".to_owned())
            .spawn(move || follower.go_on(&theirs))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// How far it is.
    pub fn forwarded(&self) -> ForwardPosition {
        self.shared.state.lock().forwarded.clone()
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        self.shared.state.lock().stop = true;
        self.shared.wake.notify_one();
        if self
            .thread
            .take()
            .is_some_and(|thread| thread.join().is_err())
        {
            tracing::error!("the audit log's forwarder has panicked");
        }
    }
}

struct Follower {
    folder: PrivateFolder,
    name: String,
    sink: Box<dyn Sink>,
    /// How many are passed on at once, at the moment.
    batch: usize,
    settings: ForwardSettings,
}

impl Follower {
    fn go_on(mut self, shared: &Shared) {
        let mut pause = Duration::from_secs(1);
        let mut lock = None;
        loop {
            // Read before what is there is passed on, which is so once more at the end.
            let stop = shared.state.lock().stop;
            if lock.is_none() {
                lock = self
                    .folder
                    .try_lock(&format!("{}.lock", self.name))
                    .ok()
                    .flatten();
            }
            let done = match lock {
                Some(_) => self.pass_on(shared, stop),
                None => Ok(()),
            };
            let wait = match &done {
                Ok(()) => {
                    pause = Duration::from_secs(1);
                    self.settings.every
                }
                Err(_) => {
                    let wait = pause.min(self.settings.longest_pause);
                    pause = (2 * pause).min(self.settings.longest_pause);
                    wait
                }
            };
            let mut state = shared.state.lock();
            if let (Err(error), None) = (&done, &state.forwarded.failing) {
                tracing::warn!(sink = self.name, %error, "the audit log can't be forwarded; Ampoule tries again");
            }
            state.forwarded.failing = done.err().map(|error| error.to_string());
            if stop {
                return;
            }
            if !state.stop {
                shared.wake.wait_for(&mut state, wait);
            }
        }
    }

    /// Passes on what there is.
    fn pass_on(&mut self, shared: &Shared, stop: bool) -> Result<(), SinkError> {
        loop {
            let cursors = self.cursors();
            let (entries, mut after) = cursors.next(&self.folder, self.batch)?;
            let count = entries.len() as u64;
            match (count, self.sink_takes(&entries)) {
                (0, _) => {}
                (_, Ok(())) => {
                    after.sent += count;
                    self.batch = self.settings.batch.max(1).min(2 * self.batch);
                }
                // One that is not wanted must not take the others with it.
                (2.., Err(SinkError::Never(_))) => {
                    self.batch = (entries.len() / 2).max(1);
                    continue;
                }
                (_, Err(SinkError::Never(why))) => {
                    after.dropped += count;
                    tracing::error!(
                        sink = self.name,
                        count,
                        why,
                        "a target refused events of the audit log, and does not get them again"
                    );
                }
                (_, Err(again)) => return Err(again),
            }
            if after != cursors {
                let text = serde_json::to_vec(&after).map_err(io::Error::from)?;
                // After a power failure, some events may be passed on once more.
                let draft = self.folder.draft(&self.name, || ())?;
                draft.keep_unsynced(&format!("{}.json", self.name), &text)?;
            }
            let mut state = shared.state.lock();
            (state.forwarded.sent, state.forwarded.dropped) = (after.sent, after.dropped);
            if count == 0 || state.stop && !stop {
                return Ok(());
            }
        }
    }

    fn sink_takes(&mut self, entries: &[crate::Entry]) -> Result<(), SinkError> {
        match entries.is_empty() {
            true => Ok(()),
            false => self.sink.take(entries),
        }
    }

    /// How far it is. What can't be read is begun anew.
    fn cursors(&self) -> Cursors {
        let mut text = Vec::new();
        let file = self.folder.file(&format!("{}.json", self.name));
        let read = file.and_then(|file| file.take(MOST_CURSORS).read_to_end(&mut text));
        match read {
            Ok(_) => serde_json::from_slice(&text).unwrap_or_default(),
            Err(_) => Cursors::default(),
        }
    }
}
