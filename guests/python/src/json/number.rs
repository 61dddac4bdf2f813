//! Numbers: digits as Python reads and writes them.

use std::ffi::{CStr, c_char};
use std::ptr;

use pyo3::ffi;

use super::Object;

/// The powers of ten that a double has exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
/// Up to here a double has all whole numbers.
const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
/// So many digits Python takes, unless it is told to take more.
const MOST_DIGITS: usize = 4300;
/// So many digits are less than a word holds, with a sign and without.
const SIGNED_DIGITS: usize = 18;
const WORD_DIGITS: usize = 19;

/// The number that begins at a place, and where it ends. Nothing where it is not as JSON has it, or
/// has more digits than Python takes.
pub(super) fn read(text: &[u8], from: usize) -> Option<(Object, usize)> {
    let negative = text[from] == b'-';
    let first = from + usize::from(negative);
    let mut mantissa = 0;
    let mut at = digits(text, first, &mut mantissa);
    let whole = at - first;
    if whole == 0 || whole > 1 && text[first] == b'0' {
        return None;
    }
    let mut exponent = 0;
    let mut digits_in_all = whole;
    let mut is_float = false;
    if text.get(at) == Some(&b'.') {
        let end = digits(text, at + 1, &mut mantissa);
        let fraction = end - (at + 1);
        if fraction == 0 {
            return None;
        }
        (at, is_float) = (end, true);
        digits_in_all += fraction;
        exponent = -(fraction as i64);
    }
    if let Some(b'e' | b'E') = text.get(at) {
        let is_below = text.get(at + 1) == Some(&b'-');
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let mut power = 0;
        let end = digits(text, at + 1 + sign, &mut power);
        let count = end - (at + 1 + sign);
        if count == 0 {
            return None;
        }
        (at, is_float) = (end, true);
        let power = if count > 9 {
            i64::from(u32::MAX)
        } else {
            power as i64
        };
        exponent += if is_below { -power } else { power };
    }
    let number = if is_float {
        let float = float(&text[from..at], mantissa, digits_in_all, exponent, negative);
        // SAFETY: it makes an object.
        unsafe { ffi::PyFloat_FromDouble(float) }
    } else if whole <= SIGNED_DIGITS {
        let number = mantissa as i64;
        // SAFETY: it makes an object.
        unsafe { ffi::PyLong_FromLongLong(if negative { -number } else { number }) }
    } else if whole <= MOST_DIGITS {
        long(&text[from..at])
    } else {
        return None;
    };
    (!number.is_null()).then_some((number, at))
}

/// Where the digits end that begin at a place. They are put behind those of a number, as far as it
/// holds them.
fn digits(text: &[u8], mut at: usize, number: &mut u64) -> usize {
    while let Some(byte @ b'0'..=b'9') = text.get(at) {
        *number = number.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        at += 1;
    }
    at
}

fn float(text: &[u8], mantissa: u64, digits: usize, exponent: i64, negative: bool) -> f64 {
    if digits <= WORD_DIGITS && mantissa <= EXACT && exponent.unsigned_abs() < POWERS.len() as u64 {
        // Two numbers that are exact: what comes of them is rounded once.
        let power = POWERS[exponent.unsigned_abs() as usize];
        let value = mantissa as f64;
        let value = if exponent < 0 {
            value / power
        } else {
            value * power
        };
        return if negative { -value } else { value };
    }
    let text = str::from_utf8(text).expect("a number is ASCII");
    text.parse().expect("JSON's numbers are Rust's, too")
}

fn long(digits: &[u8]) -> Object {
    let text = [digits, b"\0"].concat();
    // SAFETY: the text ends with a zero.
    unsafe { ffi::PyLong_FromString(text.as_ptr().cast(), ptr::null_mut(), 10) }
}

/// The digits of a whole number, as Python writes them, if it is not too long for that.
///
/// # Safety
///
/// It is an `int` itself.
pub(super) unsafe fn write_int(number: Object, out: &mut Vec<u8>) -> Option<()> {
    // SAFETY: it is an `int`.
    unsafe {
        let mut overflow = 0;
        let value = ffi::PyLong_AsLongLongAndOverflow(number, &raw mut overflow);
        if overflow == 0 {
            out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
            return Some(());
        }
        let text = ffi::PyObject_Repr(number);
        if text.is_null() {
            return None;
        }
        let written = super::text::ascii(text).map(|text| {
            out.try_reserve(text.len()).ok()?;
            out.extend_from_slice(text);
            Some(())
        });
        ffi::Py_DECREF(text);
        written?
    }
}

/// The digits of a finite number, as Python writes them.
pub(super) fn write_float(number: f64, out: &mut Vec<u8>) -> Option<()> {
    let mut buffer = zmij::Buffer::new();
    let size = number.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        let text = buffer.format_finite(number);
        if !text.contains('e') {
            out.extend_from_slice(text.as_bytes());
            return Some(());
        }
    }
    // SAFETY: the text ends with a zero, and is freed as Python wants it.
    unsafe {
        let (repr, shortest) = (b'r' as c_char, 0);
        let nothing = ptr::null_mut();
        let text =
            ffi::PyOS_double_to_string(number, repr, shortest, ffi::Py_DTSF_ADD_DOT_0, nothing);
        if text.is_null() {
            return None;
        }
        out.extend_from_slice(CStr::from_ptr(text).to_bytes());
        ffi::PyMem_Free(text.cast());
    }
    Some(())
}
