//! Vectors on disk, by the digests of their texts and a number of the format, for all processes of a
//! user.
//!
//! A file has some hundred vectors, and its name tells its content's digest: one that is damaged, or
//! of another owner, is removed and made again. Files are written whole and never changed, so
//! readers need no lock. Where there are many, they become one.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use ampoule_store::expiry::{self, Room};
use ampoule_store::folder::{OTHERS_WRITE, PrivateFolder};

/// The extension of the files.
const EXTENSION: &str = "vectors";
/// The lock of the process that makes vectors.
const LOCK: &str = "making";
/// How many files may be there before they become one.
const MAX_FILES: usize = 16;
/// How large the files of a model may be together.
const MAX_BYTES: u64 = 64 << 20;
/// That as room: how many files there are is for [`MAX_FILES`].
const ROOM: Room = Room {
    files: usize::MAX,
    bytes: MAX_BYTES,
};

/// The number of the format. It changes with whatever makes other vectors of the same tools and the
/// same model: how texts are made of tools, how texts are taken apart, how numbers are rounded.
const FORMAT: u32 = 1;

/// The digest of a format and a text.
pub(crate) type Key = [u8; 16];

/// The key of a text's vector.
pub(crate) fn key(text: &str) -> Key {
    key_in(FORMAT, text)
}

fn key_in(format: u32, text: &str) -> Key {
    let mut digest = blake3::Hasher::new();
    digest.update(&format.to_le_bytes());
    digest.update(text.as_bytes());
    let mut key = Key::default();
    key.copy_from_slice(&digest.finalize().as_bytes()[..16]);
    key
}

/// A folder of the vectors of one model.
pub(crate) struct Shelf {
    folder: PathBuf,
    model: String,
}

impl Shelf {
    pub(crate) fn new(folder: PathBuf, model: &str) -> Self {
        Self {
            folder,
            model: model.to_owned(),
        }
    }

    /// Opened for each use: it may be removed, or opened to others, while this process runs.
    fn folder(&self) -> io::Result<PrivateFolder> {
        PrivateFolder::open(&self.folder, OTHERS_WRITE)
    }

    /// All vectors that were kept, by their texts.
    pub(crate) fn read(&self) -> HashMap<Key, Vec<i8>> {
        let mut all = HashMap::new();
        match self.folder() {
            Ok(folder) => {
                for name in self.files(&folder) {
                    self.read_file(&folder, &name, &mut all);
                }
            }
            Err(error) => self.warn(&error),
        }
        all
    }

    fn warn(&self, error: &io::Error) {
        tracing::warn!(folder = %self.folder.display(), %error, "vectors of tools can't be kept");
    }

    fn files(&self, folder: &PrivateFolder) -> Vec<String> {
        let mut names = folder.names().unwrap_or_default();
        names.retain(|name| name.starts_with(&self.model) && name.ends_with(EXTENSION));
        names
    }

