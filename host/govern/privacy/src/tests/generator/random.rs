//! Random choices, digits and letters.

use crate::tests::read::next;

pub(super) fn below(most: u64, seed: &mut u64) -> u64 {
    next(seed) % most
}

pub(super) fn one<'a>(of: &[&'a str], seed: &mut u64) -> &'a str {
    of[below(of.len() as u64, seed) as usize]
}

/// Each `#` a digit, each `N` one from 1, each `X` one from 2.
pub(super) fn digits(form: &str, seed: &mut u64) -> String {
    let digit = |c| match c {
        '#' => char::from(b'0' + below(10, seed) as u8),
        'N' => char::from(b'1' + below(9, seed) as u8),
        'X' => char::from(b'2' + below(8, seed) as u8),
        c => c,
    };
    form.chars().map(digit).collect()
}

pub(super) fn hex(length: usize, seed: &mut u64) -> String {
    let digit = |_| char::from(b"0123456789abcdef"[below(16, seed) as usize]);
    (0..length).map(digit).collect()
}
