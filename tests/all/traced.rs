//! A client's trace goes through a script's calls to the servers behind it.

use std::path::Path;
use std::process::Stdio;

use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::{prepared, repository};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const STATE: &str = "rojo=1";

/// The server behind an address, and that.
async fn behind_http(python: &Path, server: &Path) -> (Child, String) {
    let mut command = Command::new(python);
    command.arg(server).arg("http").stdout(Stdio::piped());
    let mut child = command.kill_on_drop(true).spawn().expect("a process");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let address = lines.next_line().await.expect("text").expect("an address");
    (child, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clients_trace_reaches_the_servers_that_a_script_calls() {
    let Some(python) = prepared("traced", "AMPOULE_TEST_PYTHON") else {
        return;
    };
    let python = python.join("venv/bin/python");
    let server = repository().join("tests/servers/traced.py");
    let (_server, address) = behind_http(&python, &server).await;
    let workplace = Workplace::default();
    let servers =
        json!({ "pipes": { "command": python, "args": [server] }, "far": { "url": address } });
    let table = |name: &str| {
        let entry = servers[name].as_object().expect("a table").iter();
        let lines = entry.map(|(key, value)| format!("{key} = {value}\n"));
        format!("[servers.{name}]\n{}", lines.collect::<String>())
    };
    let config = workplace.file("ampoule.toml", table("pipes") + &table("far"));
    let config = config.to_str().expect("text");
    let mut served = Served::greeted(&workplace, &["--config", config]).await;
    let code = "return [await tools.pipes.where({}), await tools.far.where({})]";
    let mut call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "execute_code",
            "arguments": { "code": code, "language": "javascript" },
            "_meta": { "traceparent": PARENT, "tracestate": STATE },
        },
    });
    let told = json!([
        { "meta": PARENT, "state": STATE, "header": null },
        { "meta": PARENT, "state": STATE, "header": PARENT },
    ]);
    assert_eq!(returned(&served.ask(call.clone()).await), told);
    // An invalid trace goes nowhere.
    call["id"] = json!(2);
    call["params"]["_meta"]["traceparent"] = json!(format!("{PARENT}\r\nx: y"));
    let nothing = json!({ "meta": null, "state": null, "header": null });
    let answer = served.ask(call).await;
    assert_eq!(returned(&answer), json!([nothing, nothing]));
    assert_eq!(served.close().await, Some(0));
}

/// What a run returned.
fn returned(answer: &Value) -> Value {
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap_or_else(|_| panic!("{answer}"))
}
