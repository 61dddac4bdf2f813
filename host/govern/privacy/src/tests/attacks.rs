//! What somebody may try who wants data out, or wants to be sent what is somebody else's.

use serde_json::{Value, json};

use crate::{Boundary, Detector, Mode, Settings, Table, TableLimits, Tables};

fn boundary() -> Boundary {
    let settings = Settings {
        mode: Mode::Tokens,
        ..Settings::default()
    };
    Boundary::new(settings).expect("settings")
}

fn masked(text: &str, table: &mut Table) -> String {
    let passed = boundary().pass(text, table).expect("not blocked");
    passed.text.into_owned()
}

fn sent(arguments: &Value, table: &Table) -> Value {
    let text = arguments.to_string();
    let sent = table.unmask(&text, |_| true).expect("short");
    serde_json::from_str(&sent.json.unwrap_or(text)).expect("JSON")
}

#[test]
fn names_of_members_are_read_as_values_are() {
    let texts = [
        r#"{"jane@example.com":5}"#,
        r#"{"a":{"jane\u0040example.com":[1]}}"#,
        r#"{"text":"{\"jane@example.com\":{\"x\":1}}"}"#,
        r#"{"call +49 30 901820":5}"#,
    ];
    for text in texts {
        let mut table = Table::default();
        let hidden = masked(text, &mut table);
        assert!(!hidden.contains("example.com"), "{hidden}");
        assert!(!hidden.contains("901820"), "{hidden}");
        let value: Value = serde_json::from_str(&hidden).expect("JSON");
        let back: Value = serde_json::from_str(text).expect("JSON");
        assert_eq!(sent(&value, &table).to_string(), back.to_string());
    }
}

#[test]
fn names_of_members_in_a_tools_data_are_no_tokens() {
    let mut table = Table::default();
    masked("victim@example.com", &mut table);
    for page in [
        r#"{"<email:1>":1}"#,
        r#"{"a":{"\u003cemail:1\u003e":1}}"#,
        r#"{"text":"{\"<email:1>\":1}"}"#,
    ] {
        let seen = table.take_in(page).into_owned();
        let seen: Value = serde_json::from_str(&seen).expect("JSON");
        let there = sent(&seen, &table).to_string();
        assert!(!there.contains("victim"), "{page}: {there}");
        let page: Value = serde_json::from_str(page).expect("JSON");
        assert_eq!(there, page.to_string());
    }
}

/// A script reads a tool's text as JSON, and passes what is in it on.
#[test]
fn no_way_to_escape_a_token_makes_it_one_once_it_is_read() {
    let strings = [
        r#""\u003cemail:1>""#,
        r#""<email:1\u003e""#,
        r#""\u003c\u0065mail:1>""#,
        r#""<email\u003a1>""#,
        r#""<email:\u0031>""#,
        r#""<emai\u006c:1>""#,
    ];
    for string in strings {
        let mut table = Table::default();
        masked("victim@example.com", &mut table);
        let deep = format!("{}{string}{}", "[".repeat(200), "]".repeat(200));
        let tired = format!("{}{{\"a\":{string}}}", "{\"x\":\n".repeat(50));
        for text in [string.to_owned(), deep, tired] {
            let seen = table.take_in(&text).into_owned();
            let from = seen
                .rfind("[\"")
                .map_or_else(|| seen.rfind(":\"").map_or(0, |at| at + 1), |at| at + 1);
            let end = seen.rfind('"').expect("a quote") + 1;
            let inner: String = serde_json::from_str(&seen[from..end]).expect("a string");
            let there = sent(&json!([inner]), &table).to_string();
            assert!(!there.contains("victim"), "{text}: {there}");
        }
    }
}

#[test]
fn what_looks_like_a_token_hides_no_value_beside_it() {
    for text in [
        "/q?a=%3Cemail:1%3Ejane@example.com",
        "%3Cemail%3A77%3Ejane@example.com",
        "<a@example.com:1>",
    ] {
        let mut table = Table::default();
        let hidden = masked(text, &mut table);
        assert!(!hidden.contains("example.com"), "{hidden}");
        assert_eq!(sent(&json!([hidden]), &table), json!([text]));
    }
}

#[test]
fn a_kind_that_is_not_looked_for_hides_no_other() {
    let detector = |kinds: &[&str]| {
        let settings: Settings =
            serde_json::from_value(json!({ "kinds": kinds })).expect("settings");
        Detector::new(&settings).expect("settings")
    };
    let cases = [
        (r#"{"address":"Am Hang 3, +49 30 901820"}"#, "phone"),
        (r#"{"full_name":"Jane Doe 4111 1111 1111 1111"}"#, "card"),
        (r#"{"password":"jane@example.com"}"#, "email"),
        ("address: Am Hang 3, +49 30 901820", "phone"),
        ("password: jane@example.com", "email"),
    ];
    for (text, kind) in cases {
        assert_eq!(detector(&[kind]).count(text).of(kind), 1, "{text}");
    }
}

#[test]
fn a_table_that_is_read_keeps_its_numbers_though_it_may_have_less_now() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("privacy");
    let tables = Tables::open(&path, TableLimits::default()).expect("a folder");
    let mut table = Table::default();
    let large = format!("{}@example.com", "a".repeat(60));
    assert_eq!(table.token("email", &large, false), "<email:1>");
    assert_eq!(table.token("email", "b@example.com", false), "<email:2>");
    tables.write("one", &table).expect("written");
    let less = TableLimits {
        bytes: 40,
        ..TableLimits::default()
    };
    let tables = Tables::open(&path, less).expect("a folder");
    let mut table = tables.read("one").expect("read");
    // The model knows the tokens of before: none may be another value's now.
    assert_ne!(table.token("email", "c@example.com", false), "<email:1>");
    assert_eq!(
        sent(&json!(["<email:2>"]), &table),
        json!(["b@example.com"])
    );
}

#[test]
fn no_mixture_of_signs_breaks_anything() {
    const PIECES: [&str; 28] = [
        "\\", "\\u", "\\u003c", "\\ud83d", "\\ude00", "é", "😀", "<", "email:1", ">", "&lt", ";",
        "%3c", "%", "&#60", ":", "\"", "{", "}", "[", "]", "a@b.cc", "name", "@", "1", "\n", "=",
        " ",
    ];
    // A pseudorandom sequence, the same each time.
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).expect("small") % below
    };
    for _ in 0..20_000 {
        let length = random(14);
        let text: String = (0..length).map(|_| PIECES[random(PIECES.len())]).collect();
        let mut table = Table::default();
        let _ = table.token("email", "victim@example.com", false);
        let quoted = json!({ "a": text, text.clone(): 1 }).to_string();
        for text in [text, quoted] {
            let seen = table.take_in(&text).into_owned();
            let hidden = masked(&seen, &mut table);
            for arguments in [&seen, &hidden] {
                let sent = table.unmask(arguments, |_| true).expect("short");
                let sent = sent.json.unwrap_or_default();
                assert!(!sent.contains("victim"), "{text}: {sent}");
            }
        }
    }
}
