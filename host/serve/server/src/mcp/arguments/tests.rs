use serde_json::json;

use super::*;

/// What is read of some arguments of `execute_code`.
fn read(sent: Value) -> Result<(Value, Option<String>), String> {
    let Value::Object(sent) = sent else {
        unreachable!()
    };
    EXECUTE_CODE.read(Some(sent))
}

#[test]
fn what_says_nothing_to_a_tool_is_passed_over_with_a_note() {
    for name in [
        "reasoning",
        "explanation",
        "thought",
        "title",
        "intent",
        "description",
        "purpose",
    ] {
        let (known, note) = read(json!({ "code": "1", (name): "to count" })).unwrap();
        assert_eq!(known, json!({ "code": "1" }));
        let note = note.unwrap_or_default();
        assert!(
            note.starts_with(&format!("Note: execute_code has no argument `{name}`")),
            "{note}"
        );
    }
    let (_, note) = read(json!({ "code": "1", "reasoning": 1, "title": 2 })).unwrap();
    let note = note.unwrap_or_default();
    assert!(note.contains("`reasoning`, `title`"), "{note}");
    assert_eq!(read(json!({ "code": "1" })).unwrap().1, None);
}

/// Answers were written as TOON where a client asked for it.
#[test]
fn an_answer_has_no_format() {
    let (known, note) = read(json!({ "code": "1", "format": "toon" })).unwrap();
    assert_eq!(known, json!({ "code": "1" }));
    let note = note.unwrap_or_default();
    assert!(
        note.starts_with("Note: execute_code has no argument `format`"),
        "{note}"
    );
}

#[test]
fn other_names_of_arguments_are_understood() {
    let (known, note) =
        read(json!({ "script": "1", "lang": "python", "timeoutSeconds": 3 })).unwrap();
    assert_eq!(
        (known, note),
        (
            json!({ "code": "1", "language": "python", "timeout_seconds": 3 }),
            None
        )
    );
    let (known, note) = read(json!({ "code": "1", "script": "2" })).unwrap();
    assert_eq!(known, json!({ "code": "1" }));
    assert!(note.is_some_and(|note| note.contains("`script`")));
}

#[test]
fn what_can_not_be_passed_over_is_refused() {
    for (name, said) in [
        ("cod", "did you mean `code`?"),
        ("langauge", "did you mean `language`?"),
        // In which unit, only its writer knows.
        ("timeout", "did you mean `timeout_seconds`?"),
        ("timeout_ms", "did you mean `timeout_seconds`?"),
        ("dry_run", "it seems to restrict what the call may do"),
        ("readOnly", "it seems to restrict what the call may do"),
        ("inputResponses", "answered by people"),
    ] {
        let refused = read(json!({ "code": "1", (name): true })).unwrap_err();
        assert!(refused.contains(said), "{name}: {refused}");
    }
}

#[test]
fn what_a_model_writes_to_itself_beside_one_call_is_passed_over() {
    let call = |beside: Value| {
        let mut sent = json!({ "server": "demo", "tool": "get_order" });
        let (Value::Object(sent), Value::Object(beside)) = (&mut sent, beside) else {
            unreachable!()
        };
        sent.extend(beside);
        let instead = |call: &CallTool, beside| json!({ "tool": call.tool, "arguments": beside });
        CALL_TOOL.read_alone::<CallTool>(Some(sent.clone()), instead)
    };
    let (read, note) = call(json!({ "reasoning": "the order is asked for" })).unwrap();
    assert_eq!((&*read.server, &*read.tool), ("demo", "get_order"));
    let note = note.unwrap_or_default();
    assert!(note.contains("no argument `reasoning`"), "{note}");
    assert_eq!(call(json!({})).unwrap().1, None);
    // A tool may take these, so that nothing is called without them.
    for name in ["reason", "description", "orderId"] {
        let refused = call(json!({ "reasoning": 1, (name): "x" })).unwrap_err();
        let instead = format!("\"arguments\":{{\"{name}\":\"x\"}}");
        assert!(refused.contains(&instead), "{refused}");
    }
}
