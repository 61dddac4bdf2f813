//! What is counted.

use ampoule_tools::{Principal, RunId};
use futures::FutureExt;
use http::{HeaderMap, Method, StatusCode};

use crate::calls::{SECRET, Server};
use crate::open_metrics::{Samples, read};
use ampoule_telemetry::{ProcessState, RunEnd, RunOf, Telemetry};

fn telemetry() -> Telemetry {
    Telemetry::new(["files".into(), "mail".into()], None)
}

fn metrics(telemetry: &Telemetry) -> Samples {
    let text = telemetry.metrics();
    assert!(!text.contains(SECRET), "{text}");
    read(&text)
}

fn run(telemetry: &Telemetry, principal: &str, ended: RunEnd) {
    let principal = Principal::new(principal);
    telemetry
        .run(RunOf {
            language: "python",
            principal: Some(&principal),
            client: Some("editor"),
            toolkit: Some("support"),
            ..RunOf::default()
        })
        .ended(ended);
}

#[test]
fn runs_are_counted_by_language_and_ending() {
    let telemetry = telemetry();
    let returned = RunEnd {
        ending: "returned",
        fuel: 500,
        calls: 2,
    };
    run(&telemetry, "alice", returned);
    run(&telemetry, "alice", returned);
    run(&telemetry, "bob", RunEnd::with("threw"));
    let under_way = telemetry.run(RunOf {
        language: "typescript",
        ..RunOf::default()
    });
    let read = metrics(&telemetry);
    assert_eq!(
        read.get(r#"ampoule_runs_total{language="python",ending="returned"}"#),
        2.0
    );
    assert_eq!(
        read.get(r#"ampoule_runs_total{language="python",ending="threw"}"#),
        1.0
    );
    assert_eq!(
        read.get(r#"ampoule_run_duration_seconds_count{language="python"}"#),
        3.0
    );
    assert_eq!(read.get("ampoule_fuel_total"), 1000.0);
    for (of_one, runs) in [
        (r#"ampoule_client_runs_total{client="editor"}"#, 3.0),
        (r#"ampoule_principal_runs_total{principal="alice"}"#, 2.0),
        (r#"ampoule_toolkit_runs_total{toolkit="support"}"#, 3.0),
        (r#"ampoule_toolkit_fuel_total{toolkit="support"}"#, 1000.0),
    ] {
        assert_eq!(read.get(of_one), runs, "{of_one}");
    }
    assert_eq!(
        read.get(r#"ampoule_principal_fuel_total{principal="alice"}"#),
        1000.0
    );
    assert_eq!(read.get("ampoule_runs_under_way"), 1.0);
    // One that nobody waits for any more has an ending, too.
    drop(under_way);
    let read = metrics(&telemetry);
    assert_eq!(
        read.get(r#"ampoule_runs_total{language="typescript",ending="cancelled"}"#),
        1.0
    );
    assert_eq!(read.get("ampoule_runs_under_way"), 0.0);
}

#[tokio::test]
async fn calls_are_counted_by_server_and_state() {
    let telemetry = telemetry();
    let (files, unknown) = (Server::new("files"), Server::new("made-up"));
    let id = RunId::new();
    for tool in ["works", "fails", "is-away", "is-lost"] {
        let _ = files.call(&telemetry, id, tool, None).await;
    }
    unknown.call(&telemetry, id, "works", None).await.unwrap();
    // Given up on the way.
    assert!(
        files
            .call(&telemetry, id, "hangs", None)
            .now_or_never()
            .is_none()
    );
    let read = metrics(&telemetry);
    let calls = |server, state| {
        read.get(&format!(
            r#"ampoule_calls_total{{server="{server}",state="{state}"}}"#
        ))
    };
    assert_eq!(calls("files", "answered"), 2.0);
    assert_eq!(calls("files", "not-sent"), 1.0);
    assert_eq!(calls("files", "unknown"), 2.0);
    assert_eq!(calls("mail", "answered"), 0.0);
    assert_eq!(calls("other", "answered"), 1.0);
    assert_eq!(
        read.get(r#"ampoule_call_failures_total{server="files"}"#),
        4.0
    );
    assert_eq!(
        read.get(r#"ampoule_call_duration_seconds_count{server="files"}"#),
        5.0
    );
}

#[test]
fn http_requests_are_counted_by_status() {
    let telemetry = telemetry();
    for status in [StatusCode::OK, StatusCode::OK, StatusCode::UNAUTHORIZED] {
        let request = telemetry.http_request(&Method::POST, "/mcp", &HeaderMap::new());
        request.answered(status);
    }
    telemetry.busy();
    let read = metrics(&telemetry);
    assert_eq!(
        read.get(r#"ampoule_http_requests_total{status="200"}"#),
        2.0
    );
    assert_eq!(
        read.get(r#"ampoule_http_requests_total{status="401"}"#),
        1.0
    );
    assert_eq!(read.get("ampoule_http_request_duration_seconds_count"), 3.0);
    assert_eq!(read.get("ampoule_busy_refusals_total"), 1.0);
}

#[test]
fn how_things_stand_is_looked_at_when_metrics_are_read() {
    let telemetry = telemetry();
    let states = ["starting", "ready"];
    let looks = std::sync::atomic::AtomicUsize::new(0);
    telemetry.look_at(move || {
        let look = looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ProcessState {
            isolates: 3,
            waiting: 2,
            parked: 5,
            kept_alive: 1,
            upstreams: vec![("files".into(), states[look])],
        }
    });
    let read = metrics(&telemetry);
    assert_eq!(read.get("ampoule_isolates_in_use"), 3.0);
    assert_eq!(read.get("ampoule_runs_waiting"), 2.0);
    assert_eq!(read.get("ampoule_runs_parked"), 5.0);
    assert_eq!(read.get("ampoule_runs_kept_alive"), 1.0);
    assert_eq!(
        read.get(r#"ampoule_upstream_state{server="files",state="starting"}"#),
        1.0
    );
    let read = metrics(&telemetry);
    assert_eq!(
        read.get(r#"ampoule_upstream_state{server="files",state="ready"}"#),
        1.0
    );
    assert_eq!(read.beginning("ampoule_upstream_state"), 1);
}

#[test]
fn principals_are_told_apart_as_far_as_there_is_room() {
    let telemetry = telemetry();
    run(
        &telemetry,
        "with \"quotes\"\n\u{202e}",
        RunEnd::with("returned"),
    );
    run(&telemetry, &"é".repeat(1000), RunEnd::with("returned"));
    for n in 0..500 {
        run(&telemetry, &format!("p{n}"), RunEnd::with("returned"));
    }
    run(&telemetry, "p0", RunEnd::with("returned"));
    let read = metrics(&telemetry);
    assert_eq!(read.beginning("ampoule_principal_runs_total"), 101);
    assert_eq!(
        read.get(r#"ampoule_principal_runs_total{principal="other"}"#),
        402.0
    );
    assert_eq!(
        read.get(r#"ampoule_principal_runs_total{principal="p0"}"#),
        2.0
    );
    let odd = r#"ampoule_principal_runs_total{principal="with \"quotes\"\\n\\u{202e}"}"#;
    assert_eq!(read.get(odd), 1.0);
    let long = format!(
        r#"ampoule_principal_runs_total{{principal="{}"}}"#,
        "é".repeat(32)
    );
    assert_eq!(read.get(&long), 1.0);
}
