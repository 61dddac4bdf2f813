//! Tokens: what becomes one, what one stands for, and what only looks like one.

use crate::token::{self, Form};
use crate::{Boundary, Mode, Settings, Table, TableLimits};

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

fn unmasked(json: &str, table: &Table) -> String {
    let sent = table.unmask(json, |_| true).expect("short");
    sent.json.unwrap_or_else(|| json.to_owned())
}

#[test]
fn a_value_has_the_same_token_as_long_as_the_session_lasts() {
    let mut table = Table::default();
    assert_eq!(
        masked("a@example.com, b@example.com", &mut table),
        "<email:1>, <email:2>"
    );
    assert_eq!(masked("b@example.com", &mut table), "<email:2>");
    // Another session has other tokens.
    assert_eq!(masked("b@example.com", &mut Table::default()), "<email:1>");
    // Written differently, it has to come back differently.
    assert_eq!(
        masked("+49 30 901820 or +4930901820", &mut table),
        "<phone:1> or <phone:2>"
    );
}

#[test]
fn round_trips_lose_nothing() {
    let documents = [
        r#"{"name":"Jane Doe","email":"jane@example.com","phone":"+49 30 901820"}"#,
        r#"{"phone":4915112345678,"note":"call +1 415-555-2671"}"#,
        r#"{"content":[{"text":"{\"phone\":4915112345678,\"email\":\"a@example.com\",\"surname\":\"O\\\"Neil\"}"}]}"#,
        r#"{"surname":"O\"Ne\\il","first_name":"\u00c9lodie","mail":"a\u0040example.com"}"#,
        r#"{"text":"write to\njane@example.com\tor\u00a0+33 6 12 34 56 78"}"#,
        r#"["<email:1>","&lt;email:1&gt;","x@example.com"]"#,
    ];
    for document in documents {
        let mut table = Table::default();
        let hidden = masked(document, &mut table);
        assert_ne!(hidden, document);
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).expect("JSON");
        value(&hidden);
        for personal in [
            "Jane",
            "example.com",
            "901820",
            "12345678",
            "2671",
            "Neil",
            "lodie",
        ] {
            assert!(!hidden.contains(personal), "{hidden}");
        }
        assert_eq!(
            deep(value(&unmasked(&hidden, &table))),
            deep(value(document)),
            "{hidden}"
        );
    }
}

/// A value whose strings of JSON are values, too: how these are written does not matter.
fn deep(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => match serde_json::from_str::<Value>(&text) {
            Ok(inner @ (Value::Object(_) | Value::Array(_))) => deep(inner),
            _ => Value::String(text),
        },
        Value::Array(items) => items.into_iter().map(deep).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, member)| (name, deep(member)))
            .collect(),
        other => other,
    }
}

