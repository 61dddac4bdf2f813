use serde_json::{Value, json};

use super::*;

/// The parts, each in a line: what is a text between bars, of a block what it is.
fn lines(value: &Value) -> Vec<String> {
    let value = RawValue::from_string(value.to_string()).unwrap();
    let line = |part: Part<'_>| match part {
        Part::Text(text) => format!("|{text}|"),
        Part::Json(json) => json.into_owned(),
        Part::Block(block) => block.to_string(),
    };
    parts(&value).into_iter().map(line).collect()
}

fn image(bytes: usize) -> Value {
    let data = STANDARD.encode(vec![0; bytes]);
    json!({"type": "image", "data": data, "mimeType": "image/png"})
}

#[test]
fn a_text_is_read_as_it_is() {
    assert_eq!(lines(&json!("a\n\"b\" {}")), ["|a\n\"b\" {}|"]);
    assert_eq!(lines(&json!("")), ["\"\""]);
    // Half a character is in no text.
    let half = RawValue::from_string(r#""\ud800""#.to_owned()).unwrap();
    assert_eq!(parts(&half), [Part::Json(r#""\ud800""#.into())]);
}

#[test]
fn blocks_are_told_by_what_they_are() {
    let resource = |mut contents: Value| {
        contents["uri"] = json!("file:///a");
        json!({"type": "resource", "resource": contents})
    };
    let cases = [
        (image(70), "[image/png, 70 B]"),
        (image(12 * 1024 - 1), "[image/png, 12 KiB]"),
        (image(3 << 19), "[image/png, 1.5 MiB]"),
        (
            json!({"type": "audio", "data": "AAA=", "mimeType": "audio/wav", "annotations": {"priority": 1.0}, "_meta": {"a": [1]}}),
            "[audio/wav, 2 B]",
        ),
        (
            resource(json!({"text": "abc"})),
            "[file:///a: text/plain, 3 B]",
        ),
        (
            resource(json!({"blob": "AAAA", "mimeType": "application/pdf"})),
            "[file:///a: application/pdf, 3 B]",
        ),
        (
            json!({"type": "resource_link", "uri": "file:///\u{1b}[2J", "name": "a"}),
            "[link to file:///\\u{1b}[2J]",
        ),
    ];
    for (block, expected) in cases {
        assert_eq!(lines(&block), [expected]);
        assert_eq!(lines(&json!([block])), [expected]);
    }
}

#[test]
fn what_is_beside_blocks_is_text() {
    let text = json!({"type": "text", "text": "c"});
    let listed = json!(["a", image(1), {"n": 1}, 2, text, image(2), image(3), ""]);
    assert_eq!(
        lines(&listed),
        [
            "|a|",
            "[image/png, 1 B]",
            "|{\"n\":1}\n2\nc|",
            "[image/png, 2 B]",
            "[image/png, 3 B]"
        ]
    );
    let mut captioned = image(1);
    captioned["caption"] = json!("The sea");
    assert_eq!(
        lines(&captioned),
        ["|{\"caption\":\"The sea\"}|", "[image/png, 1 B]"]
    );
}

#[test]
fn what_is_no_block_is_json() {
    let text = json!({"type": "text", "text": "c"});
    for value in [
        text.clone(),
        json!([text, "a"]),
        json!(["a", 1, []]),
        json!([]),
        json!({"shot": image(1)}),
        json!([[image(1)]]),
        json!({"type": "image", "data": "no base64", "mimeType": "image/png"}),
        json!({"type": "image", "data": "AAAA", "mimeType": "text/html"}),
        json!({"type": "image", "data": "AAAA"}),
        json!({"type": "image", "src": "a.png"}),
        json!({"type": "resource", "resource": {"text": "no address"}}),
        json!(17),
        Value::Null,
    ] {
        assert_eq!(lines(&value), [value.to_string()]);
    }
}
