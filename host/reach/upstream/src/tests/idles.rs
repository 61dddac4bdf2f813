//! Servers that nobody uses.

use std::time::Duration;

use ampoule_tools::Binding;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::testing::{call, connected_with};
use crate::{UpstreamOptions, UpstreamState};

const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test(start_paused = true)]
async fn a_server_is_stopped_after_ten_minutes_without_a_call_and_its_tools_stay_known() {
    let (upstream, mut fakes, mut fake) = connected_with(UpstreamOptions::default()).await;
    for _ in 0..2 {
        let calling = call(&upstream, "x");
        let request = fake.request("tools/call").await;
        fake.answer(&request, json!({})).await;
        calling.await.unwrap().unwrap();
        sleep(9 * MINUTE).await;
    }
    assert_eq!(upstream.state(), UpstreamState::Ready);
    // It may be a tenth later.
    sleep(2 * MINUTE + Duration::from_secs(1)).await;
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::NotStarted);
    assert_eq!(
        status.why.as_deref(),
        Some("MCP server `fake` was stopped, since nobody used it for 10m")
    );
    assert_eq!(status.last_error, None, "that is no failure");
    while fake.recv().await != Value::Null {}

    assert_eq!(upstream.tools().await.unwrap().len(), 0);
    sleep(30 * MINUTE).await;
    assert!(fakes.is_empty(), "nobody needed it");
    let calling = call(&upstream, "x");
    let mut fake = fakes.session().await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
    assert_eq!(upstream.state(), UpstreamState::Ready);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_takes_longer_than_a_server_may_be_idle_keeps_it() {
    let (upstream, _fakes, mut fake) = connected_with(UpstreamOptions {
        idle_timeout: Some(Duration::from_secs(30)),
        ..Default::default()
    })
    .await;
    let calling = call(&upstream, "slow");
    let request = fake.request("tools/call").await;
    sleep(4 * MINUTE).await;
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
    sleep(Duration::from_secs(29)).await;
    assert_eq!(upstream.state(), UpstreamState::Ready);
    sleep(Duration::from_secs(5)).await;
    assert_eq!(upstream.state(), UpstreamState::NotStarted);
}

#[tokio::test(start_paused = true)]
async fn a_server_may_be_kept_for_ever() {
    for idle_timeout in [None, Some(Duration::ZERO)] {
        let (upstream, _fakes, _fake) = connected_with(UpstreamOptions {
            idle_timeout,
            ..Default::default()
        })
        .await;
        sleep(24 * 60 * MINUTE).await;
        assert_eq!(upstream.state(), UpstreamState::Ready);
    }
}

#[tokio::test(start_paused = true)]
async fn an_operator_restarts_a_server_also_under_a_call() {
    let (upstream, mut fakes, mut fake) = connected_with(UpstreamOptions::default()).await;
    let calling = call(&upstream, "x");
    fake.request("tools/call").await;
    assert!(upstream.restart());
    calling
        .await
        .unwrap()
        .expect_err("the connection has ended");
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::NotStarted);
    let why = status.why.unwrap_or_default();
    assert!(why.contains("restarted by an operator"), "{why}");
    let calling = call(&upstream, "x");
    let mut fake = fakes.session().await;
    let request = fake.request("tools/call").await;
    fake.answer(&request, json!({})).await;
    calling.await.unwrap().unwrap();
    assert_eq!(upstream.state(), UpstreamState::Ready);
}
