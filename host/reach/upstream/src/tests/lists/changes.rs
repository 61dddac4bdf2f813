//! When a list that is known is asked for again.

use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::Binding;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{all_is_read, change, listed, listing, names, tool};
use crate::UpstreamOptions;
use crate::testing::upstream;

#[tokio::test(start_paused = true)]
async fn a_known_list_is_not_asked_for_again_until_the_server_says_that_it_changed() {
    let (upstream, _fakes, mut fake, first) = listed(json!([tool("a")])).await;
    assert!(Arc::ptr_eq(&first, &upstream.tools().await.unwrap()));
    let asked = Instant::now();
    for _ in 0..3 {
        change(&mut fake).await;
    }
    all_is_read(&mut fake).await;
    let asking = listing(&upstream);
    let request = fake.recv().await;
    assert_eq!(
        asked.elapsed().as_millis(),
        200,
        "a server is not asked again at once"
    );
    fake.answer(&request, json!({ "tools": [tool("a"), tool("b")] }))
        .await;
    assert_eq!(names(&asking.await.unwrap()), ["a", "b"]);
    assert_eq!(names(&upstream.tools().await.unwrap()), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_no_longer_lists_its_tools_keeps_those_that_it_had() {
    let (upstream, _fakes, mut fake, _) = listed(json!([tool("a")])).await;
    for _ in 0..2 {
        change(&mut fake).await;
        all_is_read(&mut fake).await;
        let asking = listing(&upstream);
        let request = fake.recv().await;
        fake.refuse(&request, -32000).await;
        assert_eq!(names(&asking.await.unwrap()), ["a"]);
        // It is not asked again before it says that something changed.
        assert_eq!(names(&upstream.tools().await.unwrap()), ["a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stateless_server_is_asked_to_tell_of_changes() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    fake.answer(&discover, json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": { "listChanged": true } } })).await;
    let (mut list, mut listen) = (fake.recv().await, fake.recv().await);
    if list["method"] != "tools/list" {
        std::mem::swap(&mut list, &mut listen);
    }
    assert_eq!(listen["method"], "subscriptions/listen");
    assert_eq!(
        listen["params"]["notifications"],
        json!({ "toolsListChanged": true })
    );
    fake.answer(&list, json!({ "tools": [] })).await;
    asking.await.unwrap();
    let tell = |method: &str, mut params: Value| {
        params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
        json!({ "jsonrpc": "2.0", "method": method, "params": params })
    };
    fake.send(tell(
        "notifications/subscriptions/acknowledged",
        json!({ "notifications": { "toolsListChanged": true } }),
    ))
    .await;
    for name in ["first", "second"] {
        fake.send(tell("notifications/tools/list_changed", json!({})))
            .await;
        all_is_read(&mut fake).await;
        let asking = listing(&upstream);
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": [tool(name)] }))
            .await;
        assert_eq!(names(&asking.await.unwrap()), [name]);
    }
}

#[tokio::test]
async fn a_kept_list_is_refreshed_on_demand_and_one_that_is_not_known_is_left_alone() {
    let (upstream, _fakes, mut fake, _) = listed(json!([tool("a")])).await;
    upstream.refresh().await.unwrap();
    change(&mut fake).await;
    all_is_read(&mut fake).await;
    let server = async {
        let request = fake.recv().await;
        fake.answer(&request, json!({ "tools": [tool("b")] })).await;
    };
    let (refreshed, ()) = tokio::join!(upstream.refresh(), server);
    refreshed.unwrap();
    assert_eq!(names(&upstream.known_tools().unwrap()), ["b"]);

    let (upstream, fakes) = crate::testing::upstream(UpstreamOptions::default());
    upstream.refresh().await.unwrap();
    assert!(fakes.is_empty(), "the server was started");
}

#[tokio::test(start_paused = true)]
async fn a_list_that_holds_for_a_time_is_asked_for_again_when_it_is_next_wanted_after_that() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    fake.answer(&discover, json!({ "supportedVersions": ["2026-07-28"] }))
        .await;
    let list = |ttl: i64| json!({ "tools": [tool("a")], "ttlMs": ttl, "cacheScope": "private" });
    let request = fake.recv().await;
    fake.answer(&request, list(60_000)).await;
    let first = asking.await.unwrap();
    for (ttl, lasts) in [(60_000, 60_000), (-1, 60_000), (0, 5000), (1000, 5000)] {
        let still = Duration::from_millis(lasts - 1);
        tokio::time::sleep(still).await;
        assert!(Arc::ptr_eq(&first, &upstream.tools().await.unwrap()));
        tokio::time::sleep(Duration::from_millis(1)).await;
        let asking = listing(&upstream);
        let request = fake.recv().await;
        assert_eq!(request["method"], "tools/list");
        fake.answer(&request, list(ttl)).await;
        let again = asking.await.unwrap();
        assert!(Arc::ptr_eq(&first, &again), "it says the same as before");
    }
    // Where it can't be had, the older one serves, and is not asked for at each use.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let asking = listing(&upstream);
    let request = fake.recv().await;
    fake.refuse(&request, -32000).await;
    assert!(Arc::ptr_eq(&first, &asking.await.unwrap()));
    assert!(Arc::ptr_eq(&first, &upstream.tools().await.unwrap()));
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_the_server_ends_is_made_again_and_what_was_missed_is_asked_for() {
    let (upstream, mut fakes) = upstream(UpstreamOptions::default());
    let asking = listing(&upstream);
    let mut fake = fakes.next().await;
    let discover = fake.recv().await;
    fake.answer(&discover, json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": { "listChanged": true } } })).await;
    let mut requests = [fake.recv().await, fake.recv().await];
    requests.sort_by_key(|request| request["method"] == "tools/list");
    let [mut listen, list] = requests;
    // Nothing is promised, but what changes is told.
    fake.answer(&list, json!({ "tools": [], "ttlMs": 0 })).await;
    asking.await.unwrap();
    tokio::time::sleep(Duration::from_mins(5)).await;
    upstream.tools().await.unwrap();
    for ended in 0..4 {
        fake.answer(&listen, json!({ "resultType": "complete" }))
            .await;
        let begun = Instant::now();
        listen = fake.recv().await;
        assert_eq!(listen["method"], "subscriptions/listen");
        let pause = begun.elapsed();
        assert_eq!(pause.is_zero(), ended == 0, "{ended}: {pause:?}");
        let asking = listing(&upstream);
        let request = fake.recv().await;
        assert_eq!(request["method"], "tools/list", "{ended}");
        fake.answer(&request, json!({ "tools": [], "ttlMs": 0 }))
            .await;
        asking.await.unwrap();
    }
}
