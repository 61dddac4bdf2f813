//! What is found in texts that are JSON, in part JSON, or were cut off.

use crate::{Detector, Settings};

fn found(text: &str) -> Vec<String> {
    let detector = Detector::new(&Settings::default()).expect("settings");
    let found = detector.find(text);
    found
        .iter()
        .map(|found| format!("{} {}", found.kind, found.value(text)))
        .collect()
}

#[test]
fn escapes_are_no_part_of_values() {
    assert_eq!(
        found(r#"{"t":"Mail:\njohn@example.com\n"}"#),
        ["email john@example.com"]
    );
    assert_eq!(
        found(r#"{"t":"john\u0040example.com"}"#),
        ["email john@example.com"]
    );
    assert_eq!(
        found(r#"{"Stra\u00dfe":"Am Hang 3"}"#),
        ["address Am Hang 3"]
    );
    // Cut off: no JSON any more.
    assert_eq!(
        found(r#"{"t":"Mail:\njohn@example.com\n"#),
        ["email john@example.com"]
    );
}

#[test]
fn what_is_read_as_something_is_found_as_it_is_written() {
    for (text, value) in [
        (
            "to ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ, now",
            "email ｊｏｈｎ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        ),
        ("to john＠example.com, now", "email john＠example.com"),
        ("to john﹫example.com", "email john﹫example.com"),
        (
            "to jo\u{ad}hn@example\u{200b}.com!",
            "email jo\u{ad}hn@example\u{200b}.com",
        ),
        (
            "pay ４１１１ １１１１ １１１１ １１１１ é",
            "card ４１１１ １１１１ １１１１ １１１１",
        ),
        (
            r#"{"t":"john\uff20example.com é"}"#,
            "email john＠example.com",
        ),
        ("é john@example.com é", "email john@example.com"),
    ] {
        assert_eq!(found(text), [value], "{text}");
    }
    assert_eq!(found("Größe ﬁne ① ｈｅｌｌｏ 한국어 e\u{301}"), [""; 0]);
}

#[test]
fn json_in_lines_and_in_strings_is_read() {
    let lines = "2 people:\n{\"surname\":\"Doe\"}\n{\"surname\":\"Roe\"}\nend";
    assert_eq!(found(lines), ["name Doe", "name Roe"]);
    let inner = serde_json::json!({ "surname": "O\"Neil", "phone": 4915112345678_u64 }).to_string();
    let outer = serde_json::json!({ "content": [{ "text": inner }] }).to_string();
    assert_eq!(found(&outer), ["name O\"Neil", "phone 4915112345678"]);
}

#[test]
fn a_name_counts_where_something_says_that_it_is_a_persons() {
    assert!(found(r#"{"name":"Green Mountain","sku":"A-1"}"#).is_empty());
    assert_eq!(
        found(r#"{"name":"Jane Doe","email":"a@b.cc"}"#),
        ["name Jane Doe", "email a@b.cc"]
    );
    assert_eq!(found(r#"{"author":{"name":"Jane"}}"#), ["name Jane"]);
    assert!(found(r#"{"fileName":"Jane Doe","hostname":"Jane"}"#).is_empty());
}

#[test]
fn a_field_of_a_schema_says_what_a_value_is() {
    let detector = Detector::new(&Settings::default()).expect("settings");
    assert!(detector.find("Jane").is_empty());
    assert_eq!(
        detector.find_in("Jane", Some("firstName"))[0].kind.name(),
        "name"
    );
    assert_eq!(
        detector.find_in("5125550142", Some("mobile"))[0]
            .kind
            .name(),
        "phone"
    );
}

#[test]
fn ranges_are_in_order_apart_and_at_characters() {
    let texts = [
        "é+49 30 901820é a@b.cc“4111 1111 1111 1111”",
        "\u{a0}\u{202f}06\u{202f}12\u{202f}34\u{202f}56\u{202f}78€",
        r#"{"é":"\ud83d\ude00 a@b.cc \ud83d x@y.zz","n":[1,{"tel":"06 12 34 56 78"}]}"#,
        "https://u:p4ssw0rd@host.com/ A B <a@b.cc> name: Ann Lee\nmail: é@b.cc",
        "@é@ü.de <é@é.ée> \\né@b.cc ü: =é name:é name: É É street:é é é",
    ];
    let detector = Detector::new(&Settings::default()).expect("settings");
    for text in texts {
        // All that begins or ends in the middle of something is read as well.
        for (cut, _) in text.char_indices() {
            for text in [&text[cut..], &text[..cut]] {
                let mut end = 0;
                for found in detector.find(text) {
                    assert!(found.range.start >= end && found.range.end > found.range.start);
                    assert!(text.get(found.range.clone()).is_some(), "{text}");
                    end = found.range.end;
                }
            }
        }
    }
}
