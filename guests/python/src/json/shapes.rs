//! Objects with the same keys in the same order: they share a table of keys, as the attributes of a
//! class's instances do in CPython, and each has its values alone.
//!
//! CPython keeps what its dictionaries are made of to itself. [`check`] tries, when the guest is
//! built, whether they are what is written here.

use std::{ptr, slice};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{Names, Object, text};

/// How many keys a shape may have: CPython shares no more.
const MOST_KEYS: usize = 30;
/// How many shapes are kept. What comes after them has a table for each object.
const MOST_SHAPES: usize = 64;
/// How many lists of keys are known by their hashes.
const PLACES: usize = 256;

/// CPython's `dk_kind` of tables that hold their values, and of those whose values are elsewhere.
const COMBINED: u8 = 1;
const SPLIT: u8 = 2;

/// A table of keys, CPython's `PyDictKeysObject`: indices follow it, and behind them are entries.
#[repr(C)]
struct Keys {
    references: isize,
    log2_size: u8,
    log2_index_bytes: u8,
    kind: u8,
    version: u32,
    usable: isize,
    entries: isize,
}

#[repr(C)]
struct Entry {
    key: Object,
    value: Object,
}

/// What `PyDictValues` begins with. The values follow, and then their order, a byte each.
#[repr(C)]
struct Values {
    capacity: u8,
    size: u8,
    embedded: u8,
    valid: u8,
}

unsafe extern "C" {
    fn _PyDict_FromItems(
        keys: *const Object,
        keys_step: isize,
        values: *const Object,
        values_step: isize,
        length: isize,
    ) -> Object;
}

impl Keys {
    /// The entries in use.
    ///
    /// # Safety
    ///
    /// It is a table of CPython's, whose keys are all strings.
    unsafe fn entries<'a>(keys: *mut Self) -> &'a mut [Entry] {
        // SAFETY: this is where they are.
        unsafe {
            let indices = keys.add(1).cast::<u8>();
            let entries = indices.add(1 << (*keys).log2_index_bytes);
            slice::from_raw_parts_mut(entries.cast(), (*keys).entries as usize)
        }
    }
}

/// Which shape.
pub(super) type Index = usize;

/// The keys of objects, in their order.
struct Shape {
    keys: *mut Keys,
    /// The same as strings; they are the table's.
    names: Vec<Object>,
    /// Each with its quotes, one behind the other, and where each ends.
    quoted: Vec<u8>,
    ends: Vec<usize>,
    /// What came after it, where it came last.
    next: Option<Index>,
}

/// The shapes that were seen twice.
pub(super) struct Shapes {
    all: Vec<Shape>,
    /// By the hash of the keys: the shape, counted from 1.
    by_hash: [u8; PLACES],
    /// Hashes of keys that were seen once.
    seen: [u32; PLACES],
}

impl Shapes {
    pub(super) fn new() -> Self {
        Self {
            all: Vec::new(),
            by_hash: [0; PLACES],
            seen: [0; PLACES],
        }
    }

    /// What is likely to come after a shape.
    pub(super) fn after(&self, shape: Index) -> Option<Index> {
        self.all[shape].next
    }

    /// Notes what came after a shape.
    pub(super) fn follow(&mut self, shape: Index, next: Index) {
        self.all[shape].next = Some(next);
    }

    /// The keys of a shape; they are borrowed.
    pub(super) fn names(&self, shape: Index) -> &[Object] {
        &self.all[shape].names
    }

    /// How long a key is in a text, with its quotes, if the text goes on with it.
    pub(super) fn matches(&self, shape: Index, key: usize, text: &[u8]) -> Option<usize> {
        let shape = &self.all[shape];
        let end = *shape.ends.get(key)?;
        let start = if key == 0 { 0 } else { shape.ends[key - 1] };
        let length = end - start;
        if text.len() < length {
            return None;
        }
        // SAFETY: both are as long.
        unsafe { text::same(shape.quoted.as_ptr().add(start), text.as_ptr(), length) }
            .then_some(length)
    }

    /// The shape of an object with these keys, if there is one, or is to be one from now on.
    ///
    /// # Safety
    ///
    /// They are strings.
    pub(super) unsafe fn of(&mut self, names: &[Object], recent: &mut Names) -> Option<Index> {
        if names.is_empty() || names.len() > MOST_KEYS {
            return None;
        }
        let hash = hash_of(names);
        let place = hash as usize % PLACES;
        let known = usize::from(self.by_hash[place]);
        if known > 0 && self.all[known - 1].names == names {
            return Some(known - 1);
        }
        if self.seen[place] != hash {
            self.seen[place] = hash;
            return None;
        }
        if self.all.len() == MOST_SHAPES {
            return None;
        }
        // SAFETY: they are strings.
        let shape = unsafe { Shape::new(names, recent) }?;
        let place = hash_of(&shape.names) as usize % PLACES;
        self.all.push(shape);
        self.by_hash[place] = self.all.len() as u8;
        Some(self.all.len() - 1)
    }

