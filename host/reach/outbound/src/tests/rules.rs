//! What rules mean.

use http::Method;

use super::*;
use crate::target::Target;

/// Whether rules allow a request.
fn allow(rules: &Rules, method: &str, url: &str) -> bool {
    let target = Target::parse(url).unwrap_or_else(|why| panic!("{url}: {why}"));
    let method = crate::methods::method(method).unwrap();
    rules.decide(&method, &target).is_ok()
}

#[test]
fn hosts_mean_what_they_say() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "api.example.com",
            &[
                "https://api.example.com",
                "https://API.Example.COM:443/x",
                "https://api.example.com./",
                "https://ａｐｉ.example.com/",
            ],
            &[
                "http://api.example.com",
                "https://api.example.com:8443",
                "https://example.com",
                "https://x.api.example.com",
                "https://api.example.com.evil.com",
                "https://evil.com/api.example.com",
                "https://evil.com/?https://api.example.com",
                "https://evil.com#@api.example.com",
                "https://xapi.example.com",
            ],
        ),
        (
            "*.example.com",
            &["https://a.example.com", "https://a.b.example.com"],
            &[
                "https://example.com",
                "https://notexample.com",
                "https://example.com.evil.com",
                "https://evil-example.com",
            ],
        ),
        (
            "http://example.com:*",
            &["http://example.com", "http://example.com:8080"],
            &["https://example.com"],
        ),
        (
            "*",
            &["https://anything.org"],
            &[
                "http://anything.org",
                "https://1.1.1.1",
                "https://[2606:4700::1]",
            ],
        ),
        (
            "1.1.1.1",
            &["https://1.1.1.1", "https://0x01010101", "https://16843009"],
            &["https://1.1.1.2"],
        ),
        (
            "[2606:4700::1]:8443",
            &["https://[2606:4700:0::1]:8443"],
            &["https://[2606:4700::1]"],
        ),
        (
            "müller.de",
            &["https://xn--mller-kva.de", "https://MÜLLER.de"],
            &["https://muller.de"],
        ),
    ];
    for (pattern, allowed, others) in cases {
        let rules = Rules::reading([pattern]).unwrap();
        for url in *allowed {
            assert!(allow(&rules, "GET", url), "{pattern}: {url}");
        }
        for url in *others {
            assert!(!allow(&rules, "GET", url), "{pattern}: {url}");
        }
    }
}

#[test]
fn methods_are_those_that_read_unless_a_rule_says_so() {
    let reading = Rules::reading(["example.com"]).unwrap();
    let url = "https://example.com/";
    for method in ["GET", "get", "HEAD"] {
        assert!(allow(&reading, method, url), "{method}");
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"] {
        assert!(!allow(&reading, method, url), "{method}");
    }
    let some =
        rules(json!({ "allow": [{ "hosts": ["example.com"], "methods": ["POST", "propfind"] }] }));
    assert!(allow(&some, "post", url) && !allow(&some, "GET", url));
    // Methods are told apart by case, but for the usual ones.
    assert!(allow(&some, "propfind", url) && !allow(&some, "PROPFIND", url));
    for never in ["TRACE", "connect", "Track", "", "GE T", "GET\r\nX: 1"] {
        assert!(crate::methods::method(never).is_err(), "{never}");
        assert!(crate::Methods::of([never]).is_err(), "{never}");
    }
}

#[test]
fn a_path_must_fit_however_a_server_reads_it() {
    let rules = rules(json!({
        "allow": [{ "hosts": ["x.io"], "paths": ["/public/*", "/v1/items", "/groups/*/members"] }],
        "deny": [{ "hosts": ["x.io"], "paths": ["/public/secret*"] }],
    }));
    for path in [
        "/public/",
        "/public/a/b",
        "/public/a%20b",
        "/public/a%2Fb",
        "/public/ü",
        "/public/100%25",
        "/public/a/../b",
        "/v1/items",
        "/v1/items?admin=1",
        "/v1/%69tems",
        "/x/../v1/items",
        "/groups/7/members",
        "/public/..a/b",
    ] {
        assert!(
            allow(&rules, "GET", &format!("https://x.io{path}")),
            "{path}"
        );
    }
    for path in [
        "",
        "/public",
        "/v1/items/",
        "/v1/items2",
        "/v1/ITEMS",
        "/public/../admin",
        "/public/%2e%2e/admin",
        "/public/.%2e/admin",
        "/public/..%2fadmin",
        "/public/..%2F..%2Fadmin",
        "/public/%252e%252e/admin",
        "/public/%252e%252e%252fadmin",
        "/public/..\\admin",
        "/public/..%5cadmin",
        "/public/..;/admin",
        "/public/..;x=1/admin",
        "/public/%2e%2e;/admin",
        "/public//../../admin",
        "//admin",
        "/groups/members",
        "/public/secret",
        "/public/SECRETS",
        "/public/%73ecret",
        "/public/%2573ecret",
        "/public/x/../secret",
        "/public/x%2f..%2fsecret",
        "/public//secret",
        "/public/./secret",
    ] {
        assert!(
            !allow(&rules, "GET", &format!("https://x.io{path}")),
            "{path}"
        );
    }
}

