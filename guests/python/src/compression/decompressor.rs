//! What all decompressors do with data that comes in parts, and with results that are given in
//! parts. Only what was asked for is unpacked, and the rest of the data waits.

use pyo3::exceptions::{PyEOFError, PyMemoryError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::output::Output;

/// A library that unpacks one format.
pub(super) trait Decoder {
    /// What is said of data behind the end.
    const AFTER_END: &str;

    /// Goes on with the data, as far as it or the space goes.
    fn step(&mut self, data: &[u8], space: &mut [u8]) -> PyResult<Step>;

    /// Puts things back after an error, if data can be unpacked after one.
    fn recover(&mut self) {}
}

/// How far a decoder came.
pub(super) struct Step {
    pub(super) read: usize,
    pub(super) written: usize,
    /// Whether the data ended here, by what the format says.
    pub(super) ended: bool,
}

/// A decoder, and the data that it has not read yet.
pub(super) struct Decompressor<D> {
    pub(super) decoder: D,
    waiting: Waiting,
    unused: Vec<u8>,
    ended: bool,
    needs_input: bool,
}

impl<D: Decoder> Decompressor<D> {
    pub(super) fn new(decoder: D) -> Self {
        Self {
            decoder,
            waiting: Waiting::default(),
            unused: Vec::new(),
            ended: false,
            needs_input: true,
        }
    }

    /// Whether the end of the data was reached.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// Whether it can give no more without more data.
    pub(super) fn needs_input(&self) -> bool {
        self.needs_input
    }

    /// What came behind the end.
    pub(super) fn unused<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.unused)
    }

    /// Unpacks data, after that which waits. The result has at most so many bytes, unless the
    /// number is negative.
    pub(super) fn decompress<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        most: isize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        if self.ended {
            return Err(PyEOFError::new_err(D::AFTER_END));
        }
        let result = self.unpack(data, usize::try_from(most).ok());
        let output = result.inspect_err(|_| {
            self.waiting = Waiting::default();
            self.needs_input = true;
            self.decoder.recover();
        })?;
        output.finish(py)
    }

    fn unpack(&mut self, data: &[u8], most: Option<usize>) -> PyResult<Output> {
        let has_waited = !self.waiting.is_empty();
        let data = if has_waited {
            self.waiting.append(data)?;
            self.waiting.bytes()
        } else {
            data
        };
        let mut output = Output::new(most)?;
        let mut read = 0;
        let ended = loop {
            let step = self.decoder.step(&data[read..], output.space())?;
            read += step.read;
            output.wrote(step.written);
            if step.ended {
                break true;
            }
            // First: more may come of data that was all read.
            if output.is_full() {
                if output.is_at_limit() {
                    break false;
                }
                output.make_room()?;
            } else if read == data.len() {
                break false;
            }
        };
        let rest = &data[read..];
        self.needs_input = !ended && rest.is_empty() && !output.is_at_limit();
        if ended {
            self.ended = true;
            self.unused = copied(rest)?;
            self.waiting = Waiting::default();
        } else if has_waited {
            self.waiting.forget(read);
        } else {
            self.waiting = Waiting::of(rest)?;
        }
        Ok(output)
    }
}

/// Data that was given, and not read yet.
#[derive(Default)]
struct Waiting {
    bytes: Vec<u8>,
    /// How many of them are read.
    read: usize,
}

impl Waiting {
    fn of(bytes: &[u8]) -> PyResult<Self> {
        let bytes = copied(bytes)?;
        Ok(Self { bytes, read: 0 })
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.read..]
    }

    fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    fn append(&mut self, bytes: &[u8]) -> PyResult<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.bytes.drain(..self.read);
        self.read = 0;
        self.bytes.try_reserve(bytes.len()).map_err(no_memory)?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn forget(&mut self, bytes: usize) {
        self.read += bytes;
        if self.is_empty() {
            *self = Self::default();
        }
    }
}

fn copied(bytes: &[u8]) -> PyResult<Vec<u8>> {
    let mut copy = Vec::new();
    copy.try_reserve_exact(bytes.len()).map_err(no_memory)?;
    copy.extend_from_slice(bytes);
    Ok(copy)
}

fn no_memory(_: std::collections::TryReserveError) -> PyErr {
    PyMemoryError::new_err(())
}
