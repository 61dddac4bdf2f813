//! What the C library says of streams that failed is always the same. The host said what it was.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};

use super::descriptors::{noted_advice, noted_code};

/// The number of the C library's error for a full disk.
const ENOSPC: i32 = 51;

unsafe extern "C" {
    #[link_name = "original:write"]
    fn write_original(file: i32, bytes: *const u8, count: usize) -> isize;
    #[link_name = "original:strerror"]
    fn strerror_original(number: i32) -> *const c_char;
    fn __errno_location() -> *mut i32;
}

thread_local! {
    /// What was said last of a full disk.
    static SAID: RefCell<CString> = RefCell::default();
}

/// C's `strerror`. Of a full disk, it also says what is full, where the host said so: what a script
/// writes fails in the middle of CPython's own code, which asks for nothing else.
///
/// # Safety
///
/// As of C's: what it gives is used before it is called again.
#[unsafe(export_name = "instead:strerror")]
unsafe extern "C" fn strerror(number: i32) -> *const c_char {
    // SAFETY: as it was called.
    let text = unsafe { strerror_original(number) };
    let is_full = number == ENOSPC && noted_code() == Some(crate::host::files::Code::Full);
    let Some(advice) = noted_advice().filter(|_| is_full) else {
        return text;
    };
    // SAFETY: the C library gives a text that it does not change.
    let mut said = unsafe { CStr::from_ptr(text) }.to_bytes().to_vec();
    said.extend_from_slice(b": ");
    said.extend(advice.bytes().filter(|byte| *byte != 0));
    SAID.with_borrow_mut(|last| {
        *last = CString::new(said).unwrap_or_default();
        last.as_ptr()
    })
}

/// C's `write`, whose error says that there is no room where that is so.
///
/// # Safety
///
/// So many bytes are there.
#[unsafe(export_name = "instead:write")]
unsafe extern "C" fn write(file: i32, bytes: *const u8, count: usize) -> isize {
    // SAFETY: as it was called; the place of the error is the C library's, of this thread.
    unsafe {
        let written = write_original(file, bytes, count);
        if written < 0 && noted_code() == Some(crate::host::files::Code::Full) {
            *__errno_location() = ENOSPC;
        }
        written
    }
}
