use serde_json::json;

use super::*;

fn decoded(result: &str, era: Era) -> ToolResult {
    tool_result(serde_json::from_str(result).unwrap(), "odd", era).unwrap()
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
    let text = |text: &str| json!({ "type": "text", "text": text });
    for (result, expected) in [
        (r#"{"content":"a"}"#, vec![text("a")]),
        (r#"{"content":["a"]}"#, vec![text("a")]),
        // One that says nothing, and one that found nothing.
        (r#"{"content":null}"#, vec![text("")]),
        ("{}", vec![text("")]),
        (r#"{"content":[]}"#, Vec::new()),
        (r#"{"isError":true}"#, Vec::new()),
    ] {
        assert_eq!(decoded(result, Era::Sessions).content, expected, "{result}");
    }
}

#[test]
fn content_of_very_many_parts_is_not_read() {
    let answer = format!(r#"{{"content":[{}0]}}"#, "0,".repeat(2_000_000));
    let error =
        tool_result(serde_json::from_str(&answer).unwrap(), "odd", Era::Sessions).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the answer from `odd` can't be read: its content has too many parts"
    );
    let text = format!(
        r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#,
        "[0,".repeat(2_000_000)
    );
    assert_eq!(decoded(&text, Era::Sessions).content.len(), 1);
}

#[test]
fn one_bad_block_spoils_neither_the_others_nor_what_is_structured() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let answer = format!(
        r#"{{"content":[{{"type":"text","text":"a"}},{deep},{{"n":1e999}},{{"type":"text","text":"b"}}],"structuredContent":{{"n":1}}}}"#
    );
    let result = decoded(&answer, Era::Sessions);
    let texts: Vec<&str> = result
        .content
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        [
            "a",
            "[a part of the answer can't be read: it is nested deeper than 127 levels]",
            "[a part of the answer can't be read: number out of range at line 1 column 10]",
            "b"
        ]
    );
    assert_eq!(result.structured_content.unwrap().get(), r#"{"n":1}"#);
}
