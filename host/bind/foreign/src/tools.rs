//! Functions of another language as tools.

use std::collections::HashMap;
use std::future::ready;
use std::sync::Arc;

use ampoule::{Binding, BindingError, CallContext, CallError, Tool, ToolResult, UndoRule};
use ampoule_untrusted::document;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::task::yield_now;

use crate::Fault;

/// A call of a tool, as the other language gets it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The tool's place in the list that the [`Tools`] were made of.
    pub place: usize,
    /// Its name.
    pub name: Arc<str>,
    /// The arguments, as a JSON object. They were checked against the tool's schema.
    pub arguments: String,
    /// The call, and the run that it is of.
    pub call: ampoule::Call,
}

impl ToolCall {
    /// The call's id, unique among all calls.
    pub fn id(&self) -> String {
        format!("{}:{}", self.call.run, self.call.number)
    }
}

/// Carries out calls. An answer is a JSON value; an error is the message that the script catches, as
/// a `ToolError`. Dropping the future cancels the call.
pub trait Caller: Send + Sync + 'static {
    /// Carries out a call. The future is polled by threads that other runs wait for: it must not
    /// block them for long.
    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<String, String>>;

    /// Whether a call needs nothing but its answer once its future was polled, and may be polled on any
    /// stack, WebAssembly's among them.
    fn only_awaits_answers(&self) -> bool {
        false
    }
}

/// Tools that are functions of another language, as one server of scripts. Making it takes longer
/// than a small run: keep it for all runs that have the same. Clones are the same one.
#[derive(Clone)]
pub struct Tools {
    offered: Arc<ToolSet>,
    caller: Arc<dyn Caller>,
}

/// What scripts see of tools.
struct ToolSet {
    server: String,
    tools: Arc<[Tool]>,
    places: HashMap<String, (usize, Arc<str>)>,
    undo: HashMap<String, Arc<UndoRule>>,
}

/// What takes a tool's calls back, beside what MCP describes.
#[derive(Deserialize)]
struct UndoOption {
    name: String,
    #[serde(default)]
    undo: Option<UndoRule>,
}

impl Tools {
    /// The tools that scripts call as `server.tool`. They are described as MCP describes tools: a
    /// JSON array, each with `name`, `description`, `inputSchema`, and `outputSchema` if it promises
    /// one. Beside that, `undo` says what takes a call back: `delete_issue({ id: result.id })`.
    ///
    /// # Errors
    ///
    /// Why the tools can't be used.
    pub fn new(server: &str, tools: &str, caller: impl Caller) -> Result<Self, Fault> {
        let wrong =
            |why: &dyn std::fmt::Display| Fault::usage(format!("the tools of `{server}`: {why}"));
        let undo: Vec<UndoOption> =
            document::read(tools).map_err(|error| wrong(&error.within("tools")))?;
        let undo = undo.into_iter();
        let undo = undo.filter_map(|tool| Some((tool.name, Arc::new(tool.undo?))));
        let undo = undo.collect();
        let tools: Vec<Tool> =
            document::read(tools).map_err(|error| wrong(&error.within("tools")))?;
        ampoule_config::check_name(server).map_err(|error| wrong(&error))?;
        let mut places = HashMap::new();
        for (place, Tool { name, .. }) in tools.iter().enumerate() {
            let twice = places.insert(name.clone(), (place, name.as_str().into()));
            if name.is_empty() || twice.is_some() {
                let why = match twice {
                    Some(_) => format!("two are called `{name}`"),
                    None => "one has no name".to_owned(),
                };
                return Err(wrong(&why));
            }
        }
        let offered = ToolSet {
            server: server.to_owned(),
            tools: tools.into(),
            places,
            undo,
        };
        Ok(Self {
            offered: Arc::new(offered),
            caller: Arc::new(caller),
        })
    }

    /// The same tools with another caller: for state of a run, such as where answers go. It takes
    /// no time.
    #[must_use]
    pub fn carried_out_by(&self, caller: impl Caller) -> Self {
        Self {
            offered: Arc::clone(&self.offered),
            caller: Arc::new(caller),
        }
    }

    /// The same, by a function that is called and [replies](Reply), then or later, from any thread.
    /// It is called on a thread's own stack, which languages may look for, and must not block for
    /// long.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn by_callback(
        server: &str,
        tools: &str,
        callback: impl Fn(ToolCall, Reply) + Send + Sync + 'static,
    ) -> Result<Self, Fault> {
        Self::new(server, tools, Callback(Arc::new(callback)))
    }

    /// Whether all of them say that they change nothing.
    pub(crate) fn only_read(&self) -> bool {
        let mut tools = self.offered.tools.iter();
        tools.all(|tool| tool.annotations.read_only == Some(true))
    }

    /// The server's name in scripts.
    pub fn server(&self) -> &str {
        &self.offered.server
    }
}

impl Binding for Tools {
    fn name(&self) -> &str {
        &self.offered.server
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        ready(Ok(Arc::clone(&self.offered.tools))).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::clone(&self.offered.tools))
    }

    fn undo(&self, tool: &str) -> Option<Arc<UndoRule>> {
        self.offered.undo.get(tool).map(Arc::clone)
    }

    fn has_undo(&self) -> bool {
        !self.offered.undo.is_empty()
    }

    fn only_awaits_answers(&self) -> bool {
        self.caller.only_awaits_answers()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let Some((place, name)) = self.offered.places.get(tool) else {
            let why = format!("unknown tool `{tool}`");
            return ready(Err(CallError::NotReached(why))).boxed();
        };
        let call = ToolCall {
            place: *place,
            name: Arc::clone(name),
            arguments: Value::Object(arguments).to_string(),
            call: context.call().clone(),
        };
        let answer = self.caller.call(call);
        async move {
            match answer.await {
                Ok(value) => returned(value),
                Err(message) => Ok(ToolResult::failed(&message)),
            }
        }
        .boxed()
    }
}

fn returned(value: String) -> Result<ToolResult, CallError> {
    let value: Box<RawValue> = document::read(&value)
        .map_err(|error| CallError::Protocol(error.about("what the tool returned").to_string()))?;
    Ok(ToolResult {
        structured_content: Some(value),
        ..ToolResult::default()
    })
}

/// Answers one call. One that is dropped without an answer has failed.
#[derive(Debug)]
#[must_use = "a call whose reply is dropped has failed"]
pub struct Reply(oneshot::Sender<Result<String, String>>);

impl Reply {
    /// Answers with a JSON value, or with the message that the script catches. If the call was
    /// cancelled, nothing happens.
    pub fn answer(self, answer: Result<String, String>) {
        let _ = self.0.send(answer);
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_closed()
    }

    /// Waits until the call is cancelled: the run ended, or its script cancelled the call.
    pub async fn cancelled(&mut self) {
        self.0.closed().await;
    }
}

struct Callback<F>(Arc<F>);

impl<F: Fn(ToolCall, Reply) + Send + Sync + 'static> Caller for Callback<F> {
    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<String, String>> {
        let callback = Arc::clone(&self.0);
        async move {
            // Calls begin on a stack of WebAssembly's.
            yield_now().await;
            let (answer, answered) = oneshot::channel();
            callback(call, Reply(answer));
            let unanswered = |_| Err("the tool did not answer".to_owned());
            answered.await.unwrap_or_else(unanswered)
        }
        .boxed()
    }
}
