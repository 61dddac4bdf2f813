//! The value of a run, as content blocks of MCP.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use ampoule_untrusted::text::one_line;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ResourceContents, Role, TextContent,
};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer as _, Serialize};
use serde_json::value::RawValue;

use super::whole::{ReadText, WholeAnswer};

/// A part of a run's value. A text is one part as it is; a value that is a content block of MCP,
/// other than text, is a block; a list with such blocks has a part for each block, and a text for
/// what is between them. Any other value is JSON.
#[derive(Debug, PartialEq)]
pub enum Part<'a> {
    /// A text, to be read as it is.
    Text(String),
    /// A value, as it was written. Also an empty text: as `""`, there is something to see.
    Json(Cow<'a, str>),
    /// A content block.
    Block(Box<Block<'a>>),
}

impl Part<'_> {
    /// How many bytes of it are text.
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Json(json) => json.len(),
            Self::Block(block) if block.is_binary() => 0,
            Self::Block(block) => block.json.len(),
        }
    }
}

/// A content block other than text. Displays as a line that says what it is: `[image/png, 12 KiB]`.
#[derive(Debug, PartialEq)]
pub struct Block<'a> {
    content: ContentBlock,
    /// As it was written.
    json: &'a str,
}

/// A content block of an answer. It serialises as MCP has it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Content(ContentBlock);

impl Content {
    /// A text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self(ContentBlock::text(text))
    }

    /// A picture, as base64.
    pub(crate) fn image(data: String, mime_type: String) -> Self {
        Self(ContentBlock::image(data, mime_type))
    }

    /// Sound, as base64.
    pub(crate) fn audio(data: String, mime_type: String) -> Self {
        Self(ContentBlock::Audio(AudioContent::new(data, mime_type)))
    }

    /// The text, if it is one and no more is said of it.
    pub(crate) fn as_text_mut(&mut self) -> Option<&mut String> {
        match &mut self.0 {
            ContentBlock::Text(text) if is_plain(text) => Some(&mut text.text),
            _ => None,
        }
    }
}

impl Content {
    /// The same for the person, unless it says already whom it is for.
    pub(crate) fn for_person(mut self) -> Self {
        let annotations = match &mut self.0 {
            ContentBlock::Text(block) => &mut block.annotations,
            ContentBlock::Image(block) => &mut block.annotations,
            ContentBlock::Audio(block) => &mut block.annotations,
            ContentBlock::Resource(block) => &mut block.annotations,
            ContentBlock::ResourceLink(block) => &mut block.annotations,
            _ => return self,
        };
        let annotations = annotations.get_or_insert_with(Annotations::default);
        annotations.audience.get_or_insert_with(|| vec![Role::User]);
        self
    }
}

impl From<ContentBlock> for Content {
    fn from(block: ContentBlock) -> Self {
        Self(block)
    }
}

impl From<Content> for ContentBlock {
    fn from(content: Content) -> Self {
        content.0
    }
}

/// The parts of what a run returned, in their order; at least one.
pub fn parts(value: &RawValue) -> Vec<Part<'_>> {
    let json = value.get();
    let parts = match json.bytes().next() {
        Some(b'"') => serde_json::from_str(json)
            .ok()
            .map(|text| vec![Part::Text(text)]),
        Some(b'{') => match WholeAnswer::read(json) {
            Some(whole) => return parts_of(&whole),
            None => Some(Parts::default().and(json).0),
        },
        Some(b'[') => serde_json::Deserializer::from_str(json)
            .deserialize_seq(Parts::default())
            .ok(),
        _ => None,
    };
    let says_more = |parts: &Vec<Part<'_>>| match parts.as_slice() {
        [Part::Text(text)] => json.starts_with('"') && !text.is_empty(),
        parts => !parts.is_empty(),
    };
    parts
        .filter(says_more)
        .unwrap_or_else(|| vec![Part::Json(json.into())])
}

/// The parts of a whole answer.
pub(crate) fn parts_of<'a>(whole: &WholeAnswer<'a>) -> Vec<Part<'a>> {
    Parts::default().and_whole(whole).or_empty()
}

/// Parts of a list, as they are added. Without a block among them, they are one text.
#[derive(Default)]
struct Parts<'a>(Vec<Part<'a>>);

impl<'a> Parts<'a> {
    fn and(mut self, json: &'a str) -> Self {
        if let Some(whole) = WholeAnswer::read(json) {
            return self.and_whole(&whole);
        }
        match Block::read(json) {
            Some(Block {
                content: ContentBlock::Text(text),
                ..
            }) if is_plain(&text) => self.and_text(&text.text),
            Some(block) => {
                if let Some(beside) = block.beside() {
                    self = self.and_text(&beside);
                }
                self.0.push(Part::Block(Box::new(block)));
                self
            }
            None => match serde_json::from_str::<String>(json) {
                Ok(text) => self.and_text(&text),
                Err(_) => self.and_text(json),
            },
        }
    }

    /// The blocks of a whole answer, and its structured content where no block says the same.
    fn and_whole(mut self, whole: &WholeAnswer<'a>) -> Self {
        let mut texts: Vec<ReadText> = Vec::new();
        for block in &whole.content {
            match Block::read(block.get()) {
                Some(Block {
                    content: ContentBlock::Text(text),
                    ..
                }) if is_plain(&text) => {
                    let json = serde_json::from_str(&text.text).ok();
                    let is_document = text.text.starts_with(['{', '[']) && json.is_some();
                    texts.push(ReadText {
                        text: text.text.clone(),
                        json,
                    });
                    self.0.push(match is_document {
                        true => Part::Json(text.text.into()),
                        false => Part::Text(text.text),
                    });
                }
                _ => self = self.and(block.get()),
            }
        }
        let is_said = whole.is_structured_said(&texts);
        if let Some(structured) = whole.structured_content.filter(|_| !is_said) {
            self.0.push(Part::Json(structured.get().into()));
        }
        self
    }

