//! What those had read who wrote a folder's files, as far as policies care: kept for all of it
//! together, in the caller's words. It is written before the files that it is about.

use std::io::{self, Read, Write};

use cap_std::fs::Dir;
use serde_json::Value;

use crate::tree::Tree;

/// The file among the host's own that has it.
const FILE: &str = "carried";
/// What it is called until it is whole.
const DRAFT: &str = "carried.draft";
/// How large it may be, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// The user of a run's files: what others had read who left them, goes with what it reads there,
/// and what it has read goes with what it writes.
pub trait Carrier: Send + Sync + 'static {
    /// It is about to be given something that was left by somebody who had read this.
    ///
    /// # Errors
    ///
    /// It is unknown what that was.
    fn reads(&self, carried: &Value) -> io::Result<()>;

    /// What it has read by now.
    fn carried(&self) -> Option<Value>;
}

/// Which one was seen last.
pub(crate) type LastCarried = Option<(u64, cap_std::time::SystemTime)>;

impl Tree {
    /// What those had read who left what is there.
    ///
    /// # Errors
    ///
    /// It can't be read.
    pub fn carried(&self) -> io::Result<Option<Value>> {
        match self.own()? {
            Some(own) => read(&own),
            None => Ok(None),
        }
    }

    /// Tells a carrier what those had read who left what is there, unless it knows.
    pub(crate) fn tell(&self, carrier: &dyn Carrier, seen: &mut LastCarried) -> io::Result<()> {
        use cap_std::fs::MetadataExt;
        let Some(own) = self.own()? else {
            return Ok(());
        };
        let found = match own.symlink_metadata(FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            found => found?,
        };
        let now = Some((found.ino(), found.modified()?));
        if now == *seen {
            return Ok(());
        }
        if let Some(carried) = read(&own)? {
            carrier.reads(&carried)?;
        }
        *seen = now;
        Ok(())
    }
}

/// What a carrier has read goes with what it left, beside what others had. Somebody has the folder's
/// turn.
pub(crate) fn keep(own: &Dir, carrier: &dyn Carrier) -> io::Result<()> {
    let before = read(own)?;
    if let Some(before) = &before {
        carrier.reads(before)?;
    }
    match carrier.carried() {
        Some(carried) if Some(&carried) != before.as_ref() => {
            let text = serde_json::to_vec(&carried).map_err(io::Error::other)?;
            own.create(DRAFT)?.write_all(&text)?;
            own.rename(DRAFT, own, FILE)
        }
        _ => Ok(()),
    }
}

fn read(own: &Dir) -> io::Result<Option<Value>> {
    let mut text = Vec::new();
    match own.open(FILE) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?.take(MOST_BYTES).read_to_end(&mut text)?,
    };
    serde_json::from_slice(&text)
        .map(Some)
        .map_err(io::Error::other)
}
