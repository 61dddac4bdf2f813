//! Guests of WASI 0.2 and 0.3: files, streams, clocks and HTTP requests.

use ampoule::{Component, Ending, Grant, Outcome, Runtime};
use ampoule_tests::command::{Ran, Workplace};
use ampoule_tests::{binary, example, runtime};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::outbound::Server;

fn component(wasm: &std::path::Path, arguments: &Value) -> Component {
    let arguments = RawValue::from_string(arguments.to_string()).expect("JSON");
    Component::from_bytes(std::fs::read(wasm).expect("the guest"))
        .expect("a component")
        .arguments(arguments)
}

async fn ran(runtime: &Runtime, component: Component) -> Outcome {
    let isolate = runtime.isolate(component).grant(Grant::all());
    isolate.run().await.expect("no host fault")
}

/// The guest that reads files, in a workplace with a folder of three.
async fn reads(config: &str, more: &[&str]) -> Option<Ran> {
    let guest = example("streams_files_clocks_and_tools_at_once", "rust-wasi")?;
    let workplace = Workplace::default();
    for (name, text) in [
        ("a.txt", "one\ntwo\n"),
        ("b.txt", "one\n"),
        ("c.csv", "1,2\n"),
    ] {
        workplace.file(&format!("data/{name}"), text);
    }
    if !config.is_empty() {
        workplace.file("ampoule.toml", config);
    }
    let guest = guest.to_str().expect("a path in UTF-8");
    let arguments = ["--arguments", r#"{"suffix": ".txt"}"#];
    let command = ["run", guest, "--json", "--quiet"];
    Some(
        workplace
            .run(&[&command[..], &arguments[..], more].concat())
            .await,
    )
}

#[tokio::test]
async fn streams_files_clocks_and_tools_at_once() {
    let Some(ran) = reads("", &["--folder", "data:/data"]).await else {
        return;
    };
    let outcome = ran.json();
    let found = json!({
        "business": "Birch & Bolt",
        "folder": "/data",
        "lines": { "a.txt": 2, "b.txt": 1 },
        "waited": true,
    });
    assert_eq!(outcome["value"], found, "{outcome}");
    let mut lines: Vec<&str> = outcome["output"].as_array().map_or_else(Vec::new, |lines| {
        lines
            .iter()
            .filter_map(|line| line["text"].as_str())
            .collect()
    });
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["a.txt has 2 lines", "b.txt has 1 lines"],
        "{outcome}"
    );
}

#[tokio::test]
async fn what_was_not_granted_is_not_there() {
    let Some(ran) = reads("", &[]).await else {
        return;
    };
    let outcome = ran.json();
    let said = outcome["error"]["message"].as_str();
    assert!(
        said.is_some_and(|it| it.contains("no folder is granted")),
        "{outcome}"
    );
}

#[tokio::test]
async fn the_limit_of_output_ends_a_stream() {
    let demo = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n",
        binary()
    );
    let config = format!("{demo}[limits]\noutput-bytes = '20B'\n");
    let Some(ran) = reads(&config, &["--folder", "data:/data"]).await else {
        return;
    };
    let outcome = ran.json();
    assert_eq!(outcome["ending"], "limit", "{outcome}");
    assert_eq!(outcome["limit"], "output-bytes", "{outcome}");
}

#[tokio::test]
async fn requests_of_wasi_0_3_obey_the_rules() {
    let Some(guest) = example("requests_of_wasi_0_3_obey_the_rules", "rust-http") else {
        return;
    };
    let server = Server::new().await;
    let authority = server.origin.strip_prefix("http://").expect("HTTP");
    let request = |path: &str, body: Option<&str>| json!({ "scheme": "http", "authority": authority, "path": path, "body": body });
    let requests = json!({ "requests": [
        request("/v1/items?of=0.3", None),
        request("/v1/items", Some("sent")),
        request("/admin", None),
    ] });
    let outcome = ran(&server.runtime(), component(&guest, &requests)).await;
    let got: Value = outcome
        .value()
        .unwrap_or_else(|error| panic!("{error}: {}", outcome.output));
    assert_eq!(got[0]["response"]["status"], 200, "{got}");
    assert_eq!(got[1]["response"]["status"], 200, "{got}");
    assert_eq!(got[2]["error"], "ErrorCode::HttpRequestDenied", "{got}");
    let output = outcome.output.to_string();
    assert!(
        output.contains("a request of `wasi:http` failed: "),
        "{output}"
    );
    let requests = server.got.lock().unwrap().join("\n");
    // The host adds the credential, and the guest's own header is there.
    assert!(
        requests.contains("authorization: Bearer hunter2-token"),
        "{requests}"
    );
    assert!(
        requests.contains("accept: application/json, text/plain"),
        "{requests}"
    );
    assert!(requests.contains("GET /v1/items?of=0.3"), "{requests}");
    assert!(
        requests.contains("POST /v1/items") && requests.contains("\r\n\r\nsent"),
        "{requests}"
    );
    assert!(!requests.contains("/admin"), "{requests}");
    // Each is a call of the run, as a script's is.
    let calls: Vec<_> = outcome.usage.calls.iter().map(|call| &*call.tool).collect();
    assert_eq!(calls, ["$fetch"; 3]);
}

#[tokio::test]
async fn requests_of_wasi_0_2_obey_the_rules() {
    let Some(guest) = example("requests_of_wasi_0_2_obey_the_rules", "rust-http-0-2") else {
        return;
    };
    let server = Server::new().await;
    let authority = server.origin.strip_prefix("http://").expect("HTTP");
    let outcome = ran(&server.runtime(), component(&guest, &json!(authority))).await;
    assert!(
        matches!(outcome.ending, Ending::Returned(None)),
        "{}",
        outcome.ending
    );
    let output = outcome.output.to_string();
    assert!(output.starts_with("200 "), "{output}");
    let requests = server.got.lock().unwrap().join("\n");
    assert!(requests.contains("POST /v1/posted?by=0.2"), "{requests}");
    assert!(requests.ends_with("sent by 0.2"), "{requests}");
}

#[tokio::test]
async fn without_a_grant_no_request_is_sent() {
    let test = "without_a_grant_no_request_is_sent";
    let (Some(new), Some(old)) = (example(test, "rust-http"), example(test, "rust-http-0-2"))
    else {
        return;
    };
    let server = Server::new().await;
    let authority = server.origin.strip_prefix("http://").expect("HTTP");
    let requests = json!({ "requests": [
        { "scheme": "http", "authority": authority, "path": "/v1/items", "body": null },
    ] });
    let outcome = ran(runtime(), component(&new, &requests)).await;
    let got: Value = outcome.value().expect("it returns");
    assert_eq!(got[0]["error"], "ErrorCode::HttpRequestDenied", "{got}");
    let said = "this run may make no HTTP requests";
    assert!(
        outcome.output.to_string().contains(said),
        "{}",
        outcome.output
    );
    let outcome = ran(runtime(), component(&old, &json!(authority))).await;
    let output = outcome.output.to_string();
    assert!(
        output.contains("no response: ") && output.contains(said),
        "{output}"
    );
    assert!(server.got.lock().unwrap().is_empty());
}
