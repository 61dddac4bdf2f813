//! Objects: records, maps, and both at once.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::super::types::{DocumentedType, Extra, Property, Record, Type};
use super::conjunction::Part;
use super::lower::{Lowering, hint};
use super::note::Problem;
use super::{Schema, union};

/// What all parts say about one property.
struct PropertyParts<'a> {
    name: &'a str,
    values: Vec<&'a Value>,
    required: bool,
}

impl<'a> Lowering<'_, 'a> {
    /// The type of an object that all of the parts allow. `loose` are schemas that may hold or not.
    pub(super) fn object(
        &mut self,
        parts: &[Part<'a>],
        loose: &[&'a Map<String, Value>],
        depth: usize,
    ) -> Type {
        let extra = self.extra(parts, depth);
        let mut properties = Vec::new();
        for stated in self.stated(parts, &extra) {
            let value = self.property(stated.name, &stated.values, depth);
            properties.push(Property {
                name: stated.name.to_owned(),
                required: stated.required,
                value,
            });
        }
        self.add_loose(&mut properties, loose, depth);
        Type::Record(Record {
            hint: hint(parts),
            properties,
            extra,
        })
    }

    /// The properties that the parts name, in the order in which they do.
    fn stated(&mut self, parts: &[Part<'a>], extra: &Extra) -> Vec<PropertyParts<'a>> {
        let mut stated: Vec<PropertyParts<'a>> = Vec::new();
        let mut places: HashMap<&'a str, usize> = HashMap::new();
        for part in parts {
            match part.get("properties") {
                Some(Value::Object(properties)) => {
                    for (name, value) in properties {
                        let place = *places.entry(name).or_insert(stated.len());
                        if place == stated.len() {
                            stated.push(PropertyParts {
                                name,
                                values: Vec::new(),
                                required: false,
                            });
                        }
                        stated[place].values.push(value);
                        // As the third draft had it.
                        stated[place].required |= value.get("required") == Some(&Value::Bool(true));
                    }
                }
                Some(_) => self.note(Problem::Malformed("properties")),
                None => {}
            }
        }
        let undeclared = matches!(extra, Extra::Unstated | Extra::Any);
        for part in parts {
            let names = match part.get("required") {
                Some(Value::Array(names)) => names.as_slice(),
                Some(Value::Bool(_)) | None => continue,
                Some(_) => {
                    self.note(Problem::Malformed("required"));
                    continue;
                }
            };
            for name in names.iter().filter_map(Value::as_str) {
                match places.get(name) {
                    Some(&place) => stated[place].required = true,
                    None if undeclared => {
                        places.insert(name, stated.len());
                        stated.push(PropertyParts {
                            name,
                            values: Vec::new(),
                            required: true,
                        });
                    }
                    None => {}
                }
            }
        }
        stated
    }

    /// The type of a property, of which each part that names it says something.
    fn property(&mut self, name: &str, values: &[&'a Value], depth: usize) -> DocumentedType {
        let mut seeds = Vec::with_capacity(values.len());
        for value in values {
            match Schema::of(value) {
                Some(Schema::Object(schema)) => seeds.push(Part::whole(schema)),
                Some(Schema::Boolean(true)) => {}
                Some(Schema::Boolean(false)) => return DocumentedType::bare(Type::Never),
                None => self.within("properties", Some(name), |lowering| {
                    lowering.note(Problem::NotASchema)
                }),
            }
        }
        self.nested("properties", Some(name), &seeds, depth)
    }

    /// Which properties there may be that have no names.
    fn extra(&mut self, parts: &[Part<'a>], depth: usize) -> Extra {
        let mut patterns = Vec::new();
        let mut seeds = Vec::new();
        let (mut closed, mut open) = (false, false);
        for part in parts {
            if let Some(Value::Object(schemas)) = part.get("patternProperties") {
                patterns.extend(schemas.iter().map(|(pattern, schema)| {
                    self.value("patternProperties", pattern, schema, depth)
                }));
            }
            for keyword in ["additionalProperties", "unevaluatedProperties"] {
                match part.get(keyword).map(Schema::of) {
                    None => {}
                    Some(Some(Schema::Boolean(false))) => closed = true,
                    Some(Some(Schema::Boolean(true))) => open = true,
                    Some(Some(Schema::Object(schema))) if schema.is_empty() => open = true,
                    Some(Some(Schema::Object(schema))) => seeds.push(Part::whole(schema)),
                    Some(None) => self.note(Problem::Malformed(keyword)),
                }
            }
        }
        if !seeds.is_empty() && !closed {
            patterns.push(self.nested("additionalProperties", None, &seeds, depth));
        }
        let anything = open && seeds.is_empty();
        if !patterns.is_empty() && !anything {
            return match union::of(patterns, None).ty {
                Type::Any => Extra::Any,
                Type::Never => Extra::Closed,
                ty => Extra::Of(Box::new(ty)),
            };
        }
        match (closed, open) {
            (true, _) => Extra::Closed,
            (false, true) => Extra::Any,
            (false, false) => Extra::Unstated,
        }
    }

    /// Adds the properties of schemas that may hold or not. One that several of them name may be
    /// what any of those say.
    fn add_loose(
        &mut self,
        properties: &mut Vec<Property>,
        loose: &[&'a Map<String, Value>],
        depth: usize,
    ) {
        let named: HashSet<String> = properties
            .iter()
            .map(|property| property.name.clone())
            .collect();
        let mut places: HashMap<&str, Vec<&'a Value>> = HashMap::new();
        let mut order = Vec::new();
        for schema in loose {
            // One reference is followed, as choices often are between named schemas.
            let target = schema
                .get("$ref")
                .and_then(Value::as_str)
                .and_then(|reference| self.document.resolve(reference));
            let schema = match target.map(|target| target.schema) {
                Some(Schema::Object(target)) => target,
                _ => schema,
            };
            if !self.visit(schema) {
                break;
            }
            for (name, value) in schema
                .get("properties")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
            {
                if !named.contains(name) {
                    places
                        .entry(name)
                        .or_insert_with(|| {
                            order.push(name);
                            Vec::new()
                        })
                        .push(value);
                }
            }
        }
        for name in order {
            let members = places[name.as_str()]
                .iter()
                .map(|value| self.property(name, &[value], depth))
                .collect();
            properties.push(Property {
                name: name.clone(),
                required: false,
                value: union::of(members, None),
            });
        }
    }
}
