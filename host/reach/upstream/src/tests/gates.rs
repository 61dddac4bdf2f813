//! How many calls a server gets, at once and in time.

use std::num::NonZeroU16;
use std::time::Duration;

use ampoule_tools::CallState;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::testing::{Fake, call, call_of, connected_with};
use crate::{Rate, UpstreamOptions};

/// The next call, unless there is none for that long.
async fn next_within(fake: &mut Fake, time: Duration) -> Option<Value> {
    tokio::time::timeout(time, fake.request("tools/call"))
        .await
        .ok()
}

const LONG: Duration = Duration::from_secs(30);

#[tokio::test(start_paused = true)]
async fn calls_beyond_what_a_server_gets_at_once_wait_in_order() {
    let options = UpstreamOptions {
        concurrency: 2,
        ..Default::default()
    };
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    let names = ["a", "b", "c", "d"];
    let mut calls = Vec::new();
    for name in names {
        calls.push(call(&upstream, name));
        tokio::task::yield_now().await;
    }
    let mut seen = vec![
        fake.request("tools/call").await,
        fake.request("tools/call").await,
    ];
    assert_eq!(next_within(&mut fake, LONG).await, None);
    for at in 0..names.len() {
        fake.answer(&seen[at].clone(), json!({})).await;
        if at < 2 {
            seen.push(fake.request("tools/call").await);
            assert_eq!(next_within(&mut fake, LONG).await, None);
        }
    }
    let order: Vec<_> = seen.iter().map(|it| &it["params"]["name"]).collect();
    assert_eq!(order, names);
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_gets_no_turn_in_its_time_was_not_sent_and_one_that_gives_up_takes_none() {
    let options = UpstreamOptions {
        concurrency: 0,
        call_timeout: Duration::from_secs(20),
        ..Default::default()
    };
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    let first = call(&upstream, "first");
    let request = fake.request("tools/call").await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (given_up, late) = (call(&upstream, "given up"), call(&upstream, "late"));
    tokio::task::yield_now().await;
    given_up.abort();
    tokio::time::sleep(Duration::from_secs(18)).await;
    let next = call(&upstream, "next");
    tokio::task::yield_now().await;
    // The first has timed out by then, and the one after it has its turn.
    assert!(first.await.unwrap().is_err());
    let cancelled = fake.recv().await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    assert_eq!(fake.request("tools/call").await["params"]["name"], "late");
    assert!(!next.is_finished());
    let error = next.await.unwrap().unwrap_err();
    assert_eq!(error.state(), CallState::NotSent);
    assert_eq!(
        error.to_string(),
        "MCP server `fake` had no room for the call to `next` within 20s: more calls wait for it than it is allowed"
    );
    assert_eq!(late.await.unwrap().unwrap_err().state(), CallState::Unknown);
}

#[tokio::test(start_paused = true)]
async fn no_stretch_of_time_has_more_calls_than_the_rate_allows() {
    let options = UpstreamOptions {
        rate: Some(Rate {
            calls: NonZeroU16::new(3).unwrap(),
            per: Duration::from_secs(10),
        }),
        ..Default::default()
    };
    // This takes the first.
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    tokio::time::sleep(Duration::from_secs(4)).await;
    let begun = Instant::now();
    let mut calls = Vec::new();
    for _ in 0..7 {
        calls.push(call(&upstream, "x"));
        tokio::task::yield_now().await;
    }
    // Who gives up while waiting takes no place.
    for given_up in calls.drain(5..) {
        given_up.abort();
    }
    let mut at = Vec::new();
    for _ in 0..5 {
        let request = fake.request("tools/call").await;
        at.push(begun.elapsed().as_secs());
        fake.answer(&request, json!({})).await;
    }
    assert_eq!(at, [0, 0, 6, 10, 10]);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let last = call(&upstream, "last");
    fake.request("tools/call").await;
    assert_eq!(begun.elapsed().as_secs(), 16);
    last.abort();
}

/// The next calls, each answered before the next one is waited for.
async fn answered(fake: &mut Fake, calls: usize) -> Vec<Value> {
    let mut names = Vec::new();
    for _ in 0..calls {
        let request = fake.request("tools/call").await;
        fake.answer(&request, json!({})).await;
        names.push(request["params"]["name"].clone());
    }
    names
}

#[tokio::test(start_paused = true)]
async fn who_floods_a_server_leaves_turns_to_others() {
    let options = UpstreamOptions {
        concurrency: 4,
        ..Default::default()
    };
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    let _flood: Vec<_> = (0..100).map(|_| call_of(&upstream, "bob")).collect();
    for _ in 0..3 {
        let request = fake.request("tools/call").await;
        assert_eq!(request["params"]["name"], "bob");
    }
    assert_eq!(next_within(&mut fake, LONG).await, None);
    let call = call_of(&upstream, "ada");
    // It has its turn though nobody was answered.
    assert_eq!(answered(&mut fake, 1).await, ["ada"]);
    call.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn principals_alternate_where_a_server_gets_one_call_at_once() {
    let options = UpstreamOptions {
        concurrency: 1,
        ..Default::default()
    };
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    let _flood: Vec<_> = (0..100).map(|_| call_of(&upstream, "bob")).collect();
    let first = fake.request("tools/call").await;
    let _others = ["ada", "ada", "carl"].map(|whose| call_of(&upstream, whose));
    tokio::time::sleep(Duration::from_secs(1)).await;
    fake.answer(&first, json!({})).await;
    let mut order = answered(&mut fake, 6).await;
    order[..2].sort_by_key(Value::to_string);
    // Bob has had one, which took a second.
    assert_eq!(order, ["ada", "carl", "ada", "bob", "bob", "bob"]);
}

#[tokio::test(start_paused = true)]
async fn principals_alternate_in_what_a_rate_allows() {
    let options = UpstreamOptions {
        rate: Some(Rate {
            calls: NonZeroU16::new(2).unwrap(),
            per: Duration::from_secs(10),
        }),
        ..Default::default()
    };
    // This takes the first.
    let (upstream, _fakes, mut fake) = connected_with(options).await;
    let _flood: Vec<_> = (0..100).map(|_| call_of(&upstream, "bob")).collect();
    assert_eq!(answered(&mut fake, 3).await, ["bob"; 3]);
    // The next of bob's has the turn by now.
    let _others: Vec<_> = (0..3).map(|_| call_of(&upstream, "ada")).collect();
    let order = answered(&mut fake, 7).await;
    assert_eq!(order, ["bob", "ada", "bob", "ada", "bob", "ada", "bob"]);
}
