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

use super::freshness::Freshness;
use super::greeting::{Introduction, Offers};
use super::handshake::Era;

/// Changes with the form of the file.
const FORMAT: u32 = 2;

/// The extension of the files.
const EXTENSION: &str = "json";

/// The largest file that is written, or read, in bytes.
const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

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
            (&file).take(MAX_FILE_BYTES).read_to_end(&mut text)?;
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
        if text.len() as u64 >= MAX_FILE_BYTES {
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
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn remembered() -> CacheEntry {
        let tool = serde_json::json!({ "name": "read", "inputSchema": { "type": "object" } });
        let tools: Vec<Tool> = vec![serde_json::from_value(tool).unwrap()];
        let introduction = Introduction {
            about: Some("Reads.".to_owned()),
            says_it_is: Some("reader".to_owned()),
        };
        CacheEntry::new(
            Era::Sessions,
            introduction,
            Offers::default(),
            Some(tools.into()),
        )
    }

    fn cache(folder: &tempfile::TempDir) -> Cache {
        Cache::new(folder.path(), blake3::hash(b"a server"))
    }

    impl Cache {
        fn path(&self) -> PathBuf {
            self.folder.join(&self.name)
        }
    }

    #[test]
    fn what_is_kept_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        assert_eq!(cache.load(), None);
        cache.save(&remembered()).unwrap();
        assert_eq!(cache.load(), Some(remembered()));
        let modes = [&cache.folder, &cache.path()]
            .map(|path| path.metadata().unwrap().permissions().mode() & 0o777);
        assert_eq!(modes, [0o700, 0o600]);
        assert_eq!(
            fs::read_dir(&cache.folder).unwrap().count(),
            1,
            "a temporary file is left behind"
        );
    }

    #[test]
    fn what_results_looked_like_is_kept_beside_the_tools() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        let known = remembered();
        cache.save(&known).unwrap();
        let tools = known.tools.unwrap();
        cache.add_seen(&tools).unwrap();
        assert_eq!(cache.load().unwrap().tools.unwrap()[0].seen.shape(), None);
        let result = r#"{"lines": ["secret"]}"#;
        assert!(tools[0].seen.wants(result.len()));
        tools[0].seen.learn(result);
        cache.add_seen(&tools).unwrap();
        let text = fs::read_to_string(cache.path()).unwrap();
        assert!(!text.contains("secret"), "{text}");
        let shape = cache.load().unwrap().tools.unwrap()[0].seen.shape();
        assert_eq!(shape, tools[0].seen.shape());
        assert!(shape.is_some());
    }

    #[test]
    fn what_is_damaged_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        cache.save(&remembered()).unwrap();
        let text = fs::read_to_string(cache.path()).unwrap();
        for damaged in [
            &text[..text.len() / 2],
            "",
            "null",
            &text.replace("\"format\":2", "\"format\":1"),
        ] {
            fs::write(cache.path(), damaged).unwrap();
            assert_eq!(cache.load(), None, "{damaged}");
        }
        fs::write(cache.path(), &text).unwrap();
        assert_eq!(cache.load(), Some(remembered()));
    }

    #[test]
    fn a_folder_that_others_can_reach_is_not_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        cache.save(&remembered()).unwrap();
        fs::set_permissions(&cache.folder, fs::Permissions::from_mode(0o770)).unwrap();
        assert_eq!(cache.load(), None);
        assert!(cache.save(&remembered()).is_err());
    }

    #[test]
    fn what_is_no_file_keeps_nobody_waiting_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder);
        cache.save(&remembered()).unwrap();
        fs::remove_file(cache.path()).unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, cache.path(), mode).unwrap();
        assert_eq!(cache.load(), None);
        cache.save(&remembered()).unwrap();
        assert_eq!(cache.load(), Some(remembered()));
        fs::remove_file(cache.path()).unwrap();
        fs::create_dir(cache.path()).unwrap();
        assert_eq!(cache.load(), None);
        cache.save(&remembered()).unwrap();
        assert_eq!(cache.load(), Some(remembered()));
    }
}
