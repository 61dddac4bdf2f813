//! Numbers as decimal digits, rounded as people round them: what most texts of `Intl.NumberFormat`
//! need.

use rquickjs::{Function, Object, Result};

/// Adds the function of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set("writtenNumber", Function::new(ctx.clone(), written)?)?;
    Ok(())
}

/// A finite number without its sign, times ten to the power of `shift`, rounded half away from
/// zero to `most` places, with at least `least` places and `integer` digits before the point.
fn written(value: f64, shift: usize, integer: usize, least: usize, most: usize) -> String {
    let mut number = Decimal::of(value.abs());
    if !number.digits.is_empty() {
        number.point += shift as isize;
    }
    number.round(most);
    let Decimal { digits, point } = number;
    let whole = point.max(0) as usize;
    let mut text = "0".repeat(integer.saturating_sub(whole));
    text.extend((0..whole).map(|place| digits.get(place).map_or('0', |digit| *digit as char)));
    let fraction: &[u8] = digits.get(whole..).unwrap_or(&[]);
    let zeros = match fraction {
        [] => 0,
        _ => point.min(0).unsigned_abs(),
    };
    let places = (zeros + fraction.len()).max(least);
    if places > 0 {
        text.push('.');
        text.extend(std::iter::repeat_n('0', zeros));
        text.extend(fraction.iter().map(|digit| *digit as char));
        text.extend(std::iter::repeat_n('0', places - zeros - fraction.len()));
    }
    text
}

/// 0.digits × 10^point, without zeros at either end. Zero has no digits.
struct Decimal {
    /// In ASCII.
    digits: Vec<u8>,
    point: isize,
}

impl Decimal {
    /// The shortest decimal that is read as this number, which is finite and not negative.
    fn of(number: f64) -> Self {
        let mut buffer = dragonbox_ecma::Buffer::new();
        let text = buffer.format_finite(number);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
        let whole = mantissa.find('.').unwrap_or(mantissa.len());
        let all = mantissa.bytes().filter(u8::is_ascii_digit);
        let digits: Vec<u8> = all.collect();
        let leading = digits.iter().take_while(|digit| **digit == b'0').count();
        let exponent: isize = exponent.parse().expect("a number's exponent is a number");
        let mut decimal = Self {
            digits: digits[leading..].to_vec(),
            point: whole as isize + exponent - leading as isize,
        };
        decimal.strip();
        decimal
    }

    /// Rounds half away from zero to so many places behind the point.
    fn round(&mut self, places: usize) {
        let keep = self.point + places as isize;
        let Ok(keep) = usize::try_from(keep) else {
            self.digits.clear();
            return;
        };
        let Some(first) = self.digits.get(keep).copied() else {
            return;
        };
        self.digits.truncate(keep);
        if first >= b'5' {
            self.step();
        }
        self.strip();
    }

    /// Adds one in the last place that is kept.
    fn step(&mut self) {
        match self.digits.iter().rposition(|digit| *digit != b'9') {
            Some(last) => {
                self.digits.truncate(last + 1);
                self.digits[last] += 1;
            }
            None => {
                self.digits = vec![b'1'];
                self.point += 1;
            }
        }
    }

    fn strip(&mut self) {
        let end = self.digits.iter().rposition(|digit| *digit != b'0');
        self.digits.truncate(end.map_or(0, |last| last + 1));
        if self.digits.is_empty() {
            self.point = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn digits_are_rounded_half_away_from_zero_and_padded() {
        let cases = [
            (written(1234567.891, 0, 1, 0, 3), "1234567.891"),
            (written(-1.005, 0, 1, 2, 2), "1.01"),
            (written(0.0, 0, 1, 0, 3), "0"),
            (written(0.0, 0, 1, 2, 2), "0.00"),
            (written(0.6, 0, 1, 0, 0), "1"),
            (written(0.4, 0, 1, 0, 0), "0"),
            (written(0.06, 0, 1, 0, 1), "0.1"),
            (written(0.0004, 0, 1, 0, 3), "0"),
            (written(0.0005, 0, 1, 0, 3), "0.001"),
            (written(999.999, 0, 1, 0, 2), "1000"),
            (written(5.0, 0, 3, 1, 1), "005.0"),
            (written(0.125, 2, 1, 0, 0), "13"),
            (written(0.07, 2, 1, 0, 0), "7"),
            (written(-0.0, 2, 1, 0, 0), "0"),
            (written(1e21, 0, 1, 0, 3), "1000000000000000000000"),
            (written(1e-7, 0, 1, 0, 8), "0.0000001"),
        ];
        for (written, right) in cases {
            assert_eq!(written, right);
        }
        let largest = written(f64::MAX, 0, 1, 0, 0);
        assert!(largest.starts_with("17976931348623157000"), "{largest}");
        assert_eq!(largest.len(), 309);
    }
}
