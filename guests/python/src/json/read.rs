//! From text to objects, without recursion. The grammar is that of the module `json`; where a text
//! is not so, reading ends with nothing.

use std::collections::BTreeMap;

use pyo3::ffi;

use super::shapes::{self, Index};
use super::{DEPTH, Memory, Object, number, text};

/// Keys up to this length are kept for what is read next, and values up to that.
const NAME_BYTES: usize = 64;
const VALUE_BYTES: usize = 16;

/// Reads the value that begins at a place; gives it, and where it ends.
///
/// # Safety
///
/// The text is UTF-8; `of` is `dict`, or a class derived from it that adds nothing to an instance.
pub(super) unsafe fn read(
    text: &[u8],
    at: usize,
    of: *mut ffi::PyTypeObject,
    memory: &mut Memory,
) -> Option<(Object, usize)> {
    let mut reader = Reader {
        text,
        at,
        of,
        memory,
        values: Vec::new(),
        names: Vec::new(),
        wide_names: BTreeMap::new(),
        open: Vec::new(),
        last: [None; DEPTH],
    };
    let value = reader.document()?;
    Some((value, reader.at))
}

/// How many keys of other kinds are kept while a text is read.
const MOST_WIDE_NAMES: usize = 4096;

/// A list or an object that has not ended.
struct Open {
    /// Where its values begin among those that wait, and its keys.
    values: usize,
    names: usize,
    is_object: bool,
    /// The shape that it has so far, and how many of its keys; while it has one, its keys don't
    /// wait.
    shape: Option<Index>,
    keys: usize,
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    of: *mut ffi::PyTypeObject,
    memory: &'a mut Memory,
    /// Values and keys of what is open; each is a reference.
    values: Vec<Object>,
    names: Vec<Object>,
    /// Keys that are not ASCII or long, by their texts.
    wide_names: BTreeMap<&'a [u8], Object>,
    open: Vec<Open>,
    /// The shape of the last object, by how deep it was.
    last: [Option<Index>; DEPTH],
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let waiting = self.values.drain(..).chain(self.names.drain(..));
        for object in waiting.chain(self.wide_names.values().copied()) {
            // SAFETY: each is its own reference.
            unsafe { ffi::Py_DECREF(object) };
        }
    }
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Option<Object> {
        loop {
            let mut value = match self.peek()? {
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => {
                    let (number, end) = number::read(self.text, self.at)?;
                    self.at = end;
                    number
                }
                b'{' => {
                    self.open(true)?;
                    if self.take(b'}') {
                        self.object()?
                    } else {
                        self.name()?;
                        continue;
                    }
                }
                b'[' => {
                    self.open(false)?;
                    if self.take(b']') {
                        self.list()?
                    } else {
                        continue;
                    }
                }
                // SAFETY: there is one of each.
                b't' => self.word(b"true", unsafe { ffi::Py_True() })?,
                // SAFETY: as above.
                b'f' => self.word(b"false", unsafe { ffi::Py_False() })?,
                // SAFETY: as above.
                b'n' => self.word(b"null", unsafe { ffi::Py_None() })?,
                _ => return None,
            };
            // Ends what ends with this value.
            loop {
                let Some(open) = self.open.last() else {
                    return Some(value);
                };
                let is_object = open.is_object;
                push(&mut self.values, value)?;
                self.skip_space();
                let byte = self.peek()?;
                self.at += 1;
                match (byte, is_object) {
                    (b',', _) => {
                        self.skip_space();
                        if is_object {
                            self.name()?;
                        }
                        break;
                    }
                    (b'}', true) => value = self.object()?,
                    (b']', false) => value = self.list()?,
                    _ => return None,
                }
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Takes a byte, if it is the next.
    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Begins a list or an object.
    fn open(&mut self, is_object: bool) -> Option<()> {
        let depth = self.open.len();
        if depth == DEPTH {
            return None;
        }
        self.at += 1;
        self.skip_space();
        let last = self.last[depth].filter(|_| is_object);
        self.open.push(Open {
            values: self.values.len(),
            names: self.names.len(),
            is_object,
            shape: last.and_then(|last| self.memory.shapes.after(last)),
            keys: 0,
        });
        Some(())
    }

    fn word(&mut self, word: &[u8], value: Object) -> Option<Object> {
        if !self.text[self.at..].starts_with(word) {
            return None;
        }
        self.at += word.len();
        // SAFETY: it is alive as long as Python.
        unsafe { ffi::Py_INCREF(value) };
        Some(value)
    }

    /// A key, and the colon behind it.
    fn name(&mut self) -> Option<()> {
        let open = self.open.last_mut().expect("an object is open");
        let rest = self.text.get(self.at..)?;
        let expected = open
            .shape
            .and_then(|shape| self.memory.shapes.matches(shape, open.keys, rest));
        if let Some(length) = expected {
            open.keys += 1;
            self.at += length;
        } else {
            self.leave_shape()?;
            let name = self.new_name()?;
            push(&mut self.names, name)?;
        }
        self.skip_space();
        if !self.take(b':') {
            return None;
        }
        self.skip_space();
        Some(())
    }

    /// The last object is not of the shape that it seemed to have.
    fn leave_shape(&mut self) -> Option<()> {
        let open = self.open.last_mut().expect("an object is open");
        if let Some(shape) = open.shape.take() {
            for name in &self.memory.shapes.names(shape)[..open.keys] {
                // SAFETY: the shape's keys are alive.
                unsafe { ffi::Py_INCREF(*name) };
                push(&mut self.names, *name)?;
            }
        }
        Some(())
    }

    fn new_name(&mut self) -> Option<Object> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let start = self.at + 1;
        let (end, is_ascii) = text::plain_end::<false>(self.text, start);
        if *self.text.get(end)? != b'"' {
            return self.escaped(start, end);
        }
        self.at = end + 1;
        let text: &'a [u8] = self.text;
        let name = &text[start..end];
        if is_ascii && (1..=NAME_BYTES).contains(&name.len()) {
            // SAFETY: it is ASCII.
            return some(unsafe { self.memory.names.string(name) });
        }
        let known = match self.wide_names.get(name) {
            Some(known) => *known,
            None => {
                let made = some(text::made(name))?;
                if self.wide_names.len() == MOST_WIDE_NAMES {
                    return Some(made);
                }
                self.wide_names.insert(name, made);
                made
            }
        };
        // SAFETY: it is alive.
        unsafe { ffi::Py_INCREF(known) };
        Some(known)
    }

    fn string(&mut self) -> Option<Object> {
        let start = self.at + 1;
        let (end, is_ascii) = text::plain_end::<false>(self.text, start);
        if *self.text.get(end)? != b'"' {
            return self.escaped(start, end);
        }
        self.at = end + 1;
        let string = &self.text[start..end];
        some(match string.len() {
            // SAFETY: it is ASCII.
            2..=VALUE_BYTES if is_ascii => unsafe { self.memory.values.string(string) },
            // SAFETY: as above.
            _ if is_ascii => unsafe { text::made_of_ascii(string) },
            _ => text::made(string),
        })
    }

    /// A string with escapes, of which the first is at `end`.
    fn escaped(&mut self, start: usize, mut end: usize) -> Option<Object> {
        let mut string = Vec::new();
        let mut start = start;
        loop {
            let plain = &self.text[start..end];
            string.try_reserve(plain.len() + size_of::<char>()).ok()?;
            string.extend_from_slice(plain);
            match *self.text.get(end)? {
                b'"' => break,
                b'\\' => start = self.escape(end + 1, &mut string)?,
                _ => return None,
            }
            end = text::plain_end::<false>(self.text, start).0;
        }
        self.at = end + 1;
        some(text::made(&string))
    }

    /// What an escape stands for; gives where it ends. Half a character, which only Python's own
    /// strings may hold, is nothing.
    fn escape(&self, at: usize, string: &mut Vec<u8>) -> Option<usize> {
        let byte = match *self.text.get(at)? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => return self.unicode_escape(at + 1, string),
            _ => return None,
        };
        string.push(byte);
        Some(at + 1)
    }

    fn unicode_escape(&self, at: usize, string: &mut Vec<u8>) -> Option<usize> {
        let mut end = at + 4;
        let mut code = self.hex(at)?;
        if (0xd800..0xdc00).contains(&code) && self.text.get(end..end + 2) == Some(b"\\u") {
            let low = self.hex(end + 2)?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x1_0000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                end += 6;
            }
        }
        let character = char::from_u32(code)?;
        string.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Some(end)
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 4)?;
        digits.iter().try_fold(0, |code, digit| {
            Some(code << 4 | char::from(*digit).to_digit(16)?)
        })
    }

    fn list(&mut self) -> Option<Object> {
        let open = self.open.pop().expect("a list is open");
        let values = &self.values[open.values..];
        // SAFETY: the list has room for as many, and takes over what waited.
        unsafe {
            let list = some(ffi::PyList_New(values.len() as isize))?;
            let items = (*list.cast::<ffi::PyListObject>()).ob_item;
            text::copy(values.as_ptr().cast(), items.cast(), size_of_val(values));
            self.values.set_len(open.values);
            Some(list)
        }
    }

    fn object(&mut self) -> Option<Object> {
        let open = self.open.last().expect("an object is open");
        let (values, keys) = (open.values, open.names);
        let count = self.values.len() - values;
        let shapes = &mut self.memory.shapes;
        let whole = |shape: &Index| shapes.names(*shape).len() == count;
        let mut shape = open.shape.filter(whole);
        if shape.is_none() {
            self.leave_shape()?;
            let names = &self.names[keys..];
            // SAFETY: keys are strings.
            shape = unsafe { self.memory.shapes.of(names, &mut self.memory.names) };
        }
        let held = &self.values[values..];
        // SAFETY: there are as many keys as values, and `of` is as the reader was told.
        let object = unsafe {
            match shape {
                Some(shape) => some(self.memory.shapes.object(shape, self.of, held))?,
                None => some(shapes::single(self.of, &self.names[keys..], held))?,
            }
        };
        if let Some(shape) = shape {
            // The object has them now.
            self.values.truncate(values);
            let depth = self.open.len() - 1;
            if let Some(last) = self.last[depth].replace(shape) {
                self.memory.shapes.follow(last, shape);
            }
        }
        for object in self.values.drain(values..).chain(self.names.drain(keys..)) {
            // SAFETY: each is its own reference.
            unsafe { ffi::Py_DECREF(object) };
        }
        self.open.pop();
        Some(object)
    }
}

fn some(object: Object) -> Option<Object> {
    (!object.is_null()).then_some(object)
}

/// Adds an object to those that wait, which has its reference; where there is no room, it is let
/// go of.
fn push(waiting: &mut Vec<Object>, object: Object) -> Option<()> {
    if waiting.try_reserve(1).is_err() {
        // SAFETY: the reference is its own.
        unsafe { ffi::Py_DECREF(object) };
        return None;
    }
    waiting.push(object);
    Some(())
}
