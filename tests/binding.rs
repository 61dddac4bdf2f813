//! A binding whose tools and answers a test chooses.

use std::future::ready;
use std::sync::Arc;

use ampoule::{Binding, BindingError, CallContext, CallError, ToolResult};
use ampoule_projection::{Hints, Tool};
use futures::future::{BoxFuture, FutureExt};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

type Answer =
    dyn Fn(&str, Map<String, Value>) -> BoxFuture<'static, ToolResult> + Send + Sync + 'static;

/// A server that is there at once.
pub struct Stub {
    name: String,
    description: Option<String>,
    tools: Arc<[Tool]>,
    answer: Box<Answer>,
}

impl Stub {
    /// One that answers every call with nothing.
    pub fn new(name: &str, tools: impl Into<Arc<[Tool]>>) -> Self {
        Self {
            name: name.to_owned(),
            description: None,
            tools: tools.into(),
            answer: Box::new(|_, _| ready(ToolResult::default()).boxed()),
        }
    }

    /// What it says of itself.
    pub fn described(mut self, description: Option<&str>) -> Self {
        self.description = description.map(str::to_owned);
        self
    }

    /// What it answers to calls of a tool with arguments.
    pub fn answering(
        mut self,
        answer: impl Fn(&str, Map<String, Value>) -> BoxFuture<'static, ToolResult>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.answer = Box::new(answer);
        self
    }
}

impl Binding for Stub {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<String> {
        self.description.clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        ready(Ok(Arc::clone(&self.tools))).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::clone(&self.tools))
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        (self.answer)(tool, arguments).map(Ok).boxed()
    }
}

/// A tool that takes what a schema allows, and says nothing of itself.
///
/// # Panics
///
/// If the schema is not an object.
pub fn tool(name: &str, schema: Value) -> Tool {
    Tool {
        name: name.to_owned(),
        title: None,
        description: None,
        input_schema: schema.as_object().cloned().expect("an object").into(),
        output_schema: None,
        annotations: Hints::default(),
        ui: None,
        seen: Default::default(),
    }
}

/// The answer that is this JSON.
///
/// # Panics
///
/// Where it is none.
pub fn returned(json: String) -> ToolResult {
    ToolResult {
        structured_content: Some(RawValue::from_string(json).expect("JSON")),
        ..ToolResult::default()
    }
}
