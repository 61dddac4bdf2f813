//! Numbers of payment cards: who issues them, how long they are, and Luhn's digit (ISO/IEC 7812).

use super::Scan;
use super::numbers::{Gap, Groups};
use crate::fields::Field;
use crate::kind::Kind;

/// How cards are grouped on paper.
const FORMS: &[&[usize]] = &[&[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4], &[4, 4, 4, 4, 3]];

impl Scan<'_> {
    /// How many groups are a card's number.
    pub(super) fn card(&self, groups: &Groups) -> Option<(Kind, usize)> {
        if matches!(self.field, Some(Field::Phone | Field::Id(_) | Field::Iban)) {
            return None;
        }
        let grouped =
            |form: &&&[usize]| groups.are(form, Gap::Space) || groups.are(form, Gap::Dash);
        let count = match groups.length(0) {
            13..=19 if groups.ends(1) => 1,
            4 => FORMS.iter().filter(grouped).map(|form| form.len()).max()?,
            _ => return None,
        };
        let digits = groups.digits(count);
        let cued = || self.field == Some(Field::Card) || self.cues.card(self.text, groups.start());
        // Of other numbers of 13 digits, some are times.
        let sure = digits.len() > 13 || cued();
        (sure && is_card(digits)).then_some((Kind::Card, count))
    }
}

/// Whether digits are a card's.
pub(crate) fn is_card(digits: &[u8]) -> bool {
    let head = digits
        .iter()
        .take(4)
        .fold(0_u16, |n, digit| 10 * n + u16::from(digit - b'0'));
    let length = digits.len();
    let issued = match head {
        // Visa
        4000..=4999 => matches!(length, 13 | 16 | 19),
        // Mastercard
        5100..=5599 | 2221..=2720 => length == 16,
        // American Express
        3400..=3499 | 3700..=3799 => length == 15,
        // Diners Club
        3000..=3059 | 3095 | 3600..=3699 | 3800..=3999 => (14..=19).contains(&length),
        // JCB
        3528..=3589 => (16..=19).contains(&length),
        // Discover
        6011 | 6440..=6599 => (16..=19).contains(&length),
        // UnionPay
        6200..=6299 => (16..=19).contains(&length),
        // Maestro
        5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763 => (13..=19).contains(&length),
        _ => false,
    };
    issued && luhn(digits)
}

/// Luhn's check: every second digit from the right counts twice.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let value = |(index, digit): (usize, &u8)| {
        let digit = u32::from(digit - b'0');
        match index % 2 {
            0 => digit,
            _ => 2 * digit - if digit > 4 { 9 } else { 0 },
        }
    };
    let sum: u32 = digits.iter().rev().enumerate().map(value).sum();
    sum.is_multiple_of(10)
}
