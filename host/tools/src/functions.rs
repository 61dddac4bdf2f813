//! A binding made of Rust functions.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_projection::{Hints, Tool};
use futures::future::{BoxFuture, FutureExt};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{Binding, BindingError, CallContext, CallError, ToolResult};

type Function = Arc<
    dyn Fn(Map<String, Value>) -> BoxFuture<'static, Result<ToolResult, CallError>> + Send + Sync,
>;

/// A binding made of Rust functions. The schemas of their arguments and results come from their types.
///
/// ```
/// # use ampoule::binding::Functions;
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Lookup { city: String }
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Weather { celsius: f64 }
///
/// let weather = Functions::new("weather").tool("current", "The weather in a city, now.", |lookup: Lookup| async move {
///     match lookup.city.as_str() {
///         "Berlin" => Ok(Weather { celsius: 21.5 }),
///         other => Err(format!("there is no station in {other}")),
///     }
/// });
/// ```
pub struct Functions {
    name: String,
    description: Option<String>,
    tools: Vec<Tool>,
    listed: std::sync::OnceLock<Arc<[Tool]>>,
    functions: HashMap<String, Function>,
}

impl Functions {
    /// A binding without functions yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            tools: Vec::new(),
            listed: std::sync::OnceLock::new(),
            functions: HashMap::new(),
        }
    }

    /// What the binding says of itself.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds a function as a tool. What it returns is the call's value; an error's text is what the script catches, as a `ToolError`.
    /// A tool of the same name is replaced.
    ///
    /// `A` must be a struct, or something else whose schema is an object.
    #[must_use]
    pub fn tool<A, R, E, F>(
        mut self,
        name: &str,
        description: &str,
        function: impl Fn(A) -> F + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize + JsonSchema,
        E: std::fmt::Display,
        F: Future<Output = Result<R, E>> + Send + 'static,
    {
        let tool = Tool {
            name: name.to_owned(),
            title: None,
            description: Some(description.to_owned()),
            input_schema: schemars::schema_for!(A)
                .to_value()
                .as_object()
                .cloned()
                .unwrap_or_default(),
            output_schema: Some(schemars::schema_for!(R).to_value()),
            annotations: Hints::default(),
        };
        let function: Function = Arc::new(move |arguments| {
            match serde_json::from_value::<A>(Value::Object(arguments)) {
                Ok(arguments) => {
                    let answer = function(arguments);
                    async move {
                        Ok(match answer.await {
                            Ok(result) => returned(&result)?,
                            Err(error) => failed(&error.to_string()),
                        })
                    }
                    .boxed()
                }
                // The schema allowed what the type does not, such as a number out of its range.
                Err(error) => futures::future::ready(Err(CallError::Failed(format!(
                    "the arguments do not fit: {error}"
                ))))
                .boxed(),
            }
        });
        if self.functions.insert(name.to_owned(), function).is_some() {
            self.tools.retain(|known| known.name != name);
        }
        self.tools.push(tool);
        self
    }

    fn listed(&self) -> Arc<[Tool]> {
        Arc::clone(self.listed.get_or_init(|| self.tools.clone().into()))
    }
}

fn returned(result: &impl Serialize) -> Result<ToolResult, CallError> {
    let structured_content = serde_json::to_string(result)
        .and_then(RawValue::from_string)
        .map_err(|error| CallError::Failed(format!("the result can't be sent: {error}")))?;
    Ok(ToolResult {
        structured_content: Some(structured_content),
        ..ToolResult::default()
    })
}

fn failed(message: &str) -> ToolResult {
    ToolResult {
        content: vec![json!({"type": "text", "text": message})],
        is_error: true,
        structured_content: None,
    }
}

impl Binding for Functions {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<String> {
        self.description.clone()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        futures::future::ready(Ok(self.listed())).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(self.listed())
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        match self.functions.get(tool) {
            Some(function) => function(arguments),
            None => {
                futures::future::ready(Err(CallError::Failed(format!("there is no tool `{tool}`"))))
                    .boxed()
            }
        }
    }
}
