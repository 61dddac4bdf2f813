//! The user whom servers ask: fills in forms with their defaults.

use std::sync::Arc;

use ampoule_tools::{Abilities, Ask, AskKind, Call, CallContext, Deadline, Respondent, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

/// How large a result may be, in bytes.
const RESULT_BYTES: u64 = 1 << 20;

/// Someone who changes nothing in a form, and opens no address.
#[derive(Debug)]
pub(super) struct Content;

impl Content {
    /// What this user can do.
    pub(super) fn abilities() -> Abilities {
        let mut abilities = Abilities::default();
        abilities.form = true;
        abilities
    }

    /// A call for which this user answers.
    pub(super) fn calls(tool: &str) -> CallContext {
        let deadline = Deadline::never();
        let (server, tool) = (Arc::from("conformance"), Arc::from(tool));
        let call = Call::new(RunId::new(), 0, &server, &tool, None, deadline.time());
        CallContext::new(call, RESULT_BYTES, deadline, Some(Arc::new(Self)))
    }
}

impl Respondent for Content {
    fn abilities(&self) -> Abilities {
        Self::abilities()
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Result<Map<String, Value>, String>> {
        let answer = match ask.kind {
            AskKind::Form => Ok(accepted(&ask.params["requestedSchema"])),
            _ => Err("only forms are filled in".to_owned()),
        };
        futures::future::ready(answer).boxed()
    }
}

/// The form as it came: with what it has for its fields.
fn accepted(schema: &Value) -> Map<String, Value> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let filled =
        fields.filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())));
    let content: Map<String, Value> = filled.collect();
    let members = [
        ("action".to_owned(), json!("accept")),
        ("content".to_owned(), content.into()),
    ];
    members.into_iter().collect()
}
