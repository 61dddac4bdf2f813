//! One chain, being written by one process.
//!
//! Lines are added to what is pending, and go to the file together. Where that fails, the file is
//! as it was, and so is the chain: the event did not happen. What was lost or refused meanwhile is
//! counted, and told by a line of its own as soon as one can be written again.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use ampoule_store::folder::PrivateFolder;

use crate::error::WriteError;
use crate::event::{Event, Name};
use crate::keys::Keys;
use crate::lane;
use crate::line::{self, Place, Stamp};
use crate::log_events::{Checkpoint, CheckpointReason, Gap, Opened};
use crate::position::Position;
use crate::segment::{self, SegmentFile, written};
use crate::settings::{OnFailure, Settings, SyncPolicy};

/// How much may wait for the next write, in bytes.
const MOST_PENDING: usize = 64 << 10;

/// What came of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteOutcome {
    /// It has this number in its chain.
    At(u64),
    /// It could not be written, and happens all the same: it is counted.
    Lost,
}

/// What could not be written since some time.
#[derive(Debug)]
struct Failing {
    since: SystemTime,
    why: String,
    lost: u64,
    refused: u64,
}

/// How much was pending at some time.
struct Pending {
    bytes: usize,
    /// The last line of it.
    end: Place,
}

pub(crate) struct Writer {
    folder: Arc<PrivateFolder>,
    keys: Arc<Keys>,
    on_failure: OnFailure,
    each: bool,
    opened: Instant,
    pub(crate) lane: u16,
    pub(crate) segment: u32,
    pub(crate) file: Arc<File>,
    begun: Instant,
    /// How much of the file is whole lines.
    bytes: u64,
    /// The last line in the file.
    pub(crate) kept: Place,
    /// The last line, with those that are pending.
    end: Place,
    pending: Vec<u8>,
    /// The last line that is signed, and the last one that the disk has.
    signed: u64,
    pub(crate) synced: u64,
    /// The last line that ended a file.
    ended: u64,
    /// The last file whose name the disk has.
    pub(crate) named: u32,
    failing: Option<Failing>,
    /// Part of a line may be at the file's end.
    torn: bool,
    /// The file is not the log's any more, or the disk's: another one is needed.
    pub(crate) astray: bool,
    /// The keeper waits for something to happen.
    pub(crate) asleep: bool,
    pub(crate) closing: bool,
}

impl Writer {
    /// Resumes a lane where it ends.
    pub(crate) fn open(
        folder: Arc<PrivateFolder>,
        keys: Arc<Keys>,
        lane: u16,
        place: Position,
        manifest: u64,
        settings: &Settings,
    ) -> io::Result<Self> {
        let opened = Instant::now();
        let stamp = stamp(opened);
        let file = match place.goes_on {
            true => {
                let file = folder.append(&lane::file_of(lane, place.segment))?;
                let bytes = file.metadata()?.len();
                SegmentFile {
                    file,
                    bytes,
                    place: place.end,
                }
            }
            false => segment::begin(&folder, lane, place.segment, place.end, stamp)?,
        };
        let mut writer = Self {
            folder,
            keys,
            on_failure: settings.on_failure,
            each: settings.sync == SyncPolicy::Each,
            opened,
            lane,
            segment: place.segment,
            file: Arc::new(file.file),
            begun: opened,
            bytes: file.bytes,
            kept: file.place,
            end: file.place,
            pending: Vec::with_capacity(2 * MOST_PENDING),
            signed: place.end.seq,
            synced: place.end.seq,
            ended: 0,
            named: if place.goes_on { place.segment } else { 0 },
            failing: None,
            torn: false,
            astray: false,
            asleep: false,
            closing: false,
        };
        let opened = Opened {
            pid: std::process::id(),
            unclean: place.unclean,
            manifest,
        };
        writer.add(&written(&Event::Opened(opened)));
        writer.flush()?;
        Ok(writer)
    }

    /// Writes an event. One that may wait goes with the next one that may not.
    pub(crate) fn put(&mut self, event: &[u8], may_wait: bool) -> Result<WriteOutcome, WriteError> {
        let before = self.pending();
        if let Some(failing) = &self.failing {
            let gap = failing.told();
            self.add(&gap);
        }
        self.add(event);
        if may_wait && self.failing.is_none() && self.pending.len() < MOST_PENDING {
            return Ok(WriteOutcome::At(self.end.seq));
        }
        match self.flush() {
            Ok(()) => {
                self.works_again();
                Ok(WriteOutcome::At(self.end.seq))
            }
            Err(error) => {
                self.take_back(before);
                self.failed(&error, may_wait)
            }
        }
    }

    /// Writes what is pending, and what was lost.
    pub(crate) fn settle(&mut self) {
        let before = self.pending();
        if let Some(failing) = &self.failing {
            let gap = failing.told();
            self.add(&gap);
        }
        match self.flush() {
            Ok(()) => self.works_again(),
            Err(error) => {
                self.take_back(before);
                self.begin_failing(&error);
            }
        }
    }

    /// Signs everything until here.
    pub(crate) fn sign(&mut self, why: CheckpointReason) -> io::Result<()> {
        self.flush()?;
        let before = self.pending();
        let event = written(&Event::Checkpoint(Checkpoint {
            why,
            signature: Name::default(),
        }));
        let stamp = self.stamp();
        self.end = line::add_signed(&mut self.pending, self.end, stamp, &event, &self.keys);
        if let Err(error) = self.flush() {
            self.take_back(before);
            return Err(error);
        }
        self.signed = self.end.seq;
        Ok(())
    }

