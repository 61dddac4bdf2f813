//! Text from elsewhere: what a server, a script or a file says, made fit to be shown.
//!
//! Whatever is shown, logged or written passes one of these: what can't be seen, or changes how
//! what stands around it is seen, is there as an escape.

use std::borrow::Cow;

/// Whether a character is not seen, or changes how those around it are seen: controls, directions,
/// tags, fillers and other carriers of hidden text. What joins letters and makes emoji of signs is
/// not: texts of many languages need it.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}'
            | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text for a terminal, a log or a message, on one line: what is hidden in it, line ends
/// included, is there as `\\n`, `\\t` or `\\u{202e}`.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The same for a text of several lines: line feeds and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let hidden = |c: char| is_hidden(c) && !stays(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// JSON, or a string of JavaScript or Python, with what can't be seen in it as an escape. Nothing
/// of that stands outside of strings.
pub fn escape_hidden(json: &str) -> String {
    if json.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return json.to_owned();
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_shown_as_an_escape() {
        let text = "a\u{1b}[2J\u{202e}b\u{e0041}\n\tc\u{9b}é\u{2028}";
        assert_eq!(
            one_line(text),
            r"a\u{1b}[2J\u{202e}b\u{e0041}\n\tc\u{9b}é\u{2028}"
        );
        assert_eq!(
            visible(text),
            "a\\u{1b}[2J\\u{202e}b\\u{e0041}\n\tc\\u{9b}é\\u{2028}"
        );
        assert!(matches!(one_line("plain — text"), Cow::Borrowed(_)));
    }
}
