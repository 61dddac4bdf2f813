//! A guest that is a file of its own, beside the program or elsewhere.
//!
//! The file is that of Zstandard. Its first frame is one that decoders skip: it has a manifest, as
//! JSON, so that what there is to know of the guest is read without the guest.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::{ranges, unpacked};

/// What a frame begins with that decoders skip.
const SKIPPED: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];
/// How large a manifest, a file and its component may be, in bytes.
const MOST_MANIFEST: u64 = 64 << 10;
const MOST_FILE: u64 = 128 << 20;
const MOST_COMPONENT: u64 = 256 << 20;

/// A guest in a file. Its component is read when it is needed.
#[derive(Debug, Clone)]
pub struct GuestFile {
    path: PathBuf,
    /// The manifest as it is in the file.
    text: Vec<u8>,
    manifest: Manifest,
}

/// What a guest's file says of the guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    /// The digest of all that follows, by BLAKE3.
    content: String,
    #[serde(flatten)]
    about: About,
}

/// What there is to know of a guest before it is unpacked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The modules that no other guest of its language has, by the names that scripts import.
    pub modules: Vec<String>,
    /// The versions of the packages that are in it.
    pub packages: BTreeMap<String, String>,
    /// The pages of its memory that a small run reads: a line for each range, with the first and
    /// the last.
    pub pages: String,
}

impl About {
    /// Whether it can be true of a guest.
    fn is_sound(&self) -> bool {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let is_name = |name: &String| !name.is_empty() && name.bytes().all(is_part);
        let pages = ranges(&self.pages);
        !self.modules.is_empty()
            && self.modules.iter().all(is_name)
            && pages.iter().all(|pages| !pages.is_empty())
            && pages.is_sorted_by(|one, other| one.end < other.start)
    }
}

impl GuestFile {
    /// Reads what a file says of its guest.
    ///
    /// # Errors
    ///
    /// It can't be read, or is not one of these files.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::read(path, File::open(path)?)
    }

    /// Reads what a file says of its guest that was opened already. The path is where it is read again
    /// when it is unpacked: its digest is compared then.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn read(path: &Path, mut file: File) -> io::Result<Self> {
        let (mut magic, mut length) = ([0; 4], [0; 4]);
        let head = (file.read_exact(&mut magic)).and_then(|()| file.read_exact(&mut length));
        head.map_err(|_| not_a_guest())?;
        let length = u64::from(u32::from_le_bytes(length));
        if magic != SKIPPED || length > MOST_MANIFEST {
            return Err(not_a_guest());
        }
        let mut text = Vec::new();
        file.take(length).read_to_end(&mut text)?;
        let manifest: Manifest = serde_json::from_slice(&text).map_err(|_| not_a_guest())?;
        if !manifest.about.is_sound() {
            return Err(not_a_guest());
        }
        Ok(Self {
            path: path.to_owned(),
            text,
            manifest,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says of itself, the digest of its content included: another guest says another thing.
    pub fn identity(&self) -> &[u8] {
        &self.text
    }

    /// The modules that no other guest of its language has.
    pub fn modules(&self) -> &[String] {
        &self.manifest.about.modules
    }

    /// The versions of the packages that are in it.
    pub fn packages(&self) -> &BTreeMap<String, String> {
        &self.manifest.about.packages
    }

    /// The pages of its memory that a small run reads, as of an embedded guest.
    pub fn pages(&self) -> Vec<Range<usize>> {
        ranges(&self.manifest.about.pages)
    }

    /// The component: unpacking it takes most of a second.
    ///
    /// # Errors
    ///
    /// The file can't be read, or is not what it was when it was opened.
    pub fn component(&self) -> io::Result<Vec<u8>> {
        let mut file = File::open(&self.path)?;
        let head = SKIPPED.len() + size_of::<u32>() + self.text.len();
        file.seek(SeekFrom::Start(head as u64))?;
        let mut content = Vec::new();
        file.take(MOST_FILE).read_to_end(&mut content)?;
        if blake3::hash(&content).to_hex().as_str() != self.manifest.content {
            return Err(io::Error::other(format!(
                "{} is damaged, or was replaced while Ampoule used it",
                self.path.display()
            )));
        }
        unpacked(&content, MOST_COMPONENT)
    }
}

/// A guest's file, of its component as Zstandard has compressed it.
///
/// # Errors
///
/// It says too much of itself.
pub fn pack(component: &[u8], about: &About) -> io::Result<Vec<u8>> {
    let manifest = Manifest {
        content: blake3::hash(component).to_hex().to_string(),
        about: about.clone(),
    };
    let text = serde_json::to_vec(&manifest).map_err(io::Error::other)?;
    if text.len() as u64 > MOST_MANIFEST {
        return Err(io::Error::other("the manifest is too large"));
    }
    let length = (text.len() as u32).to_le_bytes();
    Ok([&SKIPPED[..], &length, &text, component].concat())
}

fn not_a_guest() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "the file is not a guest of this version of Ampoule",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::PYTHON;

    fn about() -> About {
        About {
            modules: vec!["numpy".to_owned()],
            packages: [("numpy".to_owned(), "2.5.5".to_owned())].into(),
            pages: "3-4\n9-9\n".to_owned(),
        }
    }

    fn written(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("guest.wasm.zst");
        fs::write(&path, content).expect("a file");
        (folder, path)
    }

    #[test]
    fn what_was_packed_is_there_again() {
        let packed = pack(PYTHON.bytes(), &about()).expect("a file");
        let (_folder, path) = written(&packed);
        let guest = GuestFile::open(&path).expect("a guest");
        assert_eq!(guest.modules(), ["numpy"]);
        assert_eq!(guest.packages()["numpy"], "2.5.5");
        assert_eq!(guest.pages(), [3..5, 9..10]);
        let component = guest.component().expect("a component");
        assert_eq!(component, PYTHON.component().expect("a component"));
    }

    #[test]
    fn a_file_that_was_replaced_is_refused() {
        let packed = pack(PYTHON.bytes(), &about()).expect("a file");
        let (_folder, path) = written(&packed);
        let guest = GuestFile::open(&path).expect("a guest");
        let mut other = packed.clone();
        *other.last_mut().expect("a byte") ^= 1;
        for content in [&other[..], &packed[..packed.len() / 2], b""] {
            fs::write(&path, content).expect("a file");
            let refused = guest.component().expect_err("another file").to_string();
            assert!(refused.contains("is damaged, or was replaced"), "{refused}");
        }
    }

    #[test]
    fn other_files_are_no_guests() {
        let no_modules = pack(b"", &About::default()).expect("a file");
        let no_name = About {
            modules: vec!["a.b".to_owned()],
            ..about()
        };
        let no_name = pack(b"", &no_name).expect("a file");
        let no_pages = About {
            pages: "9-3\n".to_owned(),
            ..about()
        };
        let no_pages = pack(b"", &no_pages).expect("a file");
        let long = [&SKIPPED[..], &[0xff; 4], b"{"].concat();
        for content in [
            &b""[..],
            b"{}",
            PYTHON.bytes(),
            &no_modules,
            &no_name,
            &no_pages,
            &long,
        ] {
            let (_folder, path) = written(content);
            let refused = GuestFile::open(&path).expect_err("no guest").to_string();
            assert!(
                refused.contains("is not a guest of this version"),
                "{refused}"
            );
        }
    }
}
