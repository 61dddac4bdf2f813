//! What a call gives, in blocks: how much it will be is known only at its end.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The size of the first block. Each later one is as large as all before it together.
const FIRST_BYTES: usize = 32 << 10;
/// The size of the largest block.
const LARGEST_BYTES: usize = 8 << 20;

/// Blocks of bytes. Only the last one has room.
pub(super) struct Output {
    blocks: Vec<Vec<u8>>,
    /// How many bytes of the last block are written.
    written: usize,
    /// How many bytes all blocks have together.
    room: usize,
    most: Option<usize>,
}

impl Output {
    /// Output of at most so many bytes, if there is a limit, with room for the first of them.
    pub(super) fn new(most: Option<usize>) -> PyResult<Self> {
        let mut output = Self {
            blocks: Vec::new(),
            written: 0,
            room: 0,
            most,
        };
        output.add(FIRST_BYTES)?;
        Ok(output)
    }

    /// Where the next bytes go.
    pub(super) fn space(&mut self) -> &mut [u8] {
        let block = self.blocks.last_mut().expect("there is one at least");
        &mut block[self.written..]
    }

    /// Says how many bytes went there.
    pub(super) fn wrote(&mut self, bytes: usize) {
        self.written += bytes;
    }

    /// Whether there is no space.
    pub(super) fn is_full(&self) -> bool {
        self.blocks.last().map_or(0, Vec::len) == self.written
    }

    /// Whether it has as many bytes as it may.
    pub(super) fn is_at_limit(&self) -> bool {
        self.is_full() && self.most == Some(self.room)
    }

    /// Makes room where there is none, up to the limit.
    pub(super) fn make_room(&mut self) -> PyResult<()> {
        if self.is_full() {
            self.add(self.room.clamp(FIRST_BYTES, LARGEST_BYTES))?;
        }
        Ok(())
    }

    fn add(&mut self, bytes: usize) -> PyResult<()> {
        let most = self.most.unwrap_or(usize::MAX);
        let bytes = bytes.min(most - self.room);
        let mut block = Vec::new();
        block
            .try_reserve_exact(bytes)
            .map_err(|_| PyMemoryError::new_err(()))?;
        block.resize(bytes, 0);
        self.blocks.push(block);
        self.room += bytes;
        self.written = 0;
        Ok(())
    }

    /// All that was written.
    pub(super) fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyBytes>> {
        let Some((last, full)) = self.blocks.split_last() else {
            return Ok(PyBytes::new(py, &[]));
        };
        let bytes = self.room - last.len() + self.written;
        PyBytes::new_with(py, bytes, |mut rest| {
            for block in full {
                let (part, others) = rest.split_at_mut(block.len());
                part.copy_from_slice(block);
                rest = others;
            }
            rest.copy_from_slice(&last[..self.written]);
            Ok(())
        })
    }
}
