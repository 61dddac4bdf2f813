//! From a run's layer to the folder, all at once: what is to be done is written down first, under a
//! name that it gets when it is whole. From then on it is done, by the next process if need be;
//! before that, nothing of it is. Where it is decided on together with something else, it is a
//! promise first, under another name.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_store::commit::Decision;
use cap_std::fs::Dir;
use serde::{Deserialize, Serialize};

use crate::base::{self, Kind, Stamp};
use crate::carrier::{self, Carrier};
use crate::error::{Code, FileError};
use crate::layer::{Change, full};
use crate::layer_folder::{self, LAYERS};
use crate::overlay::Overlay;
use crate::path;
use crate::tree::{Tree, Turn};

/// The file that says what is to be done.
pub(crate) const JOURNAL: &str = "journal";
/// The same, while it is a promise.
pub(crate) const PROMISE: &str = "journal.promised";
/// How large it may be: what paths of as many files as a run may change take.
const JOURNAL_BYTES: u64 = 1 << 30;
/// How many names a conflict tells.
const TOLD: usize = 10;

/// What is to be done, in this order. Each step that was done already changes nothing.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Journal {
    /// Where the new files are, among the layers.
    layer: String,
    remove: Vec<String>,
    /// Those within others first.
    remove_folders: Vec<String>,
    /// Those within others last.
    folders: Vec<String>,
    /// The number of a new file, and where it goes.
    place: Vec<(u64, String)>,
    /// What decides whether any of it is to be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
}

/// What is about to be done in a folder. Nobody else looks at it or changes it until this is
/// dropped, and it is rolled back then, unless it was [kept](Self::keep) or decided.
pub(crate) struct Promise {
    tree: Arc<Tree>,
    own: Dir,
    journal: Journal,
    is_open: bool,
    _turn: Turn,
}

/// Promises what a run changed in one of its roots; none if it changed nothing.
///
/// # Errors
///
/// Somebody else changed the same since the run first saw it, and the error names it; or there is
/// no room.
pub(crate) fn promise(
    overlay: &Overlay,
    carrier: Option<&dyn Carrier>,
    decision: Option<Decision>,
) -> Result<Option<Promise>, FileError> {
    let Some(tree) = overlay.base.as_ref().filter(|tree| tree.writable) else {
        return Ok(None);
    };
    if overlay.layer.changes.is_empty() {
        return Ok(None);
    }
    let (turn, own) = tree.change()?;
    let mut journal = planned(overlay, tree)?;
    layer_folder::clear(&own)?;
    if journal.is_empty() {
        return Ok(None);
    }
    if let Some(carrier) = carrier {
        carrier::keep(&own, carrier)?;
    }
    journal.decision = decision;
    let is_open = journal.decision.is_some();
    if is_open {
        begin(&own, &journal, PROMISE)?;
    }
    Ok(Some(Promise {
        tree: Arc::clone(tree),
        own,
        journal,
        is_open,
        _turn: turn,
    }))
}

impl Promise {
    /// The file that it is in, where something else decides.
    pub(crate) fn file(&self) -> PathBuf {
        self.tree.own_path().join(PROMISE)
    }

    /// It will be kept: by the next process, if this process does not.
    pub(crate) fn decided(&mut self) {
        self.is_open = false;
    }

    /// Does it.
    pub(crate) fn keep(&mut self) -> Result<(), FileError> {
        match self.journal.decision {
            None => begin(&self.own, &self.journal, JOURNAL)?,
            Some(_) => self.own.rename(PROMISE, &self.own, JOURNAL)?,
        }
        finish(&self.tree.root, &self.own)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        if self.is_open
            && let Err(error) = self.own.remove_file(PROMISE)
        {
            tracing::debug!(%error, "the next process rolls back what was prepared");
        }
    }
}

impl Journal {
    fn is_empty(&self) -> bool {
        self.remove.is_empty()
            && self.remove_folders.is_empty()
            && self.folders.is_empty()
            && self.place.is_empty()
    }

    /// Whether it could be one of ours.
    fn is_sound(&self) -> bool {
        let places = self.place.iter().map(|(_, path)| path);
        let paths = self.remove.iter().chain(&self.remove_folders);
        let layer = &self.layer;
        paths
            .chain(&self.folders)
            .chain(places)
            .all(|path| path::is_clean(path))
            && layer
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'-')
    }
}

