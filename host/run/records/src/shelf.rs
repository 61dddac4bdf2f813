//! The records of one principal: a file for each.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ampoule_store::commit::Decision;
use ampoule_store::folder::{PrivateFolder, draft_of};
use ampoule_tools::RunId;
use parking_lot::Mutex;

use crate::entry::{Entry, Head, RecordEnd};
use crate::error::RecordError;
use crate::limits::RecordLimits;
use crate::record::Record;

/// How the files end.
const EXTENSION: &str = ".record";
/// What a promise is called that a record is to get its name: after the record.
const PROMISED: &str = ".promised";
/// How files end that say that a run's calls are being taken back, or were.
const UNDONE: &str = ".undone";
/// How large such a file is at most, in bytes.
const MOST_PROMISE: u64 = 16 << 10;
/// How long the first and the last line of a record are at most, in bytes: they have nothing of a
/// script's.
const LINE: u64 = 4096;
/// After how many bytes that were written the folder is looked through again.
const LOOKS: u64 = 16 << 20;

/// The records of one principal.
#[derive(Debug)]
pub struct Shelf {
    folder: PrivateFolder,
    limits: RecordLimits,
    /// How much was written since the folder was looked through; none before it was.
    written: Mutex<Option<u64>>,
}

/// A record, as lists have it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordEntry {
    /// Which run, and when.
    pub head: Head,
    /// How it ended.
    pub ended: RecordEnd,
    /// How large the record is, in bytes.
    pub bytes: u64,
}