    fn read_file(&self, folder: &PrivateFolder, name: &str, all: &mut HashMap<Key, Vec<i8>>) {
        let content = folder.file(name).and_then(|file| {
            expiry::mark(&file);
            let mut content = Vec::new();
            file.take(MAX_BYTES).read_to_end(&mut content)?;
            Ok(content)
        });
        match content {
            Ok(content) if self.name(&content) == name => {
                let Some((width, vectors)) = content.split_first_chunk::<4>() else {
                    return;
                };
                let width = u32::from_le_bytes(*width) as usize;
                let records = vectors.chunks_exact(size_of::<Key>().saturating_add(width));
                all.extend(records.filter_map(|record| {
                    let (key, vector) = record.split_first_chunk()?;
                    Some((*key, vector.iter().map(|byte| *byte as i8).collect()))
                }));
            }
            Ok(_) => {
                tracing::warn!(
                    file = name,
                    "a file of vectors is damaged, and is made again"
                );
                let _ = folder.clear(name);
            }
            // Another process has put it together with others.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                tracing::warn!(file = name, %error, "a file of vectors is not trusted");
                let _ = folder.clear(name);
            }
        }
    }

    fn name(&self, content: &[u8]) -> String {
        let digest = blake3::hash(content).to_hex();
        format!("{}-{digest}.{EXTENSION}", self.model)
    }

    /// Keeps vectors, as far as that can be done. All have the same length.
    pub(crate) fn keep(&self, vectors: &[(Key, &[i8])]) {
        let kept = self.folder().and_then(|folder| {
            let files = self.files(&folder);
            let mut all = HashMap::new();
            if files.len() >= MAX_FILES {
                for name in &files {
                    self.read_file(&folder, name, &mut all);
                }
            }
            let width = vectors.first().map_or(0, |(_, vector)| vector.len());
            all.retain(|_, vector| vector.len() == width);
            let before = all.iter().map(|(key, vector)| (*key, &vector[..]));
            let name = self.write(&folder, width, vectors.iter().copied().chain(before))?;
            let replaced = files
                .iter()
                .filter(|file| !all.is_empty() && **file != name);
            for file in replaced {
                folder.clear(file)?;
            }
            expiry::sweep(&folder, EXTENSION);
            expiry::fit(&folder, self.files(&folder), ROOM)
        });
        if let Err(error) = kept {
            self.warn(&error);
        }
    }

    fn write<'a>(
        &self,
        folder: &PrivateFolder,
        width: usize,
        vectors: impl Iterator<Item = (Key, &'a [i8])>,
    ) -> io::Result<String> {
        let mut content = Vec::from((width as u32).to_le_bytes());
        for (key, vector) in vectors {
            let record = size_of::<Key>() + width;
            // What does not fit is made again, should it be needed.
            if (content.len() + record) as u64 > MAX_BYTES / 2 {
                break;
            }
            content.extend(key);
            content.extend(vector.iter().map(|number| *number as u8));
        }
        let name = self.name(&content);
        let draft = folder.draft(&name, || {})?;
        draft.keep_unsynced(&name, &content)?;
        Ok(name)
    }

    /// The right to make vectors, until the file is dropped; none where another process or thread
    /// has it. Where there is no folder, nobody shares, and the right is useless.
    pub(crate) fn lock(&self) -> io::Result<Option<File>> {
        self.folder()?.try_lock(LOCK)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn shelf(folder: &tempfile::TempDir) -> Shelf {
        Shelf::new(folder.path().join("meaning"), "model")
    }

    fn files(folder: &tempfile::TempDir) -> Vec<PathBuf> {
        let files = fs::read_dir(folder.path().join("meaning")).unwrap();
        files.map(|file| file.unwrap().path()).collect()
    }

    #[test]
    fn vectors_are_found_by_their_texts() {
        let folder = tempfile::tempdir().unwrap();
        shelf(&folder).keep(&[(key("a"), &[1, -2]), (key("b"), &[3, 4])]);
        let found = shelf(&folder).read();
        assert_eq!(found[&key("a")], [1, -2]);
        assert_eq!(found[&key("b")], [3, 4]);
        let other = Shelf::new(folder.path().join("meaning"), "other");
        assert!(other.read().is_empty());
    }

    #[test]
    fn vectors_of_another_format_are_not_found() {
        let folder = tempfile::tempdir().unwrap();
        shelf(&folder).keep(&[(key_in(FORMAT + 1, "a"), &[1, -2])]);
        assert_eq!(shelf(&folder).read().get(&key("a")), None);
    }

    #[test]
    fn a_damaged_file_is_as_good_as_none() {
        let folder = tempfile::tempdir().unwrap();
        shelf(&folder).keep(&[(key("a"), &[1, 2])]);
        let [file] = &files(&folder)[..] else {
            panic!("one file")
        };
        let whole = fs::read(file).unwrap();
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x10;
            fs::write(file, &damaged).unwrap();
            assert!(shelf(&folder).read().is_empty());
            assert!(!file.exists());
        }
        fs::write(file, &whole[..7]).unwrap();
        assert!(shelf(&folder).read().is_empty());
        shelf(&folder).keep(&[(key("a"), &[1, 2])]);
        assert_eq!(shelf(&folder).read().len(), 1);
    }

    #[test]
    fn what_others_can_write_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        shelf(&folder).keep(&[(key("a"), &[1, 2])]);
        let file = &files(&folder)[0];
        fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(shelf(&folder).read().is_empty());
    }

    #[test]
    fn many_files_become_one() {
        let folder = tempfile::tempdir().unwrap();
        for text in 0..40_u8 {
            shelf(&folder).keep(&[(key(&text.to_string()), &[1, text as i8])]);
            assert!(files(&folder).len() <= MAX_FILES);
        }
        let found = shelf(&folder).read();
        assert!((0..40_u8).all(|text| found[&key(&text.to_string())] == [1, text as i8]));
    }

    #[test]
    fn one_at_a_time_makes_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let first = shelf(&folder).lock().unwrap();
        assert!(first.is_some());
        assert!(shelf(&folder).lock().unwrap().is_none());
        drop(first);
        assert!(shelf(&folder).lock().unwrap().is_some());
    }
}
