use std::collections::HashSet;

use super::*;
use crate::document::Documents;
use crate::operations;
use crate::plan::{Plan, Setting};
use crate::server::Base;

const PLAIN: &str = "{responses: {'200': {description: x}}}";
const PAGES: &str = "{parameters: [{name: page, in: query, schema: {type: integer}}, {name: q, in: query, schema: {type: string}}, {name: tags, in: query, schema: {type: array}}], responses: {'200': {content: {application/json: {schema: {type: array}}}, headers: {Link: {description: Where else}, Set-Cookie: {}, X-Total-Count: {}}}}}";

/// A call of an operation that is written like this.
fn call(operation: &str, arguments: Value) -> AnsweredCall {
    let documents = Documents::of(&format!(
        "openapi: 3.1.0\npaths: {{/a: {{get: {operation}}}}}\n"
    ));
    let (operations, _) = operations::all(&documents).unwrap();
    let setting = Setting {
        documents: &documents,
        base: &Base::new(Some("https://example.com/?own=k")).unwrap(),
        set: &HashSet::new(),
    };
    AnsweredCall {
        plan: Plan::of(&operations[0], &setting).unwrap().into(),
        arguments: serde_json::from_value(arguments).unwrap(),
        hidden: vec!["key".to_owned()],
    }
}

/// What is answered with this header `Link`.
fn page(link: &str, arguments: Value) -> Result<Value, CallError> {
    let response = Response::builder()
        .header(CONTENT_TYPE, "application/json")
        .header("x-total-count", "7")
        .header("set-cookie", "session=1")
        .header("link", link);
    let response = response.body(Bytes::from_static(b"[1]")).unwrap();
    let blot = Blot::of(["hunter2-secret"].into_iter());
    let context = CallContext::without_a_run("api", "get", 1000);
    let result = of(&response, &call(PAGES, arguments), "get", &blot, &context)?;
    Ok(serde_json::from_str(result.structured_content.unwrap().get()).unwrap())
}

#[test]
fn pages_have_the_arguments_of_the_next_one() {
    let link = r#"<https://x.example/?page=1>; rel="first", </repositories/1?page=2&tags=a&after=c%3D1&key=hunter2-secret&q=x+y>; title="a, b"; rel="next last""#;
    let whole = page(
        link,
        json!({ "tags": ["a", "b"], "q": "x y", "page": null }),
    )
    .unwrap();
    assert_eq!(whole["body"], json!([1]));
    assert_eq!(
        whole["next"],
        json!({ "tags": ["a", "b"], "q": "x y", "page": 2, "more": { "after": "c=1" } })
    );
    assert_eq!(whole["headers"]["x-total-count"], "7");
    // Neither what says who asks, nor what nobody asked for.
    assert_eq!(whole["headers"].as_object().unwrap().len(), 2, "{whole}");
    assert!(!whole.to_string().contains("hunter2"), "{whole}");
    for last in [
        r#"<https://x.example/?page=1>; rel="prev""#,
        "",
        "<",
        "next",
    ] {
        assert_eq!(
            page(last, json!({ "page": 3 })).unwrap()["next"],
            Value::Null
        );
    }
    // A page that is only in the path would be asked for forever.
    let same = page("</a/2>; rel=next", json!({ "q": "x" }));
    assert!(same.unwrap_err().to_string().contains("in its path alone"));
}

#[test]
fn what_comes_with_an_answer_is_in_its_type() {
    let documents = Documents::of("openapi: 3.1.0\n");
    let whole = call(PAGES, json!({})).plan.output(&documents).unwrap();
    assert_eq!(whole["properties"]["body"]["type"], "array");
    let headers = &whole["properties"]["headers"]["properties"];
    assert_eq!(headers["link"]["description"], "Where else");
    assert_eq!(headers.as_object().unwrap().len(), 2, "{headers}");
    let next = &whole["properties"]["next"]["anyOf"][0]["properties"];
    assert_eq!(next["page"], json!({ "type": "integer" }));
    assert_eq!(whole["required"], json!(["body", "headers", "next"]));
    assert_eq!(call(PLAIN, json!({})).plan.output(&documents), None);
    // A limit that nearly all operations have makes no answer more than its body.
    let limited = "{responses: {'200': {headers: {X-RateLimit-Limit: {}}}}}";
    assert_eq!(call(limited, json!({})).plan.output(&documents), None);
}

