//! A stream of liblzma: what compresses, or what unpacks.

use std::mem;

use liblzma_sys as lzma;
use pyo3::prelude::*;

use super::super::decompressor::Step;
use super::errors::checked;

/// A stream that was begun.
pub(super) struct Coder(lzma::lzma_stream);

// SAFETY: what the stream points to is its own, and everything that is done to it borrows it.
unsafe impl Send for Coder {}
// SAFETY: as above; what borrows it shared only reads.
unsafe impl Sync for Coder {}

impl Coder {
    /// Begins a stream, by a function of liblzma that does that.
    pub(super) fn begin(
        begin: impl FnOnce(*mut lzma::lzma_stream) -> lzma::lzma_ret,
    ) -> PyResult<Self> {
        // SAFETY: zeros are what liblzma wants of a stream that is not begun (LZMA_STREAM_INIT).
        let mut coder = Self(unsafe { mem::zeroed() });
        checked(begin(&raw mut coder.0))?;
        Ok(coder)
    }

    /// Goes on with the data, as far as it or the space goes.
    pub(super) fn step(
        &mut self,
        data: &[u8],
        space: &mut [u8],
        action: lzma::lzma_action,
    ) -> PyResult<(Step, lzma::lzma_ret)> {
        let stream = &mut self.0;
        stream.next_in = data.as_ptr();
        stream.avail_in = data.len();
        stream.next_out = space.as_mut_ptr();
        stream.avail_out = space.len();
        // SAFETY: the stream is begun, and reads and writes only what it is given here.
        let mut returned = unsafe { lzma::lzma_code(stream, action) };
        // Nothing to read, or nowhere to write: that is no mistake.
        if returned == lzma::LZMA_BUF_ERROR && (stream.avail_in == 0 || stream.avail_out == 0) {
            returned = lzma::LZMA_OK;
        }
        let step = Step {
            read: data.len() - stream.avail_in,
            written: space.len() - stream.avail_out,
            ended: returned == lzma::LZMA_STREAM_END,
        };
        Ok((step, checked(returned)?))
    }

    /// The check of the data that was read.
    pub(super) fn check(&self) -> lzma::lzma_check {
        // SAFETY: the stream is begun, and has told just now that it knows its check.
        unsafe { lzma::lzma_get_check(&raw const self.0) }
    }
}

impl Drop for Coder {
    fn drop(&mut self) {
        // SAFETY: nobody uses the stream after this. One that could not be begun is zeros still,
        // and those may be ended.
        unsafe { lzma::lzma_end(&raw mut self.0) };
    }
}
