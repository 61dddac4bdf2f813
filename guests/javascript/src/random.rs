//! `Math.random`. QuickJS seeds its own when the realm is built, and every run would get the same
//! numbers.

use std::rc::Rc;

use rquickjs::{Ctx, Function, Object, Result};

use crate::host;
use crate::session::Session;

/// Replaces `Math.random` with a generator that is seeded when it is first used.
pub(crate) fn install(ctx: &Ctx<'_>) -> Result<()> {
    let generator = Rc::clone(&Session::of(ctx).random);
    let random = Function::new(ctx.clone(), move || {
        let mut state: u64 = generator.get().unwrap_or_else(host::seed);
        let number = next(&mut state);
        generator.set(Some(state));
        number
    })?
    .with_name("random")?;
    ctx.globals()
        .get::<_, Object<'_>>("Math")?
        .set("random", random)
}

/// A number of 53 random bits in [0, 1), by SplitMix64.
fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut bits = *state;
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_spread_over_their_range() {
        let mut state = 0;
        let numbers: Vec<f64> = (0..10_000).map(|_| next(&mut state)).collect();
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        let mean = numbers.iter().sum::<f64>() / 1e4;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
