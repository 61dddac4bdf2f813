//! Numbers that countries give to persons: their forms and check digits.
//!
//! Those that are bare digits, or whose check is one digit, count where a word or a field says what
//! they are; of ten random numbers, one would pass.

use super::Scan;
use super::cards::luhn;
use super::numbers::{Gap, Groups};
use crate::fields::Field;
use crate::kind::{Country, Kind};

impl Scan<'_> {
    /// How many groups are a number of a person.
    pub(super) fn id(&self, groups: &Groups) -> Option<(Kind, usize)> {
        let said = match self.field {
            Some(Field::Id(country)) => country,
            Some(Field::Phone | Field::Card | Field::Iban | Field::Ip) => return None,
            _ => self.cues.id(self.text, groups.start()),
        };
        let any = self.field == Some(Field::Id(None));
        let (country, count) = by_form(groups).or_else(|| by_word(groups, said, any))?;
        Some((Kind::Id(country), count))
    }

    /// `12345678-Z`: eight digits, a dash, a letter.
    pub(super) fn dni_with_dash(&self, start: usize, end: usize) -> Option<(Kind, usize)> {
        let letter = self.byte(end + 1);
        let ends = !self.is_word(end + 2);
        let valid = dni(&self.bytes()[start..end], letter);
        (ends && valid).then_some((Kind::Id(Country::Spain), end + 2))
    }
}

/// Forms that nothing else has.
fn by_form(groups: &Groups) -> Option<(Country, usize)> {
    if groups.are(&[3, 2, 4], Gap::Dash) && ssn(groups.digits(3)) {
        return Some((Country::UnitedStates, 3));
    }
    if groups.are(&[3, 4, 4, 2], Gap::Dot) && ahv(groups.digits(4)) {
        return Some((Country::Switzerland, 4));
    }
    let dotted = groups.gap(0) == Some(Gap::Dot) && groups.gap(1) == Some(Gap::Dot);
    if groups.have(&[3, 3, 3, 2])
        && dotted
        && groups.gap(2) == Some(Gap::Dash)
        && cpf(groups.digits(4))
    {
        return Some((Country::Brazil, 4));
    }
    let joined = matches!(groups.gap(0), Some(Gap::Dash | Gap::Plus));
    let swedish = groups.have(&[6, 4]) || groups.have(&[8, 4]);
    if swedish && joined && personnummer(groups.digits(2)) {
        return Some((Country::Sweden, 2));
    }
    let nir_forms: [&[usize]; 4] = [&[15], &[13, 2], &[1, 2, 2, 2, 3, 3, 2], &[1, 2, 2, 2, 3, 3]];
    let form = nir_forms.iter().find(|form| groups.have(form));
    let count = form
        .map(|form| form.len())
        .filter(|count| nir(groups.digits(*count)))?;
    Some((Country::France, count))
}

/// What is plain digits, where a word says what it is.
fn by_word(groups: &Groups, said: Option<Country>, any: bool) -> Option<(Country, usize)> {
    type Check = fn(&[u8]) -> bool;
    const CHECKS: [(Country, &[usize], Check); 10] = [
        (Country::Brazil, &[11], cpf),
        (Country::France, &[15], nir),
        (Country::Germany, &[11], steuer_id),
        (Country::India, &[12], aadhaar),
        (Country::Netherlands, &[9], bsn),
        (Country::Poland, &[11], pesel),
        (Country::Portugal, &[9], nif),
        (Country::Sweden, &[10, 12], personnummer),
        (Country::Switzerland, &[13], ahv),
        (Country::UnitedStates, &[9], ssn),
    ];
    for (country, lengths, check) in CHECKS {
        if said != Some(country) && !any {
            continue;
        }
        let fits = |count: &usize| {
            let digits = groups.digits(*count);
            lengths.contains(&digits.len()) && groups.ends(*count) && check(digits)
        };
        if let Some(count) = (1..=groups.count).find(fits) {
            return Some((country, count));
        }
    }
    None
}

fn value(digit: u8) -> u32 {
    u32::from(digit - b'0')
}

fn number(digits: &[u8]) -> u64 {
    digits
        .iter()
        .fold(0, |n, digit| 10 * n + u64::from(value(*digit)))
}

fn weighed(digits: &[u8], weights: impl IntoIterator<Item = u32>) -> u32 {
    digits
        .iter()
        .zip(weights)
        .map(|(digit, weight)| value(*digit) * weight)
        .sum()
}

fn same(digits: &[u8]) -> bool {
    digits.iter().all(|digit| Some(digit) == digits.first())
}

