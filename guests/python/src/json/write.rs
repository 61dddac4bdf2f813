//! From objects to text: the types of JSON themselves, and dictionaries that only have methods of
//! their own. Where there is anything else, writing ends with nothing.

use std::{ptr, slice};

use pyo3::ffi;

use super::{DEPTH, Object, number, text};

/// What is longer than anything of a known length that is written at once: numbers, escapes.
const SHORT: usize = 64;
/// How much room there is at first.
const FIRST_BYTES: usize = 128;

/// How a value is written. All texts are ASCII.
pub(crate) struct Style<'a> {
    /// Whether what is not ASCII is escaped.
    pub(crate) ascii: bool,
    pub(crate) between_items: &'a [u8],
    pub(crate) behind_keys: &'a [u8],
    /// What each level is indented with, where each item has a line.
    pub(crate) indent: Option<&'a [u8]>,
    /// Whether objects are in the order of their keys.
    pub(crate) sorted: bool,
    /// Whether there is a text for what is no number, and for infinities.
    pub(crate) nan: bool,
}

/// The text of a value, as a string.
///
/// # Safety
///
/// The value is alive, and nothing changes it meanwhile.
pub(super) unsafe fn text(value: Object, style: &Style<'_>) -> Option<Object> {
    let mut writer = Writer {
        style,
        out: Vec::with_capacity(FIRST_BYTES),
        is_ascii: true,
        depth: 0,
        dictionaries: ptr::null_mut(),
    };
    // SAFETY: the value is alive, and what it holds is, too.
    unsafe {
        writer.value(value)?;
        Some(if writer.is_ascii {
            text::made_of_ascii(&writer.out)
        } else {
            text::made(&writer.out)
        })
    }
}

struct Writer<'a> {
    style: &'a Style<'a>,
    out: Vec<u8>,
    is_ascii: bool,
    depth: usize,
    /// A class of dictionaries whose items are what `dict` says that they are.
    dictionaries: *mut ffi::PyTypeObject,
}

