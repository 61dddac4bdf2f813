//! What liblzma says, as Python's errors.

use liblzma_sys as lzma;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError};
use pyo3::prelude::*;

create_exception!(_lzma, LZMAError, PyException, "Call to liblzma failed.");

/// What a function of liblzma returned, unless that is an error.
pub(super) fn checked(returned: lzma::lzma_ret) -> PyResult<lzma::lzma_ret> {
    let message = match returned {
        lzma::LZMA_OK | lzma::LZMA_STREAM_END | lzma::LZMA_NO_CHECK | lzma::LZMA_GET_CHECK => {
            return Ok(returned);
        }
        lzma::LZMA_MEM_ERROR => return Err(PyMemoryError::new_err(())),
        lzma::LZMA_UNSUPPORTED_CHECK => "Unsupported integrity check",
        lzma::LZMA_MEMLIMIT_ERROR => "Memory usage limit exceeded",
        lzma::LZMA_FORMAT_ERROR => "Input format not supported by decoder",
        lzma::LZMA_OPTIONS_ERROR => "Invalid or unsupported options",
        lzma::LZMA_DATA_ERROR => "Corrupt input data",
        lzma::LZMA_BUF_ERROR => "Insufficient buffer space",
        lzma::LZMA_PROG_ERROR => "Internal error",
        other => {
            let message = format!("Unrecognized error from liblzma: {other}");
            return Err(LZMAError::new_err(message));
        }
    };
    Err(LZMAError::new_err(message))
}