    /// An object of a shape. It takes the values over, unless it can't be made.
    ///
    /// # Safety
    ///
    /// There are as many values as keys; `of` is `dict`, or a class derived from it that adds
    /// nothing to an instance.
    pub(super) unsafe fn object(
        &self,
        shape: Index,
        of: *mut ffi::PyTypeObject,
        values: &[Object],
    ) -> Object {
        let shape = &self.all[shape];
        let count = values.len();
        // SAFETY: what is allocated is as long as CPython has it, and filled in before anything
        // uses it.
        unsafe {
            let object = empty(of);
            if object.is_null() {
                return object;
            }
            let order_bytes = count.next_multiple_of(size_of::<Object>());
            let bytes = size_of::<Values>() + size_of_val(values) + order_bytes;
            let held = ffi::PyMem_Malloc(bytes).cast::<Values>();
            if held.is_null() {
                ffi::Py_DECREF(object);
                return ptr::null_mut();
            }
            held.write(Values {
                capacity: count as u8,
                size: count as u8,
                embedded: 0,
                valid: 0,
            });
            let items = held.add(1).cast::<Object>();
            let order = items.add(count).cast::<u8>();
            for (at, value) in values.iter().enumerate() {
                items.add(at).write(*value);
                order.add(at).write(at as u8);
            }
            (*shape.keys).references += 1;
            let dict = object.cast::<ffi::PyDictObject>();
            (*dict).ma_keys = shape.keys.cast();
            (*dict).ma_values = held.cast();
            (*dict).ma_used = count as isize;
            object
        }
    }
}

fn hash_of(names: &[Object]) -> u32 {
    let mix = |hash: u32, name: &Object| (hash ^ *name as usize as u32).wrapping_mul(0x9e37_79b1);
    let hash = names.iter().fold(names.len() as u32, mix);
    hash ^ hash >> 15
}

impl Shape {
    /// Nothing where the keys are not plain, or there is no memory.
    ///
    /// # Safety
    ///
    /// They are strings.
    unsafe fn new(names: &[Object], recent: &mut Names) -> Option<Self> {
        let (mut quoted, mut ends) = (Vec::new(), Vec::new());
        for name in names {
            // SAFETY: it is a string.
            let name = unsafe { text::ascii(*name) }?;
            if name.is_empty() || text::plain_end::<false>(name, 0).0 != name.len() {
                return None;
            }
            quoted.extend([b"\"", name, b"\""].concat());
            ends.push(quoted.len());
        }
        let mut names = names.to_vec();
        // SAFETY: each name is a string, and counted where it is kept; the table is taken out of a
        // dictionary that nobody else knows, which has that of an empty one then.
        unsafe {
            for name in &mut names {
                ffi::Py_INCREF(*name);
                // Scripts look for it by a name in their code, which is then the same object.
                ffi::PyUnicode_InternInPlace(name);
                recent.keep(*name);
            }
            let nothing = vec![ffi::Py_None(); names.len()];
            let count = names.len() as isize;
            let dict = _PyDict_FromItems(names.as_ptr(), 1, nothing.as_ptr(), 1, count);
            for name in &names {
                ffi::Py_DECREF(*name);
            }
            let keys = taken(dict, count)?;
            for entry in Keys::entries(keys) {
                ffi::Py_DECREF(std::mem::replace(&mut entry.value, ptr::null_mut()));
            }
            (*keys).kind = SPLIT;
            // A key that is added is not for all.
            (*keys).usable = 0;
            Some(Self {
                keys,
                names,
                quoted,
                ends,
                next: None,
            })
        }
    }
}

impl Drop for Shape {
    fn drop(&mut self) {
        // SAFETY: the reference is the shape's; objects that have the table keep it.
        unsafe {
            (*self.keys).references -= 1;
            if (*self.keys).references == 0 {
                for entry in Keys::entries(self.keys) {
                    ffi::Py_DECREF(entry.key);
                }
                ffi::PyMem_Free(self.keys.cast());
            }
        }
    }
}

