//! The log of a process.

use std::cell::RefCell;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use parking_lot::{Condvar, Mutex};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::arguments::WrittenArguments;
use crate::error::{AuditError, WriteError};
use crate::event::Event;
use crate::keeper;
use crate::keys::{Keys, PublicKey};
use crate::lane;
use crate::line::MOST_EVENT;
use crate::log_events::CheckpointReason;
use crate::manifest::{ChainState, Manifest};
use crate::position::Position;
use crate::segment::written;
use crate::settings::Settings;
use crate::writer::{WriteOutcome, Writer};

/// The audit log: the log of this process, in a folder that several may write to.
///
/// Ends with a signature when it is [closed](Self::close) or dropped.
pub struct Log {
    pub(crate) shared: Arc<Shared>,
    keeper: Option<JoinHandle<()>>,
    /// Given back last.
    lock: File,
}

pub(crate) struct Shared {
    pub(crate) folder: Arc<PrivateFolder>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) settings: Settings,
    pub(crate) writer: Mutex<Writer>,
    /// Something is there to be done.
    pub(crate) wake: Condvar,
}

/// How a log stands: what an operator's metrics show.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Standing {
    /// Why it can't be written at the moment.
    pub failing: Option<String>,
    /// How many events are missing for that reason, though they happened.
    pub lost: u64,
    /// How many were refused, and so did not happen.
    pub refused: u64,
}

impl Log {
    /// Opens a folder, and makes it if need be. Nobody else may be able to read it.
    ///
    /// # Errors
    ///
    /// [`AuditError::Folder`], [`AuditError::TooManyWriters`].
    pub fn open(path: &Path, settings: Settings) -> Result<Self, AuditError> {
        let folder = Arc::new(PrivateFolder::open(path, OTHERS_REACH)?);
        let keys = Arc::new(Keys::of(&folder)?);
        let (lane, lock) = lane::take(&folder)?;
        let manifest = match Manifest::read(&folder, Some(&keys.public())) {
            Ok(manifest) if manifest.lanes.contains_key(&lane) => manifest,
            // A chain is listed before it begins: one that is not listed is nobody's.
            _ => {
                let list = |it: &mut Manifest| {
                    it.lanes.entry(lane).or_insert(ChainState::new());
                };
                Manifest::change(&folder, &keys, list)?.0
            }
        };
        let known = manifest
            .lanes
            .get(&lane)
            .cloned()
            .unwrap_or(ChainState::new());
        let position = Position::find(&folder, lane, &known, &settings)?;
        let last = position.last;
        let (ours, its, number) = (Arc::clone(&folder), Arc::clone(&keys), manifest.number);
        let writer = Writer::open(ours, its, lane, position, number, &settings)?;
        let shared = Arc::new(Shared {
            folder,
            keys,
            settings,
            writer: Mutex::new(writer),
            wake: Condvar::new(),
        });
        let theirs = Arc::clone(&shared);
        let keeper = std::thread::Builder::new()
            .name("ampoule-audit".to_owned())
            .spawn(move || keeper::keep(&theirs, last))?;
        Ok(Self {
            shared,
            keeper: Some(keeper),
            lock,
        })
    }

    /// Records an event. Once this returns, the system has it: it is there though the process be
    /// killed. What a call came to may be a tenth of a second late.
    ///
    /// # Errors
    ///
    /// [`WriteError`]: what the event tells must not be done.
    pub fn write(&self, event: &Event) -> Result<WriteOutcome, WriteError> {
        thread_local! {
            static JSON: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        JSON.with_borrow_mut(|json| {
            json.clear();
            if let Err(error) = serde_json::to_writer(&mut *json, event) {
                let why = error.to_string();
                return Err(WriteError { why });
            }
            if json.len() > MOST_EVENT {
                *json = cut(json);
            }
            let mut writer = self.shared.writer.lock();
            let put = writer.put(json, event.may_wait());
            if writer.asleep {
                writer.asleep = false;
                self.shared.wake.notify_one();
            }
            put
        })
    }

    /// Arguments of a tool, as the settings say that they are written down.
    pub fn arguments(
        &self,
        server: &str,
        tool: &str,
        arguments: &impl Serialize,
    ) -> WrittenArguments {
        let how = self.shared.settings.arguments.of(server, tool);
        WrittenArguments::of(arguments, how, &self.shared.keys.digests)
    }

    /// The keyed digest of something, as in [`WrittenArguments`]: to tell that two are the same.
    pub fn digest(&self, of: &[u8]) -> String {
        let hash = blake3::keyed_hash(&self.shared.keys.digests, of);
        hash.to_hex()[..32].to_owned()
    }

    /// What the log's signatures are checked with.
    pub fn public_key(&self) -> PublicKey {
        self.shared.keys.public()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.shared.folder.path()
    }

    /// How it stands.
    pub fn standing(&self) -> Standing {
        let writer = self.shared.writer.lock();
        let missing = writer.missing();
        missing.map_or_else(Standing::default, |(lost, refused, why)| Standing {
            failing: Some(why.to_owned()),
            lost,
            refused,
        })
    }

    /// Signs what is there, and ends.
    ///
    /// # Errors
    ///
    /// [`AuditError::Folder`]: the log ends as if the process had been killed.
    pub fn close(mut self) -> Result<(), AuditError> {
        Ok(self.end()?)
    }

    fn end(&mut self) -> std::io::Result<()> {
        let Some(keeper) = self.keeper.take() else {
            return Ok(());
        };
        let mut writer = self.shared.writer.lock();
        writer.closing = true;
        self.shared.wake.notify_one();
        drop(writer);
        if keeper.join().is_err() {
            tracing::error!("the audit log's keeper has panicked");
        }
        let ended = {
            let mut writer = self.shared.writer.lock();
            writer.settle();
            // What is missing must be reported: the next process reports that the end is.
            match writer.missing() {
                Some((.., why)) => Err(std::io::Error::other(why.to_owned())),
                None => writer.sign(CheckpointReason::Close),
            }
        };
        let ended = ended.and_then(|()| keeper::settle(&self.shared));
        // A process that is being started has the file for a moment, and with it the lock.
        self.lock.unlock()?;
        ended
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            tracing::error!(%error, "the audit log was not closed");
        }
    }
}

/// What is left of an event that is too large: texts are shortened, what is large within it is left
/// out. So it is still known what was done, by whom, with which outcome.
fn cut(json: &[u8]) -> Vec<u8> {
    /// How long a text may still be, and what is in another value, in bytes.
    const MOST: usize = 1000;
    let mut event: Map<String, Value> = serde_json::from_slice(json).unwrap_or_default();
    let is_large = |value: &Value| value.to_string().len() > MOST;
    for value in event.values_mut() {
        match value {
            Value::String(text) if text.len() > MOST => {
                text.truncate(text.floor_char_boundary(MOST));
                text.push('…');
            }
            Value::Object(members) => members.retain(|_, member| !is_large(member)),
            Value::Array(items)
                if items.iter().map(|it| it.to_string().len()).sum::<usize>() > MOST =>
            {
                items.clear()
            }
            _ => {}
        }
    }
    let hash = blake3::hash(json).to_hex().to_string();
    event.insert("cut".to_owned(), json!({"bytes": json.len(), "hash": hash}));
    written(&event)
}