fn is_date(month: u64, day: u64) -> bool {
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// No check digit; some ranges are never given (SSA, "SSN randomization").
fn ssn(digits: &[u8]) -> bool {
    let (area, group, serial) = (
        number(&digits[..3]),
        number(&digits[3..5]),
        number(&digits[5..]),
    );
    let given = !matches!(area, 0 | 666 | 900..) && group != 0 && serial != 0;
    given && !same(digits)
}

/// EAN-13, beginning with the country's number.
fn ahv(digits: &[u8]) -> bool {
    let sum = weighed(&digits[..12], [1, 3].into_iter().cycle());
    digits.starts_with(b"756") && (10 - sum % 10) % 10 == value(digits[12])
}

/// Two check digits modulo 11 (Receita Federal).
fn cpf(digits: &[u8]) -> bool {
    let check = |count: usize| {
        let sum = weighed(&digits[..count], (2..=count as u32 + 1).rev());
        let rest = 10 * sum % 11 % 10;
        rest == value(digits[count])
    };
    digits.len() == 11 && !same(digits) && check(9) && check(10)
}

/// A date, a serial number and Luhn's digit over nine of them (Skatteverket).
fn personnummer(digits: &[u8]) -> bool {
    let digits = match digits.len() {
        12 if matches!(&digits[..2], b"18" | b"19" | b"20") => &digits[2..],
        10 => digits,
        _ => return false,
    };
    let (month, day) = (number(&digits[2..4]), number(&digits[4..6]));
    // 60 is added to the day in numbers for people who are there for a while.
    is_date(month, if day > 60 { day - 60 } else { day }) && luhn(digits)
}

/// Sex, year, month, place; the last two are 97 less the rest modulo 97 (INSEE).
fn nir(digits: &[u8]) -> bool {
    if digits.len() != 15 || !matches!(digits[0], b'1'..=b'4' | b'7' | b'8') {
        return false;
    }
    let month = number(&digits[3..5]);
    let months = matches!(month, 1..=12 | 20..=42 | 50..=99);
    months && 97 - number(&digits[..13]) % 97 == number(&digits[13..])
}

/// ISO 7064 MOD 11,10 (Bundeszentralamt für Steuern); of the first ten digits, one is there twice or
/// three times.
fn steuer_id(digits: &[u8]) -> bool {
    if digits.len() != 11 || digits[0] == b'0' {
        return false;
    }
    let mut counts = [0_u8; 10];
    let mut product = 10;
    for &digit in &digits[..10] {
        counts[value(digit) as usize] += 1;
        let sum = match (value(digit) + product) % 10 {
            0 => 10,
            sum => sum,
        };
        product = sum * 2 % 11;
    }
    let repeated = counts.iter().filter(|count| **count > 1).count();
    let check = (11 - product) % 10;
    (1..=2).contains(&repeated) && check == value(digits[10])
}

/// Verhoeff's check (UIDAI); none begins with 0 or 1.
fn aadhaar(digits: &[u8]) -> bool {
    const PRODUCT: [[u8; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    const TURN: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let mut check = 0;
    for (index, &digit) in digits.iter().rev().enumerate() {
        let turned = (0..index % 8).fold(digit - b'0', |digit, _| TURN[usize::from(digit)]);
        check = PRODUCT[usize::from(check)][usize::from(turned)];
    }
    digits.len() == 12 && digits[0] >= b'2' && check == 0
}

/// The "elfproef": weights 9 to 2, and -1 for the last.
fn bsn(digits: &[u8]) -> bool {
    let sum = weighed(&digits[..8], (2..=9).rev());
    let number = number(digits) != 0;
    number && sum % 11 == value(digits[8])
}

/// A date, whose month says the century, and a check digit.
fn pesel(digits: &[u8]) -> bool {
    let (month, day) = (number(&digits[2..4]) % 20, number(&digits[4..6]));
    let sum = weighed(&digits[..10], [1, 3, 7, 9].into_iter().cycle());
    is_date(month, day) && (10 - sum % 10) % 10 == value(digits[10])
}

/// Modulo 11 (Autoridade Tributária); those of persons begin with 1, 2, 3 or 45.
fn nif(digits: &[u8]) -> bool {
    let sum = weighed(&digits[..8], (2..=9).rev());
    let check = match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    let person = matches!(digits[0], b'1'..=b'3') || digits.starts_with(b"45");
    person && check == value(digits[8])
}

/// Eight digits and a letter, which is the number modulo 23 (Ministerio del Interior).
pub(super) fn dni(digits: &[u8], letter: u8) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let index = (number(digits) % 23) as usize;
    digits.len() == 8 && !same(digits) && LETTERS[index] == letter.to_ascii_uppercase()
}

/// The same for foreigners: X, Y or Z stands for the first digit.
pub(super) fn nie(word: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first() else {
        return false;
    };
    let first = match first.to_ascii_uppercase() {
        b'X' => b'0',
        b'Y' => b'1',
        b'Z' => b'2',
        _ => return false,
    };
    let Some((letter, digits)) = rest.split_last().filter(|(_, digits)| digits.len() == 7) else {
        return false;
    };
    let mut number = [first; 8];
    number[1..].copy_from_slice(digits);
    digits.iter().all(u8::is_ascii_digit) && letter.is_ascii_alphabetic() && dni(&number, *letter)
}

/// Two letters, six digits, a letter from A to D (HMRC, NIM39110).
pub(super) fn nino(word: &[u8]) -> bool {
    if word.len() != 9 || !word[2..8].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let (first, second) = (word[0], word[1]);
    let never = |letter: u8| matches!(letter, b'D' | b'F' | b'I' | b'Q' | b'U' | b'V');
    let letters = first.is_ascii_uppercase() && second.is_ascii_uppercase();
    let pair = matches!(
        &word[..2],
        b"BG" | b"GB" | b"KN" | b"NK" | b"NT" | b"TN" | b"ZZ"
    );
    letters
        && !never(first)
        && !never(second)
        && second != b'O'
        && !pair
        && matches!(word[8], b'A'..=b'D')
}

/// Sixteen letters and digits, the last of which checks the others (Agenzia delle Entrate).
pub(super) fn codice_fiscale(word: &[u8]) -> bool {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let letter = |index: &usize| matches!(index, 0..=5 | 8 | 11 | 15);
    // Where two persons would have the same, letters stand for digits.
    let digit = |byte: u8| {
        byte.is_ascii_digit() || matches!(byte.to_ascii_uppercase(), b'L'..=b'N' | b'P'..=b'V')
    };
    let form = |index: usize, byte: u8| match letter(&index) {
        true => byte.is_ascii_alphabetic(),
        false => digit(byte),
    };
    if word.len() != 16
        || !word
            .iter()
            .enumerate()
            .all(|(index, byte)| form(index, *byte))
    {
        return false;
    }
    let index_of = |byte: u8| match byte {
        b'0'..=b'9' => usize::from(byte - b'0'),
        byte => usize::from(byte.to_ascii_uppercase() - b'A'),
    };
    let sum: u32 = word[..15]
        .iter()
        .enumerate()
        .map(|(index, byte)| match index % 2 {
            0 => ODD[index_of(*byte)],
            _ => index_of(*byte) as u32,
        })
        .sum();
    sum % 26 == index_of(word[15]) as u32
}

/// A French number of somebody from Corsica, whose department has a letter.
pub(super) fn nir_of_corsica(word: &[u8]) -> bool {
    let mut digits: [u8; 15] = match word.try_into() {
        Ok(digits) => digits,
        Err(_) => return false,
    };
    let department = match &word[5..7] {
        b"2A" => b"19",
        b"2B" => b"18",
        _ => return false,
    };
    digits[5..7].copy_from_slice(department);
    digits.iter().all(u8::is_ascii_digit) && nir(&digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_examples_pass_and_neighbours_do_not() {
        type Check = fn(&[u8]) -> bool;
        let cases: [(Check, &str); 14] = [
            (ahv, "7569217076985"),
            (cpf, "11144477735"),
            (cpf, "52998224725"),
            (personnummer, "8112289874"),
            (personnummer, "198112189876"),
            (nir, "255081416802538"),
            (steuer_id, "86095742719"),
            (steuer_id, "47036892816"),
            (steuer_id, "65929970489"),
            (aadhaar, "234123412346"),
            (bsn, "111222333"),
            (bsn, "123456782"),
            (pesel, "44051401359"),
            (nif, "123456789"),
        ];
        for (check, number) in cases {
            assert!(check(number.as_bytes()), "{number}");
            let mut other = number.as_bytes().to_vec();
            let last = other.len() - 1;
            other[last] = b'0' + (other[last] - b'0' + 1) % 10;
            assert!(!check(&other), "{number} with another last digit");
        }
    }

    #[test]
    fn those_with_letters_are_checked() {
        assert!(dni(b"12345678", b'Z') && !dni(b"12345678", b'A'));
        assert!(nie(b"X1234567L") && nie(b"Y1234567X") && !nie(b"X1234567A") && !nie(b"A1234567L"));
        assert!(
            nino(b"AB123456C") && !nino(b"QQ123456C") && !nino(b"AB123456E") && !nino(b"GB123456A")
        );
        assert!(codice_fiscale(b"RSSMRA85T10A562S") && codice_fiscale(b"rssmra85t10a562s"));
        assert!(!codice_fiscale(b"RSSMRA85T10A562T") && !codice_fiscale(b"RSSMRA85T10A5625"));
        assert!(
            ssn(b"536904399") && !ssn(b"666123456") && !ssn(b"900123456") && !ssn(b"123006789")
        );
    }
}
