//! The order of strings in en-US: what `localeCompare` and `Intl.Collator` compare with.
//! `icu_collator` would bring a megabyte of data for all languages; this is the root order for
//! Latin letters, with other scripts after them by code point.

use std::cmp::Ordering;
use std::iter::Peekable;
use std::str::Chars;

use rquickjs::{Function, Object, Result, String as JsString};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let compare = Function::new(native.ctx().clone(), compare_text)?;
    native.set("compareText", compare)
}

/// What [`compare_text`] answers where the strings must be in normal form D first.
const NOT_NORMAL: i32 = 2;

/// Compares two strings: -1, 0 or 1. Strings outside of ASCII are `normal` if they are in normal
/// form D and well-formed; where that is not known yet, the answer may be [`NOT_NORMAL`].
fn compare_text(a: JsString<'_>, b: JsString<'_>, options: u32, normal: bool) -> i32 {
    let (Ok(a), Ok(b)) = (a.to_string(), b.to_string()) else {
        return NOT_NORMAL;
    };
    let collation = Collation::new(options);
    if let Some(order) = collation.compare_ascii(&a, &b) {
        return order as i32;
    }
    if normal || (a.is_ascii() && b.is_ascii()) {
        return collation.compare(&a, &b) as i32;
    }
    NOT_NORMAL
}

/// How strings are compared.
struct Collation {
    /// Whether accents make a difference.
    accents: bool,
    /// Whether case makes a difference.
    cases: bool,
    numeric: bool,
    upper_first: bool,
    ignore_punctuation: bool,
}

/// Where a character sorts before accents and case are looked at.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Primary {
    /// Spaces and [`PUNCTUATION`], then [`SYMBOLS`].
    Symbol(u32),
    /// A number: how many digits, then its digits one by one.
    Number(usize, u64),
    Letter(char),
}

impl Collation {
    /// Reads the options as the prelude packs them, a bit each in the order of the fields.
    fn new(options: u32) -> Self {
        let bit = |place: u32| options & (1 << place) != 0;
        Self {
            accents: bit(0),
            cases: bit(1),
            numeric: bit(2),
            upper_first: bit(3),
            ignore_punctuation: bit(4),
        }
    }

    /// The order of strings in which each character has a place of its own: most of what is sorted.
    fn compare_ascii(&self, a: &str, b: &str) -> Option<Ordering> {
        let is_simple = |text: &str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        if self.numeric || self.ignore_punctuation || !is_simple(a) || !is_simple(b) {
            return None;
        }
        let primary = |byte: u8| match byte {
            b'0'..=b'9' => Primary::Number(0, (byte - b'0').into()),
            b'a'..=b'z' | b'A'..=b'Z' => Primary::Letter(byte.to_ascii_lowercase().into()),
            _ => Primary::Symbol(symbol_place(byte.into())),
        };
        let by_case = |text: &str| {
            text.bytes()
                .map(|byte| byte.is_ascii_uppercase())
                .collect::<Vec<_>>()
        };
        let order = a.bytes().map(primary).cmp(b.bytes().map(primary));
        Some(order.then_with(|| self.in_case(&by_case(a), &by_case(b))))
    }

    fn in_case(&self, a: &[bool], b: &[bool]) -> Ordering {
        if !self.cases {
            return Ordering::Equal;
        }
        if self.upper_first { b.cmp(a) } else { a.cmp(b) }
    }

    fn compare(&self, a: &str, b: &str) -> Ordering {
        let (a, b) = (self.weigh(a), self.weigh(b));
        let mut order = a.primary.cmp(&b.primary);
        if self.accents {
            order = order.then_with(|| a.accents.cmp(&b.accents));
        }
        order.then_with(|| self.in_case(&a.cases, &b.cases))
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
            let is_ignored = self.ignore_punctuation && PUNCTUATION.contains(character);
            if !is_ignored {
                weights.push(Primary::Symbol(symbol_place(character)), false);
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

/// Spaces and punctuation, in the order of the root collation.
const PUNCTUATION: &str =
    "\t\n\u{b}\u{c}\r\u{85}\u{2028}\u{2029} _‿-‐‑‒–—―,;:!¡?¿.…·'‘’‚‹›\"“”„«»()[]{}§¶@*/\\&#%‰†‡•";

/// Symbols, which sort after punctuation.
const SYMBOLS: &str = "`´˜^¯¨°©®+±÷×<=>|¦~−¤¢$£¥€";

/// The place of what is neither a letter nor a digit nor an accent. What is not listed comes last,
/// by code point.
fn symbol_place(character: char) -> u32 {
    let listed = PUNCTUATION.chars().chain(SYMBOLS.chars());
    let place = listed.zip(0..).find(|(symbol, _)| *symbol == character);
    place.map_or(0x1000 + character as u32, |(_, place)| place)
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
