//! Calls of listed tools at the top, and arguments that the two tools do not have.

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

async fn served(workplace: &Workplace) -> Served {
    let config = format!(
        "[servers.demo]\ncommand = '{}'\nargs = ['demo-server']\n",
        binary().display()
    );
    workplace.file("ampoule.toml", config);
    Served::greeted(workplace, &[]).await
}

fn call(name: &str, arguments: Value) -> Value {
    json!({
        "jsonrpc": "2.0", "id": name, "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    })
}

fn texts(answer: &Value) -> String {
    let blocks = answer["result"]["content"].as_array();
    let blocks = blocks.unwrap_or_else(|| panic!("{answer}"));
    let texts: Vec<&str> = blocks.iter().filter_map(|it| it["text"].as_str()).collect();
    texts.join("\n")
}

#[tokio::test]
async fn a_listed_tool_is_answered_with_the_script_to_send() {
    let workplace = Workplace::default();
    let mut served = served(&workplace).await;
    let script = r#"return await tools.demo.listOrders({"limit":1})"#;
    for (name, arguments, said) in [
        ("demo.list_orders", json!({"limit": 1}), script),
        ("demo.listOrders", json!({"limit": 1}), script),
        ("demo__list_orders", json!({"limit": 1}), script),
        ("mcp__demo__list_orders", json!({"limit": 1}), script),
        ("list_orders", json!({"limit": 1}), script),
        (
            "mcp__ampoule__demo__list_orders",
            json!({"limit": 1}),
            script,
        ),
        (
            "tools.demo.listOrders",
            json!({}),
            "return await tools.demo.listOrders({})",
        ),
        (
            "demo.lst_orders",
            json!({}),
            "did you mean `demo.list_orders`?",
        ),
        (
            "mcp__ampoule__execute_code",
            json!({"code": "return 1"}),
            r#"Call execute_code with {"code":"return 1"}"#,
        ),
        (
            "execute",
            json!({"code": "return 1"}),
            r#"Call execute_code with {"code":"return 1"}"#,
        ),
        (
            "run_code",
            json!({"code": "return 1"}),
            r#"Call execute_code with {"code":"return 1"}"#,
        ),
        (
            "python",
            json!({"code": "1"}),
            r#"Call execute_code with {"code":"1","language":"python"}"#,
        ),
        (
            "search",
            json!({"query": "orders"}),
            r#"Call search_tools with {"query":"orders"}"#,
        ),
        (
            "tools.$search",
            json!({"query": "orders"}),
            r#"Call search_tools with {"query":"orders"}"#,
        ),
        (
            "nothing_like_it",
            json!({}),
            "the tools are execute_code and search_tools",
        ),
    ] {
        let answer = served.ask(call(name, arguments)).await;
        assert_eq!(answer["error"]["code"], -32602, "{name}: {answer}");
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(said), "{name}: {message}");
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn arguments_that_say_nothing_to_a_tool_are_passed_over_with_a_note() {
    let workplace = Workplace::default();
    let mut served = served(&workplace).await;
    let arguments = json!({"code": "return 40 + 2", "reasoning": "to know", "thought": {"a": 1}});
    let answer = served.ask(call("execute_code", arguments)).await;
    let told = texts(&answer);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(told.starts_with("42\n"), "{told}");
    assert!(
        told.contains("execute_code has no arguments `reasoning`, `thought`"),
        "{told}"
    );
    let arguments = json!({"query": "orders", "explanation": "to know", "max_results": 1});
    let told = texts(&served.ask(call("search_tools", arguments)).await);
    assert!(
        told.contains("search_tools has no argument `explanation`"),
        "{told}"
    );
    assert!(told.starts_with("1 of "), "{told}");
    for (arguments, value) in [
        (json!({"script": "return 1", "lang": "ts"}), "1"),
        (json!({"source": "return 1", "language": "TypeScript"}), "1"),
        (json!({"code": "len('ab')", "language": "py"}), "2"),
    ] {
        let told = texts(&served.ask(call("execute_code", arguments)).await);
        assert_eq!(told, value);
    }
    for (arguments, said) in [
        (json!({"cod": "return 1"}), "did you mean `code`?"),
        (
            json!({"code": "return 1", "dry_run": true}),
            "unknown argument `dry_run`",
        ),
        (
            json!({"code": "return 1", "answer": "allow-once"}),
            "answered by people",
        ),
    ] {
        let answer = served.ask(call("execute_code", arguments)).await;
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let told = texts(&answer);
        assert!(told.contains(said), "{told}");
    }
    assert_eq!(served.close().await, Some(0));
}
