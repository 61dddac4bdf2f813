//! One chain, being checked.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::time::SystemTime;

use ampoule_store::folder::PrivateFolder;

use crate::entry::Head;
use crate::event::Event;
use crate::lane;
use crate::line::{MOST_LINE, Parts, Place, VERSION};
use crate::log_events::CheckpointReason;
use crate::manifest::{ChainState, Manifest};
use crate::report::{Fault, Report};

/// One chain, being checked.
pub(crate) struct Chain<'c> {
    folder: &'c PrivateFolder,
    lane: u16,
    known: &'c ChainState,
    pub(crate) report: Report,
    /// The highest number of the list of files that the chain tells of.
    pub(crate) mentioned: u64,
    /// The line before.
    place: Place,
    /// What the line before was could not be read.
    unknown: bool,
    at: Option<SystemTime>,
    signed: u64,
    /// The line before is a signature, for this reason.
    ends: Option<CheckpointReason>,
    file: String,
    line: u64,
}

impl<'c> Chain<'c> {
    pub(crate) fn new(
        folder: &'c PrivateFolder,
        lane: u16,
        known: &'c ChainState,
        report: Report,
    ) -> Self {
        let (_, place) = known.start();
        Self {
            folder,
            lane,
            known,
            report,
            mentioned: 0,
            place,
            unknown: false,
            at: None,
            signed: place.seq,
            ends: None,
            file: String::new(),
            line: 0,
        }
    }

    fn found(&mut self, what: Fault) {
        self.report.found(&self.file, self.line, what);
    }

    /// Checks its files.
    pub(crate) fn check(&mut self, segments: &[u32]) {
        self.report.chains += 1;
        let (first, _) = self.known.start();
        let mut expected = first;
        let (left, segments): (Vec<u32>, Vec<u32>) = segments.iter().partition(|it| **it < first);
        for segment in left {
            self.file = lane::file_of(self.lane, segment);
            self.found(Fault::Leftover);
        }
        let in_use = lane::is_taken(self.folder, self.lane);
        for (index, &segment) in segments.iter().enumerate() {
            self.file = lane::file_of(self.lane, segment);
            self.line = 0;
            if segment > expected && !self.begins_at(segment) {
                self.found(Fault::FilesMissing(segment - expected));
            }
            expected = segment + 1;
            let is_last = index + 1 == segments.len();
            self.file(segment, is_last && in_use);
        }
        self.line = 0;
        let next = self.known.segment.saturating_add(1);
        let missing = next.saturating_sub(expected);
        if missing > 0 && !self.begins_at(next) {
            self.file = lane::file_of(self.lane, self.known.segment);
            self.found(Fault::FilesMissing(missing));
        }
        if self.place.seq < self.known.seq && !self.begins_at(next) {
            self.found(Fault::EndMissing(self.known.seq));
        }
        if next == 1 && first == 1 && segments.is_empty() && !in_use {
            self.file = lane::file_of(self.lane, first);
            self.found(Fault::NeverBegun);
        }
        self.report.unsigned += self.place.seq.saturating_sub(self.signed);
        if in_use {
            self.found(Fault::InUse);
        }
    }

    /// Whether what comes before a file went because it was old, while this was checked. Then the
    /// chain begins there.
    fn begins_at(&mut self, segment: u32) -> bool {
        let Ok(now) = Manifest::read(self.folder, self.report.key.as_ref()) else {
            return false;
        };
        let start = now.lanes.get(&self.lane).map(ChainState::start);
        let start = start.filter(|(first, _)| *first >= segment);
        match start.filter(|_| now.number > self.report.number) {
            Some((_, place)) => {
                self.signed = self.signed.max(place.seq);
                self.place = place;
                true
            }
            None => false,
        }
    }

    fn file(&mut self, segment: u32, in_use: bool) {
        self.report.files += 1;
        let read = self.folder.file(&self.file);
        let read = read.and_then(|file| self.lines(file, segment));
        let torn = match read {
            Ok(torn) => torn,
            Err(error)
                if error.kind() == io::ErrorKind::NotFound && self.begins_at(segment + 1) =>
            {
                return;
            }
            Err(error) => {
                self.unknown = true;
                return self.found(Fault::Unreadable(error.to_string()));
            }
        };
        // Somebody may have begun to write to it meanwhile.
        let is_end = torn == 0 && self.ends.is_some();
        if in_use || !is_end && self.is_open_now(segment) {
            return;
        }
        if torn > 0 {
            self.found(Fault::HalfLine(torn));
        }
        if torn > 0 || self.ends.is_none() {
            self.found(Fault::Cut(self.place.seq.saturating_sub(self.signed)));
        }
    }

