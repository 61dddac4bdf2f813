//! `LZMADecompressor`.

use liblzma_sys as lzma;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::super::decompressor::{Decoder, Decompressor, Step};
use super::super::input::Input;
use super::coder::Coder;
use super::filters::Chain;
use super::{ALONE, AUTO, CHECK_UNKNOWN, RAW, XZ};

/// A stream that unpacks, and which check its data has.
struct Decoding {
    coder: Coder,
    check: lzma::lzma_check,
}

impl Decoder for Decoding {
    const AFTER_END: &str = "Already at end of stream";

    fn step(&mut self, data: &[u8], space: &mut [u8]) -> PyResult<Step> {
        let (step, returned) = self.coder.step(data, space, lzma::LZMA_RUN)?;
        if matches!(returned, lzma::LZMA_GET_CHECK | lzma::LZMA_NO_CHECK) {
            self.check = self.coder.check();
        }
        Ok(step)
    }
}

/// Unpacks data that comes in parts.
#[pyclass(module = "_lzma", name = "LZMADecompressor")]
pub(super) struct LzmaDecompressor(Decompressor<Decoding>);

#[pymethods]
impl LzmaDecompressor {
    #[new]
    #[pyo3(signature = (format=AUTO, memlimit=None, filters=None))]
    fn new(
        format: i32,
        memlimit: Option<u64>,
        filters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if memlimit.is_some() && format == RAW {
            return Err(PyValueError::new_err(
                "Cannot specify memory limit with FORMAT_RAW",
            ));
        }
        if format == RAW && filters.is_none() {
            return Err(PyValueError::new_err("Must specify filters for FORMAT_RAW"));
        }
        if format != RAW && filters.is_some() {
            return Err(PyValueError::new_err(
                "Cannot specify filters except with FORMAT_RAW",
            ));
        }
        let memlimit = memlimit.unwrap_or(u64::MAX);
        let telling = lzma::LZMA_TELL_ANY_CHECK | lzma::LZMA_TELL_NO_CHECK;
        let chain: Option<Chain> = filters.map(|filters| filters.extract()).transpose()?;
        let filters = chain.as_ref().map(Chain::raw);
        let coder = Coder::begin(|stream| {
            // SAFETY: the stream is one that may be begun. The filters have an end, and their
            // options are there until this function ends: the stream copies them.
            unsafe {
                match (format, &filters) {
                    (XZ, _) => lzma::lzma_stream_decoder(stream, memlimit, telling),
                    (ALONE, _) => lzma::lzma_alone_decoder(stream, memlimit),
                    (RAW, Some(filters)) => lzma::lzma_raw_decoder(stream, filters.as_ptr()),
                    _ => lzma::lzma_auto_decoder(stream, memlimit, telling),
                }
            }
        });
        let check = match format {
            AUTO | XZ => CHECK_UNKNOWN,
            ALONE | RAW => lzma::LZMA_CHECK_NONE,
            other => {
                return Err(PyValueError::new_err(format!(
                    "Invalid container format: {other}"
                )));
            }
        };
        let coder = coder?;
        Ok(Self(Decompressor::new(Decoding { coder, check })))
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

    /// The number of the check that the data has, as far as it is known.
    #[getter]
    fn check(&self) -> u32 {
        self.0.decoder.check
    }

    /// Whether the end of the stream was reached.
    #[getter]
    fn eof(&self) -> bool {
        self.0.ended()
    }

    /// Whether more data is needed before more can be unpacked.
    #[getter]
    fn needs_input(&self) -> bool {
        self.0.needs_input()
    }

    /// The data behind the end of the stream.
    #[getter]
    fn unused_data<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.0.unused(py)
    }
}
