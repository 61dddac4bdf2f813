//! Where sign-ins are kept: in the system's keyring, or in a file that only this user can read.
//!
//! There is a file for each resource in either case. It tells where the secrets are, changes with
//! every change of them, so that other processes see that there was one, and has a lock beside it.
//!
//! Sign-ins of principals are in a folder of their own, encrypted.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_secrets::KeySource;
use ampoule_store::expiry;
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde::{Deserialize, Serialize};

use crate::error::SignInError;
use crate::keyring::{self, Person};
use crate::options::SignInOptions;
use crate::place::{Content, Place};
use crate::sealed::{self, SealedEntry, SealedFolder};
use crate::sign_in::SignInStatus;
use crate::stored_sign_in::StoredSignIn;

/// No sign-in needs more bytes.
const MOST_BYTES: u64 = 1 << 20;
/// Whoever holds a lock refreshes a token, which ends within this time.
const LOCKED_AT_MOST: Duration = Duration::from_secs(60);
/// How long it takes to look at a lock again.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The folder of principals' sign-ins, in that of the host's own.
const PRINCIPALS: &str = "principals";

/// Where sign-ins are kept. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    keyring: bool,
    /// Where the key is that encrypts principals' sign-ins.
    key: Option<KeySource>,
    /// How long a principal's sign-in is kept that nobody uses.
    idle: Duration,
}

/// A principal's sign-in, as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrincipalSignIn {
    /// Whose it is.
    pub principal: Arc<str>,
    /// The server's name in the configuration.
    pub server: String,
    /// The server's address.
    pub resource: String,
    /// Who signed in there, and until when. None: the sign-in is no longer accepted.
    pub status: Option<SignInStatus>,
}

/// Where a sign-in's secrets went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SecretPlace {
    Keyring,
    File,
    Sealed,
}

/// A resource's file.
#[derive(Serialize, Deserialize)]
struct Entry {
    resource: String,
    place: SecretPlace,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kept: Option<StoredSignIn>,
}

/// Tells one state of a resource's file from every other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp(u64, i64, i64, u64);

impl Stamp {
    /// Whether this is the same file, with the same content: what is kept is never changed in place.
    pub(crate) fn has_content_of(&self, other: &Self) -> bool {
        (self.0, self.3) == (other.0, other.3)
    }
}

/// A resource's lock between processes; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock is the file's")] File);

impl Store {
    /// The usual place: the user's keyring where there is one, else a folder of the user's data.
    /// `AMPOULE_CREDENTIALS=file` leaves the keyring alone.
    ///
    /// # Errors
    ///
    /// The user has no such folder, or the variable has another value.
    pub fn of_user() -> Result<Self, SignInError> {
        let user = directories::ProjectDirs::from("", "", "ampoule").ok_or_else(|| {
            SignInError::new("there is no folder to keep a sign-in in: set HOME, or XDG_DATA_HOME")
        })?;
        let keyring = match std::env::var("AMPOULE_CREDENTIALS").as_deref() {
            Err(_) | Ok("" | "keyring") => true,
            Ok("file") => false,
            Ok(_) => {
                return Err(SignInError::new(
                    "AMPOULE_CREDENTIALS must be `keyring` or `file`",
                ));
            }
        };
        Ok(Self {
            folder: user.data_dir().join("sign-in"),
            keyring,
            key: None,
            idle: expiry::KEPT,
        })
    }

