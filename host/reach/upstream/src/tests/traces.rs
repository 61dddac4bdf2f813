//! Where a call belongs in a distributed trace reaches its server.

use ampoule_tools::Trace;
use serde_json::json;

use crate::testing::{call_traced, connected, failure};

const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const STATE: &str = "rojo=00f067aa0ba902b7,t61@congo=x";

#[tokio::test(start_paused = true)]
async fn a_server_on_pipes_finds_it_beside_the_arguments() {
    let (upstream, _fakes, mut fake) = connected().await;
    for (state, expected) in [
        (None, json!({ "traceparent": PARENT })),
        (
            Some(STATE),
            json!({ "traceparent": PARENT, "tracestate": STATE }),
        ),
    ] {
        let calling = call_traced(&upstream, "tool", Trace::new(PARENT, state));
        let request = fake.request("tools/call").await;
        assert_eq!(request["params"]["_meta"], expected);
        fake.answer(&request, json!({ "content": [] })).await;
        calling.await.unwrap().unwrap();
    }
    let calling = call_traced(&upstream, "tool", None);
    let request = fake.request("tools/call").await;
    assert_eq!(request["params"].get("_meta"), None);
    fake.refuse(&request, -32000).await;
    failure(calling.await.unwrap());
}
