//! What a script gets of a tool's answer. The same rules hold for every binding and every language.

use ampoule_effort::{self as effort, BrokenOff, Effort};
use ampoule_untrusted::json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{CallError, CallState, FailureKind, ToolResult};

/// How deeply JSON that crosses the boundary may be nested.
const MAX_DEPTH: usize = 127;

/// How a call ended, as the guest gets it.
#[derive(Debug)]
pub enum CallOutcome {
    /// A JSON document.
    Value(String),
    /// What the guest throws as a `ToolError`.
    Failure(ToolFailure),
    /// The answer was too large to be read; this much of it had arrived.
    TooLarge {
        /// This many bytes.
        bytes: u64,
    },
}

/// Why a call has no value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFailure {
    /// Of which kind that is.
    pub kind: FailureKind,
    /// What the tool or the host says of it.
    pub message: String,
    /// The answer's content blocks, as a JSON array.
    pub content: String,
    /// The answer's structured content, as a JSON document, as it came. It is what the tool tells of
    /// the failure, so the schema of results says nothing of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<String>,
}

impl ToolFailure {
    /// One without content blocks and data.
    pub fn new(kind: FailureKind, message: String) -> Self {
        Self {
            kind,
            message,
            content: "[]".to_owned(),
            data: None,
        }
    }

    /// That of a result of so many bytes, for whoever did not end the run for it.
    pub fn too_large(bytes: u64) -> Self {
        Self::new(
            FailureKind::Protocol,
            format!("the result has {bytes} bytes"),
        )
    }
}

impl CallOutcome {
    /// A failure without content blocks and data.
    pub fn failed(kind: FailureKind, message: String) -> Self {
        Self::Failure(ToolFailure::new(kind, message))
    }

    /// What is known of whether the tool did what was asked for.
    pub fn state(&self) -> CallState {
        match self {
            Self::Value(_) | Self::TooLarge { .. } => CallState::Answered,
            Self::Failure(failure) => failure.kind.state(),
        }
    }

    /// What the host holds for it.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Value(json) => json.len() as u64,
            Self::Failure(failure) => {
                let data = failure.data.as_ref().map_or(0, String::len);
                (failure.message.len() + failure.content.len() + data) as u64
            }
            Self::TooLarge { bytes } => *bytes,
        }
    }
}

/// Who gets an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A script, as one value, whatever the answer is made of.
    Script,
    /// A function with a type: what the tool promised, or content blocks if it promised nothing.
    Typed,
}

/// An answer of a tool that [wraps its results](ampoule_projection::Tool::wraps_result), as if it
/// did not. One that is not wrapped stays as it is, and so does what is told of a failure.
pub(super) async fn unwrapped(
    answer: Result<ToolResult, CallError>,
    effort: &Effort,
) -> Result<Result<ToolResult, CallError>, BrokenOff> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wrapped<'a> {
        #[serde(borrow)]
        result: &'a RawValue,
    }
    let mut result = match answer {
        Ok(result) if !result.is_error => result,
        answer => return Ok(answer),
    };
    let bytes = result
        .structured_content
        .as_ref()
        .map_or(0, |structured| structured.get().len());
    let take_off = move |_: &Effort| {
        if let Some(structured) = &mut result.structured_content
            && structured.get().starts_with('{')
            && let Ok(Wrapped { result: value }) = serde_json::from_str(structured.get())
        {
            *structured = value.to_owned();
        }
        Ok(Ok(result))
    };
    effort.work(effort::BYTE * bytes as u64, take_off).await
}

