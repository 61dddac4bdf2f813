//! Pictures, sound and other bytes within a text: `data:` URLs, and long texts that are base64. A
//! model can't read them, so an answer has a line in their place that says what they are.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde::Serialize;

use super::blocks::size;

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

/// Bytes that a text has. It serialises as a content block of MCP does, if it is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Media {
    /// `image`, `audio`, or else `blob`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its media type; `application/octet-stream` where nobody knows.
    #[serde(rename = "mimeType")]
    pub mime_type: String,
    /// The bytes, as base64.
    pub data: String,
    /// How many characters of that a console left out.
    #[serde(skip)]
    pub left_out: usize,
}

/// A text as it can be read.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadableText<'a> {
    /// The text, with a line such as `[image/png, 96 KiB]` for each of the media.
    pub text: Cow<'a, str>,
    /// What was left out, in its order.
    pub media: Vec<Media>,
}

/// JSON with lines for its media, which stays JSON: also for lists of numbers that are bytes, as
/// JavaScript's arrays of bytes become. Takes linear time.
pub fn shown_in(json: Cow<'_, str>) -> ReadableText<'_> {
    let Some(numbers) = Numbers::shown(&json) else {
        return match shown(&json) {
            ReadableText {
                text: Cow::Borrowed(_),
                ..
            } => ReadableText {
                text: json,
                media: Vec::new(),
            },
            ReadableText {
                text: Cow::Owned(text),
                media,
            } => ReadableText {
                text: text.into(),
                media,
            },
        };
    };
    let (text, mut media) = numbers;
    let ReadableText { text, media: more } = shown(&text);
    media.extend(more);
    ReadableText {
        text: text.into_owned().into(),
        media,
    }
}

/// Bytes that JSON has as a list of numbers.
struct Numbers;

impl Numbers {
    /// How many there are at the least.
    const LEAST: usize = 256;

    /// JSON without them, if there are any.
    fn shown(json: &str) -> Option<(String, Vec<Media>)> {
        /// How Node writes a `Buffer`.
        const BUFFER: &str = "{\"type\":\"Buffer\",\"data\":";
        let mut plain = String::new();
        let (mut media, mut copied, mut at) = (Vec::new(), 0, 0);
        while let Some(found) = json[at..].find('[') {
            let start = at + found;
            let (bytes, end) = Self::read(&json[start + 1..]);
            at = start + 1;
            let Some(end) = end.map(|end| start + 1 + end) else {
                continue;
            };
            at = end;
            if bytes.len() < Self::LEAST {
                continue;
            }
            let is_buffer = json[..start].ends_with(BUFFER) && json[end..].starts_with('}');
            let data = STANDARD.encode(&bytes);
            let known = known(&data);
            if known.is_none() && !is_buffer {
                continue;
            }
            let found = Media::new(known.unwrap_or(UNKNOWN), data);
            let (start, end) = match is_buffer {
                true => (start - BUFFER.len(), end + 1),
                false => (start, end),
            };
            plain.push_str(&json[copied..start]);
            plain.push_str(&format!("\"{}\"", found.line()));
            copied = end;
            media.push(found);
        }
        (!media.is_empty()).then(|| (plain + &json[copied..], media))
    }

    /// Numbers up to 255 and where the list ends that begins here; no end if it holds something else.
    fn read(list: &str) -> (Vec<u8>, Option<usize>) {
        let mut bytes = Vec::new();
        let mut number: Option<u16> = None;
        for (at, c) in list.bytes().enumerate() {
            match (c, number) {
                (b'0'..=b'9', _) => {
                    let next = number.unwrap_or(0) * 10 + u16::from(c - b'0');
                    if next > 255 {
                        break;
                    }
                    number = Some(next);
                }
                (b',' | b']', Some(byte)) => {
                    bytes.push(u8::try_from(byte).unwrap_or(u8::MAX));
                    number = None;
                    if c == b']' {
                        return (bytes, Some(at + 1));
                    }
                }
                _ => break,
            }
        }
        (bytes, None)
    }
}

/// A text with lines for its media. Takes linear time.
pub fn shown(text: &str) -> ReadableText<'_> {
    let mut plain = String::new();
    let (mut media, mut copied, mut at) = (Vec::new(), 0, 0);
    while let Some(run) = Run::next(text, at) {
        at = run.end;
        let Some((start, mut found)) = found(text, &run) else {
            continue;
        };
        plain.push_str(&text[copied..start]);
        copied = run.end;
        let mut quote = "";
        if let Some(cut) = LeftOut::of(&text[run.end..]) {
            found.left_out = cut.characters;
            quote = cut.quote;
            copied += cut.length;
            at = copied;
        }
        plain.push_str(&found.line());
        plain.push_str(quote);
        media.push(found);
    }
    let text = match media.is_empty() {
        true => Cow::Borrowed(text),
        false => Cow::Owned(plain + &text[copied..]),
    };
    ReadableText { text, media }
}

/// What a console writes behind a text of which it shows the start: `'... 1000 more characters`.
struct LeftOut<'a> {
    quote: &'a str,
    characters: usize,
    length: usize,
}

impl<'a> LeftOut<'a> {
    fn of(rest: &'a str) -> Option<Self> {
        let (quote, after) = rest
            .get(..rest.floor_char_boundary(6))?
            .split_once("... ")
            .map(|(quote, _)| (quote, &rest[quote.len() + 4..]))?;
        let digits = after.find(|c: char| !c.is_ascii_digit())?;
        let characters = after[..digits].parse().ok()?;
        let said = after[digits..].strip_prefix(" more character")?;
        let said = said.strip_prefix('s').unwrap_or(said);
        Some(Self {
            quote,
            characters,
            length: rest.len() - said.len(),
        })
    }
}

