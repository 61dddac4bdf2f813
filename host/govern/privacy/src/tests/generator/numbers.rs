//! Numbers with the check digits that real ones have: cards, accounts, persons.

use super::random::{below, digits, one};

pub(super) fn card(seed: &mut u64) -> String {
    let form = one(
        &[
            "4##############",
            "5N#############",
            "37############",
            "6011###########",
            "222N###########",
            "35N8###########",
        ],
        seed,
    );
    let form = form
        .replace("5N", "52")
        .replace("35N8", "3548")
        .replace("222N", "2225");
    let mut number = digits(&form, seed);
    number.push(luhn(&number));
    let (separator, groups): (&str, &[usize]) = match (below(4, seed), number.len()) {
        (0 | 1, 16) => (" ", &[4, 4, 4, 4]),
        (2, 16) => ("-", &[4, 4, 4, 4]),
        (0..=2, 15) => (" ", &[4, 6, 5]),
        _ => return number,
    };
    grouped(&number, groups, separator)
}

fn grouped(number: &str, groups: &[usize], separator: &str) -> String {
    let mut at = 0;
    let part = |length: &usize| {
        at += length;
        &number[at - length..at]
    };
    groups.iter().map(part).collect::<Vec<_>>().join(separator)
}

fn luhn(number: &str) -> char {
    let doubled = |(index, digit): (usize, u8)| {
        let digit = u32::from(digit - b'0');
        if index % 2 == 0 {
            digit * 2 / 10 + digit * 2 % 10
        } else {
            digit
        }
    };
    let sum: u32 = number.bytes().rev().enumerate().map(doubled).sum();
    char::from(b'0' + ((10 - sum % 10) % 10) as u8)
}

pub(super) fn iban(seed: &mut u64) -> String {
    let forms = [
        "DE##################",
        "GB@@@@##############",
        "FR#######################",
        "ES####################",
        "NL@@@@##########",
        "AT################",
        "BE############",
        "PT#####################",
        "PL########################",
        "CH#################",
        "SE####################",
        "IT@######################",
    ];
    // The check digits of these countries are their own as well, and `iban_validate` looks at lengths and letters alone.
    let form = one(&forms, seed);
    let letters: String = form[2..]
        .chars()
        .map(|c| {
            if c == '@' {
                char::from(b'A' + below(13, seed) as u8)
            } else {
                c
            }
        })
        .collect();
    let rest = digits(&letters, seed);
    let country = &form[..2];
    let check = 98 - modulo(&format!("{rest}{country}00"), 97);
    let plain = format!("{country}{check:02}{rest}");
    if below(2, seed) == 0 {
        return plain;
    }
    let parts: Vec<&str> = (0..plain.len())
        .step_by(4)
        .map(|at| &plain[at..plain.len().min(at + 4)])
        .collect();
    parts.join(" ")
}

/// A text of digits and letters (from 10 on) modulo a number.
fn modulo(text: &str, by: u64) -> u64 {
    text.chars()
        .fold(0, |rest, c| match c.to_digit(36).map(u64::from) {
            Some(value @ 0..=9) => (rest * 10 + value) % by,
            Some(value) => (rest * 100 + value) % by,
            None => rest,
        })
}

pub(super) fn number(id: &str, seed: &mut u64) -> String {
    match id {
        "id-us" => digits("2NN-4N-#NN#", seed),
        "id-us-bare" => digits("2NN4N#NN#", seed),
        "id-gb" => digits(
            one(&["AB######C", "JT######A", "AB ## ## ## D"], seed),
            seed,
        ),
        "id-de" => steuer_id(seed),
        "id-fr" => nir(seed),
        "id-es" => dni(seed),
        "id-it" => codice_fiscale(seed),
        "id-nl" => weighed(seed, 9),
        "id-pl" => pesel(seed),
        "id-br" => cpf(seed, true),
        "id-br-bare" => cpf(seed, false),
        "id-pt" => nif(seed),
        "id-se" => personnummer(seed),
        "id-in" => aadhaar(seed),
        "id-ch" => ahv(seed),
        other => panic!("no value for {other}"),
    }
}

fn values(number: &str) -> impl DoubleEndedIterator<Item = u64> {
    number.bytes().map(|byte| u64::from(byte - b'0'))
}

fn steuer_id(seed: &mut u64) -> String {
    // One digit twice, one not at all.
    let mut ten: Vec<u64> = (0..10).collect();
    for index in (1..10).rev() {
        ten.swap(index, below(index as u64 + 1, seed) as usize);
    }
    if ten[0] == 0 {
        ten.swap(0, 5);
    }
    ten[9] = ten[3];
    let mut product = 10;
    for digit in &ten {
        let sum = (digit + product) % 10;
        product = (if sum == 0 { 10 } else { sum }) * 2 % 11;
    }
    ten.push((11 - product) % 10);
    let number: String = ten.iter().map(u64::to_string).collect();
    if below(2, seed) == 0 {
        number
    } else {
        grouped(&number, &[2, 3, 3, 3], " ")
    }
}

