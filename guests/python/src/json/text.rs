//! Strings: those of JSON, looked through by words of memory, and Python's.

use std::{ptr, slice};

use pyo3::ffi;

use super::Object;

/// How many bytes a word has.
const WORD: usize = size_of::<u64>();
/// A one in each byte of a word.
const ONES: u64 = u64::MAX / 0xff;
/// Each byte's highest bit.
const HIGHEST: u64 = ONES << 7;

/// The bits of a string's state that say how many bytes a character has, that the characters follow
/// the object, and that all are ASCII.
const KIND: (u32, u32) = (2, 0b111);
const COMPACT: u32 = 1 << 5;
const ASCII: u32 = 1 << 6;

/// Python's strings are as it is said here.
pub(super) fn check() {
    // SAFETY: the strings are made here, and never freed: the check runs once.
    unsafe {
        let string = made(b"plain");
        assert_eq!(ascii(string), Some(&b"plain"[..]), "strings are otherwise");
        assert_eq!(
            ffi::PyUnicode_DATA(string).cast(),
            bytes_of(string),
            "strings lie otherwise"
        );
        for text in ["\u{e9}", "\u{20ac}", "\u{1f600}"] {
            let string = made(text.as_bytes());
            assert_eq!(kind(string), ffi::PyUnicode_KIND(string), "kinds differ");
            assert!(ascii(string).is_none(), "strings are otherwise");
        }
    }
}

/// The state of a string.
///
/// # Safety
///
/// It is one.
unsafe fn state(string: Object) -> u32 {
    // SAFETY: strings begin with this.
    unsafe { (*string.cast::<ffi::PyASCIIObject>()).state }
}

/// How many bytes each character of a string has.
///
/// # Safety
///
/// It is a string.
pub(super) unsafe fn kind(string: Object) -> u32 {
    // SAFETY: it is a string.
    (unsafe { state(string) } >> KIND.0) & KIND.1
}

/// Where the characters of a string are that is all ASCII.
///
/// # Safety
///
/// It is such a string.
unsafe fn bytes_of(string: Object) -> *mut u8 {
    // SAFETY: they follow the object.
    unsafe { string.cast::<ffi::PyASCIIObject>().add(1).cast() }
}

/// The characters of a string that is all ASCII.
///
/// # Safety
///
/// It is a string, and lives as long as they are used.
pub(super) unsafe fn ascii<'a>(string: Object) -> Option<&'a [u8]> {
    // SAFETY: its state says that they are there.
    unsafe {
        let plain = COMPACT | ASCII;
        let length = (*string.cast::<ffi::PyASCIIObject>()).length as usize;
        (state(string) & plain == plain).then(|| slice::from_raw_parts(bytes_of(string), length))
    }
}

/// A string of these bytes, which are UTF-8.
pub(super) fn made(text: &[u8]) -> Object {
    // SAFETY: the bytes are copied.
    unsafe {
        if text.is_ascii() {
            made_of_ascii(text)
        } else {
            let errors = ptr::null();
            ffi::PyUnicode_DecodeUTF8(text.as_ptr().cast(), text.len() as isize, errors)
        }
    }
}

/// A string of these bytes.
///
/// # Safety
///
/// They are ASCII.
pub(super) unsafe fn made_of_ascii(text: &[u8]) -> Object {
    // SAFETY: a string with room for them is made first.
    unsafe {
        if let [one] = text {
            // There is one of each.
            return ffi::PyUnicode_FromOrdinal((*one).into());
        }
        let string = ffi::PyUnicode_New(text.len() as isize, 0x7f);
        if !string.is_null() {
            copy(text.as_ptr(), bytes_of(string), text.len());
        }
        string
    }
}

/// The eight bytes at an address.
///
/// # Safety
///
/// They are there.
unsafe fn word_at(bytes: *const u8) -> u64 {
    // SAFETY: they are there.
    unsafe { bytes.cast::<u64>().read_unaligned() }
}

