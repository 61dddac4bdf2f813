//! What a component's run came to, as a tool's answer.

use ampoule_isolate::{Ending, Outcome};
use ampoule_limits::Limit;
use ampoule_tools::{CallError, Error, ToolResult};
use serde_json::Value;
use serde_json::value::RawValue;

/// How much of a component's output is shown with a trap, in bytes: the end of it.
const OUTPUT_BYTES: usize = 2_000;

/// The answer. `has_error_data`: whether an error that the component returns is data.
pub(super) fn of(outcome: Outcome, has_error_data: bool) -> Result<ToolResult, CallError> {
    match outcome.ending {
        Ending::Returned(value) => Ok(ToolResult {
            structured_content: value,
            ..ToolResult::default()
        }),
        Ending::Threw(thrown) => Ok(failed(thrown.message, has_error_data)),
        Ending::Trapped(trapped) => {
            // A panic says there why.
            let output = outcome.output.to_string();
            let start = output.len().saturating_sub(OUTPUT_BYTES);
            let end = output[output.ceil_char_boundary(start)..].trim_end();
            let told = format!("the component trapped: {}\n{end}", trapped.message);
            Ok(ToolResult::failed(told.trim_end()))
        }
        Ending::Limit(hit) if hit.limit == Limit::WallTime => {
            Err(CallError::TimedOut(format!("in the component, {hit}")))
        }
        Ending::Limit(hit) => Ok(ToolResult::failed(&format!("in the component, {hit}"))),
        Ending::Interrupted(interrupted) => Err(CallError::Lost(interrupted.message)),
        _ => Err(CallError::Cancelled(
            "the component was cancelled".to_owned(),
        )),
    }
}

/// Why a component did not run.
pub(super) fn refused(error: Error) -> CallError {
    if error.is_busy() {
        return CallError::NotReached(error.to_string());
    }
    if error.is_request() {
        return CallError::Denied(format!("the component can't run: {error}"));
    }
    tracing::error!(?error, "a component that is a tool could not run");
    let told = "the host could not run the component; its operator can find the reason in the log";
    CallError::NotReached(told.to_owned())
}

/// What a component answers that returned this error. Data that has a `message` is told by that.
fn failed(error: String, has_error_data: bool) -> ToolResult {
    let data = has_error_data
        .then(|| RawValue::from_string(error.clone()).ok())
        .flatten();
    let message = data.as_deref().and_then(message_of);
    ToolResult {
        structured_content: data,
        ..ToolResult::failed(message.as_deref().unwrap_or(&error))
    }
}

fn message_of(data: &RawValue) -> Option<String> {
    let data: Value = serde_json::from_str(data.get()).ok()?;
    data.get("message")?.as_str().map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use ampoule_isolate::{Output, Thrown, Usage};

    use super::*;

    fn threw(message: &str) -> Outcome {
        let thrown = Thrown {
            name: "Error".into(),
            message: message.into(),
            location: None,
            stack: String::new(),
            causes: Vec::new(),
        };
        Outcome::new(Ending::Threw(thrown), Output::default(), Usage::default())
    }

    #[test]
    fn an_error_is_a_text_or_data() {
        let told = of(threw("{\"message\":\"no\"}"), false).expect("an answer");
        assert!(told.is_error && told.structured_content.is_none());
        assert_eq!(told.content[0]["text"], "{\"message\":\"no\"}");
        let told = of(threw("{\"message\":\"no\",\"code\":7}"), true).expect("an answer");
        assert_eq!(told.content[0]["text"], "no");
        let data = told.structured_content.expect("data");
        assert_eq!(data.get(), "{\"message\":\"no\",\"code\":7}");
        let told = of(threw("it does not fit"), true).expect("an answer");
        assert!(told.structured_content.is_none());
        assert_eq!(told.content[0]["text"], "it does not fit");
    }
}
