//! Servers that are slow to say which protocol they speak, such as those that have to be woken up.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::server::{Part, Reply, Request, Server, serve, session, stateless};
use super::{remote, text};
use crate::handshake::Era;
use crate::testing::call;
use crate::{RemoteServer, Upstream, UpstreamOptions};

#[tokio::test]
async fn a_server_that_takes_three_seconds_is_not_taken_for_an_old_one() {
    let server = serve(|request| match request.asks() {
        "server/discover" => stateless(request).after(Part::Pause(Duration::from_secs(3))),
        _ => stateless(request),
    })
    .await;
    let upstream = remote(&server.url);
    let result = call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(upstream.inner.supervisor.era(), Some(Era::Stateless));
    assert!(server.asked("initialize").is_empty());
}

/// An upstream that asks in the older way after two seconds.
fn impatient(server: &Server) -> Arc<Upstream> {
    let options = UpstreamOptions {
        start_timeout: Duration::from_secs(4),
        ..UpstreamOptions::default()
    };
    let server = RemoteServer::new(&server.url).unwrap();
    Arc::new(Upstream::remote("far", server, options))
}

/// Calls a tool of a server that says who it is once it was asked in the older way, and says this
/// to that.
async fn asked_both_ways(initialize: Reply) {
    let shown = format!("{initialize:?}");
    let asked = CancellationToken::new();
    let server = serve(move |request| match request.asks() {
        "server/discover" => stateless(request)
            .after(Part::Pause(Duration::from_millis(200)))
            .after(Part::Until(asked.clone())),
        "initialize" => {
            asked.cancel();
            initialize.clone()
        }
        _ => stateless(request),
    })
    .await;
    let upstream = impatient(&server);
    let result = call(&upstream, "x").await.unwrap();
    let result = result.unwrap_or_else(|error| panic!("{shown}: {error}"));
    assert_eq!(text(&result), "done", "{shown}");
    let era = upstream.inner.supervisor.era();
    assert_eq!(era, Some(Era::Stateless), "{shown}");
    upstream.stop().await;
    server.is_left().await;
}

#[tokio::test]
async fn whatever_it_says_to_the_older_way_the_newer_one_is_waited_for() {
    let modern = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"no","data":{"supported":["2026-07-28"]}}}"#;
    let answers = [
        Reply::status(400),
        Reply::status(404),
        Reply::status(500),
        Reply::status(503).header("Retry-After", "3600"),
        Reply::new(400, "application/json", modern),
        Reply::new(200, "application/json", "").then(Part::Break),
        Reply::events(": wait\n\n").then(Part::Hang),
    ];
    futures::future::join_all(answers.map(asked_both_ways)).await;
}

#[tokio::test]
async fn an_old_server_that_never_answers_what_it_does_not_know_is_greeted_in_time() {
    let hangs = |request: &Request| {
        let unknown = request.asks() == "server/discover";
        unknown.then(|| Reply::events("").then(Part::Hang))
    };
    let server = session(hangs).await;
    let upstream = impatient(&server);
    let result = call(&upstream, "x").await.unwrap().unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(upstream.inner.supervisor.era(), Some(Era::Sessions));
}
