//! A workspace's files, for MCP clients.

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

fn ask(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn execute(id: u32, code: &str) -> Value {
    let arguments = json!({ "code": code, "language": "typescript" });
    ask(
        id,
        "tools/call",
        json!({ "name": "execute_code", "arguments": arguments }),
    )
}

#[tokio::test]
async fn clients_list_and_read_what_runs_wrote() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[workspace]\nfolder = 'files'\n");
    let mut served = Served::greeted(&workplace, &[]).await;
    let code = r#"import fs from "node:fs"; fs.mkdirSync("a b"); fs.writeFileSync("a b/ü.csv", "x\n"); fs.writeFileSync("raw", new Uint8Array([255, 0]));
        fs.writeFileSync("large", "x".repeat(5_000_000));
        return { type: "resource_link", uri: "ampoule://workspace/a%20b/%C3%BC.csv", name: "ü.csv" }"#;
    let answer = served.ask(execute(2, code)).await;
    assert_eq!(
        answer["result"]["content"][0]["type"], "resource_link",
        "{answer}"
    );
    let listed = served.ask(ask(3, "resources/list", json!({}))).await;
    let listed: Vec<_> = listed["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["uri"].as_str().unwrap().to_owned(), it["size"].clone()))
        .collect();
    assert_eq!(
        listed,
        [
            ("ampoule://workspace/a%20b/%C3%BC.csv".to_owned(), json!(2)),
            ("ampoule://workspace/large".to_owned(), json!(5_000_000)),
            ("ampoule://workspace/raw".to_owned(), json!(2)),
        ]
    );
    let read = async |served: &mut Served, uri: &str| {
        served
            .ask(ask(4, "resources/read", json!({ "uri": uri })))
            .await
    };
    let csv = read(&mut served, "ampoule://workspace/a%20b/%C3%BC.csv").await;
    assert_eq!(csv["result"]["contents"][0]["text"], "x\n", "{csv}");
    assert_eq!(csv["result"]["contents"][0]["mimeType"], "text/csv");
    let raw = read(&mut served, "ampoule://workspace/raw").await;
    assert_eq!(raw["result"]["contents"][0]["blob"], "/wA=", "{raw}");
    for (uri, told) in [
        ("ampoule://workspace/large", "at most 4194304"),
        ("ampoule://workspace/nope", "no such file"),
        ("ampoule://workspace/../../ampoule.toml", "leads out"),
        ("ampoule://workspace/../tmp/x", "no such file"),
        ("ampoule://workspace/.ampoule/lock", "not permitted"),
        ("ampoule://workspace/%2e%2e/%2e%2e/x", "leads out"),
        (
            "file:///etc/passwd",
            "unknown resource `file:///etc/passwd`",
        ),
    ] {
        let refused = read(&mut served, uri).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(told), "{uri}: {refused}");
    }
    served.close().await;
}

#[tokio::test]
async fn many_files_are_listed_page_by_page() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[workspace]\nfolder = 'files'\n");
    let mut served = Served::greeted(&workplace, &[]).await;
    let code = "import fs from 'node:fs'; for (let i = 0; i < 1200; i++) fs.writeFileSync(`f${String(i).padStart(4, '0')}`, '')";
    let answer = served.ask(execute(2, code)).await;
    assert_eq!(answer["result"]["isError"], json!(false), "{answer}");
    let (mut cursor, mut pages) = (Value::Null, Vec::new());
    loop {
        let params = if cursor.is_null() {
            json!({})
        } else {
            json!({ "cursor": cursor })
        };
        let list = served.ask(ask(3, "resources/list", params)).await["result"].clone();
        pages.push(list["resources"].as_array().unwrap().len());
        cursor = list["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!(pages, [500, 500, 200]);
    served.close().await;
}

#[tokio::test]
async fn without_a_workspace_there_are_no_resources() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &[]).await;
    let listed = served.ask(ask(2, "resources/list", json!({}))).await;
    assert_eq!(listed["error"]["code"], -32601, "{listed}");
    served.close().await;
}