fn answered(status: u16, kind: &str, body: &[u8]) -> ToolResult {
    let response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind)
        .header("x-powered-by", "x")
        .header(RETRY_AFTER, "7");
    let response = response.body(Bytes::copy_from_slice(body)).unwrap();
    let blot = Blot::of(["hunter2-secret"].into_iter());
    let context = CallContext::without_a_run("api", "get", 1000);
    of(&response, &call(PLAIN, json!({})), "get", &blot, &context).unwrap()
}

fn value(kind: &str, body: &[u8]) -> Value {
    let result = answered(200, kind, body);
    assert!(!result.is_error && result.content.is_empty());
    serde_json::from_str(result.structured_content.unwrap().get()).unwrap()
}

#[test]
fn bodies_are_values_by_their_media_types() {
    assert_eq!(
        value("application/json; charset=utf-8", br#" {"a": 1.50} "#),
        json!({ "a": 1.5 })
    );
    assert_eq!(value("application/problem+json", b"[1]"), json!([1]));
    assert_eq!(value("application/json", b"no json"), json!("no json"));
    assert_eq!(value("text/plain", b"[1]"), json!("[1]"));
    assert_eq!(
        value("text/plain; charset=latin1", b"\xfc"),
        json!("\u{fffd}")
    );
    assert_eq!(value("application/xml", b"<a/>"), json!("<a/>"));
    assert_eq!(
        value("image/png", b"\x89P"),
        json!({ "base64": "iVA=", "type": "image/png" })
    );
    assert_eq!(value("application/json", b""), Value::Null);
    assert_eq!(
        value("text/plain", b"it is hunter2-secret"),
        json!("it is [redacted]")
    );
}

#[test]
fn numbers_keep_their_digits() {
    let result = answered(200, "application/json", b"[12345678901234567890123, 1.10]");
    assert_eq!(
        result.structured_content.unwrap().get(),
        "[12345678901234567890123, 1.10]"
    );
}

#[test]
fn failures_have_a_status_and_a_body() {
    for (kind, body, message) in [
        (
            "application/json",
            &br#"{"message":"No such pet\n","code":4}"#[..],
            "get: HTTP 404 Not Found: No such pet",
        ),
        (
            "application/json",
            br#"{"error":{"errors":[{"detail":"deep"}]}}"#,
            "get: HTTP 404 Not Found: deep",
        ),
        ("application/json", b"[]", "get: HTTP 404 Not Found"),
        (
            "text/plain",
            b"\n  gone hunter2-secret\nmore",
            "get: HTTP 404 Not Found: gone [redacted]",
        ),
        ("text/html", b"<html>", "get: HTTP 404 Not Found"),
        ("text/plain", b"", "get: HTTP 404 Not Found"),
    ] {
        let result = answered(404, kind, body);
        assert!(result.is_error);
        assert_eq!(result.content, [json!({ "type": "text", "text": message })]);
        let data: Value = serde_json::from_str(result.structured_content.unwrap().get()).unwrap();
        assert_eq!(
            (&data["status"], &data["retryAfter"]),
            (&json!(404), &json!(7))
        );
    }
    let data = answered(500, "application/json", br#"{"a":1}"#)
        .structured_content
        .unwrap();
    assert_eq!(
        data.get(),
        r#"{"status":500,"body":{"a":1},"retryAfter":7,"headers":{"retry-after":"7"}}"#
    );
}

#[test]
fn what_is_too_large_or_too_deep_is_not_told() {
    let context = CallContext::without_a_run("api", "get", 1000);
    let blot = Blot::of([].into_iter());
    let of = |body: String| {
        let response = Response::builder().header(CONTENT_TYPE, "application/json");
        of(
            &response.body(body.into()).unwrap(),
            &call(PLAIN, json!({})),
            "get",
            &blot,
            &context,
        )
    };
    assert!(matches!(
        of("[".repeat(200) + &"]".repeat(200)),
        Err(CallError::Protocol(_))
    ));
    let large = format!("\"{}\"", "x".repeat(1000));
    assert!(matches!(
        of(large),
        Err(CallError::ResultTooLarge { bytes: 1002 })
    ));
}