    /// At least one part.
    fn or_empty(self) -> Vec<Part<'a>> {
        match self.0.is_empty() {
            true => vec![Part::Text(String::new())],
            false => self.0,
        }
    }

    fn and_text(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Text(before)) => {
                before.push('\n');
                before.push_str(text);
            }
            _ => self.0.push(Part::Text(text.to_owned())),
        }
        self
    }
}

impl<'a> Visitor<'a> for Parts<'a> {
    type Value = Vec<Part<'a>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut items: A) -> Result<Self::Value, A::Error> {
        while let Some(item) = items.next_element::<&RawValue>()? {
            self = self.and(item.get());
        }
        Ok(self.0)
    }
}

impl<'a> Block<'a> {
    /// The content block that an object is, if it is a whole one.
    fn read(json: &'a str) -> Option<Self> {
        /// What is read of objects that are not blocks.
        #[derive(Deserialize)]
        struct BlockTag<'a> {
            #[serde(rename = "type", borrow)]
            kind: Cow<'a, str>,
        }
        if !json.starts_with('{') {
            return None;
        }
        let BlockTag { kind } = serde_json::from_str(json).ok()?;
        if !["text", "image", "audio", "resource", "resource_link"].contains(&&*kind) {
            return None;
        }
        let content = serde_json::from_str(json).ok()?;
        let is_base64 = |data: &str| STANDARD.decode(data).is_ok();
        let is_whole = match &content {
            ContentBlock::Image(image) => {
                image.mime_type.starts_with("image/") && is_base64(&image.data)
            }
            ContentBlock::Audio(audio) => {
                audio.mime_type.starts_with("audio/") && is_base64(&audio.data)
            }
            ContentBlock::Resource(resource) => match &resource.resource {
                ResourceContents::BlobResourceContents { blob, .. } => is_base64(blob),
                _ => true,
            },
            _ => true,
        };
        is_whole.then_some(Self { content, json })
    }

    /// What the object says beside what such a block has, as JSON.
    fn beside(&self) -> Option<String> {
        const OF_EACH: [&str; 3] = ["type", "annotations", "_meta"];
        let own: &[&str] = match self.content {
            ContentBlock::Text(_) => &["text"],
            ContentBlock::Image(_) | ContentBlock::Audio(_) => &["data", "mimeType"],
            ContentBlock::Resource(_) => &["resource"],
            _ => &[
                "uri",
                "name",
                "title",
                "description",
                "mimeType",
                "size",
                "icons",
            ],
        };
        let mut said: BTreeMap<Cow<'_, str>, &RawValue> = serde_json::from_str(self.json).ok()?;
        said.retain(|name, _| !OF_EACH.contains(&&**name) && !own.contains(&&**name));
        if said.is_empty() {
            None
        } else {
            serde_json::to_string(&said).ok()
        }
    }

    /// Whether the block is made of bytes: it can't be shown as text or cut.
    pub fn is_binary(&self) -> bool {
        match &self.content {
            ContentBlock::Image(_) | ContentBlock::Audio(_) => true,
            ContentBlock::Resource(resource) => matches!(
                resource.resource,
                ResourceContents::BlobResourceContents { .. }
            ),
            _ => false,
        }
    }

    /// The block, as the run wrote it.
    pub fn json(&self) -> &'a str {
        self.json
    }

    /// The text, if it is one that says whom it is for, or the like.
    pub fn text(&self) -> Option<&str> {
        match &self.content {
            ContentBlock::Text(text) => Some(&text.text),
            _ => None,
        }
    }

    /// The block with another text, for an answer.
    pub(crate) fn with_text(mut self, other: String) -> Content {
        if let ContentBlock::Text(text) = &mut self.content {
            text.text = other;
        }
        Content(self.content)
    }

    /// The block, for an answer.
    pub fn into_content(self) -> Content {
        Content(self.content)
    }
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary =
            |mime_type: &str, base64: &str| format!("{mime_type}, {}", size(decoded_bytes(base64)));
        let said = match &self.content {
            ContentBlock::Image(image) => binary(&image.mime_type, &image.data),
            ContentBlock::Audio(audio) => binary(&audio.mime_type, &audio.data),
            ContentBlock::Resource(EmbeddedResource { resource, .. }) => match resource {
                ResourceContents::BlobResourceContents {
                    uri,
                    mime_type,
                    blob,
                    ..
                } => {
                    let mime_type = mime_type.as_deref().unwrap_or("application/octet-stream");
                    format!("{uri}: {}", binary(mime_type, blob))
                }
                ResourceContents::TextResourceContents {
                    uri,
                    mime_type,
                    text,
                    ..
                } => {
                    let mime_type = mime_type.as_deref().unwrap_or("text/plain");
                    format!("{uri}: {mime_type}, {}", size(text.len()))
                }
                _ => "resource".to_owned(),
            },
            ContentBlock::ResourceLink(link) => format!("link to {}", link.uri),
            _ => self.json.to_owned(),
        };
        write!(f, "[{}]", one_line(&said))
    }
}

/// Whether a text has nothing beside it: whom it is for, or the like.
fn is_plain(text: &TextContent) -> bool {
    text.annotations.is_none() && text.meta.is_none()
}

fn decoded_bytes(base64: &str) -> usize {
    let padding = base64
        .bytes()
        .rev()
        .take_while(|&byte| byte == b'=')
        .count();
    base64.len() / 4 * 3 - padding.min(2)
}

pub(crate) fn size(bytes: usize) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}

#[cfg(test)]
mod tests;
