//! Names for types that a language can't write where they are used.
//!
//! TypeScript writes every type in place. Python wants a class for each object, WIT a declaration
//! for each object, choice and list of values.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::interface::Interface;
use super::names::{Style, identifiers};
use super::types::{Definition, Extra, Type, Union};

/// The types of an interface that need names, besides its definitions.
pub(crate) struct Structures<'a> {
    found: Vec<Occurrence<'a>>,
    places: HashMap<usize, usize>,
    definitions: usize,
    names: Vec<String>,
}

/// How a language writes a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    /// Where it is used, with what is in it.
    InPlace,
    /// By a name.
    Named,
    /// As something that says nothing of what is in it.
    Opaque,
}

struct Occurrence<'a> {
    ty: &'a Type,
    /// What the schema calls it.
    hint: Option<&'a str>,
    /// Where it is: the tool, then properties.
    path: String,
    /// The property whose value it is.
    property: Option<&'a str>,
}

impl<'a> Occurrence<'a> {
    /// What a list of values is called wherever it is.
    fn called(&self) -> Option<&'a str> {
        self.hint.or(self.property)
    }
}

impl<'a> Structures<'a> {
    /// Finds the types that are written by names, and names them and the definitions, none like
    /// another and none like `taken`.
    ///
    /// A name is what the schema says if nothing else is called so, or the way to the type from its
    /// tool. So it does not depend on other tools' order.
    pub(crate) fn of(
        interface: &'a Interface,
        style: Style,
        writing: fn(&Type) -> Writing,
        taken: &[String],
    ) -> Self {
        let mut found = Vec::new();
        let definitions = &interface.definitions;
        let collecting = Collecting {
            definitions,
            writing,
        };
        for function in &interface.functions {
            let roots = [
                (Some(&function.arguments), "args"),
                (function.result.as_ref(), "result"),
            ];
            for (root, what) in roots
                .into_iter()
                .filter_map(|(root, what)| Some((root?, what)))
            {
                let first = found.len();
                let path = format!("{} {what}", function.tool);
                collecting.collect(&root.ty, path, None, &mut found);
                // Schemas call them something made from the tool's name, each server in its own
                // way.
                if let Some(found) = found
                    .get_mut(first)
                    .filter(|found| std::ptr::eq(found.ty, &root.ty))
                {
                    found.hint = None;
                }
            }
        }
        for definition in &interface.definitions {
            // The definition's own name is there already; those inside need theirs.
            collecting.inside(&definition.value.ty, &definition.hint, None, &mut found);
        }
        let (found, places) = shared(found);
        let mut called: HashMap<String, usize> = HashMap::new();
        let hints = interface
            .definitions
            .iter()
            .map(|definition| definition.hint.as_str());
        for hint in hints.chain(found.iter().filter_map(|found| found.hint)) {
            *called.entry(super::names::canonical(hint)).or_default() += 1;
        }
        let alone = |hint: &&str| called[&super::names::canonical(hint)] == 1;
        let wanted = interface
            .definitions
            .iter()
            .map(|definition| definition.hint.as_str());
        let wanted = wanted.chain(
            found
                .iter()
                .map(|found| found.hint.filter(alone).unwrap_or(found.path.as_str())),
        );
        let taken: HashSet<&str> = taken.iter().map(String::as_str).collect();
        let wanted: Vec<&str> = wanted.collect();
        let names = apart(&identifiers(&wanted, style), style, &taken);
        Self {
            places,
            definitions: interface.definitions.len(),
            names,
            found,
        }
    }

    /// The name of a definition.
    pub(crate) fn definition(&self, index: usize) -> &str {
        &self.names[index]
    }

    /// The place of a type, if it needed a name, with the definitions before all others. It must be
    /// the very one that the interface has.
    pub(crate) fn place(&self, ty: &Type) -> Option<usize> {
        let place = self.places.get(&address(ty))?;
        Some(self.definitions + place)
    }

    /// The name of a type, if it needed one. It must be the very one that the interface has.
    pub(crate) fn name(&self, ty: &Type) -> Option<&str> {
        self.places
            .get(&address(ty))
            .map(|place| self.names[self.definitions + place].as_str())
    }

    /// The types that needed names, in the order in which they were found: each before those inside
    /// it.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &'a Type)> {
        self.found
            .iter()
            .enumerate()
            .map(|(place, found)| (self.names[self.definitions + place].as_str(), found.ty))
    }
}

/// What tells a type from all others, also from those that are the same. It is compared, and never
/// followed.
fn address(ty: &Type) -> usize {
    std::ptr::from_ref(ty).addr()
}

