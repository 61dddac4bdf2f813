//! Content blocks: `list<content>` of `ampoule:guest/values`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::value::RawValue;
use wasmtime::component::Val;

use super::DecodeError;
use super::path::Path;

/// A block of a kind that has a type. Others, and those that lack something, are given as they came.
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
        let value = block_value(block.get());
        left = left
            .checked_sub(bytes(&value))
            .ok_or(DecodeError::TooLarge { allowed })?;
        values.push(value);
    }
    Ok(Val::List(values))
}

fn block_value(json: &str) -> Val {
    let case = |name: &str, value| Val::Variant(name.to_owned(), Some(Box::new(value)));
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
        Ok(Block::Text { text }) => Some(case("text", Val::String(text))),
        Ok(Block::Image { data, mime_type }) => blob("image", &data, mime_type),
        Ok(Block::Audio { data, mime_type }) => blob("audio", &data, mime_type),
        Err(_) => None,
    };
    typed.unwrap_or_else(|| case("other", Val::String(json.to_owned())))
}

/// What a block takes of the host's memory, in bytes.
fn bytes(value: &Val) -> u64 {
    let inside = match value {
        Val::Variant(_, Some(value)) => bytes(value),
        Val::Record(fields) => fields.iter().map(|(_, value)| bytes(value)).sum(),
        Val::List(bytes) => (bytes.len() * size_of::<Val>()) as u64,
        Val::String(text) => text.len() as u64,
        _ => 0,
    };
    inside + size_of::<Val>() as u64
}
