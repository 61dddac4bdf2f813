//! Compiled code, kept between processes. The only `unsafe` code of the crate is here.
//!
//! Loading compiled code means running it, so a file is trusted only where nobody but this user could have written it, and only if its content
//! still has the digest that its name tells. A file that is damaged, of another owner or of another version is replaced; one that nobody used for
//! a month is removed when another is written.

use std::collections::VecDeque;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::Component;

use crate::expiry;

/// The bits of a mode by which others may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The extension of the files.
const EXTENSION: &str = "cwasm";

/// A folder of compiled components that only its owner can write.
#[derive(Debug, Clone)]
pub(crate) struct CodeCache {
    folder: PathBuf,
}

impl CodeCache {
    /// Uses a folder, and makes it if need be.
    ///
    /// # Errors
    ///
    /// The folder can't be made, belongs to someone else, or others can write to it.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        let metadata = fs::symlink_metadata(folder)?;
        if !metadata.is_dir() || !is_ours(&metadata) {
            let problem = "the folder must belong to this user, and nobody else may write to it";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, problem));
        }
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The component's code: kept, or else compiled now and kept.
    pub(crate) fn component(
        &self,
        engine: &Engine,
        key: &str,
        compile: impl FnOnce() -> wasmtime::Result<Vec<u8>>,
    ) -> wasmtime::Result<Component> {
        if let Some(code) = self.load(engine, key) {
            return Ok(code);
        }
        let code = compile()?;
        match self.store(key, &code) {
            Ok(path) => load_file(engine, &path),
            Err(error) => {
                tracing::warn!(folder = %self.folder.display(), %error, "compiled code could not be kept");
                load_bytes(engine, &code)
            }
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many bytes of code there are for this key, if there are any. They may yet prove damaged.
    pub(super) fn bytes(&self, key: &str) -> Option<u64> {
        Some(self.find(key)?.metadata().ok()?.len())
    }

    fn load(&self, engine: &Engine, key: &str) -> Option<Component> {
        let path = self.find(key)?;
        if let Err(problem) = verify(&path) {
            tracing::warn!(file = %path.display(), %problem, "compiled code is not trusted, and is built again");
            // Where it can't be removed, the new one replaces it.
            let _ = fs::remove_file(&path);
            return None;
        }
        expiry::mark(&path);
        // What is sound and can't be loaded here may well be loaded by others.
        load_file(engine, &path)
            .inspect_err(|error| tracing::warn!(file = %path.display(), %error, "compiled code can't be loaded, and is built again"))
            .ok()
    }

    /// The file that was kept for this key.
    fn find(&self, key: &str) -> Option<PathBuf> {
        let entries = fs::read_dir(&self.folder).ok()?;
        entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| {
                path.file_name()
                    .and_then(|name| name.to_str())
                    .is_some_and(|name| name.starts_with(key))
            })
    }

    /// Writes under another name and renames, so that no reader ever sees half a file.
    fn store(&self, key: &str, code: &[u8]) -> io::Result<PathBuf> {
        expiry::sweep(&self.folder, EXTENSION);
        let mut file = tempfile::Builder::new()
            .suffix(&format!(".{EXTENSION}"))
            .tempfile_in(&self.folder)?;
        file.write_all(code)?;
        file.as_file().sync_all()?;
        let path = self
            .folder
            .join(format!("{key}{}.{EXTENSION}", blake3::hash(code).to_hex()));
        file.persist(&path)?;
        Ok(path)
    }
}

/// How many components' code is kept in memory, where there is no folder.
const KEPT_IN_MEMORY: usize = 32;

/// Compiled code of this process, for where there is no folder. The latest is first.
#[derive(Default)]
pub(super) struct CodeInMemory(VecDeque<(String, CodeOfThisProcess)>);

/// Code that was compiled in this process.
#[derive(Clone)]
pub(super) struct CodeOfThisProcess(Arc<[u8]>);

impl CodeInMemory {
    pub(super) fn get(&mut self, key: &str) -> Option<CodeOfThisProcess> {
        let place = self.0.iter().position(|(kept, _)| kept == key)?;
        let found = self.0.remove(place)?;
        self.0.push_front(found);
        Some(self.0.front()?.1.clone())
    }

    /// Keeps what Wasmtime has compiled just now.
    pub(super) fn keep(&mut self, key: String, compiled: Vec<u8>) -> CodeOfThisProcess {
        let code = CodeOfThisProcess(compiled.into());
        self.0.push_front((key, code.clone()));
        self.0.truncate(KEPT_IN_MEMORY);
        code
    }
}

impl CodeOfThisProcess {
    pub(super) fn bytes(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        load_bytes(engine, &self.0)
    }
}

/// What the code was made from and for: the start of its file's name.
pub(super) fn key(engine: &Engine, component: &[u8]) -> String {
    use std::hash::{Hash, Hasher};
    /// Takes what Wasmtime says of an engine into a digest that does not change between processes.
    struct Digest(blake3::Hasher);
    impl Hasher for Digest {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut digest = Digest(blake3::Hasher::new());
    engine.precompile_compatibility_hash().hash(&mut digest);
    digest.0.update(component);
    format!("{}-", &digest.0.finalize().to_hex()[..32])
}

/// Whether the file can be trusted: ours alone, and its content is what its name says.
fn verify(path: &Path) -> io::Result<()> {
    let file = File::open(path)?;
    let metadata = fs::symlink_metadata(path)?;
    if !metadata.is_file() || !is_ours(&metadata) || metadata.ino() != file.metadata()?.ino() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "others can write the file",
        ));
    }
    let mut content = blake3::Hasher::new();
    content.update_reader(file)?;
    let name = path
        .file_stem()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    if !name.ends_with(content.finalize().to_hex().as_str()) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the file is damaged",
        ));
    }
    Ok(())
}