/// The names, with an ending for those that are taken.
fn apart(names: &[String], style: Style, taken: &HashSet<&str>) -> Vec<String> {
    let ending = match style {
        Style::Kebab => "-type",
        Style::Snake => "_type",
        Style::Camel | Style::Pascal | Style::AsciiPascal => "Type",
    };
    let mut used: HashSet<String> = names.iter().cloned().collect();
    let apart = |name: &String| {
        let mut other = name.clone();
        while taken.contains(other.as_str()) || (other != *name && used.contains(&other)) {
            other.push_str(ending);
        }
        used.insert(other.clone());
        other
    };
    names.iter().map(apart).collect()
}

/// The longest way that a name is made from, in characters. What is longer would be cut from the
/// name anyway.
const MAX_PATH: usize = 256;

/// A way that is not too long. Of one that is, a hash is kept, so that no two become the same: they
/// would be distinguished by their order.
fn bounded(path: String) -> String {
    match path.char_indices().nth(MAX_PATH) {
        None => path,
        Some((end, _)) => format!(
            "{} {}",
            &path[..end],
            blake3::hash(path.as_bytes()).to_hex()
        ),
    }
}

/// What was found, with lists of values that are the same there once, and the places by address.
/// Such a list is called by the property whose value it is everywhere, or by the first of its paths.
fn shared(all: Vec<Occurrence<'_>>) -> (Vec<Occurrence<'_>>, HashMap<usize, usize>) {
    let mut found: Vec<Occurrence<'_>> = Vec::new();
    let mut places = HashMap::new();
    let mut lists: HashMap<String, usize> = HashMap::new();
    for next in all {
        let place = match next.ty {
            Type::Enum(values) => *lists
                .entry(format!("{:?}", values.values))
                .or_insert(found.len()),
            _ => found.len(),
        };
        places.insert(address(next.ty), place);
        match found.get_mut(place) {
            None => found.push(next),
            Some(first) => {
                let same = first.called() == next.called();
                first.hint = first.called().filter(|_| same);
                first.property = first.property.filter(|_| same);
                if next.path < first.path {
                    first.path = next.path;
                }
            }
        }
    }
    (found, places)
}

/// Finds the types of an interface that are written by names.
struct Collecting<'a> {
    definitions: &'a [Definition],
    writing: fn(&Type) -> Writing,
}

impl<'a> Collecting<'a> {
    fn collect(
        &self,
        ty: &'a Type,
        path: String,
        property: Option<&'a str>,
        found: &mut Vec<Occurrence<'a>>,
    ) {
        let path = bounded(path);
        if (self.writing)(ty) == Writing::Named {
            let hint = match ty {
                Type::Record(record) => record.hint.as_deref(),
                Type::Union(union) => union.hint.as_deref(),
                Type::Enum(values) => values.hint.as_deref(),
                _ => None,
            };
            found.push(Occurrence {
                ty,
                hint,
                path: path.clone(),
                property,
            });
        }
        self.inside(ty, &path, property, found);
    }

    fn inside(
        &self,
        ty: &'a Type,
        path: &str,
        property: Option<&'a str>,
        found: &mut Vec<Occurrence<'a>>,
    ) {
        if (self.writing)(ty) == Writing::Opaque {
            return;
        }
        match ty {
            Type::Record(record) => {
                for each in &record.properties {
                    let name: String = each.name.chars().take(MAX_PATH).collect();
                    let path = format!("{path} {name}");
                    self.collect(&each.value.ty, path, Some(&each.name), found);
                }
                if let Extra::Of(value) = &record.extra {
                    self.collect(value, format!("{path} value"), None, found);
                }
            }
            Type::Array(item) => self.collect(&item.ty, format!("{path} item"), None, found),
            Type::Nullable(inner) => self.collect(inner, path.to_owned(), property, found),
            Type::Tuple(tuple) => {
                for (index, item) in tuple.items.iter().enumerate() {
                    self.collect(&item.ty, format!("{path} {}", index + 1), None, found);
                }
                if let Some(rest) = &tuple.rest {
                    self.collect(rest, format!("{path} rest"), None, found);
                }
            }
            Type::Union(union) => self.variants(union, path, found),
            _ => {}
        }
    }

    /// The types of a choice, each by the value that tells it from the others.
    fn variants(&self, union: &'a Union, path: &str, found: &mut Vec<Occurrence<'a>>) {
        let telling = union.discriminated_by(self.definitions);
        for (index, variant) in union.variants.iter().enumerate() {
            let constant = telling.and_then(|name| variant.ty.constant(name, self.definitions));
            let called = match constant {
                Some(Value::String(text)) if !super::names::canonical(text).is_empty() => {
                    text.chars().take(MAX_PATH).collect()
                }
                _ => format!("option {}", index + 1),
            };
            self.collect(&variant.ty, format!("{path} {called}"), None, found);
        }
    }
}
