//! Clients that send `ampoule serve` what can't be read, or too much of it.

use std::collections::HashMap;
use std::path::Path;

use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::components::component;
use base64::Engine as _;
use serde_json::{Value, json};

pub(super) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
}

fn call(id: u32, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

pub(super) fn execute(id: u32, code: &str) -> Value {
    call(id, "execute_code", json!({"code": code}))
}

pub(super) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text: {answer}"))
}

pub(super) async fn served(workplace: &Workplace) -> Served {
    let mut served = Served::start(workplace, &[]);
    let info = served.ask(initialize()).await;
    assert_eq!(info["result"]["serverInfo"]["name"], "ampoule", "{info}");
    served
}

/// Sends a line, and gives the next message.
async fn answered(served: &mut Served, line: &[u8]) -> Value {
    served.send_line(line).await;
    served.next().await.expect("an answer")
}

#[tokio::test]
async fn code_with_half_characters_runs() {
    let workplace = Workplace::default();
    let mut served = served(&workplace).await;
    for (id, broken) in [&br"\ud83d"[..], b"\xff\xfe", b"\xed\xa0\x80"]
        .into_iter()
        .enumerate()
    {
        let head = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"execute_code","arguments":{{"code":"return 'cut "#
        );
        let line = [head.as_bytes(), broken, br#"'.codePointAt(4)"}}}"#].concat();
        let answer = answered(&mut served, &line).await;
        assert_eq!((&answer["id"], text(&answer)), (&json!(id), "65533"));
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn what_can_not_be_read_is_answered_under_its_id() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[limits]\nhost-bytes = '1 MiB'");
    let mut served = served(&workplace).await;
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"execute_code","arguments":{{"code":{}{}}}}}}}"#,
        "[".repeat(200),
        "]".repeat(200)
    );
    let long = |rest: &str| {
        format!(
            r#"{{"method":"tools/call","params":{{"name":"{}"}}{rest}"#,
            "x".repeat(17 << 20)
        )
    };
    let cases = [
        (deep, json!(1), -32602, "nested more than 127 deep"),
        (
            long(r#","jsonrpc":"2.0","id":"last"}"#),
            json!("last"),
            -32600,
            "the message has 18 MiB; the limit is 16 MiB",
        ),
        (long("}"), Value::Null, -32600, "the limit is 16 MiB"),
        (
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"exec"#.into(),
            json!(3),
            -32700,
            "not JSON",
        ),
        ("GET / HTTP/1.1".into(), Value::Null, -32700, "not JSON"),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.into(),
            json!(1.5),
            -32600,
            "an id is a string",
        ),
        ("[]".into(), Value::Null, -32600, "a batch has 1 to 1000"),
    ];
    for (line, id, code, said) in cases {
        let answer = answered(&mut served, line.as_bytes()).await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(code)),
            "{answer}"
        );
        assert!(
            answer
                .as_object()
                .is_some_and(|answer| answer.contains_key("id")),
            "{answer}"
        );
        assert!(
            answer["error"]["message"]
                .as_str()
                .is_some_and(|message| message.contains(said)),
            "{answer}"
        );
    }
    assert_eq!(text(&served.ask(execute(9, "return 42")).await), "42");
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn each_message_of_a_batch_is_answered() {
    let workplace = Workplace::default();
    let mut served = served(&workplace).await;
    let batch = json!([execute(1, "return 20"), {"jsonrpc": "2.0", "method": "notifications/initialized"}, 7, execute(2, "return 22")]);
    served.send(batch).await;
    let mut answers = HashMap::new();
    for _ in 0..3 {
        let answer = served.next().await.expect("an answer");
        answers.insert(answer["id"].to_string(), answer);
    }
    assert_eq!((text(&answers["1"]), text(&answers["2"])), ("20", "22"));
    assert_eq!(answers["null"]["error"]["code"], -32600);
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn what_is_not_declared_is_not_there_and_bad_parameters_are_told() {
    let modern = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    for meta in [None, Some(modern)] {
        let workplace = Workplace::default();
        let mut served = Served::start(&workplace, &[]);
        let with_meta = |mut request: Value| {
            if let (Some(meta), Some(params)) = (&meta, request["params"].as_object_mut()) {
                params.insert("_meta".to_owned(), meta.clone());
            }
            request
        };
        let first = match &meta {
            None => initialize(),
            Some(_) => {
                json!({"jsonrpc": "2.0", "id": "first", "method": "server/discover", "params": {}})
            }
        };
        // A notification before the first request ends nothing.
        served.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})).await;
        served
            .send(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
            .await;
        let first = served.ask(with_meta(first)).await;
        assert!(first["result"].is_object(), "{first}");
        for method in [
            "prompts/list",
            "prompts/get",
            "resources/list",
            "resources/templates/list",
            "resources/read",
            "resources/subscribe",
            "completion/complete",
            "resources/unsubscribe",
            "tasks/list",
            "no/such",
            "\u{202e}",
        ] {
            let answer = served
                .ask(with_meta(
                    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}),
                ))
                .await;
            assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
            assert!(!answer.to_string().contains('\u{202e}'), "{answer}");
        }
        let listen =
            json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {}});
        let answer = served.ask(with_meta(listen)).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        for (params, said) in [
            (json!({}), "missing field `name`"),
            (
                json!({"name": "execute_code", "arguments": [1]}),
                "`arguments`, an object",
            ),
            (json!({"name": 5}), "`name`, the name of a tool"),
            (
                json!({"name": "nothing\u{202e}"}),
                r"unknown tool `nothing\u{202e}`; the tools are execute_code and search_tools",
            ),
        ] {
            let answer = served
                .ask(with_meta(
                    json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}),
                ))
                .await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
            assert!(
                answer["error"]["message"]
                    .as_str()
                    .is_some_and(|message| message.contains(said)),
                "{answer}"
            );
        }
        for (tool, arguments, said) in [
            (
                "execute_code",
                json!({"cod": "1"}),
                "unknown argument `cod`: did you mean `code`?",
            ),
            ("execute_code", json!({}), "execute_code needs `code`"),
            (
                "search_tools",
                json!({"limit": "\u{202e}"}),
                "`limit` must be an integer that is not negative, not a string",
            ),
        ] {
            let answer = served.ask(with_meta(call(3, tool, arguments))).await;
            assert_eq!(answer["result"]["isError"], true, "{answer}");
            assert!(text(&answer).contains(said), "{answer}");
        }
        assert_eq!(served.close().await, Some(0));
    }
}

