//! The tokenizer: BERT's WordPiece without case and accents. A word that the vocabulary has not is
//! the longest pieces that it has.
//!
//! Where the original looks up the category of every sign of Unicode, this one knows the signs of
//! ASCII and the usual blocks of punctuation.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::ModelError;

/// How long a word may be that is taken apart, in characters; a longer one is unknown.
const MAX_WORD: usize = 100;

/// The words of a model, by their text.
pub(crate) struct Vocabulary {
    /// Those that begin a word.
    words: HashMap<Box<str>, u32>,
    /// Those that continue one.
    rest: HashMap<Box<str>, u32>,
    unknown: u32,
    begin: u32,
    end: u32,
}

impl Vocabulary {
    /// The words of a text that has one in each line, in their order.
    pub(crate) fn of(text: &str) -> Result<Self, ModelError> {
        let (mut words, mut rest) = (HashMap::new(), HashMap::new());
        for (word, id) in text.lines().zip(0..) {
            match word.strip_prefix("##") {
                Some(piece) if !piece.is_empty() => rest.insert(piece.into(), id),
                _ => words.insert(word.into(), id),
            };
        }
        let special = |word| (words.get(word).copied()).ok_or(ModelError::Content("vocabulary"));
        Ok(Self {
            unknown: special("[UNK]")?,
            begin: special("[CLS]")?,
            end: special("[SEP]")?,
            words,
            rest,
        })
    }

    /// A text as at most so many numbers of words, with those that begin and end it.
    pub(crate) fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = vec![self.begin];
        for word in words_of(text) {
            if ids.len() >= most {
                break;
            }
            self.take_apart(&word, &mut ids);
        }
        ids.truncate(most.saturating_sub(1).max(1));
        ids.push(self.end);
        ids
    }

    fn take_apart(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        let mut left = word;
        if word.chars().count() > MAX_WORD {
            left = "";
            ids.push(self.unknown);
        }
        while !left.is_empty() {
            let pieces = match ids.len() == before {
                true => &self.words,
                false => &self.rest,
            };
            let ends = left.char_indices().map(|(at, sign)| at + sign.len_utf8());
            let longest = ends
                .rev()
                .find_map(|end| Some((end, *pieces.get(&left[..end])?)));
            let Some((end, id)) = longest else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            left = &left[end..];
        }
    }
}

/// The words of a text: without case and accents, each sign a word of its own.
fn words_of(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let begin = |words: &mut Vec<String>| {
        if words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
    };
    for sign in text.nfd().filter(|sign| !is_combining_mark(*sign)) {
        let stands_alone = is_punctuation(sign) || is_ideograph(sign);
        if sign.is_whitespace() || stands_alone {
            begin(&mut words);
        }
        let nothing =
            sign.is_whitespace() || sign.is_control() || sign == char::REPLACEMENT_CHARACTER;
        if let Some(word) = words.last_mut()
            && !nothing
        {
            word.extend(sign.to_lowercase());
        }
        if stands_alone {
            begin(&mut words);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_punctuation(sign: char) -> bool {
    sign.is_ascii_punctuation()
        || matches!(
            sign,
            '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
        )
        || matches!(sign, '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{3001}'..='\u{3003}')
        || matches!(sign, '\u{3008}'..='\u{3011}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}')
}

fn is_ideograph(sign: char) -> bool {
    matches!(sign, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}')
        || matches!(sign, '\u{20000}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary() -> Vocabulary {
        let words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nfile\n##s\nun\n##read\n,\ncafe\n##\n文";
        Vocabulary::of(words).unwrap()
    }

    #[test]
    fn words_are_their_longest_pieces() {
        let ids = |text: &str| vocabulary().ids(text, 16);
        assert_eq!(ids("Files, unread"), [2, 4, 5, 8, 6, 7, 3]);
        assert_eq!(ids("CAFÉ文file\u{0}s"), [2, 9, 11, 4, 5, 3]);
        assert_eq!(ids("filex"), [2, 1, 3]);
        assert_eq!(ids(&"s".repeat(10_000)), [2, 1, 3]);
        assert_eq!(ids("# #"), [2, 1, 1, 3]);
        assert_eq!(ids(""), [2, 3]);
    }

    #[test]
    fn a_text_has_an_end() {
        let ids = vocabulary().ids(&"file ".repeat(1_000), 8);
        assert_eq!(ids, [2, 4, 4, 4, 4, 4, 4, 3]);
    }

    #[test]
    fn a_vocabulary_without_marks_is_not_one() {
        assert!(Vocabulary::of("file\ns").is_err());
    }
}
