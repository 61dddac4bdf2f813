//! How large a schema with `unevaluatedProperties` or `unevaluatedItems` gets when it is compiled:
//! for each of them, the validator compiles what applies to the same value once more, and what is
//! in that as well.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::references::{REFERENCES, References};
use super::subschemas::{BY_NAME, DATA, DEPENDENT, SAME_VALUE};

/// How many parts may be compiled.
const MAX_COMPILED: u64 = 100_000;

/// How far parts and references are followed.
const MAX_DEPTH: usize = 400;

/// Whether a schema says it of anything that it does not say elsewhere.
pub(super) fn is_in(keywords: &Map<String, Value>) -> bool {
    keywords.keys().any(|keyword| is_it(keyword))
}

pub(super) fn is_it(keyword: &str) -> bool {
    keyword.starts_with("unevaluated")
}

/// Whether the schema is compiled in a bounded time.
///
/// # Errors
///
/// A sentence says why not.
pub(super) fn check(references: &References<'_>) -> Result<(), String> {
    let mut sizes = Sizes {
        references,
        known: HashMap::new(),
    };
    match sizes.of(references.root(), 0) {
        Some(Size { compiled, .. }) if compiled <= MAX_COMPILED => Ok(()),
        _ => Err("its rules for unevaluated properties or items are too large".to_owned()),
    }
}

/// How many parts are compiled, of a schema and for what is unevaluated around it.
#[derive(Clone, Copy, Default)]
struct Size {
    compiled: u64,
    again: u64,
}

struct Sizes<'a, 'r> {
    references: &'r References<'a>,
    /// By the schema's address; nothing while it is being computed.
    known: HashMap<*const Value, Size>,
}

impl<'a> Sizes<'a, '_> {
    /// The size of a schema, or of several; none where they are too deep.
    fn of(&mut self, value: &'a Value, depth: usize) -> Option<Size> {
        match value {
            _ if depth > MAX_DEPTH => None,
            Value::Array(schemas) => self.all(schemas, depth),
            Value::Object(keywords) => {
                if let Some(size) = self.known.get(&std::ptr::from_ref(value)) {
                    return Some(*size);
                }
                self.known.insert(value, Size::default());
                let size = self.of_schema(keywords, depth)?;
                self.known.insert(value, size);
                Some(size)
            }
            _ => Some(Size::default()),
        }
    }

    fn all(&mut self, schemas: impl IntoIterator<Item = &'a Value>, depth: usize) -> Option<Size> {
        let mut sum = Size::default();
        for schema in schemas {
            let size = self.of(schema, depth + 1)?;
            sum.compiled = sum.compiled.saturating_add(size.compiled);
            sum.again = sum.again.saturating_add(size.again);
        }
        Some(sum)
    }

    fn of_schema(&mut self, keywords: &'a Map<String, Value>, depth: usize) -> Option<Size> {
        let (mut compiled, mut again) = (1_u64, 1_u64);
        for (keyword, value) in keywords {
            let keyword = keyword.as_str();
            if DATA.contains(&keyword) {
                continue;
            }
            if let (true, Value::String(reference)) = (REFERENCES.contains(&keyword), value) {
                if let Ok(target) = self.references.resolve(reference) {
                    again = again.saturating_add(self.of(target, depth + 1)?.again);
                }
                continue;
            }
            let within = match value {
                Value::Object(schemas) if BY_NAME.contains(&keyword) => {
                    self.all(schemas.values(), depth)?
                }
                value => self.of(value, depth + 1)?,
            };
            compiled = compiled.saturating_add(within.compiled);
            again = again.saturating_add(within.compiled);
            if SAME_VALUE.contains(&keyword) || DEPENDENT.contains(&keyword) {
                again = again.saturating_add(within.again);
            }
        }
        if is_in(keywords) {
            compiled = compiled.saturating_add(again);
        }
        Some(Size { compiled, again })
    }
}
