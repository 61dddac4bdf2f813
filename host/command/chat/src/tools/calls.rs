//! The calls that scripts make, as events of the agent: a layer of the runtime.

use std::time::Instant;

use ampoule_tools::{CallContext, CallError, Layer, Next, ToolResult};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::agent::{Event, EventSender};

/// Reports each call that goes to a server.
pub struct CallWatch(EventSender);

impl CallWatch {
    /// Reports the calls there.
    pub fn new(events: EventSender) -> Self {
        Self(events)
    }
}

impl Layer for CallWatch {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let call = context.call();
            let (server, tool) = (call.server.to_string(), call.tool.to_string());
            let begun = Instant::now();
            let ended = next.call(arguments, context).await;
            let is_error = match &ended {
                Ok(result) => result.is_error,
                Err(_) => true,
            };
            self.0.send(Event::ToolCall {
                server,
                tool,
                milliseconds: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                is_error,
            });
            ended
        })
    }
}
