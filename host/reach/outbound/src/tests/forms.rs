//! Forms in which URLs may be written, all of which lead to the same few places.

use super::*;
use crate::target::Target;

/// What becomes of a URL by one rule: `example.com`, with HTTPS.
#[tokio::test]
async fn every_form_of_a_url_is_decided_on() {
    let binding = by(
        Rules::reading([
            "example.com",
            "127.0.0.1",
            "[::1]",
            "169.254.169.254",
            "100.100.100.200",
            "10.0.0.1",
            "[64:ff9b::a00:1]",
            "[2002:7f00:1::]",
            "[fd00:ec2::254]",
            "[::ffff:127.0.0.1]",
            "[::127.0.0.1]",
            "0.0.0.0",
            "168.63.129.16",
        ])
        .unwrap(),
        OutboundOptions::default(),
    );
    let private = "is in a private network";
    let other = "is not allowed. Allowed are";
    for (url, why) in [
        // Of this machine, or beside it, in all ways to write them.
        ("https://127.0.0.1/", private),
        ("https://127.1/", private),
        ("https://127.0.1/", private),
        ("https://2130706433/", private),
        ("https://0x7f000001/", private),
        ("https://0x7f.0x0.0x0.0x1/", private),
        ("https://0177.0.0.1/", private),
        ("https://0177.0.0.01", private),
        ("https://127.0.0.1./", private),
        ("https://①②⑦.0.0.1/", private),
        ("https://127。0。0。1/", private),
        ("https://%31%32%37.0.0.1/", private),
        ("https:127.0.0.1", private),
        ("https:///127.0.0.1", private),
        ("https:\\\\127.0.0.1\\", private),
        ("hTTpS://127.0.0.1:443", private),
        ("https://0/", private),
        ("https://0.0.0.0/", private),
        ("https://[::1]/", private),
        ("https://[0:0:0:0:0:0:0:1]/", private),
        ("https://[::ffff:127.0.0.1]/", private),
        ("https://[::ffff:7f00:1]/", private),
        ("https://[::127.0.0.1]/", private),
        ("https://[64:ff9b::10.0.0.1]/", private),
        ("https://[2002:7f00:1::]/", private),
        ("https://[fd00:ec2::254]/", private),
        ("https://169.254.169.254/latest/meta-data", private),
        ("https://0xa9fea9fe/", private),
        ("https://2852039166/", private),
        ("https://100.100.100.200/", private),
        ("https://168.63.129.16/", private),
        ("https://10.1/", private),
        // Others' than those of the rule.
        ("https://127.0.0.2/", other),
        ("https://example.com.evil.io/", other),
        ("https://evil.io/#example.com", other),
        ("https://evil.io?example.com", other),
        ("https://evil.io\\example.com", other),
        ("https://evil.io/https://example.com", other),
        ("http://example.com/", other),
        ("https://example.com:444/", other),
        ("https://exаmple.com/", other),
        ("https://example.com%2eevil.io/", other),
        // None at all.
        ("https://user@example.com/", "has a user name or password"),
        (
            "https://example.com@evil.io/",
            "has a user name or password",
        ),
        ("https://:pw@example.com/", "has a user name or password"),
        ("https://example.com%40evil.io/", "is not a URL"),
        ("https://example.com%00.evil.io/", "is not a URL"),
        ("https://exa mple.com/", "is not a URL"),
        ("https://example.com\r\n.evil.io/", "has control characters"),
        ("https://example.com/\tx", "has control characters"),
        ("https://example.com/%0d%0aX: 1", "control characters"),
        ("https://example.com/%00", "control characters"),
        (
            "https://example.com/%25252525252e",
            "encoded too many times",
        ),
        ("https://[fe80::1%25eth0]/", "is not a URL"),
        ("https://[::1", "is not a URL"),
        ("https://256.256.256.256/", "is not a URL"),
        ("https://example.com:0/", "has port 0"),
        ("https://example.com:99999/", "is not a URL"),
        ("https://example..com/", "not the name of a host"),
        ("https://.example.com/", "not the name of a host"),
        ("https://example.com../", "not the name of a host"),
        ("https:///", "is not a URL"),
        ("https://", "is not a URL"),
        ("/relative", "is not a URL"),
        ("example.com", "is not a URL"),
        ("", "is not a URL"),
        ("file:///etc/passwd", "begins with file:"),
        ("ftp://example.com/", "begins with ftp:"),
        ("data:text/plain,x", "begins with data:"),
        ("javascript:alert(1)", "begins with javascript:"),
        ("gopher://example.com/", "begins with gopher:"),
        ("blob:https://example.com/1", "begins with blob:"),
        ("unix:/var/run/docker.sock", "begins with unix:"),
    ] {
        let told = denied(fetch(&binding, json!({ "url": url })).await);
        assert!(told.contains(why), "{url}: {told}");
    }
    let long = format!("https://example.com/{}", "a".repeat(20_000));
    let told = denied(fetch(&binding, json!({ "url": long })).await);
    assert_eq!(told, "the URL has more than 16384 bytes");
}

#[test]
fn what_is_sent_is_what_was_decided_on() {
    for (written, sent) in [
        (
            "https://Example.COM.:443/a/./b/../c#x",
            "https://example.com/a/c",
        ),
        ("https://0x08.010.8/", "https://8.8.0.8/"),
        (
            "https://[::FFFF:8.8.8.8]:8443",
            "https://[::ffff:808:808]:8443/",
        ),
        (
            "https://bücher.example/ü?ü",
            "https://xn--bcher-kva.example/%C3%BC?%C3%BC",
        ),
        ("https:\\\\example.com\\a", "https://example.com/a"),
    ] {
        assert_eq!(Target::parse(written).unwrap().url.as_str(), sent);
    }
}
