//! Where a `$ref` points, within one document.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{Schema, kept};

/// A whole schema, in which references are looked up.
pub(super) struct Document<'a> {
    root: Schema<'a>,
    /// Schemas by `$id` and by `#` and `$anchor`. Made when a reference needs it, as few do.
    ids: OnceCell<HashMap<String, &'a Map<String, Value>>>,
}

/// A schema that a reference points to.
pub(super) struct Target<'a> {
    pub(super) schema: Schema<'a>,
    /// What the document calls it, if it has a name.
    pub(super) name: Option<String>,
}

impl<'a> Document<'a> {
    pub(super) fn new(root: Schema<'a>) -> Self {
        Self {
            root,
            ids: OnceCell::new(),
        }
    }

    pub(super) fn root(&self) -> Schema<'a> {
        self.root
    }

    /// The schema that `reference` points to, if it is in this document. Nothing else is ever read.
    pub(super) fn resolve(&self, reference: &str) -> Option<Target<'a>> {
        let (resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let fragment = percent_decoded(fragment);
        let from = match self.root {
            Schema::Object(root) if resource.is_empty() || is_id(root, resource) => root,
            _ => self.by_id(resource)?,
        };
        if fragment.is_empty() {
            return Some(Target {
                schema: Schema::Object(from),
                name: name_of_id(resource).or_else(|| title(from)),
            });
        }
        let Some(pointer) = fragment.strip_prefix('/') else {
            let schema = self.by_id(&format!("#{fragment}"))?;
            return Some(Target {
                schema: Schema::Object(schema),
                name: Some(kept(&fragment).to_owned()),
            });
        };
        let (schema, name) = follow(from, pointer)?;
        Some(Target {
            schema: Schema::of(schema)?,
            name,
        })
    }

    fn by_id(&self, id: &str) -> Option<&'a Map<String, Value>> {
        self.ids.get_or_init(|| index(self.root)).get(id).copied()
    }
}

/// Follows a JSON pointer, given without its first slash. The name is that of the last place in an
/// object of definitions.
fn follow<'a>(from: &'a Map<String, Value>, pointer: &str) -> Option<(&'a Value, Option<String>)> {
    let mut segments = pointer
        .split('/')
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"));
    let first = segments.next()?;
    let mut value = from.get(&first)?;
    let mut last = first;
    let mut in_definitions = false;
    for segment in segments {
        value = match value {
            Value::Object(map) => map.get(&segment)?,
            Value::Array(items) => items.get(segment.parse::<usize>().ok()?)?,
            _ => return None,
        };
        in_definitions = matches!(
            last.as_str(),
            "$defs" | "definitions" | "schemas" | "properties"
        );
        last = segment;
    }
    let name = if in_definitions {
        Some(kept(&last).to_owned())
    } else {
        value.as_object().and_then(title)
    };
    Some((value, name))
}

fn title(schema: &Map<String, Value>) -> Option<String> {
    schema
        .get("title")
        .and_then(Value::as_str)
        .map(|title| kept(title).to_owned())
}

fn is_id(schema: &Map<String, Value>, id: &str) -> bool {
    ["$id", "id"].iter().any(|key| {
        schema
            .get(*key)
            .and_then(Value::as_str)
            .is_some_and(|own| own.trim_end_matches('#') == id)
    })
}

/// The last part of an address: `address` for `https://example.com/schemas/address.json`.
fn name_of_id(id: &str) -> Option<String> {
    let last = id.rsplit('/').next()?;
    let name = last.split('.').next()?;
    (!name.is_empty()).then(|| kept(name).to_owned())
}

/// Every `$id` and `$anchor`. A stack of its own, as the document may be nested deeper than the
/// thread's.
fn index(root: Schema<'_>) -> HashMap<String, &Map<String, Value>> {
    let mut ids = HashMap::new();
    let Schema::Object(root) = root else {
        return ids;
    };
    let mut open = vec![root];
    while let Some(map) = open.pop() {
        for (key, value) in map {
            match (key.as_str(), value) {
                ("$id", Value::String(id)) => {
                    ids.entry(id.trim_end_matches('#').to_owned())
                        .or_insert(map);
                }
                ("$anchor" | "$dynamicAnchor", Value::String(anchor)) => {
                    ids.entry(format!("#{anchor}")).or_insert(map);
                }
                (_, Value::Object(inner)) => open.push(inner),
                (_, Value::Array(items)) => open.extend(items.iter().filter_map(Value::as_object)),
                _ => {}
            }
        }
    }
    ids
}

/// `a b` for `a%20b`. What is not UTF-8 after that is left as it is.
fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%')
            .then(|| tail.get(..2))
            .flatten()
            .and_then(hex_byte);
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let high = char::from(digits[0]).to_digit(16)?;
    let low = char::from(digits[1]).to_digit(16)?;
    u8::try_from(high * 16 + low).ok()
}