fn is_ours(metadata: &fs::Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.permissions().mode() & WRITABLE_BY_OTHERS == 0
}

#[expect(unsafe_code, reason = "compiled code is loaded nowhere else")]
fn load_file(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the file is in a folder that only this user can write, and was either written just now from what Wasmtime compiled,
    // or verified to be this user's own and to have the content that was written then.
    unsafe { Component::deserialize_file(engine, path) }
}

#[expect(unsafe_code, reason = "compiled code is loaded nowhere else")]
fn load_bytes(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: Wasmtime compiled it in this process.
    unsafe { Component::deserialize(engine, code) }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// An empty component.
    const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

    struct Fixture {
        folder: tempfile::TempDir,
        engine: Engine,
        compiled: Cell<u32>,
    }

    impl Fixture {
        fn new() -> Self {
            Self {
                folder: tempfile::tempdir().unwrap(),
                engine: Engine::default(),
                compiled: Cell::new(0),
            }
        }

        fn path(&self) -> PathBuf {
            self.folder.path().join("code")
        }

        fn file(&self) -> PathBuf {
            let mut files = fs::read_dir(self.path())
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let file = files.next().expect("a file is kept");
            assert_eq!(files.next(), None, "one file is kept");
            file
        }

        /// Loads the component, and tells how often it has been compiled by now.
        fn load(&self) -> u32 {
            let cache = CodeCache::open(&self.path()).unwrap();
            let compile = || {
                self.compiled.set(self.compiled.get() + 1);
                self.engine.precompile_component(COMPONENT)
            };
            let key = key(&self.engine, COMPONENT);
            cache.component(&self.engine, &key, compile).unwrap();
            self.compiled.get()
        }
    }

    #[test]
    fn code_is_compiled_once() {
        let fixture = Fixture::new();
        assert_eq!((fixture.load(), fixture.load()), (1, 1));
        assert_eq!(fs::metadata(fixture.path()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn damaged_code_is_built_again() {
        let fixture = Fixture::new();
        fixture.load();
        let mut code = fs::read(fixture.file()).unwrap();
        let middle = code.len() / 2;
        code[middle] ^= 1;
        fs::write(fixture.file(), code).unwrap();
        assert_eq!((fixture.load(), fixture.load()), (2, 2));
    }

    #[test]
    fn truncated_code_is_built_again() {
        let fixture = Fixture::new();
        fixture.load();
        File::options()
            .write(true)
            .open(fixture.file())
            .unwrap()
            .set_len(100)
            .unwrap();
        assert_eq!(fixture.load(), 2);
    }

    #[test]
    fn code_that_others_can_write_is_built_again() {
        let fixture = Fixture::new();
        fixture.load();
        fs::set_permissions(fixture.file(), fs::Permissions::from_mode(0o666)).unwrap();
        assert_eq!((fixture.load(), fixture.load()), (2, 2));
    }

    #[test]
    fn another_engine_has_other_code() {
        let fixture = Fixture::new();
        fixture.load();
        let other = Engine::new(wasmtime::Config::new().consume_fuel(true)).unwrap();
        assert_ne!(key(&fixture.engine, COMPONENT), key(&other, COMPONENT));
        assert_ne!(
            key(&fixture.engine, COMPONENT),
            key(&fixture.engine, b"\0asm\x0d\0\x01\0\0\x02\x01a")
        );
        assert_eq!(
            key(&fixture.engine, COMPONENT),
            key(&Engine::default(), COMPONENT)
        );
    }

    #[test]
    fn sound_code_that_can_not_be_loaded_here_is_left_to_others() {
        let fixture = Fixture::new();
        let cache = CodeCache::open(&fixture.path()).unwrap();
        let key = key(&fixture.engine, COMPONENT);
        let kept = cache.store(&key, b"sound, and of no engine").unwrap();
        assert!(cache.load(&fixture.engine, &key).is_none());
        assert!(kept.exists());
    }

    #[test]
    fn code_that_nobody_used_for_a_month_is_removed_when_other_code_is_kept() {
        let fixture = Fixture::new();
        fixture.load();
        let file = fixture.file();
        let used = |days: u64| {
            let time = std::time::SystemTime::now() - std::time::Duration::from_hours(24 * days);
            File::open(&file).unwrap().set_modified(time).unwrap();
        };
        let cache = CodeCache::open(&fixture.path()).unwrap();
        used(40);
        fixture.load();
        cache.store("other-", b"code").unwrap();
        assert!(file.exists(), "it was used just now");
        used(40);
        cache.store("other-", b"code").unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn a_folder_that_others_can_write_is_refused() {
        let fixture = Fixture::new();
        fixture.load();
        fs::set_permissions(fixture.path(), fs::Permissions::from_mode(0o777)).unwrap();
        assert!(CodeCache::open(&fixture.path()).is_err());
    }
}