    fn is_open_now(&self, segment: u32) -> bool {
        let next = self.folder.file(&lane::file_of(self.lane, segment + 1));
        next.is_err() && lane::is_taken(self.folder, self.lane)
    }

    /// Checks a file's lines. How long what is there of the last one is, if it is not whole.
    fn lines(&mut self, file: File, segment: u32) -> io::Result<u64> {
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut line = Vec::new();
        self.ends = None;
        loop {
            line.clear();
            self.line += 1;
            let most = MOST_LINE as u64 + 1;
            let read = reader.by_ref().take(most).read_until(b'\n', &mut line)?;
            match line.strip_suffix(b"\n") {
                Some(line) => self.check_line(line, segment),
                None if read == 0 => {
                    self.line -= 1;
                    return Ok(0);
                }
                None if (read as u64) < most => return Ok(read as u64),
                None => {
                    self.no_line();
                    skip_line(&mut reader)?;
                }
            }
        }
    }

    fn no_line(&mut self) {
        self.report.events += 1;
        self.place.seq += 1;
        self.unknown = true;
        self.ends = None;
        self.found(Fault::NoLine);
    }

    fn check_line(&mut self, line: &[u8], segment: u32) {
        let Some((parts, head)) = Parts::of(line).zip(Head::of(line)) else {
            return self.no_line();
        };
        self.report.events += 1;
        let expected = self.place.seq + 1;
        let follows = parts.follows(&self.place.hash);
        if head.seq > expected {
            self.found(Fault::Missing(head.seq - expected));
        } else if head.seq < expected {
            let seq = head.seq;
            self.found(Fault::OutOfOrder { seq, expected });
        } else if !follows && !self.unknown {
            self.found(Fault::Changed);
        }
        let before = std::mem::replace(
            &mut self.place,
            Place {
                seq: head.seq,
                hash: parts.hash,
            },
        );
        self.unknown = false;
        self.ends = None;
        if head.seq == self.known.seq && self.known.place() != self.place {
            self.found(Fault::OtherThanListed);
        }
        self.look_at(line, &head, segment);
        if head.kind == "checkpoint" {
            self.report.checkpoints += 1;
            let key = self.report.key;
            match key.is_none_or(|key| parts.is_signed(&before.hash, &key)) {
                true => self.signed = head.seq,
                false => self.found(Fault::BadSignature),
            }
        }
    }

    /// What the line tells.
    fn look_at(&mut self, line: &[u8], head: &Head, segment: u32) {
        if head.v > VERSION {
            self.found(Fault::Later(head.v));
        }
        match humantime::parse_rfc3339(&head.at) {
            Ok(at) => {
                let back = self.at.and_then(|before| before.duration_since(at).ok());
                if let Some(back) = back.filter(|back| !back.is_zero()) {
                    self.found(Fault::ClockBack(back));
                }
                self.at = Some(at);
            }
            Err(_) => self.found(Fault::NoLine),
        }
        if (head.kind == "segment") != (self.line == 1) {
            self.found(Fault::Misplaced);
        }
        // Of the others nothing needs to be known.
        if !matches!(&*head.kind, "segment" | "opened" | "checkpoint" | "gap") {
            return;
        }
        match serde_json::from_slice(line) {
            Ok(Event::Segment(it)) if it.lane != self.lane || it.segment != segment => {
                self.found(Fault::Misplaced);
            }
            Ok(Event::Opened(it)) => self.mentioned = self.mentioned.max(it.manifest),
            Ok(Event::Checkpoint(it)) => {
                self.ends = matches!(it.why, CheckpointReason::Rotate | CheckpointReason::Close)
                    .then_some(it.why);
            }
            Ok(Event::Gap(it)) => self.found(Fault::Gap {
                lost: it.lost,
                refused: it.refused,
            }),
            _ => {}
        }
    }
}

/// Reads on to the end of a line, keeping nothing of it.
fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let there = reader.fill_buf()?;
        if there.is_empty() {
            return Ok(());
        }
        let end = memchr::memchr(b'\n', there);
        let read = end.map_or(there.len(), |at| at + 1);
        reader.consume(read);
        if end.is_some() {
            return Ok(());
        }
    }
}
