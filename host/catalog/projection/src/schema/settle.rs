//! Which definitions keep their names.
//!
//! Reading a schema gives a definition to everything that a reference points to. Most are better
//! read where they are used: those that are small, and those used once. The others keep their
//! names: those used often, and those that contain themselves.

use std::collections::HashSet;

use super::super::types::{Definition, DefinitionId, Docs, DocumentedType, Extra, MAX_DEPTH, Type};
use super::union;

/// The weight up to which a definition is repeated wherever it is used. A type weighs 1 and one
/// more for each 64 bytes of text.
const LIGHT: usize = 4;

/// Puts definitions into place, and returns those that keep their names, in the order in which they
/// are first used.
pub(super) fn settle(
    mut definitions: Vec<Definition>,
    roots: &mut [DocumentedType],
) -> Vec<Definition> {
    break_endless(&mut definitions);
    let order = Order::of(&definitions, roots);
    let mut settled = Placement {
        kept: order.recursive,
        uses: order.uses,
        depths: vec![0; definitions.len()],
        definitions,
    };
    for id in order.inner_first {
        let mut value = std::mem::replace(
            &mut settled.definitions[id].value,
            DocumentedType::bare(Type::Any),
        );
        settled.place(&mut value.ty, Some(&mut value.docs), 0);
        settled.depths[id] = depth(&value.ty);
        settled.kept[id] |= settled.uses[id] > 1 && weight(&value) > LIGHT;
        settled.definitions[id].value = value;
    }
    for root in &mut *roots {
        settled.place(&mut root.ty, Some(&mut root.docs), 0);
    }
    used(settled.definitions, roots)
}

struct Placement {
    definitions: Vec<Definition>,
    kept: Vec<bool>,
    uses: Vec<usize>,
    /// How deep the type of each definition is.
    depths: Vec<usize>,
}

impl Placement {
    /// Replaces names in a type, `level` types below a name, by what they stand for.
    fn place(&mut self, ty: &mut Type, docs: Option<&mut Docs>, level: usize) {
        if let Type::Named(id) = *ty {
            if self.kept[id.0] || level + self.depths[id.0] > MAX_DEPTH {
                self.kept[id.0] = true;
                return;
            }
            let DocumentedType {
                ty: meant,
                docs: said,
            } = if self.uses[id.0] == 1 {
                std::mem::replace(
                    &mut self.definitions[id.0].value,
                    DocumentedType::bare(Type::Any),
                )
            } else {
                self.definitions[id.0].value.clone()
            };
            *ty = named(meant, &self.definitions[id.0].hint);
            if let Some(docs) = docs {
                docs.or(said);
            }
            return;
        }
        ty.for_each_child_mut(|child, docs| self.place(child, docs, level + 1));
        normalise(ty, docs);
    }
}

/// Lets a type remember the name of the definition that it was.
fn named(mut ty: Type, name: &str) -> Type {
    match &mut ty {
        Type::Record(record) => record.hint = Some(name.to_owned()),
        Type::Union(union) => union.hint = Some(name.to_owned()),
        Type::Enum(values) => values.hint = Some(name.to_owned()),
        _ => {}
    }
    ty
}

/// Restores what a union and a nullable type promise, after names in them were replaced.
fn normalise(ty: &mut Type, docs: Option<&mut Docs>) {
    match ty {
        Type::Nullable(inner) => {
            let inner = std::mem::replace(&mut **inner, Type::Any);
            *ty = inner.or_null();
        }
        Type::Union(union) => {
            if union
                .variants
                .iter()
                .all(|variant| matches!(variant.ty, Type::Named(_) | Type::Record(_)))
            {
                return;
            }
            let discriminator = union.discriminator.take();
            let settled = union::of(std::mem::take(&mut union.variants), union.hint.take());
            *ty = settled.ty;
            if let Some(docs) = docs {
                docs.or(settled.docs);
            }
            if let Type::Union(union) = ty {
                union.discriminator = discriminator;
            }
        }
        _ => {}
    }
}

/// How much there is to read about a type.
fn weight(documented: &DocumentedType) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, |text| text.len() / 64);
    let docs = &documented.docs;
    let values = docs
        .default
        .iter()
        .chain(&docs.examples)
        .map(|value| value.to_string().len() / 64)
        .sum::<usize>();
    let mut sum = 1 + text(&docs.description) + text(&docs.title) + values + docs.facts.len() / 4;
    match &documented.ty {
        Type::Enum(values) => {
            sum += values
                .values
                .iter()
                .map(|value| 1 + value.value.to_string().len() / 64 + text(&value.description))
                .sum::<usize>()
        }
        Type::Array(item) => sum += weight(item),
        Type::Tuple(tuple) => {
            sum += tuple.items.iter().map(weight).sum::<usize>();
            sum += tuple.rest.iter().map(|rest| weight_of(rest)).sum::<usize>();
        }
        Type::Record(record) => {
            sum += record
                .properties
                .iter()
                .map(|property| weight(&property.value) + property.name.len() / 64)
                .sum::<usize>();
            if let Extra::Of(value) = &record.extra {
                sum += weight_of(value);
            }
        }
        Type::Union(union) => sum += union.variants.iter().map(weight).sum::<usize>(),
        Type::Nullable(inner) => sum += weight_of(inner),
        _ => {}
    }
    sum
}

fn weight_of(ty: &Type) -> usize {
    let mut sum = 1;
    ty.for_each_child(|child| sum += weight_of(child));
    if let Type::Enum(values) = ty {
        sum += values
            .values
            .iter()
            .map(|value| 1 + value.value.to_string().len() / 64)
            .sum::<usize>();
    }
    sum
}

