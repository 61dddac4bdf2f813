//! The files of a package, out of its archive.

use std::io::Read;

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

/// How many files all packages may have, and how many bytes when they are unpacked.
const MOST_FILES: usize = 20_000;
const MOST_BYTES: u64 = 256 << 20;
const LONGEST_NAME: usize = 500;

/// What some editors begin a text with.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The endings of files that scripts can import.
const IMPORTABLE: [&str; 4] = ["js", "mjs", "cjs", "json"];

/// What there is still room for.
pub(super) struct Room {
    files: usize,
    bytes: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            files: MOST_FILES,
            bytes: MOST_BYTES,
        }
    }
}

/// A file of a package.
pub(super) struct File {
    /// Its path in the package.
    pub(super) path: String,
    pub(super) text: String,
}

impl Room {
    /// The files of a tarball that can be imported.
    ///
    /// # Errors
    ///
    /// Why the tarball is not taken.
    pub(super) fn unpack(&mut self, tarball: &[u8]) -> Result<Vec<File>, String> {
        // Headers and what fills blocks up count, too.
        let most = self.bytes.saturating_add(self.files as u64 * 2048);
        let unpacked = GzDecoder::new(tarball).take(most);
        let mut archive = Archive::new(unpacked);
        let broken = |error: std::io::Error| format!("its archive can't be read: {error}");
        let mut files: Vec<File> = Vec::new();
        for entry in archive.entries().map_err(broken)? {
            let mut entry = entry.map_err(broken)?;
            match entry.header().entry_type() {
                EntryType::Directory | EntryType::XGlobalHeader => continue,
                EntryType::Regular | EntryType::Continuous => {}
                _ => return Err("it has a link, or another file of an unusual kind".to_owned()),
            }
            let name = entry.path_bytes().into_owned();
            let path = path_in_package(&name)?;
            self.take(entry.size())?;
            refuse_native(&path)?;
            let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
            if !IMPORTABLE.contains(&ending) {
                continue;
            }
            let mut content = Vec::new();
            entry.read_to_end(&mut content).map_err(broken)?;
            // What is not text can't be imported: as a rule, a test reads it.
            let Ok(text) = String::from_utf8(content) else {
                continue;
            };
            let text = match text.strip_prefix(BYTE_ORDER_MARK) {
                Some(text) => text.to_owned(),
                None => text,
            };
            files.push(File { path, text });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        match files.windows(2).find(|pair| pair[0].path == pair[1].path) {
            Some(pair) => Err(format!("two of its files have the name {}", pair[0].path)),
            None => Ok(files),
        }
    }

    fn take(&mut self, bytes: u64) -> Result<(), String> {
        let files = self.files.checked_sub(1);
        let bytes = self.bytes.checked_sub(bytes);
        let files = files.ok_or("all packages together have more than 20,000 files")?;
        let bytes = bytes.ok_or("all packages together are larger than 256 MiB when unpacked")?;
        *self = Self { files, bytes };
        Ok(())
    }
}

/// A file's path without the folder that all files of a tarball are in.
fn path_in_package(name: &[u8]) -> Result<String, String> {
    let name = str::from_utf8(name).map_err(|_| "a file's name is not text in UTF-8")?;
    let name = name.strip_prefix("./").unwrap_or(name);
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    let is_path = name.len() <= LONGEST_NAME
        && !name.contains(['\\', '\0', ':'])
        && name.split('/').all(is_part);
    match name.split_once('/') {
        Some((_, path)) if is_path => Ok(path.to_owned()),
        _ => {
            let shown: String = name.chars().take(100).collect();
            Err(format!("the name {shown:?} leads out of the package"))
        }
    }
}

fn refuse_native(path: &str) -> Result<(), String> {
    match path.ends_with(".node") || path == "binding.gyp" {
        true => Err(format!(
            "{path} belongs to compiled code, which can't be used here"
        )),
        false => Ok(()),
    }
}
