//! Secrets in JSON.

use serde_json::{Value, json};

use crate::blot::Blot;

fn blotted(secrets: &[&str], document: &Value) -> (Value, u64) {
    let mut blot = Blot::default();
    blot.add(secrets.iter().map(|secret| (*secret).to_owned()));
    let written = serde_json::to_vec(document).unwrap();
    let clean = blot.document(written);
    (serde_json::from_slice(&clean).unwrap(), blot.found)
}

#[test]
fn secrets_go_wherever_they_are_and_the_rest_stays() {
    let document = json!({
        "hunter2": ["it is hunter2!", "hunter", 1, null, true],
        "inside": "{\"key\":\"say \\\"please\\\"\"}",
        "itself": "say \"please\"",
        "number": 123_456_789,
        "line": "two\nlines of a key",
    });
    let secrets = [
        "hunter2",
        "say \"please\"",
        "123456789",
        "lines of a key\nand more of it",
        "tiny",
    ];
    let (clean, found) = blotted(&secrets, &document);
    assert_eq!(
        clean,
        json!({
            "*******": ["it is *******!", "hunter", 1, null, true],
            "inside": "{\"key\":\"**************\"}",
            "itself": "************",
            "number": 111_111_111,
            "line": "two\n**************",
        })
    );
    assert_eq!(found, 6);
}

#[test]
fn what_has_no_secret_stays_as_it_was_written() {
    let mut blot = Blot::default();
    blot.add(["hunter2".to_owned()]);
    let written = br#" {"a" : [1.0, 12345678901234567890123, "\u0041\/"] , "b":"\\" , "c":"\\\""}"#;
    assert_eq!(blot.document(written.to_vec()), written);
    // As it does what is not JSON, or is cut off.
    for broken in [
        &b"\"open"[..],
        b"\"\\",
        b"{\"a\"",
        b"",
        b"\\\"",
        b"\xff\"\xff\"",
    ] {
        assert_eq!(blot.document(broken.to_vec()), broken);
    }
}

#[test]
fn an_escaped_secret_is_found() {
    let mut blot = Blot::default();
    blot.add(["hunter2".to_owned()]);
    let clean = blot.document(br#"{"a":"\u0068unter2"}"#.to_vec());
    assert_eq!(clean, br#"{"a":"*******"}"#);
}
