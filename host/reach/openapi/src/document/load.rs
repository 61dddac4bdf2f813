//! Where a document's text comes from, and that of the files which it refers to.

use std::collections::HashSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ampoule_api::Source;
use ampoule_api::transport::{self, too_long};
use ampoule_untrusted::text;
use memchr::memmem;

use super::{Documents, File, beside, yaml};

/// How long a document may be, with the files that it refers to, in bytes.
pub(super) const MAX_BYTES: u64 = transport::MAX_BODY;

/// How many files a document may consist of.
const MAX_FILES: usize = 1000;

/// Reads a document file by file: what is at an address, somebody else has to get.
pub(crate) struct Reader {
    files: Vec<File>,
    /// What was named and is not read yet.
    open: Vec<Source>,
    seen: HashSet<Source>,
    /// The folder that the document's files are in.
    folder: Option<PathBuf>,
    bytes: u64,
    /// What is known of the file that is read next.
    stamp: Option<Stamp>,
    /// Files that could not be read, a sentence each.
    problems: Vec<String>,
}

/// What comes next.
pub(crate) enum NextDocument {
    /// The text at this address.
    Address(url::Url),
    /// Nothing: this is all.
    Nothing,
}

impl Reader {
    pub(crate) fn new(source: Source) -> Self {
        let folder = match &source {
            Source::File(path) => path.parent().map(Path::to_owned),
            Source::Address(_) => None,
        };
        Self {
            files: Vec::new(),
            folder,
            open: vec![source.clone()],
            seen: HashSet::from([source]),
            bytes: 0,
            stamp: None,
            problems: Vec::new(),
        }
    }

    /// Reads what is on this machine, up to what is not.
    ///
    /// # Errors
    ///
    /// Why the document can't be read.
    pub(crate) fn go_on(&mut self) -> Result<NextDocument, String> {
        while let Some(source) = self.open.last() {
            let path = match source {
                Source::Address(url) => return Ok(NextDocument::Address(url.clone())),
                Source::File(path) => path.clone(),
            };
            // Before it is read: what is written meanwhile is read again.
            self.stamp = stamp(&path);
            let read = read(&path, MAX_BYTES - self.bytes.min(MAX_BYTES));
            self.add(read)?;
        }
        Ok(NextDocument::Nothing)
    }

    /// Adds the text of what was wanted.
    ///
    /// # Errors
    ///
    /// Why the document can't be read. That a file can't which it refers to is a problem alone.
    pub(crate) fn add(&mut self, read: Result<String, String>) -> Result<(), String> {
        let Some(source) = self.open.pop() else {
            return Ok(());
        };
        let file = read.and_then(|text| {
            self.bytes += text.len() as u64;
            if self.bytes > MAX_BYTES {
                return Err(too_long());
            }
            File::new(source.clone(), json(text, &source)?)
        });
        let stamp = self.stamp.take();
        match file {
            Ok(mut file) => {
                file.stamp = stamp;
                let named = references(&file);
                self.files.push(file);
                for other in named {
                    if self.seen.len() == MAX_FILES || !self.seen.insert(other.clone()) {
                        continue;
                    }
                    match self.may_read(&other) {
                        true => self.open.push(other),
                        false => self.problems.push(format!(
                            "the document refers to {}, which is outside the document's folder and is not read; put the file beside the document",
                            shown(&other)
                        )),
                    }
                }
                Ok(())
            }
            Err(why) if self.files.is_empty() => Err(why),
            Err(why) => {
                let shown = shown(&source);
                self.problems
                    .push(format!("the document refers to {shown}, and {why}"));
                Ok(())
            }
        }
    }

    /// Whether a file is beside the document, or below. Of an address, that was decided already.
    fn may_read(&self, other: &Source) -> bool {
        match (other, &self.folder) {
            (Source::File(path), Some(folder)) => path.starts_with(folder),
            (Source::File(_), None) => false,
            (Source::Address(_), _) => true,
        }
    }

    /// The document, and what is wrong with the files that it refers to.
    ///
    /// # Errors
    ///
    /// Why it can't be used.
    pub(crate) fn done(self) -> Result<(Documents, Vec<String>), String> {
        Ok((Documents::new(self.files)?, self.problems))
    }
}

fn shown(source: &Source) -> String {
    match source {
        Source::File(path) => text::one_line(&path.to_string_lossy()).into_owned(),
        Source::Address(url) => text::one_line(url.path()).into_owned(),
    }
}

/// When a file was written, and how long it is.
pub(super) type Stamp = (SystemTime, u64);

pub(super) fn stamp(path: &Path) -> Option<Stamp> {
    let known = fs::metadata(path).ok()?;
    Some((known.modified().ok()?, known.len()))
}

fn read(path: &Path, most: u64) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("it can't be read: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(too_long());
    }
    String::from_utf8(bytes).map_err(|_| "it is not text in UTF-8".to_owned())
}

/// A file's text as JSON.
pub(super) fn json(text: String, source: &Source) -> Result<String, String> {
    let text = match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    };
    let is_yaml = match source {
        Source::File(path) => path.to_string_lossy().into_owned(),
        Source::Address(url) => url.path().to_owned(),
    };
    let is_yaml = is_yaml.ends_with(".yaml") || is_yaml.ends_with(".yml");
    if text.trim_start().starts_with('{') {
        match serde_json::from_str::<&serde_json::value::RawValue>(&text) {
            Ok(_) => return Ok(text),
            // JSON of people, which YAML may still be.
            Err(error) if !is_yaml => {
                return Err(format!("it is not valid JSON: {error}"));
            }
            Err(_) => {}
        }
    }
    yaml::json(&text)
}

/// The other files that a file refers to.
fn references(file: &File) -> Vec<Source> {
    let json = &file.json;
    let mut found = Vec::new();
    for at in memmem::find_iter(json.as_bytes(), br#""$ref""#) {
        let rest = json[at + 6..].trim_start();
        let Some(rest) = rest.strip_prefix(':').map(str::trim_start) else {
            continue;
        };
        // Few have escapes, and those within the document are most.
        let text = rest.strip_prefix('"').and_then(|it| it.split_once('"'));
        let Some((text, _)) = text.filter(|(text, _)| !text.starts_with('#')) else {
            continue;
        };
        let other = text.split('#').next().unwrap_or(text);
        if let Some(other) = beside(&file.source, other).filter(|_| !other.contains('\\')) {
            found.push(other);
        }
    }
    found
}
