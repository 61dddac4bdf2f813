//! `LZMACompressor`.

use liblzma_sys as lzma;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::super::input::Input;
use super::super::output::Output;
use super::coder::Coder;
use super::filters::{Chain, number, preset_options};
use super::{ALONE, RAW, XZ};

/// Compresses data that comes in parts.
#[pyclass(module = "_lzma", name = "LZMACompressor")]
pub(super) struct LzmaCompressor {
    coder: Coder,
    is_flushed: bool,
}

impl LzmaCompressor {
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        action: lzma::lzma_action,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut output = Output::new(None)?;
        let mut rest = data;
        loop {
            output.make_room()?;
            let (step, _) = self.coder.step(rest, output.space(), action)?;
            rest = &rest[step.read..];
            output.wrote(step.written);
            if step.ended || (action == lzma::LZMA_RUN && rest.is_empty()) {
                return output.finish(py);
            }
        }
    }
}

#[pymethods]
impl LzmaCompressor {
    #[new]
    #[pyo3(signature = (format=XZ, check=-1, preset=None, filters=None))]
    fn new(
        format: i32,
        check: i32,
        preset: Option<&Bound<'_, PyAny>>,
        filters: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if preset.is_some() && filters.is_some() {
            return Err(PyValueError::new_err(
                "Cannot specify both preset and filter chain",
            ));
        }
        let preset = preset.map(number).transpose()?;
        let preset = preset.unwrap_or(lzma::LZMA_PRESET_DEFAULT);
        let has_check = check != -1 && check != lzma::LZMA_CHECK_NONE as i32;
        if format != XZ && has_check {
            return Err(PyValueError::new_err(
                "Integrity checks are only supported by FORMAT_XZ",
            ));
        }
        let chain: Option<Chain> = filters.map(|filters| filters.extract()).transpose()?;
        let coder = match format {
            XZ => {
                let check = match check {
                    -1 => lzma::LZMA_CHECK_CRC64,
                    check => check as lzma::lzma_check,
                };
                xz(check, preset, chain.as_ref())
            }
            ALONE => alone(preset, chain.as_ref()),
            RAW => raw(chain.as_ref()),
            other => Err(PyValueError::new_err(format!(
                "Invalid container format: {other}"
            ))),
        };
        Ok(Self {
            coder: coder?,
            is_flushed: false,
        })
    }

    /// Gives the compressor data, and returns what is compressed so far.
    #[pyo3(signature = (data, /))]
    fn compress<'py>(&mut self, py: Python<'py>, data: Input) -> PyResult<Bound<'py, PyBytes>> {
        if self.is_flushed {
            return Err(PyValueError::new_err("Compressor has been flushed"));
        }
        self.run(py, data.bytes(py), lzma::LZMA_RUN)
    }

    /// Ends the data, and returns the rest of what is compressed.
    fn flush<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if self.is_flushed {
            return Err(PyValueError::new_err("Repeated call to flush()"));
        }
        self.is_flushed = true;
        self.run(py, &[], lzma::LZMA_FINISH)
    }
}

fn xz(check: lzma::lzma_check, preset: u32, chain: Option<&Chain>) -> PyResult<Coder> {
    let Some(chain) = chain else {
        return Coder::begin(|stream| {
            // SAFETY: the stream is one that may be begun.
            unsafe { lzma::lzma_easy_encoder(stream, preset, check) }
        });
    };
    let filters = chain.raw();
    Coder::begin(|stream| {
        // SAFETY: as above; the function copies the filters, which have an end.
        unsafe { lzma::lzma_stream_encoder(stream, filters.as_ptr(), check) }
    })
}

fn alone(preset: u32, chain: Option<&Chain>) -> PyResult<Coder> {
    let options = match chain {
        None => *preset_options(preset)?,
        Some(chain) => *chain.only_lzma1().ok_or_else(|| {
            PyValueError::new_err(
                "Invalid filter chain for FORMAT_ALONE - must be a single LZMA1 filter",
            )
        })?,
    };
    Coder::begin(|stream| {
        // SAFETY: the stream is one that may be begun; the function copies the options.
        unsafe { lzma::lzma_alone_encoder(stream, &raw const options) }
    })
}

fn raw(chain: Option<&Chain>) -> PyResult<Coder> {
    let Some(chain) = chain else {
        return Err(PyValueError::new_err("Must specify filters for FORMAT_RAW"));
    };
    let filters = chain.raw();
    Coder::begin(|stream| {
        // SAFETY: the stream is one that may be begun; the function copies the filters, which have
        // an end.
        unsafe { lzma::lzma_raw_encoder(stream, filters.as_ptr()) }
    })
}
