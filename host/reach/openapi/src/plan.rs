//! What an operation takes and gives, read from its document: for its declaration, and for calls.

use std::collections::HashSet;

use http::HeaderName;
use serde_json::{Map, Value, json};
use url::Url;

use crate::body::Body;
use crate::document::Documents;
use crate::operations::{Operation, WrittenParameter};
use crate::parameters::{self, BODY, Parameter};
use crate::results::Results;
use crate::schema::{Direction, Schemas};
use crate::security::{self, Requirement};
use crate::server::Base;

/// How an operation is called.
pub(crate) struct Plan {
    /// What scripts give, but for the body. Where answers name next pages, the last one is
    /// [what these ask for besides](Self::rest).
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) results: Results,
    pub(crate) base: Url,
}

/// What plans are made with.
pub(crate) struct Setting<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) base: &'a Base,
    /// The headers that the operator sets.
    pub(crate) set: &'a HashSet<HeaderName>,
}

impl Plan {
    /// # Errors
    ///
    /// Why the operation can't be called.
    pub(crate) fn of(operation: &Operation, setting: &Setting<'_>) -> Result<Self, String> {
        let documents = setting.documents;
        let written = operation
            .read(documents)
            .ok_or("the document's operation can't be read")?;
        let base = setting
            .base
            .of(documents, Some(&written.item), Some(&written.operation))?;
        let body = Body::of(documents, written.file, &written.operation);
        let mut parameters = written.parameters;
        add_of_path(&operation.path, written.file, &mut parameters);
        let is_set = |name: &HeaderName| setting.set.contains(name);
        let results = Results::of(documents, written.file, &written.operation);
        if results.has_pages() {
            parameters.push(WrittenParameter {
                file: written.file,
                text: parameters::rest(),
            });
        }
        Ok(Self {
            parameters: parameters::of(documents, &parameters, body.is_some(), &is_set),
            requirements: security::requirements(documents, &written.operation),
            results,
            body,
            base,
        })
    }

    /// The schema of the arguments.
    pub(crate) fn input(&self, documents: &Documents) -> Value {
        let mut schemas = Schemas::new(documents, Direction::Request);
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        for parameter in &self.parameters {
            let schema = parameter.argument_schema(&mut schemas);
            properties.insert(parameter.argument.clone(), schema);
            if parameter.required {
                required.push(parameter.argument.as_str().into());
            }
        }
        if let Some(body) = &self.body {
            properties.insert(
                BODY.to_owned(),
                body.argument_schema(documents, &mut schemas),
            );
            if body.required {
                required.push(BODY.into());
            }
        }
        let mut schema = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        add(&mut schema, schemas);
        schema
    }

    /// The parameter for what the addresses of next pages ask for and the document does not name.
    pub(crate) fn rest(&self) -> Option<&Parameter> {
        self.parameters.last().filter(|_| self.results.has_pages())
    }

    /// The parameter whose members may have any name in the query.
    pub(crate) fn bringing(&self) -> Option<&Parameter> {
        let rest = self.rest().map(|rest| &rest.argument);
        let mut parameters = self.parameters.iter();
        parameters.find(|it| it.brings_names && Some(&it.argument) != rest)
    }

    /// The parameter of the query that the server calls so.
    pub(crate) fn query_parameter(&self, name: &str) -> Option<&Parameter> {
        let rest = self.rest().map(|rest| &rest.argument);
        self.parameters
            .iter()
            .find(|parameter| Some(&parameter.argument) != rest && parameter.is_of_query(name))
    }

    /// What the next page is called with: the arguments, though those of bodies stay as they are.
    fn next(&self, schemas: &mut Schemas<'_>) -> Value {
        let of = |parameter: &Parameter| {
            let schema = parameter.argument_schema(schemas);
            (parameter.argument.clone(), without_words(schema))
        };
        let properties: Map<String, Value> = self.parameters.iter().map(of).collect();
        let required = self.parameters.iter().filter(|it| it.required);
        let required: Vec<&String> = required.map(|it| &it.argument).collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }

    /// The same as far as search reads it: what a body refers to, and no more.
    pub(crate) fn outline(&self, documents: &Documents) -> Value {
        let mut schemas = Schemas::new(documents, Direction::Request);
        let parameters = self.parameters.iter();
        let mut properties: Map<String, Value> = parameters
            .map(|parameter| {
                (
                    parameter.argument.clone(),
                    parameter.argument_schema(&mut schemas),
                )
            })
            .collect();
        if let Some(body) = &self.body {
            properties.insert(BODY.to_owned(), body.outline(documents));
        }
        json!({ "type": "object", "properties": properties })
    }

    /// The schema of results, if something is said of them.
    pub(crate) fn output(&self, documents: &Documents) -> Option<Value> {
        let mut schemas = Schemas::new(documents, Direction::Response);
        if !self.results.is_known() {
            return None;
        }
        let next = self.results.has_pages().then(|| self.next(&mut schemas));
        let mut schema = self.results.schema(&mut schemas, next);
        if !schema.is_object() {
            schema = json!({});
        }
        add(&mut schema, schemas);
        Some(schema)
    }
}

/// A schema without what the arguments say of it already.
fn without_words(mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        for word in ["description", "examples", "deprecated"] {
            schema.remove(word);
        }
    }
    schema
}

fn add(schema: &mut Value, schemas: Schemas<'_>) {
    let definitions = schemas.definitions();
    if !definitions.is_empty()
        && let Some(schema) = schema.as_object_mut()
    {
        schema.insert("$defs".to_owned(), definitions.into());
    }
}

/// What a path has in braces, and the document doesn't speak of.
fn add_of_path(path: &str, file: usize, parameters: &mut Vec<WrittenParameter>) {
    for name in names_in(path) {
        let is_there = |WrittenParameter { text, .. }: &WrittenParameter| {
            text.get("in").and_then(Value::as_str) == Some("path")
                && text.get("name").and_then(Value::as_str) == Some(name)
        };
        if !parameters.iter().any(is_there) {
            let text = json!({ "name": name, "in": "path", "schema": { "type": "string" } });
            parameters.push(WrittenParameter { file, text });
        }
    }
}

/// The names that stand in braces.
pub(crate) fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('{')
        .skip(1)
        .filter_map(|rest| rest.split_once('}'))
        .map(|(name, _)| name)
}
