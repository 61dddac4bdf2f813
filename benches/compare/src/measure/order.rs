//! An order that looks random.

/// The same order each time.
pub(super) struct Random(pub(super) u64);

impl Random {
    /// One of so many numbers.
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005) + 1;
        (self.0 >> 33) as usize % most
    }
}
