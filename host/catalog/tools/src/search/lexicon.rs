//! The words of an index, each of them once: tools have most words in common.

use std::collections::HashMap;
use std::sync::Arc;

/// Words, by numbers.
#[derive(Default)]
pub(super) struct Lexicon {
    numbers: HashMap<Arc<str>, u32>,
    words: Vec<Arc<str>>,
}

impl Lexicon {
    /// The number of a word, which is added if it is new.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        // There are fewer words than bytes, of which an index reads far fewer than that.
        let number = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let word: Arc<str> = word.into();
        self.numbers.insert(Arc::clone(&word), number);
        self.words.push(word);
        number
    }

    /// The word of a number.
    pub(super) fn word(&self, number: u32) -> &Arc<str> {
        &self.words[number as usize]
    }

    /// All words, in the order of their numbers.
    pub(super) fn into_words(self) -> Vec<Arc<str>> {
        self.words
    }
}
