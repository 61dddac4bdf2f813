//! Wheels, made for tests.

use std::io::{Cursor, Write};

use ampoule::{Package, PackageFolder, WheelName};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A wheel to be.
pub(crate) struct Wheel {
    name: String,
    files: Vec<(String, Vec<u8>)>,
    /// What is put into the archive without being in RECORD, or other than RECORD says.
    besides: Vec<(String, Vec<u8>)>,
}

impl Wheel {
    /// An empty one, of version 1.0.
    pub(crate) fn new(name: &str) -> Self {
        let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n");
        Self::bare(name).file(&format!("{name}-1.0.dist-info/METADATA"), metadata)
    }

    /// The same without what it says of itself.
    pub(crate) fn bare(name: &str) -> Self {
        let about =
            "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n";
        Self {
            name: name.to_owned(),
            files: Vec::new(),
            besides: Vec::new(),
        }
        .file(&format!("{name}-1.0.dist-info/WHEEL"), about)
    }

    /// The same with a file.
    pub(crate) fn file(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((name.to_owned(), content.into()));
        self
    }

    /// The same with a file that RECORD does not have.
    pub(crate) fn unrecorded(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        self.besides.push((name.to_owned(), content.into()));
        self
    }

    /// Its bytes: the same for the same files.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut record = String::new();
        for (name, content) in &self.files {
            let digest = BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, content));
            record += &format!("{name},sha256={digest},{}\n", content.len());
        }
        let record_name = format!("{}-1.0.dist-info/RECORD", self.name);
        record += &format!("{record_name},,\n");
        let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
        let record = (record_name, record.into_bytes());
        for (name, content) in self.files.iter().chain(&self.besides).chain([&record]) {
            archive
                .start_file(name.as_str(), SimpleFileOptions::default())
                .expect("a file of the archive");
            archive.write_all(content).expect("a file of the archive");
        }
        archive.finish().expect("an archive").into_inner()
    }

    /// The name of its file.
    pub(crate) fn file_name(&self) -> String {
        format!("{}-1.0-py3-none-any.whl", self.name)
    }

    /// Keeps it where a configuration finds it.
    pub(crate) fn kept(&self, folder: &PackageFolder) -> Package {
        let name = WheelName::of(&self.file_name()).expect("a name");
        folder.keep_wheel(&name, &self.bytes()).expect("it is kept")
    }
}
