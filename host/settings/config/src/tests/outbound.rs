//! `outbound`: which requests scripts may have made.

use std::time::Duration;

use super::*;
use ampoule_outbound::{Denial, HostPattern, Methods, PathPattern, Rule, Secret, Settings};

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
    let first = Rule::to(["api.example.com", "*.example.org"])
        .and_then(|rule| rule.paths(["/v1/*"]))
        .and_then(|rule| rule.header("Authorization", Secret::new("Bearer hunter2-hunter2")))
        .unwrap()
        .methods(Methods::of(["GET", "POST"]).unwrap());
    let second = Rule::to(["http://localhost:3000"]).unwrap().private();
    assert_eq!(outbound.allow, [first, second]);
    let hosts: HostPattern = "admin.example.org".parse().unwrap();
    let denied = Denial {
        hosts: vec![hosts],
        methods: Methods::all(),
        paths: vec![PathPattern::any()],
    };
    assert_eq!(outbound.deny, [denied]);
    assert_eq!(outbound.timeout, Duration::from_secs(5));
    let usual = Settings::default();
    assert_eq!(
        (outbound.request, outbound.response),
        (usual.request, 1 << 20)
    );
    assert_eq!(parse("").unwrap().outbound, None);
}

#[test]
fn mistakes_in_rules_have_their_places() {
    for (text, why) in [
        (
            "[outbound]\nallowed = []",
            "outbound: unknown key `allowed`; did you mean `allow`?",
        ),
        (
            "[[outbound.allow]]\nmethods = ['GET']",
            "outbound.allow[0]: the key `hosts` is missing",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheader = {}",
            "unknown key `header`; did you mean `headers`?",
        ),
        (
            "[[outbound.deny]]\nhosts = ['x']\nprivate = true",
            "unknown key `private`",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheaders = { A = '${NONE}' }",
            "NONE",
        ),
        ("[outbound]\nconcurrency = 0", "outbound.concurrency"),
        (
            "[[outbound.allow]]\nhosts = ['ftp://hunter2']",
            "2:10: outbound.allow[0].hosts[0]: this is not a pattern for hosts; write",
        ),
        (
            "[[outbound.deny]]\nhosts = ['x']\npaths = []",
            "3:9: outbound.deny[0].paths: this list is empty",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nmethods = ['hunter2 hunter2']",
            "3:11: outbound.allow[0].methods: this is not a method",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheaders = { 'hunter2' = \"a\\nb\" }",
            "outbound.allow[0].headers: ",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheaders = { 'TOKEN=hunter2' = '' }",
            "3:13: outbound.allow[0].headers: this is not the name of a header",
        ),
        (
            "[[outbound.allow]]\nhosts = ['x']\nheaders = { hunter2 = 5 }",
            "3:23: outbound.allow[0].headers: this must be a string, in quotes",
        ),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(why), "{text}: {error}");
        assert!(!error.contains("hunter2"), "{text}: {error}");
    }
}
