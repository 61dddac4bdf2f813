//! A call as a request.

use ampoule_outbound::ServerRequest;
use apollo_compiler::Node;
use apollo_compiler::ast::{
    Argument, Definition, DirectiveList, Document, Field, OperationDefinition, Selection,
    Value as Literal, VariableDefinition,
};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method};
use serde_json::{Map, Value, json};
use url::Url;

use crate::documents::OutgoingDocument;
use crate::operations::Operation;
use crate::schema::{Schema, first};
use crate::selection::{self, DefaultSelection, check, written};

const ANSWERS: HeaderValue =
    HeaderValue::from_static("application/graphql-response+json, application/json;q=0.9");
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The document of a call to an operation, checked.
///
/// # Errors
///
/// Why it is not sent.
pub(crate) fn document(
    schema: &Schema,
    operation: &Operation,
    mut arguments: Map<String, Value>,
) -> Result<OutgoingDocument, String> {
    let field = &operation.field;
    let selections = match selection::argument(schema, field) {
        None => Vec::new(),
        Some(name) => match arguments.remove(&name) {
            Some(Value::String(text)) => {
                let wrong = |why| format!("`{name}`: {why}");
                let selections = written::selections(&text).map_err(wrong)?;
                let ty = field.ty.inner_named_type();
                check::check(&schema.valid, ty, &selections).map_err(wrong)?;
                selections
            }
            _ => written::selections(&DefaultSelection::of(schema, field).text())?,
        },
    };
    let given = field.arguments.iter();
    let given: Vec<_> = given
        .filter(|it| arguments.contains_key(it.name.as_str()))
        .collect();
    let call = Field {
        alias: None,
        name: field.name.clone(),
        arguments: given
            .iter()
            .map(|it| {
                Node::new(Argument {
                    name: it.name.clone(),
                    value: Node::new(Literal::Variable(it.name.clone())),
                })
            })
            .collect(),
        directives: DirectiveList::new(),
        selection_set: selections,
    };
    let variables = given.iter().map(|it| {
        Node::new(VariableDefinition {
            name: it.name.clone(),
            ty: it.ty.clone(),
            default_value: None,
            directives: DirectiveList::new(),
        })
    });
    let mut document = Document::new();
    let definition = OperationDefinition {
        operation_type: operation.kind.of_document(),
        name: Some(field.name.clone()),
        variables: variables.collect(),
        directives: DirectiveList::new(),
        selection_set: vec![Selection::Field(Node::new(call))],
    };
    document
        .definitions
        .push(Definition::OperationDefinition(Node::new(definition)));
    let valid = document.to_executable_validate(&schema.valid);
    valid.map_err(|error| format!("what is selected can't be sent: {}", first(&error.errors)))?;
    let text = document.to_string();
    let names: Vec<&str> = given.iter().map(|it| it.name.as_str()).collect();
    arguments.retain(|name, _| names.contains(&name.as_str()));
    Ok(OutgoingDocument {
        text,
        variables: arguments,
        operation: None,
    })
}

/// The request of a document. `confidential`: headers that only the server may know.
pub(crate) fn of(
    endpoint: &Url,
    sent: &OutgoingDocument,
    confidential: HeaderMap,
) -> ServerRequest {
    let mut body = json!({ "query": sent.text });
    if !sent.variables.is_empty() {
        body["variables"] = sent.variables.clone().into();
    }
    if let Some(operation) = &sent.operation {
        body["operationName"] = operation.as_str().into();
    }
    ServerRequest {
        method: Method::POST,
        url: endpoint.clone(),
        headers: HeaderMap::from_iter([(ACCEPT, ANSWERS), (CONTENT_TYPE, JSON)]),
        confidential,
        body: body.to_string().into(),
    }
}

#[cfg(test)]
mod tests;
