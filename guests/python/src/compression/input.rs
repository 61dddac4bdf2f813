//! The bytes of a script's object.

use std::slice;

use pyo3::buffer::PyUntypedBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;

/// The buffer of an object, of whatever kind its items are.
pub(super) struct Input(PyUntypedBuffer);

impl Input {
    /// The bytes, for a function that runs no code of a script.
    pub(super) fn bytes<'a>(&'a self, _: Python<'a>) -> &'a [u8] {
        let bytes = self.0.len_bytes();
        if bytes == 0 {
            return &[];
        }
        // SAFETY: the buffer is contiguous, which was checked when it was taken, and stays where it
        // is until it is released. Nobody writes to it meanwhile: the caller runs no code of a
        // script, and there are no threads.
        unsafe { slice::from_raw_parts(self.0.buf_ptr().cast(), bytes) }
    }
}

impl FromPyObject<'_, '_> for Input {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let buffer = PyUntypedBuffer::get(&object)?;
        if !buffer.is_c_contiguous() {
            return Err(PyBufferError::new_err("the buffer is not C-contiguous"));
        }
        Ok(Self(buffer))
    }
}
