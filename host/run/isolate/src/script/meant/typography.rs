//! Typographic characters where code has plain ones: word processors and chats put them there.

use super::pieces::{Breaks, Piece, Pieces};
use super::reading::{Family, Reading, Repair, line_of};

/// Quotation marks that stand for `"`.
const DOUBLE: [char; 6] = ['“', '”', '„', '‟', '«', '»'];
/// The same for `'`.
const SINGLE: [char; 6] = ['‘', '’', '‚', '‛', '‹', '›'];

pub(super) fn is_quote(c: char) -> bool {
    DOUBLE.contains(&c) || SINGLE.contains(&c)
}

/// Where a text ends that this quotation mark opens, and with which; at least one of the two is
/// typographic. `inside` is the rest of its line.
pub(super) fn closing(open: char, inside: &str) -> Option<(usize, char)> {
    let (plain, marks) = match open {
        '"' => ('"', &DOUBLE),
        '\'' => ('\'', &SINGLE),
        open if DOUBLE.contains(&open) => ('"', &DOUBLE),
        open if SINGLE.contains(&open) => ('\'', &SINGLE),
        _ => return None,
    };
    let is_typographic = |c: char| marks.contains(&c);
    // An apostrophe in a word ends no text.
    let ends = |(at, c): &(usize, char)| {
        let next = inside[at + c.len_utf8()..].chars().next();
        is_typographic(*c) && !next.is_some_and(char::is_alphanumeric)
    };
    let mut found = inside.char_indices().filter(|(_, c)| is_typographic(*c));
    let typographic = found.by_ref().take(MOST_ENDS).find(ends);
    let plainly = inside.find(plain).map(|at| (at, plain));
    match (typographic, plainly.filter(|_| open != plain)) {
        // Either might be the end.
        (Some((end, _)), Some((before, _))) if before < end => None,
        (Some(end), _) => Some(end),
        (None, end) => end,
    }
}

/// How many quotation marks are looked at for the end of a text.
const MOST_ENDS: usize = 64;

/// What stands for a character outside of texts; none for one that code may have.
fn plain(c: char, family: Family) -> Option<&'static str> {
    Some(match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => "-",
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
            if family == Family::Python =>
        {
            " "
        }
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' => "",
        '\u{2028}' | '\u{2029}' if family == Family::Python => "\n",
        '…' => "...",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '（' => "(",
        '）' => ")",
        '，' => ",",
        '：' => ":",
        '；' => ";",
        _ => return None,
    })
}

/// The code with plain characters, except in its texts.
pub(super) fn reading(code: &str, family: Family) -> Option<Reading> {
    if code.is_ascii() {
        return None;
    }
    let mut source = String::with_capacity(code.len());
    let mut found = Vec::new();
    let mut at = 0;
    for piece in Pieces::of(code, family, Breaks::Real) {
        at += match piece {
            Piece::Code(text) => {
                for (offset, c) in text.char_indices() {
                    match plain(c, family) {
                        Some(plain) => {
                            note(&mut found, c, plain, at + offset);
                            source.push_str(plain);
                        }
                        None => source.push(c),
                    }
                }
                text.len()
            }
            Piece::Quoted {
                open,
                inside,
                close,
            } => {
                let quote = if open == '"' || DOUBLE.contains(&open) {
                    "\""
                } else {
                    "'"
                };
                let end = at + open.len_utf8() + inside.len();
                for (mark, at) in [(open, at), (close, end)] {
                    if is_quote(mark) {
                        note(&mut found, mark, quote, at);
                    }
                }
                source.push_str(quote);
                quoted(inside, quote, &mut source);
                source.push_str(quote);
                end - at + close.len_utf8()
            }
            Piece::Comment(text) | Piece::Text(text) | Piece::Escaped(text) => {
                source.push_str(text);
                text.len()
            }
        };
    }
    let repair = Repair(said(code, &found)?);
    Some(Reading::of(source, repair))
}

/// A character that was found.
struct Typographic {
    character: char,
    /// What stands for it.
    plain: &'static str,
    /// Where it was.
    at: usize,
}

/// How many characters are named.
const MOST_NAMED: usize = 6;

/// Notes the first of each character.
fn note(found: &mut Vec<Typographic>, character: char, plain: &'static str, at: usize) {
    let is_known = found.iter().any(|known| known.character == character);
    if found.len() < MOST_NAMED && !is_known {
        found.push(Typographic {
            character,
            plain,
            at,
        });
    }
}

/// A text that gets these quotation marks.
fn quoted(inside: &str, quote: &str, to: &mut String) {
    let mut escaped = false;
    for c in inside.chars() {
        if !escaped && quote.starts_with(c) {
            to.push('\\');
        }
        escaped = c == '\\' && !escaped;
        to.push(c);
    }
}

/// What was found, with the line of the first.
fn said(code: &str, found: &[Typographic]) -> Option<String> {
    let first = found.first()?.at;
    let said = found.iter().map(|it| {
        let instead = match it.plain {
            "" => "nothing",
            " " => "a space",
            "\n" => "a line break",
            plain => plain,
        };
        format!("{} for {instead}", name(it.character, it.plain))
    });
    let said: Vec<String> = said.collect();
    Some(format!(
        "typographic characters, first in line {}: {}",
        line_of(code, first),
        said.join(", ")
    ))
}

/// A character, with its number where it is hard to tell from others.
fn name(c: char, plain: &str) -> String {
    let name = match (c, plain) {
        ('\u{a0}' | '\u{202f}', _) => "a no-break space",
        (_, "") => "an invisible character",
        (_, " ") => "a wide space",
        (_, "\n") => "a line separator",
        (c, "-") => return format!("{c} (U+{:04X})", u32::from(c)),
        (c, _) => return c.to_string(),
    };
    format!("{name} (U+{:04X})", u32::from(c))
}