/// What the guest gets of an answer. An error is a failure in either form.
pub(super) async fn outcome_of(
    answer: Result<ToolResult, CallError>,
    form: Form,
    has_output_schema: bool,
    effort: &Effort,
) -> Result<CallOutcome, BrokenOff> {
    let result = match answer {
        Ok(result) => result,
        Err(CallError::ResultTooLarge { bytes }) => return Ok(CallOutcome::TooLarge { bytes }),
        Err(error) => return Ok(CallOutcome::failed(error.kind(), error.to_string())),
    };
    // What is neither read nor written costs nothing: structured content goes on as it came.
    let rewritten = result.is_error
        || result.structured_content.is_none()
        || form == Form::Typed && !has_output_schema;
    let price = move |result: &ToolResult, most: u64| match rewritten {
        true => effort::BYTE * json::bytes_of(&result.content, most / effort::BYTE),
        false => 0,
    };
    let little = price(&result, effort::MOST_IN_PLACE);
    if little <= effort::MOST_IN_PLACE {
        effort.spend(little)?;
        return Ok(written(result, form, has_output_schema));
    }
    let much = effort.elsewhere(move |effort| {
        effort.spend(price(&result, u64::MAX))?;
        Ok(written(result, form, has_output_schema))
    });
    much.await
}

pub(super) fn written(result: ToolResult, form: Form, has_output_schema: bool) -> CallOutcome {
    if result.is_error {
        return CallOutcome::Failure(ToolFailure {
            kind: FailureKind::Failed,
            message: failure_message(&result),
            content: Value::Array(result.content).to_string(),
            data: result.structured_content.map(text_of_json),
        });
    }
    match form {
        Form::Script => script_value(result, has_output_schema),
        Form::Typed if has_output_schema => promised_structure(result),
        Form::Typed => blocks(result),
    }
}

/// The rules: the structured content is the value. Else, where the tool promises no structure, a
/// single text block is that is a JSON object or array, or the list of several such. Else a single
/// text block is a text, and all else the list of content blocks.
fn script_value(result: ToolResult, has_output_schema: bool) -> CallOutcome {
    if let Some(structured) = result.structured_content {
        return CallOutcome::Value(text_of_json(structured));
    }
    if !has_output_schema && let Some(json) = json_documents(&result.content) {
        return CallOutcome::Value(json);
    }
    CallOutcome::Value(match single_text(&result.content) {
        Some(text) => Value::from(text).to_string(),
        None => Value::Array(result.content).to_string(),
    })
}

/// The value of a single text block that is a JSON document; the list of them where there are
/// several blocks, and all are such.
fn json_documents(content: &[Value]) -> Option<String> {
    let texts = content.iter().map(text_of).collect::<Option<Vec<_>>>()?;
    match *texts {
        [] => None,
        [text] => is_json_document(text, MAX_DEPTH).then(|| text.to_owned()),
        _ => {
            let all = texts
                .iter()
                .all(|text| is_json_document(text, MAX_DEPTH - 1));
            all.then(|| format!("[{}]", texts.join(",")))
        }
    }
}

/// The structured content; else a single text block that is a JSON document, as servers send it to
/// clients that know no structured content.
fn promised_structure(result: ToolResult) -> CallOutcome {
    if let Some(structured) = result.structured_content {
        return CallOutcome::Value(text_of_json(structured));
    }
    match single_text(&result.content) {
        Some(text) if serde_json::from_str::<&RawValue>(text).is_ok() => {
            CallOutcome::Value(text.to_owned())
        }
        _ => CallOutcome::Failure(ToolFailure {
            kind: FailureKind::Protocol,
            message: "the tool promises a structured result, but gave none".into(),
            content: Value::Array(result.content).to_string(),
            data: None,
        }),
    }
}

/// The content blocks; structured content that came without any, as a text.
fn blocks(result: ToolResult) -> CallOutcome {
    let mut content = result.content;
    if let (true, Some(structured)) = (content.is_empty(), result.structured_content) {
        content.push(serde_json::json!({"type": "text", "text": structured.get()}));
    }
    CallOutcome::Value(Value::Array(content).to_string())
}

/// A document as it came.
fn text_of_json(json: Box<RawValue>) -> String {
    Box::<str>::from(json).into_string()
}

fn text_of(block: &Value) -> Option<&str> {
    if block.get("type")?.as_str()? == "text" {
        block.get("text")?.as_str()
    } else {
        None
    }
}

fn single_text(content: &[Value]) -> Option<&str> {
    match content {
        [block] => text_of(block),
        _ => None,
    }
}

/// Whether a text is a JSON object or array. What is nested deeper than a guest can parse is none.
fn is_json_document(text: &str, most_levels: usize) -> bool {
    text.trim_start().starts_with(['{', '['])
        && json::depth(text) <= most_levels
        && serde_json::from_str::<&RawValue>(text).is_ok()
}

