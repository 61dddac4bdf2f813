//! What calls come to, written down: outside of all other layers, as the run sees it.

use std::sync::Arc;

use ampoule_tools::{CallContext, CallError, Layer, Next, ToolResult};
use ampoule_untrusted::json;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use tokio::task::spawn_blocking;

use crate::entry::{Answer, CallOutcome, Entry, SentCall};
use crate::recorder::Shared;

/// From how many bytes on an answer is written on a thread where no run waits.
const LARGE: u64 = 64 << 10;

/// Hears calls, and their results.
pub(crate) struct CallRecorder(pub(crate) Arc<Shared>);

impl Layer for CallRecorder {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        async move {
            let (call, server) = (context.call().number, Arc::clone(&context.call().server));
            let tool = context.call().tool.to_string();
            let shared = Arc::clone(&self.0);
            let size = json::bytes_of(arguments.values(), LARGE);
            let sent = move || {
                shared.sent(call, &server, tool, &arguments);
                arguments
            };
            let arguments = in_place_or_not(size, sent).await?;
            let answer = next.call(arguments, context).await;
            let shared = Arc::clone(&self.0);
            let size = size_of(&answer);
            let write = move || {
                shared.answered(call, &answer);
                answer
            };
            in_place_or_not(size, write).await?
        }
        .boxed()
    }
}

async fn in_place_or_not<T: Send + 'static>(
    size: u64,
    write: impl FnOnce() -> T + Send + 'static,
) -> Result<T, CallError> {
    if size < LARGE {
        return Ok(write());
    }
    let lost = |_| CallError::Lost("the host stopped while it wrote its record".to_owned());
    spawn_blocking(write).await.map_err(lost)
}

fn size_of(answer: &Result<ToolResult, CallError>) -> u64 {
    answer.as_ref().map_or(0, |result| {
        result.unparsed_bytes() + json::bytes_of(&result.content, LARGE)
    })
}

impl Shared {
    fn sent(&self, call: u32, server: &str, tool: String, arguments: &Map<String, Value>) {
        // What was parsed can be written.
        let arguments = to_raw_value(arguments).unwrap_or_else(|_| RawValue::NULL.to_owned());
        self.writer.write(&Entry::Sent(SentCall {
            call,
            server: server.to_owned(),
            tool,
            at: self.at(),
            arguments,
        }));
        self.calls.lock().insert(call, server.to_owned());
    }

    fn answered(&self, call: u32, answer: &Result<ToolResult, CallError>) {
        // Its server may know of more secrets now, such as a token that it got meanwhile.
        if let Some(server) = self.calls.lock().remove(&call) {
            self.learn_secrets_of(&server);
        }
        if let Ok(answer) = CallOutcome::of(answer) {
            let at = self.at();
            self.writer
                .write(&Entry::Answer(Answer { call, at, answer }));
        }
    }
}
