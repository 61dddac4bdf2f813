//! The module `_bz2`.

use bzip2::{Action, Compress, Compression, Decompress, Error, Status};
use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::decompressor::{Decoder, Decompressor, Step};
use super::input::Input;
use super::output::Output;

/// Bad data: the library tells no more of it.
fn invalid(_: Error) -> PyErr {
    PyOSError::new_err("Invalid data stream")
}

/// Bytes of a call, from the library's count of all.
fn moved(before: u64, after: u64) -> usize {
    usize::try_from(after - before).expect("a call moves what is in memory")
}

impl Decoder for Decompress {
    const AFTER_END: &str = "End of stream already reached";

    fn step(&mut self, data: &[u8], space: &mut [u8]) -> PyResult<Step> {
        let (read, written) = (self.total_in(), self.total_out());
        let status = self.decompress(data, space).map_err(invalid)?;
        if status == Status::MemNeeded {
            return Err(PyMemoryError::new_err(()));
        }
        Ok(Step {
            read: moved(read, self.total_in()),
            written: moved(written, self.total_out()),
            ended: status == Status::StreamEnd,
        })
    }
}

/// Compresses data that comes in parts.
#[pyclass(module = "_bz2", name = "BZ2Compressor")]
pub(super) struct Bz2Compressor {
    stream: Compress,
    is_flushed: bool,
}

impl Bz2Compressor {
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        action: Action,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let mut output = Output::new(None)?;
        let mut rest = data;
        loop {
            // The library takes a call that can do nothing for a mistake.
            output.make_room()?;
            let (read, written) = (self.stream.total_in(), self.stream.total_out());
            let status = self
                .stream
                .compress(rest, output.space(), action)
                .map_err(invalid)?;
            rest = &rest[moved(read, self.stream.total_in())..];
            output.wrote(moved(written, self.stream.total_out()));
            let is_done = match action {
                Action::Run => rest.is_empty(),
                _ => status == Status::StreamEnd,
            };
            if is_done {
                return output.finish(py);
            }
        }
    }
}

#[pymethods]
impl Bz2Compressor {
    #[new]
    #[pyo3(signature = (compresslevel=9, /))]
    fn new(compresslevel: i32) -> PyResult<Self> {
        let level = u32::try_from(compresslevel).ok();
        let Some(level) = level.filter(|level| (1..=9).contains(level)) else {
            return Err(PyValueError::new_err(
                "compresslevel must be between 1 and 9",
            ));
        };
        Ok(Self {
            stream: Compress::new(Compression::new(level), 0),
            is_flushed: false,
        })
    }

    /// Gives the compressor data, and returns what is compressed so far.
    #[pyo3(signature = (data, /))]
    fn compress<'py>(&mut self, py: Python<'py>, data: Input) -> PyResult<Bound<'py, PyBytes>> {
        if self.is_flushed {
            return Err(PyValueError::new_err("Compressor has been flushed"));
        }
        self.run(py, data.bytes(py), Action::Run)
    }

    /// Ends the data, and returns the rest of what is compressed.
    fn flush<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if self.is_flushed {
            return Err(PyValueError::new_err("Repeated call to flush()"));
        }
        self.is_flushed = true;
        self.run(py, &[], Action::Finish)
    }
}

/// Unpacks data that comes in parts.
#[pyclass(module = "_bz2", name = "BZ2Decompressor")]
pub(super) struct Bz2Decompressor(Decompressor<Decompress>);

#[pymethods]
impl Bz2Decompressor {
    #[new]
    fn new() -> Self {
        Self(Decompressor::new(Decompress::new(false)))
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

/// Compresses and unpacks data in the format of bzip2.
#[pymodule]
#[pyo3(name = "_bz2")]
pub(super) mod _bz2 {
    #[pymodule_export]
    use super::Bz2Compressor;

    #[pymodule_export]
    use super::Bz2Decompressor;
}
