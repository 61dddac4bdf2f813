//! Calls as runs make them, through the layer.

use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::{
    Binding, BindingError, Call, CallContext, CallError, Deadline, Layers, Principal, RunId,
    ToolResult, Trace,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use ampoule_telemetry::Telemetry;

/// What must be seen nowhere.
pub(crate) const SECRET: &str = "hunter2-hunter2";

/// A server that does what a tool's name says, and notes where calls say that they belong.
pub(crate) struct Server {
    pub(crate) name: Arc<str>,
    pub(crate) told: Mutex<Vec<Option<Trace>>>,
}

impl Server {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            told: Mutex::default(),
        }
    }

    /// Calls a tool in a run, through what telemetry puts before it.
    pub(crate) async fn call(
        &self,
        telemetry: &Telemetry,
        run: RunId,
        tool: &str,
        trace: Option<Trace>,
    ) -> Result<ToolResult, CallError> {
        let deadline = Deadline::never();
        let principal = Some(Principal::new("alice"));
        let (server, tool): (_, Arc<str>) = (Arc::clone(&self.name), tool.into());
        let call = Call::new(run, 3, &server, &tool, principal, deadline.time());
        let context = CallContext::new(call, 1000, deadline, None).traced(trace);
        let arguments = [("password".to_owned(), Value::from(SECRET))];
        let layers = Layers::default().with(telemetry.layer());
        layers
            .before(self, &tool)
            .call(arguments.into_iter().collect(), context)
            .await
    }
}

impl Binding for Server {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        async { Ok(Arc::default()) }.boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        _arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.told.lock().push(context.trace().cloned());
        let said = || format!("the tool said {SECRET}");
        let result = match tool {
            "fails" => Ok(ToolResult::failed(&said())),
            "is-away" => Err(CallError::NotReached(said())),
            "is-lost" => Err(CallError::Lost(said())),
            "hangs" => return futures::future::pending().boxed(),
            _ => Ok(ToolResult::default()),
        };
        async { result }.boxed()
    }
}
