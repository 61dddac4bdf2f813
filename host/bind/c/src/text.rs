//! Strings that cross between C and here: UTF-8, and ended by a zero.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use ampoule_foreign::{Fault, caught};

/// The version of this library. It is valid for ever.
#[unsafe(no_mangle)]
pub extern "C" fn ampoule_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Frees a text that a function here returned. NULL does nothing.
///
/// # Safety
///
/// It was given by a function of this library, and is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: the caller says that `given` made it of a `CString`.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// A string of C's.
///
/// # Errors
///
/// It is missing, or not UTF-8.
///
/// # Safety
///
/// It is `NULL`, or ended by a zero and unchanged as long as this lives.
pub(crate) unsafe fn read<'a>(what: &str, text: *const c_char) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err(Fault::usage(format!("{what} is NULL")));
    }
    // SAFETY: the caller says so.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Fault::usage(format!("{what} is not UTF-8")))
}

/// What a pointer of C's points to.
///
/// # Errors
///
/// It is `NULL`.
///
/// # Safety
///
/// It is `NULL`, or points to one that lives as long as this.
pub(crate) unsafe fn pointed<'a, T>(what: &str, pointer: *const T) -> Result<&'a T, Fault> {
    // SAFETY: the caller says so.
    unsafe { pointer.as_ref() }.ok_or_else(|| Fault::usage(format!("{what} is NULL")))
}

/// A string for C, which has to free it. JSON has no zeros; other texts are cut there.
pub(crate) fn given(text: String) -> *mut c_char {
    let mut bytes = text.into_bytes();
    let end = bytes.iter().position(|byte| *byte == 0);
    bytes.truncate(end.unwrap_or(bytes.len()));
    CString::new(bytes).map_or(ptr::null_mut(), CString::into_raw)
}

/// The result of work that may fail, for C: `NULL` and the fault, if the caller wants it.
///
/// # Safety
///
/// `fault` is `NULL`, or can be written to.
pub(crate) unsafe fn told<T>(
    fault: *mut *mut c_char,
    work: impl FnOnce() -> Result<*mut T, Fault>,
) -> *mut T {
    let (value, why) = match caught(work) {
        Ok(value) => (value, None),
        Err(why) => (ptr::null_mut(), Some(why)),
    };
    if !fault.is_null() {
        let why = why.map_or(ptr::null_mut(), |why| given(why.to_json()));
        // SAFETY: the caller says so.
        unsafe { fault.write(why) };
    }
    value
}
