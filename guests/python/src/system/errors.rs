//! What the C library says of streams that failed is always the same. The host said what it was.

use super::descriptors::noted_code;

/// The number of the C library's error for a full disk.
const ENOSPC: i32 = 51;

unsafe extern "C" {
    #[link_name = "original:write"]
    fn write_original(file: i32, bytes: *const u8, count: usize) -> isize;
    fn __errno_location() -> *mut i32;
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