    /// Ends the file, and begins another one. The file that ended.
    pub(crate) fn rotate(&mut self) -> io::Result<Arc<File>> {
        // Where no file could be begun before, this one has its end already.
        if self.ended != self.end.seq {
            self.sign(CheckpointReason::Rotate)?;
            self.ended = self.end.seq;
        }
        let ended = Arc::clone(&self.file);
        self.begin_segment()?;
        Ok(ended)
    }

    /// Whether it is time for another file.
    pub(crate) fn is_full(&self, settings: &Settings) -> bool {
        self.bytes >= settings.rotate_bytes || self.begun.elapsed() >= settings.rotate_after
    }

    pub(crate) fn has_pending(&self) -> bool {
        !self.pending.is_empty() || self.failing.is_some()
    }

    pub(crate) fn is_synced(&self) -> bool {
        self.synced == self.kept.seq
    }

    pub(crate) fn is_signed(&self) -> bool {
        self.signed == self.kept.seq
    }

    /// Whether the file's name still leads to it, and nobody else has written to it.
    pub(crate) fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        let named = self
            .folder
            .metadata(&lane::file_of(self.lane, self.segment));
        let same = named.ok().zip(self.file.metadata().ok());
        same.is_some_and(|(named, ours)| {
            named.ino() == ours.ino() && named.dev() == ours.dev() && ours.len() == self.bytes
        })
    }

    /// How many events could not be written since it last worked: lost, and refused.
    pub(crate) fn missing(&self) -> Option<(u64, u64, &str)> {
        let failing = self.failing.as_ref()?;
        Some((failing.lost, failing.refused, &failing.why))
    }

    fn add(&mut self, event: &[u8]) {
        let stamp = self.stamp();
        self.end = line::add(&mut self.pending, self.end, stamp, event);
    }

    fn stamp(&self) -> Stamp {
        stamp(self.opened)
    }

    /// What is pending.
    fn pending(&self) -> Pending {
        Pending {
            bytes: self.pending.len(),
            end: self.end,
        }
    }

    /// Has no more be pending than was before.
    fn take_back(&mut self, before: Pending) {
        // What went astray took everything with it.
        if self.pending.len() >= before.bytes {
            self.pending.truncate(before.bytes);
            self.end = before.end;
        }
    }

    /// Writes what is pending: all of it, or nothing.
    fn flush(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.bytes)?;
            self.torn = false;
        }
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut file = &*self.file;
        let result = file.write_all(&self.pending);
        let result = result.and_then(|()| if self.each { file.sync_data() } else { Ok(()) });
        if let Err(error) = result {
            self.torn = file.set_len(self.bytes).is_err();
            return Err(error);
        }
        if self.each {
            self.synced = self.end.seq;
        }
        self.bytes += self.pending.len() as u64;
        self.kept = self.end;
        self.pending.clear();
        Ok(())
    }

    /// Continues in another file, as this one can't be relied on. What is pending is lost.
    pub(crate) fn leave_astray(&mut self) {
        let lost = memchr::memchr_iter(b'\n', &self.pending).count() as u64;
        self.pending.clear();
        self.end = self.kept;
        self.torn = false;
        match self.begin_segment() {
            Ok(()) => self.astray = false,
            Err(error) => self.begin_failing(&error),
        }
        if lost > 0 {
            let why = io::Error::other("the file was removed, or changed");
            self.begin_failing(&why);
            self.failing.iter_mut().for_each(|it| it.lost += lost);
        }
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let segment = self.segment + 1;
        let begun = segment::begin(&self.folder, self.lane, segment, self.end, self.stamp());
        if let Err(error) = &begun
            && error.kind() == io::ErrorKind::AlreadyExists
        {
            self.segment = segment;
        }
        let begun = begun?;
        self.file = Arc::new(begun.file);
        self.segment = segment;
        self.begun = Instant::now();
        self.bytes = begun.bytes;
        (self.end, self.kept) = (begun.place, begun.place);
        Ok(())
    }

    fn failed(&mut self, error: &io::Error, may_wait: bool) -> Result<WriteOutcome, WriteError> {
        self.begin_failing(error);
        let why = error.to_string();
        let Some(failing) = &mut self.failing else {
            return Err(WriteError { why });
        };
        // What happened already can't be refused.
        if may_wait || self.on_failure == OnFailure::GoOn {
            failing.lost += 1;
            return Ok(WriteOutcome::Lost);
        }
        failing.refused += 1;
        Err(WriteError { why })
    }

    pub(crate) fn begin_failing(&mut self, error: &io::Error) {
        if self.failing.is_none() {
            let stops = self.on_failure == OnFailure::Stop;
            tracing::error!(%error, stops, "the audit log can't be written");
            self.failing = Some(Failing {
                since: SystemTime::now(),
                why: error.to_string(),
                lost: 0,
                refused: 0,
            });
        }
    }

    fn works_again(&mut self) {
        if let Some(failing) = self.failing.take() {
            let Failing { lost, refused, .. } = failing;
            tracing::warn!(lost, refused, "the audit log can be written again");
        }
    }
}

impl Failing {
    fn told(&self) -> Vec<u8> {
        written(&Event::Gap(Gap {
            lost: self.lost,
            refused: self.refused,
            since: humantime::format_rfc3339_millis(self.since)
                .to_string()
                .into(),
            reason: self.why.as_str().into(),
        }))
    }
}

fn stamp(opened: Instant) -> Stamp {
    Stamp {
        at: SystemTime::now(),
        up: opened.elapsed(),
    }
}
