//! Lanes: the chains of a log.
//!
//! Each process that writes has a lane of its own while it does, so that no two ever write to one
//! file; the system frees the lane where the process dies. The next process takes the first free
//! one and continues where it ends. So there are as many chains as there were processes at once.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek, SeekFrom, Write as _};

use ampoule_store::folder::PrivateFolder;

use crate::entry::Head;
use crate::error::AuditError;
use crate::event::Event;
use crate::line::{MOST_LINE, Parts, Place};
use crate::log_events::{CheckpointReason, Segment};
use crate::manifest::{self, Manifest, Mark};

/// How many processes may write at once.
const MOST: u16 = 256;
/// How many files a chain has at most. There is always a number after that.
const MOST_FILES: u32 = u32::MAX / 2;
const ENDING: &str = ".jsonl";

/// The file with a part of a chain.
pub(crate) fn file_of(lane: u16, segment: u32) -> String {
    format!("{lane:03}-{segment:06}{ENDING}")
}

/// The file that the writer locks.
pub(crate) fn lock_of(lane: u16) -> String {
    format!("{lane:03}.lock")
}

/// The lane and the part that a file is of.
fn parts(file: &str) -> Option<(u16, u32)> {
    let (lane, segment) = file.strip_suffix(ENDING)?.split_once('-')?;
    let (lane, segment) = (lane.parse().ok()?, segment.parse().ok()?);
    let is_one = (1..=MOST).contains(&lane) && (1..=MOST_FILES).contains(&segment);
    (is_one && file_of(lane, segment) == file).then_some((lane, segment))
}

/// All lanes that there are files of, and their parts in order.
pub(crate) fn all(folder: &PrivateFolder) -> io::Result<BTreeMap<u16, Vec<u32>>> {
    let mut lanes: BTreeMap<u16, Vec<u32>> = BTreeMap::new();
    for name in folder.names()? {
        if let Some((lane, segment)) = parts(&name) {
            lanes.entry(lane).or_default().push(segment);
        }
    }
    lanes
        .values_mut()
        .for_each(|segments| segments.sort_unstable());
    Ok(lanes)
}

/// The same for a reader: without what was to be removed. Where the list of files can't be used,
/// everything is read.
pub(crate) fn to_read(folder: &PrivateFolder) -> io::Result<BTreeMap<u16, Vec<u32>>> {
    let manifest = Manifest::read(folder, None);
    let mut lanes = all(folder)?;
    for (lane, known) in manifest.iter().flat_map(|it| &it.lanes) {
        if let Some(segments) = lanes.get_mut(lane) {
            segments.retain(|segment| *segment >= known.start().0);
        }
    }
    Ok(lanes)
}

/// Whether a file is one of the log's.
pub(crate) fn is_ours(name: &str) -> bool {
    let is_lock = || {
        let lane = name.strip_suffix(".lock").and_then(|it| it.parse().ok());
        lane.is_some_and(|lane| lock_of(lane) == name)
    };
    let is_cursor = || name.starts_with("passed-on.");
    let is_hidden = name.starts_with('.');
    is_hidden
        || matches!(name, "key" | manifest::FILE)
        || parts(name).is_some()
        || is_lock()
        || is_cursor()
}

/// A free lane, and the lock of it.
pub(crate) fn take(folder: &PrivateFolder) -> Result<(u16, File), AuditError> {
    for lane in 1..=MOST {
        if let Some(mut lock) = folder.try_lock(&lock_of(lane))? {
            // For people alone.
            let _ = lock
                .set_len(0)
                .and_then(|()| write!(lock, "{}", std::process::id()));
            return Ok((lane, lock));
        }
    }
    Err(AuditError::TooManyWriters(MOST))
}

/// Whether somebody writes to a lane.
pub(crate) fn is_taken(folder: &PrivateFolder, lane: u16) -> bool {
    let lock = folder.file(&lock_of(lane));
    lock.is_ok_and(|lock| lock.try_lock_shared().is_err())
}

/// How a file ends.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    /// The last whole line.
    pub(crate) place: Place,
    pub(crate) head: Head,
    /// What is signed there, if it is.
    pub(crate) signed: Option<CheckpointReason>,
    /// How much of a line comes after it, in bytes.
    pub(crate) torn: u64,
}

/// How a file ends; none if no line of it can be read.
pub(crate) fn tail(file: &mut File) -> io::Result<Option<Tail>> {
    let bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(bytes.saturating_sub(2 * MOST_LINE as u64)))?;
    let mut end = Vec::new();
    file.take(2 * MOST_LINE as u64).read_to_end(&mut end)?;
    let Some(last) = memchr::memrchr(b'\n', &end) else {
        return Ok(None);
    };
    let torn = (end.len() - last - 1) as u64;
    let begins = memchr::memrchr(b'\n', &end[..last]).map_or(0, |at| at + 1);
    let line = &end[begins..last];
    let parts = Parts::of(line);
    let head = Head::of(line);
    Ok(parts.zip(head).map(|(parts, head)| {
        let signed = match serde_json::from_slice(line) {
            Ok(Event::Checkpoint(checkpoint)) => Some(checkpoint.why),
            _ => None,
        };
        let place = Place {
            seq: head.seq,
            hash: parts.hash,
        };
        Tail {
            place,
            head,
            signed,
            torn,
        }
    }))
}

/// The first line of a file.
pub(crate) fn first(folder: &PrivateFolder, lane: u16, segment: u32) -> Option<(Head, Vec<u8>)> {
    let mut line = Vec::new();
    let file = folder.file(&file_of(lane, segment)).ok()?;
    let mut start = BufReader::new(file).take(MOST_LINE as u64);
    start.read_until(b'\n', &mut line).ok()?;
    Some((Head::of(&line)?, line))
}

/// What the first line of a file says that comes before it.
pub(crate) fn begins(folder: &PrivateFolder, lane: u16, segment: u32) -> Option<Mark> {
    let (head, line) = first(folder, lane, segment)?;
    let Event::Segment(Segment { after, .. }) = serde_json::from_slice(&line).ok()? else {
        return None;
    };
    Some(Mark {
        segment: segment - 1,
        seq: head.seq.saturating_sub(1),
        hash: after.to_string(),
        at: manifest::now(),
    })
}
