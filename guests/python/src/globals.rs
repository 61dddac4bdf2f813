//! Names at the top of a script, which are its module's globals. CPython looks for such a name in a
//! frame's locals, then among the globals, then among what is built in, at each use; of a name that
//! is declared `global`, it remembers where it is. At the top of a module both mean the same, so
//! these are compiled as if they were declared.
//!
//! Code that `exec` runs with other locals must not be: so only what is compiled by way of
//! [`compiled`] is.

use std::cell::Cell;

use pyo3::ffi;
use pyo3::prelude::*;

use crate::written;

/// How a name's scope is kept with its flags: CPython's `SCOPE_OFFSET`, `SCOPE_MASK`, `LOCAL`,
/// `GLOBAL_EXPLICIT` and `GLOBAL_IMPLICIT`, which [`check`] compares.
const SHIFT: i64 = 12;
const MASK: i64 = 15;
const LOCAL: i64 = 1;
const DECLARED: i64 = 2;
const FOUND: i64 = 3;

/// What CPython knows of a source's names, as far as it is needed here: `struct symtable`.
#[repr(C)]
struct Symbols {
    file: *mut ffi::PyObject,
    current: *mut ffi::PyObject,
    top: *mut ffi::PyObject,
    blocks: *mut ffi::PyObject,
    stack: *mut ffi::PyObject,
    /// The names at the top, with their flags.
    names: *mut ffi::PyObject,
}

unsafe extern "C" {
    #[link_name = "original:_PySymtable_Build"]
    fn symbols_of(
        tree: *mut ffi::PyObject,
        file: *mut ffi::PyObject,
        futures: *mut ffi::PyObject,
    ) -> *mut Symbols;
}

thread_local! {
    /// Whether what is compiled runs at the top of a module.
    static AT_TOP: Cell<bool> = const { Cell::new(false) };
}

/// What `compile` gives: code that runs with the globals as its locals.
pub(crate) fn compiled<'py>(
    compile: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let before = AT_TOP.replace(true);
    let code = compile();
    AT_TOP.set(before);
    code
}

#[unsafe(export_name = "instead:_PySymtable_Build")]
unsafe extern "C" fn build(
    tree: *mut ffi::PyObject,
    file: *mut ffi::PyObject,
    futures: *mut ffi::PyObject,
) -> *mut Symbols {
    // SAFETY: CPython calls it, and gets what its own function gives.
    unsafe {
        let symbols = symbols_of(tree, file, futures);
        if !symbols.is_null() && AT_TOP.get() {
            if declare((*symbols).names) < 0 {
                ffi::PyErr_Clear();
            }
            written::keep(tree.cast());
        }
        symbols
    }
}

/// Declares names `global`. Those that are left out are found as ever.
unsafe fn declare(names: *mut ffi::PyObject) -> i32 {
    // SAFETY: it is a dictionary from names to numbers. A value is replaced, which moves nothing.
    unsafe {
        let (mut at, mut name, mut flags) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        while ffi::PyDict_Next(names, &raw mut at, &raw mut name, &raw mut flags) != 0 {
            let number = ffi::PyLong_AsLongLong(flags);
            let scope = number >> SHIFT & MASK;
            if scope != LOCAL && scope != FOUND {
                continue;
            }
            let declared = ffi::PyLong_FromLongLong(number & !(MASK << SHIFT) | DECLARED << SHIFT);
            if declared.is_null() {
                return -1;
            }
            let set = ffi::PyDict_SetItem(names, name, declared);
            ffi::Py_DECREF(declared);
            if set < 0 {
                return set;
            }
        }
        0
    }
}

/// Whether this is the CPython that the module was written for.
pub(crate) fn check(py: Python<'_>) {
    let symbols = py.import("_symtable").expect("built in");
    for (name, here) in [
        ("SCOPE_OFF", SHIFT),
        ("SCOPE_MASK", MASK),
        ("LOCAL", LOCAL),
        ("GLOBAL_EXPLICIT", DECLARED),
        ("GLOBAL_IMPLICIT", FOUND),
    ] {
        let there = symbols
            .getattr(name)
            .and_then(|there| there.extract::<i64>());
        assert!(
            there.is_ok_and(|there| there == here),
            "{name} is another number"
        );
    }
}
