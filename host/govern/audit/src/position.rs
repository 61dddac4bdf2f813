//! Where a process resumes a chain.

use std::io;
use std::time::{Duration, SystemTime};

use ampoule_store::folder::PrivateFolder;

use crate::lane::{self, Tail};
use crate::line::Place;
use crate::log_events::CheckpointReason;
use crate::manifest::ChainState;
use crate::settings::Settings;

/// Where a process resumes a chain.
#[derive(Debug)]
pub(crate) struct Position {
    /// In this file.
    pub(crate) segment: u32,
    /// It is there already.
    pub(crate) goes_on: bool,
    /// After this line.
    pub(crate) end: Place,
    /// The writer before this one ended without a signature.
    pub(crate) unclean: bool,
    /// When that was, as far as is known.
    pub(crate) last: Option<SystemTime>,
}

impl Position {
    /// In a chain of which the list of files knows this.
    ///
    /// A file that does not end as it should stays as it is, and another one is begun: what happened
    /// to it can be looked into.
    pub(crate) fn find(
        folder: &PrivateFolder,
        lane: u16,
        known: &ChainState,
        settings: &Settings,
    ) -> io::Result<Self> {
        let (first, start) = known.start();
        let segments = lane::all(folder)?.remove(&lane).unwrap_or_default();
        let newest = segments.last().copied();
        let segment = newest.unwrap_or(0).max(known.segment).max(first - 1);
        // A file may have been begun, and have no line: the chain ends in the one before.
        let mut found = None;
        for &segment in segments.iter().rev().filter(|it| **it >= first) {
            let mut file = folder.file(&lane::file_of(lane, segment))?;
            if let Some(tail) = lane::tail(&mut file)? {
                found = Some((segment, tail));
                break;
            }
        }
        let is_newest = found.as_ref().is_some_and(|(found, _)| *found == segment);
        let tail = found.map(|(_, tail)| tail);
        // What the list says was there may be gone: that is not begun anew.
        let listed = if known.seq > start.seq {
            known.place()
        } else {
            start
        };
        let is_whole = |tail: &&Tail| tail.place.seq >= listed.seq;
        let end = tail
            .as_ref()
            .filter(is_whole)
            .map_or(listed, |tail| tail.place);
        let is_clean = |tail: &Tail| {
            tail.torn == 0 && tail.signed == Some(CheckpointReason::Close) && tail.place == end
        };
        let clean = is_newest && tail.as_ref().is_some_and(is_clean);
        let is_new = newest.is_none() && end == start;
        let goes_on = clean && is_young(folder, &lane::file_of(lane, segment), settings);
        Ok(Self {
            segment: segment + u32::from(!goes_on),
            goes_on,
            end,
            unclean: !clean && !is_new,
            last: tail.and_then(|tail| humantime::parse_rfc3339(&tail.head.at).ok()),
        })
    }
}

/// Whether there is room in a file, and time.
fn is_young(folder: &PrivateFolder, name: &str, settings: &Settings) -> bool {
    let found = folder.metadata(name);
    found.is_ok_and(|found| {
        let made = found.created().or_else(|_| found.modified());
        let age = made.map(|made| made.elapsed().unwrap_or(Duration::ZERO));
        found.len() < settings.rotate_bytes && age.is_ok_and(|age| age < settings.rotate_after)
    })
}
