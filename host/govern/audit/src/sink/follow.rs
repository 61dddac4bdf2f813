//! How far a log has been passed on, and what comes next.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use ampoule_store::folder::PrivateFolder;
use serde::{Deserialize, Serialize};

use crate::entry::Entry;
use crate::lane;
use crate::line::MOST_LINE;

/// How large what is read at once may be, in bytes.
const MOST_BYTES: usize = 4 << 20;

/// How far a log has been passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Cursors {
    lanes: BTreeMap<u16, Cursor>,
    /// How many events were passed on, and how many never will be.
    pub(crate) sent: u64,
    pub(crate) dropped: u64,
}

/// How far a chain has been passed on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Cursor {
    segment: u32,
    offset: u64,
    seq: u64,
}

impl Cursors {
    /// The next events, `most` at most, and how far they reach.
    pub(crate) fn next(
        &self,
        folder: &PrivateFolder,
        most: usize,
    ) -> io::Result<(Vec<Entry>, Self)> {
        let mut after = self.clone();
        let mut batch = Batch {
            entries: Vec::new(),
            bytes: 0,
            most,
        };
        // What is listed was there before what follows is read: a file that has a later one beside
        // it is not written to any more.
        for (lane, segments) in lane::to_read(folder)? {
            let cursor = after.lanes.entry(lane).or_default();
            let dropped = &mut after.dropped;
            for segment in segments {
                if segment < cursor.segment || batch.is_full() {
                    continue;
                }
                if segment > cursor.segment {
                    (cursor.segment, cursor.offset) = (segment, 0);
                }
                batch.read(folder, lane, cursor, dropped)?;
            }
        }
        Ok((batch.entries, after))
    }
}

struct Batch {
    entries: Vec<Entry>,
    bytes: usize,
    most: usize,
}

impl Batch {
    fn is_full(&self) -> bool {
        self.entries.len() >= self.most || self.bytes >= MOST_BYTES
    }

    /// Reads on in a file.
    fn read(
        &mut self,
        folder: &PrivateFolder,
        lane: u16,
        cursor: &mut Cursor,
        dropped: &mut u64,
    ) -> io::Result<()> {
        let mut file = match folder.file(&lane::file_of(lane, cursor.segment)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        file.seek(SeekFrom::Start(cursor.offset))?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        while !self.is_full() {
            line.clear();
            let most = MOST_LINE as u64 + 1;
            let read = reader.by_ref().take(most).read_until(b'\n', &mut line)?;
            let whole = line.strip_suffix(b"\n");
            // A line of which a part is there may be written just now.
            if whole.is_none() && (read as u64) < most {
                break;
            }
            cursor.offset += read as u64;
            let Some(entry) = whole.and_then(|line| Entry::of(lane, line)) else {
                continue;
            };
            // What was removed before it was passed on, or can't be read.
            let missing = entry.seq.saturating_sub(cursor.seq.saturating_add(1));
            *dropped = dropped.saturating_add(missing);
            cursor.seq = entry.seq;
            self.bytes += read;
            self.entries.push(entry);
        }
        Ok(())
    }
}
