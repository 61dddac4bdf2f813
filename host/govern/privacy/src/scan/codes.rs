//! Letters and digits together: account numbers, and ids that have letters.

use iban::Iban;

use super::Scan;
use super::ids::{codice_fiscale, dni, nie, nino, nir_of_corsica};
use crate::fields::Field;
use crate::kind::{Country, Kind};

/// How many characters an IBAN has, by the code of the country (the registry of ISO 13616).
const IBANS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SC", 31),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];
/// The longest of them.
const LONGEST: usize = 34;

impl Scan<'_> {
    /// Looks at a word of letters and digits, and says where to go on.
    pub(super) fn code(&mut self, start: usize, end: usize) -> usize {
        if self.byte(end) == b':'
            && let Some(end) = self.ipv6(start, end)
        {
            return self.keep(Kind::Ip, start, end);
        }
        let word = &self.bytes()[start..end];
        let at_iban = word.len() >= 4
            && word[..2].iter().all(u8::is_ascii_alphabetic)
            && word[2..4].iter().all(u8::is_ascii_digit);
        if at_iban && let Some(end) = self.iban(start) {
            return self.keep(Kind::Iban, start, end);
        }
        let country = match word.len() {
            9 if nino(word) => Country::UnitedKingdom,
            9 if word[8].is_ascii_uppercase() && self.dni(word) => Country::Spain,
            15 if nir_of_corsica(word) => Country::France,
            16 if codice_fiscale(word) => Country::Italy,
            _ => return end,
        };
        if !matches!(self.before(start), b'-' | b'_' | b'/' | b'#')
            && !self.is_joined(end)
            && !self.is_other_code(start)
        {
            return self.keep(Kind::Id(country), start, end);
        }
        end
    }

    /// Looks at a word of letters: some begin what digits go on.
    pub(super) fn letters(&mut self, start: usize, end: usize) -> usize {
        let next = self.byte(end);
        if next == b':'
            && end - start <= 4
            && let Some(end) = self.ipv6(start, end)
        {
            return self.keep(Kind::Ip, start, end);
        }
        let found = match (end - start, next) {
            (1, b'-') => self.nie_with_dashes(start),
            (2, b' ') => self.nino_with_spaces(start),
            _ => None,
        };
        match found {
            Some((country, end)) => self.keep(Kind::Id(country), start, end),
            None => end,
        }
    }

    fn dni(&self, word: &[u8]) -> bool {
        let (letter, digits) = (word[8], &word[..8]);
        nie(word) || (digits.iter().all(u8::is_ascii_digit) && dni(digits, letter))
    }

    fn is_joined(&self, end: usize) -> bool {
        matches!(self.byte(end), b'-' | b'/') && self.is_word(end + 1)
    }

    fn is_other_code(&mut self, start: usize) -> bool {
        self.cues.go_to(start);
        let said = matches!(self.field, Some(Field::Id(_)));
        !said && (self.field == Some(Field::Code) || self.cues.code(self.text, start))
    }

    /// Where the account number ends that begins there.
    fn iban(&self, start: usize) -> Option<usize> {
        let bytes = self.bytes();
        let mut country = [bytes[start], bytes[start + 1]];
        country.make_ascii_uppercase();
        let (_, length) = IBANS.iter().find(|(code, _)| **code == country)?;
        let mut plain = [0_u8; LONGEST];
        let (mut at, mut count) = (start, 0);
        while count < *length {
            let byte = *bytes.get(at)?;
            match byte {
                byte if byte.is_ascii_alphanumeric() => {
                    plain[count] = byte.to_ascii_uppercase();
                    count += 1;
                }
                b' ' | b'-' if count % 4 == 0 => {}
                // A space that does not break.
                0xc2 if count % 4 == 0 && bytes.get(at + 1) == Some(&0xa0) => at += 1,
                _ => return None,
            }
            at += 1;
        }
        let text = std::str::from_utf8(&plain[..count]).ok()?;
        (!self.is_word(at) && text.parse::<Iban>().is_ok()).then_some(at)
    }

    /// `X-1234567-L`.
    fn nie_with_dashes(&self, start: usize) -> Option<(Country, usize)> {
        let bytes = self.bytes().get(start..start + 11)?;
        let dashes = bytes[1] == b'-' && bytes[9] == b'-';
        let word = [&bytes[..1], &bytes[2..9], &bytes[10..]].concat();
        (dashes && nie(&word) && !self.is_word(start + 11)).then_some((Country::Spain, start + 11))
    }

    /// `AB 12 34 56 C`.
    fn nino_with_spaces(&self, start: usize) -> Option<(Country, usize)> {
        let bytes = self.bytes().get(start..start + 13)?;
        let spaces = [2, 5, 8, 11].iter().all(|at| bytes[*at] == b' ');
        if !spaces {
            return None;
        }
        let word: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b' ').collect();
        (nino(&word) && !self.is_word(start + 13)).then_some((Country::UnitedKingdom, start + 13))
    }
}
