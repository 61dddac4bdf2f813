//! A name's words, and what joins them again.

use std::fmt::Write;

use ampoule_untrusted::text::is_hidden;

use super::Style;

/// The longest part of a name that is read, in characters. What is cut off still counts in the
/// identifier's hash.
const MAX_CHARS: usize = 256;

/// How many marks, such as accents, one letter of an identifier may have. No language needs more,
/// and dozens would cover the lines around it.
const MAX_MARKS: usize = 3;

/// `name` without case and punctuation: `googleDrive`, `google_drive` and `Google Drive` have the
/// same. A name of punctuation alone is its own.
pub fn canonical(name: &str) -> String {
    if name.is_ascii() {
        let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
        let kept: String = kept
            .map(|byte| char::from(byte.to_ascii_lowercase()))
            .collect();
        return if kept.is_empty() {
            name.to_owned()
        } else {
            kept
        };
    }
    let kept: String = name
        .chars()
        .filter(|c| is_word_char(*c))
        .flat_map(char::to_lowercase)
        .collect();
    if kept.is_empty() {
        name.to_owned()
    } else {
        kept
    }
}

/// The words of `name`, in lower case: `getHTTPResponse_v2` has `get`, `http`, `response` and `v2`.
pub fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before = None;
    let mut chars = lightened(name.chars().take(MAX_CHARS)).peekable();
    while let Some(c) = chars.next() {
        if !is_word_char(c) {
            end_word(&mut word, &mut words);
            before = None;
            continue;
        }
        let acronym_ends = chars.peek().is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && before.is_some_and(|b: char| !b.is_uppercase() || acronym_ends) {
            end_word(&mut word, &mut words);
        }
        if c.is_ascii() {
            word.push(c.to_ascii_lowercase());
        } else {
            word.extend(c.to_lowercase().filter(|c| is_word_char(*c)));
        }
        before = Some(c);
    }
    end_word(&mut word, &mut words);
    words
}

fn end_word(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

/// Whether a character may stand in an identifier of every JavaScript engine and compiler, and is
/// seen there. Beyond the basic plane their tables differ.
fn is_word_char(c: char) -> bool {
    c != '_'
        && c <= '\u{ffff}'
        && unicode_ident::is_xid_continue(c)
        && !is_hidden(c)
        && !matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a character stands above, below or within the letter before it.
fn is_mark(c: char) -> bool {
    !c.is_ascii()
        && unicode_ident::is_xid_continue(c)
        && !unicode_ident::is_xid_start(c)
        && !c.is_numeric()
}

/// The characters without the marks that a letter may not have as well.
fn lightened(chars: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut marks = 0;
    chars.filter(move |c| {
        marks = if is_mark(*c) { marks + 1 } else { 0 };
        marks <= MAX_MARKS
    })
}

/// Whether `name` is an identifier in camel case as it stands, such as `listURLs`.
pub(super) fn is_one_camel_word(name: &str) -> bool {
    name.chars()
        .next()
        .is_some_and(|c| unicode_ident::is_xid_start(c) && !c.is_uppercase())
        && name.chars().all(is_word_char)
        && lightened(name.chars()).eq(name.chars())
}

/// The words in ASCII: other characters by their numbers, as no spelling fits all languages. `café`
/// is `cafue9`.
pub(super) fn ascii(words: Vec<String>) -> Vec<String> {
    words
        .into_iter()
        .map(|word| {
            if word.is_ascii() {
                return word;
            }
            word.chars().fold(String::new(), |mut ascii, c| {
                if c.is_ascii() {
                    ascii.push(c);
                } else {
                    let _ = write!(ascii, "u{:x}", u32::from(c));
                }
                ascii
            })
        })
        .collect()
}

/// `createIssue` or `CreateIssue`. Marks may have come together that stood apart, or as a letter
/// changed its case.
pub(super) fn join_capitalised(words: &[String], style: Style) -> String {
    let mut joined = String::new();
    for word in words {
        let mut chars = word.chars();
        if joined.is_empty() && style == Style::Camel {
            joined.push_str(word);
        } else if let Some(first) = chars.next() {
            joined.extend(first.to_uppercase().filter(|c| is_word_char(*c)));
            joined.push_str(chars.as_str());
        }
    }
    lightened(joined.chars()).collect()
}

/// `create-issue`. A word that starts with a digit joins the one before it: not every tool that
/// reads WIT lets words start that way.
pub(super) fn join_kebab(words: Vec<String>) -> String {
    let mut joined = String::new();
    for word in words {
        if !joined.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()) {
            joined.push('-');
        }
        joined.push_str(&word);
    }
    joined
}
