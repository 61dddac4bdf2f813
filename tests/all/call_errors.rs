//! Calls that fail, as scripts see them.

use std::future::ready;
use std::sync::Arc;

use ampoule::{
    Binding, BindingError, CallContext, CallError, FailureKind, Grant, Language, Runtime, Script,
    Tool, ToolResult,
};
use ampoule_tests::{thrown, value};
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

#[tokio::test]
async fn a_failed_call_throws_a_tool_error() {
    let source = "try { await tools.testTools.fail({}) } catch (e) { return [e instanceof ToolError, e instanceof Error, e.name, e.kind, e.server, e.tool, e.message, e.content] }";
    assert_eq!(
        value(source).await,
        json!([true, true, "ToolError", "failed", "test-tools", "fail", "it always fails", [{"type": "text", "text": "it always fails"}]])
    );
    let error = thrown("const before = 1;\n  await tools.testTools.fail({})").await;
    assert_eq!(
        (error.name.as_str(), error.message.as_str()),
        ("ToolError", "test-tools.fail: it always fails")
    );
    let location = error.location.expect("a location");
    assert_eq!(
        (location.line, location.text.as_str()),
        (2, "  await tools.testTools.fail({})")
    );
}

/// A server whose tool fails in each way that there is, as its argument says.
struct Fails;

impl Binding for Fails {
    fn name(&self) -> &'static str {
        "fails"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let tool = json!({ "name": "so", "inputSchema": { "type": "object", "properties": { "how": { "type": "string" } } } });
        let tool: Tool = serde_json::from_value(tool).expect("a tool");
        Box::pin(ready(Ok(Arc::from([tool]))))
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let how = arguments["how"].as_str().expect("how").to_owned();
        let message = format!("it was {how}");
        Box::pin(ready(match &*how {
            "failed" => Ok(ToolResult::failed(&message)),
            "denied" => Err(CallError::Denied(message)),
            "needs-sign-in" => Err(CallError::NeedsSignIn(message)),
            "not-reached" => Err(CallError::NotReached(message)),
            "refused" => Err(CallError::Refused(message)),
            "protocol" => Err(CallError::Protocol(message)),
            "timed-out" => Err(CallError::TimedOut(message)),
            "cancelled" => Err(CallError::Cancelled(message)),
            "lost" => Err(CallError::Lost(message)),
            other => panic!("{other}"),
        }))
    }
}

#[tokio::test]
async fn an_error_says_of_which_kind_it_is() {
    let runtime = Runtime::builder()
        .binding(Fails)
        .build()
        .expect("a runtime");
    let javascript = "const seen = [];
        for (const how of env.kinds) {
            try { await tools.fails.so({ how }) } catch (error) { seen.push([error.kind, error.message]) }
        }
        try { await tools.fails.so({ how: 1 }) } catch (error) { seen.push(error.kind) }
        seen.push(new ToolError('mine').kind);
        return seen";
    let python = "seen = []
for how in env.kinds:
    try:
        await tools.fails.so(how=how)
    except ToolError as error:
        seen.append([error.kind, str(error)])
try:
    await tools.fails.so(how=1)
except ToolError as error:
    seen.append(error.kind)
seen.append(ToolError('mine').kind)
return seen";
    let kinds = [
        FailureKind::Failed,
        FailureKind::Denied,
        FailureKind::NeedsSignIn,
        FailureKind::NotReached,
        FailureKind::Refused,
        FailureKind::Protocol,
        FailureKind::TimedOut,
        FailureKind::Cancelled,
        FailureKind::Lost,
    ];
    // They are called what they serialise as.
    let names: Vec<_> = kinds.iter().map(|kind| json!(kind)).collect();
    for (kind, name) in kinds.iter().zip(&names) {
        assert_eq!(kind.name(), name);
    }
    let each = names.iter();
    let each = each.map(|name| json!([name, format!("it was {}", name.as_str().expect("a name"))]));
    let wanted: Vec<_> = each.chain([json!("arguments"), json!("failed")]).collect();
    for (language, source) in [
        (Language::TypeScript, javascript),
        (Language::Python, python),
    ] {
        let script = Script::new(language, source).env("kinds", names.clone());
        let isolate = runtime.isolate(script).grant(Grant::all());
        let outcome = isolate.run().await.expect("an outcome");
        assert_eq!(outcome.value::<Value>().expect("a value"), json!(wanted));
        let states = outcome.usage.calls.iter().zip(&kinds);
        assert!(
            states
                .clone()
                .all(|(call, kind)| call.state == kind.state())
        );
        assert_eq!(states.count(), kinds.len());
    }
}

#[tokio::test]
async fn arguments_are_held_against_the_schema() {
    let error = thrown("await tools.testTools.add({ a: 1, b: 'two' })").await;
    assert_eq!(error.name, "ToolError");
    assert!(
        error.message.contains('b') && error.message.contains("number"),
        "{}",
        error.message
    );
    let error = thrown("await tools.testTools.add({ a: 1 })").await;
    assert!(
        error.message.contains("`b`") || error.message.contains("\"b\""),
        "{}",
        error.message
    );
    // Values are taken in the schema's order.
    let error = thrown("await tools.testTools.add(7)").await;
    assert_eq!(error.message, "test-tools.add: `b` is missing");
    let error = thrown("await tools.testTools.add([1, 2], 'x', 3)").await;
    assert_eq!(error.name, "TypeError", "{}", error.message);
}

#[tokio::test]
async fn unknown_names_throw_at_once_with_what_is_near() {
    let error = thrown("await tools.testTools.ad({ a: 1, b: 2 })").await;
    assert!(
        error.message.contains("`test-tools`") && error.message.contains("`add`"),
        "{}",
        error.message
    );
    let error = thrown("await tools.tesTools.add({ a: 1, b: 2 })").await;
    assert!(error.message.contains("`test-tools`"), "{}", error.message);
    let error = thrown("import { ad } from './servers/test-tools'; ad()").await;
    assert!(error.message.contains("`add`"), "{}", error.message);
}
