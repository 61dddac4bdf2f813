use serde_json::json;

use super::*;

fn body(content: Value) -> (Documents, Body) {
    let documents = Documents::of("openapi: 3.1.0\n");
    let operation = json!({ "requestBody": { "content": content } });
    let body = Body::of(&documents, 0, operation.as_object().unwrap()).unwrap();
    (documents, body)
}

fn sent(content: Value, value: Value) -> Result<(String, String), String> {
    let (documents, body) = body(content);
    let sent = body.write(&documents, &value)?;
    Ok((sent.kind, String::from_utf8(sent.bytes.to_vec()).unwrap()))
}

fn as_text(kind: &str, text: &str) -> Result<(String, String), String> {
    Ok((kind.to_owned(), text.to_owned()))
}

#[test]
fn json_is_preferred_and_sent_as_it_came() {
    let content =
        json!({ "text/plain": {}, "application/vnd.x+json": { "schema": { "type": "object" } } });
    assert_eq!(
        sent(content, json!({ "a": [1, null] })),
        as_text("application/vnd.x+json", r#"{"a":[1,null]}"#)
    );
    let any = json!({ "*/*": { "schema": { "type": "object" } } });
    assert_eq!(sent(any, json!({})), as_text("application/json", "{}"));
}

#[test]
fn forms_are_written_as_their_encoding_says() {
    let content = json!({ "application/x-www-form-urlencoded": {
        "encoding": { "deep": { "style": "deepObject", "explode": true }, "csv": { "explode": false }, "j": { "contentType": "application/json" } },
    } });
    let value = json!({ "a": "x y&", "list": [1, 2], "csv": ["a", "b"], "deep": { "k": { "l": [true] } }, "o": { "p": 1 }, "j": [1], "n": null });
    let expected =
        "a=x%20y%26&list=1&list=2&csv=a,b&deep[k][l][0]=true&o=%7B%22p%22%3A1%7D&j=%5B1%5D";
    assert_eq!(
        sent(content.clone(), value),
        as_text("application/x-www-form-urlencoded", expected)
    );
    assert!(sent(content, json!([1])).is_err());
}

#[test]
fn parts_are_texts_files_and_json() {
    let content = json!({ "multipart/form-data": {
        "schema": { "properties": { "name": { "type": "string" }, "file": { "format": "binary", "description": "A picture" }, "more": { "type": "array", "items": { "contentMediaType": "image/png" } } } },
        "encoding": { "name": { "contentType": "text/markdown" } },
    } });
    let value = json!({ "name": "Ü", "file": { "base64": "aGk=", "filename": "a\"b.txt", "type": "text/plain" }, "more": ["x"], "o": { "a": 1 } });
    let (kind, text) = sent(content.clone(), value).unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let text = text.replace(boundary, "B").replace("\r\n", "|");
    assert_eq!(
        text,
        "--B|Content-Disposition: form-data; name=\"name\"|Content-Type: text/markdown||Ü|\
         --B|Content-Disposition: form-data; name=\"file\"; filename=\"a%22b.txt\"|Content-Type: text/plain||hi|\
         --B|Content-Disposition: form-data; name=\"more\"; filename=\"more\"|Content-Type: application/octet-stream||x|\
         --B|Content-Disposition: form-data; name=\"o\"|Content-Type: application/json||{\"a\":1}|--B--|"
    );
    let (documents, body) = body(content.clone());
    let mut schemas = Schemas::new(&documents, crate::schema::Direction::Request);
    let schema = body.argument_schema(&documents, &mut schemas);
    assert_eq!(schema["properties"]["file"]["description"], "A picture");
    assert!(schema["properties"]["more"]["items"]["anyOf"].is_array());
    for wrong in [
        json!({ "file": { "base64": "?" } }),
        json!({ "file": {} }),
        json!({ "file": 1 }),
    ] {
        assert!(sent(content.clone(), wrong).is_err());
    }
    let injected = json!({ "file": { "text": "", "type": "a\r\nX: y" } });
    assert_eq!(
        sent(content, injected).unwrap_err(),
        "`file` has a media type that can't be sent"
    );
}

#[test]
fn texts_and_bytes_are_sent_as_they_are() {
    assert_eq!(
        sent(json!({ "text/csv": {} }), json!("a,b")),
        as_text("text/csv", "a,b")
    );
    assert_eq!(
        sent(json!({ "application/xml": {} }), json!("<a/>")),
        as_text("application/xml", "<a/>")
    );
    assert_eq!(
        sent(json!({ "image/png": {} }), json!({ "base64": "aGk=" })),
        as_text("image/png", "hi")
    );
    let typed = json!({ "text": "x", "type": "image/gif" });
    assert_eq!(
        sent(json!({ "image/*": {} }), typed),
        as_text("image/gif", "x")
    );
}

#[test]
fn search_reads_what_is_directly_in_a_body() {
    let documents = Documents::of(
        "openapi: 3.1.0\nA: {allOf: [{$ref: '#/B'}], properties: {x: {description: An x, type: object}}}\nB: {properties: {y: {enum: [1]}}}\n",
    );
    let operation = json!({ "requestBody": { "description": "All", "content": { "application/json": { "schema": { "$ref": "#/A" } } } } });
    let body = Body::of(&documents, 0, operation.as_object().unwrap()).unwrap();
    assert_eq!(
        body.outline(&documents),
        json!({ "description": "All", "properties": { "x": { "description": "An x" }, "y": { "enum": [1] } } })
    );
}
