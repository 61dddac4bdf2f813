use serde_json::{Value, json};

use super::*;

const TOKEN: &str = "ab/c+d=é-token";

fn known(all: &[&str]) -> Credentials {
    let credentials = Credentials::default();
    all.iter().for_each(|it| assert!(credentials.add(it)));
    credentials
}

fn blot(json: &str) -> String {
    let raw: Box<RawValue> = serde_json::from_str(json).unwrap();
    let all = [
        TOKEN,
        "12345678",
        "12345678-long",
        "nabcdefgh",
        "q\"uo\\te-token",
    ];
    known(&all).blot(&raw).get().to_owned()
}

#[test]
fn credentials_are_blotted_out_however_they_are_escaped() {
    let within = json!({ "token": TOKEN }).to_string();
    let value = json!({
        "a": [TOKEN, { "b": format!("is {TOKEN}!") }, 1], TOKEN: 1, "c": within,
        "d": "q\"uo\\te-token", "e": "12345678-long12345678",
    });
    let expected = json!({
        "a": ["[redacted]", { "b": "is [redacted]!" }, 1], "[redacted]": 1,
        "c": r#"{"token":"[redacted]"}"#,
        "d": "[redacted]", "e": "[redacted][redacted]",
    });
    let read: Value = serde_json::from_str(&blot(&value.to_string())).unwrap();
    assert_eq!(read, expected);
    let each = TOKEN.chars().map(|char| match char {
        '/' => "\\/".to_owned(),
        char => format!("\\u{:04x}", char as u32),
    });
    let escaped: String = each.collect();
    assert_eq!(blot(&format!("[\"{escaped}\"]")), r#"["[redacted]"]"#);
}

#[test]
fn nothing_else_is_touched() {
    for same in [
        "{\"n\": 12345678, \"m\": [1.12345678e5],\n \"text\": \"1234567\"}",
        // An escape's end is not a beginning.
        r#"["\nabcdefgh", "\\\"", "\ud800 1234567", "x\\"]"#,
        "null",
        "\"\"",
    ] {
        assert_eq!(blot(same), same);
    }
    assert_eq!(
        blot(r#"[ "\\nabcdefgh\\", "\u0041", "\ud800 12345678" ]"#),
        r#"[ "\\[redacted]\\", "\u0041", "[redacted]" ]"#
    );
    let raw: Box<RawValue> = serde_json::from_str("[\"12345678\"]").unwrap();
    assert_eq!(Credentials::default().blot(&raw).get(), raw.get());
}

#[test]
fn short_texts_are_none_and_the_oldest_are_let_go_of() {
    let credentials = known(&["12345678"]);
    assert!(!credentials.add("12345678") && !credentials.add(" 1234567 "));
    for number in 0..MOST {
        assert!(credentials.add(&format!("token-{number:03}")));
    }
    assert_eq!(format!("{credentials:?}"), "Credentials(64)");
    assert_eq!(credentials.blotted("\"12345678\""), "\"12345678\"");
    assert_eq!(credentials.blotted("\"token-000\""), "\"[redacted]\"");
}

#[test]
fn names_say_what_is_a_credential() {
    for name in [
        "Authorization",
        "X-Api-Key",
        "apikey",
        "GITHUB_TOKEN",
        "client_secret",
        "Cookie",
    ] {
        assert!(is_name(name), "{name}");
    }
    for name in [
        "X-Team",
        "GIT_AUTHOR_NAME",
        "MAX_TOKENS",
        "Accept",
        "HOME",
        "",
    ] {
        assert!(!is_name(name), "{name}");
    }
}