#[test]
fn the_first_rule_that_means_a_request_counts() {
    let rules = rules(json!({ "allow": [
        { "hosts": ["x.io"], "paths": ["/inside/*"], "private": true },
        { "hosts": ["x.io"] },
    ] }));
    for (url, private) in [("https://x.io/inside/1", true), ("https://x.io/", false)] {
        let target = Target::parse(url).unwrap();
        assert_eq!(
            rules.decide(&Method::GET, &target).unwrap().private,
            private
        );
    }
}

#[test]
fn what_is_not_allowed_is_told_with_what_is() {
    let rules = rules(json!({ "allow": [
        { "hosts": ["api.example.com", "http://localhost:3000"], "methods": ["GET", "POST"], "paths": ["/v1/*"] },
        { "hosts": ["*.example.org"] },
    ], "deny": [{ "hosts": ["a.example.org"] }] }));
    let why = |method: Method, url: &str| {
        rules
            .decide(&method, &Target::parse(url).unwrap())
            .unwrap_err()
    };
    assert_eq!(
        why(Method::DELETE, "https://api.example.com/v1/x?key=hunter2"),
        "DELETE https://api.example.com/v1/x is not allowed. Allowed are: https://api.example.com, http://localhost:3000 (GET, POST; /v1/*); https://*.example.org (GET, HEAD). The operator can allow more in ampoule.toml: [[outbound.allow]] with hosts = [\"https://api.example.com\"], methods = [\"DELETE\"]"
    );
    assert_eq!(
        why(Method::GET, "https://a.example.org/"),
        "GET https://a.example.org/ is denied by `deny` in [outbound]"
    );
    let (none, target) = (Rules::default(), Target::parse("https://x.io").unwrap());
    let why = none.decide(&Method::GET, &target).unwrap_err();
    assert!(why.contains("Allowed are: no requests."));
    let many = (0..20).fold(Rules::default(), |rules, at| {
        rules.and(Rule::to([format!("h{at}.io")]).unwrap())
    });
    assert!(
        many.shown().ends_with("; and by 12 more rules"),
        "{}",
        many.shown()
    );
}

#[test]
fn what_is_no_rule_is_refused() {
    let allow = |rule: Value| json!({ "allow": [rule] });
    for (written, why) in [
        (
            allow(json!({ "hosts": [""] })),
            "`` is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["https://x.io/path"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["user@x.io"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["a.*.io"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["*.1.1.1.1"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["ftp://x.io"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["x.io:0"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["x.io:99999"] })),
            "is not a pattern for hosts",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "paths": ["v1"] })),
            "`v1` is not a pattern for paths",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "paths": ["/a?b"] })),
            "is not a pattern for paths",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "methods": [] })),
            "no method is named",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "methods": ["TRACE"] })),
            "the method TRACE is never sent",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "headers": { "Host": "y" } })),
            "the header `Host` is HTTP's own",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "headers": { "a b": "y" } })),
            "no header can have the name",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "headers": { "A": "hunter2\r\nB: 1" } })),
            "the header `A` has a value that can't be sent",
        ),
        (
            allow(json!({ "hosts": ["x.io"], "colour": 1 })),
            "unknown field `colour`",
        ),
        (json!({ "allowed": [] }), "unknown field `allowed`"),
        (allow(json!({})), "missing field `hosts`"),
    ] {
        let error = serde_json::from_value::<crate::Settings>(written.clone()).unwrap_err();
        let error = error.to_string();
        assert!(error.contains(why), "{written}: {error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    // As the schema says.
    let schema = serde_json::to_value(schemars::schema_for!(crate::Settings)).unwrap();
    assert_eq!(
        schema["properties"]["allow"]["items"]["$ref"],
        "#/$defs/Rule"
    );
}