impl Shelf {
    pub(crate) fn new(folder: PrivateFolder, limits: RecordLimits) -> Self {
        Self {
            folder,
            limits,
            written: Mutex::default(),
        }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What they may take.
    pub fn limits(&self) -> RecordLimits {
        self.limits
    }

    /// All of them, the latest first. What can't be read is left out.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`].
    pub fn list(&self) -> Result<Vec<RecordEntry>, RecordError> {
        let mut listed: Vec<RecordEntry> = self
            .ids()?
            .iter()
            .filter_map(|id| self.entry(id).ok())
            .collect();
        listed.sort_by(|one, other| {
            let (one, other) = (&one.head, &other.head);
            (other.made, &other.run).cmp(&(one.made, &one.run))
        });
        Ok(listed)
    }

    /// The id of the run that is meant by it, or by its end.
    ///
    /// # Errors
    ///
    /// [`RecordError::Missing`], [`RecordError::Several`], [`RecordError::Folder`].
    pub fn find(&self, id: &str) -> Result<String, RecordError> {
        let mut ids = self.ids()?;
        if ids.iter().any(|known| known == id) {
            return Ok(id.to_owned());
        }
        // As models see it: four digits of the process, and the run's number.
        let is_end = |known: &String| {
            let at = known.find('-').map_or(0, |at| at.saturating_sub(4));
            known.get(at..) == Some(id)
        };
        ids.retain(is_end);
        match (ids.pop(), ids.is_empty()) {
            (Some(found), true) => Ok(found),
            (Some(_), false) => Err(RecordError::Several(id.to_owned())),
            (None, _) => Err(RecordError::Missing(id.to_owned())),
        }
    }

    /// The record of a run.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find), and as for [`Record::read`].
    pub fn record(&self, id: &str) -> Result<Record, RecordError> {
        let file = self.folder.file(&file_of(&self.find(id)?))?;
        // The limit may have been higher.
        Record::read(file, self.limits.each.max(RecordLimits::default().each))
    }

    /// Removes the record of a run.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find).
    pub fn remove(&self, id: &str) -> Result<(), RecordError> {
        let id = self.find(id)?;
        self.folder.clear(&file_of(&id))?;
        Ok(self.folder.clear(&undone_of(&id))?)
    }

    /// The calls of this run are about to be taken back. False if they are already, or were: that
    /// happens once.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`].
    pub fn begin_undo(&self, run: RunId) -> Result<bool, RecordError> {
        match self.folder.create(&undone_of(&run.to_string())) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Nothing of it was taken back, and may be after all.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`].
    pub fn give_up_undo(&self, run: RunId) -> Result<(), RecordError> {
        Ok(self.folder.clear(&undone_of(&run.to_string()))?)
    }

    /// Whether its calls are being taken back, or were.
    pub fn is_undone(&self, run: RunId) -> bool {
        self.folder.metadata(&undone_of(&run.to_string())).is_ok()
    }

    /// A file for the record of a run that begins.
    pub(crate) fn begin(&self, id: &str) -> Result<File, RecordError> {
        Ok(self.folder.create(&draft_of(&file_of(id)))?)
    }

    /// Gives the file its name.
    pub(crate) fn keep(&self, id: &str, bytes: u64) -> Result<(), RecordError> {
        let file = file_of(id);
        self.folder.rename(&draft_of(&file), &file)?;
        let mut written = self.written.lock();
        match &mut *written {
            Some(sum) if *sum + bytes < LOOKS.min(self.limits.bytes / 8) => *sum += bytes,
            _ => {
                *written = Some(0);
                drop(written);
                self.make_room(&file)?;
            }
        }
        Ok(())
    }

    /// Promises that the file gets its name. The process that has it locked keeps it so until then.
    pub(crate) fn promise(&self, id: &str, decision: &Decision) -> Result<PathBuf, RecordError> {
        let text = serde_json::to_vec(decision).map_err(io::Error::other)?;
        let name = promise_of(id);
        self.folder.draft("promise", || ())?.keep(&name, &text)?;
        Ok(self.folder.path().join(name))
    }

    /// Keeps what was promised.
    pub(crate) fn fulfil(&self, id: &str, bytes: u64) -> Result<(), RecordError> {
        self.keep(id, bytes)?;
        Ok(self.folder.clear(&promise_of(id))?)
    }

    /// Takes back what was promised.
    pub(crate) fn take_back(&self, id: &str) {
        self.forget(&promise_of(id));
    }

    /// Keeps or takes back what processes promised that are gone.
    fn settle(&self, names: &[String]) -> io::Result<()> {
        for id in names.iter().filter_map(|name| promised(name)) {
            let (file, promise) = (file_of(id), promise_of(id));
            let draft = draft_of(&file);
            let written = match self.folder.file(&draft) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                written => Some(written?),
            };
            if let Some(written) = &written
                && written.try_lock().is_err()
            {
                // Its process is at it.
                continue;
            }
            let mut text = Vec::new();
            match self.folder.file(&promise) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found?.take(MOST_PROMISE).read_to_end(&mut text)?,
            };
            let decision: Option<Decision> = serde_json::from_slice(&text).ok();
            let is_made = decision.map(|decision| decision.is_made()).transpose()?;
            match is_made.unwrap_or(false) {
                true if written.is_some() => self.folder.rename(&draft, &file)?,
                true => {}
                false => self.folder.clear(&draft)?,
            }
            self.folder.clear(&promise)?;
        }
        Ok(())
    }

    /// The names of what is there, once what was promised is settled.
    fn settled(&self) -> io::Result<Vec<String>> {
        let names = self.folder.names()?;
        if names.iter().all(|name| promised(name).is_none()) {
            return Ok(names);
        }
        self.settle(&names)?;
        self.folder.names()
    }

    /// Removes a file that is not whole.
    pub(crate) fn forget(&self, draft: &str) {
        if let Err(error) = self.folder.clear(draft) {
            tracing::debug!(%error, "an unfinished record can't be removed");
        }
    }

    /// Removes what is too old, then the oldest where there is too much; not the one that was just
    /// written.
    fn make_room(&self, newest: &str) -> Result<(), RecordError> {
        // Drafts of what was promised are no longer drafts then.
        self.settled()?;
        self.folder.sweep_drafts();
        let mut files = Vec::new();
        for id in self.ids()? {
            let name = file_of(&id);
            if let Ok(found) = self.folder.metadata(&name) {
                let made = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                files.push((made, found.len(), name));
            }
        }
        let has_record = |id: &str| files.iter().any(|(.., name)| *name == file_of(id));
        for name in self.folder.names()? {
            if name.strip_suffix(UNDONE).is_some_and(|id| !has_record(id)) {
                self.folder.clear(&name)?;
            }
        }
        files.sort_unstable();
        let mut bytes: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
        for (made, size, name) in files {
            let is_old = made.elapsed().is_ok_and(|age| age > self.limits.age);
            if name == newest || !is_old && bytes <= self.limits.bytes {
                continue;
            }
            let why = match is_old {
                true => "it is too old",
                false => "there is no room, and it is the oldest",
            };
            match self.folder.clear(&name) {
                Ok(()) => {
                    bytes -= size;
                    tracing::info!(record = name, why, "a record was removed");
                }
                Err(error) => tracing::warn!(record = name, %error, "a record can't be removed"),
            }
        }
        Ok(())
    }

    /// The ids of the runs that have a record, in no order. This reads no record.
    ///
    /// # Errors
    ///
    /// [`RecordError::Folder`].
    pub fn ids(&self) -> Result<Vec<String>, RecordError> {
        let names = self.settled()?;
        let id = |name: String| {
            let id = name.strip_suffix(EXTENSION)?;
            is_id(id).then(|| id.to_owned())
        };
        Ok(names.into_iter().filter_map(id).collect())
    }

    /// What lists show of the record of this whole id: its first and its last line. They never change.
    ///
    /// # Errors
    ///
    /// [`RecordError::Foreign`], [`RecordError::Folder`].
    pub fn entry(&self, id: &str) -> Result<RecordEntry, RecordError> {
        let mut file = self.folder.file(&file_of(id))?;
        let bytes = file.metadata()?.len();
        let mut begins = Vec::new();
        file.by_ref().take(LINE).read_to_end(&mut begins)?;
        let mut ends = Vec::new();
        file.seek(SeekFrom::Start(bytes.saturating_sub(LINE)))?;
        file.take(LINE).read_to_end(&mut ends)?;
        let first = begins.split(|byte| *byte == b'\n').next();
        let last = ends.strip_suffix(b"\n").unwrap_or(&ends);
        let last = last.rsplit(|byte| *byte == b'\n').next();
        let read = |line: Option<&[u8]>| serde_json::from_slice(line.unwrap_or_default()).ok();
        match (read(first), read(last)) {
            (Some(Entry::Head(head)), Some(Entry::End(ended))) => {
                Ok(RecordEntry { head, ended, bytes })
            }
            _ => Err(RecordError::Foreign),
        }
    }
}

pub(crate) fn file_of(id: &str) -> String {
    format!("{id}{EXTENSION}")
}

fn undone_of(id: &str) -> String {
    format!("{id}{UNDONE}")
}

fn promise_of(id: &str) -> String {
    format!("{}{PROMISED}", file_of(id))
}

/// The id of the run whose record's promise is called so.
fn promised(name: &str) -> Option<&str> {
    let id = name.strip_suffix(PROMISED)?.strip_suffix(EXTENSION)?;
    is_id(id).then_some(id)
}

/// Whether it is as a run's id is: digits, and no path.
fn is_id(id: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    id.len() <= 64
        && id
            .split_once('-')
            .is_some_and(|(process, number)| digits(process) && digits(number))
}