fn failure_message(result: &ToolResult) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(text_of).collect();
    match &result.structured_content {
        Some(structured) if texts.is_empty() => said_in(structured),
        _ if texts.is_empty() => "the tool failed, and did not say why".to_owned(),
        _ => texts.join("\n"),
    }
}

/// What a structure says of a failure: the text of a key that is called so, or all of it.
fn said_in(structured: &RawValue) -> String {
    /// How much of it is looked at and shown, in bytes.
    const MOST_BYTES: usize = 16 << 10;
    let json = structured.get();
    let short = &json[..json.floor_char_boundary(MOST_BYTES)];
    let whole: Option<Value> = match short.len() == json.len() {
        true => serde_json::from_str(json).ok(),
        false => None,
    };
    let said = whole.as_ref().and_then(|whole| {
        let mut keys = ["message", "error", "detail", "reason"].iter();
        keys.find_map(|key| whole.get(key)?.as_str())
    });
    said.unwrap_or(short).to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(result: ToolResult, has_output_schema: bool) -> String {
        match written(result, Form::Script, has_output_schema) {
            CallOutcome::Value(json) => json,
            other => panic!("{other:?}"),
        }
    }

    fn text(text: &str) -> ToolResult {
        ToolResult {
            content: vec![json!({"type": "text", "text": text})],
            ..ToolResult::default()
        }
    }

    #[test]
    fn structured_content_comes_first_and_untouched() {
        let structured =
            RawValue::from_string(r#"{"n": 1.0, "big": 12345678901234567890123}"#.into()).unwrap();
        let result = ToolResult {
            structured_content: Some(structured),
            ..text("ignored")
        };
        assert_eq!(
            value(result, true),
            r#"{"n": 1.0, "big": 12345678901234567890123}"#
        );
    }

    #[test]
    fn a_single_text_is_parsed_where_no_structure_is_promised() {
        assert_eq!(value(text(" [1, 2]"), false), " [1, 2]");
        assert_eq!(value(text("{\"a\":1}"), true), r#""{\"a\":1}""#);
        assert_eq!(value(text("17"), false), r#""17""#);
        assert_eq!(value(text("{broken"), false), r#""{broken""#);
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(value(text(&nested(127)), false), nested(127));
        assert_eq!(
            value(text(&nested(128)), false),
            format!("{:?}", nested(128))
        );
    }

    fn texts(texts: &[&str]) -> ToolResult {
        let block = |text: &&str| json!({"type": "text", "text": text});
        ToolResult {
            content: texts.iter().map(block).collect(),
            ..ToolResult::default()
        }
    }

    #[test]
    fn several_texts_that_are_json_each_are_a_list() {
        let rows = texts(&["{\"n\": 1.0}", " [2]\n"]);
        assert_eq!(value(rows.clone(), false), "[{\"n\": 1.0}, [2]\n]");
        // One that is no document, or nothing that the tool promised: the blocks as they came.
        let other = texts(&["{\"n\":1}", "and so on"]);
        for (blocks, promises) in [(rows, true), (other, false), (texts(&["1", "2"]), false)] {
            let expected = Value::Array(blocks.content.clone()).to_string();
            assert_eq!(value(blocks, promises), expected);
        }
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let list = value(texts(&[&nested(126), "[]"]), false);
        assert_eq!(list, format!("[{},[]]", nested(126)));
        let blocks = value(texts(&[&nested(127), "[]"]), false);
        assert!(blocks.starts_with(r#"[{"type":"text""#), "{blocks}");
    }

    #[tokio::test]
    async fn what_is_wrapped_is_the_value_inside() {
        let effort = Effort::of(u64::MAX);
        let given = async |json: &str| {
            let answer = ToolResult {
                structured_content: Some(RawValue::from_string(json.to_owned()).unwrap()),
                ..text("beside it")
            };
            let answer = unwrapped(Ok(answer), &effort).await.unwrap().unwrap();
            value(answer, true)
        };
        assert_eq!(
            given(r#" {"result" : [1.0, 12345678901234567890123] }"#).await,
            "[1.0, 12345678901234567890123]"
        );
        assert_eq!(
            given(r#"{"result":{"result":null}}"#).await,
            r#"{"result":null}"#
        );
        // Long enough to be read elsewhere.
        let long = format!("{:?}", "x".repeat(100_000));
        assert_eq!(given(&format!("{{\"result\":{long}}}")).await, long);
        for other in [
            r#"{"result":1,"more":2}"#,
            r#"{"results":1}"#,
            "{}",
            "[1]",
            "null",
            r#"{"result":1,"result":2}"#,
        ] {
            assert_eq!(given(other).await, other);
        }
    }

    #[test]
    fn other_content_is_the_list_of_blocks() {
        let image = json!({"type": "image", "data": "", "mimeType": "image/png"});
        let result = ToolResult {
            content: vec![image.clone()],
            ..ToolResult::default()
        };
        assert_eq!(value(result, false), json!([image]).to_string());
        assert_eq!(value(ToolResult::default(), false), "[]");
    }

    #[test]
    fn an_error_is_a_failure_with_its_text_and_blocks() {
        let result = ToolResult::failed("no such order");
        let CallOutcome::Failure(failure) = written(result, Form::Script, true) else {
            panic!()
        };
        assert_eq!(failure.message, "no such order");
        assert_eq!(
            failure.content,
            r#"[{"type":"text","text":"no such order"}]"#
        );
        assert_eq!(failure.data, None);
    }

    #[tokio::test]
    async fn an_error_has_its_structure_as_it_came() {
        let data = r#"{"result": {"row": 121.0, "big": 12345678901234567890123}}"#;
        let result = ToolResult {
            structured_content: Some(RawValue::from_string(data.into()).unwrap()),
            ..ToolResult::failed("no such order")
        };
        // It is none of what the tool promises, so nothing is taken off, and nothing missed in it.
        let effort = Effort::of(u64::MAX);
        let result = unwrapped(Ok(result), &effort).await.unwrap().unwrap();
        for (form, promises) in [
            (Form::Script, true),
            (Form::Script, false),
            (Form::Typed, true),
            (Form::Typed, false),
        ] {
            let outcome = written(result.clone(), form, promises);
            let bytes = outcome.bytes();
            let CallOutcome::Failure(failure) = outcome else {
                panic!("{outcome:?}")
            };
            assert_eq!(failure.kind, FailureKind::Failed);
            assert_eq!(failure.message, "no such order");
            assert_eq!(failure.data.as_deref(), Some(data));
            let counted = failure.message.len() + failure.content.len() + data.len();
            assert_eq!(bytes, counted as u64);
        }
    }

    #[test]
    fn a_failure_that_was_kept_without_data_is_read() {
        let kept = r#"{"kind":"failed","message":"no","content":"[]"}"#;
        let failure: ToolFailure = serde_json::from_str(kept).unwrap();
        assert_eq!(failure, ToolFailure::new(FailureKind::Failed, "no".into()));
        assert_eq!(serde_json::to_string(&failure).unwrap(), kept);
    }

    #[test]
    fn a_typed_function_gets_what_the_tool_promised() {
        let typed = |result, promised| written(result, Form::Typed, promised);
        let value = |result, promised| match typed(result, promised) {
            CallOutcome::Value(json) => json,
            other => panic!("{other:?}"),
        };
        assert_eq!(value(text("{\"a\":1}"), true), "{\"a\":1}");
        assert_eq!(
            value(text("{\"a\":1}"), false),
            r#"[{"type":"text","text":"{\"a\":1}"}]"#
        );
        let structured = ToolResult {
            structured_content: Some(RawValue::from_string("[1.0]".into()).unwrap()),
            ..ToolResult::default()
        };
        assert_eq!(
            value(structured.clone(), false),
            r#"[{"type":"text","text":"[1.0]"}]"#
        );
        assert_eq!(value(structured, true), "[1.0]");
        let CallOutcome::Failure(failure) = typed(text("no structure"), true) else {
            panic!()
        };
        assert!(failure.content.contains("no structure"));
    }
}
