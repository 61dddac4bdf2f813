//! Ways around rules and blots.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::server::Server;
use super::*;
use crate::Secret;
use crate::blot::Blot;
use crate::target::Target;

fn is_allowed(rules: &Rules, method: &str, url: &str) -> bool {
    let target = Target::parse(url).unwrap_or_else(|why| panic!("{url}: {why}"));
    let method = crate::methods::method(method).unwrap();
    rules.decide(&method, &target).is_ok()
}

#[test]
fn what_is_denied_is_denied_however_a_server_reads_it() {
    let rules = rules(json!({
        "allow": [{ "hosts": ["x.io", "http://x.io:*"], "methods": ["*"] }],
        "deny": [
            { "hosts": ["x.io"], "paths": ["/admin", "/v1/admin/*"] },
            { "hosts": ["x.io"], "methods": ["PURGE"] },
        ],
    }));
    for path in [
        "/admin",
        "/admin/",
        "/admin;x=1",
        "/admin;/",
        "/;x/admin",
        "/a;b/..;c/admin;d",
        "/admin%3bx",
        "/v1;x=1/admin/users",
        "/v1/admin;x/users",
        "//v1//admin//users",
        "/v1/ADMIN%2fusers",
        "/v1\\admin\\users",
        "/v1/%2561dmin/users",
        "/v1/x%2f..%2fadmin/users",
    ] {
        let url = format!("https://x.io{path}");
        assert!(!is_allowed(&rules, "GET", &url), "{url}");
    }
    // A denial that names neither scheme nor port is of all.
    assert!(!is_allowed(&rules, "GET", "http://x.io/admin"));
    assert!(!is_allowed(&rules, "GET", "http://x.io:8080/admin"));
    for method in ["PURGE", "purge", "Purge"] {
        assert!(!is_allowed(&rules, method, "https://x.io/"), "{method}");
    }
    for path in ["/", "/administer", "/v1/adm;in/x", "/public;x=1/a"] {
        let url = format!("https://x.io{path}");
        assert!(is_allowed(&rules, "GET", &url), "{url}");
    }
}

#[test]
fn a_denial_of_every_host_is_of_addresses_too() {
    let rules = rules(json!({
        "allow": [{ "hosts": ["*", "http://1.1.1.1", "x.io:8443"] }],
        "deny": [
            { "hosts": ["*"], "paths": ["/admin*"] },
            { "hosts": ["http://y.io"] },
        ],
    }));
    for url in ["https://x.io", "http://1.1.1.1", "https://x.io:8443"] {
        assert!(is_allowed(&rules, "GET", url), "{url}");
        let denied = format!("{url}/admin");
        assert!(!is_allowed(&rules, "GET", &denied), "{denied}");
    }
    // One that names the scheme is of that one.
    assert!(is_allowed(&rules, "GET", "https://y.io"));
}

#[test]
fn a_path_is_allowed_if_it_is_without_parameters_too() {
    let rules = rules(
        json!({ "allow": [{ "hosts": ["x.io"], "paths": ["/*/public", "/m;v=1/x", "*.json"] }] }),
    );
    assert!(is_allowed(&rules, "GET", "https://x.io/a/public"));
    assert!(is_allowed(&rules, "GET", "https://x.io/a;b/public"));
    assert!(is_allowed(&rules, "GET", "https://x.io/m;v=1/x"));
    assert!(is_allowed(&rules, "GET", "https://x.io/a;v=1.json/b.json"));
    assert!(!is_allowed(&rules, "GET", "https://x.io/admin;x.json"));
    assert!(!is_allowed(&rules, "GET", "https://x.io/m;v=2/x"));
}

#[tokio::test]
async fn headers_that_servers_take_for_others_are_not_sent() {
    let server = Server::echo().await;
    let rule = Rule::to([&server.origin]).unwrap().private();
    let rule = rule
        .header("X-Api-Key", Secret::new("hunter2-token"))
        .unwrap();
    let binding = by(Rules::default().and(rule), OutboundOptions::default());
    for name in [
        "x_http_method_override",
        "X_Original_URL",
        "Transfer_Encoding",
        "content_length",
        "X-Original-URI",
        "X-Forwarded-Host",
        "X-Forwarded-Uri",
        "X_Forwarded_Host",
        "Forwarded",
        "X-Host",
    ] {
        let asked = json!({ "url": server.url("/"), "headers": [[name, "x"]] });
        let why = denied(fetch(&binding, asked).await);
        assert!(why.contains("can't be set"), "{name}: {why}");
    }
    // To servers that know variables and no dashes, this is the host's own header.
    let asked =
        json!({ "url": server.url("/"), "headers": [["x_api_key", "mine"], ["X_Other", "kept"]] });
    fetch(&binding, asked).await.unwrap();
    let got = server.take_got();
    assert!(got.len() == 1 && !got[0].contains("mine"), "{got:?}");
    assert!(got[0].contains("x-api-key: hunter2-token"), "{got:?}");
    assert!(got[0].contains("kept"), "{got:?}");
}

#[test]
fn secrets_are_blotted_out_as_servers_usually_write_them() {
    let value = "Bearer sk-ab_cd.ef~gh+ij/kl'mn&op\"qr=";
    let token = value.split_once(' ').unwrap().1;
    let blot = Blot::of([value].into_iter());
    let within = |before: &str| format!("{before}{value}; and more");
    for said in [
        "sk-ab_cd.ef~gh%2Bij%2Fkl%27mn%26op%22qr%3D".to_owned(),
        "sk-ab_cd.ef~gh%2bij%2fkl%27mn%26op%22qr%3d".to_owned(),
        // As `encodeURIComponent` and forms have it.
        "sk-ab_cd.ef~gh%2Bij%2Fkl'mn%26op%22qr%3D".to_owned(),
        "sk-ab_cd.ef%7Egh%2Bij%2Fkl%27mn%26op%22qr%3D".to_owned(),
        // As pages have it.
        "sk-ab_cd.ef~gh+ij/kl&#39;mn&amp;op&quot;qr=".to_owned(),
        "sk-ab_cd.ef~gh+ij/kl&#x27;mn&amp;op&quot;qr=".to_owned(),
        "sk-ab_cd.ef~gh+ij/kl'mn&amp;op&quot;qr=".to_owned(),
        "sk-ab_cd.ef~gh+ij/kl&#x27;mn&amp;op&#34;qr=".to_owned(),
        // As JSON has it.
        r#"sk-ab_cd.ef~gh+ij/kl'mn&op\"qr="#.to_owned(),
        r#"sk-ab_cd.ef~gh+ij\/kl'mn&op\"qr="#.to_owned(),
        r#"sk-ab_cd.ef~gh+ij/kl\u0027mn\u0026op\"qr="#.to_owned(),
        STANDARD.encode(token),
        STANDARD.encode(within("")),
        STANDARD.encode(within("a")),
        STANDARD.encode(within("ab")),
        URL_SAFE_NO_PAD.encode(within("ab")),
        token.bytes().map(|byte| format!("{byte:02x}")).collect(),
    ] {
        let told = blot.text(&said);
        assert!(told.contains("[redacted]"), "{said}: {told}");
        assert!(!told.contains("ab_cd"), "{told}");
    }
    let cookie = Blot::of(["session=abcdefgh; other=ijklmnop"].into_iter());
    assert_eq!(
        cookie.text(r#"{"session": "abcdefgh", "other": "ijklmnop"}"#),
        r#"{"session": "[redacted]", "other": "[redacted]"}"#
    );
}
