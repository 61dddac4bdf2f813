use ampoule_fair::Principal;
use serde_json::json;
use serde_json::value::to_raw_value;

use super::*;
use crate::{Deadline, RunId};

/// A call of `jira@work.create` that got `{"repo": "birch"}`.
fn context() -> CallContext {
    let call = crate::Call::new(
        RunId::new(),
        0,
        &"jira@work".into(),
        &"create".into(),
        None::<Principal>,
        Deadline::never().time(),
    );
    CallContext::new(call, 1 << 20, Deadline::never(), None)
}

async fn taken_back(rule: &str, result: ToolResult, promises: bool) -> Option<CallUndo> {
    let (context, effort) = (context(), Effort::of(1 << 30));
    let sent = json!({ "repo": "birch" });
    let undoable = Undoable::new(Arc::new(rule.parse().unwrap()), sent.as_object().unwrap());
    let answered = undoable.answered(&result, promises, &context, &effort);
    answered.await.unwrap();
    context.undo().cloned()
}

fn call(server: &str, tool: &str, arguments: &str) -> Option<CallUndo> {
    Some(CallUndo::Call {
        server: server.into(),
        tool: tool.into(),
        arguments: arguments.to_owned(),
    })
}

fn structured(value: Value) -> ToolResult {
    ToolResult {
        structured_content: Some(to_raw_value(&value).unwrap()),
        ..ToolResult::default()
    }
}

fn text(text: &str) -> ToolResult {
    ToolResult {
        content: vec![json!({ "type": "text", "text": text })],
        ..ToolResult::default()
    }
}

#[tokio::test]
async fn results_are_what_scripts_get() {
    let rule = "delete({ id: result.id })";
    let expected = call("jira@work", "delete", r#"{"id":7}"#);
    assert_eq!(
        taken_back(rule, structured(json!({ "id": 7 })), true).await,
        expected
    );
    assert_eq!(taken_back(rule, text(r#"{"id":7}"#), false).await, expected);
    let whole = taken_back("delete({ id: result })", text("id-7"), false).await;
    assert_eq!(whole, call("jira@work", "delete", r#"{"id":"id-7"}"#));
    let sent = taken_back("mail.drop({ of: args.repo })", text("ok"), false).await;
    assert_eq!(sent, call("mail", "drop", r#"{"of":"birch"}"#));
}

#[tokio::test]
async fn what_failed_is_not_taken_back_and_what_lacks_something_says_so() {
    let rule = "delete({ id: result.id })";
    assert_eq!(taken_back(rule, ToolResult::failed("no"), true).await, None);
    let lacks = taken_back(rule, structured(json!({ "key": 7 })), true).await;
    let why = "`result.id` is missing".to_owned();
    assert_eq!(lacks, Some(CallUndo::Impossible(why)));
    let long = structured(json!({ "id": "x".repeat(20 << 10) }));
    let Some(CallUndo::Impossible(why)) = taken_back(rule, long, true).await else {
        panic!("it is too long");
    };
    assert!(why.contains("more than 16384 bytes"), "{why}");
}

#[tokio::test]
async fn reading_a_result_costs_the_run_nothing() {
    for bytes in [10, 10_000] {
        let effort = Effort::of(1 << 30);
        let result = structured(json!({ "id": 7, "text": "x".repeat(bytes) }));
        let rule: UndoRule = "delete({ id: result.id })".parse().unwrap();
        let undoable = Undoable::new(Arc::new(rule), &Map::new());
        let context = context();
        let answered = undoable.answered(&result, true, &context, &effort);
        answered.await.unwrap();
        assert!(context.undo().is_some());
        assert_eq!(effort.take_spent(), 0);
    }
}

#[test]
fn misspelt_tools_are_told() {
    let tool = |name: &str| -> Tool {
        let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
        serde_json::from_value(tool).unwrap()
    };
    let written = [
        ("create_isue", "deleteIssue({ id: result.id })"),
        ("create_issue", "delete_isue({ id: result.id })"),
        ("delete_issue", "mail.send()"),
    ];
    let written = written.map(|(tool, rule)| (tool, rule.parse::<UndoRule>().unwrap()));
    let rules = || written.iter().map(|(tool, rule)| (*tool, rule));
    let all = |server: &str| -> Option<Arc<[Tool]>> {
        Some(match server {
            "mail" => [tool("sent")].into(),
            _ => [tool("create_issue"), tool("delete_issue")].into(),
        })
    };
    let own = |server: &str| (server == "jira").then(|| all(server))?;
    let expected = [
        "`tools.undo` has `create_isue`, which is not a tool of this server; did you mean `create_issue`?",
        "`tools.undo.create_issue` calls `delete_isue`, which is not a tool of this server; did you mean `delete_issue`?",
    ];
    assert_eq!(undo_problems("jira", rules(), own), expected);
    let problems = undo_problems("jira", rules(), all);
    assert!(
        problems[2].contains("`send`, which is not a tool of the server `mail`"),
        "{}",
        problems[2]
    );
    assert!(undo_problems("jira", rules(), |_| None).is_empty());
}
