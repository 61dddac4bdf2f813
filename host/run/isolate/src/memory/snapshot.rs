//! The pages of a memory that differ from a new one's, and how they are written: of each page, the
//! runs of bytes that differ. So what a session takes is about what its scripts made, and nothing
//! in it can become more than it says.

use std::ops::Range;

use super::image::{Image, PAGE_BYTES};

/// Bytes that are the same end a run if there are so many of them.
pub(super) const APART: usize = 8;
/// How large a patch may be: as guests have room for it.
const PATCH_BYTES: usize = 64 << 10;

/// What a run left in memory, as it is kept. Where a page differs from that of a new instance, it has
/// the runs of bytes that do.
///
/// All numbers are little-endian: the size of the memory, then for each page its number (32 bits),
/// how many runs it has (16), and for each of these its place in the page, its length (16 each) and
/// its bytes. Of a run that waits, and has files in memory, these follow, after a number that no page
/// has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    bytes: Vec<u8>,
    /// Where the pages end.
    end: usize,
}

/// What stands before files, in place of a page's number.
const FILES: [u8; 4] = u32::MAX.to_le_bytes();

/// What makes a new instance's memory another's, in portions that guests have room for: whole pages,
/// as they are kept.
pub(super) struct Patches<'s>(Pages<'s>);

/// What is kept of a memory is not what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the stored memory of a run is damaged")]
pub struct SnapshotError;

impl Snapshot {
    /// What differs between a memory and a new one, where only these pages may.
    pub(super) fn of(now: &[u8], new: &Image, pages: Vec<Range<usize>>) -> Self {
        let mut written = (now.len() as u32).to_le_bytes().to_vec();
        for number in pages.into_iter().flatten() {
            let page = &now[number * PAGE_BYTES..(number + 1) * PAGE_BYTES];
            write(&mut written, number, page, new.page(number));
        }
        let end = written.len();
        Self {
            bytes: written,
            end,
        }
    }

    /// With the files that the run has in memory, as they are kept.
    #[must_use]
    pub(crate) fn with_files(mut self, files: &[u8]) -> Self {
        self.bytes.truncate(self.end);
        self.bytes.extend_from_slice(&FILES);
        self.bytes.extend_from_slice(files);
        self
    }

    /// The files that the run had in memory, if it had any.
    pub(crate) fn files(&self) -> Option<&[u8]> {
        self.bytes[self.end..].strip_prefix(&FILES)
    }

    /// What was kept.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`], where it can't have been written here.
    pub fn read(bytes: Vec<u8>) -> Result<Self, SnapshotError> {
        let mut pages = Pages::of(&bytes)?;
        while pages.skip_page()? {}
        let end = bytes.len() - pages.rest.len();
        Ok(Self { bytes, end })
    }

    /// As it is kept.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The same, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// How large the memory is.
    pub fn memory_bytes(&self) -> u64 {
        let size = self.bytes.first_chunk().copied().unwrap_or_default();
        u64::from(u32::from_le_bytes(size))
    }

    /// What is to be put into a new instance.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`].
    pub(super) fn patches(&self) -> Result<Patches<'_>, SnapshotError> {
        Pages::of(&self.bytes[..self.end]).map(Patches)
    }
}

impl<'s> Patches<'s> {
    /// How large the memory is, in bytes.
    pub(super) fn size(&self) -> u32 {
        self.0.size as u32
    }

    /// The next one.
    pub(super) fn next_patch(&mut self) -> Result<Option<&'s [u8]>, SnapshotError> {
        let all = self.0.rest;
        let mut fits = self.0;
        // A page alone always fits.
        while self.0.skip_page()? && all.len() - self.0.rest.len() <= PATCH_BYTES {
            fits = self.0;
        }
        self.0 = fits;
        let patch = &all[..all.len() - fits.rest.len()];
        Ok((!patch.is_empty()).then_some(patch))
    }
}

