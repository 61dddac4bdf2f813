//! What libzstd says, as Python's errors.

use std::ffi::CStr;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use zstd_sys as zstd;

create_exception!(
    compression.zstd,
    ZstdError,
    PyException,
    "An error occurred in the zstd library."
);

/// A number that libzstd returned, unless it stands for an error. Then: what failed, and why.
pub(super) fn checked(returned: usize, failed: &str) -> PyResult<usize> {
    match failure(returned) {
        None => Ok(returned),
        Some(why) => Err(ZstdError::new_err(format!("{failed}: {why}"))),
    }
}

/// Why something failed, if a number that libzstd returned stands for an error.
pub(super) fn failure(returned: usize) -> Option<String> {
    // SAFETY: the function takes any number.
    if unsafe { zstd::ZSTD_isError(returned) } == 0 {
        return None;
    }
    // SAFETY: the function takes any number, and gives a text that is constant.
    let name = unsafe { CStr::from_ptr(zstd::ZSTD_getErrorName(returned)) };
    Some(name.to_string_lossy().into_owned())
}
