//! Compiled code, kept between processes. Loading it is `unsafe`, and done nowhere else.
//!
//! Loading compiled code means running it, so a file is trusted only where nobody but this user
//! could have written it, and only if its content still has the digest that its name tells; what
//! was looked at is what is loaded. A file that is damaged, of another owner or of another version
//! is replaced; one that nobody has used for a month is removed when another is written. Of all
//! processes, one compiles, and the others wait for it.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_store::expiry;
use ampoule_store::folder::{Draft, OTHERS_WRITE, PrivateFolder};
use wasmtime::Engine;
use wasmtime::component::Component;

/// The extension of the files.
const EXTENSION: &str = "cwasm";

/// Where a process finds its open files by their descriptors: opening one there opens that very
/// file, whatever has its name by now.
#[cfg(target_os = "linux")]
const OPEN_FILES: &str = "/proc/self/fd";
#[cfg(not(target_os = "linux"))]
const OPEN_FILES: &str = "/dev/fd";

/// A folder of compiled components that only its owner can write.
#[derive(Debug, Clone)]
pub(super) struct CodeCache {
    folder: PathBuf,
}

impl CodeCache {
    /// Uses a folder, and creates it if need be.
    ///
    /// # Errors
    ///
    /// The folder can't be made, belongs to someone else, or others can write to it or to a folder
    /// that it is in.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        PrivateFolder::open(folder, OTHERS_WRITE)?.sweep_drafts();
        Ok(Self {
            folder: folder.to_owned(),
        })
    }

    /// The component's code: kept, or else compiled now and kept. Where another process compiles
    /// it, this waits.
    pub(super) fn component(
        &self,
        engine: &Engine,
        key: &str,
        compile: impl FnOnce() -> wasmtime::Result<Vec<u8>>,
    ) -> wasmtime::Result<Component> {
        let not_kept = |error: &io::Error| tracing::warn!(folder = %self.folder.display(), %error, "compiled code could not be cached");
        let folder = match self.folder() {
            Ok(folder) => folder,
            Err(error) => {
                not_kept(&error);
                return load_bytes(engine, &compile()?);
            }
        };
        if let Some(code) = load(&folder, engine, key) {
            return Ok(code);
        }
        let waiting =
            || tracing::warn!("waiting for another process that is compiling the same code");
        let draft = match folder.draft(key, waiting) {
            Ok(draft) => draft,
            Err(error) => {
                not_kept(&error);
                return load_bytes(engine, &compile()?);
            }
        };
        // Another may have kept it by now.
        if let Some(code) = load(&folder, engine, key) {
            return Ok(code);
        }
        tracing::info!("compiling for all processes of this user");
        let code = compile()?;
        match store(&folder, draft, key, &code) {
            Ok(kept) => kept.load(engine),
            Err(error) => {
                not_kept(&error);
                load_bytes(engine, &code)
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// How many bytes of code there are for this key, if there are any. They may still turn out to
    /// be damaged.
    pub(super) fn bytes(&self, key: &str) -> Option<u64> {
        let folder = self.folder().ok()?;
        let mut files = kept(&folder, key);
        files.find_map(|name| Some(folder.metadata(&name).ok()?.len()))
    }

    /// Opened for each use: it may be removed, or opened to others, while this process runs.
    fn folder(&self) -> io::Result<PrivateFolder> {
        PrivateFolder::open(&self.folder, OTHERS_WRITE)
    }
}

/// The names of what was kept for this key.
fn kept(folder: &PrivateFolder, key: &str) -> impl Iterator<Item = String> {
    let names = folder.names().unwrap_or_default().into_iter();
    names.filter(move |name| name.starts_with(key))
}

fn load(folder: &PrivateFolder, engine: &Engine, key: &str) -> Option<Component> {
    kept(folder, key).find_map(|name| {
        let file = folder.path().join(&name);
        let verified = VerifiedFile::of(folder, &name).inspect_err(|problem| {
            tracing::warn!(file = %file.display(), %problem, "compiled code is not trusted, and is built again");
            // Where it can't be removed, the new one replaces it.
            let _ = folder.clear(&name);
        });
        let verified = verified.ok()?;
        expiry::mark(&verified.0);
        // What is sound and can't be loaded here may well be loaded by others.
        verified
            .load(engine)
            .inspect_err(|error| tracing::warn!(file = %file.display(), %error, "compiled code can't be loaded, and is built again"))
            .ok()
    })
}

fn store(
    folder: &PrivateFolder,
    draft: Draft<'_>,
    key: &str,
    code: &[u8],
) -> io::Result<VerifiedFile> {
    expiry::sweep(folder, EXTENSION);
    let name = format!("{key}{}.{EXTENSION}", blake3::hash(code).to_hex());
    Ok(VerifiedFile(draft.keep(&name, code)?))
}

/// An open file of compiled code that nobody but this user could have written, and that holds what
/// its name says.
struct VerifiedFile(File);

impl VerifiedFile {
    fn of(folder: &PrivateFolder, name: &str) -> io::Result<Self> {
        let file = folder.file(name)?;
        let mut content = blake3::Hasher::new();
        content.update_reader(&file)?;
        let digest = content.finalize().to_hex();
        let told = name
            .strip_suffix(EXTENSION)
            .and_then(|name| name.strip_suffix('.'));
        if !told.is_some_and(|told| told.ends_with(digest.as_str())) {
            let damaged = "the file is damaged";
            return Err(io::Error::new(io::ErrorKind::InvalidData, damaged));
        }
        Ok(Self(file))
    }

    /// Maps it copy-on-write. Where open files can't be opened again, its bytes are copied.
    fn load(&self, engine: &Engine) -> wasmtime::Result<Component> {
        let this = Path::new(OPEN_FILES).join(self.0.as_raw_fd().to_string());
        if this.exists() {
            return map_file(engine, &this);
        }
        let mut code = Vec::new();
        io::Seek::rewind(&mut &self.0)?;
        (&self.0).read_to_end(&mut code)?;
        load_bytes(engine, &code)
    }
}

/// How many components' code is kept in memory if there is no folder.
const KEPT_IN_MEMORY: usize = 32;

/// Compiled code of this process, for when there is no folder. The latest is first.
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

#[expect(unsafe_code, reason = "compiled code is loaded nowhere else")]
fn map_file(engine: &Engine, path: &Path) -> wasmtime::Result<Component> {
    // SAFETY: the path is that of a descriptor, so it leads to the very file that was either
    // written just now from what Wasmtime compiled, or verified to be this user's own and to have
    // the content that was written then. Nobody else can write it.
    unsafe { Component::deserialize_file(engine, path) }
}

#[expect(unsafe_code, reason = "compiled code is loaded nowhere else")]
fn load_bytes(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: Wasmtime compiled it in this process, or it was verified as a file of this user's
    // own.
    unsafe { Component::deserialize(engine, code) }
}

#[cfg(test)]
mod tests;
