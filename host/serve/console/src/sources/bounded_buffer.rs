//! Bytes in memory, up to a limit.

use std::io::{self, Write};

/// Takes bytes up to a limit. From then on, writing fails.
#[derive(Debug)]
pub(super) struct BoundedBuffer {
    bytes: Vec<u8>,
    most: usize,
    is_cut: bool,
}

impl BoundedBuffer {
    /// One for at most so many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            most,
            is_cut: false,
        }
    }

    /// Whether there were more bytes than the limit.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// What was written, up to the limit.
    pub(super) fn bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.most - self.bytes.len();
        let taken = &bytes[..bytes.len().min(room)];
        self.bytes.extend_from_slice(taken);
        if taken.len() < bytes.len() {
            self.is_cut = true;
            return Err(io::Error::other("there is no room for more"));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_beyond_the_limit_are_refused_and_those_before_it_are_there() {
        let mut buffer = BoundedBuffer::new(5);
        buffer.write_all(b"abc").unwrap();
        buffer.write_all(b"de").unwrap();
        assert!(!buffer.is_cut());
        assert!(buffer.write_all(b"fg").is_err());
        assert!(buffer.is_cut());
        assert_eq!(buffer.bytes(), b"abcde");
    }
}
