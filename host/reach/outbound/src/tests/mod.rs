//! Requests, made to servers that are there.

mod evasion;
mod forms;
mod limits;
mod private;
mod redirects;
mod refusals;
mod rules;
mod secrets;
mod sent;
mod server;

use ampoule_tools::{Binding, CallContext, CallError};
use serde_json::{Map, Value, json};

use crate::{NAME, Outbound, OutboundBinding, OutboundOptions, Rule, Rules};

/// How large results may be.
const RESULT_BYTES: u64 = 1 << 24;

/// A binding by these rules.
fn by(rules: Rules, options: OutboundOptions) -> OutboundBinding {
    OutboundBinding::new(Outbound::List(rules), options).unwrap()
}

/// A binding whose requests may all go to this server of a test.
fn to(origin: &str) -> OutboundBinding {
    let rule = Rule::to([origin]).unwrap();
    let rule = rule.methods(crate::Methods::all()).private();
    by(Rules::default().and(rule), OutboundOptions::default())
}

/// Rules as they are written.
fn rules(written: Value) -> Rules {
    serde_json::from_value::<crate::Settings>(written)
        .unwrap()
        .rules()
}

async fn fetch(binding: &OutboundBinding, arguments: Value) -> Result<Value, CallError> {
    let context = CallContext::without_a_run(NAME, "$fetch", RESULT_BYTES);
    let arguments: Map<String, Value> = serde_json::from_value(arguments).unwrap();
    let answer = binding.call("$fetch", arguments, context).await?;
    Ok(serde_json::from_str(answer.structured_content.unwrap().get()).unwrap())
}

/// The body of what is read there.
async fn text(binding: &OutboundBinding, url: &str) -> Result<String, CallError> {
    let answer = fetch(binding, json!({ "url": url })).await?;
    Ok(answer["body"].as_str().unwrap().to_owned())
}

/// Why something is not allowed.
fn denied<T: std::fmt::Debug>(answer: Result<T, CallError>) -> String {
    match answer {
        Err(CallError::Denied(why)) => why,
        other => panic!("{other:?}"),
    }
}

/// Why something was given up on after it was sent.
fn refused<T: std::fmt::Debug>(answer: Result<T, CallError>) -> String {
    match answer {
        Err(CallError::Refused(why)) => why,
        other => panic!("{other:?}"),
    }
}
