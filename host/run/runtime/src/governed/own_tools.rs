//! What scripts have of governance, as tools: `privacy.mask`, and `quotas.left`.
//!
//! The bindings are there to be listed: calls are answered by the run that makes them, before
//! anything else governs them, as nothing leaves.

use std::sync::Arc;

use ampoule_governance::{Governance, OpenRun};
use ampoule_projection::Tool;
use ampoule_tools::{Binding, CallContext, CallError, Functions, Layer, Next, ToolResult};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

/// The server that masks, and its tool.
const PRIVACY: (&str, &str) = ("privacy", "mask");
/// The server that tells what is left, and its tool.
const QUOTAS: (&str, &str) = ("quotas", "left");

/// Which of them there are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnTools {
    privacy: bool,
    quotas: bool,
}

impl OwnTools {
    /// Those that there is something behind, unless a binding has such a name.
    pub(crate) fn beside(governance: &Governance, bindings: &[Arc<dyn Binding>]) -> Self {
        let is_free = |(name, _): (&str, &str)| {
            let mut bindings = bindings.iter();
            let is_taken = bindings.any(|binding| binding.name().eq_ignore_ascii_case(name));
            if is_taken {
                tracing::warn!(
                    name,
                    "a server has this name, so scripts do not have Ampoule's own"
                );
            }
            !is_taken
        };
        Self {
            privacy: governance.has_privacy() && is_free(PRIVACY),
            quotas: governance.quotas().is_some() && is_free(QUOTAS),
        }
    }

    /// How many there are.
    pub(crate) fn count(self) -> usize {
        usize::from(self.privacy) + usize::from(self.quotas)
    }

    /// They, to be listed.
    pub(crate) fn bindings(self) -> Vec<Arc<dyn Binding>> {
        let privacy = self.privacy.then(|| {
            let described = "Replaces personal data by tokens such as <email:1>. Tools that may have the real value get it where a script passes a token.";
            listed(PRIVACY.0, described, mask())
        });
        let quotas = self.quotas.then(|| {
            listed(
                QUOTAS.0,
                "What remains of the quotas of this run's owner.",
                left(),
            )
        });
        privacy.into_iter().chain(quotas).collect()
    }

    /// What answers them in a run.
    pub(super) fn layer(self, run: OpenRun) -> Option<impl Layer + use<>> {
        (self.count() > 0).then_some(OwnToolsLayer {
            own_tools: self,
            run,
        })
    }
}

fn listed(server: &str, described: &str, tool: Value) -> Arc<dyn Binding> {
    let outside = |_: Map<String, Value>, _: CallContext| {
        let told = "this is answered only within runs";
        ready(Err(CallError::NotReached(told.to_owned())))
    };
    let tool: Tool = serde_json::from_value(tool).expect("a tool");
    let functions = Functions::new(server).described(described);
    Arc::new(functions.raw(tool, outside))
}

fn mask() -> Value {
    json!({
        "name": PRIVACY.1,
        "description": "Gives the value, with tokens in place of the personal data in its texts. An object whose members are not `value` alone is masked as a whole.",
        "inputSchema": { "type": "object", "properties": { "value": {} } },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

fn left() -> Value {
    json!({
        "name": QUOTAS.1,
        "description": "Lists what remains of each quota.",
        "inputSchema": { "type": "object", "properties": {}, "additionalProperties": false },
        "outputSchema": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "quota": { "type": "string" },
                    "what": { "type": "string", "description": "What it counts" },
                    "limit": { "type": "integer" },
                    "left": { "type": "integer" },
                    "resetsAt": { "type": "integer", "description": "When the quota is full again, in seconds since 1970" },
                },
                "required": ["quota", "what", "limit", "left", "resetsAt"],
            },
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false },
    })
}

/// Answers a run's calls of them.
struct OwnToolsLayer {
    own_tools: OwnTools,
    run: OpenRun,
}

impl Layer for OwnToolsLayer {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let call = context.call();
        let named = (&*call.server, &*call.tool);
        if self.own_tools.privacy && named == PRIVACY {
            return masked(self.run.clone(), arguments).boxed();
        }
        if self.own_tools.quotas && named == QUOTAS {
            let left = self.run.left().map_err(|error| {
                CallError::Protocol(format!("the remaining quotas can't be read: {error}"))
            });
            return ready(left.and_then(|left| ToolResult::returned(&left))).boxed();
        }
        next.call(arguments, context)
    }
}

async fn masked(run: OpenRun, mut arguments: Map<String, Value>) -> Result<ToolResult, CallError> {
    let value = match (arguments.len(), arguments.remove("value")) {
        (1, Some(value)) => value,
        (_, value) => {
            arguments.extend(value.map(|value| ("value".to_owned(), value)));
            Value::Object(arguments)
        }
    };
    let masked = spawn_blocking(move || match value {
        Value::String(text) => Ok(Value::String(run.mask(text))),
        value => serde_json::from_str(&run.mask(value.to_string())),
    });
    let unreadable = |why: String| CallError::Protocol(format!("the value can't be masked: {why}"));
    let masked = masked
        .await
        .map_err(|error| unreadable(error.to_string()))?;
    ToolResult::returned(&masked.map_err(|error| unreadable(error.to_string()))?)
}
