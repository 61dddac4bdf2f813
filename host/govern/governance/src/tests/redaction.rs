//! Fields that policies take out of arguments, results and failures.

use serde_json::json;

use super::*;

#[tokio::test]
async fn fields_are_taken_out_of_results_wherever_they_are() {
    let world = World::new();
    let governance = world.governance(r#"@id("r") @redact("email, *.email") permit(principal, action in Action::"crm", resource);"#);
    let run = begin(&governance).await;
    world.crm.answer(ToolResult {
        content: vec![
            json!({"type": "text", "text": "Ada has a@b.example"}),
            json!({"type": "image", "data": "a@b.example"}),
        ],
        ..structured(json!({"email": "a@b.example", "name": "Ada"}))
    });
    let got = world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    assert_eq!(value(&got), json!({"email": "[redacted]", "name": "Ada"}));
    assert!(!format!("{got:?}").contains("a@b.example"), "{got:?}");
    // Without structure: a list of documents, and a sentence.
    let text = |text: &str| json!({"type": "text", "text": text});
    for (content, expected) in [
        (
            vec![text(r#"{"email": "a@b.example", "n": 1}"#)],
            r#"{\"email\":\"[redacted]\",\"n\":1}"#,
        ),
        (
            vec![text(r#"{"email": "a@b.example"}"#), text(r#"{"n": 2}"#)],
            r#"{\"n\":2}"#,
        ),
        (vec![text("write to a@b.example")], "[redacted]"),
        (
            vec![text(r#"{"email": "a@b.example"}"#), text("or a@b.example")],
            "[redacted]",
        ),
    ] {
        for is_error in [false, true] {
            world.crm.answer(ToolResult {
                content: content.clone(),
                is_error,
                ..ToolResult::default()
            });
            let got = world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
            let got = serde_json::to_string(&got.content).unwrap();
            assert!(
                !got.contains("a@b.example") && got.contains(expected),
                "{got}"
            );
        }
    }
}

#[tokio::test]
async fn wrapped_results_are_redacted_within() {
    let world = World::new();
    let wrapped = json!({"type": "object", "properties": {"result": {"type": "object"}}, "x-fastmcp-wrap-result": true});
    world
        .crm
        .list([tool("get", json!({"readOnlyHint": true}), Some(wrapped))]);
    let governance =
        world.governance(r#"@id("r") @redact("email") permit(principal, action, resource);"#);
    let run = begin(&governance).await;
    world
        .crm
        .answer(structured(json!({"result": {"email": "a@b.example"}})));
    let got = world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    assert_eq!(value(&got), json!({"result": {"email": "[redacted]"}}));
    // What is said of a failure is not wrapped, though it may look so.
    world.crm.answer(ToolResult {
        is_error: true,
        ..structured(json!({"result": {"n": 1}, "email": "a@b.example"}))
    });
    let got = world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
    let redacted = json!({"result": {"n": 1}, "email": "[redacted]"});
    assert_eq!(value(&got), redacted);
}

#[tokio::test]
async fn fields_are_taken_out_of_what_a_failure_tells_wherever_they_are() {
    let world = World::new();
    let governance = world.governance(
        r#"@id("r") @redact("customers.*.email") permit(principal, action in Action::"crm", resource);"#,
    );
    let run = begin(&governance).await;
    let told = json!({"error": "E12", "given": [{"customer": {"email": "a@b.example", "n": 1}}]});
    let redacted =
        json!({"error": "E12", "given": [{"customer": {"email": "[redacted]", "n": 1}}]});
    let text = json!({"type": "text", "text": "nobody has a@b.example"});
    world.crm.answer(ToolResult {
        is_error: true,
        content: vec![text],
        ..structured(told.clone())
    });
    let got = world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    assert!(got.is_error);
    assert_eq!(value(&got), redacted);
    // Its message says no more than its data.
    let blocks = json!([{"type": "text", "text": redacted.to_string()}]);
    assert_eq!(json!(got.content), blocks);
    // The same, told as a text.
    world.crm.answer(ToolResult {
        is_error: true,
        content: vec![json!({"type": "text", "text": told.to_string()})],
        ..ToolResult::default()
    });
    let got = world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
    assert_eq!(json!(got.content), blocks);
}

#[tokio::test]
async fn arguments_are_taken_out_before_they_leave() {
    let world = World::new();
    let governance = world.governance(
        r#"@id("a") @redact_arguments("email") permit(principal, action == Action::"mail.send", resource);
           @id("b") @redact_arguments("*") permit(principal, action == Action::"mail.drafts", resource);"#,
    );
    let run = begin(&governance).await;
    for tool in ["send", "drafts"] {
        world
            .call(&run, 0, "mail", tool, json!({"email": "a", "to": "b"}))
            .await
            .unwrap();
    }
    assert_eq!(
        world.mail.take_calls(),
        [
            ("send".to_owned(), json!({"email": "[redacted]", "to": "b"})),
            (
                "drafts".to_owned(),
                json!({"email": "[redacted]", "to": "[redacted]"})
            ),
        ]
    );
}

#[test]
fn whether_a_tool_wraps_its_results_is_found_out_once() {
    let output = json!({
        "x-fastmcp-wrap-result": true,
        "properties": { "result": {} },
        "rows": vec![json!([]); 200_000],
    });
    let tool = json!({ "name": "tool", "inputSchema": {}, "outputSchema": output });
    let tool = serde_json::from_value(tool).unwrap();
    let known =
        crate::known_servers::facts("server", vec![tool], &crate::patterns::Patterns::default());
    let facts = &known["tool"];
    let begun = std::time::Instant::now();
    // Parsing the schema takes some milliseconds, and more where tests are slow.
    assert!((0..10_000).all(|_| facts.wraps_result()));
    assert!(begun.elapsed() < std::time::Duration::from_secs(10));
}
