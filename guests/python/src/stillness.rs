//! Memory, made to lie still before the snapshot. What a run writes to must be copied for it, page
//! by page, and put back afterwards: the fewer pages, and the closer they lie together, the faster
//! is a run.
//!
//! - Objects that are there are made immortal, so that using one does not write to its reference
//!   count.
//! - Objects that CPython keeps for later use are freed, and holes in the heap are filled, so that
//!   what a run allocates lies together behind everything else.

use std::collections::BTreeSet;
use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::ffi;

use crate::objects;

/// How much free memory there is at the start of a run, in bytes: enough that a usual one need not
/// ask the host for more.
const FREE_BYTES: usize = 2 << 20;

/// What a run's writes are counted in.
const PAGE_BYTES: usize = 4096;

unsafe extern "C" {
    fn _Py_SetImmortalUntracked(object: *mut ffi::PyObject);
    fn PyUnstable_GC_VisitObjects(
        visit: extern "C" fn(*mut ffi::PyObject, *mut c_void) -> c_int,
        argument: *mut c_void,
    );
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(memory: *mut c_void);
}

/// Does all of it.
pub(crate) fn settle() {
    make_immortal();
    // SAFETY: there is one thread, and CPython runs nothing meanwhile.
    unsafe {
        // CPython keeps freed objects for the next that are made. Where they are is as good as
        // used; collecting lets go of them.
        ffi::PyGC_Collect();
    }
    fill_holes();
}

type Objects = BTreeSet<*mut ffi::PyObject>;

/// What an object holds. What is no container, in the collector's eyes, holds something too: code,
/// and a dictionary's keys.
///
/// # Safety
///
/// The object is alive, and nothing else uses CPython.
unsafe fn held_by(object: *mut ffi::PyObject) -> Objects {
    extern "C" fn reach(object: *mut ffi::PyObject, held: *mut c_void) -> c_int {
        // SAFETY: it is the set that was given with this function.
        unsafe { (*held.cast::<Objects>()).insert(object) };
        0
    }
    let mut held = Objects::new();
    // SAFETY: a type's functions are called with its objects; what is borrowed stays alive.
    unsafe {
        let of_type = ffi::Py_TYPE(object);
        held.insert(of_type.cast());
        let collected =
            ffi::PyType_IS_GC(of_type) != 0 && (*of_type).tp_is_gc.is_none_or(|is| is(object) != 0);
        if let (true, Some(traverse)) = (collected, (*of_type).tp_traverse) {
            traverse(object, reach, (&raw mut held).cast());
        }
        if ffi::PyDict_Check(object) != 0 {
            let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
            while ffi::PyDict_Next(object, &raw mut at, &raw mut key, &raw mut value) != 0 {
                held.extend([key, value]);
            }
        }
        if ffi::PyCode_Check(object) != 0 {
            for name in [
                c"co_consts",
                c"co_names",
                c"co_filename",
                c"co_name",
                c"co_qualname",
            ] {
                // Interned, since CPython keeps the names that it looked up, and a name of its own
                // would be freed by a run.
                let name = ffi::PyUnicode_InternFromString(name.as_ptr());
                let part = ffi::PyObject_GetAttr(object, name);
                held.insert(part);
                ffi::Py_DECREF(part);
                ffi::Py_DECREF(name);
            }
        }
    }
    held
}

/// Makes every object immortal that the garbage collector or a module knows, and what they hold.
/// The collector does not know any longer what was made immortal.
pub(crate) fn make_immortal() {
    extern "C" fn visit(object: *mut ffi::PyObject, found: *mut c_void) -> c_int {
        // SAFETY: it is the set that was given with this function.
        unsafe { (*found.cast::<Objects>()).insert(object) };
        1
    }
    let mut found = Objects::new();
    // SAFETY: the callback takes what is given with it; the modules' dictionary lives as long as
    // CPython.
    unsafe {
        PyUnstable_GC_VisitObjects(visit, (&raw mut found).cast());
        found.insert(ffi::PyImport_GetModuleDict());
    }
    let mut waiting: Vec<_> = found.iter().copied().collect();
    while let Some(object) = waiting.pop() {
        // SAFETY: the object is alive, and there is one thread.
        let held = unsafe { held_by(object) };
        waiting.extend(held.into_iter().filter(|object| found.insert(*object)));
    }
    for object in found {
        // SAFETY: the object is alive.
        unsafe { _Py_SetImmortalUntracked(object) };
    }
}

/// Takes all memory that is free between what is used, and makes room behind it.
pub(crate) fn fill_holes() {
    // SAFETY: what is allocated is never used, and what is freed was allocated here; nothing else
    // allocates meanwhile.
    unsafe {
        // Behind everything, so that each hole is before it.
        let end = malloc(FREE_BYTES);
        let mut bytes = FREE_BYTES / 2;
        while bytes > 0 {
            loop {
                let hole = malloc(bytes);
                assert!(!hole.is_null(), "there is memory");
                if hole > end {
                    free(hole);
                    break;
                }
            }
            bytes -= if bytes > 4096 { 1024 } else { 8 };
        }
        free(end);
        begin_page();
    }
    objects::begin_chunk();
}

/// Takes what is left of the page that the next allocation would begin in: what follows then lies
/// in as few pages as it can.
///
/// # Safety
///
/// Nothing else allocates meanwhile.
unsafe fn begin_page() {
    // SAFETY: what is freed was allocated here, and what is allocated is never used.
    unsafe {
        let next = malloc(1);
        let left = PAGE_BYTES - next as usize % PAGE_BYTES;
        free(next);
        // With what the C library has before each allocation, this ends behind the page's
        // beginning.
        malloc(left);
    }
}
