//! Telephone numbers: international ones by the codes of countries (ITU-T E.164), those of one country
//! by how they are written there, and plain digits where a word says so.

use super::Scan;
use super::numbers::{Gap, Groups};
use crate::fields::Field;

/// How many digits a number has at most, with the country's code (E.164).
const MOST: usize = 15;
/// How many at least.
const LEAST: usize = 8;
/// The codes of countries that have two digits. Beside them are 1 and 7; all others have three.
const TWO: &[u8] = &[
    20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56,
    57, 58, 60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
];
/// What codes of three digits begin with.
const THREE: &[u8] = &[
    21, 22, 23, 24, 25, 26, 29, 35, 37, 38, 42, 50, 59, 67, 68, 69, 80, 85, 87, 88, 96, 97, 99,
];
/// How many digits follow the code, where that is known: at least, and at most.
const LENGTHS: &[(u16, usize, usize)] = &[
    (1, 10, 10),
    (7, 10, 10),
    (31, 9, 9),
    (32, 8, 9),
    (33, 9, 9),
    (34, 9, 9),
    (39, 6, 11),
    (41, 9, 9),
    (44, 9, 10),
    (48, 9, 9),
    (52, 10, 11),
    (54, 10, 11),
    (55, 10, 11),
    (91, 10, 10),
    (351, 9, 9),
];

fn lengths(digits: &[u8]) -> Option<(usize, usize)> {
    let number = |count: usize| {
        let digits = digits.get(..count)?;
        Some(
            digits
                .iter()
                .fold(0_u16, |n, digit| 10 * n + u16::from(digit - b'0')),
        )
    };
    let (code, length) = match number(2)? {
        10..=19 => (1, 1),
        70..=79 => (7, 1),
        two if TWO.contains(&(two as u8)) => (two, 2),
        two if THREE.contains(&(two as u8)) => (number(3)?, 3),
        _ => return None,
    };
    let known = LENGTHS.iter().find(|(known, _, _)| *known == code);
    let (least, most) = known.map_or((LEAST - 2, MOST - length), |(_, least, most)| {
        (*least, *most)
    });
    Some((length + least, length + most))
}

