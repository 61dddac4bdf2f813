//! One session, while nobody else has it.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use crate::head::{About, Head};
use crate::name;
use crate::parts;
use crate::problem::Problem;
use crate::shelf::{Shelf, if_there, lock_of};

/// How the files of heads end.
const EXTENSION: &str = ".head";

/// A session that this has to itself. So what was read of its folder once stays true.
#[derive(Debug)]
pub struct Session {
    shelf: Arc<Shelf>,
    name: String,
    folder: OnceLock<PrivateFolder>,
    heads: OnceLock<Heads>,
    _lock: Lock,
}

/// Nobody else has the session. It is given back explicitly: a process that is being started has all
/// open files for a moment, and with them the lock.
#[derive(Debug)]
struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the file gives it back, too.
        let _ = self.0.unlock();
    }
}

/// The heads of a session by their numbers, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Heads {
    path: PathBuf,
    numbers: Vec<u64>,
    /// The files of their parts.
    parts: Vec<String>,
}

impl Heads {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let (mut numbers, mut parts) = (Vec::new(), Vec::new());
        for entry in if_there(fs::read_dir(path).map(Some))?
            .into_iter()
            .flatten()
        {
            let name = entry?.file_name();
            let part = name
                .to_str()
                .filter(|name| name.ends_with(parts::EXTENSION));
            parts.extend(part.map(str::to_owned));
            let number = name.to_str().and_then(|name| name.strip_suffix(EXTENSION));
            let number = number.and_then(|number| number.parse().ok());
            numbers.extend(number.filter(|&number| *name == *file_of(number)));
        }
        numbers.sort_unstable();
        Ok(Self {
            path: path.to_owned(),
            numbers,
            parts,
        })
    }

    /// Whether the file of a head has parts beside it.
    fn has_parts(&self, head: &str) -> bool {
        self.parts.iter().any(|part| part.starts_with(head))
    }

    /// How much the parts take.
    pub(crate) fn bytes_of_parts(&self) -> u64 {
        let parts = self.parts.iter();
        let found = parts.filter_map(|part| fs::symlink_metadata(self.path.join(part)).ok());
        found.map(|part| part.len()).sum()
    }

    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// How many runs a session with these heads can go back: to the oldest of them, or to nothing where
    /// that was the first.
    pub(crate) fn back(&self) -> usize {
        match self.numbers.first() {
            Some(1) => self.numbers.len(),
            Some(_) => self.numbers.len() - 1,
            None => 0,
        }
    }

    pub(crate) fn metadata(&self, number: u64) -> Option<Metadata> {
        fs::symlink_metadata(self.path.join(file_of(number))).ok()
    }
}

pub(crate) fn file_of(number: u64) -> String {
    format!("{number:08}{EXTENSION}")
}

impl Session {
    pub(crate) fn new(shelf: Arc<Shelf>, name: String, lock: File) -> Self {
        Self {
            shelf,
            name,
            folder: OnceLock::new(),
            heads: OnceLock::new(),
            _lock: Lock(lock),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The numbers of the runs that left its heads, oldest first; none if there is no such session.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn heads(&self) -> Result<&[u64], Problem> {
        Ok(self.known()?.numbers())
    }

    /// How many runs it can go back.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn back(&self) -> Result<usize, Problem> {
        Ok(self.known()?.back())
    }

    /// How large the file of its newest head is, in bytes.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn newest_bytes(&self) -> Result<u64, Problem> {
        let heads = self.known()?;
        let newest = heads.numbers.last().and_then(|&last| heads.metadata(last));
        Ok(newest.map_or(0, |found| found.len()))
    }

    /// The newest head, if there is one.
    ///
    /// # Errors
    ///
    /// [`Problem::Damaged`], [`Problem::Foreign`], [`Problem::NotYours`], [`Problem::TooLarge`].
    pub fn newest(&self) -> Result<Option<Head>, Problem> {
        let newest = self.heads()?.last();
        newest.map(|&number| self.head(number)).transpose()
    }

    /// What is told of a head.
    ///
    /// # Errors
    ///
    /// As for [`newest`](Self::newest).
    pub fn about(&self, number: u64) -> Result<About, Problem> {
        Ok(self.head(number)?.about)
    }

    /// The head of that number.
    ///
    /// # Errors
    ///
    /// As for [`newest`](Self::newest).
    pub fn head(&self, number: u64) -> Result<Head, Problem> {
        self.shelf.head_in(self.folder()?, &self.name, number)
    }

    /// What its newest head has is not what was written.
    pub fn damaged(&self, what: &'static str) -> Problem {
        Problem::Damaged {
            name: self.name.clone(),
            what,
            goes_back: self.back().is_ok_and(|back| back > 0),
        }
    }

    /// Keeps what a run left, as the newest head; the oldest go where there are too many. Gives how
    /// many bytes it takes.
    ///
    /// # Errors
    ///
    /// [`Problem::TooLarge`], [`Problem::Folder`]: nothing has changed then.
    pub fn keep(&mut self, mut head: Head) -> Result<u64, Problem> {
        let before = self.heads()?;
        if before.is_empty() {
            self.shelf.make_room()?;
        }
        let number = before.last().map_or(head.about.run.max(1), |last| last + 1);
        let many = (before.len() + 1).saturating_sub(self.shelf.limits.heads);
        head.about.run = number;
        head.about.principal.clone_from(&self.shelf.tag);
        let file = head.written(&self.shelf.key);
        let (bytes, most) = (file.len() as u64, self.shelf.limits.bytes);
        if bytes > most {
            return Err(Problem::TooLarge { bytes, most });
        }
        let mut heads = self.taken()?;
        let parts = self.shelf.parts();
        let in_parts = parts::keep(self.folder()?, parts, &file_of(number), &file)?;
        for old in heads.numbers.drain(..many).collect::<Vec<_>>() {
            self.remove_head(&heads, old)?;
        }
        heads.numbers.push(number);
        if !in_parts {
            self.heads = heads.into();
        }
        Ok(bytes)
    }

