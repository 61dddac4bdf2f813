//! The events of all chains of a log, in the order of their times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use ampoule_store::folder::PrivateFolder;

use crate::entry::Entry;
use crate::error::AuditError;
use crate::filter::Filter;
use crate::lane;
use crate::line::MOST_LINE;
use crate::verify::existing;

/// The events of a log that a filter fits. Those of one chain are in their order; chains are merged
/// by time. What can't be read is left out, and counted: [`verify`](crate::verify()) tells more.
pub struct Events {
    filter: Filter,
    lanes: Vec<Lane>,
    /// The next event of each.
    next: BinaryHeap<Reverse<(SystemTime, usize)>>,
    left_out: u64,
}

/// A chain that is read.
struct Lane {
    folder: Arc<PrivateFolder>,
    lane: u16,
    /// The files that are still to be read, the next one last.
    segments: Vec<u32>,
    file: Option<BufReader<File>>,
    next: Option<Entry>,
    left_out: u64,
}

impl Events {
    /// Those of the log in a folder.
    ///
    /// # Errors
    ///
    /// [`AuditError::Folder`], [`AuditError::Missing`].
    pub fn read(path: &Path, filter: Filter) -> Result<Self, AuditError> {
        let folder = Arc::new(existing(path)?);
        let mut lanes = Vec::new();
        for (lane, mut segments) in lane::to_read(&folder)? {
            segments.retain(|segment| may_have(&folder, &lane::file_of(lane, *segment), &filter));
            segments.reverse();
            lanes.push(Lane {
                folder: Arc::clone(&folder),
                lane,
                segments,
                file: None,
                next: None,
                left_out: 0,
            });
        }
        let mut events = Self {
            filter,
            next: BinaryHeap::new(),
            left_out: 0,
            lanes,
        };
        for index in 0..events.lanes.len() {
            events.advance(index);
        }
        Ok(events)
    }

    /// How many lines were left out so far, as they can't be read; a file that can't be is one.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    fn advance(&mut self, index: usize) -> Option<Entry> {
        let lane = &mut self.lanes[index];
        let next = lane.read();
        self.left_out += std::mem::take(&mut lane.left_out);
        if let Some(next) = &next {
            self.next.push(Reverse((next.at, index)));
        }
        std::mem::replace(&mut lane.next, next)
    }
}

impl Iterator for Events {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        loop {
            let Reverse((_, index)) = self.next.pop()?;
            let entry = self.advance(index)?;
            if self.filter.fits(&entry) {
                return Some(entry);
            }
        }
    }
}

/// Whether a file may have an event that is late enough.
fn may_have(folder: &PrivateFolder, file: &str, filter: &Filter) -> bool {
    let Some(since) = filter.since else {
        return true;
    };
    let tail = folder.file(file).and_then(|mut file| lane::tail(&mut file));
    let Ok(Some(tail)) = tail else {
        return true;
    };
    humantime::parse_rfc3339(&tail.head.at).map_or(true, |at| at >= since)
}

impl Lane {
    fn read(&mut self) -> Option<Entry> {
        let mut line = Vec::new();
        loop {
            let Some(file) = &mut self.file else {
                let name = lane::file_of(self.lane, self.segments.pop()?);
                // One that was too old may be gone by now.
                match self.folder.file(&name) {
                    Ok(file) => self.file = Some(BufReader::with_capacity(1 << 16, file)),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(_) => self.left_out += 1,
                }
                continue;
            };
            line.clear();
            let most = MOST_LINE as u64 + 1;
            let read = file.by_ref().take(most).read_until(b'\n', &mut line);
            let Some(line) = line.strip_suffix(b"\n") else {
                // A part of a line, or of one that is too long: the rest of that is none, either.
                self.left_out += u64::from(!line.is_empty());
                if read.is_err() || (line.len() as u64) < most {
                    self.file = None;
                }
                continue;
            };
            match Entry::of(self.lane, line) {
                Some(entry) => return Some(entry),
                None => self.left_out += 1,
            }
        }
    }
}
