//! What the log records of itself.

use serde::{Deserialize, Serialize};

use crate::event::Name;

/// A file begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Segment {
    /// The chain that it is a part of.
    pub lane: u16,
    /// Which of the chain's files it is, counted from 1.
    pub segment: u32,
    /// The hash of the line before, which is in the file before.
    pub after: Name,
    /// The version of Ampoule.
    pub version: Name,
}

/// A process begins to write.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Opened {
    /// The process.
    pub pid: u32,
    /// The process before ended without a word.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unclean: bool,
    /// The number of the list of files, as it was then.
    pub manifest: u64,
}

/// Everything until here is signed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Checkpoint {
    /// Why now.
    pub why: CheckpointReason,
    /// The signature: Ed25519, in base64.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub signature: Name,
}

/// Why there is a checkpoint.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum CheckpointReason {
    /// It was time.
    #[default]
    Interval,
    /// The file is full, and another one follows.
    Rotate,
    /// The process ends, or writes no more.
    Close,
    /// What a later version says.
    #[serde(other)]
    Other,
}

/// There were events that could not be written.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Gap {
    /// How many happened all the same, and are not here.
    pub lost: u64,
    /// How many were refused: what they tell was not done.
    pub refused: u64,
    /// Since when.
    pub since: Name,
    /// Why they could not be written.
    pub reason: Name,
}

/// Old files were removed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Removed {
    /// The chain that they were of.
    pub lane: u16,
    /// The last file that was removed.
    pub segment: u32,
    /// The last event that was removed.
    pub last: u64,
    /// How many files.
    pub files: u32,
}