/// Copies bytes. What is short is copied in place: the instruction for that calls the host.
///
/// # Safety
///
/// There is as much on both sides, and they do not overlap.
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, length: usize) {
    /// From here on a call is worth it.
    const LONG: usize = 256;
    // SAFETY: nothing behind the length is read or written.
    unsafe {
        if length >= LONG {
            ptr::copy_nonoverlapping(from, to, length);
        } else if length >= WORD {
            let last = length - WORD;
            let mut at = 0;
            while at < last {
                to.add(at)
                    .cast::<u64>()
                    .write_unaligned(word_at(from.add(at)));
                at += WORD;
            }
            to.add(last)
                .cast::<u64>()
                .write_unaligned(word_at(from.add(last)));
        } else if length >= WORD / 2 {
            let last = length - WORD / 2;
            let end = from.add(last).cast::<u32>().read_unaligned();
            to.cast::<u32>()
                .write_unaligned(from.cast::<u32>().read_unaligned());
            to.add(last).cast::<u32>().write_unaligned(end);
        } else {
            for at in 0..length {
                to.add(at).write(from.add(at).read());
            }
        }
    }
}

/// Whether two pieces of memory hold the same.
///
/// # Safety
///
/// Both have that length.
pub(super) unsafe fn same(one: *const u8, other: *const u8, length: usize) -> bool {
    // SAFETY: nothing behind the length is read.
    unsafe {
        if length >= WORD {
            let last = length - WORD;
            let mut at = 0;
            while at < last {
                if word_at(one.add(at)) != word_at(other.add(at)) {
                    return false;
                }
                at += WORD;
            }
            word_at(one.add(last)) == word_at(other.add(last))
        } else {
            ends(one, length) == ends(other, length)
        }
    }
}

/// All bytes of a short text in one word, or the first and the last of a longer one.
///
/// # Safety
///
/// It has that length, which is not zero.
unsafe fn ends(text: *const u8, length: usize) -> u64 {
    // SAFETY: nothing behind the length is read.
    unsafe {
        if length >= WORD {
            word_at(text) ^ word_at(text.add(length - WORD)).rotate_left(23)
        } else if length >= WORD / 2 {
            let first = text.cast::<u32>().read_unaligned();
            let last = text.add(length - WORD / 2).cast::<u32>().read_unaligned();
            u64::from(first) | u64::from(last) << 32
        } else {
            let byte = |at: usize| u64::from(text.add(at).read());
            byte(0) | byte(length / 2) << 8 | byte(length - 1) << 16
        }
    }
}

/// The last character of ASCII, which nobody sees. JSON takes it as it is, and Python escapes it
/// where all is to be ASCII.
const DELETE: u8 = 0x7f;

/// The bytes of a word that are no plain character of a JSON string, by their highest bits; of
/// those found, the lowest is right.
fn special<const DELETE_TOO: bool>(word: u64) -> u64 {
    let are = |byte: u8| {
        let zeros = word ^ (ONES * u64::from(byte));
        zeros.wrapping_sub(ONES) & !zeros
    };
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let delete = if DELETE_TOO { are(DELETE) } else { 0 };
    (are(b'"') | are(b'\\') | control | delete) & HIGHEST
}

/// Where the plain characters of a JSON string end that begin at a place: at a quote, a backslash,
/// a control character or the text's end; and whether all were ASCII.
pub(super) fn plain_end<const DELETE_TOO: bool>(text: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut seen = 0;
    while at + WORD <= text.len() {
        // SAFETY: the word ends with the text at the latest.
        let word = unsafe { word_at(text.as_ptr().add(at)) };
        let found = special::<DELETE_TOO>(word);
        if found != 0 {
            let bytes = found.trailing_zeros() / 8;
            seen |= word & ((1 << (bytes * 8)) - 1);
            return (at + bytes as usize, seen & HIGHEST == 0);
        }
        seen |= word;
        at += WORD;
    }
    while let Some(byte) = text.get(at) {
        if matches!(byte, b'"' | b'\\' | ..0x20) || DELETE_TOO && *byte == DELETE {
            break;
        }
        seen |= u64::from(*byte);
        at += 1;
    }
    (at, seen & HIGHEST == 0)
}

