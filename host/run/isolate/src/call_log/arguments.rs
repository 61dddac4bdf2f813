//! Arguments of a call, as short as a line has them. A text is shown whole or not at all: what looks
//! for personal data later would not find half of an address.

/// How long a text may be, in bytes.
const TEXT_BYTES: usize = 160;
/// How long all of it may be, in bytes.
pub(super) const MOST_BYTES: usize = 512;

/// A JSON document without long texts, and without what is beyond so many bytes.
pub(super) fn shortened(json: &str) -> String {
    let mut shown = String::new();
    let mut rest = json;
    loop {
        let quote = rest.find('"').unwrap_or(rest.len());
        let (between, texts) = rest.split_at(quote);
        let room = MOST_BYTES.saturating_sub(shown.len());
        if between.len() > room {
            // A number, too, is whole or not there.
            let whole = between[..between.floor_char_boundary(room)].rfind([',', '[', '{', ':']);
            shown.push_str(&between[..whole.map_or(0, |at| at + 1)]);
            shown.push('…');
            return shown;
        }
        shown.push_str(between);
        if texts.is_empty() {
            return shown;
        }
        let (text, after) = texts.split_at(end_of_text(texts));
        if shown.len() + text.len().min(TEXT_BYTES) > MOST_BYTES {
            shown.push('…');
            return shown;
        }
        match text.len() > TEXT_BYTES {
            true => shown.push_str("\"…\""),
            false => shown.push_str(text),
        }
        rest = after;
    }
}

/// Where the text ends that begins here.
fn end_of_text(json: &str) -> usize {
    let mut from = 1;
    while let Some(quote) = json.get(from..).and_then(|rest| rest.find('"')) {
        let quote = from + quote;
        let before = json[1..quote].bytes().rev();
        let escapes = before.take_while(|byte| *byte == b'\\').count();
        from = quote + 1;
        if escapes % 2 == 0 {
            return from;
        }
    }
    json.len()
}
