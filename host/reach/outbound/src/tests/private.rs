//! No request goes into a private network, unless a rule lets it.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use futures::future::{BoxFuture, ready};
use parking_lot::Mutex;
use reqwest::dns::Resolve;

use super::server::{Server, with};
use super::*;
use crate::Lookup;
use crate::addresses::{GuardedResolver, PrivateAddressError};

/// Answers each time with the next of these, and with the last one from then on.
struct ChangingLookup(Mutex<Vec<Vec<&'static str>>>);

impl ChangingLookup {
    fn new(answers: &[&[&'static str]]) -> Arc<Self> {
        let answers = answers.iter().rev().map(|answer| answer.to_vec());
        Arc::new(Self(Mutex::new(answers.collect())))
    }
}

impl Lookup for ChangingLookup {
    fn lookup(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let mut answers = self.0.lock();
        let answer = match answers.len() {
            0 | 1 => answers.first().cloned().unwrap_or_default(),
            _ => answers.pop().unwrap_or_default(),
        };
        let parsed = answer.iter().map(|ip| ip.parse().unwrap()).collect();
        Box::pin(ready(Ok(parsed)))
    }
}

fn looking_up(lookup: Arc<dyn Lookup>) -> OutboundOptions {
    OutboundOptions {
        lookup: Some(lookup),
        ..OutboundOptions::default()
    }
}

#[tokio::test]
async fn names_that_lead_inside_are_not_connected_to() {
    let server = Server::echo().await;
    let pattern = format!("http://*:{}", server.port);
    for addresses in [
        &["127.0.0.1"][..],
        &["::1"],
        &["::ffff:127.0.0.1"],
        &["1.1.1.1", "127.0.0.1"],
        &["0.0.0.0"],
    ] {
        let binding = by(
            Rules::reading([&pattern]).unwrap(),
            looking_up(ChangingLookup::new(&[addresses])),
        );
        let url = format!("http://rebound.example:{}/", server.port);
        let why = denied(fetch(&binding, json!({ "url": url })).await);
        assert!(
            why.starts_with("rebound.example is in a private network"),
            "{why}"
        );
        assert!(!why.contains("127.0.0.1"), "{why}");
    }
    // The system's own names, too.
    let binding = by(
        Rules::reading([pattern]).unwrap(),
        OutboundOptions::default(),
    );
    let url = format!("http://localhost:{}/", server.port);
    denied(fetch(&binding, json!({ "url": url })).await);
    assert_eq!(server.take_got().len(), 0);
}

/// A name that leads elsewhere each time it is looked up: what is checked is what is connected to.
#[tokio::test]
async fn a_name_that_is_bound_anew_leads_nowhere() {
    let server = Server::echo().await;
    let rules = Rules::reading([format!("http://*:{}", server.port)]).unwrap();
    let lookup = ChangingLookup::new(&[&[], &["127.0.0.1"], &[], &["127.0.0.1"]]);
    let binding = by(rules, looking_up(lookup));
    let url = format!("http://rebound.example:{}/", server.port);
    for _ in 0..4 {
        let answer = fetch(&binding, json!({ "url": url })).await;
        assert!(
            matches!(answer, Err(CallError::NotReached(_) | CallError::Denied(_))),
            "{answer:?}"
        );
    }
    assert_eq!(server.take_got().len(), 0);
}

#[tokio::test]
async fn connections_go_to_the_addresses_that_were_checked() {
    let found = |private, addresses: &'static [&'static str]| async move {
        let lookup = ChangingLookup::new(&[addresses]);
        let guarded = GuardedResolver { lookup, private };
        let found = guarded.resolve("x.io".parse().unwrap()).await;
        found.map(|found| found.map(|address| address.to_string()).collect::<Vec<_>>())
    };
    let outside = found(false, &["1.1.1.1", "2606:4700::1"]).await.unwrap();
    assert_eq!(outside, ["1.1.1.1:0", "[2606:4700::1]:0"]);
    for inside in [&["10.0.0.1"][..], &["1.1.1.1", "64:ff9b::7f00:1"]] {
        let error = found(false, inside).await.unwrap_err();
        assert!(error.is::<PrivateAddressError>(), "{error}");
        assert!(found(true, inside).await.is_ok());
    }
}

/// An open connection that one rule allows is not a way in for another.
#[tokio::test]
async fn a_connection_to_the_inside_is_the_rules_own_that_allows_it() {
    let server = Server::echo().await;
    let host = format!("http://inside.example:{}", server.port);
    let rules = rules(json!({ "allow": [
        { "hosts": [host], "paths": ["/open/*"], "private": true },
        { "hosts": [host] },
    ] }));
    let binding = by(rules, looking_up(ChangingLookup::new(&[&["127.0.0.1"]])));
    for _ in 0..2 {
        text(&binding, &format!("{host}/open/1")).await.unwrap();
        denied(text(&binding, &format!("{host}/closed")).await);
    }
    assert_eq!(server.take_got().len(), 2);
}

#[tokio::test]
async fn redirects_lead_no_further_inside() {
    let inside = Server::echo().await;
    let ports = [inside.port; 2];
    let targets = [
        format!("http://127.0.0.1:{}/", ports[0]),
        format!("http://localhost:{}/", ports[0]),
        format!("http://[::ffff:127.0.0.1]:{}/", ports[0]),
        format!("http://2130706433:{}/", ports[0]),
        format!("//rebound.example:{}/", ports[0]),
    ];
    for to in targets {
        let target = to.clone();
        let outside = Server::new(move |_| with(302, "location", &target)).await;
        let rules = rules(json!({ "allow": [
            { "hosts": [outside.origin], "private": true },
            { "hosts": ["http://*:*", "http://127.0.0.1:*", "http://[::ffff:127.0.0.1]:*"] },
        ] }));
        let binding = by(rules, looking_up(ChangingLookup::new(&[&["127.0.0.1"]])));
        let why = refused(fetch(&binding, json!({ "url": outside.url("/") })).await);
        assert!(why.starts_with("after a redirect: "), "{to}: {why}");
        assert!(why.contains("is in a private network"), "{to}: {why}");
        assert_eq!(outside.take_got().len(), 1);
    }
    assert_eq!(inside.take_got().len(), 0);
}
