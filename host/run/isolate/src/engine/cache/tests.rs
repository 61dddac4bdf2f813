use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

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

fn keep(folder: &PrivateFolder, key: &str, code: &[u8]) {
    let draft = folder.draft(key, || ()).unwrap();
    store(folder, draft, key, code).unwrap();
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
    let folder = cache.folder().unwrap();
    let key = key(&fixture.engine, COMPONENT);
    keep(&folder, &key, b"sound, and of no engine");
    assert!(load(&folder, &fixture.engine, &key).is_none());
    assert!(fixture.file().exists());
}

#[test]
fn code_that_was_unused_for_a_month_is_removed_when_other_code_is_cached() {
    let fixture = Fixture::new();
    fixture.load();
    let file = fixture.file();
    let used = |days: u64| {
        let time = std::time::SystemTime::now() - std::time::Duration::from_hours(24 * days);
        File::open(&file).unwrap().set_modified(time).unwrap();
    };
    let folder = CodeCache::open(&fixture.path()).unwrap().folder().unwrap();
    used(40);
    fixture.load();
    keep(&folder, "other-", b"code");
    assert!(file.exists(), "it was used just now");
    used(40);
    keep(&folder, "other-", b"code");
    assert!(!file.exists());
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let fixture = Fixture::new();
    fixture.load();
    fs::set_permissions(fixture.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert!(CodeCache::open(&fixture.path()).is_err());
}

#[test]
fn what_was_verified_is_loaded_even_if_another_file_has_its_name_by_then() {
    let fixture = Fixture::new();
    fixture.load();
    let file = fixture.file();
    let name = file.file_name().unwrap().to_str().unwrap();
    let folder = CodeCache::open(&fixture.path()).unwrap().folder().unwrap();
    let verified = VerifiedFile::of(&folder, name).unwrap();
    // Here, an attacker who waits for the file to be opened swaps it, and then the folder.
    fs::rename(&file, fixture.path().join("away")).unwrap();
    fs::write(&file, "native code of somebody else's").unwrap();
    verified.load(&fixture.engine).unwrap();
    fs::rename(fixture.path(), fixture.folder.path().join("away")).unwrap();
    fs::create_dir(fixture.path()).unwrap();
    fs::write(&file, "native code of somebody else's").unwrap();
    verified.load(&fixture.engine).unwrap();
    assert!(VerifiedFile::of(&folder, name).is_err());
}

#[test]
fn a_pipe_or_a_folder_in_its_place_is_replaced_once() {
    let fixture = Fixture::new();
    fixture.load();
    let file = fixture.file();
    let pipe = |path: &Path| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
    };
    let folder = |path: &Path| fs::create_dir_all(path.join("full")).unwrap();
    let ways: [&dyn Fn(&Path); 2] = [&pipe, &folder];
    for (make, compiled) in ways.into_iter().zip([2, 3]) {
        fs::remove_file(&file).unwrap();
        make(&file);
        assert_eq!((fixture.load(), fixture.load()), (compiled, compiled));
        assert!(file.is_file());
    }
}

#[test]
fn of_many_that_need_the_same_code_one_compiles() {
    let fixture = Fixture::new();
    let path = fixture.path();
    let engine = &fixture.engine;
    let compiled = std::sync::atomic::AtomicU32::new(0);
    let all = std::sync::Barrier::new(4);
    std::thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                let cache = CodeCache::open(&path).unwrap();
                all.wait();
                let compile = || {
                    compiled.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    engine.precompile_component(COMPONENT)
                };
                cache
                    .component(engine, &key(engine, COMPONENT), compile)
                    .unwrap();
            });
        }
    });
    assert_eq!(compiled.into_inner(), 1);
}

#[test]
fn where_the_folder_went_away_code_is_compiled_and_kept_in_a_new_one() {
    let fixture = Fixture::new();
    let cache = CodeCache::open(&fixture.path()).unwrap();
    fs::remove_dir(fixture.path()).unwrap();
    let compile = || fixture.engine.precompile_component(COMPONENT);
    let key = key(&fixture.engine, COMPONENT);
    cache.component(&fixture.engine, &key, compile).unwrap();
    assert!(fixture.file().is_file());
}

#[test]
fn nothing_is_kept_or_loaded_where_others_could_swap_the_folder() {
    let fixture = Fixture::new();
    fixture.load();
    let parent = fixture.folder.path();
    fs::set_permissions(parent, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(CodeCache::open(&fixture.path()).is_err());
    // It was safe when the process began.
    let cache = CodeCache {
        folder: fixture.path(),
    };
    let key = key(&fixture.engine, COMPONENT);
    let compile = || {
        fixture.compiled.set(2);
        fixture.engine.precompile_component(COMPONENT)
    };
    cache.component(&fixture.engine, &key, compile).unwrap();
    assert_eq!((fixture.compiled.get(), cache.bytes(&key)), (2, None));
}