impl Scan<'_> {
    /// How many groups are a number that begins with a country's code, after so many digits.
    pub(super) fn international(&self, groups: &Groups, prefix: usize) -> Option<usize> {
        let (least, most) = lengths(groups.digits(groups.count).get(prefix..)?)?;
        // `+49 (0)30`: what is dialled within the country alone.
        let trunk = |count: usize| {
            let inner = (1..count.min(3)).any(|index| {
                groups.length(index) == 1
                    && groups.digits(index + 1).ends_with(b"0")
                    && groups.gap(index - 1) == Some(Gap::Bracket)
            });
            usize::from(inner)
        };
        let fits = |count: &usize| {
            let digits = groups.total(*count) - prefix - trunk(*count);
            (least.max(LEAST)..=most).contains(&digits) && self.joined(groups, *count)
        };
        (1..=groups.count).rev().find(fits)
    }

    /// How many groups are a telephone number as it is written in one country.
    pub(super) fn phone(&self, groups: &Groups) -> Option<usize> {
        let start = groups.start();
        let said = match self.field {
            Some(Field::Phone) => true,
            Some(Field::Card | Field::Iban | Field::Id(_) | Field::Ip) => return None,
            _ => self.cues.phone(self.text, start),
        };
        let digits = groups.digits(groups.count);
        if digits.starts_with(b"00") {
            let spaced = groups.count > 2 || said;
            return self.international(groups, 2).filter(|_| spaced);
        }
        let by_form = self
            .american(groups, said)
            .or_else(|| self.brazilian(groups));
        let by_form = by_form.or_else(|| self.with_trunk(groups, said));
        by_form.or_else(|| self.said(groups).filter(|_| said))
    }

    /// `(212) 555-0123`, `212-555-0123`, `1-212-555-0123`.
    fn american(&self, groups: &Groups, said: bool) -> Option<usize> {
        let skip = usize::from(groups.length(0) == 1 && groups.digits(1) == b"1");
        let lengths: &[usize] = if skip == 1 { &[1, 3, 3, 4] } else { &[3, 3, 4] };
        if !groups.have(lengths) {
            return None;
        }
        let digits = &groups.digits(lengths.len())[skip..];
        let gaps = (groups.gap(skip), groups.gap(skip + 1));
        let form = match gaps {
            (Some(Gap::Dash), Some(Gap::Dash)) | (Some(Gap::Dot), Some(Gap::Dot)) => true,
            (Some(Gap::Bracket), _) => true,
            (Some(Gap::Space), Some(Gap::Space | Gap::Dash)) => said,
            _ => false,
        };
        let valid = digits[0] >= b'2' && digits[3] >= b'2';
        (form && valid).then_some(lengths.len())
    }

    /// `(11) 98765-4321`.
    fn brazilian(&self, groups: &Groups) -> Option<usize> {
        let form = groups.have(&[2, 5, 4]) || groups.have(&[2, 4, 4]);
        let gaps = groups.gap(0) == Some(Gap::Bracket) && groups.gap(1) == Some(Gap::Dash);
        (form && gaps && self.before(groups.start()) == b'(').then_some(3)
    }

    /// `030 901820`, `0711 / 123 45 67`, `06 12 34 56 78`: with the 0 that is dialled within a country.
    fn with_trunk(&self, groups: &Groups, said: bool) -> Option<usize> {
        if groups.digits(1).first() != Some(&b'0')
            || groups.digits(groups.count).get(1) == Some(&b'0')
        {
            return None;
        }
        if groups.are(&[2, 2, 2, 2, 2], Gap::Dot) {
            return Some(5);
        }
        let fits = |count: &usize| {
            let digits = groups.total(*count);
            let spread = *count > 1 || said;
            (9..=12).contains(&digits) && spread && self.joined(groups, *count)
        };
        let count = (1..=groups.count).rev().find(fits)?;
        let first = (2..=5).contains(&groups.length(0)) || count == 1;
        // `01-02-2024 10`, `06-2023-4455`, `05/06/2024`: dates, and years in numbers of files.
        let is_date = count > 1
            && groups.length(0) == 2
            && matches!(groups.gap(0), Some(Gap::Dash | Gap::Slash))
            && matches!(groups.length(1), 2 | 4);
        let is_dotted = (0..count - 1).any(|index| groups.gap(index) == Some(Gap::Dot));
        (first && !is_date && !is_dotted).then_some(count)
    }

    /// Digits in whatever groups, where it is said what they are.
    fn said(&self, groups: &Groups) -> Option<usize> {
        let fits = |count: &usize| {
            let digits = groups.total(*count);
            let plain = *count > 1 || digits >= 9 || self.field == Some(Field::Phone);
            (7..=13).contains(&digits) && plain && self.joined(groups, *count)
        };
        let count = (1..=groups.count).rev().find(fits)?;
        let gaps = || (0..count - 1).filter_map(|index| groups.gap(index));
        let is_date = groups.length(0) == 4 && groups.length(1) == 2 && groups.length(2) == 2
            || groups.length(0) <= 2 && groups.length(1) <= 2 && groups.length(2) == 4;
        let is_decimal = count == 2 && groups.gap(0) == Some(Gap::Dot);
        let odd = gaps().any(|gap| gap == Gap::Plus);
        (!is_date && !is_decimal && !odd).then_some(count)
    }

    /// Whether nothing that is joined to these groups makes them something else.
    fn joined(&self, groups: &Groups, count: usize) -> bool {
        let end = groups.end(count);
        let next = self.byte(end);
        let goes_on = self.byte(end + 1).is_ascii_digit();
        let joined = matches!(next, b'.' | b',' | b'/' | b'-' | b':' | b'+') && goes_on;
        let money = next == b'%'
            || self.bytes()[end..].starts_with("€".as_bytes())
            || self.bytes()[end..].starts_with(" €".as_bytes());
        let lone_bracket = groups.gap(count - 1) == Some(Gap::Bracket) && next == b')';
        !joined && !money && !lone_bracket && groups.ends(count)
    }
}
