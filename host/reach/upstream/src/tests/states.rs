//! What can be read of how a server is doing.

use std::future::ready;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule_tools::{Binding, CallState};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::HeaderValue;
use serde_json::json;
use tokio::time::{Instant, sleep};
use tokio_util::task::TaskTracker;

use crate::secrets::Secrets;
use crate::testing::{call, failure, upstream};
use crate::{
    AuthorizationError, Authorizer, Era, RemoteServer, SignInRequiredError, Upstream,
    UpstreamOptions, UpstreamState,
};

#[tokio::test(start_paused = true)]
async fn a_server_is_not_started_then_starting_then_ready() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let before = SystemTime::now();
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::NotStarted);
    assert_eq!((&*status.server, status.transport), ("fake", "memory"));
    assert_eq!((status.why, status.era, status.tools), (None, None, None));
    assert_eq!(upstream.trouble(), None);

    let asking = tokio::spawn({
        let upstream = Arc::clone(&upstream);
        async move { upstream.tools().await.unwrap() }
    });
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    sleep(Duration::from_millis(1500)).await;
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::Starting);
    assert_eq!(
        status.why.as_deref(),
        Some("MCP server `fake` is still starting after 1 s")
    );
    fake.answer(
        &discover,
        json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }),
    )
    .await;
    let list = fake.recv().await;
    let tool = json!({ "name": "a", "inputSchema": { "type": "object" } });
    fake.answer(&list, json!({ "tools": [tool] })).await;
    asking.await.unwrap();
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::Ready);
    assert!(status.since >= before);
    assert_eq!((status.why, status.remedy), (None, None));
    assert_eq!(
        (status.era, status.protocol_version.as_deref(), status.tools),
        (Some(Era::Stateless), Some("2026-07-28"), Some(1))
    );
    assert_eq!(status.connected_in, Some(Duration::from_millis(1500)));

    sleep(Duration::from_mins(1)).await;
    drop(fake);
    while upstream.state() == UpstreamState::Ready || upstream.status().last_error.is_none() {
        tokio::task::yield_now().await;
    }
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::NotStarted);
    let why = "MCP server `fake` closed the connection";
    assert_eq!(status.why.as_deref(), Some(why));
    assert_eq!(status.last_error.as_deref(), Some(why));
    assert_eq!(upstream.trouble(), None, "the next call starts it");
    upstream.stop().await;
    assert_eq!(upstream.state(), UpstreamState::NotStarted);
}

/// An upstream whose server can't be reached, for that reason.
/// A sign-in that is no longer accepted.
#[derive(Debug)]
struct SignedOut(&'static str);

impl Authorizer for SignedOut {
    fn authorization(&self) -> BoxFuture<'_, Result<Option<HeaderValue>, AuthorizationError>> {
        ready(Err(SignInRequiredError(self.0.to_owned()).into())).boxed()
    }

    fn refused<'a>(
        &'a self,
        _: u16,
        _: &'a [HeaderValue],
    ) -> BoxFuture<'a, Result<bool, AuthorizationError>> {
        ready(Ok(false)).boxed()
    }
}

fn unreachable(error: impl Fn() -> io::Error + Send + Sync + 'static) -> Arc<Upstream> {
    let reach: crate::opening::Reach =
        Box::new(move |_: &TaskTracker, _| ready(Err(error())).boxed());
    let options = UpstreamOptions::default();
    Arc::new(Upstream::new(
        "far".into(),
        crate::upstream::Way::of(reach, &options),
        Secrets::default(),
        options,
        None,
    ))
}

#[tokio::test(start_paused = true)]
async fn a_server_that_fails_again_and_again_is_waited_for_if_that_is_short_and_else_says_for_how_long()
 {
    let upstream = unreachable(|| io::Error::other("no route"));
    let why = "MCP server `far` can't be started: no route";
    let begun = Instant::now();
    for attempt in 1..=4 {
        assert_eq!(failure(call(&upstream, "x").await.unwrap()), why);
        if attempt == 1 {
            assert_eq!(upstream.state(), UpstreamState::Failed);
        }
    }
    // The second came at once, the third after up to half a second, the fourth after up to one.
    assert!(begun.elapsed() <= Duration::from_millis(1500));
    assert!(begun.elapsed() >= Duration::from_millis(750));
    let mut pauses = Vec::new();
    for failures in 4..12 {
        let UpstreamState::Waiting { .. } = upstream.state() else {
            panic!("{:?}", upstream.state());
        };
        let began = Instant::now();
        let error = call(&upstream, "x").await.unwrap().unwrap_err();
        if failures == 4 && error.to_string() == why {
            // The fourth pause may be as short as a second.
            continue;
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert_eq!(error.state(), CallState::NotSent);
        let told =
            format!("{why}\nIt failed {failures} times in a row and is not tried again for ");
        assert!(error.to_string().starts_with(&told), "{error}");
        assert_eq!(upstream.trouble(), Some(error.to_string()));
        while upstream.state() != UpstreamState::Failed {
            sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(upstream.trouble().as_deref(), Some(why));
        pauses.push(began.elapsed().as_secs_f64());
        assert_eq!(failure(call(&upstream, "x").await.unwrap()), why);
    }
    assert!(pauses.iter().all(|pause| *pause <= 61.0), "{pauses:?}");
    assert!(*pauses.last().unwrap() >= 30.0, "{pauses:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_needs_a_sign_in_says_so_and_is_asked_again_soon() {
    let told =
        "`far` needs a sign-in: its token is no longer accepted; run `ampoule auth login far`";
    let server = RemoteServer::new("http://127.0.0.1:9/mcp").unwrap();
    let server = server.authorizer(Arc::new(SignedOut(told)));
    let upstream = Arc::new(Upstream::remote("far", server, UpstreamOptions::default()));
    for _ in 0..20 {
        let begun = Instant::now();
        let error = call(&upstream, "x").await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), told);
        assert_eq!(error.state(), CallState::NotSent);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
    let status = upstream.status();
    assert_eq!(status.state, UpstreamState::NeedsSignIn);
    assert_eq!(status.remedy.as_deref(), Some("ampoule auth login far"));
    assert_eq!(status.why.as_deref(), Some(told));
    assert_eq!(upstream.trouble().as_deref(), Some(told));
    assert_eq!(upstream.tools().await.unwrap_err().message, told);
}