/// Whether a byte of UTF-8 continues a character.
pub(super) fn continues(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// Short strings that were read lately. Each has `WAYS` places where it may be, one behind the
/// other: the last one there is let go of for a new one.
pub(super) struct Recent<const WAYS: usize>([[Kept; WAYS]; SETS]);

/// How many sets of places there are.
const SETS: usize = 128;

#[derive(Clone, Copy)]
struct Kept {
    hash: u32,
    string: Object,
}

impl<const WAYS: usize> Recent<WAYS> {
    pub(super) fn new() -> Self {
        let nothing = Kept {
            hash: 0,
            string: ptr::null_mut(),
        };
        Self([[nothing; WAYS]; SETS])
    }

    /// A string of these bytes, made now or before.
    ///
    /// # Safety
    ///
    /// They are ASCII, and not none.
    pub(super) unsafe fn string(&mut self, text: &[u8]) -> Object {
        // SAFETY: what is kept is alive and ASCII.
        unsafe {
            if let Some(kept) = self.find(text) {
                ffi::Py_INCREF(kept.string);
                return kept.string;
            }
            let string = made_of_ascii(text);
            if !string.is_null() {
                self.add(text, string);
            }
            string
        }
    }

    /// Keeps this string, instead of one that says the same.
    ///
    /// # Safety
    ///
    /// It is ASCII, and not empty.
    pub(super) unsafe fn keep(&mut self, string: Object) {
        // SAFETY: it is as it is said to be.
        unsafe {
            let text = ascii(string).expect("it is ASCII");
            match self.find(text) {
                Some(kept) => {
                    ffi::Py_INCREF(string);
                    ffi::Py_DECREF(std::mem::replace(&mut kept.string, string));
                }
                None => self.add(text, string),
            }
        }
    }

    /// # Safety
    ///
    /// The text is not empty.
    unsafe fn find(&mut self, text: &[u8]) -> Option<&mut Kept> {
        // SAFETY: as the caller says; strings that are kept are ASCII, and compared where they are
        // as long as the text.
        unsafe {
            let hash = hash_of(text);
            let mut kept = self.0[hash as usize % SETS].iter_mut();
            kept.find(|kept| {
                kept.hash == hash
                    && ascii_if_any(kept.string).is_some_and(|kept| {
                        kept.len() == text.len() && same(kept.as_ptr(), text.as_ptr(), text.len())
                    })
            })
        }
    }

    /// # Safety
    ///
    /// The string has this text, and is not there.
    unsafe fn add(&mut self, text: &[u8], string: Object) {
        // SAFETY: each string that is kept has a reference for that.
        unsafe {
            let hash = hash_of(text);
            let set = &mut self.0[hash as usize % SETS];
            ffi::Py_XDECREF(set[WAYS - 1].string);
            set.copy_within(..WAYS - 1, 1);
            ffi::Py_INCREF(string);
            set[0] = Kept { hash, string };
        }
    }
}

/// # Safety
///
/// The text is not empty.
unsafe fn hash_of(text: &[u8]) -> u32 {
    // SAFETY: the length is the text's.
    let ends = unsafe { ends(text.as_ptr(), text.len()) } ^ text.len() as u64;
    (ends.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

impl<const WAYS: usize> Drop for Recent<WAYS> {
    fn drop(&mut self) {
        for kept in self.0.as_flattened() {
            // SAFETY: each has its own reference, or is null.
            unsafe { ffi::Py_XDECREF(kept.string) };
        }
    }
}

/// # Safety
///
/// As for [`ascii`], or it is null.
unsafe fn ascii_if_any<'a>(string: Object) -> Option<&'a [u8]> {
    if string.is_null() {
        return None;
    }
    // SAFETY: it is a string.
    unsafe { ascii(string) }
}
