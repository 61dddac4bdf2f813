//! Which lines are prose, and not code of any language.

use super::reading::Family;

/// Marks that begin an item of a list, and nothing in code.
const BULLETS: [char; 6] = ['•', '‣', '◦', '▪', '●', '–'];

/// How many words a sentence has at least.
const LEAST_WORDS: usize = 3;

/// Whether a line can be nothing but prose: a sentence, an item of a list, a heading.
pub(super) fn is_prose(line: &str, family: Family) -> bool {
    let line = line.trim();
    if line.starts_with(BULLETS) {
        return true;
    }
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
    if let Some(item) = item {
        return item.starts_with("**") || is_sentence(item);
    }
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() {
        // In Python, a comment.
        return family == Family::JavaScript && heading.starts_with(' ');
    }
    is_sentence(line)
}

/// Whether it is a sentence: words, which a mark ends.
fn is_sentence(text: &str) -> bool {
    let begins_large = text.starts_with(char::is_uppercase);
    let is_ended = text.ends_with(['.', '!', '?', '…']) || begins_large && text.ends_with(':');
    if !is_ended {
        return false;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_word = |word: &&&str| {
        let word = word.trim_matches(|c: char| "()\"'`*_,.;:!?…“”‘’".contains(c));
        let mut rest = word.chars();
        rest.next().is_some_and(char::is_alphanumeric)
            && rest.all(|c| c.is_alphanumeric() || "'’-_./`".contains(c))
    };
    let count = words.iter().filter(is_word).count();
    let is_plain = |word: &&str| word.chars().all(|c| !"={}[];<>&|+$@\\".contains(c));
    let plain_words = words.iter().filter(|word| {
        word.trim_end_matches([',', '.', ':', '!', '?'])
            .chars()
            .all(char::is_alphabetic)
    });
    count >= LEAST_WORDS
        && count + 1 >= words.len()
        && words.iter().all(is_plain)
        && plain_words.count() >= 2
}
