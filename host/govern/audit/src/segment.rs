//! A file of a chain, from its first line.

use std::fs::File;
use std::io::{self, Write as _};

use ampoule_store::folder::PrivateFolder;
use serde::Serialize;

use crate::event::Event;
use crate::lane;
use crate::line::{self, Place, Stamp};
use crate::log_events::Segment;

/// A file of a chain, with its first line.
pub(crate) struct SegmentFile {
    pub(crate) file: File,
    /// How much of it is whole lines.
    pub(crate) bytes: u64,
    /// Its last line.
    pub(crate) place: Place,
}

/// Begins a file after that place.
///
/// # Errors
///
/// Something is in it already, or it can't be written.
pub(crate) fn begin(
    folder: &PrivateFolder,
    lane: u16,
    segment: u32,
    after: Place,
    stamp: Stamp,
) -> io::Result<SegmentFile> {
    let file = folder.append(&lane::file_of(lane, segment))?;
    if file.metadata()?.len() > 0 {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let event = written(&Event::Segment(Segment {
        lane,
        segment,
        after: after.hash.to_hex().as_str().into(),
        version: env!("CARGO_PKG_VERSION").into(),
    }));
    let mut line = Vec::new();
    let place = line::add(&mut line, after, stamp, &event);
    if let Err(error) = (&file).write_all(&line) {
        file.set_len(0)?;
        return Err(error);
    }
    let bytes = line.len() as u64;
    Ok(SegmentFile { file, bytes, place })
}

/// An event as JSON.
pub(crate) fn written(event: &impl Serialize) -> Vec<u8> {
    // Texts and numbers alone can always be written.
    serde_json::to_vec(event).unwrap_or_default()
}