fn nir(seed: &mut u64) -> String {
    let head =
        digits("2##", seed) + &format!("{:02}", 1 + below(12, seed)) + &digits("7######N", seed);
    let number = format!(
        "{head}{:02}",
        97 - head.parse::<u64>().expect("digits") % 97
    );
    if below(2, seed) == 0 {
        number
    } else {
        grouped(&number, &[1, 2, 2, 2, 3, 3, 2], " ")
    }
}

fn dni(seed: &mut u64) -> String {
    let letter = |number: u64| char::from(b"TRWAGMYFPDXBNJZSQVHLCKE"[(number % 23) as usize]);
    let number = 10_000_000 + below(80_000_000, seed);
    match below(3, seed) {
        0 => {
            let number = below(9_999_999, seed);
            format!("X{number:07}{}", letter(number))
        }
        1 => format!("{number}-{}", letter(number)),
        _ => format!("{number}{}", letter(number)),
    }
}

fn codice_fiscale(seed: &mut u64) -> String {
    const ODD: [u64; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let names = one(&["RSSMRA", "BRCLCU", "VRDGPP", "FRRLCE"], seed);
    let head = digits(
        &format!(
            "{names}8N{}0NH501",
            one(
                &["A", "B", "C", "D", "E", "H", "L", "M", "P", "R", "S", "T"],
                seed
            )
        ),
        seed,
    );
    let value = |c: char| u64::from(c.to_digit(36).unwrap_or_default());
    let plain = |c: char| {
        if c.is_ascii_digit() {
            value(c)
        } else {
            value(c) - 10
        }
    };
    let sum: u64 = head
        .chars()
        .enumerate()
        .map(|(index, c)| {
            if index % 2 == 0 {
                ODD[plain(c) as usize]
            } else {
                plain(c)
            }
        })
        .sum();
    format!("{head}{}", char::from(b'A' + (sum % 26) as u8))
}

/// The Dutch check: nine digits, weighed from 9 to 2, and -1.
fn weighed(seed: &mut u64, first: u64) -> String {
    loop {
        let head = digits("N#######", seed);
        let rest = values(&head)
            .zip((2..=first).rev())
            .map(|(digit, weight)| digit * weight)
            .sum::<u64>()
            % 11;
        if rest < 10 {
            return format!("{head}{rest}");
        }
    }
}

fn pesel(seed: &mut u64) -> String {
    let head = format!(
        "{:02}{:02}{:02}",
        below(99, seed),
        1 + below(12, seed),
        1 + below(28, seed)
    ) + &digits("####", seed);
    let sum: u64 = values(&head)
        .zip([1, 3, 7, 9].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum();
    format!("{head}{}", (10 - sum % 10) % 10)
}

fn cpf(seed: &mut u64, dotted: bool) -> String {
    let mut number = digits("N########", seed);
    for count in [9_u64, 10] {
        let sum: u64 = values(&number)
            .zip((2..=count + 1).rev())
            .map(|(digit, weight)| digit * weight)
            .sum();
        number += &(sum * 10 % 11 % 10).to_string();
    }
    if !dotted {
        return number;
    }
    format!(
        "{}.{}.{}-{}",
        &number[..3],
        &number[3..6],
        &number[6..9],
        &number[9..]
    )
}

fn nif(seed: &mut u64) -> String {
    let head = digits("2#######", seed);
    let sum: u64 = values(&head)
        .zip((2..=9).rev())
        .map(|(digit, weight)| digit * weight)
        .sum();
    let check = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
    format!("{head}{check}")
}

fn personnummer(seed: &mut u64) -> String {
    let head = format!(
        "{:02}{:02}{:02}",
        below(99, seed),
        1 + below(12, seed),
        1 + below(28, seed)
    ) + &digits("###", seed);
    let number = format!("{head}{}", luhn(&head));
    let form = below(2, seed);
    let century = if form == 0 { "19" } else { "" };
    format!("{century}{}-{}", &number[..6], &number[6..])
}

fn aadhaar(seed: &mut u64) -> String {
    // The last digit is tried: of ten, one is right.
    let head = digits("X##########", seed);
    let right = (0..10)
        .map(|digit| format!("{head}{digit}"))
        .find(|number| verhoeff(number));
    grouped(&right.expect("one is right"), &[4, 4, 4], " ")
}

/// Verhoeff's check by the group of symmetries of a pentagon, rather than by its table.
fn verhoeff(number: &str) -> bool {
    const TURN: [u64; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let times = |a: u64, b: u64| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => 5 + (a + b - 5) % 5,
        (false, true) => 5 + (a - 5 + 5 - b) % 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let turned =
        |(index, digit): (usize, u64)| (0..index).fold(digit, |digit, _| TURN[digit as usize]);
    values(number).rev().enumerate().map(turned).fold(0, times) == 0
}

fn ahv(seed: &mut u64) -> String {
    let head = digits("756#########", seed);
    let sum: u64 = values(&head)
        .zip([1, 3].into_iter().cycle())
        .map(|(digit, weight)| digit * weight)
        .sum();
    let number = format!("{head}{}", (10 - sum % 10) % 10);
    grouped(&number, &[3, 4, 4, 2], ".")
}
