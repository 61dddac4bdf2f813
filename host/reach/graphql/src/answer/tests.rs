use serde_json::Value;

use super::*;

fn answered(status: u16, body: &str, field: Option<&str>) -> Result<ToolResult, CallError> {
    let response = Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .header(RETRY_AFTER, "7");
    let response = response
        .body(Bytes::copy_from_slice(body.as_bytes()))
        .unwrap();
    let blot = Blot::of(["hunter2-secret"].into_iter());
    let context = CallContext::without_a_run("api", "get", 1000);
    let taken = ResponsePart {
        tool: "get".to_owned(),
        field: field.map(str::to_owned),
    };
    of(&response, &taken, &blot, &context)
}

fn structure(result: &ToolResult) -> Value {
    let text = result.structured_content.as_ref().unwrap();
    serde_json::from_str(text.get()).unwrap()
}

#[test]
fn a_server_that_does_not_know_who_asks_has_done_nothing() {
    let refused = |body: &str| refuses(&Response::new(Bytes::copy_from_slice(body.as_bytes())));
    let error = r#"{"message": "who?", "extensions": {"code": "UNAUTHENTICATED"}}"#;
    assert!(refused(&format!(
        r#"{{"errors": [{{"message": "x"}}, {error}]}}"#
    )));
    for body in [
        // What was begun is not sent again.
        format!(r#"{{"data": {{"a": 1}}, "errors": [{error}]}}"#),
        format!(r#"{{"data": null, "errors": [{error}]}}"#),
        format!(r#"{{"data": {{"a": {error}}}}}"#),
        format!(r#"[{error}]"#),
        format!(r#"{{"errors": {error}}}"#),
        r#"{"errors": [{"message": "UNAUTHENTICATED"}]}"#.to_owned(),
        r#"{"errors": [{"extensions": {"code": ["UNAUTHENTICATED"]}}]}"#.to_owned(),
        "UNAUTHENTICATED".to_owned(),
        format!(
            r#"{{"errors": [{error}], "x": "{}"}}"#,
            "x".repeat(MAX_REFUSAL_BYTES)
        ),
    ] {
        assert!(!refused(&body), "{body}");
    }
}

#[test]
fn the_result_is_the_field_of_the_data() {
    let body = r#"{"data": {"a": [1.50]}, "extensions": {}}"#;
    let result = answered(200, body, Some("a")).unwrap();
    assert_eq!(result.structured_content.as_ref().unwrap().get(), "[1.50]");
    let result = answered(200, body, None).unwrap();
    assert_eq!(structure(&result), json!({ "a": [1.5] }));
    for body in [
        "{}",
        "no json",
        "[]",
        r#"{"data": null}"#,
        r#"{"data": {}}"#,
    ] {
        let error = answered(200, body, Some("a")).unwrap_err();
        assert!(matches!(error, CallError::Protocol(_)), "{body}: {error:?}");
    }
}

#[test]
fn errors_keep_what_there_is_of_a_result() {
    let body = r#"{"data": {"a": null, "b": 1}, "errors": [{"message": "no hunter2-secret", "path": ["a"]}, {"message": "x"}]}"#;
    let result = answered(200, body, Some("a")).unwrap();
    assert!(result.is_error);
    assert_eq!(
        result.content[0]["text"],
        "get: no [redacted] (and 1 more error)"
    );
    let told = structure(&result);
    assert_eq!(told["data"], json!({ "a": null, "b": 1 }));
    assert_eq!(told["errors"][0]["path"], json!(["a"]));
    assert_eq!(told.get("status"), None);
    let told = structure(&answered(400, r#"{"errors": [{"message": "x"}]}"#, None).unwrap());
    assert_eq!(
        (&told["status"], &told["retryAfter"]),
        (&json!(400), &json!(7))
    );
    let told = structure(&answered(401, r#"{"message": "who?"}"#, None).unwrap());
    assert_eq!(
        told,
        json!({ "status": 401, "body": { "message": "who?" }, "retryAfter": 7,
            "headers": { "retry-after": "7" } })
    );
    let long = format!(r#"{{"data": "{}"}}"#, "a".repeat(2000));
    let error = answered(200, &long, None).unwrap_err();
    assert!(
        matches!(error, CallError::ResultTooLarge { .. }),
        "{error:?}"
    );
    let deep = format!(r#"{{"data": {}1{}}}"#, "[".repeat(200), "]".repeat(200));
    assert!(matches!(
        answered(200, &deep, None),
        Err(CallError::Protocol(_))
    ));
}
