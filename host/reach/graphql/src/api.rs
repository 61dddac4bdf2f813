//! An API whose schema was read: its tools, and their schemas as they are asked for.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use ampoule_api::DescribedApi;
use ampoule_outbound::Requests;
use ampoule_projection::{ObservedShape, SchemaSource, SchemaText, Tool};
use serde_json::{Map, Value, json};
use url::Url;

use crate::answer::ResponsePart;
use crate::arguments;
use crate::documents::{self, DocumentTool, OutgoingDocument};
use crate::operations::{self, Names, Operation};
use crate::options::GraphqlServer;
use crate::request;
use crate::schema::Schema;
use crate::selection::DefaultSelection;

/// An API, and the way to it.
pub(crate) type Api = DescribedApi<ApiContent>;

/// What a schema says, as tools and calls read it.
pub struct ApiContent {
    /// Where requests go.
    pub(crate) endpoint: Url,
    schema: Schema,
    /// What the schema was read of.
    digest: Digest,
    operations: Vec<Operation>,
    documents: Vec<DocumentTool>,
    places: HashMap<String, Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Operation(usize),
    Document(usize),
}

/// What tells a schema's text from another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Digest(usize, u64);

impl Digest {
    fn of(text: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Self(text.len(), hasher.finish())
    }
}

impl ApiContent {
    /// # Errors
    ///
    /// Why the API can't be used.
    pub(crate) fn api(
        text: &str,
        endpoint: Url,
        requests: Requests,
        server: &GraphqlServer,
    ) -> Result<Api, String> {
        let mut schema = Schema::read(text)?;
        let problems = std::mem::take(&mut schema.problems);
        let about = schema.valid.schema_definition.description.as_ref();
        let about = about.map(|text| ampoule_api::line(text));
        let mut names = Names::default();
        let operations = operations::all(&schema, &mut names)?;
        let documents = match server.documents {
            true => documents::all(&schema, &mut names),
            false => Vec::new(),
        };
        let of_operations = operations.iter().enumerate();
        let of_operations = of_operations.map(|(at, it)| (it.name.clone(), Place::Operation(at)));
        let of_documents = documents.iter().enumerate();
        let of_documents = of_documents.map(|(at, it)| (it.name.clone(), Place::Document(at)));
        let places = of_operations.chain(of_documents).collect();
        tracing::debug!(operations = operations.len(), "an API is described");
        let described = Arc::new(Self {
            endpoint,
            digest: Digest::of(text),
            schema,
            operations,
            documents,
            places,
        });
        Ok(Api {
            tools: Self::tools(&described),
            described,
            requests,
            problems: problems.into(),
            about,
            stale: None,
        })
    }

    /// Whether it was read of this text.
    pub(crate) fn is_of(&self, text: &str) -> bool {
        self.digest == Digest::of(text)
    }

    /// What a call sends, checked, and what is taken of the response; nothing for an unknown tool.
    pub(crate) fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Option<Result<(OutgoingDocument, ResponsePart), String>> {
        let taken = |field: Option<String>| ResponsePart {
            tool: tool.to_owned(),
            field,
        };
        let called = match *self.places.get(tool)? {
            Place::Operation(at) => {
                let operation = &self.operations[at];
                let field = operation.field.name.to_string();
                let sent = request::document(&self.schema, operation, arguments);
                sent.map(|sent| (sent, taken(Some(field))))
            }
            Place::Document(at) => {
                let sent = self.documents[at].check(&self.schema, &arguments);
                sent.map(|sent| (sent, taken(None)))
            }
        };
        Some(called)
    }

    fn tools(described: &Arc<Self>) -> Arc<[Tool]> {
        let of_operation = |(at, operation): (usize, &Operation)| {
            let made = |part| {
                SchemaText::made(OperationSchema {
                    described: Arc::clone(described),
                    at,
                    part,
                })
            };
            Tool {
                name: operation.name.clone(),
                title: None,
                description: Some(operation.description()),
                input_schema: made(Part::Input),
                output_schema: Some(made(Part::Output)),
                annotations: operation.kind.hints(),
                ui: None,
                seen: ObservedShape::default(),
            }
        };
        let operations = described.operations.iter().enumerate().map(of_operation);
        let documents = described.documents.iter().map(DocumentTool::tool);
        operations.chain(documents).collect()
    }
}

/// A schema of an operation, made when somebody looks at it.
struct OperationSchema {
    described: Arc<ApiContent>,
    at: usize,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Input,
    Output,
}

impl SchemaSource for OperationSchema {
    fn schema(&self) -> Value {
        let (schema, field) = (
            &self.described.schema,
            &self.described.operations[self.at].field,
        );
        match self.part {
            Part::Input => arguments::schema(schema, field),
            Part::Output => DefaultSelection::of(schema, field).schema(schema),
        }
    }

    fn outline(&self) -> Value {
        let (schema, field) = (
            &self.described.schema,
            &self.described.operations[self.at].field,
        );
        match self.part {
            Part::Input => arguments::outline(schema, field),
            // What is searched for is in the description.
            Part::Output => json!({}),
        }
    }
}
