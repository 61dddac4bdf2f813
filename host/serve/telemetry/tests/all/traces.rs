//! Spans, as a collector gets them.

use std::time::{Duration, Instant};

use ampoule_tools::{Principal, RunId, Trace};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode as SpanStatus;

use crate::calls::{SECRET, Server};
use crate::collector::{Answers, Collector, text};
use ampoule_telemetry::{RunEnd, RunOf, Telemetry, TraceSettings};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const STATE: &str = "rojo=1,congo=2";

fn settings() -> TraceSettings {
    TraceSettings {
        service_name: Some("a-name".to_owned()),
        headers: [("x-key".to_owned(), "collectors-own".to_owned())].into(),
        ..TraceSettings::default()
    }
}

fn hex(id: &[u8]) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// How a span is named where it is passed on.
fn parent_of(span: &Span) -> String {
    format!("00-{}-{}-01", hex(&span.trace_id), hex(&span.span_id))
}

fn failed(span: &Span) -> bool {
    let status = span.status.as_ref().map(|status| status.code);
    status == Some(SpanStatus::Error.into())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_its_run_and_calls_are_spans_of_the_clients_trace() {
    let collector = Collector::start(Answers::With("200 OK")).await;
    let telemetry = Telemetry::new(["files".into()], Some(collector.traces(settings())));
    let headers = HeaderMap::from_iter([
        (
            "traceparent".parse().unwrap(),
            HeaderValue::from_static(PARENT),
        ),
        (
            "tracestate".parse().unwrap(),
            HeaderValue::from_static(STATE),
        ),
    ]);
    let alice = Principal::new("alice");
    let http = telemetry.http_request(&Method::POST, "/mcp", &headers);
    let (tool, trace) = (Some("execute_code"), http.trace());
    let request = telemetry.request("tools/call", tool, Some(&alice), None, trace.as_ref());
    let mut run = telemetry.run(RunOf {
        language: "python",
        principal: Some(&alice),
        within: request.trace().as_ref(),
        ..RunOf::default()
    });
    let id = RunId::new();
    run.called(id);
    let server = Server::new("files");
    server
        .call(&telemetry, id, "works", run.trace())
        .await
        .unwrap();
    server
        .call(&telemetry, id, "is-lost", run.trace())
        .await
        .unwrap_err();
    run.ended(RunEnd {
        ending: "threw",
        fuel: 12,
        calls: 2,
    });
    drop(request);
    http.answered(StatusCode::OK);
    telemetry.close().await;

    let names = [
        "POST /mcp",
        "tools/call execute_code",
        "run python",
        "tools/call works",
    ];
    let [http, request, run, call] = names.map(|name| collector.span(name));
    let lost = collector.span("tools/call is-lost");
    let spans = [&http, &request, &run, &call];
    for (outer, inner) in spans.iter().zip(&spans[1..]).chain([(&&run, &&lost)]) {
        assert_eq!(inner.parent_span_id, outer.span_id, "{}", inner.name);
    }
    for span in spans {
        assert_eq!(hex(&span.trace_id), "4bf92f3577b34da6a3ce929d0e0e4736");
        assert_eq!(span.trace_state, STATE);
    }
    assert_eq!(hex(&http.parent_span_id), "00f067aa0ba902b7");
    let kinds = spans.map(|span| span.kind());
    let expected = [
        SpanKind::Server,
        SpanKind::Server,
        SpanKind::Internal,
        SpanKind::Client,
    ];
    assert_eq!(kinds, expected);
    let told = [
        (&http, "http.request.method", "POST"),
        (&http, "url.path", "/mcp"),
        (&http, "http.response.status_code", "200"),
        (&request, "mcp.method.name", "tools/call"),
        (&request, "gen_ai.tool.name", "execute_code"),
        (&request, "ampoule.principal", "alice"),
        (&run, "ampoule.run.id", &id.to_string()),
        (&run, "ampoule.run.language", "python"),
        (&run, "ampoule.run.ending", "threw"),
        (&run, "ampoule.run.fuel", "12"),
        (&run, "ampoule.run.calls", "2"),
        (&run, "error.type", "threw"),
        (&call, "mcp.method.name", "tools/call"),
        (&call, "gen_ai.tool.name", "works"),
        (&call, "ampoule.server", "files"),
        (&call, "ampoule.run.id", &id.to_string()),
        (&call, "ampoule.call.number", "3"),
        (&lost, "error.type", "lost"),
    ];
    for (span, key, expected) in told {
        assert_eq!(
            text(&span.attributes, key),
            expected,
            "{key} of {}",
            span.name
        );
    }
    assert_eq!(
        [&http, &request, &run, &call, &lost].map(failed),
        [false, false, true, false, true]
    );
    // Each server was told of the span of its own call.
    let told = server.told.lock().clone().into_iter();
    let told: Vec<String> = told
        .map(|trace| trace.unwrap().parent().to_owned())
        .collect();
    assert_eq!(told, [parent_of(&call), parent_of(&lost)]);
    for (head, body) in collector.seen() {
        assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
        assert!(head.contains("x-key: collectors-own"), "{head}");
        assert!(!String::from_utf8_lossy(&body).contains(SECRET));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_says_in_a_message_counts_before_its_http_request() {
    let collector = Collector::start(Answers::With("200 OK")).await;
    let telemetry = Telemetry::new([], Some(collector.traces(settings())));
    let http = telemetry.http_request(&Method::POST, "/mcp", &HeaderMap::new());
    let told = Trace::new(PARENT, None);
    let trace = http.trace();
    drop(telemetry.request("tools/list", None, None, told.as_ref(), trace.as_ref()));
    http.answered(StatusCode::SERVICE_UNAVAILABLE);
    telemetry.close().await;
    let (http, request) = (collector.span("POST /mcp"), collector.span("tools/list"));
    assert_eq!(hex(&request.parent_span_id), "00f067aa0ba902b7");
    assert_eq!(request.links[0].span_id, http.span_id);
    assert!(failed(&http) && http.parent_span_id.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_does_not_sample_is_passed_on_and_not_sent() {
    let collector = Collector::start(Answers::With("200 OK")).await;
    let telemetry = Telemetry::new([], Some(collector.traces(settings())));
    let unsampled = PARENT.replace("-01", "-00");
    let run = telemetry.run(RunOf {
        language: "python",
        within: Trace::new(&unsampled, None).as_ref(),
        ..RunOf::default()
    });
    let trace = run.trace().unwrap();
    let (id, flags) = ("4bf92f3577b34da6a3ce929d0e0e4736", "-00");
    assert!(
        trace.parent().contains(id) && trace.parent().ends_with(flags),
        "{trace:?}"
    );
    drop(run);
    let none = TraceSettings {
        sample: Some(0.0),
        ..settings()
    };
    let unlucky = Telemetry::new([], Some(collector.traces(none)));
    drop(unlucky.run(RunOf {
        language: "python",
        ..RunOf::default()
    }));
    telemetry.close().await;
    unlucky.close().await;
    assert_eq!(collector.spans(), []);
}

#[tokio::test]
async fn without_spans_what_came_is_passed_on_as_it_came() {
    let telemetry = Telemetry::new([], None);
    let came = Trace::new(PARENT, Some(STATE));
    let run = telemetry.run(RunOf {
        language: "python",
        within: came.as_ref(),
        ..RunOf::default()
    });
    assert_eq!(run.trace(), came);
    let server = Server::new("files");
    let id = RunId::new();
    for trace in [run.trace(), None] {
        server.call(&telemetry, id, "works", trace).await.unwrap();
    }
    assert_eq!(*server.told.lock(), [came, None]);
    telemetry.close().await;
}

#[test]
fn two_headers_that_differ_are_none() {
    let telemetry = Telemetry::new([], None);
    let mut headers = HeaderMap::new();
    headers.append("traceparent", HeaderValue::from_static(PARENT));
    headers.append("tracestate", HeaderValue::from_static("a=1"));
    headers.append("tracestate", HeaderValue::from_static("b=2"));
    let trace = |headers: &HeaderMap| {
        telemetry
            .http_request(&Method::GET, "/mcp", headers)
            .trace()
    };
    assert_eq!(trace(&headers), Trace::new(PARENT, Some("a=1,b=2")));
    headers.append("traceparent", HeaderValue::from_static(PARENT));
    assert_eq!(trace(&headers), None);
}

/// More spans than the queue holds.
const MANY: usize = 10_000;

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_hangs_or_refuses_keeps_nobody() {
    for answers in [Answers::Never, Answers::With("503 Busy")] {
        let collector = Collector::start(answers).await;
        let telemetry = Telemetry::new(["files".into()], Some(collector.traces(settings())));
        let server = Server::new("files");
        let run = telemetry.run(RunOf {
            language: "python",
            ..RunOf::default()
        });
        for _ in 0..MANY {
            let call = server.call(&telemetry, RunId::new(), "works", run.trace());
            call.await.unwrap();
        }
        run.ended(RunEnd::with("returned"));
        let closing = Instant::now();
        telemetry.close().await;
        // Two seconds, and what a loaded machine adds.
        assert!(closing.elapsed() < Duration::from_secs(8));
    }
    let nobody = TraceSettings {
        endpoint: Some("http://127.0.0.1:1".to_owned()),
        ..settings()
    };
    let refused = Collector::start(Answers::Never).await;
    let telemetry = Telemetry::new([], Some(refused.traces(nobody)));
    drop(telemetry.run(RunOf {
        language: "python",
        ..RunOf::default()
    }));
    telemetry.close().await;
}
