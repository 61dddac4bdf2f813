//! `anyOf` and `oneOf`, and schemas that hold under conditions.

use serde_json::{Map, Value};

use super::super::types::{Docs, DocumentedType, Type};
use super::conjunction::Part;
use super::kind::Kind;
use super::lower::{Lowering, hint};
use super::note::Problem;
use super::{Schema, docs, union};

/// How many properties may be repeated to say exactly what a choice means whose schemas share some.
const MAX_REPEATED: usize = 256;

/// One `anyOf` or `oneOf`.
struct Choice<'a> {
    keyword: &'static str,
    branches: Vec<Schema<'a>>,
}

impl<'a> Lowering<'_, 'a> {
    /// The type of parts, some of which may leave a choice.
    pub(super) fn choose(
        &mut self,
        parts: &[Part<'a>],
        kinds: Option<Vec<Kind>>,
        docs: &mut Docs,
        depth: usize,
    ) -> Type {
        let mut loose = conditional(parts);
        let mut choices = self.choices(parts);
        choices.retain(|choice| match requirements(choice) {
            Some(fact) => {
                docs.facts.extend(fact);
                false
            }
            None => true,
        });
        let mut choices = choices.into_iter();
        let first = choices.next();
        for choice in choices {
            self.loosen(choice, &mut loose);
        }
        let Some(first) = first else {
            return self.shape(parts, kinds, &loose, depth);
        };
        let shared = parts
            .iter()
            .filter_map(|part| part.get("properties")?.as_object())
            .map(Map::len)
            .sum::<usize>();
        if shared * first.branches.len() > MAX_REPEATED {
            self.loosen(first, &mut loose);
            return self.shape(parts, kinds, &loose, depth);
        }
        if !loose.is_empty() {
            self.note(Problem::Loosened("if"));
        }
        self.distribute(parts, first, docs, depth)
    }

    /// A union of what the parts are with each of the branches.
    fn distribute(
        &mut self,
        parts: &[Part<'a>],
        choice: Choice<'a>,
        docs: &mut Docs,
        depth: usize,
    ) -> Type {
        let rest: Vec<_> = parts
            .iter()
            .map(|part| Part {
                without_choices: true,
                ..*part
            })
            .collect();
        let alone = !rest.iter().any(shapes_without_choices);
        let mut members = Vec::with_capacity(choice.branches.len());
        for (index, branch) in choice.branches.into_iter().enumerate() {
            let branch = match branch {
                Schema::Boolean(false) => continue,
                Schema::Boolean(true) => {
                    members.push(self.lower(&rest, depth));
                    continue;
                }
                Schema::Object(branch) => branch,
            };
            let member = self.within(choice.keyword, Some(&index.to_string()), |lowering| {
                if alone
                    && ["$ref", "type", "anyOf", "oneOf", "enum", "const"]
                        .iter()
                        .any(|keyword| branch.contains_key(*keyword))
                {
                    return lowering.lower(&[Part::whole(branch)], depth);
                }
                let mut seeds = rest.clone();
                seeds.push(Part::whole(branch));
                DocumentedType {
                    ty: lowering.lower(&seeds, depth).ty,
                    docs: docs::of(branch),
                }
            });
            members.push(member);
        }
        let DocumentedType {
            mut ty,
            docs: inner_docs,
        } = union::of(members, hint(parts));
        docs.or(inner_docs);
        let discriminator = parts
            .iter()
            .find_map(|part| part.get("discriminator")?.get("propertyName")?.as_str());
        if let (Type::Union(union), Some(property)) = (inner(&mut ty), discriminator) {
            union.discriminator = Some(property.to_owned());
        }
        ty
    }

    fn choices(&mut self, parts: &[Part<'a>]) -> Vec<Choice<'a>> {
        let mut choices = Vec::new();
        for part in parts.iter().filter(|part| !part.without_choices) {
            for keyword in ["anyOf", "oneOf"] {
                let branches = self.schemas_in(part.schema, keyword);
                if !branches.is_empty() {
                    choices.push(Choice { keyword, branches });
                }
            }
        }
        choices
    }

    /// Takes a choice as schemas that may hold or not.
    fn loosen(&mut self, choice: Choice<'a>, loose: &mut Vec<&'a Map<String, Value>>) {
        self.note(Problem::Loosened(choice.keyword));
        loose.extend(
            choice
                .branches
                .into_iter()
                .filter_map(|branch| match branch {
                    Schema::Object(schema) => Some(schema),
                    Schema::Boolean(_) => None,
                }),
        );
    }
}

/// The union in a type that may be nullable.
fn inner(ty: &mut Type) -> &mut Type {
    match ty {
        Type::Nullable(inner) => inner,
        other => other,
    }
}

/// The schemas that hold under conditions.
fn conditional<'a>(parts: &[Part<'a>]) -> Vec<&'a Map<String, Value>> {
    let mut schemas = Vec::new();
    for part in parts {
        schemas.extend(
            ["then", "else"]
                .into_iter()
                .filter_map(|keyword| part.get(keyword)?.as_object()),
        );
        for keyword in ["dependentSchemas", "dependencies"] {
            if let Some(Value::Object(dependencies)) = part.get(keyword) {
                schemas.extend(dependencies.values().filter_map(Value::as_object));
            }
        }
    }
    schemas
}

/// Whether a part says something about the type when its choices are dealt with.
fn shapes_without_choices(part: &Part<'_>) -> bool {
    const KEYWORDS: &[&str] = &[
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "unevaluatedProperties",
        "items",
        "prefixItems",
        "additionalItems",
        "then",
        "else",
        "dependentSchemas",
        "dependencies",
    ];
    KEYWORDS.iter().any(|keyword| part.get(keyword).is_some())
}

/// What a choice says that is only about which properties are there, such as `needs owner, or org`.
/// `None` for any other choice.
fn requirements(choice: &Choice<'_>) -> Option<Option<String>> {
    /// How many are said.
    const MAX_SAID: usize = 8;
    const SAYS_NOTHING: &[&str] = &["required", "not", "title", "description", "$comment"];
    let mut needed = Vec::new();
    for branch in &choice.branches {
        let Schema::Object(branch) = branch else {
            return None;
        };
        if branch.is_empty()
            || branch
                .keys()
                .any(|key| !SAYS_NOTHING.contains(&key.as_str()))
        {
            return None;
        }
        if let Some(Value::Array(names)) = branch.get("required") {
            let names: Vec<_> = names
                .iter()
                .filter_map(Value::as_str)
                .take(MAX_SAID)
                .collect();
            needed.push(names.join(" and "));
        }
    }
    let all = needed.len() == choice.branches.len() && needed.len() <= MAX_SAID;
    let one = if choice.keyword == "oneOf" {
        "needs exactly one of"
    } else {
        "needs at least one of"
    };
    Some(all.then(|| format!("{one}: {}", needed.join("; "))))
}