impl Writer<'_> {
    /// # Safety
    ///
    /// As for [`text`]; so for all below.
    unsafe fn value(&mut self, value: Object) -> Option<()> {
        // SAFETY: an object of a type is what the type says.
        unsafe {
            let of = ffi::Py_TYPE(value);
            if of == &raw mut ffi::PyUnicode_Type {
                self.string(value)
            } else if of == &raw mut ffi::PyLong_Type {
                self.room(SHORT)?;
                number::write_int(value, &mut self.out)
            } else if of == &raw mut ffi::PyFloat_Type {
                self.float(ffi::PyFloat_AS_DOUBLE(value))
            } else if value == ffi::Py_None() {
                self.put(b"null")
            } else if value == ffi::Py_True() {
                self.put(b"true")
            } else if value == ffi::Py_False() {
                self.put(b"false")
            } else if of == &raw mut ffi::PyDict_Type || self.is_dictionary(of) {
                self.object(value)
            } else if of == &raw mut ffi::PyList_Type {
                let list = &*value.cast::<ffi::PyListObject>();
                self.list(list.ob_item, ffi::Py_SIZE(value))
            } else if of == &raw mut ffi::PyTuple_Type {
                let tuple = value.cast::<ffi::PyTupleObject>();
                self.list((&raw mut (*tuple).ob_item).cast(), ffi::Py_SIZE(value))
            } else {
                None
            }
        }
    }

    fn room(&mut self, bytes: usize) -> Option<()> {
        self.out.try_reserve(bytes).ok()
    }

    fn put(&mut self, text: &[u8]) -> Option<()> {
        self.room(text.len())?;
        let length = self.out.len();
        // SAFETY: there is room.
        unsafe {
            text::copy(text.as_ptr(), self.out.as_mut_ptr().add(length), text.len());
            self.out.set_len(length + text.len());
        }
        Some(())
    }

    fn float(&mut self, value: f64) -> Option<()> {
        if value.is_finite() {
            self.room(SHORT)?;
            return number::write_float(value, &mut self.out);
        }
        if !self.style.nan {
            return None;
        }
        self.put(if value.is_nan() {
            b"NaN"
        } else if value > 0.0 {
            b"Infinity"
        } else {
            b"-Infinity"
        })
    }

    /// Begins a line, where lines are indented.
    fn line(&mut self) -> Option<()> {
        if let Some(indent) = self.style.indent {
            self.put(b"\n")?;
            for _ in 0..self.depth {
                self.put(indent)?;
            }
        }
        Some(())
    }

    /// Begins what has items.
    fn begin(&mut self, sign: &[u8]) -> Option<()> {
        if self.depth == DEPTH {
            return None;
        }
        self.depth += 1;
        self.put(sign)
    }

    fn end(&mut self, sign: &[u8]) -> Option<()> {
        self.depth -= 1;
        self.line()?;
        self.put(sign)
    }

    unsafe fn list(&mut self, items: *const Object, count: isize) -> Option<()> {
        if count == 0 {
            return self.put(b"[]");
        }
        // SAFETY: nothing changes the list meanwhile.
        let items = unsafe { slice::from_raw_parts(items, count as usize) };
        self.begin(b"[")?;
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                self.put(self.style.between_items)?;
            }
            self.line()?;
            // SAFETY: the list holds it.
            unsafe { self.value(*item)? };
        }
        self.end(b"]")
    }

    unsafe fn object(&mut self, object: Object) -> Option<()> {
        let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
        // SAFETY: nothing changes the dictionary meanwhile, and it holds what it gives.
        unsafe {
            let mut next = || {
                let found = ffi::PyDict_Next(object, &raw mut at, &raw mut key, &raw mut value);
                (found != 0).then_some((key, value))
            };
            let Some(mut item) = next() else {
                return self.put(b"{}");
            };
            self.begin(b"{")?;
            if self.style.sorted {
                let items = [item].into_iter().chain(std::iter::from_fn(next));
                self.in_order(items)?;
                return self.end(b"}");
            }
            loop {
                self.item(item)?;
                let Some(following) = next() else { break };
                item = following;
                self.put(self.style.between_items)?;
            }
        }
        self.end(b"}")
    }

    unsafe fn item(&mut self, (key, value): (Object, Object)) -> Option<()> {
        self.line()?;
        // SAFETY: the dictionary holds both.
        unsafe {
            self.key(key)?;
            self.put(self.style.behind_keys)?;
            self.value(value)
        }
    }

    /// Writes items in the order of their keys, if these are all ASCII.
    unsafe fn in_order(&mut self, items: impl Iterator<Item = (Object, Object)>) -> Option<()> {
        let mut sorted: Vec<(&[u8], (Object, Object))> = Vec::new();
        for item in items {
            sorted.try_reserve(1).ok()?;
            // SAFETY: an object of a type is what the type says; the dictionary holds it.
            let key = unsafe {
                let is_string = ffi::PyUnicode_CheckExact(item.0) != 0;
                if is_string {
                    text::ascii(item.0)?
                } else {
                    return None;
                }
            };
            sorted.push((key, item));
        }
        sorted.sort_unstable_by_key(|(key, _)| *key);
        for (at, (_, item)) in sorted.into_iter().enumerate() {
            if at > 0 {
                self.put(self.style.between_items)?;
            }
            // SAFETY: the dictionary holds it.
            unsafe { self.item(item)? };
        }
        Some(())
    }

    unsafe fn key(&mut self, key: Object) -> Option<()> {
        // SAFETY: an object of a type is what the type says.
        unsafe {
            let of = ffi::Py_TYPE(key);
            if of == &raw mut ffi::PyUnicode_Type {
                return self.string(key);
            }
            if of != &raw mut ffi::PyLong_Type {
                return None;
            }
            self.room(SHORT)?;
            self.out.push(b'"');
            number::write_int(key, &mut self.out)?;
        }
        self.put(b"\"")
    }

    unsafe fn string(&mut self, string: Object) -> Option<()> {
        // SAFETY: a string has as many characters of its kind as its length says.
        unsafe {
            if let Some(string) = text::ascii(string) {
                return self.ascii(string);
            }
            let length = ffi::PyUnicode_GET_LENGTH(string) as usize;
            let data = ffi::PyUnicode_DATA(string).cast_const();
            match text::kind(string) {
                1 => self.wide(slice::from_raw_parts(data.cast::<u8>(), length)),
                2 => self.wide(slice::from_raw_parts(data.cast::<u16>(), length)),
                _ => self.wide(slice::from_raw_parts(data.cast::<u32>(), length)),
            }
        }
    }

    fn ascii(&mut self, string: &[u8]) -> Option<()> {
        self.room(string.len() + SHORT)?;
        self.out.push(b'"');
        let mut from = 0;
        loop {
            let (end, _) = if self.style.ascii {
                text::plain_end::<true>(string, from)
            } else {
                text::plain_end::<false>(string, from)
            };
            self.put(&string[from..end])?;
            let Some(byte) = string.get(end) else { break };
            self.escape((*byte).into())?;
            from = end + 1;
        }
        self.put(b"\"")
    }

    fn wide<C: Copy + Into<u32>>(&mut self, string: &[C]) -> Option<()> {
        self.put(b"\"")?;
        for code in string {
            self.room(SHORT)?;
            let code = (*code).into();
            match code {
                0x22 | 0x5c | ..0x20 => self.escape(code)?,
                0x20..0x7f => self.out.push(code as u8),
                _ if self.style.ascii => self.escape(code)?,
                _ => {
                    self.is_ascii &= code < 0x80;
                    // Half a character is nothing that UTF-8 has.
                    let character = char::from_u32(code)?;
                    let mut bytes = [0; 4];
                    let bytes = character.encode_utf8(&mut bytes);
                    self.out.extend_from_slice(bytes.as_bytes());
                }
            }
        }
        self.put(b"\"")
    }

    /// Writes the escape of a character.
    fn escape(&mut self, code: u32) -> Option<()> {
        let short = match code {
            0x22 => b'"',
            0x5c => b'\\',
            0x08 => b'b',
            0x0c => b'f',
            0x0a => b'n',
            0x0d => b'r',
            0x09 => b't',
            0x1_0000.. => {
                let above = code - 0x1_0000;
                self.unit(0xd800 + (above >> 10))?;
                return self.unit(0xdc00 + (above & 0x3ff));
            }
            _ => return self.unit(code),
        };
        self.put(&[b'\\', short])
    }

    /// Writes the escape of 16 bits.
    fn unit(&mut self, unit: u32) -> Option<()> {
        let digit = |shift: u32| b"0123456789abcdef"[(unit >> shift & 0xf) as usize];
        self.put(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)])
    }

    /// Whether a class of dictionaries leaves it to `dict` what its items are. An instance that has
    /// attributes may have other methods than its class.
    unsafe fn is_dictionary(&mut self, of: *mut ffi::PyTypeObject) -> bool {
        if of == self.dictionaries {
            return true;
        }
        // SAFETY: it is a type.
        unsafe {
            let is_derived = ffi::PyType_FastSubclass(of, ffi::Py_TPFLAGS_DICT_SUBCLASS) != 0;
            let attributes = ffi::Py_TPFLAGS_MANAGED_DICT;
            if !is_derived
                || (*of).tp_dictoffset != 0
                || ffi::PyType_GetFlags(of) & attributes != 0
                || !inherits(of, c"items", &raw mut ffi::PyDict_Type)
                || !inherits(of, c"__getattribute__", &raw mut ffi::PyBaseObject_Type)
            {
                return false;
            }
        }
        self.dictionaries = of;
        true
    }
}

/// Whether a class has a method from another, which defines it.
///
/// # Safety
///
/// Both are types.
unsafe fn inherits(
    of: *mut ffi::PyTypeObject,
    method: &std::ffi::CStr,
    from: *mut ffi::PyTypeObject,
) -> bool {
    // SAFETY: the classes in the list are alive as long as the class.
    unsafe {
        let classes = (*of).tp_mro;
        for at in 0..ffi::PyTuple_GET_SIZE(classes) {
            let class = ffi::PyTuple_GET_ITEM(classes, at).cast::<ffi::PyTypeObject>();
            if class == from {
                return true;
            }
            let members = ffi::PyType_GetDict(class);
            let found = ffi::PyDict_ContainsString(members, method.as_ptr());
            ffi::Py_DECREF(members);
            if found != 0 {
                return false;
            }
        }
    }
    false
}
