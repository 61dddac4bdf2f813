//! Files of sign-ins that belong to principals: encrypted, each for its place alone.
//!
//! A file is a line that says what it is, a nonce, and the rest as JSON, encrypted and authenticated
//! (ChaCha20-Poly1305) by a key that is made of the operator's and of the file's name. So a file
//! that was given another name, or another server's, can't be opened; and what is in it says once
//! more whose it is.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_secrets::KeySource;
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::{expiry, key};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use serde::{Deserialize, Serialize};

use crate::place::{Content, Place};
use crate::stored_sign_in::StoredSignIn;

/// What files end with.
pub(crate) const EXTENSION: &str = "sealed";

/// What each file begins with.
const MAGIC: &[u8] = b"ampoule sign-in 1\n";
/// What the key of a file is made for.
const PURPOSE: &str = "ampoule 2026 the sign-in of a principal";
/// No sign-in needs more bytes.
const MOST_BYTES: u64 = 1 << 20;
/// How many sign-ins are kept. Each principal has at most one to each server.
const MOST_FILES: usize = 100_000;

/// What is in a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct SealedEntry {
    pub(crate) server: String,
    pub(crate) resource: String,
    /// None: it is the client by which principals sign in.
    pub(crate) principal: Option<Arc<str>>,
    pub(crate) kept: StoredSignIn,
}

/// The folder of such files, and the operator's key.
pub(crate) struct SealedFolder {
    folder: PrivateFolder,
    key: key::Key,
    /// How long a principal's sign-in is kept that nobody uses.
    idle: Duration,
}

impl SealedFolder {
    /// `key` says where the operator's key is. Default: one that is made in the folder.
    pub(crate) async fn open(
        folder: &Path,
        key: Option<&KeySource>,
        idle: Duration,
    ) -> io::Result<Self> {
        let folder = PrivateFolder::open(folder, OTHERS_REACH)?;
        let key = match key {
            None => key::of(&folder)?,
            Some(KeySource::File(file)) => key_in_file(file)?,
            Some(KeySource::Secret(text)) => key_in_secret(text).await?,
        };
        Ok(Self { folder, key, idle })
    }

    /// What is kept at a place. Reading it does not count as a use.
    pub(crate) fn read(&self, place: &Place) -> io::Result<Option<StoredSignIn>> {
        let Some((_, entry)) = self.entry(&file_of(&place.name()))? else {
            return Ok(None);
        };
        // Its name says so already, unless somebody has the key.
        let principal = match &place.content {
            Content::Of(name) => Some(name),
            Content::OfHost | Content::Client => None,
        };
        let is_this = entry.principal.as_ref() == principal
            && entry.server == place.server
            && entry.resource == place.resource.as_str();
        Ok(is_this.then_some(entry.kept))
    }

    /// A file, and its content. What can't be opened is as good as gone: its owner signs in again.
    fn entry(&self, file: &str) -> io::Result<Option<(File, SealedEntry)>> {
        let Some((found, text)) = self.content(file)? else {
            return Ok(None);
        };
        let entry = self.opened(file, &text);
        if entry.is_none() {
            tracing::warn!(
                folder = %self.folder.path().display(),
                file,
                "a principal's sign-in can't be decrypted: it is damaged, or encrypted with another key; its principal has to sign in again"
            );
        }
        Ok(entry.map(|entry| (found, entry)))
    }

    /// A file, and what is in it, encrypted.
    fn content(&self, file: &str) -> io::Result<Option<(File, Vec<u8>)>> {
        let found = match self.folder.file(file) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = Vec::new();
        (&found).take(MOST_BYTES + 1).read_to_end(&mut text)?;
        Ok(Some((found, text)))
    }

    /// Keeps this at a place. What nobody used for too long goes.
    pub(crate) fn write(&self, place: &Place, kept: &StoredSignIn) -> io::Result<()> {
        let file = file_of(&place.name());
        let entry = SealedEntry {
            server: place.server.clone(),
            resource: place.resource.to_string(),
            principal: match &place.content {
                Content::Of(name) => Some(Arc::clone(name)),
                Content::OfHost | Content::Client => None,
            },
            kept: kept.clone(),
        };
        if let Err(error) = self.sweep() {
            tracing::debug!(%error, "unused sign-ins can't be removed");
        }
        let names = self.files()?;
        if names.len() >= MOST_FILES && !names.contains(&file) {
            return Err(io::Error::other(format!(
                "there are {MOST_FILES} sign-ins of principals already; remove some with `ampoule auth logout`"
            )));
        }
        let sealed = self.sealed(&file, serde_json::to_vec(&entry)?)?;
        self.folder.draft(&file, || ())?.keep(&file, &sealed)?;
        Ok(())
    }