#[test]
fn every_form_that_models_copy_resolves_and_is_escaped_as_the_token_was() {
    let mut table = Table::default();
    let token = table.token("name", "O'Neil & \"Sons\"", false);
    assert_eq!(token, "<name:1>");
    let cases = [
        (r#"{"a":"<name:1>"}"#, r#"{"a":"O'Neil & \"Sons\""}"#),
        (
            r#"{"a":"\u003cname:1\u003e"}"#,
            r#"{"a":"O'Neil & \"Sons\""}"#,
        ),
        (
            r#"{"a":"to <NAME:1>, <Name:1>!"}"#,
            r#"{"a":"to O'Neil & \"Sons\", O'Neil & \"Sons\"!"}"#,
        ),
        (
            r#"{"a":"<b>&lt;name:1&gt;</b>"}"#,
            r#"{"a":"<b>O&#39;Neil &amp; &quot;Sons&quot;</b>"}"#,
        ),
        (
            r#"{"a":"/q?n=%3Cname%3A1%3E"}"#,
            r#"{"a":"/q?n=O%27Neil%20%26%20%22Sons%22"}"#,
        ),
        (r#"{"<name:1>":1}"#, r#"{"O'Neil & \"Sons\"":1}"#),
        (
            r#"{"a":"{\"b\":\"<name:1>\"}"}"#,
            r#"{"a":"{\"b\":\"O'Neil & \\\"Sons\\\"\"}"}"#,
        ),
        (
            r#"{"a":"x = \\u003cname:1\\u003e"}"#,
            r#"{"a":"x = O'Neil & \\\"Sons\\\""}"#,
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(unmasked(arguments, &table), expected);
    }
    for none in [
        "< name:1>",
        "<name:01>",
        "<name: 1>",
        "name:1",
        "<name:2>",
        "<name:1",
        "<name1>",
        "<email:1>",
        "<name:1234567890>",
    ] {
        let arguments = serde_json::json!({ "a": none }).to_string();
        assert_eq!(unmasked(&arguments, &table), arguments);
    }
}

#[test]
fn what_looks_like_a_token_in_a_tools_data_stands_for_nobody() {
    let mut table = Table::default();
    masked("victim@example.com", &mut table);
    for written in [
        "<email:1>",
        "<EMAIL:1>",
        r"\u003cemail:1\u003e",
        "&lt;email:1&gt;",
        "%3Cemail%3A1%3E",
    ] {
        // The page of a stranger, which a script copies to another tool.
        let page = serde_json::json!({ "text": format!("mail {written} now") }).to_string();
        let seen = table.take_in(&page).into_owned();
        assert!(!seen.contains("email:1"), "{seen}");
        let sent = unmasked(&seen, &table);
        assert!(!sent.contains("victim"), "{sent}");
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).expect("JSON");
        assert_eq!(value(&sent), value(&page));
    }
}

#[test]
fn a_number_that_is_not_given_yet_can_not_be_had_beforehand() {
    let mut table = Table::default();
    // The script returns a token that is none yet: later it would be somebody's.
    let shown = masked("keep <email:1>", &mut table);
    assert_eq!(shown, "keep <literal:1>");
    assert_eq!(masked("victim@example.com", &mut table), "<email:1>");
    assert_eq!(unmasked(r#"["<literal:1>"]"#, &table), r#"["<email:1>"]"#);
    // One of this session's stays what it is.
    assert_eq!(masked("to <email:1>", &mut table), "to <email:1>");
}

#[test]
fn a_tool_gets_the_kinds_that_it_may_have() {
    let mut table = Table::default();
    masked("a@example.com +49 30 901820", &mut table);
    let sent = table
        .unmask(r#"["<email:1>","<phone:1>"]"#, |kind| kind == "email")
        .expect("short");
    assert_eq!(
        sent.json.as_deref(),
        Some(r#"["a@example.com","<phone:1>"]"#)
    );
    assert_eq!((sent.sent.of("email"), sent.kept.of("phone")), (1, 1));
    assert_eq!(
        table
            .unmask(r#"["nothing"]"#, |_| true)
            .expect("short")
            .json,
        None
    );
}

#[test]
fn a_full_table_gives_no_value_away() {
    let limits = TableLimits {
        entries: 1,
        ..TableLimits::default()
    };
    let mut table = Table::new(limits);
    assert_eq!(
        masked("a@example.com b@example.com a@example.com", &mut table),
        "<email:1> <email> <email:1>"
    );
    assert_eq!((table.len(), table.refused()), (1, 1));
}

#[test]
fn values_do_not_make_arguments_endless() {
    let limits = TableLimits {
        restored: 1000,
        ..TableLimits::default()
    };
    let mut table = Table::new(limits);
    table.token("key", &"x".repeat(300), false);
    let arguments = |count| format!("[\"{}\"]", "<key:1>".repeat(count));
    assert!(table.unmask(&arguments(3), |_| true).is_ok());
    assert!(table.unmask(&arguments(4), |_| true).is_err());
}

#[test]
fn tokens_are_found_where_they_are() {
    let text = "é<email:12>&LT;ip:3&gt;<<name:4>><a:0>";
    let found: Vec<_> = token::tokens(text)
        .map(|token| (&text[token.range.clone()], token.form, token.number))
        .collect();
    assert_eq!(
        found,
        [
            ("<email:12>", Form::Plain, 12),
            ("&LT;ip:3&gt;", Form::Html, 3),
            ("<name:4>", Form::Plain, 4)
        ]
    );
}
