//! Running text: what is in it, found in one way over it for each of a few signs.
//!
//! No pattern is searched for at every place. Each kind has something that can't be missing (`@`, a
//! digit, the beginning of a key), which is found fast; from there, at most so many bytes to both
//! sides are looked at as a value of the kind can have. So the work is linear for any text.
//!
//! - `cues`: words that say what a number near them is, and beginnings of keys
//! - `numbers`: groups of digits; `phones`, `cards`, `ids`, `addresses` (of the internet): what they are
//! - `codes`: letters and digits together: IBANs, ids
//! - `emails`, `labelled`: by `@`, and by `:` and `=`

mod addresses;
mod cards;
mod codes;
mod cues;
mod emails;
mod ids;
mod labelled;
mod numbers;
mod phones;

use crate::fields::Field;
use crate::finding::Finding;
use crate::kind::Kind;
use cues::Cues;

/// What a text is scanned with.
#[derive(Debug)]
pub(crate) struct Scan<'s> {
    pub(crate) text: &'s str,
    /// What it is the value of.
    pub(crate) field: Option<Field>,
    cues: Cues,
    pub(crate) found: &'s mut Vec<Finding>,
}

/// Whether a byte is in a word; and what is in it.
const DIGIT: u8 = 1;
const LETTER: u8 = 2;
const HIGH: u8 = 4;
/// Signs that begin something.
const AT: u8 = 8;
const LABEL: u8 = 16;
const IN_WORD: u8 = DIGIT | LETTER | HIGH;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'0'..=b'9' => DIGIT,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => LETTER,
            b'@' => AT,
            b':' | b'=' => LABEL,
            // Spaces that do not break: after these two bytes, numbers go on.
            0xc2 | 0xe2 => 0,
            0x80.. => HIGH,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Shorter texts hold no key.
const SHORTEST_SECRET: usize = 16;
/// Texts without a sign that are shorter hold nothing.
const SHORTEST: usize = 3;

/// Finds what is in a text. `labels`: names before `:` and `=` are looked at.
pub(crate) fn scan(text: &str, field: Option<Field>, labels: bool, found: &mut Vec<Finding>) {
    if text.len() < SHORTEST {
        return;
    }
    let signs = text
        .bytes()
        .fold(0, |signs, byte| signs | CLASSES[usize::from(byte)]);
    let cues = match signs & DIGIT != 0 || text.len() >= SHORTEST_SECRET {
        true => Cues::of(text, found),
        false => Cues::default(),
    };
    let mut scan = Scan {
        text,
        field,
        cues,
        found,
    };
    if signs & (DIGIT | LABEL) != 0 {
        scan.words();
    }
    if signs & AT != 0 {
        scan.emails();
    }
    if labels && signs & LABEL != 0 {
        scan.labelled();
    }
}

impl Scan<'_> {
    fn bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Looks at each word with a digit, and at those that may begin something.
    fn words(&mut self) {
        let mut at = 0;
        let length = self.text.len();
        while at < length {
            if self.class(at) & IN_WORD == 0 {
                // Quotes, dashes and spaces of more than one byte are in no word.
                at += match self.bytes()[at] {
                    0xc2 => 2,
                    0xe2 => 3,
                    _ => 1,
                };
                continue;
            }
            let start = at;
            let mut content = 0;
            while at < length {
                let class = self.class(at) & IN_WORD;
                if class == 0 {
                    break;
                }
                content |= class;
                at += 1;
            }
            at = match content {
                DIGIT => self.number(start, at),
                content if content & DIGIT == 0 => self.letters(start, at),
                _ => self.code(start, at),
            };
        }
    }

    fn class(&self, at: usize) -> u8 {
        CLASSES[usize::from(self.bytes()[at])]
    }

    fn byte(&self, at: usize) -> u8 {
        self.bytes().get(at).copied().unwrap_or_default()
    }

    /// The byte before, or a space.
    fn before(&self, at: usize) -> u8 {
        match at.checked_sub(1) {
            Some(at) => self.bytes()[at],
            None => b' ',
        }
    }

    fn is_word(&self, at: usize) -> bool {
        self.bytes()
            .get(at)
            .is_some_and(|byte| CLASSES[usize::from(*byte)] & IN_WORD != 0)
    }

    /// Whether a letter or digit is before a character.
    fn word_before(&self, at: usize) -> bool {
        let before = self
            .text
            .get(..at)
            .and_then(|text| text.chars().next_back());
        before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    /// Keeps what was found, and continues after it.
    fn keep(&mut self, kind: Kind, start: usize, end: usize) -> usize {
        self.found.push(Finding::plain(kind, start..end));
        end
    }
}