/// Writes a page, if it differs.
fn write(written: &mut Vec<u8>, number: usize, page: &[u8], before: &[u8]) {
    if page == before {
        return;
    }
    written.extend_from_slice(&(number as u32).to_le_bytes());
    let count_at = written.len();
    let mut count = 0_u16;
    written.extend_from_slice(&count.to_le_bytes());
    let (words, _) = page.as_chunks::<APART>();
    let (words_before, _) = before.as_chunks::<APART>();
    let mut differs = words
        .iter()
        .zip(words_before)
        .map(|(now, before)| now != before);
    let mut at = 0;
    // Word by word: a run ends where one is the same.
    while let Some(equal) = differs.by_ref().position(|differs| differs) {
        let start = at + equal;
        let more = differs.by_ref().take_while(|differs| *differs).count();
        let end = start + 1 + more;
        at = (end + 1).min(words.len());
        let run = words[start..end].as_flattened();
        for number in [start * APART, run.len()] {
            written.extend_from_slice(&(number as u16).to_le_bytes());
        }
        written.extend_from_slice(run);
        count += 1;
    }
    written[count_at..count_at + 2].copy_from_slice(&count.to_le_bytes());
}

/// A reader of what was written.
#[derive(Clone, Copy)]
struct Pages<'b> {
    size: usize,
    rest: &'b [u8],
    /// The number that the next page has at least.
    next: usize,
}

impl<'b> Pages<'b> {
    fn of(bytes: &'b [u8]) -> Result<Self, SnapshotError> {
        let (size, rest) = bytes.split_first_chunk().ok_or(SnapshotError)?;
        let size = u32::from_le_bytes(*size) as usize;
        let next = 0;
        Ok(Self { size, rest, next })
    }

    /// Continues behind the next page; false where there is none.
    fn skip_page(&mut self) -> Result<bool, SnapshotError> {
        if self.rest.is_empty() || self.rest.starts_with(&FILES) {
            return Ok(false);
        }
        let number = u32::from_le_bytes(self.number()?) as usize;
        // Each page once, in their order, and none behind the end.
        if number < self.next || number >= self.size / PAGE_BYTES {
            return Err(SnapshotError);
        }
        self.next = number + 1;
        let count = u16::from_le_bytes(self.number()?);
        // The same holds of its runs: so no page takes more than a patch may.
        let mut end = 0;
        for _ in 0..count {
            let at = usize::from(u16::from_le_bytes(self.number()?));
            let length = usize::from(u16::from_le_bytes(self.number()?));
            if at < end || length == 0 || at + length > PAGE_BYTES {
                return Err(SnapshotError);
            }
            end = at + length;
            self.rest = self.rest.get(length..).ok_or(SnapshotError)?;
        }
        Ok(true)
    }

    fn number<const BYTES: usize>(&mut self) -> Result<[u8; BYTES], SnapshotError> {
        let (number, rest) = self.rest.split_first_chunk().ok_or(SnapshotError)?;
        self.rest = rest;
        Ok(*number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_behind_the_pages() {
        // A memory of a page and a half, of whose first page two bytes differ.
        let mut bytes = (PAGE_BYTES as u32 * 3 / 2).to_le_bytes().to_vec();
        bytes.extend([0, 0, 0, 0, 1, 0, 8, 0, 2, 0, 0xff, 0xff]);
        let alone = Snapshot::read(bytes.clone()).unwrap();
        assert_eq!(alone.files(), None);
        for files in [&b"files"[..], b"", &[0xff; 9]] {
            let with_files = alone.clone().with_files(b"others").with_files(files);
            let read = Snapshot::read(with_files.clone().into_bytes()).unwrap();
            assert_eq!((&read, read.files()), (&with_files, Some(files)));
            let patch = |of: &Snapshot| {
                of.patches()
                    .unwrap()
                    .next_patch()
                    .unwrap()
                    .map(<[u8]>::to_vec)
            };
            assert_eq!(patch(&read), patch(&alone));
            assert_eq!(read.memory_bytes(), alone.memory_bytes());
        }
        bytes.extend([0xff, 0xff, 0xff]);
        assert_eq!(Snapshot::read(bytes), Err(SnapshotError));
    }
}
