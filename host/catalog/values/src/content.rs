//! Content blocks: `list<content>` of `ampoule:guest/values`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use wasmtime::component::Val;

use super::path::Path;
use super::{DecodeError, memory_bytes};

/// A block of a kind that has a type. Others, and those that lack something, are given as they
/// came.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Block {
    Text {
        text: String,
    },
    Image {
        data: String,
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
    Audio {
        data: String,
        #[serde(rename = "mimeType")]
        mime_type: String,
    },
}

/// The blocks of a JSON array.
pub(super) fn list(json: &str, allowed: u64) -> Result<Val, DecodeError> {
    let blocks: Vec<&RawValue> = serde_json::from_str(json)
        .map_err(|error| Path::root("content").mismatch(error.to_string()))?;
    let mut left = allowed;
    let mut values = Vec::with_capacity(blocks.len());
    for block in blocks {
        // Bytes become values of their own, each many times as large as a byte.
        let bytes_within = left / size_of::<Val>() as u64;
        let value =
            block_value(block.get(), bytes_within).ok_or(DecodeError::TooLarge { allowed })?;
        left = left
            .checked_sub(memory_bytes(&value))
            .ok_or(DecodeError::TooLarge { allowed })?;
        values.push(value);
    }
    Ok(Val::List(values))
}

/// A block's value; none where it holds more bytes than that.
fn block_value(json: &str, most: u64) -> Option<Val> {
    let case = |name: &str, value| Val::Variant(name.to_owned(), Some(Box::new(value)));
    let encoded = |data: &str| data.len() as u64 / 4 * 3;
    let blob = |name, data: &str, mime_type| {
        let data = STANDARD.decode(data).ok()?;
        Some(case(
            name,
            Val::Record(vec![
                (
                    "data".to_owned(),
                    Val::List(data.into_iter().map(Val::U8).collect()),
                ),
                ("mime-type".to_owned(), Val::String(mime_type)),
            ]),
        ))
    };
    let typed = match serde_json::from_str(json) {
        Ok(Block::Image { data, .. } | Block::Audio { data, .. }) if encoded(&data) > most => {
            return None;
        }
        Ok(Block::Text { text }) => Some(case("text", Val::String(text))),
        Ok(Block::Image { data, mime_type }) => blob("image", &data, mime_type),
        Ok(Block::Audio { data, mime_type }) => blob("audio", &data, mime_type),
        Err(_) => None,
    };
    Some(typed.unwrap_or_else(|| case("other", Val::String(json.to_owned()))))
}
