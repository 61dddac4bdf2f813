//! What of libzstd compresses and unpacks. A context keeps the dictionary that it refers to.

use std::ptr::NonNull;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use zstd_sys as zstd;

use super::super::decompressor::Step;
use super::dictionary::{Use, ZstdDict};
use super::errors::checked;

/// How a context uses a dictionary, as CPython counts the ways.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Read once, for all contexts of a level.
    Digested = 0,
    /// Read for this context, whose parameters hold.
    Undigested = 1,
    /// As data before that of the first frame.
    Prefix = 2,
}

/// A context that compresses.
pub(super) struct Compression {
    context: NonNull<zstd::ZSTD_CCtx>,
    dictionary: Option<Py<ZstdDict>>,
}

// SAFETY: the context is its own, and everything that is done to it borrows it mutably.
unsafe impl Send for Compression {}
// SAFETY: as above.
unsafe impl Sync for Compression {}

impl Compression {
    pub(super) fn new() -> PyResult<Self> {
        // SAFETY: the function makes a context, or gives null.
        let context = unsafe { zstd::ZSTD_createCCtx() };
        Ok(Self {
            context: made(context)?,
            dictionary: None,
        })
    }

    /// Sets a parameter, and returns what libzstd does.
    pub(super) fn set(&mut self, key: zstd::ZSTD_cParameter, value: i32) -> usize {
        // SAFETY: the context is there, and the function checks the value.
        unsafe { zstd::ZSTD_CCtx_setParameter(self.context.as_ptr(), key, value) }
    }

    /// Uses a dictionary from now on, at a level.
    pub(super) fn load(&mut self, used: &Use<'_>, level: i32) -> PyResult<()> {
        let (context, dictionary) = (self.context.as_ptr(), used.dictionary.get());
        let content = dictionary.content();
        let (start, bytes) = (content.as_ptr().cast(), content.len());
        // SAFETY: the context is there. It copies the dictionary, or refers to what stays where it
        // is as long as the dictionary is there, which this context keeps.
        let returned = unsafe {
            match used.way.unwrap_or(Way::Undigested) {
                Way::Digested => {
                    zstd::ZSTD_CCtx_refCDict(context, dictionary.for_compression(level)?)
                }
                Way::Undigested => zstd::ZSTD_CCtx_loadDictionary(context, start, bytes),
                Way::Prefix => zstd::ZSTD_CCtx_refPrefix(context, start, bytes),
            }
        };
        self.dictionary = Some(used.dictionary.clone().unbind());
        checked(
            returned,
            "Unable to load Zstandard dictionary or prefix for compression",
        )?;
        Ok(())
    }

    /// Says how long the next frame's data will be.
    pub(super) fn pledge(&mut self, bytes: u64) -> usize {
        // SAFETY: the context is there.
        unsafe { zstd::ZSTD_CCtx_setPledgedSrcSize(self.context.as_ptr(), bytes) }
    }

    /// Goes on with the data, and says how far it came. Ended means: nothing waits to be written.
    pub(super) fn step(
        &mut self,
        data: &[u8],
        space: &mut [u8],
        end: zstd::ZSTD_EndDirective,
    ) -> PyResult<Step> {
        let mut input = input(data);
        let mut output = output(space);
        // SAFETY: the context is there; it reads and writes only what it is given here.
        let returned = unsafe {
            zstd::ZSTD_compressStream2(self.context.as_ptr(), &raw mut output, &raw mut input, end)
        };
        let left = checked(returned, "Unable to compress Zstandard data")?;
        Ok(Step {
            read: input.pos,
            written: output.pos,
            ended: left == 0,
        })
    }

    /// Leaves the frame that was begun.
    pub(super) fn reset(&mut self) {
        let session = zstd::ZSTD_ResetDirective::ZSTD_reset_session_only;
        // SAFETY: the context is there. Leaving a frame does not fail.
        unsafe { zstd::ZSTD_CCtx_reset(self.context.as_ptr(), session) };
    }
}