    /// Removes what nobody used for too long.
    fn sweep(&self) -> io::Result<()> {
        // The client by which principals sign in is among the files, and lasts at least a month.
        expiry::sweep_kept_for(&self.folder, EXTENSION, self.idle.max(expiry::KEPT));
        if self.idle >= expiry::KEPT {
            return Ok(());
        }
        for file in self.files()? {
            let found = self.folder.metadata(&file);
            if !found.is_ok_and(|found| expiry::is_over(&found, self.idle)) {
                continue;
            }
            let Some((_, text)) = self.content(&file)? else {
                continue;
            };
            let entry = self.opened(&file, &text);
            if entry.is_some_and(|entry| entry.principal.is_some()) {
                self.folder.clear(&file)?;
            }
        }
        Ok(())
    }

    /// All that is kept for principals. Listing a sign-in does not count as a use, and what nobody used
    /// for too long goes.
    pub(crate) fn all(&self) -> io::Result<Vec<SealedEntry>> {
        let mut all = Vec::new();
        for file in self.files()? {
            let Some((found, entry)) = self.entry(&file)? else {
                continue;
            };
            match entry.principal.is_some() && expiry::is_over(&found.metadata()?, self.idle) {
                true => self.folder.clear(&file)?,
                false => all.push(entry),
            }
        }
        Ok(all)
    }

    pub(crate) fn remove(&self, place: &Place) -> io::Result<()> {
        self.folder.clear(&file_of(&place.name()))
    }

    fn files(&self) -> io::Result<Vec<String>> {
        let end = format!(".{EXTENSION}");
        let names = self.folder.names()?.into_iter();
        Ok(names.filter(|name| name.ends_with(&end)).collect())
    }

    fn sealed(&self, file: &str, mut content: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(io::Error::other)?;
        let failed = || io::Error::other("it can't be encrypted");
        let key = self.of_file(file).ok_or_else(failed)?;
        let number = Nonce::assume_unique_for_key(nonce);
        key.seal_in_place_append_tag(number, Aad::from(MAGIC), &mut content)
            .map_err(|_| failed())?;
        Ok([MAGIC, &nonce, &content].concat())
    }

    fn opened(&self, file: &str, text: &[u8]) -> Option<SealedEntry> {
        if text.len() as u64 > MOST_BYTES {
            return None;
        }
        let (nonce, sealed) = text.strip_prefix(MAGIC)?.split_first_chunk::<NONCE_LEN>()?;
        let mut sealed = sealed.to_vec();
        let number = Nonce::assume_unique_for_key(*nonce);
        let content = self
            .of_file(file)?
            .open_in_place(number, Aad::from(MAGIC), &mut sealed)
            .ok()?;
        serde_json::from_slice(content).ok()
    }

    /// The key of one file.
    fn of_file(&self, file: &str) -> Option<LessSafeKey> {
        let mut hasher = blake3::Hasher::new_derive_key(PURPOSE);
        hasher.update(&self.key).update(file.as_bytes());
        let key = UnboundKey::new(&CHACHA20_POLY1305, hasher.finalize().as_bytes());
        Some(LessSafeKey::new(key.ok()?))
    }
}

pub(crate) fn file_of(name: &str) -> String {
    format!("{name}.{EXTENSION}")
}

/// The operator's key, where a reference says: 32 bytes in base64.
async fn key_in_secret(text: &str) -> io::Result<key::Key> {
    let opened = ampoule_secrets::open(text).await?;
    let bytes = BASE64_STANDARD.decode(opened.text.trim()).ok();
    let key = bytes.and_then(|bytes| bytes.try_into().ok());
    key.ok_or_else(|| {
        io::Error::other(
            "the secret that `serve.sign-in-key` refers to can't be used: a key has 32 bytes, in base64; make one with `head -c 32 /dev/urandom | base64`",
        )
    })
}

/// The operator's key, in a file: 32 bytes that nobody but the host's user can read.
fn key_in_file(file: &Path) -> io::Result<key::Key> {
    let shown = file.display();
    let told = |why: &dyn std::fmt::Display| {
        io::Error::other(format!("the key {shown} can't be used: {why}"))
    };
    let found = std::fs::metadata(file).map_err(|error| told(&error))?;
    if found.mode() & OTHERS_REACH != 0 {
        return Err(told(&format!(
            "other users can read it; run `chmod 600 {shown}`"
        )));
    }
    if found.len() != size_of::<key::Key>() as u64 {
        return Err(told(&format!(
            "a key has 32 bytes; make one with `head -c 32 /dev/urandom > {shown}`"
        )));
    }
    key::in_file(file).map_err(|error| told(&error))
}
