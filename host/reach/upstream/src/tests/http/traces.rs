//! Where a call belongs in a distributed trace reaches servers behind HTTP.

use ampoule_tools::Trace;
use serde_json::{Value, json};

use super::remote;
use super::server::{Request, Server, serve, session, stateless};
use crate::testing::call_traced;

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const STATE: &str = "rojo=00f067aa0ba902b7,t61@congo=x";

#[tokio::test]
async fn a_server_behind_http_finds_it_in_the_headers_too() {
    let older = session(|_| None).await;
    let newer = serve(stateless).await;
    for server in [older, newer] {
        let upstream = remote(&server.url);
        let trace = Trace::new(PARENT, Some(STATE));
        call_traced(&upstream, "tool", trace)
            .await
            .unwrap()
            .unwrap();
        let call = the_call(&server);
        assert_eq!(call.header("traceparent"), Some(PARENT));
        assert_eq!(call.header("tracestate"), Some(STATE));
        let meta = &call.body["params"]["_meta"];
        let told = (&meta["traceparent"], &meta["tracestate"]);
        assert_eq!(told, (&json!(PARENT), &json!(STATE)));
        let others = |request: &&Request| request.asks() != "tools/call";
        for other in server.seen().iter().filter(others) {
            assert_eq!(other.header("traceparent"), None, "{}", other.asks());
            assert_eq!(other.body["params"]["_meta"]["traceparent"], Value::Null);
        }
    }
}

fn the_call(server: &Server) -> Request {
    let seen = server.seen().into_iter();
    let mut calls = seen.filter(|request| request.asks() == "tools/call");
    calls.next().expect("no call arrived")
}
