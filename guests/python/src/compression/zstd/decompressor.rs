//! `ZstdDecompressor`.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::super::decompressor::{Decoder, Decompressor, Step};
use super::super::input::Input;
use super::contexts::Decompression;
use super::dictionary::Use;
use super::parameters::set_all;

impl Decoder for Decompression {
    const AFTER_END: &str = "Already at the end of a Zstandard frame.";

    fn step(&mut self, data: &[u8], space: &mut [u8]) -> PyResult<Step> {
        Self::step(self, data, space)
    }

    fn recover(&mut self) {
        self.reset();
    }
}

/// Unpacks a frame that comes in parts.
#[pyclass(module = "compression.zstd")]
pub(super) struct ZstdDecompressor(Decompressor<Decompression>);

#[pymethods]
impl ZstdDecompressor {
    #[new]
    #[pyo3(signature = (zstd_dict=None, options=None))]
    fn new(
        py: Python<'_>,
        zstd_dict: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut context = Decompression::new()?;
        if let Some(dictionary) = zstd_dict {
            context.load(&Use::of(dictionary)?)?;
        }
        if let Some(options) = options {
            set_all(py, options, "ZstdDecompressor", |key, value| {
                Ok(context.set(key, value))
            })?;
        }
        Ok(Self(Decompressor::new(context)))
    }

    /// Unpacks data, and returns at most `max_length` bytes, unless that is negative.
    #[pyo3(signature = (data, max_length=-1))]
    fn decompress<'py>(
        &mut self,
        py: Python<'py>,
        data: Input,
        max_length: isize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        self.0.decompress(py, data.bytes(py), max_length)
    }

    /// Whether the end of the frame was reached.
    #[getter]
    fn eof(&self) -> bool {
        self.0.ended()
    }

    /// Whether more data is needed before more can be unpacked.
    #[getter]
    fn needs_input(&self) -> bool {
        self.0.needs_input()
    }

    /// The data behind the end of the frame.
    #[getter]
    fn unused_data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.0.unused(py)
    }
}
