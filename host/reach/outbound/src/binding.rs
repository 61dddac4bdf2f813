//! The tool by which scripts have requests made.

use std::sync::Arc;

use ampoule_fair::Places;
use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use futures::future::{BoxFuture, ready};
use serde_json::{Map, Value, json};

use crate::blot::Blot;
use crate::redirects::{FinalResponse, follow};
use crate::request::{self, OutboundRequest};
use crate::transport::{Purpose, RuleTransport, Transport};
use crate::{Outbound, OutboundOptions, answer};

/// What scripts find it under: `fetch` and its like call `$fetch` of the server with this name.
pub const NAME: &str = "outbound";

/// The tool.
const FETCH: &str = "$fetch";

/// From how many bytes of a body what a script gets is made on a thread where nobody else waits.
const LARGE: usize = 64 * 1024;

/// Requests, as a binding: it has no tools that are listed, and offers `$fetch`.
pub struct OutboundBinding {
    way: Transport,
    options: OutboundOptions,
    places: Places,
    blot: Arc<Blot>,
    offered: Arc<[Tool]>,
    description: String,
}

impl OutboundBinding {
    /// The binding through which requests go, if they go anywhere. Nothing is read or connected to
    /// before the first request.
    pub fn new(outbound: Outbound, options: OutboundOptions) -> Option<Self> {
        let (way, blot, description) = match outbound {
            Outbound::None => return None,
            Outbound::List(rules) => {
                let blot = Blot::of(rules.secrets());
                let description = format!(
                    "HTTP requests by `fetch` (in Python: urllib.request, http.client), to: {}",
                    rules.shown()
                );
                (
                    Transport::Rules(Box::new(RuleTransport::new(
                        rules,
                        Purpose::Script,
                        &options,
                    ))),
                    blot,
                    description,
                )
            }
            Outbound::Function(function) => {
                let description =
                    "HTTP requests by `fetch` (in Python: urllib.request, http.client)".to_owned();
                (
                    Transport::Function(function),
                    Blot::of([].into_iter()),
                    description,
                )
            }
        };
        Some(Self {
            way,
            places: Places::new(options.concurrency.max(1)),
            options,
            blot: Arc::new(blot),
            offered: [fetch()].into(),
            description,
        })
    }

    async fn fetch(
        &self,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        context.keep_back();
        let asked = OutboundRequest::of(arguments, &self.options).map_err(CallError::Denied)?;
        let whose = context.call().principal.as_ref();
        let place = self.places.take(whose, 1, self.options.timeout).await;
        let _place = place.map_err(|busy| {
            CallError::NotReached(format!("too many requests are under way: {busy}"))
        })?;
        let shown = asked.target.shown();
        let followed = follow(&self.way, asked, &self.options, &context);
        let Ok(followed) = tokio::time::timeout(self.options.timeout, followed).await else {
            let waited = humantime::format_duration(self.options.timeout);
            return Err(CallError::TimedOut(format!(
                "{shown}: there was no whole response within {waited}"
            )));
        };
        self.answer(followed?, context).await
    }

    async fn answer(
        &self,
        followed: FinalResponse,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        let blot = Arc::clone(&self.blot);
        if followed.response.body().len() < LARGE {
            return answer::of(&followed, &blot, &context);
        }
        let made = move || answer::of(&followed, &blot, &context);
        let made = tokio::task::spawn_blocking(made).await;
        made.unwrap_or_else(|_| Err(CallError::Lost("the host is about to stop".to_owned())))
    }

    /// An error that repeats what a server said is without secrets too.
    fn blotted(&self, error: CallError) -> CallError {
        let blot = |why: String| self.blot.text(&why);
        match error {
            CallError::NotReached(why) => CallError::NotReached(blot(why)),
            CallError::Denied(why) => CallError::Denied(blot(why)),
            CallError::Refused(why) => CallError::Refused(blot(why)),
            CallError::TimedOut(why) => CallError::TimedOut(blot(why)),
            CallError::Lost(why) => CallError::Lost(blot(why)),
            CallError::Protocol(why) => CallError::Protocol(blot(why)),
            error => error,
        }
    }
}

fn fetch() -> Tool {
    let tool = json!({
        "name": FETCH,
        "description": "Makes an HTTP request. Write `fetch(url, init)`, or in Python `urllib.request.urlopen(url)`, which call this.",
        "inputSchema": request::schema(),
        "outputSchema": answer::schema(),
        "annotations": { "openWorldHint": true },
    });
    serde_json::from_value(tool).expect("a tool")
}

impl Binding for OutboundBinding {
    fn name(&self) -> &str {
        NAME
    }

    fn description(&self) -> Option<String> {
        Some(self.description.clone())
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        Box::pin(ready(Ok(Arc::default())))
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::default())
    }

    fn offered(&self) -> Arc<[Tool]> {
        Arc::clone(&self.offered)
    }

    fn secrets(&self) -> Vec<String> {
        self.blot.secrets()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            if tool != FETCH {
                return Err(CallError::NotReached(format!("there is no tool `{tool}`")));
            }
            let fetched = self.fetch(arguments, context).await;
            fetched.map_err(|error| self.blotted(error))
        })
    }
}
