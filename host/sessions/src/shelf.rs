//! The sessions of one principal: a folder for each.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use crate::head::{About, Head, Key};
use crate::limits::SessionLimits;
use crate::name;
use crate::problem::Problem;
use crate::session::{Heads, Session, file_of};
use crate::store;

/// The sessions of one principal.
#[derive(Debug)]
pub struct Shelf {
    pub(crate) folder: PrivateFolder,
    /// Whose they are.
    pub(crate) tag: String,
    pub(crate) key: Key,
    pub(crate) limits: SessionLimits,
}

/// A session, as lists have it. Nothing in its files was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What it is called.
    pub name: String,
    /// The number of its newest run.
    pub run: u64,
    /// How many heads it has.
    pub heads: usize,
    /// How much they take, in bytes; what forks share counts for each.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
}

impl Shelf {
    pub(crate) fn new(folder: PrivateFolder, tag: String, key: Key, limits: SessionLimits) -> Self {
        Self {
            folder,
            tag,
            key,
            limits,
        }
    }

    /// All of them, the last used first.
    ///
    /// # Errors
    ///
    /// [`Problem::Folder`].
    pub fn list(&self) -> Result<Vec<Listed>, Problem> {
        let mut listed: Vec<_> = self
            .names()?
            .into_iter()
            .filter_map(|name| self.listed(name))
            .collect();
        listed.sort_by(|one, other| (other.used, &one.name).cmp(&(one.used, &other.name)));
        Ok(listed)
    }

    /// The session of a name, whether or not there is one yet. Nobody else has it until it is
    /// dropped.
    ///
    /// # Errors
    ///
    /// [`Problem::Name`]; [`Problem::Busy`] while somebody else has it.
    pub fn take(self: &Arc<Self>, name: &str) -> Result<Session, Problem> {
        let name = name::checked(name)?;
        match self.folder.try_lock_named(&lock_of(name))? {
            Some(lock) => Ok(Session::new(Arc::clone(self), name.to_owned(), lock)),
            None => Err(Problem::Busy(name.to_owned())),
        }
    }

    /// A session of what a file has, which an [export](Session::export) wrote. It is signed with this
    /// store's key, or with that in another file.
    ///
    /// # Errors
    ///
    /// As for [`take`](Self::take); [`Problem::Exists`], [`Problem::TooLarge`], [`Problem::Damaged`],
    /// [`Problem::Foreign`].
    pub fn import(
        self: &Arc<Self>,
        file: &Path,
        name: &str,
        key: Option<&Path>,
    ) -> Result<(), Problem> {
        let most = self.limits.bytes;
        let bytes = fs::metadata(file)?.len();
        if bytes > most {
            return Err(Problem::TooLarge { bytes, most });
        }
        let key = match key {
            Some(file) => store::key_in(file)?,
            None => self.key,
        };
        let mut head = Head::read(&fs::read(file)?, &key)?;
        let session = self.take(name)?;
        if !session.heads()?.is_empty() {
            return Err(Problem::Exists(name.to_owned()));
        }
        // It can't go back to what is not there.
        head.about.run = head.about.run.max(2);
        session.keep(head).map(drop)
    }

    /// What is told of the newest head of a session, whoever has it at the moment; none if there is no
    /// such session.
    ///
    /// # Errors
    ///
    /// As for [`Session::newest`].
    pub fn about(&self, name: &str) -> Result<Option<About>, Problem> {
        let name = name::checked(name)?;
        let heads = Heads::of(&self.path_of(name))?;
        let newest = heads.numbers().last();
        newest
            .map(|&number| Ok(self.head(name, number)?.about))
            .transpose()
    }

    /// A head of a session.
    pub(crate) fn head(&self, name: &str, number: u64) -> Result<Head, Problem> {
        let folder = PrivateFolder::open(&self.path_of(name), OTHERS_REACH)?;
        let mut file = folder.file(&file_of(number))?;
        let (bytes, most) = (file.metadata()?.len(), self.limits.bytes);
        if bytes > most {
            return Err(Problem::TooLarge { bytes, most });
        }
        let mut content = Vec::with_capacity(bytes as usize);
        file.by_ref().take(most).read_to_end(&mut content)?;
        let head = Head::read(&content, &self.key)?;
        match head.about.principal == self.tag {
            true => Ok(head),
            false => Err(Problem::NotYours),
        }
    }

    /// The names of all of them.
    pub(crate) fn names(&self) -> Result<Vec<String>, Problem> {
        let names = self.folder.names()?;
        Ok(names
            .into_iter()
            .filter(|name| name::checked(name).is_ok())
            .collect())
    }

    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn listed(&self, name: String) -> Option<Listed> {
        let heads = Heads::of(&self.path_of(&name)).ok()?;
        let newest = *heads.numbers().last()?;
        let found = heads
            .numbers()
            .iter()
            .filter_map(|&number| heads.metadata(number));
        let (mut bytes, mut used) = (0, SystemTime::UNIX_EPOCH);
        for head in found {
            bytes += head.len();
            used = used.max(head.modified().unwrap_or(used));
        }
        Some(Listed {
            name,
            run: newest,
            heads: heads.numbers().len(),
            bytes,
            used,
        })
    }

    /// Makes room for one more session: those go that nobody has used for too long, and, where there
    /// are too many, those that were used longest ago.
    pub(crate) fn make_room(self: &Arc<Self>) -> Result<(), Problem> {
        let mut listed = self.list()?;
        let is_old = |session: &Listed| {
            let age = session.used.elapsed();
            age.is_ok_and(|age| age > self.limits.age)
        };
        while let Some(last) = listed.pop_if(|last| is_old(last)) {
            self.remove(&last, "nobody has used it for too long");
        }
        let mut many = (listed.len() + 1).saturating_sub(self.limits.sessions);
        // One that somebody has at the moment stays, and the next goes in its place.
        while let (true, Some(last)) = (many > 0, listed.pop()) {
            if self.remove(&last, "there are too many, and it was used longest ago") {
                many -= 1;
            }
        }
        Ok(())
    }

    /// Whether it is gone.
    fn remove(self: &Arc<Self>, session: &Listed, why: &'static str) -> bool {
        let removed = self.take(&session.name).and_then(Session::remove);
        let (session, principal) = (&session.name, &self.tag);
        match &removed {
            Ok(()) => tracing::warn!(session, principal, why, "a session was removed"),
            Err(error) => tracing::warn!(session, principal, %error, "a session can't be removed"),
        }
        removed.is_ok()
    }
}

/// The file that is locked while somebody has a session. Its name is none of a session.
pub(crate) fn lock_of(name: &str) -> String {
    format!(".{name}.lock")
}

/// What is not there is no fault.
pub(crate) fn if_there<T: Default>(found: io::Result<T>) -> io::Result<T> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        found => found,
    }
}