/// The table of a dictionary, which is gone afterwards. Nothing where some keys are the same, or
/// there is no dictionary.
///
/// # Safety
///
/// Nothing else uses it, and all of its keys are strings.
unsafe fn taken(dict: Object, count: isize) -> Option<*mut Keys> {
    if dict.is_null() {
        return None;
    }
    // SAFETY: the dictionary has the table of all empty ones then, which nobody counts.
    unsafe {
        let held = dict.cast::<ffi::PyDictObject>();
        let empty = ffi::PyDict_New();
        let is_whole = !empty.is_null() && (*held).ma_used == count;
        let keys = is_whole.then(|| {
            let keys = (*held).ma_keys.cast::<Keys>();
            (*held).ma_keys = (*empty.cast::<ffi::PyDictObject>()).ma_keys;
            (*held).ma_used = 0;
            keys
        });
        ffi::Py_XDECREF(empty);
        ffi::Py_DECREF(dict);
        keys
    }
}

/// An object that holds nothing.
///
/// # Safety
///
/// As for [`Shapes::object`].
unsafe fn empty(of: *mut ffi::PyTypeObject) -> Object {
    // SAFETY: this is what calling the type does, but for what a class of its own might add.
    unsafe {
        if of == &raw mut ffi::PyDict_Type {
            return ffi::PyDict_New();
        }
        let new = ffi::PyDict_Type.tp_new.expect("dictionaries can be made");
        new(of, ptr::null_mut(), ptr::null_mut())
    }
}

/// An object with a table of its own. Keys and values stay the caller's.
///
/// # Safety
///
/// The keys are strings, as many as values; `of` is as for [`Shapes::object`].
pub(super) unsafe fn single(
    of: *mut ffi::PyTypeObject,
    names: &[Object],
    values: &[Object],
) -> Object {
    // SAFETY: both lists are as long; what two objects hold is exchanged as a whole.
    unsafe {
        let object = empty(of);
        if object.is_null() || names.is_empty() {
            return object;
        }
        let count = names.len() as isize;
        let dict = _PyDict_FromItems(names.as_ptr(), 1, values.as_ptr(), 1, count);
        if dict.is_null() || of == &raw mut ffi::PyDict_Type {
            ffi::Py_DECREF(object);
            return dict;
        }
        let (from, to) = (
            &mut *dict.cast::<ffi::PyDictObject>(),
            &mut *object.cast::<ffi::PyDictObject>(),
        );
        std::mem::swap(&mut from.ma_keys, &mut to.ma_keys);
        std::mem::swap(&mut from.ma_used, &mut to.ma_used);
        ffi::Py_DECREF(dict);
        object
    }
}

/// CPython's dictionaries are as it is said here: an object of a shape is the same as one that was
/// made of its items, and stays so while it is changed.
pub(super) fn check(py: Python<'_>) {
    let names: Vec<String> = (0..MOST_KEYS).map(|at| format!("check {at}")).collect();
    for count in [1, 5, 6, 10, 11, MOST_KEYS] {
        check_with(py, &names[..count]).expect("dictionaries can be used");
    }
}

fn check_with(py: Python<'_>, names: &[String]) -> PyResult<()> {
    let wanted = PyDict::new(py);
    for (at, name) in names.iter().enumerate() {
        wanted.set_item(name, at + 1000)?;
    }
    let keys: Vec<Object> = wanted.keys().iter().map(|key| key.as_ptr()).collect();
    let values: Vec<Object> = wanted
        .values()
        .iter()
        .map(|value| value.into_ptr())
        .collect();
    // SAFETY: an empty dictionary's table and one in use are looked at as what they should be; keys
    // and values are those of a dictionary that is alive, the values with a reference for the
    // object.
    let object = unsafe {
        let table = &*(*wanted.as_ptr().cast::<ffi::PyDictObject>())
            .ma_keys
            .cast::<Keys>();
        let usable = (2isize << table.log2_size) / 3;
        assert_eq!(
            (table.references, table.kind, table.entries, table.usable),
            (
                1,
                COMBINED,
                names.len() as isize,
                usable - names.len() as isize
            ),
            "tables of keys are otherwise"
        );
        let mut shapes = Shapes::new();
        let mut recent = Names::new();
        assert_eq!(shapes.of(&keys, &mut recent), None, "seen once");
        let shape = shapes.of(&keys, &mut recent).expect("seen twice");
        let of = &raw mut ffi::PyDict_Type;
        Bound::from_owned_ptr(py, shapes.object(shape, of, &values)).cast_into::<PyDict>()?
    };
    let same = |one: &Bound<'_, PyDict>| -> PyResult<()> {
        assert!(one.eq(&wanted)? && one.items().eq(wanted.items())?, "{one}");
        Ok(())
    };
    same(&object)?;
    same(&object.copy()?)?;
    for (name, value) in [(names[0].as_str(), 1), ("another", 2)] {
        object.set_item(name, value)?;
        wanted.set_item(name, value)?;
        same(&object)?;
    }
    object.del_item(&names[0])?;
    wanted.del_item(&names[0])?;
    same(&object)?;
    object.clear();
    assert!(object.is_empty());
    Ok(())
}
