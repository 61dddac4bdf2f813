//! Which heads a session has.
//!
//! One file, the *list*, says so: it names the session, whose it is, and the seal of each head, and
//! is signed. A head that is not on the list is not one of the session's: one that was renamed,
//! copied from another session, or put back. Where a run's end is committed together with what it
//! leaves elsewhere, the next list is a promise first, in a file beside it.

use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use ampoule_store::commit::Decision;
use ampoule_store::folder::PrivateFolder;
use ampoule_store::key::Key;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sessions::error::SessionError;
use crate::sessions::parts;
use crate::sessions::shelf::{Shelf, if_there};

/// How the files of heads end.
const EXTENSION: &str = ".head";
/// The file of the list, and that of the next one while it is a promise.
const LIST: &str = "heads";
const PROMISE: &str = "heads.promised";
/// What both begin with, and how long they may be.
const MAGIC: &[u8] = b"ampoule session heads 1\n";
const MOST_BYTES: u64 = 1 << 20;

/// What is signed of a session as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    session: String,
    /// Whose it is: a hash of the principal.
    principal: String,
    pub(crate) heads: Vec<HeadEntry>,
    /// What the session's runs have ever read, those included that were undone: how many there are
    /// reveals them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) carried: Option<Value>,
    /// What decides whether it is to be kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
}

/// A head on the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeadEntry {
    pub(crate) number: u64,
    /// The hash at the end of the head.
    pub(crate) seal: String,
}

/// What is wrong with a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ListError {
    Damaged(&'static str),
    /// It is another principal's.
    NotYours,
}

impl ListError {
    /// The same, of the session of that name. It can't go back: nothing says to what.
    pub(crate) fn of(self, name: &str) -> SessionError {
        match self {
            Self::NotYours => SessionError::NotYours,
            Self::Damaged(what) => SessionError::Damaged {
                name: name.to_owned(),
                what,
                goes_back: false,
            },
        }
    }
}

/// The heads of a session by their numbers, oldest first.
#[derive(Debug)]
pub(crate) struct Heads {
    path: PathBuf,
    numbers: Vec<u64>,
    /// The list; or what is wrong with it. The numbers are those of the files then.
    list: Result<List, ListError>,
    /// Whether the list has a file, and what is to become of the promise that was found.
    has_list: bool,
    promise: Option<Promise>,
    /// The heads that have files, and the files of parts.
    files: Vec<u64>,
    parts: Vec<String>,
}

/// What was found of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    Decided,
    Open,
}

impl List {
    pub(crate) fn of(shelf: &Shelf, session: &str, heads: Vec<HeadEntry>) -> Self {
        Self {
            session: session.to_owned(),
            principal: shelf.tag.clone(),
            heads,
            carried: None,
            decision: None,
        }
    }

    /// The same, of runs that have read this.
    pub(crate) fn carrying(self, carried: Option<Value>) -> Self {
        Self { carried, ..self }
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = u64> {
        self.heads.iter().map(|head| head.number)
    }

    fn written(&self, key: &Key) -> io::Result<Vec<u8>> {
        let mut file = MAGIC.to_vec();
        serde_json::to_writer(&mut file, self)?;
        let hash = blake3::keyed_hash(key, &file);
        file.extend_from_slice(hash.as_bytes());
        Ok(file)
    }

    fn read(file: &[u8], key: &Key) -> Result<Self, ListError> {
        let cut = ListError::Damaged("its list of checkpoints is cut off");
        let (signed, hash) = file.split_last_chunk().ok_or(cut)?;
        // Compared in constant time.
        if blake3::keyed_hash(key, signed) != *hash {
            return Err(ListError::Damaged(
                "its list of checkpoints was not signed by this store, or was changed since",
            ));
        }
        let text = signed.strip_prefix(MAGIC).ok_or(cut)?;
        serde_json::from_slice(text)
            .map_err(|_| ListError::Damaged("its list of checkpoints can't be read"))
    }

    fn is_of(&self, shelf: &Shelf, session: &str) -> Result<(), ListError> {
        match (self.principal == shelf.tag, self.session == session) {
            (true, true) => Ok(()),
            (true, false) => Err(ListError::Damaged(
                "its list of checkpoints belongs to another session",
            )),
            (false, _) => Err(ListError::NotYours),
        }
    }

    /// Puts it in the place of the one before.
    pub(crate) fn put(&self, folder: &PrivateFolder, key: &Key) -> io::Result<()> {
        let text = self.written(key)?;
        folder
            .draft("list", || ())?
            .keep_unsynced(LIST, &text)
            .map(drop)
    }

    /// Promises it.
    pub(crate) fn promise(
        &mut self,
        folder: &PrivateFolder,
        key: &Key,
        decision: Decision,
    ) -> io::Result<()> {
        self.decision = Some(decision);
        let text = self.written(key)?;
        folder
            .draft("list", || ())?
            .keep_unsynced(PROMISE, &text)
            .map(drop)
    }

    /// Keeps it, whether it was promised or not.
    pub(crate) fn keep(&self, folder: &PrivateFolder, key: &Key) -> io::Result<()> {
        match self.decision {
            None => self.put(folder, key),
            Some(_) => folder.rename(PROMISE, LIST),
        }
    }
}

impl Heads {
    /// Those of a session as they are now, held by any run.
    pub(crate) fn of(shelf: &Shelf, session: &str) -> io::Result<Self> {
        let path = shelf.path_of(session);
        let (mut files, mut parts) = (Vec::new(), Vec::new());
        let (mut has_list, mut has_promise) = (false, false);
        let found = if_there(fs::read_dir(&path).map(Some))?;
        for entry in found.into_iter().flatten() {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            match name {
                LIST => has_list = true,
                PROMISE => has_promise = true,
                _ if name.ends_with(parts::EXTENSION) => parts.push(name.to_owned()),
                _ => files.extend(number_of(name)),
            }
        }
        files.sort_unstable();
        let read = |name: &str| {
            let text = read(&path.join(name))?;
            Ok::<_, io::Error>(text.and_then(|text| {
                let list = List::read(&text, &shelf.key)?;
                list.is_of(shelf, session).map(|()| list)
            }))
        };
        let mut promise = None;
        let mut list = None;
        if has_promise {
            promise = Some(Promise::Open);
            if let Ok(promised) = read(PROMISE)?
                && let Some(decision) = &promised.decision
                && decision.is_made()?
            {
                promise = Some(Promise::Decided);
                list = Some(Ok(promised));
            }
        }
        let list = match (list, has_list) {
            (Some(list), _) => list,
            (None, true) => read(LIST)?,
            (None, false) if files.is_empty() => Ok(List::of(shelf, session, Vec::new())),
            (None, false) => Err(ListError::Damaged(
                "its list of checkpoints is missing, or it was kept by an earlier version",
            )),
        };
        let numbers = match &list {
            Ok(list) => list.numbers().collect(),
            Err(_) => files.clone(),
        };
        Ok(Self {
            path,
            numbers,
            list,
            has_list,
            promise,
            files,
            parts,
        })
    }

    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// The heads on the list, or what is wrong with that.
    pub(crate) fn sealed(&self) -> Result<&[HeadEntry], ListError> {
        match &self.list {
            Ok(list) => Ok(&list.heads),
            Err(fault) => Err(*fault),
        }
    }

