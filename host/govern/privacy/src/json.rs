//! JSON texts, walked without a tree: what is in strings is seen without its escapes, and where it
//! is in the text is known all the same. Strings that hold JSON are walked, too.

use std::ops::Range;

use serde::de::IgnoredAny;

/// How often JSON may be in a string of JSON, and still be walked.
const LEVELS: u8 = 4;

/// The reader of what is in a text.
pub(crate) trait Visitor {
    /// Text that is not JSON and in no string, or what a string holds.
    fn text(&mut self, text: &str, place: &TextPlace<'_>);
    /// The name of the member that comes next. Where it is, as for a text.
    fn member(&mut self, _name: &str, _place: &TextPlace<'_>) {}
    /// A number. Where it is in the whole text, and in how many strings.
    fn number(&mut self, _number: &str, _range: Range<usize>, _level: u8) {}
    /// An object or array begins.
    fn open(&mut self, _object: bool) {}
    /// One ends.
    fn close(&mut self) {}
}

/// Where a text is, in the one that it was found in.
#[derive(Debug, Default)]
pub(crate) struct TextPlace<'p> {
    around: Option<&'p TextPlace<'p>>,
    /// Where it begins.
    base: usize,
    /// After each escape: how far that is in the text, and how far in the one around it.
    breaks: Vec<(usize, usize)>,
    /// How many strings it is in.
    pub(crate) level: u8,
    /// Whether it is all that is in a string.
    pub(crate) is_string: bool,
}

impl TextPlace<'_> {
    /// Where an offset of the text is in the whole one.
    pub(crate) fn out(&self, at: usize) -> usize {
        let before = self.breaks.partition_point(|(inside, _)| *inside <= at);
        let (inside, outside) = match before {
            0 => (0, 0),
            some => self.breaks[some - 1],
        };
        let at = self.base + outside + (at - inside);
        self.around.map_or(at, |around| around.out(at))
    }

    /// The same for a range.
    pub(crate) fn out_range(&self, range: &Range<usize>) -> Range<usize> {
        self.out(range.start)..self.out(range.end)
    }

    /// Whether what is there is written in the whole text as it is.
    pub(crate) fn is_plain(&self) -> bool {
        self.breaks.is_empty() && self.around.is_none_or(TextPlace::is_plain)
    }
}

/// Walks a text: its parts that are JSON as such, the rest as text.
pub(crate) fn walk(text: &str, visitor: &mut impl Visitor) {
    pieces(text, &TextPlace::default(), visitor);
}

fn pieces(text: &str, place: &TextPlace<'_>, visitor: &mut impl Visitor) {
    let mut from = 0;
    for json in documents(text) {
        rest(text, from..json.start, place, visitor);
        document(text, json.clone(), place, visitor);
        from = json.end;
    }
    rest(text, from..text.len(), place, visitor);
}

fn rest(text: &str, range: Range<usize>, place: &TextPlace<'_>, visitor: &mut impl Visitor) {
    if range.is_empty() {
        return;
    }
    let inner = TextPlace {
        around: Some(place),
        base: range.start,
        level: place.level,
        is_string: place.is_string && range.len() == text.len(),
        ..TextPlace::default()
    };
    visitor.text(&text[range], &inner);
}

/// The JSON documents in a text: each begins a line, and is an object or an array.
///
/// What is tried in vain is counted, and all of it is no more than twice the text.
fn documents(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut effort = 2 * text.len();
    let mut at = 0;
    while at < text.len() {
        let line = text[at..].trim_start_matches([' ', '\t']);
        let start = text.len() - line.len();
        if line.starts_with(['{', '[']) {
            let tried = &line[..boundary(line, effort)];
            let mut values = serde_json::Deserializer::from_str(tried).into_iter::<IgnoredAny>();
            match values.next() {
                Some(Ok(_)) => {
                    let end = start + values.byte_offset();
                    found.push(start..end);
                    at = end;
                    continue;
                }
                // How far it was read is where the mistake is.
                Some(Err(error)) => {
                    effort = effort.saturating_sub(read_until(tried, &error));
                }
                None => {}
            }
        }
        match memchr::memchr(b'\n', &text.as_bytes()[start..]) {
            Some(end) => at = start + end + 1,
            None => break,
        }
    }
    found
}

