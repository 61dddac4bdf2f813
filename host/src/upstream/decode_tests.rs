use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;

fn decoded(result: &str, era: Era) -> ToolResult {
    tool_result(serde_json::from_str(result).unwrap(), era).unwrap()
}

#[test]
fn null_is_a_value_since_it_may_be_one() {
    let structured = |result, era| {
        decoded(result, era)
            .structured_content
            .map(|value| value.get().to_owned())
    };
    let null = r#"{"content":[],"structuredContent":null,"isError":null}"#;
    assert_eq!(structured(null, Era::Sessions), None);
    assert_eq!(structured(null, Era::Stateless).as_deref(), Some("null"));
    assert_eq!(structured("{}", Era::Stateless), None);
}

#[test]
fn content_that_is_no_list_is_one_block() {
    assert_eq!(
        decoded(r#"{"content":{"type":"text"}}"#, Era::Sessions).content,
        [json!({ "type": "text" })]
    );
    assert!(
        decoded(r#"{"content":null}"#, Era::Sessions)
            .content
            .is_empty()
    );
}

#[test]
fn content_of_very_many_parts_is_not_read() {
    let answer = format!(r#"{{"content":[{}0]}}"#, "0,".repeat(2_000_000));
    let error = tool_result(serde_json::from_str(&answer).unwrap(), Era::Sessions).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server's answer can't be read: its content has too many parts"
    );
    let text = format!(
        r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#,
        "[0,".repeat(2_000_000)
    );
    assert_eq!(decoded(&text, Era::Sessions).content.len(), 1);
}

#[test]
fn errors_become_sentences() {
    let cases = [
        (
            json!({ "code": -32602, "message": "no such row" }),
            "no such row (error -32602)",
        ),
        (
            json!({ "code": 1, "message": "", "data": { "row": 3 } }),
            r#"the server refused (error 1); {"row":3}"#,
        ),
        (json!({ "code": "x", "message": 7 }), "the server refused"),
        (json!("text"), "the server refused"),
    ];
    for (error, expected) in cases {
        assert_eq!(error_text(&to_raw_value(&error).unwrap()), expected);
    }
}
