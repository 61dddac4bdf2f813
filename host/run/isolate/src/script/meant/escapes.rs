//! Code that was written as a text of JSON once too often: a backslash and an `n` where line breaks
//! belong, and a backslash before quotation marks.

use super::pieces::{Breaks, Piece, Pieces};
use super::reading::{Family, Reading, Repair};

/// The code with line breaks.
pub(super) fn reading(code: &str, family: Family) -> Option<Reading> {
    if !code.contains('\\') {
        return None;
    }
    let source = match encoding(code, family)? {
        Encoding::Whole => decoded(code)?,
        Encoding::OutsideOfTexts => outside_of_texts(code, family),
    };
    let what = if has_written_breaks(code, family) {
        "`\\n`, a backslash and an n, where line breaks belong"
    } else {
        "a backslash before quotation marks that belong to the code"
    };
    Some(Reading::of(source, Repair(what.to_owned())))
}

/// How much of the code was encoded.
enum Encoding {
    /// All of it, with what its texts hold.
    Whole,
    /// What is not a text. Texts are as they were written.
    OutsideOfTexts,
}

/// How the code was encoded, if that is certain.
fn encoding(code: &str, family: Family) -> Option<Encoding> {
    let mut within = Vec::new();
    let mut is_encoded = false;
    let mut code_before = "";
    for piece in Pieces::of(code, family, Breaks::Written) {
        match piece {
            Piece::Code("\\") => code_before = "\\",
            Piece::Code(text) => {
                is_encoded |= code_before == "\\" && text.starts_with(['n', 'r', 't']);
                code_before = text;
            }
            Piece::Escaped(_) => is_encoded = true,
            Piece::Text(text) => within.push(text),
            Piece::Quoted { inside, .. } => within.push(inside),
            Piece::Comment(_) => {}
        }
    }
    if !is_encoded {
        return None;
    }
    if is_text_of_json(code) && code.contains("\\\"") {
        return Some(Encoding::Whole);
    }
    // Of a text of JSON without a quotation mark of its own, nobody can tell whether what its
    // texts hold was encoded once or twice.
    let is_doubtful = is_text_of_json(code) && within.iter().any(|text| text.contains("\\\\"));
    (!is_doubtful).then_some(Encoding::OutsideOfTexts)
}

/// Whether it has what a text of JSON may have between its quotation marks: no line break, and no
/// quotation mark but with a backslash before it.
fn is_text_of_json(code: &str) -> bool {
    let mut escaped = false;
    code.trim().chars().all(|c| {
        let is_right = escaped || !matches!(c, '\n' | '\r' | '"');
        escaped = c == '\\' && !escaped;
        is_right
    })
}

/// Whether there is a line break of two characters outside of texts.
fn has_written_breaks(code: &str, family: Family) -> bool {
    let mut after_backslash = false;
    Pieces::of(code, family, Breaks::Written).any(|piece| {
        let is_break =
            after_backslash && matches!(piece, Piece::Code(code) if code.starts_with(['n', 'r']));
        after_backslash = piece == Piece::Code("\\");
        is_break
    })
}

/// A text of JSON as what it stands for.
fn decoded(code: &str) -> Option<String> {
    let mut text = String::with_capacity(code.len());
    let mut rest = code.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match rest.next()? {
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            c @ ('"' | '\\' | '/' | '\'') => text.push(c),
            'u' => {
                let digits = rest.as_str().get(..4)?;
                let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
                text.push(c);
                rest = rest.as_str()[4..].chars();
            }
            // What JSON has not, a text of the code has.
            c => text.extend(['\\', c]),
        }
    }
    Some(text)
}

/// The code with line breaks for those of two characters, but in texts.
fn outside_of_texts(code: &str, family: Family) -> String {
    let mut source = String::with_capacity(code.len());
    let mut after_backslash = false;
    for piece in Pieces::of(code, family, Breaks::Written) {
        let is_behind = std::mem::take(&mut after_backslash);
        match piece {
            Piece::Code("\\") => {
                source.extend(is_behind.then_some('\\'));
                after_backslash = true;
            }
            Piece::Code(text) => {
                let first = text.chars().next().filter(|_| is_behind);
                let text = match first {
                    Some('n') => {
                        source.push('\n');
                        &text[1..]
                    }
                    Some('t') => {
                        source.push('\t');
                        &text[1..]
                    }
                    // Before an `n`, as in Windows.
                    Some('r') => &text[1..],
                    _ => {
                        source.extend(is_behind.then_some('\\'));
                        text
                    }
                };
                source.push_str(text);
            }
            Piece::Quoted {
                open,
                inside,
                close,
            } => {
                source.extend(is_behind.then_some('\\'));
                source.push(open);
                source.push_str(inside);
                source.push(close);
            }
            Piece::Escaped(text) => {
                let inside = &text[2..text.len() - 2];
                let quote = &text[1..2];
                source.push_str(quote);
                source.push_str(inside);
                source.push_str(quote);
            }
            Piece::Comment(text) | Piece::Text(text) => {
                source.extend(is_behind.then_some('\\'));
                source.push_str(text);
            }
        }
    }
    source.extend(after_backslash.then_some('\\'));
    source
}