impl Media {
    fn new(mime_type: &str, data: String) -> Self {
        let kind = match mime_type.split('/').next() {
            Some("image") => "image",
            Some("audio") => "audio",
            _ => "blob",
        };
        Self {
            kind,
            mime_type: mime_type.to_owned(),
            data,
            left_out: 0,
        }
    }

    /// What stands in its place.
    fn line(&self) -> String {
        let Self {
            mime_type,
            data,
            left_out,
            ..
        } = self;
        let padding = data.bytes().rev().take_while(|byte| *byte == b'=').count();
        let bytes = (data.len() + left_out - padding) * 3 / 4;
        match &**mime_type {
            UNKNOWN => format!("[base64, {}]", size(bytes)),
            mime_type => format!("[{mime_type}, {}]", size(bytes)),
        }
    }

    /// Whether it is what a client can show: a picture or sound, whole.
    pub fn is_shown_by_clients(&self) -> bool {
        self.kind != "blob" && self.left_out == 0 && STANDARD.decode(&self.data).is_ok()
    }
}

const UNKNOWN: &str = "application/octet-stream";

/// Characters of base64 that follow each other, perhaps in lines of one length.
struct Run {
    start: usize,
    end: usize,
    /// Where line breaks are in it, and how long they are.
    breaks: Vec<(usize, usize)>,
}

impl Run {
    /// The next one, from here on.
    fn next(text: &str, from: usize) -> Option<Self> {
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
fn found(text: &str, run: &Run) -> Option<(usize, Media)> {
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
    let known = known(&data);
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
fn known(data: &str) -> Option<&'static str> {
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

/// Whether a text is base64 of something, and no word, number or path.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn base64(bytes: usize) -> String {
        let bytes: Vec<u8> = (0..bytes).map(|at| (at * 7 + at / 251) as u8).collect();
        STANDARD.encode(bytes)
    }

    #[test]
    fn data_urls_are_told_by_their_type() {
        let data = base64(96 << 10);
        let text = format!("{{\"ok\":true,\"url\":\"data:image/png;base64,{data}\"}}");
        let ReadableText { text, media } = shown(&text);
        assert_eq!(text, r#"{"ok":true,"url":"[image/png, 96 KiB]"}"#);
        assert_eq!(media, [Media::new("image/png", data.clone())]);
        assert!(media[0].is_shown_by_clients());
        let text = format!("a data:audio/wav;codecs=1;base64,{data} b data:;base64,{data}");
        assert_eq!(
            shown(&text).text,
            "a [audio/wav, 96 KiB] b [base64, 96 KiB]"
        );
    }

    #[test]
    fn long_base64_is_told_by_its_first_bytes() {
        let png = STANDARD.encode([&b"\x89PNG\r\n\x1a\n"[..], &[0; 3000]].concat());
        assert_eq!(
            shown(&format!("[\"{png}\"]")).text,
            "[\"[image/png, 3 KiB]\"]"
        );
        assert_eq!(shown(&base64(3000)).text, "[base64, 3 KiB]");
        let lines: Vec<String> = base64(3000)
            .as_bytes()
            .chunks(76)
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect();
        for line_break in ["\n", "\r\n", "\\n"] {
            let wrapped = format!("<{}>", lines.join(line_break));
            let ReadableText { text, media } = shown(&wrapped);
            assert_eq!(text, "<[base64, 3 KiB]>");
            assert_eq!(media[0].data, base64(3000));
        }
    }

    #[test]
    fn what_a_console_left_out_counts() {
        let data = base64(9_000);
        let text = format!("{{ url: 'data:image/png;base64,{data}'... 1000 more characters }}");
        let ReadableText { text, media } = shown(&text);
        assert_eq!(text, "{ url: '[image/png, 10 KiB]' }");
        assert!(!media[0].is_shown_by_clients());
    }

    #[test]
    fn lists_of_bytes_are_told_where_it_is_certain() {
        let png = [&b"\x89PNG\r\n\x1a\n"[..], &[0; 2040]].concat();
        let list = |bytes: &[u8]| serde_json::to_string(bytes).unwrap();
        let shown = |json: String| shown_in(json.into()).text.into_owned();
        assert_eq!(
            shown(format!("[1,{{\"a\":{}}},[2]]", list(&png))),
            r#"[1,{"a":"[image/png, 2 KiB]"},[2]]"#
        );
        let buffer = |bytes: &[u8]| format!("{{\"type\":\"Buffer\",\"data\":{}}}", list(bytes));
        assert_eq!(shown(buffer(&[7; 2048])), "\"[base64, 2 KiB]\"");
        for json in [
            list(&[7; 2048]),
            buffer(&[1, 2]),
            "[256,1]".to_owned(),
            "[".repeat(300),
        ] {
            assert_eq!(shown(json.clone()), json);
        }
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "x".repeat(5000),
            "0123456789abcdef".repeat(300),
            "ACGT".repeat(1000),
            format!("{}\n", "/usr/share/Some1/Path2".repeat(4)).repeat(40),
            base64(500),
            "data:text/html,<b>".to_owned(),
            "data:image/gif;base64,R0lGODlhAQABAAAAACw=".to_owned(),
            "é".repeat(3000),
        ] {
            assert_eq!(shown(&text).text, text);
        }
    }
}
