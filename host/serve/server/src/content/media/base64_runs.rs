//! Base64 within a text: where it is, and what it is of.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use super::{Media, UNKNOWN};

/// How many characters of a `data:` URL are base64 at the least, for a line to be shorter.
const LEAST_OF_URL: usize = 64;
/// The same for base64 of which nothing says that it is some.
const LEAST_BARE: usize = 1024;
/// How many characters of such base64 are different, if its first bytes do not say what it is.
const LEAST_DIFFERENT: usize = 24;
/// The longest media type that is looked for.
const MOST_TYPE_BYTES: usize = 127;
/// How many characters a line of base64 has at the least that is followed by another.
const LEAST_OF_LINE: usize = 60;

/// Characters of base64 that follow each other, perhaps in lines of one length.
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where line breaks are in it, and how long they are.
    breaks: Vec<(usize, usize)>,
}

impl Run {
    /// The next one, from here on.
    pub(super) fn next(text: &str, from: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let is_base64 = |at: usize| bytes.get(at).is_some_and(|byte| is_base64(*byte));
        let start = (from..bytes.len()).find(|at| is_base64(*at))?;
        let (mut at, mut line_start) = (start, start);
        let (mut breaks, mut line): (Vec<(usize, usize)>, _) = (Vec::new(), None);
        loop {
            while is_base64(at) {
                at += 1;
            }
            let length = at - line_start;
            let line_break = line_break(&text[at..]);
            let goes_on = length >= LEAST_OF_LINE && line.is_none_or(|line| line == length);
            match line_break {
                Some(taken) if goes_on && is_base64(at + taken) => {
                    line = Some(length);
                    breaks.push((at, taken));
                    at += taken;
                    line_start = at;
                }
                _ => break,
            }
        }
        while bytes.get(at) == Some(&b'=') {
            at += 1;
        }
        Some(Self {
            start,
            end: at,
            breaks,
        })
    }

    /// The base64 of it, without line breaks.
    fn data(&self, text: &str) -> String {
        let mut data = String::with_capacity(self.end - self.start);
        let mut from = self.start;
        for (at, taken) in &self.breaks {
            data.push_str(&text[from..*at]);
            from = at + taken;
        }
        data + &text[from..self.end]
    }
}

/// How long a line break is, as such or as JSON writes it.
fn line_break(rest: &str) -> Option<usize> {
    let breaks = ["\n", "\r\n", "\\n", "\\r\\n"];
    let found = breaks.iter().find(|it| rest.starts_with(**it));
    found.map(|it| it.len())
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// What a run is, and where what stands for it begins.
pub(super) fn found(text: &str, run: &Run) -> Option<(usize, Media)> {
    let length = run.end - run.start;
    if length < LEAST_OF_URL {
        return None;
    }
    if let Some((start, mime_type)) = url(&text[..run.start]) {
        return Some((start, Media::new(mime_type, run.data(text))));
    }
    if length < LEAST_BARE {
        return None;
    }
    let data = run.data(text);
    let known = media_type(&data);
    if known.is_none() && !looks_so(&data) {
        return None;
    }
    Some((run.start, Media::new(known.unwrap_or(UNKNOWN), data)))
}

/// Where the `data:` URL begins whose base64 follows this text, and its media type.
fn url(before: &str) -> Option<(usize, &str)> {
    let header = before.strip_suffix(";base64,")?;
    let from = header.len().saturating_sub(MOST_TYPE_BYTES + "data:".len());
    let near = &header[header.ceil_char_boundary(from)..];
    let at = near.rfind("data:")?;
    let mime_type = &near[at + "data:".len()..];
    let mime_type = mime_type.split(';').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/+-._".contains(c);
    let is_type = mime_type.contains('/') && mime_type.chars().all(is_plain);
    let start = header.len() - near.len() + at;
    (is_type || mime_type.is_empty()).then_some((start, if is_type { mime_type } else { UNKNOWN }))
}

/// The media type of bytes, by the first of them.
pub(super) fn media_type(data: &str) -> Option<&'static str> {
    const FIRST: [(&[u8], &str); 11] = [
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"GIF8", "image/gif"),
        (b"%PDF-", "application/pdf"),
        (b"PK\x03\x04", "application/zip"),
        (b"\x1f\x8b\x08", "application/gzip"),
        (b"ID3", "audio/mpeg"),
        (b"OggS", "audio/ogg"),
        (b"fLaC", "audio/flac"),
        (b"<svg", "image/svg+xml"),
        (b"SQLite format", "application/vnd.sqlite3"),
    ];
    let first = STANDARD_NO_PAD.decode(data.get(..20)?).ok()?;
    let known = FIRST.iter().find(|(bytes, _)| first.starts_with(bytes));
    match (known, &first[..4], &first[8..12]) {
        (Some((_, mime_type)), ..) => Some(mime_type),
        (None, b"RIFF", b"WEBP") => Some("image/webp"),
        (None, b"RIFF", b"WAVE") => Some("audio/wav"),
        _ => None,
    }
}

/// Whether a text is base64 of something, rather than a word, number or path.
fn looks_so(data: &str) -> bool {
    let plain = data.trim_end_matches('=');
    let classes: [fn(&u8) -> bool; 3] = [
        u8::is_ascii_uppercase,
        u8::is_ascii_lowercase,
        u8::is_ascii_digit,
    ];
    let mut seen = [false; 128];
    plain
        .bytes()
        .for_each(|byte| seen[usize::from(byte & 127)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    plain.len() % 4 != 1
        && different >= LEAST_DIFFERENT
        && classes
            .iter()
            .all(|class| plain.bytes().any(|byte| class(&byte)))
}
