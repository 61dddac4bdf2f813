//! A record, being written.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::sync::Arc;

use ampoule_store::commit::Decision;
use ampoule_store::folder::draft_of;
use parking_lot::Mutex;

use crate::blot::Blot;
use crate::entry::{Entry, RecordEnd};
use crate::error::RecordError;
use crate::shelf::{self, Shelf};

/// Writes a record while its run is under way. A failure is reported once, in the log; the run
/// continues.
pub(crate) struct Writer {
    shelf: Arc<Shelf>,
    run: String,
    state: Mutex<State>,
}

struct State {
    blot: Blot,
    /// None before it is opened, and after something failed.
    file: Option<BufWriter<File>>,
    hash: blake3::Hasher,
    bytes: u64,
    is_promised: bool,
    is_kept: bool,
}

impl Writer {
    pub(crate) fn new(shelf: Arc<Shelf>, run: String) -> Self {
        Self {
            shelf,
            run,
            state: Mutex::new(State {
                blot: Blot::default(),
                file: None,
                hash: blake3::Hasher::new(),
                bytes: 0,
                is_promised: false,
                is_kept: false,
            }),
        }
    }

    /// What must not be written from here on.
    pub(crate) fn blot(&self, secrets: impl IntoIterator<Item = String>) {
        self.state.lock().blot.add(secrets);
    }

    /// Whether something of a text must not be written.
    pub(crate) fn would_blot(&self, text: &str) -> bool {
        self.state.lock().blot.finds(text)
    }

    /// Redacts in bytes what must not be written.
    pub(crate) fn blot_out_of(&self, bytes: &mut [u8]) {
        self.state.lock().blot.bytes(bytes);
    }

    /// Begins the file.
    pub(crate) fn open(&self) {
        match self.shelf.begin(&self.run) {
            Ok(file) => self.state.lock().file = Some(BufWriter::new(file)),
            Err(error) => self.given_up(&error.to_string()),
        }
    }

    /// Whether so much more text would leave half of the room for the rest of the record.
    pub(crate) fn has_room(&self, bytes: u64) -> bool {
        // A byte of a text may be six of JSON.
        let more = bytes.saturating_mul(6);
        self.state.lock().bytes.saturating_add(more) <= self.shelf.limits().each / 2
    }

    /// Adds a line.
    pub(crate) fn write(&self, entry: &Entry) {
        let state = &mut *self.state.lock();
        if let Err(why) = state.write(entry, self.shelf.limits().each) {
            state.file = None;
            self.given_up(&why);
        }
    }

    /// Adds the last line, and gives the file its name. Whether the record is there.
    pub(crate) fn keep(&self, ended: RecordEnd) -> bool {
        self.close(ended) && self.settle(|shelf, run, bytes| shelf.keep(run, bytes))
    }

    /// Adds the last line, and promises that the file gets its name. Gives the promise's file.
    pub(crate) fn promise(&self, ended: RecordEnd, decision: &Decision) -> Option<PathBuf> {
        if !self.close(ended) {
            return None;
        }
        let promised = self.shelf.promise(&self.run, decision);
        let promised = promised.inspect_err(|error| self.given_up(&error.to_string()));
        self.state.lock().is_promised = true;
        promised.ok()
    }

    /// The record will be there: the next process gives the file its name, if this process does
    /// not.
    pub(crate) fn decided(&self) {
        self.state.lock().is_kept = true;
    }

    /// Gives the file the name that was promised.
    pub(crate) fn fulfil(&self) -> bool {
        self.settle(|shelf, run, bytes| shelf.fulfil(run, bytes))
    }

    /// Adds the last line. Whether all of it is in the file.
    fn close(&self, mut ended: RecordEnd) -> bool {
        let state = &mut *self.state.lock();
        ended.blotted = state.blot.found;
        ended.hash = state.hash.finalize().to_hex().to_string();
        let written = state.write(&Entry::End(ended), self.shelf.limits().each);
        let flushed = written.and_then(|()| match &mut state.file {
            None => Ok(false),
            Some(file) => match file.flush() {
                Ok(()) => Ok(true),
                Err(error) => Err(error.to_string()),
            },
        });
        flushed.unwrap_or_else(|why| {
            self.given_up(&why);
            false
        })
    }

    /// The file gets its name. Whether it has it.
    fn settle(&self, named: impl FnOnce(&Shelf, &str, u64) -> Result<(), RecordError>) -> bool {
        let state = &mut *self.state.lock();
        match named(&self.shelf, &self.run, state.bytes) {
            Ok(()) => {
                state.is_kept = true;
                state.file = None;
                true
            }
            Err(error) => {
                self.given_up(&error.to_string());
                false
            }
        }
    }

    fn given_up(&self, why: &str) {
        tracing::warn!(run = self.run, why, "the run leaves no record");
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        if !state.is_kept {
            if state.is_promised {
                self.shelf.take_back(&self.run);
            }
            self.shelf.forget(&draft_of(&shelf::file_of(&self.run)));
        }
    }
}

impl State {
    fn write(&mut self, entry: &Entry, most: u64) -> Result<(), String> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let line = serde_json::to_vec(entry).map_err(|error| error.to_string())?;
        if !self.blot.works() {
            return Err("secrets can't be redacted in it".to_owned());
        }
        let mut line = match entry {
            // What it has was counted already.
            Entry::End(_) => line,
            _ => self.blot.document(line),
        };
        // JSON that came as text may have line breaks between its values, where a space is as good.
        let breaks = line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r'));
        breaks.for_each(|byte| *byte = b' ');
        line.push(b'\n');
        self.bytes += line.len() as u64;
        if self.bytes > most {
            return Err(format!("it would have more than {most} bytes"));
        }
        self.hash.update(&line);
        file.write_all(&line).map_err(|error| error.to_string())
    }
}
