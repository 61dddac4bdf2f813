//! Descriptions that were downloaded, kept between processes: an API whose description can't be
//! reached for now keeps its tools.
//!
//! They are never needed: a file that is missing, damaged, too large or in a folder that others can
//! reach is as if it were not there. One that nobody used for a month is removed when another is
//! written, and so are the oldest of too many.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ampoule_network::Tls;
use ampoule_store::expiry::{self, Room};
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::transport::MAX_BODY;

/// Changes with the form of the files.
const FORMAT: u32 = 1;

/// The extension of the files.
const EXTENSION: &str = "document";

/// How many bytes the first line of a file may have, which says what else is there.
const HEAD_BYTES: usize = 16 << 10;

/// How many are kept, and how much of them.
const ROOM: Room = Room {
    files: 200,
    bytes: 256 << 20,
};

/// Where the descriptions of one server are kept. Those of a server with other headers, credentials
/// or certificates are others.
#[derive(Debug, Clone)]
pub struct DocumentCache {
    folder: PathBuf,
    identity: blake3::Hash,
}

/// A description that was downloaded before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CachedDocument {
    /// What it says.
    pub text: String,
    /// What its server said of this version.
    pub version: DocumentVersion,
    /// When it was downloaded.
    pub at: SystemTime,
}

/// What a server says of a version, by which it tells later whether there is another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentVersion {
    /// The header `ETag`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The header `Last-Modified`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
}

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Head {
    format: u32,
    /// In seconds since 1970.
    at: u64,
    #[serde(flatten)]
    version: DocumentVersion,
}

impl DocumentCache {
    /// In a folder, for the server to which all of this is told. None without a folder.
    pub fn new<'t>(
        folder: Option<&Path>,
        told: impl IntoIterator<Item = &'t str>,
        tls: &Tls,
    ) -> Option<Self> {
        let mut hasher = blake3::Hasher::new_derive_key("ampoule description of an API");
        let mut add = |text: &str| {
            hasher
                .update(&(text.len() as u64).to_le_bytes())
                .update(text.as_bytes());
        };
        told.into_iter().for_each(&mut add);
        for file in [&tls.authority, &tls.certificate, &tls.key] {
            let file = file.as_deref().map(Path::to_string_lossy);
            add(&file.unwrap_or_default());
        }
        Some(Self {
            folder: folder?.join("documents"),
            identity: hasher.finalize(),
        })
    }

    /// What was kept of an address, if it can be trusted and read.
    pub fn load(&self, url: &Url) -> Option<CachedDocument> {
        match self.read(&self.file(url)) {
            Ok(cached) => Some(cached),
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::debug!(%error, "what was cached of a description is ignored");
                }
                None
            }
        }
    }

    /// Keeps a description that turned out to be good: completely, or not at all.
    pub fn save(&self, url: &Url, document: &CachedDocument) {
        let name = self.file(url);
        let known = self.read(&name);
        if known.is_ok_and(|it| it.text == document.text && it.version == document.version) {
            return;
        }
        if let Err(error) = self.write(&name, document) {
            tracing::debug!(%error, "a description can't be kept");
        }
    }

    fn read(&self, name: &str) -> io::Result<CachedDocument> {
        let file = self.folder()?.file(name)?;
        let mut bytes = Vec::new();
        let most = MAX_BODY + HEAD_BYTES as u64 + 1;
        (&file).take(most).read_to_end(&mut bytes)?;
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        if bytes.len() as u64 == most {
            return Err(broken());
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let end = end.filter(|end| *end <= HEAD_BYTES).ok_or_else(broken)?;
        let head: Head = serde_json::from_slice(&bytes[..end])?;
        if head.format != FORMAT {
            return Err(broken());
        }
        let text = String::from_utf8(bytes.split_off(end + 1)).map_err(|_| broken())?;
        expiry::mark(&file);
        Ok(CachedDocument {
            text,
            version: head.version,
            at: UNIX_EPOCH + Duration::from_secs(head.at),
        })
    }

    fn write(&self, name: &str, document: &CachedDocument) -> io::Result<()> {
        let at = document.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let head = Head {
            format: FORMAT,
            at: at.as_secs(),
            version: document.version.clone(),
        };
        let mut bytes = serde_json::to_vec(&head)?;
        if bytes.len() > HEAD_BYTES || document.text.len() as u64 > MAX_BODY {
            return Err(io::Error::other("it is too long"));
        }
        bytes.push(b'\n');
        bytes.extend_from_slice(document.text.as_bytes());
        let folder = self.folder()?;
        expiry::sweep(&folder, EXTENSION);
        folder.draft(name, || ())?.keep(name, &bytes)?;
        let mut names = folder.names()?;
        names.retain(|name| name.ends_with(EXTENSION));
        expiry::fit(&folder, names, ROOM)
    }

    /// Whoever wrote to this folder could have scripts call what the API does not have.
    fn folder(&self) -> io::Result<PrivateFolder> {
        PrivateFolder::open(&self.folder, OTHERS_REACH)
    }

    /// The name of its file.
    fn file(&self, url: &Url) -> String {
        let mut hasher = blake3::Hasher::new_keyed(self.identity.as_bytes());
        let hash = hasher.update(url.as_str().as_bytes()).finalize();
        format!("{}.{EXTENSION}", hash.to_hex())
    }
}

#[cfg(test)]
mod tests;