    /// What the session's runs have ever read.
    pub(crate) fn carried(&self) -> Option<&Value> {
        self.list.as_ref().ok()?.carried.as_ref()
    }

    /// Whether there is a file that says which heads there are.
    pub(crate) fn has_list(&self) -> bool {
        self.has_list || self.promise == Some(Promise::Decided)
    }

    /// How many runs a session with these heads can go back: to the oldest of them, or to nothing where
    /// that was the first.
    pub(crate) fn back(&self) -> usize {
        match (&self.list, self.numbers.first()) {
            (Err(_), _) | (_, None) => 0,
            (_, Some(1)) => self.numbers.len(),
            (_, Some(_)) => self.numbers.len() - 1,
        }
    }

    pub(crate) fn metadata(&self, number: u64) -> Option<Metadata> {
        fs::symlink_metadata(self.path.join(file_of(number))).ok()
    }

    /// How much the parts take.
    pub(crate) fn bytes_of_parts(&self) -> u64 {
        let parts = self.parts.iter();
        let found = parts.filter_map(|part| fs::symlink_metadata(self.path.join(part)).ok());
        found.map(|part| part.len()).sum()
    }

    /// Whether no process that is gone left anything to be settled.
    pub(crate) fn is_settled(&self) -> bool {
        self.promise.is_none() && (self.list.is_err() || self.strays().next().is_none())
    }

    /// Keeps or takes back what was promised, and removes what is on no list. Nobody else has the
    /// session.
    pub(crate) fn settle(&self, shelf: &Shelf, folder: &PrivateFolder) -> io::Result<()> {
        match self.promise {
            None => {}
            Some(Promise::Decided) => folder.rename(PROMISE, LIST)?,
            Some(Promise::Open) => folder.clear(PROMISE)?,
        }
        if self.list.is_err() {
            return Ok(());
        }
        for stray in self.strays() {
            parts::remove(folder, shelf.parts(), &stray)?;
        }
        Ok(())
    }

    /// The names of heads that are on no list.
    fn strays(&self) -> impl Iterator<Item = String> {
        let of_parts = self.parts.iter().filter_map(|part| {
            let end = part.find(EXTENSION)? + EXTENSION.len();
            number_of(&part[..end])
        });
        let mut strays: Vec<u64> = self.files.iter().copied().chain(of_parts).collect();
        strays.retain(|number| !self.numbers.contains(number));
        strays.sort_unstable();
        strays.dedup();
        strays.into_iter().map(file_of)
    }
}

/// The file of the promise of a session in that folder.
pub(crate) fn promise_in(folder: &PrivateFolder) -> PathBuf {
    folder.path().join(PROMISE)
}

/// Takes back what this process has promised, and what it wrote for it.
pub(crate) fn take_back(folder: &PrivateFolder) -> io::Result<()> {
    folder.clear(PROMISE)
}

pub(crate) fn file_of(number: u64) -> String {
    format!("{number:08}{EXTENSION}")
}

fn number_of(name: &str) -> Option<u64> {
    let number = name.strip_suffix(EXTENSION)?.parse().ok()?;
    (*name == file_of(number)).then_some(number)
}

fn read(file: &Path) -> io::Result<Result<Vec<u8>, ListError>> {
    let mut text = Vec::new();
    fs::File::open(file)?
        .take(MOST_BYTES + 1)
        .read_to_end(&mut text)?;
    Ok(match text.len() as u64 > MOST_BYTES {
        true => Err(ListError::Damaged("its list of checkpoints is too long")),
        false => Ok(text),
    })
}
