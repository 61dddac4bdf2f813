//! The list of all chains: how far each one is at least, and what was removed of it.
//!
//! One small signed file, replaced as a whole under a lock. It binds what the chains can't tell
//! themselves: that a chain is there at all, that its end was not cut off, and that its beginning
//! is missing because it was old. Its number grows, and the chains mention it: an older list that
//! somebody puts back is distinguished from them, as an older chain is from the list.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::time::SystemTime;

use ampoule_store::folder::PrivateFolder;
use blake3::Hash;
use serde::{Deserialize, Serialize};

use crate::keys::{Keys, PublicKey};
use crate::lane;
use crate::line::{self, Place, VERSION};

/// The file.
pub(crate) const FILE: &str = "manifest.json";
/// The name of its lock.
const LOCK: &str = "manifest";
/// How large it is at most, in bytes.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) v: u64,
    /// How often it was written.
    pub(crate) number: u64,
    /// When it was written.
    pub(crate) at: String,
    pub(crate) public_key: String,
    /// When somebody last looked for files that are too old, in seconds since 1970.
    #[serde(default)]
    pub(crate) swept: u64,
    /// When a list was made anew for chains that were there, as the one before was missing or
    /// damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anew: Vec<String>,
    pub(crate) lanes: BTreeMap<u16, ChainState>,
}

/// What is known of a chain.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainState {
    /// The newest file.
    pub(crate) segment: u32,
    /// A line that is there, or was.
    pub(crate) seq: u64,
    pub(crate) hash: String,
    /// Where what was removed ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) removed: Option<Mark>,
}

/// The last line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Mark {
    pub(crate) segment: u32,
    pub(crate) seq: u64,
    pub(crate) hash: String,
    /// When it was removed.
    pub(crate) at: String,
}

impl ChainState {
    pub(crate) const fn new() -> Self {
        Self {
            segment: 0,
            seq: 0,
            hash: String::new(),
            removed: None,
        }
    }

    pub(crate) fn place(&self) -> Place {
        place(self.seq, &self.hash)
    }

    /// Where what is there of the chain begins.
    pub(crate) fn start(&self) -> (u32, Place) {
        match &self.removed {
            Some(mark) => (mark.segment.saturating_add(1), place(mark.seq, &mark.hash)),
            None => (1, Place::START),
        }
    }

    /// It is that far, in that file.
    pub(crate) fn reach(&mut self, segment: u32, place: Place) {
        if place.seq >= self.seq {
            self.seq = place.seq;
            self.hash = place.hash.to_hex().to_string();
        }
        self.segment = self.segment.max(segment);
    }
}

fn place(seq: u64, hash: &str) -> Place {
    let hash = Hash::from_hex(hash).unwrap_or(Place::START.hash);
    Place { seq, hash }
}

/// What is wrong with a list.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ManifestError {
    #[error("it is missing")]
    Missing,
    #[error("unsupported version of the file list")]
    Foreign,
    #[error("its signature is not the log's")]
    Forged,
    #[error("it can't be read: {0}")]
    Disk(#[from] io::Error),
}

impl Manifest {
    /// The list of a folder, signed with that key; with the one that it names itself, if none is
    /// given.
    pub(crate) fn read(
        folder: &PrivateFolder,
        key: Option<&PublicKey>,
    ) -> Result<Self, ManifestError> {
        let file = match folder.file(FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(ManifestError::Missing);
            }
            file => file?,
        };
        let mut text = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut text)?;
        let manifest: Self = serde_json::from_slice(&text).map_err(|_| ManifestError::Foreign)?;
        let own = manifest
            .public_key
            .parse()
            .map_err(|_| ManifestError::Foreign)?;
        let key = key.unwrap_or(&own);
        match line::has_signature(&text, key) {
            false => Err(ManifestError::Forged),
            true if manifest.v != VERSION => Err(ManifestError::Foreign),
            true => Ok(manifest),
        }
    }

    /// Changes the list of a folder. Only one process does at a time.
    pub(crate) fn change<T>(
        folder: &PrivateFolder,
        keys: &Keys,
        change: impl FnOnce(&mut Self) -> T,
    ) -> io::Result<(Self, T)> {
        let draft = folder.draft(LOCK, || ())?;
        let mut manifest = match Self::read(folder, Some(&keys.public())) {
            Ok(manifest) => manifest,
            Err(ManifestError::Disk(error)) => return Err(error),
            Err(unusable) => Self::anew(folder, keys, &unusable)?,
        };
        let changed = change(&mut manifest);
        manifest.number += 1;
        manifest.at = now();
        let text = line::with_signature(serde_json::to_vec(&manifest)?, keys);
        draft.keep(FILE, &text)?;
        Ok((manifest, changed))
    }

    /// A list for what is there. A check of the log reports it, unless nothing was there.
    fn anew(folder: &PrivateFolder, keys: &Keys, why: &ManifestError) -> io::Result<Self> {
        let mut manifest = Self {
            v: VERSION,
            number: 0,
            at: now(),
            public_key: keys.public().to_string(),
            swept: 0,
            anew: Vec::new(),
            lanes: BTreeMap::new(),
        };
        for (lane, segments) in lane::all(folder)? {
            let mut known = ChainState::new();
            if let Some(first) = segments.first().filter(|first| **first > 1) {
                known.removed = lane::begins(folder, lane, *first);
            }
            manifest.lanes.insert(lane, known);
        }
        if !manifest.lanes.is_empty() || !matches!(why, ManifestError::Missing) {
            tracing::error!(%why, "the audit log's list of files had to be rebuilt; `ampoule audit verify` says what is missing");
            manifest.anew.push(now());
            // Its number is beyond any that was mentioned.
            manifest.number = seconds() << 16;
            if !matches!(why, ManifestError::Missing) {
                folder.rename(FILE, &format!("manifest.{}.damaged", seconds()))?;
            }
        }
        Ok(manifest)
    }
}

/// Now, as it is written.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

/// Now, in seconds since 1970.
pub(crate) fn seconds() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}
