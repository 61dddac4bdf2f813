//! Arrays and tuples.

use serde_json::Value;

use super::super::types::{DocumentedType, Tuple, Type};
use super::Schema;
use super::conjunction::Part;
use super::lower::Lowering;
use super::note::Problem;

impl<'a> Lowering<'_, 'a> {
    /// The type of an array that all of the parts allow.
    pub(super) fn array(&mut self, parts: &[Part<'a>], depth: usize) -> Type {
        for part in parts {
            for (listing, following) in [("prefixItems", "items"), ("items", "additionalItems")] {
                if let Some(Value::Array(items)) = part.get(listing) {
                    return self.tuple(parts, part, listing, items, following, depth);
                }
            }
        }
        let mut seeds = Vec::new();
        for part in parts {
            match part.get("items").map(Schema::of) {
                None | Some(Some(Schema::Boolean(true))) => {}
                Some(Some(Schema::Object(schema))) => seeds.push(Part::whole(schema)),
                Some(Some(Schema::Boolean(false))) => {
                    return Type::Tuple(Tuple {
                        items: Vec::new(),
                        required: 0,
                        rest: None,
                    });
                }
                Some(None) => self.note(Problem::Malformed("items")),
            }
        }
        Type::Array(Box::new(self.nested("items", None, &seeds, depth)))
    }

    fn tuple(
        &mut self,
        parts: &[Part<'a>],
        part: &Part<'a>,
        listing: &'static str,
        items: &'a [Value],
        following: &'static str,
        depth: usize,
    ) -> Type {
        let items: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(index, item)| self.value(listing, &index.to_string(), item, depth))
            .collect();
        let rest = match part.get(following) {
            None | Some(Value::Bool(false)) => None,
            Some(rest) => Some(Box::new(self.value(following, "", rest, depth).ty)),
        };
        // The schema allows every shorter array unless it says otherwise, and hardly ever means it.
        let least = parts
            .iter()
            .filter_map(|part| part.get("minItems")?.as_u64())
            .max();
        let required = least
            .and_then(|least| usize::try_from(least).ok())
            .map_or(items.len(), |least| least.min(items.len()));
        Type::Tuple(Tuple {
            items,
            required,
            rest,
        })
    }

    /// The type of a value that has the schema `value`, which may be none.
    pub(super) fn value(
        &mut self,
        keyword: &'static str,
        name: &str,
        value: &'a Value,
        depth: usize,
    ) -> DocumentedType {
        match Schema::of(value) {
            Some(Schema::Object(schema)) => {
                self.nested(keyword, Some(name), &[Part::whole(schema)], depth)
            }
            Some(Schema::Boolean(true)) => DocumentedType::bare(Type::Any),
            Some(Schema::Boolean(false)) => DocumentedType::bare(Type::Never),
            None => {
                self.within(keyword, Some(name), |lowering| {
                    lowering.note(Problem::NotASchema)
                });
                DocumentedType::bare(Type::Any)
            }
        }
    }

    /// The type of all of `seeds` at a place one deeper. Without any it is free-form.
    pub(super) fn nested(
        &mut self,
        keyword: &'static str,
        name: Option<&str>,
        seeds: &[Part<'a>],
        depth: usize,
    ) -> DocumentedType {
        if seeds.is_empty() {
            return DocumentedType::bare(Type::Any);
        }
        self.within(keyword, name, |lowering| lowering.lower(seeds, depth + 1))
    }
}
