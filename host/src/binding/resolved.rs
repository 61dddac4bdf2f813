//! A tool that was found: what is said of it, and calling it.

use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use super::catalog::{Listing, Server};
use super::outcome::{CallOutcome, Form, outcome_of};
use super::{CallContext, CallError};
use crate::projection::{Detail, Idiom, Tool, doc, wit};

/// A tool that was found, and may be called.
#[derive(Clone)]
pub(crate) struct ResolvedTool {
    pub(super) server: Arc<Server>,
    pub(super) listing: Arc<Listing>,
    /// Its place in the listing.
    pub(super) index: usize,
    /// How it is named and declared.
    pub(super) idiom: Idiom,
}

/// A tool in short.
pub(crate) struct ToolSummary {
    pub(crate) server: String,
    pub(crate) name: String,
    pub(crate) identifier: String,
    pub(crate) description: String,
}

impl ResolvedTool {
    pub(crate) fn server(&self) -> &Arc<str> {
        self.server.name()
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        self.listing.name(self.index)
    }

    pub(crate) fn identifier(&self) -> &str {
        self.listing.identifier(self.index, self.idiom)
    }

    /// The tool as a script would write it: `server.tool`.
    pub(crate) fn qualified_name(&self) -> String {
        format!("{}.{}", self.server(), self.identifier())
    }

    pub(crate) fn summary(&self) -> ToolSummary {
        let tool = self.listing.tool(self.index);
        ToolSummary {
            server: self.server().to_string(),
            name: tool.name.clone(),
            identifier: self.identifier().to_owned(),
            description: doc::first_sentence(
                tool.description
                    .as_deref()
                    .or(tool.title.as_deref())
                    .unwrap_or_default(),
            ),
        }
    }

    /// The tool's declaration, with its documentation.
    pub(crate) fn declare(&self, detail: Detail) -> String {
        self.listing
            .declare(self.server(), [self.index], self.idiom, detail)
    }

    /// The declarations of some tools of one server, with the types that they share.
    pub(crate) fn declare_all(tools: &[Self], detail: Detail) -> String {
        let Some(first) = tools.first() else {
            return String::new();
        };
        let places = tools.iter().map(|tool| tool.index);
        first
            .listing
            .declare(first.server(), places, first.idiom, detail)
    }

    /// The stub of a module in Python with some tools of one server, with their documentation.
    pub(crate) fn python_module(tools: &[Self]) -> String {
        let places = tools.iter().map(|tool| tool.index);
        tools
            .first()
            .map_or_else(String::new, |first| first.listing.python_module(places))
    }

    /// The package of some tools of one server in WIT.
    pub(crate) fn package(tools: &[Self]) -> Option<wit::Package> {
        let first = tools.first()?;
        let places = tools.iter().map(|tool| tool.index);
        Some(first.listing.package(first.server(), places))
    }

    /// The tool's definition.
    pub(crate) fn definition(&self) -> &Tool {
        self.listing.tool(self.index)
    }

    /// The names of the arguments, required ones first, each kind in the schema's order.
    pub(crate) fn parameters(&self) -> Vec<String> {
        let schema = &self.listing.tool(self.index).input_schema;
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object);
        let (first, then): (Vec<String>, Vec<String>) = properties
            .into_iter()
            .flat_map(Map::keys)
            .cloned()
            .partition(|name| required.contains(&name.as_str()));
        [first, then].concat()
    }

    /// Calls the tool with a JSON object that a guest sent, for an outcome of that form. Arguments that the schema does not allow never leave the host.
    pub(crate) fn call(
        &self,
        arguments: String,
        form: Form,
        result_bytes: u64,
    ) -> BoxFuture<'static, CallOutcome> {
        let tool = self.clone();
        Box::pin(async move {
            let arguments = match tool.parse(arguments, form) {
                Ok(arguments) => arguments,
                Err(problem) => return CallOutcome::failed(problem),
            };
            let binding = tool.server.binding();
            let answer = binding
                .call(tool.name(), arguments, CallContext { result_bytes })
                .await;
            if let Err(CallError::Failed(reason)) = &answer {
                tracing::debug!(server = %tool.server(), tool = %tool.name(), reason, "a call failed");
            }
            outcome_of(
                answer,
                form,
                tool.listing.tool(tool.index).output_schema.is_some(),
            )
        })
    }

    /// The text is not needed after that, and let go of.
    fn parse(&self, arguments: String, form: Form) -> Result<Map<String, Value>, String> {
        let arguments = self.listing.read(self.index, &arguments, form)?;
        self.listing
            .check(self.index, &arguments)
            .map_err(|problem| problem.to_string())?;
        match arguments {
            Value::Object(arguments) => Ok(arguments),
            other => Err(format!("the arguments must be one object, not {other}")),
        }
    }
}