    /// Files in this folder alone.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            keyring: false,
            key: None,
            idle: expiry::KEPT,
        }
    }

    /// The keyring, with the files about it in this folder.
    pub fn in_keyring(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            keyring: true,
            key: None,
            idle: expiry::KEPT,
        }
    }

    /// Where the key is that encrypts principals' sign-ins: 32 bytes. Default: a key that is made in
    /// the folder of those sign-ins.
    #[must_use]
    pub fn sealed_by(self, key: Option<KeySource>) -> Self {
        Self { key, ..self }
    }

    /// How long a principal's sign-in is kept that nobody uses. Default: 30 days.
    #[must_use]
    pub fn kept_for(self, idle: Option<Duration>) -> Self {
        Self {
            idle: idle.unwrap_or(expiry::KEPT),
            ..self
        }
    }

    /// Whether a keyring is tried first.
    pub(crate) fn prefers_a_keyring(&self) -> bool {
        self.keyring
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whose sign-in is kept for this server, if one is. Nobody is asked, and no server.
    ///
    /// # Errors
    ///
    /// The store can't be read.
    pub async fn signed_in(
        &self,
        options: &SignInOptions,
    ) -> Result<Option<SignInStatus>, SignInError> {
        if !options.is_persons() {
            return Ok(None);
        }
        let kept = self.load_for(options, Person::Absent).await?;
        Ok(kept.as_ref().and_then(SignInStatus::of))
    }

    /// What is kept, if it is of the client that is configured.
    pub(crate) async fn load_for(
        &self,
        options: &SignInOptions,
        person: Person,
    ) -> Result<Option<StoredSignIn>, SignInError> {
        let kept = self.load(&options.place(), person).await?;
        Ok(kept.filter(|kept| match &options.client_id {
            Some(configured) => *configured == kept.client.id,
            None => kept.client.registered,
        }))
    }

    /// The sign-ins of all principals, by their names and their servers. No server is asked.
    ///
    /// # Errors
    ///
    /// The store can't be read.
    pub async fn of_principals(&self) -> Result<Vec<PrincipalSignIn>, SignInError> {
        if !self.principals().exists() {
            return Ok(Vec::new());
        }
        let all = self.sealed().await.and_then(|folder| folder.all());
        let all = all.map_err(|error| self.fault(&error))?.into_iter();
        let listed = all.filter_map(|entry: SealedEntry| {
            Some(PrincipalSignIn {
                principal: entry.principal?,
                server: entry.server,
                resource: entry.resource,
                status: SignInStatus::of(&entry.kept),
            })
        });
        let mut listed: Vec<_> = listed.collect();
        listed.sort_by(|one, other| {
            let key = |it: &PrincipalSignIn| (Arc::clone(&it.principal), it.server.clone());
            key(one).cmp(&key(other))
        });
        Ok(listed)
    }

    /// What is kept at a place.
    pub(crate) async fn load(
        &self,
        place: &Place,
        person: Person,
    ) -> Result<Option<StoredSignIn>, SignInError> {
        if place.is_sealed() {
            // Whoever only looks makes no folder.
            if self.stamp(place).is_none() {
                return Ok(None);
            }
            let read = self.sealed().await.and_then(|folder| folder.read(place));
            return read.map_err(|error| self.fault(&error));
        }
        let entry = self.entry(place);
        let Some(entry) = entry.map_err(|error| self.fault(&error))? else {
            return Ok(None);
        };
        if entry.place == SecretPlace::File {
            return Ok(entry.kept);
        }
        let text = keyring::load(&place.name(), person).await.map_err(|why| {
            SignInError::new(format!(
                "the system's keyring, where the sign-in is kept, can't be read: {why}; unlock it"
            ))
        })?;
        // Something that no longer can be read is as good as gone.
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    }

    /// Keeps this at a place. Only who holds its lock does so.
    pub(crate) async fn save(
        &self,
        _lock: &Lock,
        place: &Place,
        kept: &StoredSignIn,
        person: Person,
    ) -> Result<SecretPlace, SignInError> {
        if place.is_sealed() {
            let written = self.sealed().await;
            let written = written.and_then(|folder| folder.write(place, kept));
            return written
                .map(|()| SecretPlace::Sealed)
                .map_err(|error| self.fault(&error));
        }
        let (name, resource) = (place.name(), &place.resource);
        let before = self.entry(place).ok().flatten();
        // Without a person, secrets stay where they are.
        let keyring = match (&before, person) {
            (Some(entry), Person::Absent) => entry.place == SecretPlace::Keyring,
            _ => self.keyring,
        };
        let place = if keyring {
            let text = serde_json::to_string(kept).map_err(io::Error::from);
            let text = text.map_err(|error| self.fault(&error))?;
            let label = format!("Ampoule: {resource}");
            match keyring::save(&name, &label, &text, person).await {
                Ok(()) => SecretPlace::Keyring,
                Err(why) => {
                    tracing::info!(why, "no keyring takes the sign-in");
                    SecretPlace::File
                }
            }
        } else {
            SecretPlace::File
        };
        let entry = Entry {
            resource: resource.to_string(),
            place,
            kept: (place == SecretPlace::File).then(|| kept.clone()),
        };
        self.write(&name, &entry)
            .map_err(|error| self.fault(&error))?;
        Ok(place)
    }

    /// Forgets what is kept at a place. Only who holds its lock does so.
    pub(crate) async fn remove(&self, _lock: &Lock, place: &Place) -> Result<(), SignInError> {
        if place.is_sealed() {
            let removed = self.sealed().await.and_then(|folder| folder.remove(place));
            return removed.map_err(|error| self.fault(&error));
        }
        let name = place.name();
        let entry = self.entry(place).map_err(|error| self.fault(&error))?;
        if entry.is_some_and(|entry| entry.place == SecretPlace::Keyring) {
            keyring::remove(&name, Person::Present).await.map_err(|why| {
                SignInError::new(format!(
                    "the system's keyring, where the sign-in is kept, can't be changed: {why}; unlock it and try again"
                ))
            })?;
        }
        let removed = self.open().and_then(|folder| folder.clear(&file_of(&name)));
        removed.map_err(|error| self.fault(&error))
    }

    /// Takes a place's lock, as soon as no other process has it.
    pub(crate) async fn lock(&self, place: &Place) -> Result<Lock, SignInError> {
        let name = format!("{}.lock", place.name());
        let folder = match place.is_sealed() {
            true => PrivateFolder::open(&self.principals(), OTHERS_REACH),
            false => self.open(),
        };
        let folder = Arc::new(folder.map_err(|error| self.fault(&error))?);
        let since = Instant::now();
        loop {
            match folder.try_lock(&name).map_err(|error| self.fault(&error))? {
                Some(file) => return Ok(Lock(file)),
                None if since.elapsed() > LOCKED_AT_MOST => {
                    return Err(SignInError::new(format!(
                        "another process has held {} for a minute; stop it, and try again",
                        self.folder.join(name).display()
                    )));
                }
                None => tokio::time::sleep(LOOK_AGAIN).await,
            }
        }
    }

    /// Notes that what is kept for a principal is used. Not each use is noted: whether this one was,
    /// so that the file has another stamp.
    pub(crate) fn note_use(&self, place: &Place) -> bool {
        if !place.is_sealed() {
            return false;
        }
        let file = sealed::file_of(&place.name());
        let found = std::fs::symlink_metadata(self.principals().join(&file));
        if !found.is_ok_and(|found| expiry::is_to_be_marked(&found, self.idle)) {
            return false;
        }
        let folder = PrivateFolder::open(&self.principals(), OTHERS_REACH);
        match folder.and_then(|folder| folder.file(&file)) {
            Ok(file) => {
                expiry::mark_kept_for(&file, self.idle);
                true
            }
            Err(error) => {
                tracing::debug!(%error, "the use of a sign-in can't be noted");
                false
            }
        }
    }

    /// The state of a place's file; none where there is none, or nobody used it for too long.
    pub(crate) fn stamp(&self, place: &Place) -> Option<Stamp> {
        let file = match place.content {
            Content::OfHost => self.folder.join(file_of(&place.name())),
            _ => self.principals().join(sealed::file_of(&place.name())),
        };
        let found = std::fs::symlink_metadata(file).ok()?;
        let is_principals = matches!(place.content, Content::Of(_));
        if is_principals && expiry::is_over(&found, self.idle) {
            return None;
        }
        Some(Stamp(
            found.ino(),
            found.mtime(),
            found.mtime_nsec(),
            found.size(),
        ))
    }

    fn entry(&self, place: &Place) -> io::Result<Option<Entry>> {
        // Who only looks makes no folder.
        if !self.folder.exists() {
            return Ok(None);
        }
        let file = match self.open()?.file(&file_of(&place.name())) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = String::new();
        file.take(MOST_BYTES).read_to_string(&mut text)?;
        let entry: Option<Entry> = serde_json::from_str(&text).ok();
        Ok(entry.filter(|entry| entry.resource == place.resource.as_str()))
    }

    fn write(&self, name: &str, entry: &Entry) -> io::Result<()> {
        let folder = self.open()?;
        let text = serde_json::to_vec(entry)?;
        let draft = folder.draft(name, || ())?;
        draft.keep(&file_of(name), &text)?;
        Ok(())
    }

    fn principals(&self) -> PathBuf {
        self.folder.join(PRINCIPALS)
    }

    async fn sealed(&self) -> io::Result<SealedFolder> {
        SealedFolder::open(&self.principals(), self.key.as_ref(), self.idle).await
    }

    fn open(&self) -> io::Result<PrivateFolder> {
        PrivateFolder::open(&self.folder, OTHERS_REACH)
    }

    fn fault(&self, error: &io::Error) -> SignInError {
        SignInError::new(format!(
            "sign-ins can't be kept in {}: {error}",
            self.folder.display()
        ))
    }
}

fn file_of(name: &str) -> String {
    format!("{name}.json")
}