#[tokio::test]
async fn a_second_request_with_an_id_under_way_is_refused_and_the_first_goes_on() {
    let workplace = Workplace::default();
    let mut served = served(&workplace).await;
    served
        .send(execute(
            1,
            "await new Promise((done) => setTimeout(done, 1500)); return 'first'",
        ))
        .await;
    let refused = answered(
        &mut served,
        execute(1, "return 'second'").to_string().as_bytes(),
    )
    .await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(1), &json!(-32600)),
        "{refused}"
    );
    assert_eq!(
        text(&served.next().await.expect("the first one's answer")),
        "first"
    );
    // Cancelled, it gets no answer, and its id is not another's.
    served
        .send(execute(2, "for (;;) await tools.demo.getBusiness({})"))
        .await;
    served.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})).await;
    let refused = answered(&mut served, execute(2, "return 1").to_string().as_bytes()).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(
        text(&served.ask(execute(1, "return 'again'")).await),
        "again"
    );
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn a_burst_before_the_guest_is_ready_makes_few_threads() {
    let workplace = Workplace::without_compiled_code();
    let mut served = served(&workplace).await;
    for id in 0..400 {
        served.send(execute(id, "return 1")).await;
    }
    let threads = served.most_threads_until_it_writes().await;
    assert!(threads < 40, "{threads} threads");
    for _ in 0..400 {
        assert_eq!(text(&served.next().await.expect("an answer")), "1");
    }
    assert_eq!(served.close().await, Some(0));
}

/// A component that answers its arguments, with `bytes` bytes of nothing.
fn padded(bytes: u32) -> Vec<u8> {
    let mut component =
        component("(call $return (i32.const 0) (local.get $at) (local.get $length))");
    // A custom section: its id, its length and its name's as LEB128, of five bytes and one.
    let length = bytes + 2;
    component.push(0);
    component.extend(
        (0..5).map(|at| ((length >> (7 * at)) & 0x7f) as u8 | if at < 4 { 0x80 } else { 0 }),
    );
    component.extend([1, b'x']);
    component.extend(std::iter::repeat_n(0, bytes as usize));
    component
}

#[tokio::test]
async fn a_component_as_large_as_host_bytes_fits_into_a_message() {
    let workplace = Workplace::default();
    workplace.file(
        "ampoule.toml",
        "[components]\nsent = true\n[limits]\nhost-bytes = '20 MiB'",
    );
    let mut served = served(&workplace).await;
    for (id, bytes, said) in [
        (1, 14 << 20, "{}"),
        (2, 20 << 20, "the limit `host-bytes` allows 20971520"),
    ] {
        let code = base64::engine::general_purpose::STANDARD.encode(padded(bytes));
        let answer = served
            .ask(call(
                id,
                "execute_code",
                json!({"language": "wasm", "code": code}),
            ))
            .await;
        assert!(text(&answer).contains(said), "{:.300}", answer.to_string());
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn a_pipe_in_the_folder_of_components_keeps_nobody_waiting() {
    let workplace = Workplace::default();
    workplace.file("components/echo.wasm", padded(0));
    let pipe = workplace.path().join("components/pipe.wasm");
    make_pipe(&pipe);
    workplace.file("ampoule.toml", "[components]\nfolder = 'components'");
    let mut served = served(&workplace).await;
    for (id, path, said) in [
        (1, "pipe.wasm", "`pipe.wasm` is not a file"),
        (2, "echo.wasm", "{}"),
        (3, "\u{202e}", r"\u{202e}"),
    ] {
        let answer = served
            .ask(call(
                id,
                "execute_code",
                json!({"language": "wasm", "code": path}),
            ))
            .await;
        assert!(text(&answer).contains(said), "{answer}");
    }
    assert_eq!(served.close().await, Some(0));
}

pub(super) fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}
