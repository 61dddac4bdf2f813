//! The tools that take whole documents: one that only reads, and one for mutations.
//!
//! A document can do all that the API does, whatever a grant says of single operations. So there
//! are no such tools unless the operator asks for them, and the one that says of itself that it only
//! reads takes no mutation.

use std::collections::BTreeSet;

use ampoule_projection::{ObservedShape, Tool};
use apollo_compiler::ast::{Definition, Document};
use serde_json::{Map, Value, json};

use crate::operations::{Kind, Names};
use crate::schema::{Schema, first};
use crate::selection::{check, written};

const DOCUMENT: &str = "document";
const VARIABLES: &str = "variables";
const OPERATION: &str = "operation";

/// A tool that takes documents of a kind.
pub(crate) struct DocumentTool {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// A document that may be sent.
pub(crate) struct OutgoingDocument {
    pub(crate) text: String,
    pub(crate) variables: Map<String, Value>,
    pub(crate) operation: Option<String>,
}

/// The tools for documents, with names that no operation has.
pub(crate) fn all(schema: &Schema, names: &mut Names) -> Vec<DocumentTool> {
    let mut tools = Vec::new();
    for (kind, name) in [
        (Kind::Query, "graphql_query"),
        (Kind::Mutation, "graphql_mutation"),
    ] {
        if schema.valid.root_operation(kind.of_document()).is_some() {
            let name = names.name([name.to_owned(), format!("{name}_document")]);
            tools.push(DocumentTool { name, kind });
        }
    }
    tools
}

impl DocumentTool {
    pub(crate) fn tool(&self) -> Tool {
        let takes = match self.kind {
            Kind::Query => {
                "Sends a whole GraphQL document, of queries alone, and gives its `data`."
            }
            Kind::Mutation => {
                "Sends a whole GraphQL document, of mutations alone, and gives its `data`."
            }
        };
        let input = json!({
            "type": "object",
            "properties": {
                DOCUMENT: { "type": "string", "description": "The document, in GraphQL." },
                VARIABLES: { "type": "object", "description": "The values of its variables." },
                OPERATION: { "type": "string", "description": "The name of the operation to execute, where the document has several." },
            },
            "required": [DOCUMENT],
            "additionalProperties": false,
        });
        Tool {
            name: self.name.clone(),
            title: None,
            description: Some(takes.to_owned()),
            input_schema: input.into(),
            output_schema: Some(json!({ "type": "object" }).into()),
            annotations: self.kind.hints(),
            ui: None,
            seen: ObservedShape::default(),
        }
    }

    /// The document of a call, checked.
    ///
    /// # Errors
    ///
    /// Why it is not sent.
    pub(crate) fn check(
        &self,
        schema: &Schema,
        arguments: &Map<String, Value>,
    ) -> Result<OutgoingDocument, String> {
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let wrong = |why: String| format!("`{DOCUMENT}`: {why}");
        let written = text(DOCUMENT).ok_or_else(|| wrong("it is missing".to_owned()))?;
        let document = written::document(written).map_err(wrong)?;
        self.check_kinds(&document).map_err(wrong)?;
        let operation = text(OPERATION);
        choose(&document, operation)?;
        for definition in &document.definitions {
            let (ty, selections) = match definition {
                Definition::OperationDefinition(it) => {
                    let root = schema.valid.root_operation(it.operation_type);
                    (root.cloned(), &it.selection_set)
                }
                Definition::FragmentDefinition(it) => {
                    check::is_known(&schema.valid, &it.type_condition).map_err(wrong)?;
                    (Some(it.type_condition.clone()), &it.selection_set)
                }
                _ => continue,
            };
            if let Some(ty) = ty {
                check::check(&schema.valid, &ty, selections).map_err(wrong)?;
            }
        }
        let valid = document.to_executable_validate(&schema.valid);
        valid.map_err(|error| wrong(first(&error.errors)))?;
        Ok(OutgoingDocument {
            // As it was read, and in no other way.
            text: document.to_string(),
            variables: match arguments.get(VARIABLES) {
                Some(Value::Object(variables)) => variables.clone(),
                _ => Map::new(),
            },
            operation: operation.map(str::to_owned),
        })
    }

    fn check_kinds(&self, document: &Document) -> Result<(), String> {
        let mut has_any = false;
        for definition in &document.definitions {
            match definition {
                Definition::FragmentDefinition(_) => {}
                Definition::OperationDefinition(it) => {
                    has_any = true;
                    if it.operation_type != self.kind.of_document() {
                        let takes = match self.kind {
                            Kind::Query => "queries",
                            Kind::Mutation => "mutations",
                        };
                        return Err(format!(
                            "it has a {}, and `{}` takes {takes} alone",
                            it.operation_type, self.name
                        ));
                    }
                }
                _ => return Err("it defines types, and must only have operations".to_owned()),
            }
        }
        match has_any {
            true => Ok(()),
            false => Err("it has no operation".to_owned()),
        }
    }
}

/// Whether it is clear which operation is meant.
fn choose(document: &Document, operation: Option<&str>) -> Result<(), String> {
    let definitions = document.definitions.iter();
    let operations = definitions.filter_map(|it| match it {
        Definition::OperationDefinition(it) => Some(it.name.as_ref().map(|name| name.as_str())),
        _ => None,
    });
    let operations: Vec<Option<&str>> = operations.collect();
    match operation {
        None if operations.len() == 1 => Ok(()),
        Some(name) if operations.contains(&Some(name)) => Ok(()),
        _ => {
            let names: BTreeSet<&str> = operations.into_iter().flatten().collect();
            let names = names.into_iter().take(20).collect::<Vec<_>>().join(", ");
            Err(format!(
                "`{OPERATION}` must be the name of one of the document's operations: {names}"
            ))
        }
    }
}
