//! All parked runs of a folder.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};
use ampoule_store::principal::{is_principal_folder, principal_folder};
use parking_lot::Mutex;

use crate::parked::error::ParkedRunError;
use crate::parked::limits::ParkedLimits;
use crate::parked::owner::Owner;
use crate::parked::shelf::Shelf;

/// Where the files of owners are.
const OWNERS: &str = ".owners";
/// The parked runs of a folder that nobody but this user can read. Clones are the same.
#[derive(Debug, Clone)]
pub struct Store(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    path: PathBuf,
    pub(crate) key: Key,
    pub(crate) limits: ParkedLimits,
    owner: OnceLock<Owner>,
    /// How many runs each principal has, and how large they are, as far as is known: those that were
    /// there when this process first looked, and its own.
    room: Mutex<Room>,
}

/// How much room is taken.
#[derive(Debug, Default)]
struct Room {
    /// How large the runs of each principal are.
    taken: HashMap<String, HashMap<String, u64>>,
    runs: usize,
    bytes: u64,
}

impl Store {
    /// Opens a folder, and makes it if need be.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`]: it can't be used, or others can.
    pub fn open(path: &Path, limits: ParkedLimits) -> Result<Self, ParkedRunError> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        Ok(Self(Arc::new(Shared {
            path: folder.path().to_owned(),
            key: key::of(&folder)?,
            limits,
            owner: OnceLock::new(),
            room: Mutex::default(),
        })))
    }

    /// The parked runs of a principal; of the local user, if they are nobody else's.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn shelf(&self, principal: Option<&str>) -> Result<Arc<Shelf>, ParkedRunError> {
        self.shelf_of(principal_folder(principal))
    }

    /// Those of everybody.
    ///
    /// # Errors
    ///
    /// [`ParkedRunError::Folder`].
    pub fn shelves(&self) -> Result<Vec<Arc<Shelf>>, ParkedRunError> {
        let mut shelves = Vec::new();
        for entry in fs::read_dir(&self.0.path)? {
            let name = entry?.file_name();
            let tag = name.to_str().filter(|tag| is_tag(tag));
            if let Some(tag) = tag {
                shelves.push(self.shelf_of(tag.to_owned())?);
            }
        }
        Ok(shelves)
    }

    fn shelf_of(&self, tag: String) -> Result<Arc<Shelf>, ParkedRunError> {
        let folder = PrivateFolder::open(&self.0.path.join(&tag), OTHERS_REACH)?;
        let shelf = Arc::new(Shelf::new(folder, tag, Arc::clone(&self.0)));
        let is_known = self.0.room.lock().taken.contains_key(&shelf.tag);
        if !is_known {
            let sizes = shelf.sizes()?;
            self.0.room.lock().add(&shelf.tag, sizes);
        }
        Ok(shelf)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// What parked runs may take.
    pub fn limits(&self) -> ParkedLimits {
        self.0.limits
    }
}

impl Room {
    /// What was there before this process looked, unless another thread has said so.
    fn add(&mut self, tag: &str, sizes: HashMap<String, u64>) {
        if self.taken.contains_key(tag) {
            return;
        }
        self.runs += sizes.len();
        self.bytes += sizes.values().sum::<u64>();
        self.taken.insert(tag.to_owned(), sizes);
    }
}

fn is_tag(name: &str) -> bool {
    is_principal_folder(name)
}

impl Shared {
    /// Takes so much room for a run; it has what it had before if there is not so much.
    pub(crate) fn take_room(&self, tag: &str, run: &str, bytes: u64) -> Result<(), ParkedRunError> {
        let ParkedLimits {
            most, each, all, ..
        } = self.limits;
        let full = |why: String| Err(ParkedRunError::Full(why));
        if bytes > each {
            return full(format!(
                "it would take {bytes} bytes; at most {each} are kept"
            ));
        }
        let mut room = self.room.lock();
        let (count, sum) = (room.runs, room.bytes);
        let theirs = room.taken.entry(tag.to_owned()).or_default();
        let before = theirs.get(run).copied();
        if before.is_none() && theirs.len() >= most {
            return full(format!("a principal may have {most}"));
        }
        if before.is_none() && count >= all.most {
            return full(format!("there may be {}", all.most));
        }
        if sum - before.unwrap_or(0) + bytes > all.bytes {
            return full(format!("they take {sum} bytes, and may take {}", all.bytes));
        }
        theirs.insert(run.to_owned(), bytes);
        room.runs += usize::from(before.is_none());
        room.bytes = sum - before.unwrap_or(0) + bytes;
        Ok(())
    }

    pub(crate) fn give_room_back(&self, tag: &str, run: &str) {
        let mut room = self.room.lock();
        let theirs = room.taken.get_mut(tag);
        if let Some(bytes) = theirs.and_then(|theirs| theirs.remove(run)) {
            room.runs -= 1;
            room.bytes -= bytes;
        }
    }

    /// This process, as one that has runs here.
    pub(crate) fn owner(&self) -> io::Result<&Owner> {
        if let Some(owner) = self.owner.get() {
            return Ok(owner);
        }
        let owner = Owner::new(&self.owners())?;
        Ok(self.owner.get_or_init(|| owner))
    }

    /// Where the files of owners are.
    pub(crate) fn owners(&self) -> PathBuf {
        self.path.join(OWNERS)
    }
}
