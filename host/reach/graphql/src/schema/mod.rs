//! The types of an API.
//!
//! Schemas in the wild have applications of directives that they don't define, fields that are there
//! twice, and extensions of nothing; what calls don't need of that is left out before the rest is
//! validated.

pub(crate) mod introspection;

use std::collections::HashSet;

use apollo_compiler::ast::{Definition, Document, FieldDefinition, InputValueDefinition};
use apollo_compiler::collections::HashMap;
use apollo_compiler::parser::Parser;
use apollo_compiler::schema::{ExtendedType, Implementers};
use apollo_compiler::validation::{DiagnosticList, Valid};
use apollo_compiler::{Name, Node};

use ampoule_api::line;

/// How long a schema may be, in bytes.
pub(crate) const MAX_BYTES: usize = 16 << 20;
/// Of how many words and signs it may consist.
const MAX_TOKENS: usize = 2_000_000;
/// How deep it may be nested.
const MAX_DEPTH: usize = 64;

/// How many of the problems of a schema are told.
const MAX_PROBLEMS: usize = 20;

/// A schema, and what is looked up in it.
pub(crate) struct Schema {
    pub(crate) valid: Valid<apollo_compiler::Schema>,
    /// The types of each interface.
    implementers: HashMap<Name, Implementers>,
    /// The input types of which a value has one field.
    one_of: HashSet<Name>,
    /// What is wrong with it, a sentence each.
    pub(crate) problems: Vec<String>,
}

impl Schema {
    /// A schema that is written down: as SDL, or as the JSON of an introspection.
    ///
    /// # Errors
    ///
    /// Why it can't be used.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.len() > MAX_BYTES {
            return Err(format!("it has more than {} MiB", MAX_BYTES >> 20));
        }
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('{') {
            return introspection::read(text);
        }
        let mut parser = Parser::new()
            .recursion_limit(MAX_DEPTH)
            .token_limit(MAX_TOKENS);
        let parsed = parser.parse_ast(text, "schema");
        let document = parsed.map_err(|error| {
            let why = first(&error.errors);
            format!("it is not a schema that can be read: {why}")
        })?;
        Self::of(document)
    }

    /// A schema that was parsed.
    pub(crate) fn of(mut document: Document) -> Result<Self, String> {
        let mut one_of = HashSet::new();
        document
            .definitions
            .retain_mut(|definition| keep(definition, &mut one_of));
        let mut builder = apollo_compiler::Schema::builder().adopt_orphan_extensions();
        builder = builder.add_ast(&document);
        let mut problems = Vec::new();
        let schema = builder.build().unwrap_or_else(|error| {
            let all = error.errors.iter().take(MAX_PROBLEMS);
            problems.extend(all.map(|it| format!("the schema: {}", line(&it.error.to_string()))));
            error.partial
        });
        drop(document);
        let valid = schema
            .validate()
            .map_err(|error| format!("it is not a valid schema: {}", first(&error.errors)))?;
        Ok(Self {
            implementers: valid.implementers_map(),
            valid,
            one_of,
            problems,
        })
    }

    pub(crate) fn type_of(&self, name: &str) -> Option<&ExtendedType> {
        self.valid.types.get(name)
    }

    pub(crate) fn is_one_of(&self, name: &str) -> bool {
        self.one_of.contains(name)
    }

    /// The objects that a value of an abstract type may be.
    pub(crate) fn possible<'a>(&'a self, ty: &'a ExtendedType) -> Vec<&'a Name> {
        match ty {
            ExtendedType::Union(union) => union.members.iter().map(|it| &it.name).collect(),
            ExtendedType::Interface(interface) => {
                let known = self.implementers.get(&interface.name);
                known.into_iter().flat_map(|it| &it.objects).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The first mistake, with its line.
pub(crate) fn first(errors: &DiagnosticList) -> String {
    let Some(found) = errors.iter().next() else {
        return "it is empty".to_owned();
    };
    let said = line(&found.error.to_string());
    match found.line_column_range() {
        Some(place) => format!("line {}: {said}", place.start.line),
        None => said,
    }
}

/// Takes out of a definition what calls don't need; whether anything is left.
fn keep(definition: &mut Definition, one_of: &mut HashSet<Name>) -> bool {
    match definition {
        Definition::SchemaDefinition(it) => it.make_mut().directives.0.clear(),
        Definition::SchemaExtension(it) => it.make_mut().directives.0.clear(),
        Definition::ScalarTypeDefinition(it) => {
            const BUILT_IN: [&str; 5] = ["Int", "Float", "String", "Boolean", "ID"];
            if BUILT_IN.contains(&it.name.as_str()) {
                return false;
            }
            let directives = &mut it.make_mut().directives.0;
            directives.retain(|it| it.name == "specifiedBy");
        }
        Definition::ScalarTypeExtension(_) => return false,
        Definition::ObjectTypeDefinition(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.fields.iter_mut().for_each(bare_field);
        }
        Definition::ObjectTypeExtension(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.fields.iter_mut().for_each(bare_field);
        }
        Definition::InterfaceTypeDefinition(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.fields.iter_mut().for_each(bare_field);
        }
        Definition::InterfaceTypeExtension(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.fields.iter_mut().for_each(bare_field);
        }
        Definition::UnionTypeDefinition(it) => it.make_mut().directives.0.clear(),
        Definition::UnionTypeExtension(it) => it.make_mut().directives.0.clear(),
        Definition::EnumTypeDefinition(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.values
                .iter_mut()
                .for_each(|value| value.make_mut().directives.0.clear());
        }
        Definition::EnumTypeExtension(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.values
                .iter_mut()
                .for_each(|value| value.make_mut().directives.0.clear());
        }
        Definition::InputObjectTypeDefinition(it) => {
            let it = it.make_mut();
            if it.directives.has("oneOf") {
                one_of.insert(it.name.clone());
            }
            it.directives.0.clear();
            it.fields.iter_mut().for_each(bare_input);
        }
        Definition::InputObjectTypeExtension(it) => {
            let it = it.make_mut();
            it.directives.0.clear();
            it.fields.iter_mut().for_each(bare_input);
        }
        Definition::DirectiveDefinition(it) => {
            it.make_mut().arguments.iter_mut().for_each(bare_input);
        }
        // These are not of a schema, and the builder says so.
        Definition::OperationDefinition(_) | Definition::FragmentDefinition(_) => {}
    }
    true
}

fn bare_field(field: &mut Node<FieldDefinition>) {
    let field = field.make_mut();
    field.directives.0.retain(|it| it.name == "deprecated");
    field.arguments.iter_mut().for_each(bare_input);
}

/// What is deprecated and required would not be valid, and a call has to know neither.
fn bare_input(input: &mut Node<InputValueDefinition>) {
    input.make_mut().directives.0.clear();
}

#[cfg(test)]
pub(crate) mod tests;
