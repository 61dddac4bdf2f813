//! What was last known of a server, kept between processes, so that its tools are known before it
//! is started.
//!
//! It is never needed: a file that is missing, damaged, too large or in a folder that others can
//! reach is as if it were not there. One that nobody used for a month is removed when another is
//! written.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_projection::{ObservedShape, Shape, Tool};
use ampoule_store::expiry;
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde::{Deserialize, Serialize};

use super::bounds::CACHE_BYTES;
use super::freshness::Freshness;
use super::greeting::{Introduction, Offers};
use super::handshake::Era;

/// Changes with the form of the file.
const FORMAT: u32 = 2;

/// The extension of the files.
const EXTENSION: &str = "json";

/// The file of one server.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: PathBuf,
    /// The name of its file.
    name: String,
    /// Whether what is kept may come to be read by somebody else than whom it was for.
    across_sign_ins: bool,
}

/// What is known of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct CacheEntry {
    format: u32,
    pub(super) era: Era,
    pub(super) introduction: Introduction,
    #[serde(default)]
    pub(super) offers: Offers,
    pub(super) tools: Option<Arc<[Tool]>>,
    /// What results of tools looked like that don't say so themselves.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    seen: BTreeMap<String, Shape>,
}

/// What results looked like, by their tools.
fn seen(tools: &[Tool]) -> BTreeMap<String, Shape> {
    let tools = tools.iter();
    tools
        .filter_map(|tool| Some((tool.name.clone(), tool.seen.shape()?)))
        .collect()
}

impl CacheEntry {
    pub(super) fn new(
        era: Era,
        introduction: Introduction,
        offers: Offers,
        tools: Option<Arc<[Tool]>>,
    ) -> Self {
        Self {
            format: FORMAT,
            era,
            introduction,
            seen: tools.as_deref().map(seen).unwrap_or_default(),
            offers,
            tools,
        }
    }

    /// Gives the tools what was seen of their results.
    fn show(&mut self) {
        // Nobody else has them yet.
        let tools = self.tools.as_mut().and_then(Arc::get_mut);
        for tool in tools.into_iter().flatten() {
            if let Some(shape) = self.seen.remove(&tool.name) {
                tool.seen = ObservedShape::of(shape);
            }
        }
    }
}

impl Cache {
    /// The file in `folder` of the server that is configured like this.
    pub(super) fn new(folder: &Path, identity: blake3::Hash) -> Self {
        Self {
            folder: folder.join("tools"),
            name: format!("{}.{EXTENSION}", identity.to_hex()),
            across_sign_ins: false,
        }
    }

    /// The file of a server that others may sign in to, with the same configuration: what is meant
    /// for one of them alone is not kept. Where a configuration says who asks, as a process's
    /// environment does, it is kept for who asks like that.
    #[must_use]
    pub(super) fn across_sign_ins(self) -> Self {
        let across_sign_ins = true;
        Self {
            across_sign_ins,
            ..self
        }
    }

    /// Whether tools are kept that are of such a list.
    pub(super) fn takes(&self, freshness: Freshness) -> bool {
        !(freshness.is_private && self.across_sign_ins)
    }

    /// What was kept, if it can be trusted and read.
    pub(super) fn load(&self) -> Option<CacheEntry> {
        let read = || -> io::Result<CacheEntry> {
            let file = self.folder()?.file(&self.name)?;
            let mut text = Vec::new();
            (&file).take(CACHE_BYTES).read_to_end(&mut text)?;
            let mut remembered: CacheEntry = serde_json::from_slice(&text)?;
            if remembered.format != FORMAT {
                return Err(io::ErrorKind::Unsupported.into());
            }
            expiry::mark(&file);
            remembered.show();
            Ok(remembered)
        };
        match read() {
            Ok(remembered) => Some(remembered),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::debug!(file = self.name, %error, "what was cached of a server is ignored");
                }
                None
            }
        }
    }

    /// Keeps what is known: completely, or not at all.
    pub(super) fn save(&self, remembered: &CacheEntry) -> io::Result<()> {
        let folder = self.folder()?;
        let text = serde_json::to_vec(remembered)?;
        if text.len() as u64 >= CACHE_BYTES {
            return Err(io::Error::other("the list of tools is too long to be kept"));
        }
        expiry::sweep(&folder, EXTENSION);
        folder.draft(&self.name, || ())?.keep(&self.name, &text)?;
        Ok(())
    }

    /// Keeps what was seen of these tools' results beside what is kept already, if anything was.
    pub(super) fn add_seen(&self, tools: &[Tool]) -> io::Result<()> {
        if !tools.iter().any(|tool| tool.seen.has_looked()) {
            return Ok(());
        }
        let Some(mut remembered) = self.load() else {
            return Ok(());
        };
        remembered.seen = seen(tools);
        self.save(&remembered)
    }

    /// A folder that others can write to could make scripts see tools that the server never named.
    fn folder(&self) -> io::Result<PrivateFolder> {
        PrivateFolder::open(&self.folder, OTHERS_REACH)
    }
}

#[cfg(test)]
mod tests;
