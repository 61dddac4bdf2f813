//! A server that keeps what it is sent, and answers as it is told.

use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::binding::{Binding, BindingError, CallContext, CallError, ToolResult};
use crate::projection::Tool;

/// A server that keeps what it is sent. Cheap to clone.
#[derive(Clone)]
pub(super) struct Recorder {
    name: Arc<str>,
    shared: Arc<Mutex<State>>,
}

struct State {
    tools: Arc<[Tool]>,
    /// The tools that it has once it is asked anew.
    newer: Option<Arc<[Tool]>>,
    calls: Vec<(String, Value)>,
    answer: ToolResult,
}

impl Recorder {
    pub(super) fn new(name: &str, tools: Vec<Tool>) -> Self {
        Self {
            name: name.into(),
            shared: Arc::new(Mutex::new(State {
                tools: tools.into(),
                newer: None,
                calls: Vec::new(),
                answer: ToolResult::default(),
            })),
        }
    }

    /// Answers like this from now on.
    pub(super) fn answer(&self, answer: ToolResult) {
        self.shared.lock().unwrap().answer = answer;
    }

    /// Has other tools, of which one learns by asking anew.
    pub(super) fn renew(&self, tools: Vec<Tool>) {
        self.shared.lock().unwrap().newer = Some(tools.into());
    }

    /// The calls since this was last asked for: tools and arguments.
    pub(super) fn take_calls(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.shared.lock().unwrap().calls)
    }
}

impl Binding for Recorder {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let tools = Arc::clone(&self.shared.lock().unwrap().tools);
        Box::pin(std::future::ready(Ok(tools)))
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        let mut state = self.shared.lock().unwrap();
        if let Some(newer) = state.newer.take() {
            state.tools = newer;
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let mut state = self.shared.lock().unwrap();
        state
            .calls
            .push((tool.to_owned(), Value::Object(arguments)));
        let answer = state.answer.clone();
        Box::pin(std::future::ready(Ok(answer)))
    }
}
