//! The operations of a schema: one for each field of the types for queries and mutations.

use std::collections::HashSet;

use ampoule_projection::Hints;
use apollo_compiler::Node;
use apollo_compiler::ast::{FieldDefinition, OperationType};

use crate::schema::Schema;

/// How many operations a schema may have.
const MAX_OPERATIONS: usize = 1 << 15;

/// How much of what a schema says of an operation is kept, in bytes.
const MAX_DESCRIPTION: usize = 16 << 10;

/// One operation.
pub(crate) struct Operation {
    /// The tool's name.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) field: Node<FieldDefinition>,
}

/// What an operation may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Query,
    Mutation,
}

impl Kind {
    pub(crate) fn of_document(self) -> OperationType {
        match self {
            Self::Query => OperationType::Query,
            Self::Mutation => OperationType::Mutation,
        }
    }

    /// What the tools say of their effects.
    pub(crate) fn hints(self) -> Hints {
        let reads = self == Self::Query;
        Hints {
            read_only: Some(reads),
            destructive: Some(!reads),
            idempotent: reads.then_some(true),
            open_world: Some(true),
        }
    }
}

/// Names that are taken, compared as servers' tools are: without case and punctuation.
#[derive(Default)]
pub(crate) struct Names(HashSet<String>);

impl Names {
    /// The first of these that no other tool has, or the last with a number.
    pub(crate) fn name(&mut self, names: [String; 2]) -> String {
        let last = names[1].clone();
        for name in names {
            if self.0.insert(folded(&name)) {
                return name;
            }
        }
        let mut numbers = 2_u32..;
        let name = numbers.find_map(|number| {
            let name = format!("{last}_{number}");
            self.0.insert(folded(&name)).then_some(name)
        });
        name.unwrap_or(last)
    }
}

fn folded(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// The operations: queries have their names first.
///
/// # Errors
///
/// There are none, or too many.
pub(crate) fn all(schema: &Schema, names: &mut Names) -> Result<Vec<Operation>, String> {
    let mut operations = Vec::new();
    for kind in [Kind::Query, Kind::Mutation] {
        let root = schema.valid.root_operation(kind.of_document());
        let root = root.and_then(|name| schema.valid.get_object(name));
        for (name, field) in root.into_iter().flat_map(|root| &root.fields) {
            if operations.len() == MAX_OPERATIONS {
                return Err(format!("it has more than {MAX_OPERATIONS} operations"));
            }
            let other = match kind {
                Kind::Query => format!("{name}_query"),
                Kind::Mutation => format!("{name}_mutation"),
            };
            operations.push(Operation {
                name: names.name([name.to_string(), other]),
                kind,
                field: Node::clone(&field.node),
            });
        }
    }
    match operations.is_empty() {
        true => Err("it has no queries and no mutations".to_owned()),
        false => Ok(operations),
    }
}

impl Operation {
    pub(crate) fn description(&self) -> String {
        let mut said: Vec<String> = Vec::new();
        if let Some(why) = deprecation(&self.field) {
            said.push(match why {
                "" => "Deprecated.".to_owned(),
                why => format!("Deprecated: {}", ampoule_api::line(why)),
            });
        }
        said.extend(self.field.description.as_deref().map(cut));
        let kind = match self.kind {
            Kind::Query => "query",
            Kind::Mutation => "mutation",
        };
        said.push(format!("GraphQL {kind} `{}`", self.field.name));
        said.join("\n\n")
    }
}

/// Why a field is deprecated, if it is.
pub(crate) fn deprecation(field: &FieldDefinition) -> Option<&str> {
    let directive = field.directives.get("deprecated")?;
    let reason = directive.specified_argument_by_name("reason");
    Some(reason.and_then(|it| it.as_str()).unwrap_or_default())
}

/// A description that is not too long.
pub(crate) fn cut(text: &str) -> String {
    let text = text.trim();
    match text.len() > MAX_DESCRIPTION {
        true => format!("{}…", &text[..text.floor_char_boundary(MAX_DESCRIPTION)]),
        false => text.to_owned(),
    }
}