/// What is to be done, if nobody else changed the same.
fn planned(overlay: &Overlay, tree: &Tree) -> Result<Journal, FileError> {
    let mut journal = Journal {
        layer: overlay
            .home
            .place()
            .map_or_else(String::new, |place| place.name.clone()),
        ..Journal::default()
    };
    let mut conflicts = BTreeSet::new();
    for (path, change) in overlay.changes() {
        let now = base::find(&tree.root, path).map_or(Stamp::Other, Stamp::of);
        let before = overlay
            .layer
            .seen
            .get(path)
            .copied()
            .unwrap_or(Stamp::Absent);
        // What the run hid with a folder around it is as the run saw it, or not there.
        let same = now == before || (now == Stamp::Folder && matches!(change, Change::Folder));
        if !same {
            conflicts.insert(path);
            continue;
        }
        match (now, change) {
            (Stamp::Folder, Change::Folder) => {}
            (Stamp::Absent, _) => {}
            (Stamp::Folder, _) => journal.remove_folders.push(path.to_owned()),
            (Stamp::File { .. } | Stamp::Other, Change::File(_)) => {}
            (Stamp::File { .. } | Stamp::Other, _) => journal.remove.push(path.to_owned()),
        }
        match change {
            Change::File(own) => journal.place.push((own.number, path.to_owned())),
            Change::Folder if now != Stamp::Folder => journal.folders.push(path.to_owned()),
            Change::Folder | Change::Gone => {}
        }
    }
    journal.remove_folders.reverse();
    conflicts.extend(others(&journal, tree)?);
    conflicts.extend(homeless(&journal, tree));
    if !conflicts.is_empty() {
        return Err(conflict(&conflicts));
    }
    fits(overlay, tree)?;
    Ok(journal)
}

/// What others put into folders that are to go.
fn others<'p>(journal: &'p Journal, tree: &Tree) -> Result<Vec<&'p str>, FileError> {
    let gone: BTreeSet<&str> = journal
        .remove
        .iter()
        .chain(&journal.remove_folders)
        .map(String::as_str)
        .collect();
    let mut found = Vec::new();
    for folder in &journal.remove_folders {
        let names = base::list(&tree.root, folder)?;
        let all_go = names
            .iter()
            .all(|(name, _)| gone.contains(path::join(folder, name).as_str()));
        if !all_go {
            found.push(folder.as_str());
        }
    }
    Ok(found)
}

/// What is to be in folders that others removed.
fn homeless<'p>(journal: &'p Journal, tree: &Tree) -> Vec<&'p str> {
    let made: BTreeSet<&str> = journal.folders.iter().map(String::as_str).collect();
    let is_there = |folder: &str| {
        let found = base::find(&tree.root, folder).ok().flatten();
        folder.is_empty()
            || made.contains(folder)
            || found.is_some_and(|found| found.kind == Kind::Folder)
    };
    let places = journal.place.iter().map(|(_, path)| path.as_str());
    places
        .chain(journal.folders.iter().map(String::as_str))
        .filter(|path| !path::parent(path).is_some_and(is_there))
        .collect()
}

fn conflict(names: &BTreeSet<&str>) -> FileError {
    let told: Vec<_> = names
        .iter()
        .take(TOLD)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = names.len().saturating_sub(TOLD);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    FileError::new(
        Code::Exists,
        format!(
            "{}{more} changed since this run first looked; nothing that it wrote is stored. Run it again with the current files",
            told.join(", ")
        ),
    )
}

