//! Tarballs, made for tests.

use ampoule::{Package, PackageFolder};
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

/// A tarball of one package, version 1.0.0.
pub(in crate::packages) struct Tarball {
    name: String,
    files: Vec<(String, Vec<u8>)>,
}

impl Tarball {
    /// One whose package.json has these keys besides.
    pub(super) fn new(name: &str, keys: &str) -> Self {
        let comma = if keys.is_empty() { "" } else { "," };
        let text = format!(r#"{{"name":"{name}","version":"1.0.0"{comma}{keys}}}"#);
        let empty = Self {
            name: name.to_owned(),
            files: Vec::new(),
        };
        empty.file("package.json", text)
    }

    pub(super) fn file(self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.entry(&format!("package/{path}"), content)
    }

    /// A file by whatever name.
    pub(super) fn entry(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), content.into()));
        self
    }

    pub(in crate::packages) fn bytes(&self) -> Vec<u8> {
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, content) in &self.files {
            let mut header = Header::new_old();
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.set_mode(0o644);
            header.set_size(content.len() as u64);
            header.set_cksum();
            archive.append(&header, &content[..]).expect("an entry");
        }
        let compressed = archive.into_inner().expect("an archive");
        compressed.finish().expect("an archive")
    }

    pub(in crate::packages) fn kept(&self, folder: &PackageFolder) -> Package {
        let kept = folder.keep_tarball(&self.name, "1.0.0", &self.bytes());
        kept.expect("it is kept")
    }
}
