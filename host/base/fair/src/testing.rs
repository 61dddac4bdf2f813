//! What tests share.

use std::num::NonZeroU16;

use crate::Principal;
use crate::line::Owner;

/// Somebody with a name and a weight.
pub(crate) fn named(name: &str, weight: u16) -> Owner {
    Some(Principal::new(name).weighing(NonZeroU16::new(weight).expect("a weight")))
}

/// The same numbers each time.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn of(seed: u64) -> Self {
        Self(seed)
    }

    /// Splitmix.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}