/// Whether there is room for all, with what others wrote meanwhile.
fn fits(overlay: &Overlay, tree: &Tree) -> Result<(), FileError> {
    if !tree.counts_all {
        return Ok(());
    }
    let quota = tree.quota;
    let now = base::usage(&tree.root, quota.files.saturating_mul(2))?;
    let (mut bytes, mut files) = (now.bytes, now.files);
    for (path, change) in overlay.changes() {
        if let Ok(Some(found)) = base::find(&tree.root, path) {
            bytes = bytes.saturating_sub(found.size);
            files = files.saturating_sub(1);
        }
        match change {
            Change::File(own) => {
                bytes += own.size();
                files += 1;
            }
            Change::Folder => files += 1,
            Change::Gone => {}
        }
    }
    // What makes it smaller is welcome, however much there is.
    if bytes > quota.bytes && bytes > now.bytes {
        return Err(full("the workspace", quota.bytes, "bytes"));
    }
    if files > quota.files && files > now.files {
        return Err(full("the workspace", quota.files, "files and folders"));
    }
    Ok(())
}

/// Says what is to be done. Where this comes to its end, it will be.
fn begin(own: &Dir, journal: &Journal, name: &str) -> Result<(), FileError> {
    const DRAFT: &str = "draft";
    let text = serde_json::to_vec(journal).map_err(io::Error::other)?;
    own.create(DRAFT)?.write_all(&text)?;
    own.rename(DRAFT, own, name)?;
    Ok(())
}

/// Does what is to be done, if there is anything: from the beginning, wherever somebody was killed
/// at it.
pub(crate) fn finish(root: &Dir, own: &Dir) -> Result<(), FileError> {
    let Some(journal) = read(own, JOURNAL)? else {
        return Ok(());
    };
    let Some(journal) = journal else {
        // Nobody is killed while it has that name and is not whole: it is not one of ours.
        own.rename(JOURNAL, own, "journal.damaged")?;
        tracing::error!(
            "a workspace's journal was damaged; it was moved aside, and nothing was done"
        );
        return Ok(());
    };
    apply(root, own, &journal)?;
    own.remove_file(JOURNAL)?;
    Ok(())
}

/// Commits or rolls back what a process promised that is gone.
pub(crate) fn settle(own: &Dir) -> Result<(), FileError> {
    let Some(journal) = read(own, PROMISE)? else {
        return Ok(());
    };
    let decision = journal.and_then(|journal| journal.decision);
    let is_made = decision.map(|decision| decision.is_made()).transpose()?;
    match is_made.unwrap_or(false) {
        true => own.rename(PROMISE, own, JOURNAL)?,
        false => own.remove_file(PROMISE)?,
    }
    Ok(())
}

/// A journal, if there is one of that name, and if it could be one of ours.
fn read(own: &Dir, name: &str) -> io::Result<Option<Option<Journal>>> {
    let mut text = Vec::new();
    match own.open(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?.take(JOURNAL_BYTES).read_to_end(&mut text)?,
    };
    let journal: Option<Journal> = serde_json::from_slice(&text).ok();
    Ok(Some(journal.filter(Journal::is_sound)))
}

fn apply(root: &Dir, own: &Dir, journal: &Journal) -> Result<(), FileError> {
    for path in &journal.remove {
        done(root.remove_file(path))?;
    }
    for path in &journal.remove_folders {
        done(root.remove_dir(path))?;
    }
    for path in &journal.folders {
        done(root.create_dir(path))?;
    }
    if journal.place.is_empty() {
        return Ok(());
    }
    let layer = own.open_dir(LAYERS)?.open_dir(&journal.layer)?;
    for (number, path) in &journal.place {
        place(root, &layer, &number.to_string(), path)?;
    }
    Ok(())
}

/// Puts a new file where it goes, unless that was done.
fn place(root: &Dir, layer: &Dir, number: &str, path: &str) -> io::Result<()> {
    let Err(error) = layer.rename(number, root, path) else {
        return Ok(());
    };
    if !layer.try_exists(number)? {
        return Ok(());
    }
    if error.kind() != io::ErrorKind::NotFound {
        return Err(error);
    }
    // Somebody removed its folder while this was under way. It is not lost for that.
    root.create_dir_all(path::parent(path).unwrap_or_default())?;
    layer.rename(number, root, path)
}

/// What was done already is done.
fn done(step: io::Result<()>) -> io::Result<()> {
    use io::ErrorKind as Kind;
    match step {
        Err(error)
            if matches!(
                error.kind(),
                Kind::NotFound | Kind::NotADirectory | Kind::IsADirectory | Kind::AlreadyExists
            ) =>
        {
            Ok(())
        }
        step => step,
    }
}
