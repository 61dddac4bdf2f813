//! Strings that cross between C and here: UTF-8, and ended by a zero.

use std::ffi::{CStr, CString, c_char};
use std::ptr;

use ampoule_foreign::Fault;

/// A string of C's.
///
/// # Errors
///
/// It is none, or not UTF-8.
///
/// # Safety
///
/// It is `NULL`, or ended by a zero and unchanged as long as this lives.
pub(crate) unsafe fn read<'a>(what: &str, text: *const c_char) -> Result<&'a str, Fault> {
    if text.is_null() {
        return Err(Fault::usage(format!("{what} is NULL")));
    }
    // SAFETY: whoever calls says so.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|_| Fault::usage(format!("{what} is not UTF-8")))
}

/// A string for C, which has to free it. JSON has no zeros; other texts are cut there.
pub(crate) fn given(text: String) -> *mut c_char {
    let mut bytes = text.into_bytes();
    let end = bytes.iter().position(|byte| *byte == 0);
    bytes.truncate(end.unwrap_or(bytes.len()));
    CString::new(bytes).map_or(ptr::null_mut(), CString::into_raw)
}

/// What C gets of a result: `NULL` and the fault, if somebody wants it.
///
/// # Safety
///
/// `fault` is `NULL`, or can be written to.
pub(crate) unsafe fn told<T>(result: Result<*mut T, Fault>, fault: *mut *mut c_char) -> *mut T {
    let (value, why) = match result {
        Ok(value) => (value, ptr::null_mut()),
        Err(why) => (
            ptr::null_mut(),
            given(serde_json::to_string(&why).unwrap_or_default()),
        ),
    };
    if fault.is_null() {
        // SAFETY: it was made just now.
        unsafe { ampoule_string_free(why) };
    } else {
        // SAFETY: whoever calls says so.
        unsafe { fault.write(why) };
    }
    value
}

/// Frees a string that a function here gave. `NULL` is none.
///
/// # Safety
///
/// It was given by a function of this library, and is freed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ampoule_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: `given` made it of a `CString`, says whoever calls.
        drop(unsafe { CString::from_raw(text) });
    }
}
