//! Python's generators of random numbers, begun anew. Each run does that, and its own `seed` takes
//! ten times as long as to fill the state of one, 2,496 bytes, with numbers that are random already.
//!
//! It knows how CPython's generator (the Mersenne Twister) lies in memory; `fresh.install` tries
//! whether that is so.

use std::cell::OnceCell;
use std::ffi::c_int;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// Of how many numbers the state is made.
const NUMBERS: usize = 624;

/// An object of `_random.Random`.
#[repr(C)]
struct Generator {
    object: ffi::PyObject,
    /// How many of the numbers were used: all, where new ones are to be made of them first.
    used: c_int,
    numbers: [u32; NUMBERS],
}

thread_local! {
    /// `_random.Random`, as it was before the snapshot.
    static CLASS: OnceCell<Py<PyType>> = const { OnceCell::new() };
}

/// Says what generators are.
///
/// # Errors
///
/// Where objects of that class do not lie in memory as is thought.
pub(crate) fn are(class: Bound<'_, PyType>) -> PyResult<()> {
    // SAFETY: a type lives as long as what holds it.
    let bytes = unsafe { (*class.as_type_ptr()).tp_basicsize };
    if usize::try_from(bytes) != Ok(size_of::<Generator>()) {
        return Err(PyTypeError::new_err(
            "CPython's generators have another size",
        ));
    }
    CLASS.with(|known| known.set(class.unbind()).ok());
    Ok(())
}

/// Gives a generator a state that depends on the seed alone.
///
/// # Errors
///
/// Where it is none.
pub(crate) fn begin(generator: &Bound<'_, PyAny>, seed: u64) -> PyResult<()> {
    let is_one = CLASS.with(|class| match class.get() {
        // Whatever the object says of its class.
        Some(class) => generator.get_type().is_subclass(class.bind(generator.py())),
        None => Ok(false),
    });
    if !is_one? {
        return Err(PyTypeError::new_err("no generator of random numbers"));
    }
    // SAFETY: objects of the class, and of those made of it, begin so, and there is one thread.
    let generator = unsafe { &mut *generator.as_ptr().cast::<Generator>() };
    generator.used = NUMBERS as c_int;
    let mut random = seed;
    for pair in generator.numbers.chunks_mut(2) {
        let number = next(&mut random);
        pair.copy_from_slice(&[number as u32, (number >> 32) as u32]);
    }
    Ok(())
}

/// The next number of SplitMix64 (<https://prng.di.unimi.it/splitmix64.c>), which is meant to fill
/// the states of other generators.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
