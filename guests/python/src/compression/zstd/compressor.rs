//! `ZstdCompressor`.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};
use zstd_sys::{self as zstd, ZSTD_EndDirective as End, ZSTD_cParameter as Key};

use super::super::input::Input;
use super::super::output::Output;
use super::contexts::Compression;
use super::dictionary::Use;
use super::errors::checked;
use super::parameters::set_all;

/// Data goes on.
const CONTINUE: i32 = End::ZSTD_e_continue as i32;
/// All data so far is to be readable.
const FLUSH_BLOCK: i32 = End::ZSTD_e_flush as i32;
/// The frame ends.
const FLUSH_FRAME: i32 = End::ZSTD_e_end as i32;

/// What stands for a size that is not known.
const UNKNOWN_SIZE: u64 = u64::MAX;
/// Sizes are smaller than this.
const SIZES_END: u64 = u64::MAX - 1;

/// Compresses data that comes in parts.
#[pyclass(module = "compression.zstd")]
pub(super) struct ZstdCompressor {
    context: Compression,
    level: i32,
    last_mode: End,
}

impl ZstdCompressor {
    fn set_level(&mut self, level: i32) -> PyResult<()> {
        let (lowest, highest) = levels();
        if !(lowest..=highest).contains(&level) {
            return Err(PyValueError::new_err(format!(
                "illegal compression level {level}; the valid range is [{lowest}, {highest}]"
            )));
        }
        self.level = level;
        let returned = self.context.set(Key::ZSTD_c_compressionLevel, level);
        checked(returned, "Unable to set zstd compression level")?;
        Ok(())
    }

    fn run<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        mode: End,
    ) -> PyResult<Bound<'py, PyBytes>> {
        match self.compressed(data, mode) {
            Ok(output) => {
                self.last_mode = mode;
                output.finish(py)
            }
            Err(error) => {
                self.last_mode = End::ZSTD_e_end;
                self.context.reset();
                Err(error)
            }
        }
    }

    fn compressed(&mut self, data: &[u8], mode: End) -> PyResult<Output> {
        let mut output = Output::new(None)?;
        let mut rest = data;
        loop {
            output.make_room()?;
            let step = self.context.step(rest, output.space(), mode)?;
            rest = &rest[step.read..];
            output.wrote(step.written);
            if step.ended && rest.is_empty() {
                return Ok(output);
            }
        }
    }
}

/// The lowest and the highest level.
fn levels() -> (i32, i32) {
    // SAFETY: these functions give constants.
    unsafe { (zstd::ZSTD_minCLevel(), zstd::ZSTD_maxCLevel()) }
}

/// A level that a script gives.
fn level(given: &Bound<'_, PyAny>) -> PyResult<i32> {
    let Ok(given) = given.cast::<PyInt>() else {
        return Err(PyTypeError::new_err("invalid type for level, expected int"));
    };
    given.extract().map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(given.py()) {
            return error;
        }
        let (lowest, highest) = levels();
        PyValueError::new_err(format!(
            "illegal compression level; the valid range is [{lowest}, {highest}]"
        ))
    })
}

#[pymethods]
impl ZstdCompressor {
    #[classattr]
    const CONTINUE: i32 = CONTINUE;

    #[classattr]
    const FLUSH_BLOCK: i32 = FLUSH_BLOCK;

    #[classattr]
    const FLUSH_FRAME: i32 = FLUSH_FRAME;

    #[new]
    #[pyo3(signature = (level=None, options=None, zstd_dict=None))]
    fn new(
        py: Python<'_>,
        level: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
        zstd_dict: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if level.is_some() && options.is_some() {
            return Err(PyTypeError::new_err(
                "Only one of level or options should be used.",
            ));
        }
        let mut compressor = Self {
            context: Compression::new()?,
            level: 0,
            last_mode: End::ZSTD_e_end,
        };
        if let Some(given) = level {
            compressor.set_level(self::level(given)?)?;
        }
        if let Some(options) = options {
            set_all(py, options, "ZstdCompressor", |key, value| match key {
                Key::ZSTD_c_compressionLevel => compressor.set_level(value).map(|()| 0),
                key => Ok(compressor.context.set(key, value)),
            })?;
        }
        if let Some(dictionary) = zstd_dict {
            let level = compressor.level;
            compressor.context.load(&Use::of(dictionary)?, level)?;
        }
        Ok(compressor)
    }

    /// Gives the compressor data, and returns what is compressed so far.
    #[pyo3(signature = (data, mode=CONTINUE))]
    fn compress<'py>(
        &mut self,
        py: Python<'py>,
        data: Input,
        mode: i32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mode = match mode {
            CONTINUE => End::ZSTD_e_continue,
            FLUSH_BLOCK => End::ZSTD_e_flush,
            FLUSH_FRAME => End::ZSTD_e_end,
            _ => {
                return Err(PyValueError::new_err(
                    "mode argument wrong value, it should be one of ZstdCompressor.CONTINUE, \
                     ZstdCompressor.FLUSH_BLOCK, ZstdCompressor.FLUSH_FRAME.",
                ));
            }
        };
        self.run(py, data.bytes(py), mode)
    }

    /// Ends a block or a frame, and returns the rest of what is compressed.
    #[pyo3(signature = (mode=FLUSH_FRAME))]
    fn flush<'py>(&mut self, py: Python<'py>, mode: i32) -> PyResult<Bound<'py, PyBytes>> {
        let mode = match mode {
            FLUSH_BLOCK => End::ZSTD_e_flush,
            FLUSH_FRAME => End::ZSTD_e_end,
            _ => {
                return Err(PyValueError::new_err(
                    "mode argument wrong value, it should be ZstdCompressor.FLUSH_FRAME or \
                     ZstdCompressor.FLUSH_BLOCK.",
                ));
            }
        };
        self.run(py, &[], mode)
    }

    /// Says how long the next frame's data will be: the frame tells it.
    #[pyo3(signature = (size, /))]
    fn set_pledged_input_size(&mut self, size: &Bound<'_, PyAny>) -> PyResult<()> {
        let size = pledged(size)?;
        if self.last_mode != End::ZSTD_e_end {
            return Err(PyValueError::new_err(
                "set_pledged_input_size() method must be called when last_mode == FLUSH_FRAME",
            ));
        }
        checked(
            self.context.pledge(size),
            "Unable to set pledged uncompressed content size",
        )?;
        Ok(())
    }

    /// The mode of the last call.
    #[getter]
    fn last_mode(&self) -> i32 {
        self.last_mode as i32
    }
}

/// The size that a script gives; none is one that is not known.
fn pledged(size: &Bound<'_, PyAny>) -> PyResult<u64> {
    if size.is_none() {
        return Ok(UNKNOWN_SIZE);
    }
    let wrong = || {
        PyValueError::new_err(format!(
            "size argument should be a positive int less than {SIZES_END}"
        ))
    };
    match size.extract::<u64>() {
        Ok(size) if size < SIZES_END => Ok(size),
        Err(error) if !error.is_instance_of::<PyOverflowError>(size.py()) => Err(error),
        _ => Err(wrong()),
    }
}
