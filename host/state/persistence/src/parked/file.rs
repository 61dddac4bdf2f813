//! A kept run as a file.
//!
//! It is a line that says what it is, the length of its header, that as JSON, a keyed hash of all
//! this, and the memory, whose hash is in the header. So a list need not read memories, and nothing
//! is read before its hash was found to be right.

use std::io::{self, Read};

use ampoule_store::commit::Decision;
use ampoule_store::key::Key;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// What each file begins with.
const MAGIC: &[u8] = b"ampoule parked run 1\n";
const HASH_BYTES: usize = blake3::OUT_LEN;

/// What a run has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It waits.
    Parked,
    /// It is over, and nobody has asked for its end.
    Ended,
}

/// The header of a run.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) run: String,
    /// How often it was kept.
    pub(crate) number: u64,
    /// Whose it is: a hash of the principal.
    pub(crate) principal: String,
    pub(crate) state: State,
    /// When it was kept, in seconds since 1970.
    pub(crate) kept: u64,
    /// The caller's note on it.
    pub(crate) about: Box<RawValue>,
    /// What decides whether it has come to that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<Decision>,
    memory_hash: String,
    memory_bytes: u64,
}

impl Head {
    pub(crate) fn new(
        run: &str,
        number: u64,
        principal: &str,
        state: State,
        kept: u64,
        about: Box<RawValue>,
    ) -> Self {
        Self {
            run: run.to_owned(),
            number,
            principal: principal.to_owned(),
            state,
            kept,
            about,
            decision: None,
            memory_hash: String::new(),
            memory_bytes: 0,
        }
    }

    /// As a file, with a memory, signed.
    pub(crate) fn written(mut self, memory: &[u8], key: &Key) -> io::Result<Vec<u8>> {
        self.memory_hash = blake3::hash(memory).to_hex().to_string();
        self.memory_bytes = memory.len() as u64;
        let head = serde_json::to_vec(&self)?;
        let length = u32::try_from(head.len()).map_err(io::Error::other)?;
        let mut file = [MAGIC, &length.to_le_bytes(), &head].concat();
        let hash = blake3::keyed_hash(key, &file);
        file.extend_from_slice(hash.as_bytes());
        file.extend_from_slice(memory);
        Ok(file)
    }

    /// Reads the header of a run, of a file of that size; or what is wrong with it. The rest of the
    /// file is the memory.
    pub(crate) fn read(
        mut file: impl Read,
        key: &Key,
        most: u64,
    ) -> io::Result<Result<Self, &'static str>> {
        let mut start = [0; MAGIC.len() + 4];
        if file.read_exact(&mut start).is_err() || !start.starts_with(MAGIC) {
            return Ok(Err("it is not a parked run of this version"));
        }
        let length: [u8; 4] = start[MAGIC.len()..].try_into().unwrap_or_default();
        let length = u64::from(u32::from_le_bytes(length));
        if length > most {
            return Ok(Err("its header is too large"));
        }
        let mut rest = Vec::new();
        let wanted = length + HASH_BYTES as u64;
        file.take(wanted).read_to_end(&mut rest)?;
        if (rest.len() as u64) < wanted {
            return Ok(Err("it was cut off"));
        }
        let (head, hash) = rest.split_at(rest.len() - HASH_BYTES);
        let hash: [u8; HASH_BYTES] = hash.try_into().unwrap_or_default();
        let mut hasher = blake3::Hasher::new_keyed(key);
        hasher.update(&start).update(head);
        // Compared in constant time.
        if hasher.finalize() != hash {
            return Ok(Err("it was not signed by this store, or was changed since"));
        }
        let head = serde_json::from_slice(head);
        Ok(head.map_err(|_| "its header can't be read"))
    }

    /// Reads the memory, from where the header ends.
    pub(crate) fn memory(
        &self,
        file: impl Read,
        most: u64,
    ) -> io::Result<Result<Vec<u8>, &'static str>> {
        if self.memory_bytes > most {
            return Ok(Err("its memory is too large"));
        }
        let mut memory = Vec::new();
        file.take(self.memory_bytes + 1).read_to_end(&mut memory)?;
        if blake3::hash(&memory).to_hex().as_str() != self.memory_hash {
            return Ok(Err("its memory was changed"));
        }
        Ok(Ok(memory))
    }
}
