//! What is in a file: pieces of the same size, so that a file that grows is never copied as a whole.

/// How large a piece is, in bytes. All but the last are full.
const PIECE: usize = 64 << 10;
/// What a file takes at least that has anything in it.
const LEAST: u64 = 256;

/// What is in a file.
pub struct Pieces<'m>(pub(super) &'m Content);

impl Pieces<'_> {
    /// How many bytes.
    pub fn size(&self) -> u64 {
        self.0.size()
    }

    /// They, from the first to the last.
    pub fn all(&self) -> impl Iterator<Item = &[u8]> {
        self.0.pieces()
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Content {
    pieces: Vec<Vec<u8>>,
}

impl Content {
    /// What so many bytes take in memory.
    pub(super) fn takes(size: u64) -> u64 {
        match size {
            0 => 0,
            small if small <= PIECE as u64 => small.next_power_of_two().max(LEAST),
            large => large.div_ceil(PIECE as u64).saturating_mul(PIECE as u64),
        }
    }

    pub(super) fn size(&self) -> u64 {
        match self.pieces.split_last() {
            None => 0,
            Some((last, full)) => (full.len() * PIECE + last.len()) as u64,
        }
    }

    /// Its bytes, piece by piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        self.pieces.iter().map(Vec::as_slice)
    }

    pub(super) fn read(&self, at: u64, count: usize) -> Vec<u8> {
        let left = self.size().saturating_sub(at);
        let left = usize::try_from(left).unwrap_or(usize::MAX).min(count);
        let mut read = Vec::with_capacity(left);
        let mut at = usize::try_from(at).unwrap_or(usize::MAX);
        while read.len() < left {
            let piece = &self.pieces[at / PIECE][at % PIECE..];
            let part = piece.len().min(left - read.len());
            read.extend_from_slice(&piece[..part]);
            at += part;
        }
        read
    }

    /// Puts bytes where there are some already.
    pub(super) fn put(&mut self, at: u64, mut bytes: &[u8]) {
        let mut at = usize::try_from(at).unwrap_or(usize::MAX);
        while !bytes.is_empty() {
            let piece = &mut self.pieces[at / PIECE][at % PIECE..];
            let part = piece.len().min(bytes.len());
            let (now, later) = bytes.split_at(part);
            piece[..part].copy_from_slice(now);
            at += part;
            bytes = later;
        }
    }

    /// Cuts it, or makes it longer by zeros.
    pub(super) fn resize(&mut self, size: u64) {
        let room = usize::try_from(Self::takes(size)).unwrap_or(usize::MAX);
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        self.pieces.truncate(size.div_ceil(PIECE));
        while self.pieces.len() < size.div_ceil(PIECE) {
            if let Some(last) = self.pieces.last_mut() {
                fill(last, PIECE, PIECE);
            }
            self.pieces.push(Vec::new());
        }
        let full = self.pieces.len().saturating_sub(1) * PIECE;
        if let Some(last) = self.pieces.last_mut() {
            fill(last, size - full, room.min(PIECE));
        }
    }
}

/// Gives a piece so many bytes, and room for no more than is counted for it.
fn fill(piece: &mut Vec<u8>, size: usize, room: usize) {
    piece.truncate(size);
    if piece.capacity() > room {
        piece.shrink_to(room);
    } else if piece.capacity() < size {
        piece.reserve_exact(room - piece.len());
    }
    piece.resize(size, 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_wherever_pieces_end() {
        let whole: Vec<u8> = (0..3 * PIECE + 5).map(|at| at as u8).collect();
        let mut content = Content::default();
        content.resize(whole.len() as u64);
        content.put(0, &whole);
        assert_eq!(content.size(), whole.len() as u64);
        for at in [0, 1, PIECE - 1, PIECE, 2 * PIECE + 7, whole.len() - 1] {
            for count in [1, 4, PIECE, PIECE + 1, whole.len()] {
                let end = (at + count).min(whole.len());
                assert_eq!(content.read(at as u64, count), whole[at..end]);
            }
        }
        assert!(content.read(whole.len() as u64, 1).is_empty());
        assert!(content.read(u64::MAX, 1).is_empty());
    }

    #[test]
    fn what_is_cut_off_is_zero_when_it_comes_back() {
        let mut content = Content::default();
        content.resize(10);
        content.put(0, b"0123456789");
        content.resize(4);
        content.resize(PIECE as u64 + 2);
        assert_eq!(content.read(0, 6), b"0123\0\0");
        assert_eq!(content.size(), PIECE as u64 + 2);
        content.resize(0);
        assert_eq!((content.size(), content.pieces.len()), (0, 0));
    }

    #[test]
    fn no_piece_has_more_room_than_is_counted() {
        let mut content = Content::default();
        for size in [1, 255, 300, 5000, 65_536, 65_537, 400_000, 70_000, 12, 0] {
            content.resize(size);
            let room: usize = content.pieces.iter().map(Vec::capacity).sum();
            assert!(room as u64 <= Content::takes(size), "{size}: {room}");
        }
    }
}
