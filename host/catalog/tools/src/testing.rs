//! A binding for tests: its tools and its answer are what the test says, and it remembers what it
//! was asked.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use ampoule_projection::Tool;
use futures::FutureExt;
use futures::future::{BoxFuture, pending, ready};
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::{Binding, BindingError, CallContext, CallError, ToolResult};

/// Such a binding. Clones are the same one.
#[derive(Clone)]
pub struct Stub(Arc<Shared>);

struct Shared {
    name: String,
    /// None as long as it is starting.
    tools: watch::Sender<Option<Result<Arc<[Tool]>, BindingError>>>,
    /// The tools that it has once it is asked anew.
    newer: Mutex<Option<Arc<[Tool]>>>,
    /// None as long as nothing is answered.
    answer: Mutex<Option<ToolResult>>,
    /// What it has besides its tools.
    offered: Mutex<Arc<[Tool]>>,
    /// What keeps its tools from being called.
    trouble: Mutex<Option<String>>,
    asked: AtomicUsize,
    calls: Mutex<Vec<(String, Value)>>,
}

impl Stub {
    /// One that is starting.
    pub fn starting(name: &str) -> Self {
        Self(Arc::new(Shared {
            name: name.to_owned(),
            tools: watch::Sender::new(None),
            newer: Mutex::default(),
            answer: Mutex::new(Some(ToolResult::default())),
            offered: Mutex::default(),
            trouble: Mutex::default(),
            asked: AtomicUsize::new(0),
            calls: Mutex::default(),
        }))
    }

    /// One that has these tools.
    pub fn new(name: &str, tools: impl Into<Arc<[Tool]>>) -> Self {
        let stub = Self::starting(name);
        stub.list(tools);
        stub
    }

    /// Has these tools from now on.
    pub fn list(&self, tools: impl Into<Arc<[Tool]>>) {
        self.0.tools.send_replace(Some(Ok(tools.into())));
    }

    /// Has no tools from now on, for this reason.
    pub fn fail(&self, message: impl Into<String>) {
        let message = message.into();
        self.0
            .tools
            .send_replace(Some(Err(BindingError { message })));
    }

    /// Has other tools, of which one learns by asking anew.
    pub fn renew(&self, tools: impl Into<Arc<[Tool]>>) {
        *self.0.newer.lock().unwrap() = Some(tools.into());
    }

    /// Has these besides its tools from now on.
    pub fn offer(&self, offered: impl Into<Arc<[Tool]>>) {
        *self.0.offered.lock().unwrap() = offered.into();
    }

    /// Answers every call like this from now on.
    pub fn answer(&self, answer: ToolResult) {
        *self.0.answer.lock().unwrap() = Some(answer);
    }

    /// Says that from now on its tools can't be called, for this reason.
    pub fn trouble(&self, why: impl Into<String>) {
        *self.0.trouble.lock().unwrap() = Some(why.into());
    }

    /// Answers no call from now on.
    pub fn hang(&self) {
        *self.0.answer.lock().unwrap() = None;
    }

    /// How often it was asked for its tools since this was last asked for.
    pub fn take_asked(&self) -> usize {
        self.0.asked.swap(0, Relaxed)
    }

    /// The calls since this was last asked for: tools and arguments.
    pub fn take_calls(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.0.calls.lock().unwrap())
    }
}

impl Binding for Stub {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.0.asked.fetch_add(1, Relaxed);
        let mut tools = self.0.tools.subscribe();
        async move {
            let known = tools.wait_for(Option::is_some).await.expect("a test");
            known.clone().expect("they are known")
        }
        .boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.0.tools.borrow().clone()?.ok()
    }

    fn offered(&self) -> Arc<[Tool]> {
        Arc::clone(&self.0.offered.lock().unwrap())
    }

    fn starting(&self) -> Option<String> {
        let starts = self.0.tools.borrow().is_none();
        starts.then(|| format!("MCP server `{}` is still starting", self.0.name))
    }

    fn trouble(&self) -> Option<String> {
        self.0.trouble.lock().unwrap().clone()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        if let Some(newer) = self.0.newer.lock().unwrap().take() {
            self.list(newer);
        }
        ready(Ok(())).boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let call = (tool.to_owned(), Value::Object(arguments));
        self.0.calls.lock().unwrap().push(call);
        let answer = self.0.answer.lock().unwrap().clone();
        match answer {
            Some(answer) => ready(Ok(answer)).boxed(),
            None => pending().boxed(),
        }
    }
}