/// How many bytes were read before a mistake was found.
fn read_until(text: &str, error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return text.len();
    }
    let mut lines = memchr::memchr_iter(b'\n', text.as_bytes());
    let line = match error.line() {
        0 | 1 => 0,
        line => lines.nth(line - 2).map_or(0, |end| end + 1),
    };
    (line + error.column()).max(1)
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Walks one document. It is one: that was tried.
fn document(text: &str, range: Range<usize>, place: &TextPlace<'_>, visitor: &mut impl Visitor) {
    let bytes = text.as_bytes();
    let mut at = range.start;
    while at < range.end {
        match bytes[at] {
            b'"' => {
                let end = string_end(bytes, at);
                let after = after_space(bytes, end);
                let inside = at + 1..end.saturating_sub(1).max(at + 1);
                if bytes.get(after) == Some(&b':') {
                    let (decoded, inner) = within(text, inside.clone(), place);
                    visitor.member(decoded.as_deref().unwrap_or(&text[inside]), &inner);
                    at = after + 1;
                } else {
                    string(text, inside, place, visitor);
                    at = end;
                }
            }
            b'{' | b'[' => {
                visitor.open(bytes[at] == b'{');
                at += 1;
            }
            b'}' | b']' => {
                visitor.close();
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let of_number =
                    |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let end = at + bytes[at..range.end].iter().take_while(of_number).count();
                visitor.number(&text[at..end], place.out(at)..place.out(end), place.level);
                at = end;
            }
            _ => at += 1,
        }
    }
}

fn string(text: &str, inside: Range<usize>, place: &TextPlace<'_>, visitor: &mut impl Visitor) {
    let (decoded, inner) = within(text, inside.clone(), place);
    let content = decoded.as_deref().unwrap_or(&text[inside]);
    let holds_json = content.trim_start().starts_with(['{', '[']) && content.len() > 2;
    match holds_json && inner.level <= LEVELS {
        true => pieces(content, &inner, visitor),
        false => visitor.text(content, &inner),
    }
}

/// What a string holds without its escapes, if it has any, and where that is.
fn within<'p>(
    text: &str,
    inside: Range<usize>,
    place: &'p TextPlace<'p>,
) -> (Option<String>, TextPlace<'p>) {
    let base = inside.start;
    let (decoded, breaks) = unescaped(&text[inside]);
    let inner = TextPlace {
        around: Some(place),
        base,
        breaks,
        level: place.level + 1,
        is_string: true,
    };
    (decoded, inner)
}

/// A text that is not a string of JSON, as if it was one: what a script may make of it. None if it
/// has no escapes.
pub(crate) fn decoded<'p>(text: &str, place: &'p TextPlace<'p>) -> Option<(String, TextPlace<'p>)> {
    let (decoded, inner) = within(text, 0..text.len(), place);
    Some((decoded?, inner))
}

/// Where the string ends that begins there: after its quote.
pub(crate) fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

pub(crate) fn after_space(bytes: &[u8], at: usize) -> usize {
    let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    at + bytes[at..].iter().take_while(space).count()
}

/// What is between the quotes of a string, without escapes; none if it has none.
fn unescaped(content: &str) -> (Option<String>, Vec<(usize, usize)>) {
    let bytes = content.as_bytes();
    let mut breaks = Vec::new();
    let Some(mut at) = memchr::memchr(b'\\', bytes) else {
        return (None, breaks);
    };
    let mut out = String::with_capacity(content.len());
    let mut copied = 0;
    loop {
        out.push_str(&content[copied..at]);
        let (c, length) = escape(bytes, at);
        out.push(c);
        copied = (at + length).min(bytes.len());
        breaks.push((out.len(), copied));
        match memchr::memchr(b'\\', &bytes[copied..]) {
            Some(found) => at = copied + found,
            None => break,
        }
    }
    out.push_str(&content[copied..]);
    (Some(out), breaks)
}

/// The character that an escape stands for, and the escape's length.
fn escape(bytes: &[u8], at: usize) -> (char, usize) {
    match bytes.get(at + 1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => {
            // In texts that are not JSON, anything may follow.
            let Some(first) = unit(bytes, at) else {
                return (char::REPLACEMENT_CHARACTER, 2);
            };
            let second = unit(bytes, at + 6);
            let pair = [Some(first), second].into_iter().flatten();
            match char::decode_utf16(pair).next() {
                Some(Ok(c)) if c.len_utf16() == 2 => (c, 12),
                Some(Ok(c)) => (c, 6),
                _ => (char::REPLACEMENT_CHARACTER, 6),
            }
        }
        Some(&byte) if byte.is_ascii() => (char::from(byte), 2),
        _ => (char::REPLACEMENT_CHARACTER, 1),
    }
}

fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}
