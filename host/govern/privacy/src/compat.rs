//! A text as it is read rather than as it is written: full-width letters and signs, ligatures and the
//! like as the plain ones that they are compatible with (each character by Unicode's NFKC), and
//! without characters that nobody sees.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

/// A text that is read otherwise than it is written.
pub(crate) struct CompatText {
    pub(crate) text: String,
    /// For each byte of the text, and for its end, where the character begins that it is of, in the
    /// text as it is written.
    starts: Vec<usize>,
}

impl CompatText {
    /// None where it is read as it is written.
    pub(crate) fn of(written: &str) -> Option<Self> {
        if written.is_ascii() || written.chars().all(is_plain) {
            return None;
        }
        let mut text = String::with_capacity(written.len());
        let mut starts = Vec::with_capacity(written.len() + 1);
        for (at, letter) in written.char_indices() {
            if is_unseen(letter) {
                continue;
            }
            text.extend(std::iter::once(letter).nfkc());
            starts.resize(text.len(), at);
        }
        starts.push(written.len());
        Some(Self { text, starts })
    }

    /// Where something is in the text as it is written.
    pub(crate) fn written(&self, range: &Range<usize>, written: &str) -> Range<usize> {
        let start = self.starts[range.start];
        // The end of the last character, which may be more than one here.
        let last = range.end.checked_sub(1).map_or(start, |at| self.starts[at]);
        let letter = written[last..].chars().next();
        start..last + letter.map_or(0, char::len_utf8)
    }
}

fn is_plain(letter: char) -> bool {
    let mut folded = std::iter::once(letter).nfkc();
    letter.is_ascii()
        || !is_unseen(letter) && folded.next() == Some(letter) && folded.next().is_none()
}

/// Soft hyphens, and what joins or parts words without being seen.
fn is_unseen(letter: char) -> bool {
    matches!(
        letter,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
    )
}