/// How deep a type nests.
fn depth(ty: &Type) -> usize {
    let mut deepest = 0;
    ty.for_each_child(|child| deepest = deepest.max(1 + depth(child)));
    deepest
}

/// Keeps the definitions that are used, and numbers them anew.
fn used(definitions: Vec<Definition>, roots: &mut [DocumentedType]) -> Vec<Definition> {
    let mut definitions: Vec<Option<Definition>> = definitions.into_iter().map(Some).collect();
    let mut numbers = vec![None; definitions.len()];
    let mut used: Vec<Definition> = Vec::new();
    for root in roots {
        renumber(&mut root.ty, &mut numbers, &mut definitions, &mut used);
    }
    let mut next = 0;
    while next < used.len() {
        let mut value = std::mem::replace(&mut used[next].value, DocumentedType::bare(Type::Any));
        renumber(&mut value.ty, &mut numbers, &mut definitions, &mut used);
        used[next].value = value;
        next += 1;
    }
    used
}

fn renumber(
    ty: &mut Type,
    numbers: &mut [Option<usize>],
    definitions: &mut [Option<Definition>],
    used: &mut Vec<Definition>,
) {
    if let Type::Named(id) = ty {
        if numbers[id.0].is_none() {
            numbers[id.0] = Some(used.len());
            used.extend(definitions[id.0].take());
        }
        *ty = numbers[id.0].map_or(Type::Any, |number| Type::Named(DefinitionId(number)));
        return;
    }
    ty.for_each_child_mut(|child, _| renumber(child, numbers, definitions, used));
}

/// Definitions in an order in which each comes after those that it uses, but for those that contain
/// themselves.
struct Order {
    inner_first: Vec<usize>,
    recursive: Vec<bool>,
    uses: Vec<usize>,
}

impl Order {
    /// A stack of its own, as definitions may form a long chain.
    fn of(definitions: &[Definition], roots: &[DocumentedType]) -> Self {
        let inside: Vec<Vec<usize>> = definitions
            .iter()
            .map(|definition| names_in(&definition.value.ty))
            .collect();
        let mut order = Self {
            inner_first: Vec::new(),
            recursive: vec![false; definitions.len()],
            uses: vec![0; definitions.len()],
        };
        let mut met = vec![false; definitions.len()];
        let mut above = HashSet::new();
        for start in roots.iter().flat_map(|root| names_in(&root.ty)) {
            order.uses[start] += 1;
            let mut open = vec![(start, 0)];
            while let Some((id, child)) = open.pop() {
                if child == 0 {
                    if met[id] {
                        continue;
                    }
                    met[id] = true;
                    above.insert(id);
                }
                let Some(&inner) = inside[id].get(child) else {
                    above.remove(&id);
                    order.inner_first.push(id);
                    continue;
                };
                open.push((id, child + 1));
                order.uses[inner] += 1;
                if above.contains(&inner) {
                    order.recursive[inner] = true;
                } else if !met[inner] {
                    open.push((inner, 0));
                }
            }
        }
        order
    }
}

fn names_in(ty: &Type) -> Vec<usize> {
    fn collect(ty: &Type, names: &mut Vec<usize>) {
        if let Type::Named(id) = ty {
            names.push(id.0);
        }
        ty.for_each_child(|child| collect(child, names));
    }
    let mut names = Vec::new();
    collect(ty, &mut names);
    names
}

/// Takes away what makes a type nothing but itself: `A` that is `A`, or a union with `A` among its
/// variants. Such say nothing.
fn break_endless(definitions: &mut [Definition]) {
    let bare: Vec<Vec<usize>> = definitions
        .iter()
        .map(|definition| bare_names(&definition.value.ty))
        .collect();
    let mut met = vec![false; definitions.len()];
    let mut above = HashSet::new();
    let mut endless = Vec::new();
    for start in 0..definitions.len() {
        let mut open = vec![(start, 0)];
        while let Some((id, child)) = open.pop() {
            if child == 0 {
                if met[id] {
                    continue;
                }
                met[id] = true;
                above.insert(id);
            }
            let Some(&inner) = bare[id].get(child) else {
                above.remove(&id);
                continue;
            };
            open.push((id, child + 1));
            if above.contains(&inner) {
                endless.push((id, inner));
            } else if !met[inner] {
                open.push((inner, 0));
            }
        }
    }
    for (id, inner) in endless {
        let ty = &mut definitions[id].value.ty;
        *ty = without(std::mem::replace(ty, Type::Any), inner);
    }
}

/// The names in a type that no structure stands around.
fn bare_names(ty: &Type) -> Vec<usize> {
    match ty {
        Type::Named(id) => vec![id.0],
        Type::Nullable(inner) => bare_names(inner),
        Type::Union(union) => union
            .variants
            .iter()
            .flat_map(|variant| bare_names(&variant.ty))
            .collect(),
        _ => Vec::new(),
    }
}

fn without(ty: Type, name: usize) -> Type {
    match ty {
        Type::Named(id) if id.0 == name => Type::Any,
        Type::Nullable(inner) if matches!(*inner, Type::Named(id) if id.0 == name) => Type::Null,
        Type::Nullable(inner) => without(*inner, name).or_null(),
        Type::Union(mut union) => {
            union
                .variants
                .retain(|variant| !matches!(variant.ty, Type::Named(id) if id.0 == name));
            union::of(union.variants, union.hint).ty
        }
        other => other,
    }
}
