//! The interpreting guests, built for WebAssembly and embedded.
//!
//! The artifacts are committed (`guests/dist`), so that building needs no WebAssembly toolchain;
//! `cargo xtask guests` builds them from their sources, and `cargo xtask guests --check` tells
//! whether they are what their sources give.
//!
//! Each is a component of the world `ampoule:guest/interpreter`, initialised already. It imports
//! the interfaces of that world and nothing else, and each instance runs one script.
//!
//! - [`mod@file`]: guests that are too large for that, in files of their own

pub mod file;

use std::io::{self, Read};
use std::ops::Range;

use ruzstd::decoding::StreamingDecoder;

pub use file::GuestFile;

/// The JavaScript and TypeScript guest.
pub const JAVASCRIPT: Embedded = Embedded {
    bytes: include_bytes!("../dist/javascript.wasm.zst"),
    pages: include_str!("../dist/javascript.pages"),
};

/// The Python guest.
pub const PYTHON: Embedded = Embedded {
    bytes: include_bytes!("../dist/python.wasm.zst"),
    pages: include_str!("../dist/python.pages"),
};

/// The most that a guest may have, in bytes. More is a mistake of whoever built it.
const MOST_BYTES: u64 = 128 << 20;

/// A guest, as it is embedded: compressed with Zstandard.
#[derive(Debug, Clone, Copy)]
pub struct Embedded {
    bytes: &'static [u8],
    /// A line for each range of pages, with the first and the last.
    pages: &'static str,
}

impl Embedded {
    /// The embedded bytes: another guest has others. To look at them costs nothing.
    pub fn bytes(self) -> &'static [u8] {
        self.bytes
    }

    /// The pages of its memory that a small run reads, in their order, as numbers of pages of 4,096
    /// bytes.
    pub fn pages(self) -> Vec<Range<usize>> {
        ranges(self.pages)
    }

    /// The component. Unpacking it takes a moment, and is needed only in order to compile it.
    ///
    /// # Errors
    ///
    /// Where the artifact was not built as it should be.
    pub fn component(self) -> io::Result<Vec<u8>> {
        unpacked(self.bytes, MOST_BYTES)
    }
}

/// A guest, embedded or in a file.
#[derive(Debug, Clone)]
pub enum Artifact {
    /// It is embedded.
    Embedded(Embedded),
    /// It is a file of its own.
    File(GuestFile),
}

impl Artifact {
    /// What it is told apart by: another guest has other bytes here. To look at them costs nothing.
    pub fn identity(&self) -> &[u8] {
        match self {
            Self::Embedded(embedded) => embedded.bytes,
            Self::File(file) => file.identity(),
        }
    }

    /// The pages of its memory that a small run reads.
    pub fn pages(&self) -> Vec<Range<usize>> {
        match self {
            Self::Embedded(embedded) => embedded.pages(),
            Self::File(file) => file.pages(),
        }
    }

    /// The component, which is needed only in order to compile it.
    ///
    /// # Errors
    ///
    /// The artifact was not built as it should be, or its file can't be read.
    pub fn component(&self) -> io::Result<Vec<u8>> {
        match self {
            Self::Embedded(embedded) => embedded.component(),
            Self::File(file) => file.component(),
        }
    }
}

/// Ranges of pages, of a line for each with the first and the last.
fn ranges(pages: &str) -> Vec<Range<usize>> {
    let range = |line: &str| {
        let (first, last) = line.split_once('-')?;
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        Some(first as usize..last as usize + 1)
    };
    pages.lines().filter_map(range).collect()
}

/// What Zstandard has compressed, of at most so many bytes.
fn unpacked(compressed: &[u8], most: u64) -> io::Result<Vec<u8>> {
    let decoder = StreamingDecoder::new_with_max_window_size(compressed, most);
    let decoder = decoder.map_err(io::Error::other)?;
    let mut content = Vec::new();
    decoder.take(most).read_to_end(&mut content)?;
    if content.len() as u64 == most {
        return Err(io::Error::other("the guest is larger than it may be"));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_guest_is_a_component() {
        for guest in [JAVASCRIPT, PYTHON] {
            let component = guest.component().expect("it can be unpacked");
            // The magic number, then the version and layer of the component model's binary format.
            assert!(component.starts_with(b"\0asm\x0d\x00\x01\x00"));
        }
    }

    #[test]
    fn each_guest_tells_of_the_pages_that_small_runs_read() {
        for guest in [JAVASCRIPT, PYTHON] {
            let pages = guest.pages();
            assert_eq!(pages.len(), guest.pages.lines().count());
            assert!(pages.iter().all(|pages| !pages.is_empty()), "{pages:?}");
            assert!(pages.is_sorted_by(|one, other| one.end < other.start));
            assert!(pages.len() > 5, "{pages:?}");
        }
    }

    #[test]
    fn what_was_cut_off_is_no_component() {
        let cut = Embedded {
            bytes: &PYTHON.bytes[..PYTHON.bytes.len() / 2],
            pages: "",
        };
        assert!(cut.component().is_err());
    }
}
