//! Images, sound and other bytes within a text: `data:` URLs, and long texts that are base64. A
//! model can't read them, so an answer has a line in their place that says what they are.
//! `base64_runs`: finds base64 in texts, and says what it is of.

mod base64_runs;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use self::base64_runs::{Run, found, media_type};
use super::blocks::size;

/// Bytes that a text has. It serialises as a content block of MCP does, if it is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Media {
    /// `image`, `audio`, or else `blob`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its media type; `application/octet-stream` if unknown.
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
            let known = media_type(&data);
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
