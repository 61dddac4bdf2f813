//! `execute_code` with `session`.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

fn execute(id: u32, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}})
}

#[tokio::test]
async fn a_model_goes_on_where_it_left_off() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut id = 10;
    let mut ask = async |arguments: Value| {
        id += 1;
        let mut arguments = arguments;
        arguments["language"] = json!("typescript");
        served.ask(execute(id, arguments)).await["result"].clone()
    };
    let text = |answer: &Value, at: usize| {
        answer["content"][at]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };

    let orders = "const orders = await tools.demo.listOrders(); return orders.items.length > 0";
    let answer = ask(json!({"code": orders, "session": "orders"})).await;
    assert_eq!(text(&answer, 0), "true", "{answer}");
    // What is as one wants it is not told.
    assert_eq!(answer["content"].as_array().unwrap().len(), 1, "{answer}");
    let answer = ask(json!({"code": "return typeof orders", "session": "orders"})).await;
    assert_eq!(text(&answer, 0), "object", "{answer}");
    let answer = ask(json!({"code": "return typeof orders"})).await;
    assert_eq!(text(&answer, 0), "undefined", "{answer}");

    let throws = "orders.items.length = 0; throw new Error('no')";
    let answer = ask(json!({"code": throws, "session": "orders"})).await;
    assert_eq!(answer["isError"], true, "{answer}");
    assert_eq!(
        text(&answer, 1),
        "This run is not saved in the session `orders`: the script threw an error.",
        "{answer}"
    );
    let answer = ask(json!({"code": throws, "session": "orders", "keep": "always"})).await;
    assert_eq!(answer["content"].as_array().unwrap().len(), 1, "{answer}");
    let answer = ask(json!({"code": "return orders.items.length", "session": "orders"})).await;
    assert_eq!(text(&answer, 0), "0", "{answer}");

    let answer = ask(json!({"code": "1", "session": "../orders"})).await;
    assert_eq!(answer["isError"], true, "{answer}");
    assert!(
        text(&answer, 0).contains("the name of a session"),
        "{answer}"
    );
    served.close().await;

    // And in another process.
    let again = ["run", "--session", "orders", "-e", "return typeof orders"];
    assert_eq!(workplace.run(&again).await.stdout, "object\n");
}
