//! What a frame says of itself.

use pyo3::prelude::*;
use zstd_sys as zstd;

use super::super::input::Input;
use super::errors::{ZstdError, failure};

/// The size of a frame that is not known, as libzstd says it.
const UNKNOWN: u64 = u64::MAX;
/// What libzstd says where there is no frame.
const NO_FRAME: u64 = u64::MAX - 1;

/// The size of the first frame, with all that belongs to it.
#[pyfunction]
pub(super) fn get_frame_size(py: Python<'_>, frame_buffer: Input) -> PyResult<usize> {
    let frame = frame_buffer.bytes(py);
    // SAFETY: the function reads these bytes.
    let size = unsafe { zstd::ZSTD_findFrameCompressedSize(frame.as_ptr().cast(), frame.len()) };
    match failure(size) {
        None => Ok(size),
        Some(why) => Err(ZstdError::new_err(format!(
            "Error when finding the compressed size of a Zstandard frame. Ensure the frame_buffer argument starts from \
             the beginning of a frame, and its length is not less than this complete frame. Zstd error message: {why}."
        ))),
    }
}

/// The size of what the first frame has when it is unpacked, if it says so, and the number of its
/// dictionary, or zero.
#[pyfunction]
pub(super) fn get_frame_info(py: Python<'_>, frame_buffer: Input) -> PyResult<(Option<u64>, u32)> {
    let frame = frame_buffer.bytes(py);
    // SAFETY: both functions read these bytes.
    let (size, dictionary) = unsafe {
        (
            zstd::ZSTD_getFrameContentSize(frame.as_ptr().cast(), frame.len()),
            zstd::ZSTD_getDictID_fromFrame(frame.as_ptr().cast(), frame.len()),
        )
    };
    match size {
        NO_FRAME => Err(ZstdError::new_err(
            "Error when getting information from the header of a Zstandard frame. Ensure the frame_buffer argument \
             starts from the beginning of a frame, and its length is not less than the frame header (6~18 bytes).",
        )),
        UNKNOWN => Ok((None, dictionary)),
        size => Ok((Some(size), dictionary)),
    }
}
