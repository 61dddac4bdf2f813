//! Changes of files. The files are read again and again: this also finds changes in containers and on
//! disks of other machines, for which the system sends no notification.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use ampoule_untrusted::text;
use tokio::time::sleep;

/// How long the files are left alone between two looks.
const PAUSE: Duration = Duration::from_millis(200);
/// Or so many times as long as a look takes, if that is longer.
const PAUSE_FACTOR: u32 = 10;
/// A save is over once nothing changed for so long.
const QUIET: Duration = Duration::from_millis(100);
/// How often a save that is not over is looked at again.
const MOST_LOOKS: usize = 30;
/// How many files are watched.
const MOST_FILES: usize = 10_000;
/// How many entries of folders are looked at to find them.
const MOST_ENTRIES: usize = 50_000;
/// How deep folders may nest.
const MOST_LEVELS: usize = 32;

/// What the names of source files end with.
const SOURCES: &[&str] = &[
    "c", "cc", "cfg", "cjs", "clj", "cpp", "cs", "cts", "dart", "ex", "exs", "fs", "go", "gql",
    "graphql", "groovy", "h", "hpp", "hs", "ini", "java", "js", "json", "jsonc", "jsx", "kt",
    "kts", "lua", "md", "mjs", "ml", "mts", "nim", "php", "pl", "proto", "ps1", "py", "pyi", "rb",
    "rs", "scala", "sh", "sql", "swift", "toml", "ts", "tsx", "txt", "yaml", "yml", "zig",
];

/// Folders that hold what others wrote, or what is built.
const FOREIGN: [&str; 6] = [
    "__pycache__",
    "node_modules",
    "site-packages",
    "target",
    "vendor",
    "venv",
];

/// Whether a file is source, by its name.
pub(super) fn is_source(file: &Path) -> bool {
    let end = file.extension().and_then(OsStr::to_str);
    end.is_some_and(|end| SOURCES.contains(&end.to_lowercase().as_str()))
}

/// The changes of some files, and of files in some folders.
pub(super) struct Saves {
    places: Vec<PathBuf>,
    seen: Look,
    pause: Duration,
}

/// The files as they were at one time.
#[derive(Default)]
struct Look {
    files: BTreeMap<PathBuf, Stamp>,
    entries: usize,
    is_cut: bool,
}

/// What tells two states of a file apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
}

impl Saves {
    /// Those from now on.
    pub(super) async fn of(places: Vec<PathBuf>) -> Self {
        let mut saves = Self {
            places,
            seen: Look::default(),
            pause: PAUSE,
        };
        saves.seen = saves.look().await;
        saves
    }

    /// Waits for a save, and says which files have changed since the last one. A future that is
    /// dropped loses none.
    pub(super) async fn next(&mut self) -> Vec<String> {
        loop {
            sleep(self.pause).await;
            let mut now = self.look().await;
            if now.files == self.seen.files {
                continue;
            }
            for _ in 0..MOST_LOOKS {
                sleep(QUIET).await;
                let later = self.look().await;
                let is_over = later.files == now.files;
                now = later;
                if is_over {
                    break;
                }
            }
            let changed = self.seen.differing(&now);
            self.seen = now;
            // An editor may write a file, and put back what was there.
            if !changed.is_empty() {
                return changed;
            }
        }
    }

    /// What to know of the files that are watched.
    pub(super) fn note(&self) -> Option<String> {
        self.seen.is_cut.then(|| {
            format!("only {MOST_FILES} files of these folders are watched; name smaller folders with --watch")
        })
    }

    async fn look(&mut self) -> Look {
        let places = self.places.clone();
        let begun = Instant::now();
        let looked = tokio::task::spawn_blocking(move || Look::at(&places)).await;
        self.pause = PAUSE.max(begun.elapsed() * PAUSE_FACTOR);
        // It fails only if the process ends.
        looked.unwrap_or_default()
    }
}

impl Look {
    fn at(places: &[PathBuf]) -> Self {
        let mut look = Self::default();
        for place in places {
            match fs::metadata(place) {
                Ok(about) if about.is_dir() => look.folder(place, 0),
                Ok(about) => look.file(place.clone(), &about),
                // It may be back soon.
                Err(_) => {}
            }
        }
        look
    }

    fn file(&mut self, path: PathBuf, about: &Metadata) {
        if self.files.len() >= MOST_FILES {
            self.is_cut = true;
            return;
        }
        let stamp = Stamp {
            modified: about.modified().ok(),
            bytes: about.len(),
        };
        self.files.insert(path, stamp);
    }

    fn folder(&mut self, folder: &Path, level: usize) {
        let Ok(entries) = fs::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MOST_ENTRIES || level > MOST_LEVELS {
                self.is_cut = true;
                return;
            }
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            // A link to a folder may lead back.
            if kind.is_dir() {
                if !is_foreign(&path) {
                    self.folder(&path, level + 1);
                }
            } else if is_source(&path)
                && let Ok(about) = fs::metadata(&path)
                && about.is_file()
            {
                self.file(path, &about);
            }
        }
    }

    /// The files that are different there, by names as short as they are clear here.
    fn differing(&self, other: &Self) -> Vec<String> {
        let gone = self
            .files
            .keys()
            .filter(|path| !other.files.contains_key(*path));
        let changed = other
            .files
            .iter()
            .filter(|(path, stamp)| self.files.get(*path) != Some(*stamp));
        let mut all: Vec<_> = changed.map(|(path, _)| path).chain(gone).collect();
        all.sort();
        all.into_iter().map(|path| shown(path)).collect()
    }
}

/// A path, without the folder that the command was started in.
pub(super) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().and_then(fs::canonicalize).ok();
    let short = here.and_then(|here| path.strip_prefix(here).ok());
    let shown = match short {
        Some(short) if short.as_os_str().is_empty() => Path::new("."),
        short => short.unwrap_or(path),
    };
    text::one_line(&shown.to_string_lossy()).into_owned()
}

/// Whether a folder is not the author's source, by its name or what is in it.
fn is_foreign(folder: &Path) -> bool {
    let name = folder.file_name().and_then(OsStr::to_str).unwrap_or(".");
    name.starts_with('.') || FOREIGN.contains(&name) || folder.join("pyvenv.cfg").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_watched_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let write = |name: &str, text: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
        };
        let all = [
            "server.py",
            "lib/a.PY",
            "lib/data.sqlite",
            "log.out",
            ".git/config.py",
            "node_modules/x/index.js",
            "env/pyvenv.cfg",
            "env/lib/x.py",
        ];
        all.iter().for_each(|name| write(name, "1"));
        let places = [root.to_path_buf()];
        let before = Look::at(&places);
        let names = |look: &Look| -> Vec<String> {
            let paths = look.files.keys();
            let names = paths.map(|path| path.strip_prefix(root).expect("below"));
            names
                .map(|name| name.to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(names(&before), ["lib/a.PY", "server.py"]);
        write("server.py", "22");
        write("lib/new.ts", "1");
        fs::remove_file(root.join("lib/a.PY")).expect("it was there");
        let changed = before.differing(&Look::at(&places));
        let ends = ["lib/a.PY", "lib/new.ts", "server.py"];
        assert_eq!(changed.len(), ends.len(), "{changed:?}");
        for (path, end) in changed.iter().zip(ends) {
            assert!(path.ends_with(end), "{changed:?}");
        }
        // A file that is named is watched whatever it is called.
        let named = Look::at(&[root.join("log.out"), root.join("gone")]);
        assert_eq!(names(&named), ["log.out"]);
    }
}
