//! The sessions of one principal: a folder for each.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};

use crate::sessions::error::SessionError;
use crate::sessions::head::{Head, SessionMetadata};
use crate::sessions::heads::{Heads, file_of};
use crate::sessions::limits::SessionLimits;
use crate::sessions::name;
use crate::sessions::parts;
use crate::sessions::session::Session;

/// The folder of parts. Its name is not a valid name of a session.
const PARTS: &str = ".parts";

/// The sessions of one principal.
#[derive(Debug)]
pub struct Shelf {
    pub(crate) folder: PrivateFolder,
    /// Whose they are.
    pub(crate) tag: String,
    pub(crate) key: Key,
    pub(crate) limits: SessionLimits,
    parts: OnceLock<Option<PrivateFolder>>,
}

/// A session, as lists have it. Nothing in its files was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionEntry {
    /// What it is called.
    pub name: String,
    /// The number of its newest run.
    pub run: u64,
    /// How many heads it has.
    pub heads: usize,
    /// How many runs it can go back.
    pub back: usize,
    /// How much they take, in bytes; what heads and forks share counts for each.
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
            parts: OnceLock::new(),
        }
    }

    /// Where the parts of large heads are; none where they can't be kept.
    pub(crate) fn parts(&self) -> Option<&PrivateFolder> {
        let open = || {
            let folder = self.folder.within(PARTS, OTHERS_REACH);
            let folder = folder.inspect_err(|error| {
                tracing::debug!(%error, "heads share no parts");
            });
            let folder = folder.ok()?;
            // What a process left that was killed.
            parts::sweep(&folder);
            Some(folder)
        };
        self.parts.get_or_init(open).as_ref()
    }

    /// Whether it can still be used: its folder may have been removed, or moved.
    pub fn is_in_place(&self) -> bool {
        self.folder.is_in_place()
    }

    /// All of them, the last used first.
    ///
    /// # Errors
    ///
    /// [`SessionError::Folder`].
    pub fn list(&self) -> Result<Vec<SessionEntry>, SessionError> {
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
    /// [`SessionError::Name`]; [`SessionError::Busy`] while somebody else has it.
    pub fn take(self: &Arc<Self>, name: &str) -> Result<Session, SessionError> {
        let name = name::checked(name)?;
        match self.folder.try_lock_named(&lock_of(name))? {
            Some(lock) => Ok(Session::new(Arc::clone(self), name.to_owned(), lock)),
            None => Err(SessionError::Busy(name.to_owned())),
        }
    }

    /// A session of what a file has, which an [export](Session::export) wrote. It is signed with this
    /// store's key, or with that in another file.
    ///
    /// # Errors
    ///
    /// As for [`take`](Self::take); [`SessionError::Exists`], [`SessionError::File`], [`SessionError::TooLarge`],
    /// [`SessionError::NoSession`], [`SessionError::Foreign`].
    pub fn import(
        self: &Arc<Self>,
        file: &Path,
        name: &str,
        key: Option<&Path>,
    ) -> Result<(), SessionError> {
        let key = match key {
            Some(file) => named(file, key::in_file)?,
            None => self.key,
        };
        let most = self.limits.bytes;
        let (bytes, content) = named(file, |file| {
            let (file, mut content) = (File::open(file)?, Vec::new());
            let bytes = file.metadata()?.len();
            file.take(most).read_to_end(&mut content)?;
            Ok((bytes, content))
        })?;
        if bytes > most {
            return Err(SessionError::TooLarge { bytes, most });
        }
        let mut head = Head::read(&content, &key)?;
        let mut session = self.take(name)?;
        if !session.heads()?.is_empty() {
            return Err(SessionError::Exists(name.to_owned()));
        }
        // It can't go back to what is not there.
        head.about.run = head.about.run.max(2);
        session.keep(head).map(drop)
    }

    /// The description of the newest head of a session, held by any run; none if the session does
    /// not exist.
    ///
    /// # Errors
    ///
    /// As for [`Session::newest`].
    pub fn about(&self, name: &str) -> Result<Option<SessionMetadata>, SessionError> {
        let name = name::checked(name)?;
        let heads = Heads::of(self, name)?;
        let Some(&newest) = heads.numbers().last() else {
            return Ok(None);
        };
        Ok(Some(self.head_in(&heads, name, newest)?.about))
    }

    /// The description of the head that one run left, also while another run has the session; none if
    /// the session no longer has this head.
    ///
    /// # Errors
    ///
    /// As for [`Session::newest`].
    pub fn about_run(
        &self,
        name: &str,
        number: u64,
    ) -> Result<Option<SessionMetadata>, SessionError> {
        let name = name::checked(name)?;
        let heads = Heads::of(self, name)?;
        if !heads.numbers().contains(&number) {
            return Ok(None);
        }
        Ok(Some(self.head_in(&heads, name, number)?.about))
    }

    /// A head of a session that has these.
    pub(crate) fn head_in(
        &self,
        heads: &Heads,
        name: &str,
        number: u64,
    ) -> Result<Head, SessionError> {
        let damaged = |what| SessionError::Damaged {
            name: name.to_owned(),
            what,
            goes_back: heads.back() > 0,
        };
        let mut sealed = heads.sealed().map_err(|fault| fault.of(name))?.iter();
        let sealed = sealed.find(|head| head.number == number);
        let sealed = sealed.ok_or_else(|| damaged("that checkpoint is not on its list"))?;
        let folder = self.folder.within(name, OTHERS_REACH)?;
        let most = self.limits.bytes;
        let content = match parts::read(&folder, &file_of(number), most) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(damaged("the file of a checkpoint is missing"));
            }
            content => content?,
        };
        let content = content.map_err(|bytes| SessionError::TooLarge { bytes, most })?;
        let head = Head::read(&content, &self.key).map_err(|error| match error {
            SessionError::NoSession(what) => damaged(what),
            SessionError::Foreign => {
                damaged("it was not signed by this store, or was changed since")
            }
            other => other,
        })?;
        if head.about.principal != self.tag {
            return Err(SessionError::NotYours);
        }
        match Head::seal(&content).as_ref() == Some(&sealed.seal) {
            true => Ok(head),
            false => Err(damaged("it is not the checkpoint that was stored")),
        }
    }

    /// The names of all of them.
    pub(crate) fn names(&self) -> Result<Vec<String>, SessionError> {
        let names = self.folder.names()?;
        Ok(names
            .into_iter()
            .filter(|name| name::checked(name).is_ok())
            .collect())
    }

    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn listed(&self, name: String) -> Option<SessionEntry> {
        let heads = Heads::of(self, &name).ok()?;
        let newest = *heads.numbers().last()?;
        let found = heads
            .numbers()
            .iter()
            .filter_map(|&number| heads.metadata(number));
        let (mut bytes, mut used) = (heads.bytes_of_parts(), SystemTime::UNIX_EPOCH);
        for head in found {
            bytes += head.len();
            used = used.max(head.modified().unwrap_or(used));
        }
        Some(SessionEntry {
            name,
            run: newest,
            heads: heads.numbers().len(),
            back: heads.back(),
            bytes,
            used,
        })
    }

    /// Makes room for one more session: those go that nobody has used for too long, and, where there
    /// are too many, those that were used longest ago.
    pub(crate) fn make_room(self: &Arc<Self>) -> Result<(), SessionError> {
        self.make_room_for(1)
    }

    /// The same for so many more.
    pub(crate) fn make_room_for(self: &Arc<Self>, more: usize) -> Result<(), SessionError> {
        let mut listed = self.list()?;
        let is_old = |session: &SessionEntry| {
            let age = session.used.elapsed();
            age.is_ok_and(|age| age > self.limits.age)
        };
        while let Some(last) = listed.pop_if(|last| is_old(last)) {
            self.remove(&last, "it was unused for too long");
        }
        let mut many = (listed.len() + more).saturating_sub(self.limits.sessions);
        // One that somebody has at the moment stays, and the next goes in its place.
        while let (true, Some(last)) = (many > 0, listed.pop()) {
            if self.remove(
                &last,
                "there are too many, and it is the least recently used",
            ) {
                many -= 1;
            }
        }
        Ok(())
    }

    /// Whether it is gone.
    fn remove(self: &Arc<Self>, session: &SessionEntry, why: &'static str) -> bool {
        let removed = self.take(&session.name).and_then(Session::remove);
        let (session, principal) = (&session.name, &self.tag);
        match &removed {
            Ok(()) => tracing::warn!(session, principal, why, "a session was removed"),
            Err(error) => tracing::warn!(session, principal, %error, "a session can't be removed"),
        }
        removed.is_ok()
    }
}

/// What is in a file that somebody named. What is none, such as a pipe, could keep this waiting.
fn named<T>(file: &Path, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, SessionError> {
    let found = fs::metadata(file).and_then(|found| match found.is_file() {
        true => read(file),
        false => Err(io::Error::other("it is not a file")),
    });
    found.map_err(|why| SessionError::File {
        file: file.to_owned(),
        why,
    })
}

/// The file that is locked while somebody has a session. Its name is not a valid name of a session.
pub(crate) fn lock_of(name: &str) -> String {
    format!(".{name}.lock")
}

/// A missing file is not a fault.
pub(crate) fn if_there<T: Default>(found: io::Result<T>) -> io::Result<T> {
    match found {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        found => found,
    }
}
