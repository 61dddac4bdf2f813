//! Operations in records and in components: a run is repeated without the API, and a component calls
//! an operation by its type.

use std::path::{Path, PathBuf};

use ampoule_tests::command::Workplace;
use ampoule_tests::components::built_for_folder;
use serde_json::{Value, json};

use crate::outbound::Server;

const STOCK: &str = r#"openapi: 3.1.0
info: { title: Stock of a shop, version: "1" }
security: [{ key: [] }]
paths:
  /stock/{item}:
    get:
      operationId: countItem
      summary: Counts what is there of an item
      parameters: [{ name: item, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { description: How many, content: { application/json: { schema: { type: integer } } } } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
"#;

/// An API that has 42 of item 7, and knows no other.
async fn stock() -> (Server, Workplace) {
    let server = Server::answering(|request| match request.starts_with("GET /stock/7 ") {
        true => super::json("200 OK", &json!(42)),
        false => super::json("404 Not Found", &json!({ "message": "no such item" })),
    })
    .await;
    let workplace = Workplace::default();
    workplace.file("stock.yaml", STOCK);
    let origin = &server.origin;
    let config = format!(
        "[servers.stock]\nopenapi = \"stock.yaml\"\nbase-url = \"{origin}\"\ncredentials = {{ key = \"hunter2-key\" }}\n"
    );
    workplace.file("ampoule.toml", config);
    (server, workplace)
}

/// The files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

#[tokio::test]
async fn a_run_with_operations_is_replayed_without_the_api() {
    let typescript = "const of = (item) => tools.stock.countItem({ item }).catch((error) => error.data.status)\n\
        return [await of(7), await of(8)]";
    let python = "async def of(item):\n    try:\n        return await tools.stock.count_item(item=item)\n\
        \x20   except ToolError as error:\n        return error.data['status']\n[await of(7), await of(8)]";
    for (name, script) in [("count.ts", typescript), ("count.py", python)] {
        let (server, workplace) = stock().await;
        workplace.file(name, script);
        let ran = workplace.run(&["run", "--record", "--json", name]).await;
        let outcome = ran.json();
        assert_eq!(outcome["value"], json!([42, 404]), "{ran:?}");
        let id = outcome["record"].as_str().expect("a record").to_owned();
        assert_eq!(server.got.lock().unwrap().len(), 2);
        // The address is nobody's now, and the document is gone, too.
        drop(server);
        std::fs::remove_file(workplace.path().join("stock.yaml")).expect("a file");
        let again = workplace.run(&["runs", "replay", &id, "--json"]).await;
        assert_eq!(again.code, Some(0), "{again:?}");
        assert_eq!(
            again.json()["outcome"]["value"],
            json!([42, 404]),
            "{again:?}"
        );
        let said = workplace.run(&["runs", "replay", &id]).await;
        assert!(
            said.stdout.contains("replayed to the same bytes: 2 calls"),
            "{said:?}"
        );
        // The record has what the script got, and no credential.
        let mut all = Vec::new();
        files(workplace.path(), &mut all);
        let with_key = all.iter().filter(|path| !path.ends_with("ampoule.toml"));
        let with_key = with_key.filter(|path| {
            let bytes = std::fs::read(path).unwrap_or_default();
            bytes.windows(11).any(|part| part == b"hunter2-key")
        });
        assert_eq!(with_key.collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    }
}

/// Calls the operation with the argument of its own, and gives the two digits that come back.
const PROGRAM: &str = r#"(module
    (import "mcp:stock/stock" "count-item" (func $count (param i64 i32)))
    (memory (export "memory") 2)
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
    (func (export "run") (param i32 i32) (result i32)
        (local $count i32)
        (call $count (i64.const 7) (i32.const 128))
        ;; A failure is not expected.
        (if (i32.load8_u (i32.const 128)) (then unreachable))
        (local.set $count (i32.wrap_i64 (i64.load (i32.const 136))))
        (i32.store8 (i32.const 64) (i32.add (i32.const 48) (i32.div_u (local.get $count) (i32.const 10))))
        (i32.store8 (i32.const 65) (i32.add (i32.const 48) (i32.rem_u (local.get $count) (i32.const 10))))
        (i32.store (i32.const 16) (i32.const 0))
        (i32.store (i32.const 20) (i32.const 64))
        (i32.store (i32.const 24) (i32.const 2))
        (i32.const 16)))"#;

#[tokio::test]
async fn a_component_calls_an_operation_by_its_type() {
    let (server, workplace) = stock().await;
    let generate = [
        "tools", "generate", "--lang", "wit", "--sync", "--out", "guest",
    ];
    let ran = workplace.run(&generate).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut written = Vec::new();
    files(&workplace.path().join("guest"), &mut written);
    let texts = written
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("text"));
    let text = texts.collect::<String>();
    for part in [
        "package mcp:stock;",
        "record count-item-args {\n        item: s64,\n    }",
        "count-item: func(args: count-item-args) -> result<s64, tool-error>;",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let program = built_for_folder(&workplace.path().join("guest/wit"), PROGRAM);
    workplace.file("program.wasm", program);
    let ran = workplace.run(&["run", "-q", "program.wasm"]).await;
    assert_eq!((ran.code, ran.json()), (Some(0), json!(42)), "{ran:?}");
    let got = server.got.lock().unwrap().clone();
    assert!(
        got.len() == 1 && got[0].contains("x-key: hunter2-key\r\n"),
        "{got:?}"
    );
    // A component that was built for another type is refused before anything is sent.
    let other: String = STOCK.replace("schema: { type: integer }", "schema: { type: string }");
    workplace.file("stock.yaml", other);
    let ran = workplace.run(&["run", "-q", "program.wasm"]).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("count-item"), "{ran:?}");
    let sent: Vec<Value> = server
        .got
        .lock()
        .unwrap()
        .iter()
        .map(|it| json!(it))
        .collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
}
