//! `outbound`: which requests scripts may have made.

use std::time::Duration;

use super::super::{OutboundDenial, OutboundRule};
use super::*;

#[test]
fn requests_are_allowed_by_rules() {
    let text = r#"
        [outbound]
        timeout = "5s"
        response = "1MiB"
        concurrency = 3

        [[outbound.allow]]
        hosts = ["api.example.com", "*.example.org"]
        methods = ["GET", "POST"]
        paths = ["/v1/*"]
        headers = { Authorization = "Bearer ${TOKEN}" }

        [[outbound.allow]]
        hosts = ["http://localhost:3000"]
        private = true

        [[outbound.deny]]
        hosts = ["admin.example.org"]
    "#;
    let config = parse(text).unwrap();
    assert!(!format!("{config:?}").contains("hunter2"));
    let outbound = config.outbound.unwrap();
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|&text| text.to_owned())
            .collect::<Vec<_>>()
    };
    let first = OutboundRule {
        hosts: texts(&["api.example.com", "*.example.org"]),
        methods: Some(texts(&["GET", "POST"])),
        paths: Some(texts(&["/v1/*"])),
        headers: [(
            "Authorization".to_owned(),
            "Bearer hunter2-hunter2".to_owned(),
        )]
        .into(),
        private: false,
    };
    let second = OutboundRule {
        hosts: texts(&["http://localhost:3000"]),
        private: true,
        ..OutboundRule::default()
    };
    assert_eq!(outbound.allow, [first, second]);
    let denied = OutboundDenial {
        hosts: texts(&["admin.example.org"]),
        ..OutboundDenial::default()
    };
    assert_eq!(outbound.deny, [denied]);
    assert_eq!(outbound.timeout, Some(Duration::from_secs(5)));
    assert_eq!((outbound.request, outbound.response), (None, Some(1 << 20)));
    assert_eq!(parse("").unwrap().outbound, None);
}

#[test]
fn mistakes_in_rules_have_their_places() {
    for (text, why) in [
        (
            "[outbound]\nallowed = []",
            "outbound: there is no key `allowed`; did you mean `allow`?",
        ),
        (
            "[[outbound.allow]]\nmethods = ['GET']",
            "outbound.allow[0]: the key `hosts` is missing",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheader = {}",
            "there is no key `header`; did you mean `headers`?",
        ),
        (
            "[[outbound.deny]]\nhosts = ['x']\nprivate = true",
            "there is no key `private`",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheaders = { A = '${NONE}' }",
            "NONE",
        ),
        ("[outbound]\nconcurrency = 0", "outbound.concurrency"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
    }
}
