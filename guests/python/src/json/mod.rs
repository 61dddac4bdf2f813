//! JSON, from text to Python's objects and back, for what is plain: the types of JSON themselves,
//! and nothing that runs a script's code. Whatever is not, and every fault, is left to the module
//! `json`, which begins anew and tells of it: nothing that is done here can be seen from outside.
//!
//! - [`read`]: from text to objects
//! - [`write`](mod@write): from objects to text
//! - [`shapes`]: objects with the same keys share them
//! - [`text`]: strings, looked through by words of memory; those that were read lately
//! - [`number`]: numbers, read and written

mod number;
mod read;
mod shapes;
mod text;
mod write;

use std::cell::RefCell;
use std::slice;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

use crate::host;
use shapes::Shapes;
use text::Recent;
pub(crate) use write::Style;

/// One of Python's objects, or null for an error that Python knows of.
type Object = *mut ffi::PyObject;

/// How deep values may nest here.
const DEPTH: usize = 200;

/// Keys that were read lately: those of one object are not to be in each other's way.
type Names = Recent<4>;

/// What is kept of what was read, for what is read next.
struct Memory {
    names: Names,
    values: Recent<1>,
    shapes: Shapes,
}

impl Memory {
    fn new() -> Box<Self> {
        Box::new(Self {
            names: Recent::new(),
            values: Recent::new(),
            shapes: Shapes::new(),
        })
    }
}

thread_local! {
    static MEMORY: RefCell<Option<Box<Memory>>> = const { RefCell::new(None) };
}

/// Whether this is the CPython that the module was written for.
pub(crate) fn check(py: Python<'_>) {
    text::check();
    shapes::check(py);
}

/// The value that a text has at a place, and where it ends, both counted in characters. `of` is
/// what objects become: `dict`, or a class derived from it that adds no state.
pub(crate) fn read<'py>(
    text: &Bound<'py, PyAny>,
    at: usize,
    of: &Bound<'py, PyType>,
) -> Option<(Bound<'py, PyAny>, usize)> {
    let py = text.py();
    if !is_dictionary(of) {
        return None;
    }
    // SAFETY: the type is looked at first, and the text lives as long as what is borrowed of it.
    unsafe {
        if ffi::PyUnicode_CheckExact(text.as_ptr()) == 0 {
            return None;
        }
        if let Some(bytes) = text::ascii(text.as_ptr()) {
            return read_utf8(py, bytes, at, of);
        }
        if at != 0 {
            return None;
        }
        let encoded = ffi::PyUnicode_AsUTF8String(text.as_ptr());
        let encoded = Bound::from_owned_ptr_or_err(py, encoded).ok()?;
        let bytes = slice::from_raw_parts(
            ffi::PyBytes_AS_STRING(encoded.as_ptr()).cast(),
            ffi::PyBytes_Size(encoded.as_ptr()) as usize,
        );
        let (value, end) = read_utf8(py, bytes, 0, of)?;
        let characters = bytes[..end].iter().filter(|byte| !text::continues(**byte));
        Some((value, characters.count()))
    }
}

/// Whether instances of a class are as those of `dict`.
fn is_dictionary(of: &Bound<'_, PyType>) -> bool {
    // SAFETY: both are types.
    unsafe {
        let dict = &raw const ffi::PyDict_Type;
        let of = of.as_type_ptr();
        ffi::PyType_FastSubclass(of, ffi::Py_TPFLAGS_DICT_SUBCLASS) != 0
            && (*of).tp_basicsize == (*dict).tp_basicsize
    }
}

/// The same for the bytes of a text, and a class that was looked at.
fn read_utf8<'py>(
    py: Python<'py>,
    text: &[u8],
    at: usize,
    of: &Bound<'py, PyType>,
) -> Option<(Bound<'py, PyAny>, usize)> {
    let read = |memory: &mut Memory| {
        // SAFETY: the text is UTF-8, and `of` is as it is said to be.
        unsafe { read::read(text, at, of.as_type_ptr(), memory) }
    };
    let read = if host::started() {
        MEMORY.with_borrow_mut(|memory| read(memory.get_or_insert_with(Memory::new)))
    } else {
        // Nothing that a run would write to is to be in the snapshot.
        read(&mut Memory::new())
    };
    let Some((value, end)) = read else {
        drop(PyErr::take(py));
        return None;
    };
    // SAFETY: the reader gives an object of its own.
    Some((unsafe { Bound::from_owned_ptr(py, value) }, end))
}

/// The value of a JSON text, with space around it or without.
pub(crate) fn value<'py>(text: &str, of: &Bound<'py, PyType>) -> Option<Bound<'py, PyAny>> {
    if !is_dictionary(of) {
        return None;
    }
    let text = text.trim_matches([' ', '\t', '\n', '\r']).as_bytes();
    let (value, end) = read_utf8(of.py(), text, 0, of)?;
    (end == text.len()).then_some(value)
}

/// A value's text.
pub(crate) fn write<'py>(
    value: &Bound<'py, PyAny>,
    style: &Style<'_>,
) -> Option<Bound<'py, PyAny>> {
    let py = value.py();
    // SAFETY: the value is alive, and nothing else runs meanwhile.
    let text = unsafe { write::text(value.as_ptr(), style) };
    let text = text.and_then(|text| {
        // SAFETY: it is an object of its own, or null.
        unsafe { Bound::from_owned_ptr_or_opt(py, text) }
    });
    if text.is_none() {
        drop(PyErr::take(py));
    }
    text
}
