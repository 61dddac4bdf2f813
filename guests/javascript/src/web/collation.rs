//! The order of strings in en-US: what `localeCompare` and `Intl.Collator` compare with. `icu_collator` would bring a megabyte of
//! data for all languages; this is the root order for Latin letters, with other scripts after them by code point.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::Chars;

use rquickjs::{Function, Object, Result};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    native.set(
        "compareText",
        Function::new(native.ctx().clone(), compare_text)?,
    )
}

/// How much two strings must differ to count as different.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sensitivity {
    Base,
    Accent,
    Case,
    Variant,
}

/// Compares two strings in normal form D: negative, zero or positive.
#[expect(
    clippy::needless_pass_by_value,
    reason = "arguments come owned from JavaScript"
)]
fn compare_text(
    a: String,
    b: String,
    sensitivity: String,
    numeric: bool,
    upper_first: bool,
    ignore_punctuation: bool,
) -> i32 {
    let sensitivity = match sensitivity.as_str() {
        "base" => Sensitivity::Base,
        "accent" => Sensitivity::Accent,
        "case" => Sensitivity::Case,
        _ => Sensitivity::Variant,
    };
    let collation = Collation {
        sensitivity,
        numeric,
        upper_first,
        ignore_punctuation,
    };
    collation.compare(&a, &b) as i32
}

struct Collation {
    sensitivity: Sensitivity,
    numeric: bool,
    upper_first: bool,
    ignore_punctuation: bool,
}

/// Where a character sorts before accents and case are looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Primary {
    /// Spaces, then punctuation, then symbols, in the order of [`SYMBOLS`].
    Symbol(u32),
    /// A number: how many digits, then its digits one by one.
    Number(usize, u64),
    Letter(char),
}

impl Collation {
    fn compare(&self, a: &str, b: &str) -> Ordering {
        let (a, b) = (self.weigh(a), self.weigh(b));
        let mut order = a.primary.cmp(&b.primary);
        if self.sensitivity != Sensitivity::Base {
            if self.sensitivity != Sensitivity::Case {
                order = order.then_with(|| a.accents.cmp(&b.accents));
            }
            if self.sensitivity >= Sensitivity::Case {
                let by_case = a.cases.cmp(&b.cases);
                order = order.then(if self.upper_first {
                    by_case.reverse()
                } else {
                    by_case
                });
            }
        }
        order
    }

    fn weigh(&self, text: &str) -> Weights {
        let mut weights = Weights::default();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            self.add(&mut weights, character, &mut characters);
        }
        weights
    }

    fn add(&self, weights: &mut Weights, character: char, rest: &mut Peekable<Chars<'_>>) {
        if is_accent(character) {
            if let Some(accents) = weights.accents.last_mut() {
                accents.push(character);
            }
            return;
        }
        if let Some(digit) = character.to_digit(10) {
            if self.numeric {
                weights.push_number(digit, rest);
            } else {
                weights.push(Primary::Number(0, digit.into()), false);
            }
            return;
        }
        if character.is_alphanumeric() {
            for expanded in expand(character).chars() {
                let lower = expanded.to_lowercase().next().unwrap_or(expanded);
                weights.push(Primary::Letter(lower), lower != expanded);
            }
            if expand(character).is_other()
                && let Some(accents) = weights.accents.last_mut()
            {
                accents.push(character);
            }
            return;
        }
        if !character.is_control() || character.is_whitespace() {
            let place = symbol_place(character);
            let is_punctuation = place < FIRST_SYMBOL;
            if !(self.ignore_punctuation && is_punctuation) {
                weights.push(Primary::Symbol(place), false);
            }
        }
    }
}

#[derive(Default)]
struct Weights {
    primary: Vec<Primary>,
    accents: Vec<String>,
    cases: Vec<bool>,
}

impl Weights {
    fn push(&mut self, primary: Primary, is_upper: bool) {
        self.primary.push(primary);
        self.accents.push(String::new());
        self.cases.push(is_upper);
    }

    /// Adds a run of digits by its value.
    fn push_number(&mut self, first: u32, rest: &mut Peekable<Chars<'_>>) {
        let mut digits = vec![first];
        while let Some(digit) = rest.peek().and_then(|next| next.to_digit(10)) {
            digits.push(digit);
            rest.next();
        }
        let leading = digits.iter().take_while(|&&digit| digit == 0).count();
        let significant = &digits[leading.min(digits.len() - 1)..];
        self.push(Primary::Number(significant.len(), 0), false);
        for &digit in significant {
            self.push(Primary::Number(significant.len(), digit.into()), false);
        }
    }
}

/// Spaces, punctuation and, from [`FIRST_SYMBOL`], symbols, in the order of the root collation.
const SYMBOLS: &str = "\t\n\u{b}\u{c}\r\u{85}\u{2028}\u{2029} _‿-‐‑‒–—―,;:!¡?¿.…·'‘’‚‹›\"“”„«»()[]{}§¶@*/\\&#%‰†‡•`´˜^¯¨°©®+±÷×<=>|¦~−¤¢$£¥€";

/// The place of the first symbol, which is not punctuation.
const FIRST_SYMBOL: u32 = 65;

fn symbol_place(character: char) -> u32 {
    let known = SYMBOLS.chars().position(|symbol| symbol == character);
    known.map_or(0x1000 + character as u32, |place| place as u32)
}

fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}')
}

/// Letters that sort as several.
fn expand(character: char) -> Expansion {
    match character {
        'ß' => Expansion::Text("ss"),
        'æ' => Expansion::Text("ae"),
        'Æ' => Expansion::Text("AE"),
        'œ' => Expansion::Text("oe"),
        'Œ' => Expansion::Text("OE"),
        'ø' => Expansion::Text("o"),
        'Ø' => Expansion::Text("O"),
        'ł' => Expansion::Text("l"),
        'Ł' => Expansion::Text("L"),
        'đ' => Expansion::Text("d"),
        'Đ' => Expansion::Text("D"),
        _ => Expansion::One(character),
    }
}

enum Expansion {
    One(char),
    Text(&'static str),
}

impl Expansion {
    /// Whether the letters stand for another one, from which they differ as if by an accent.
    fn is_other(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    fn chars(&self) -> impl Iterator<Item = char> + '_ {
        let (one, text) = match *self {
            Self::One(character) => (Some(character), ""),
            Self::Text(text) => (None, text),
        };
        one.into_iter().chain(text.chars())
    }
}
