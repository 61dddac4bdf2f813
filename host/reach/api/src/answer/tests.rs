use super::*;

fn answered(status: u16, kind: &str, body: &[u8]) -> ToolResult {
    let response = Response::builder()
        .status(status)
        .header(CONTENT_TYPE, kind)
        .header("x-powered-by", "x")
        .header(RETRY_AFTER, "7");
    let response = response.body(Bytes::copy_from_slice(body)).unwrap();
    let blot = Blot::of(["hunter2-secret"].into_iter());
    let context = CallContext::without_a_run("api", "get", 1000);
    of(&response, "get", &blot, &context, Ok).unwrap()
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
            "get",
            &blot,
            &context,
            Ok,
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
