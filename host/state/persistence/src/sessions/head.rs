//! A head: what one run left, as a file.
//!
//! The file is a line that says what it is, the length of its header, that as JSON, what is in
//! memory, and a keyed hash of all this. Nothing in it is read before the hash was found to be
//! right.

use ampoule_store::key::Key;
use serde::{Deserialize, Serialize};

use crate::sessions::error::SessionError;

/// What each file begins with.
const MAGIC: &[u8] = b"ampoule session 1\n";
/// How long the hash at its end is.
const HASH_BYTES: usize = blake3::OUT_LEN;
/// How long the description of a head may be.
const MOST_ABOUT_BYTES: usize = 1 << 20;

/// What one run left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// What is said of it.
    pub about: SessionMetadata,
    /// The memory, as the interpreter's own host wrote it.
    pub memory: Vec<u8>,
}

/// The description of a head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionMetadata {
    /// The hash of the interpreter whose memory it is.
    pub guest: String,
    /// The interpreter's language.
    pub language: String,
    /// Which run of the session left it, counted from 1.
    pub run: u64,
    /// When, in seconds since 1970.
    pub made: u64,
    /// How much memory the interpreter has, in bytes.
    pub memory_bytes: u64,
    /// The names at the top of the session's scripts.
    pub names: Vec<SessionVariable>,
    /// How many more there are.
    #[serde(default)]
    pub more: u32,
    /// What the session's runs have read, as far as policies care, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<serde_json::Value>,
    /// Whose it is: a hash of the principal.
    pub(crate) principal: String,
}

impl SessionMetadata {
    /// The description of what a run left.
    pub fn new(guest: String, language: String, made: u64) -> Self {
        Self {
            guest,
            language,
            run: 0,
            made,
            memory_bytes: 0,
            names: Vec::new(),
            more: 0,
            carried: None,
            principal: String::new(),
        }
    }
}

/// A name at the top of a session's scripts. It is as the script wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionVariable {
    /// The name.
    pub name: String,
    /// What it holds: a class, or `function`, `list` and the like.
    pub kind: String,
    /// How many items, characters or bytes that has, of what has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
}

impl Head {
    /// As a file, signed; and its seal, which is at the file's end.
    pub(crate) fn written(&self, key: &Key) -> (Vec<u8>, String) {
        // Texts and numbers alone can always be written.
        let about = serde_json::to_vec(&self.about).unwrap_or_default();
        let length = (about.len() as u32).to_le_bytes();
        let mut file = [MAGIC, &length, &about, &self.memory].concat();
        let hash = blake3::keyed_hash(key, &file);
        file.extend_from_slice(hash.as_bytes());
        (file, hash.to_hex().to_string())
    }

    /// The seal at the end of a file.
    pub(crate) fn seal(file: &[u8]) -> Option<String> {
        let (_, seal) = file.split_last_chunk::<HASH_BYTES>()?;
        Some(blake3::Hash::from_bytes(*seal).to_hex().to_string())
    }

    /// Of a file, signed with that key.
    ///
    /// # Errors
    ///
    /// [`SessionError::NoSession`], [`SessionError::Foreign`].
    pub(crate) fn read(file: &[u8], key: &Key) -> Result<Self, SessionError> {
        let (about, memory) = Self::checked(file, key)?;
        Ok(Self {
            about,
            memory: memory.to_vec(),
        })
    }

    fn checked<'f>(file: &'f [u8], key: &Key) -> Result<(SessionMetadata, &'f [u8]), SessionError> {
        if !file.starts_with(MAGIC) {
            return Err(SessionError::NoSession("it is not of this version"));
        }
        let signed = file.len().checked_sub(HASH_BYTES);
        let signed = signed.and_then(|at| file.split_at_checked(at));
        let (signed, hash) = signed.ok_or(SessionError::NoSession("it was cut off"))?;
        let hash: [u8; HASH_BYTES] = hash.try_into().map_err(|_| SessionError::Foreign)?;
        // Compared in constant time.
        if blake3::keyed_hash(key, signed) != hash {
            return Err(SessionError::Foreign);
        }
        let cut = || SessionError::NoSession("it is shorter than it says");
        let rest = &signed[MAGIC.len()..];
        let (length, rest) = rest.split_first_chunk().ok_or_else(cut)?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > MOST_ABOUT_BYTES {
            return Err(SessionError::NoSession("its header is too large"));
        }
        let (about, memory) = rest.split_at_checked(length).ok_or_else(cut)?;
        let about = serde_json::from_slice(about)
            .map_err(|_| SessionError::NoSession("its header can't be read"))?;
        Ok((about, memory))
    }
}
