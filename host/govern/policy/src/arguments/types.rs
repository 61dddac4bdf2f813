//! Shapes as types of Cedar's schema, in its JSON form.

use serde_json::{Map, Value, json};

use super::{Record, Shape};

/// The type of an object with these attributes; what has no shape is left out.
pub(crate) fn type_of(record: &Record) -> Value {
    let mut attributes = Map::new();
    for (name, attribute) in record {
        let Ok(shape) = &attribute.shape else {
            continue;
        };
        let mut ty = of(shape);
        ty["required"] = attribute.required.into();
        attributes.insert(name.clone(), ty);
    }
    json!({"type": "Record", "attributes": attributes})
}

fn of(shape: &Shape) -> Value {
    match shape {
        Shape::Bool => json!({"type": "Boolean"}),
        Shape::Long => json!({"type": "Long"}),
        Shape::Decimal => json!({"type": "Extension", "name": "decimal"}),
        Shape::String => json!({"type": "String"}),
        Shape::Set(item) => json!({"type": "Set", "element": of(item)}),
        Shape::Record(record) => type_of(record),
    }
}
