//! A binding made of Rust functions.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_projection::{Hints, Tool};
use ampoule_untrusted::document;
use futures::future::{BoxFuture, FutureExt, ready};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{
    Binding, BindingError, CallContext, CallError, ToolResult, UndoRule, UndoRuleError,
    undo_problems,
};

type Function = Arc<
    dyn Fn(Map<String, Value>, CallContext) -> BoxFuture<'static, Result<ToolResult, CallError>>
        + Send
        + Sync,
>;

/// A binding made of Rust functions. The schemas of their arguments and results come from their
/// types.
///
/// ```
/// # use ampoule_tools::Functions;
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
    undo: HashMap<String, Arc<UndoRule>>,
}

impl Functions {
    /// A binding that has no functions yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: None,
            tools: Vec::new(),
            listed: std::sync::OnceLock::new(),
            functions: HashMap::new(),
            undo: HashMap::new(),
        }
    }

    /// What the binding says about itself.
    #[must_use]
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Adds a function as a tool. What it returns is the call's value; an error's text is what the
    /// script catches, as a `ToolError`. A tool of the same name is replaced.
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
        let tool = declared::<A, R>(name, description);
        self.add(
            tool,
            Arc::new(move |arguments, _| match typed::<A>(arguments) {
                Ok(arguments) => {
                    let answer = function(arguments);
                    async move { answered(answer.await) }.boxed()
                }
                Err(error) => ready(Err(error)).boxed(),
            }),
        );
        self
    }

    /// Adds a function that is done at once. Otherwise like [`tool`](Self::tool). It is called
    /// while others wait for the thread, so it should take no longer than about 100 µs.
    #[must_use]
    pub fn sync<A, R, E>(
        mut self,
        name: &str,
        description: &str,
        function: impl Fn(A) -> Result<R, E> + Send + Sync + 'static,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema,
        R: Serialize + JsonSchema,
        E: std::fmt::Display,
    {
        let tool = declared::<A, R>(name, description);
        self.add(
            tool,
            Arc::new(move |arguments, _| {
                ready(typed(arguments).and_then(|arguments| answered(function(arguments)))).boxed()
            }),
        );
        self
    }

    /// Adds a function that says everything itself: its schemas, title and hints, which content
    /// blocks it answers with, what it makes of the call's context. Anything else that it needs, it
    /// captures.
    ///
    /// ```
    /// # use ampoule_tools::{CallContext, Functions, ToolResult};
    /// # use serde_json::{Map, Value, json};
    /// let tool = json!({
    ///     "name": "whoami", "title": "Who am I?", "description": "Says for whom it works.",
    ///     "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true },
    /// });
    /// let tool = serde_json::from_value(tool).unwrap();
    /// let whoami = Functions::new("host").raw(tool, async |_: Map<String, Value>, context: CallContext| {
    ///     let principal = context.call().principal.as_ref();
    ///     let name = principal.map_or("nobody", |principal| principal.name());
    ///     let content = vec![json!({ "type": "text", "text": name })];
    ///     Ok(ToolResult { content, ..ToolResult::default() })
    /// });
    /// ```
    #[must_use]
    pub fn raw<F>(
        mut self,
        tool: Tool,
        function: impl Fn(Map<String, Value>, CallContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ToolResult, CallError>> + Send + 'static,
    {
        self.add(
            tool,
            Arc::new(move |arguments, context| function(arguments, context).boxed()),
        );
        self
    }

    /// Says what takes back a call of the tool of that name, such as `delete_issue({ id: result.id })`: a
    /// run that fails offers to have it done.
    ///
    /// # Errors
    ///
    /// [`UndoRuleError`]: the text can't be read.
    pub fn undo(mut self, tool: &str, rule: &str) -> Result<Self, UndoRuleError> {
        self.undo.insert(tool.to_owned(), Arc::new(rule.parse()?));
        Ok(self)
    }

    fn add(&mut self, tool: Tool, function: Function) {
        let replaced = self.functions.insert(tool.name.clone(), function);
        if replaced.is_some() {
            self.tools.retain(|known| known.name != tool.name);
        }
        self.tools.push(tool);
    }

    fn listed(&self) -> Arc<[Tool]> {
        Arc::clone(self.listed.get_or_init(|| self.tools.clone().into()))
    }
}

/// A tool whose schemas are those of Rust types.
fn declared<A: JsonSchema, R: JsonSchema>(name: &str, description: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        title: None,
        description: Some(description.to_owned()),
        input_schema: schemars::schema_for!(A).to_value().into(),
        output_schema: Some(schemars::schema_for!(R).to_value().into()),
        annotations: Hints::default(),
        ui: None,
        seen: Default::default(),
    }
}

/// The schema may have allowed what the type does not, such as a number out of its range.
fn typed<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, CallError> {
    document::of_value(Value::Object(arguments))
        .map_err(|error| CallError::Refused(format!("the arguments do not fit: {error}")))
}

fn answered(
    answer: Result<impl Serialize, impl std::fmt::Display>,
) -> Result<ToolResult, CallError> {
    match answer {
        Ok(result) => ToolResult::returned(&result),
        Err(error) => Ok(ToolResult::failed(&error.to_string())),
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
        ready(Ok(self.listed())).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(self.listed())
    }

    fn problems(&self) -> Arc<[String]> {
        let rules = self.undo.iter();
        let rules = rules.map(|(tool, rule)| (tool.as_str(), &**rule));
        let own = |server: &str| (server == self.name).then(|| self.listed());
        undo_problems(&self.name, rules, own).into()
    }

    fn undo(&self, tool: &str) -> Option<Arc<UndoRule>> {
        self.undo.get(tool).map(Arc::clone)
    }

    fn has_undo(&self) -> bool {
        !self.undo.is_empty()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        match self.functions.get(tool) {
            Some(function) => function(arguments, context),
            None => ready(Err(CallError::NotReached(format!("unknown tool `{tool}`")))).boxed(),
        }
    }
}
