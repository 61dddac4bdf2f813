//! How servers write a text that they repeat.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is not encoded in URLs by the standard, nor by Python, JavaScript and forms, and what
/// browsers encode in a query.
const IN_URLS: [&AsciiSet; 6] = [
    NON_ALPHANUMERIC,
    UNRESERVED,
    &UNRESERVED.remove(b'/'),
    &UNRESERVED
        .remove(b'!')
        .remove(b'*')
        .remove(b'\'')
        .remove(b'(')
        .remove(b')'),
    &UNRESERVED.add(b'~').remove(b'*'),
    &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'<')
        .add(b'>')
        .add(b'\''),
];
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// How a text may be written within others.
pub(crate) fn written(text: &str) -> Vec<String> {
    let mut forms = in_json(text);
    forms.extend(IN_URLS.iter().flat_map(|set| in_url(text, set)));
    forms.extend(in_page(text));
    forms.extend((0..3).flat_map(|before| in_base64(text, before)));
    let whole = STANDARD.encode(text);
    forms.push(whole.trim_end_matches('=').to_owned());
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    forms.extend([hex.to_ascii_uppercase(), hex]);
    forms
}

/// As it is, with each `/` escaped, and with all that pages give a meaning to.
fn in_json(text: &str) -> Vec<String> {
    let json = serde_json::Value::from(text).to_string();
    // Its own quotes alone: the text may begin or end with one.
    let plain = &json[1..json.len() - 1];
    let mut for_pages = plain.to_owned();
    for c in ['&', '<', '>', '\''] {
        for_pages = for_pages.replace(c, &format!("\\u{:04x}", u32::from(c)));
    }
    vec![
        plain.to_owned(),
        plain.replace('/', "\\/"),
        for_pages.replace('/', "\\/"),
        for_pages,
    ]
}

fn in_url(text: &str, set: &'static AsciiSet) -> [String; 4] {
    let upper = utf8_percent_encode(text, set).to_string();
    let mut lower = String::new();
    for (place, part) in upper.split('%').enumerate() {
        match part.split_at_checked(2) {
            Some((digits, rest)) if place > 0 => {
                lower.extend(["%", &digits.to_ascii_lowercase(), rest]);
            }
            _ => lower.push_str(part),
        }
    }
    // As forms have spaces.
    let (plus, lower_plus) = (upper.replace("%20", "+"), lower.replace("%20", "+"));
    [upper, lower, plus, lower_plus]
}

fn in_page(text: &str) -> Vec<String> {
    let text = text.replace('&', "&amp;");
    let text = text.replace('<', "&lt;").replace('>', "&gt;");
    let mut forms = Vec::new();
    for quote in ["\"", "&quot;", "&#34;"] {
        for apostrophe in ["'", "&#39;", "&#x27;"] {
            forms.push(text.replace('"', quote).replace('\'', apostrophe));
        }
    }
    forms
}

/// What is the same of its base64 whatever follows it, after so many bytes of whatever it is.
fn in_base64(text: &str, before: usize) -> [String; 2] {
    let bytes = [&[0; 3][..before], text.as_bytes()].concat();
    // A letter has six bits; of those that others have a part in, nothing is known.
    let letters = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
    [STANDARD, URL_SAFE].map(|alphabet| {
        let encoded = alphabet.encode(&bytes);
        encoded.get(letters.clone()).unwrap_or_default().to_owned()
    })
}
