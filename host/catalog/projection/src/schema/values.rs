//! `enum` and `const`.

use std::collections::HashSet;

use serde_json::Value;

use super::super::types::{DocumentedType, Enum, EnumValue, Type};
use super::conjunction::Part;
use super::kind::Kind;
use super::lower::{Lowering, hint};
use super::note::Problem;
use super::union;

impl<'a> Lowering<'_, 'a> {
    /// The values that all of the parts allow. Nothing if none of them lists any.
    pub(super) fn values(&mut self, parts: &[Part<'a>], kinds: Option<&[Kind]>) -> Option<Type> {
        let mut lists = Vec::new();
        for part in parts {
            match part.get("enum") {
                Some(Value::Array(values)) if !values.is_empty() => lists.push(values.as_slice()),
                Some(_) => self.note(Problem::Malformed("enum")),
                None => {}
            }
            lists.extend(part.get("const").map(std::slice::from_ref));
        }
        let (first, others) = lists.split_first()?;
        let others: Vec<HashSet<String>> = others
            .iter()
            .map(|values| values.iter().map(Value::to_string).collect())
            .collect();
        let mut seen = HashSet::new();
        let mut members = Vec::new();
        let mut values = Vec::new();
        for value in *first {
            let text = value.to_string();
            let allowed = kinds.is_none_or(|kinds| kinds.iter().any(|kind| kind.has(value)))
                && others.iter().all(|values| values.contains(&text));
            if !allowed || !seen.insert(text) {
                continue;
            }
            if value.is_null() {
                members.push(DocumentedType::bare(Type::Null));
            } else {
                values.push(EnumValue {
                    value: value.clone(),
                    description: None,
                });
            }
        }
        if !values.is_empty() {
            members.push(DocumentedType::bare(Type::Enum(Enum {
                hint: hint(parts),
                values,
            })));
        }
        Some(union::of(members, None).ty)
    }
}
