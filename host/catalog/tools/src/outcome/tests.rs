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
    // One that is not a document, or nothing that the tool promised: the blocks as they came.
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
    // It is not what the tool promises, so nothing is taken off, and nothing missed in it.
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