impl Drop for Compression {
    fn drop(&mut self) {
        // SAFETY: nobody uses the context after this.
        unsafe { zstd::ZSTD_freeCCtx(self.context.as_ptr()) };
    }
}

/// A context that unpacks.
pub(super) struct Decompression {
    context: NonNull<zstd::ZSTD_DCtx>,
    dictionary: Option<Py<ZstdDict>>,
}

// SAFETY: the context is its own, and everything that is done to it borrows it mutably.
unsafe impl Send for Decompression {}
// SAFETY: as above.
unsafe impl Sync for Decompression {}

impl Decompression {
    pub(super) fn new() -> PyResult<Self> {
        // SAFETY: the function makes a context, or gives null.
        let context = unsafe { zstd::ZSTD_createDCtx() };
        Ok(Self {
            context: made(context)?,
            dictionary: None,
        })
    }

    /// Sets a parameter, and returns what libzstd does.
    pub(super) fn set(&mut self, key: zstd::ZSTD_dParameter, value: i32) -> usize {
        // SAFETY: the context is there, and the function checks the value.
        unsafe { zstd::ZSTD_DCtx_setParameter(self.context.as_ptr(), key, value) }
    }

    /// Uses a dictionary from now on.
    pub(super) fn load(&mut self, used: &Use<'_>) -> PyResult<()> {
        let (context, dictionary) = (self.context.as_ptr(), used.dictionary.get());
        let content = dictionary.content();
        let (start, bytes) = (content.as_ptr().cast(), content.len());
        // SAFETY: the context is there. It copies the dictionary, or refers to what stays where it
        // is as long as the dictionary is there, which this context keeps.
        let returned = unsafe {
            match used.way.unwrap_or(Way::Digested) {
                Way::Digested => zstd::ZSTD_DCtx_refDDict(context, dictionary.for_decompression()?),
                Way::Undigested => zstd::ZSTD_DCtx_loadDictionary(context, start, bytes),
                Way::Prefix => zstd::ZSTD_DCtx_refPrefix(context, start, bytes),
            }
        };
        self.dictionary = Some(used.dictionary.clone().unbind());
        checked(
            returned,
            "Unable to load Zstandard dictionary or prefix for decompression",
        )?;
        Ok(())
    }

    /// Goes on with the data, as far as it or the space goes.
    pub(super) fn step(&mut self, data: &[u8], space: &mut [u8]) -> PyResult<Step> {
        let mut input = input(data);
        let mut output = output(space);
        // SAFETY: the context is there; it reads and writes only what it is given here.
        let returned = unsafe {
            zstd::ZSTD_decompressStream(self.context.as_ptr(), &raw mut output, &raw mut input)
        };
        let left = checked(returned, "Unable to decompress Zstandard data")?;
        Ok(Step {
            read: input.pos,
            written: output.pos,
            ended: left == 0,
        })
    }

    /// Leaves the frame that was begun.
    pub(super) fn reset(&mut self) {
        let session = zstd::ZSTD_ResetDirective::ZSTD_reset_session_only;
        // SAFETY: the context is there. Leaving a frame does not fail.
        unsafe { zstd::ZSTD_DCtx_reset(self.context.as_ptr(), session) };
    }
}

impl Drop for Decompression {
    fn drop(&mut self) {
        // SAFETY: nobody uses the context after this.
        unsafe { zstd::ZSTD_freeDCtx(self.context.as_ptr()) };
    }
}

/// What libzstd made, unless there was no memory for it.
fn made<T>(pointer: *mut T) -> PyResult<NonNull<T>> {
    NonNull::new(pointer).ok_or_else(|| PyMemoryError::new_err(()))
}

fn input(data: &[u8]) -> zstd::ZSTD_inBuffer {
    zstd::ZSTD_inBuffer {
        src: data.as_ptr().cast(),
        size: data.len(),
        pos: 0,
    }
}

fn output(space: &mut [u8]) -> zstd::ZSTD_outBuffer {
    zstd::ZSTD_outBuffer {
        dst: space.as_mut_ptr().cast(),
        size: space.len(),
        pos: 0,
    }
}