    /// Goes back to what was there so many runs ago.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], [`Problem::TooFar`], [`Problem::Folder`].
    pub fn rewind(&mut self, runs: usize) -> Result<(), Problem> {
        let heads = self.known()?;
        if heads.numbers.is_empty() && runs > 0 {
            return Err(Problem::Missing(self.name.clone()));
        }
        let most = heads.back();
        if runs > most {
            let name = self.name.clone();
            return Err(Problem::TooFar { name, most });
        }
        let mut heads = self.taken()?;
        // From the newest on: whatever stops this, what is left is a session.
        for _ in 0..runs {
            if let Some(newest) = heads.numbers.pop() {
                self.remove_head(&heads, newest)?;
            }
        }
        self.heads = heads.into();
        Ok(())
    }

    fn remove_head(&self, heads: &Heads, number: u64) -> io::Result<()> {
        let (folder, file) = (self.folder()?, file_of(number));
        match heads.has_parts(&file) {
            true => parts::remove(folder, self.shelf.parts(), &file),
            false => folder.clear(&file),
        }
    }

    /// Makes another session of it, with all of its heads. The files are the same: they take no
    /// room.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], [`Problem::Exists`], [`Problem::Busy`], [`Problem::Folder`].
    pub fn fork(&self, new: &str) -> Result<(), Problem> {
        let new = name::checked(new)?;
        let heads = self.known()?;
        if heads.numbers.is_empty() {
            return Err(Problem::Missing(self.name.clone()));
        }
        if new == self.name {
            return Err(Problem::Exists(new.to_owned()));
        }
        let other = self.shelf.take(new)?;
        if !other.heads()?.is_empty() {
            return Err(Problem::Exists(new.to_owned()));
        }
        self.shelf.make_room()?;
        // Under another name until it is whole. Nobody else makes it meanwhile.
        let making = self.shelf.path_of(&format!(".{new}.making"));
        clear_folder(&making)?;
        PrivateFolder::open(&making, OTHERS_REACH)?;
        // Heads and their parts; what begins with a dot is being written.
        let files = self.folder()?.names()?;
        for file in files.iter().filter(|name| !name.starts_with('.')) {
            fs::hard_link(heads.path.join(file), making.join(file))?;
        }
        clear_folder(&other.path())?;
        fs::rename(&making, other.path())?;
        Ok(())
    }

    /// Its newest head as a file that can be moved to another machine.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], and as for [`newest`](Self::newest).
    pub fn export(&self) -> Result<Vec<u8>, Problem> {
        let newest = self.newest()?;
        let mut head = newest.ok_or_else(|| Problem::Missing(self.name.clone()))?;
        head.about.principal.clear();
        Ok(head.written(&self.shelf.key))
    }

    /// Marks it as used now.
    pub fn mark(&self) {
        let marked = self.heads().ok().and_then(|heads| {
            let newest = self.folder().ok()?.file(&file_of(*heads.last()?)).ok()?;
            newest.set_modified(SystemTime::now()).ok()
        });
        if marked.is_none() {
            tracing::debug!(session = self.name, "it can't be marked as used");
        }
    }

    /// Removes all of it.
    ///
    /// # Errors
    ///
    /// [`Problem::Missing`], [`Problem::Folder`].
    pub fn remove(self) -> Result<(), Problem> {
        let heads = self.known()?;
        if heads.numbers.is_empty() {
            return Err(Problem::Missing(self.name));
        }
        // The newest last: whatever stops this, what is left is a session.
        for &number in &heads.numbers {
            self.remove_head(heads, number)?;
        }
        clear_folder(&self.path())?;
        self.shelf.folder.clear(&lock_of(&self.name))?;
        Ok(())
    }

    fn path(&self) -> PathBuf {
        self.shelf.path_of(&self.name)
    }

    /// Its folder, which is made if need be.
    fn folder(&self) -> io::Result<&PrivateFolder> {
        if let Some(folder) = self.folder.get() {
            return Ok(folder);
        }
        let folder = self.shelf.folder.within(&self.name, OTHERS_REACH)?;
        Ok(self.folder.get_or_init(|| folder))
    }

    /// What is in it.
    fn known(&self) -> io::Result<&Heads> {
        if let Some(heads) = self.heads.get() {
            return Ok(heads);
        }
        let heads = Heads::of(&self.path())?;
        Ok(self.heads.get_or_init(|| heads))
    }

    /// The same, to be changed. Until it is put back, it is not known.
    fn taken(&mut self) -> io::Result<Heads> {
        self.known()?;
        Ok(self.heads.take().unwrap_or_default())
    }
}

/// Removes a folder, if there is one.
fn clear_folder(path: &Path) -> io::Result<()> {
    if_there(fs::remove_dir_all(path))
}
