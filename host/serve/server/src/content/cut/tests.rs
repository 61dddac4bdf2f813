use serde_json::{Value, json as value_of};

use super::*;

fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

fn room(bytes: usize, tokens: usize) -> Room {
    Room { bytes, tokens }
}

fn shown(value: &Value, bytes: usize) -> Value {
    let value = raw(value);
    let text = json(value.get(), room(bytes, 4000)).into_owned();
    assert!(
        text.len() <= bytes + MARK,
        "{} bytes of {bytes}: {text}",
        text.len()
    );
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn what_fits_is_left_as_it_was_written() {
    let written = "[1.0, 2e3,\"ä\"]";
    assert_eq!(json(written, room(100, 100)), written);
}

#[test]
fn of_a_list_the_first_and_the_last_items_are_shown() {
    let rows: Vec<Value> = (0..1000)
        .map(|n| value_of!({"id": n, "name": "x"}))
        .collect();
    assert_eq!(
        shown(&value_of!(rows), 200),
        value_of!([
            {"id": 0, "name": "x"}, {"id": 1, "name": "x"}, {"id": 2, "name": "x"},
            {"id": 3, "name": "x"}, {"id": 4, "name": "x"}, "… 993 items left out …",
            {"id": 998, "name": "x"}, {"id": 999, "name": "x"},
        ])
    );
}

#[test]
fn of_an_object_all_keys_are_shown_and_large_values_in_part() {
    let value = value_of!({
        "total": 2,
        "next": null,
        "items": (0..100).collect::<Vec<_>>(),
        "text": "lorem ipsum ".repeat(100),
    });
    let shown = shown(&value, 300);
    assert_eq!(
        (&shown["total"], &shown["next"]),
        (&value_of!(2), &value_of!(null))
    );
    let items = shown["items"].as_array().unwrap();
    assert_eq!(
        (&items[0], items.last()),
        (&value_of!(0), Some(&value_of!(99)))
    );
    assert!(
        items
            .iter()
            .any(|item| item.as_str().is_some_and(|said| said.contains("left out")))
    );
    let text = shown["text"].as_str().unwrap();
    assert!(
        text.starts_with("lorem ipsum") && text.ends_with("ipsum "),
        "{text}"
    );
    assert!(text.contains(" characters left out …"), "{text}");
}

#[test]
fn keys_that_don_t_fit_are_counted() {
    let value: serde_json::Map<String, Value> = (0..500)
        .map(|n| (format!("key-{n:03}"), value_of!(n)))
        .collect();
    let shown = shown(&Value::Object(value), 200);
    assert_eq!(shown["key-000"], 0);
    let more = shown["…"].as_str().unwrap();
    let more: usize = more.strip_suffix(" more keys").unwrap().parse().unwrap();
    assert_eq!(more + shown.as_object().unwrap().len() - 1, 500);
}

#[test]
fn items_that_are_too_large_are_shown_in_part() {
    let page = |n: i32| value_of!({"page": n, "text": "word ".repeat(1000)});
    let shown = shown(&value_of!([page(1), page(2), page(3)]), 600);
    for n in 0..3 {
        assert_eq!(shown[n]["page"], n + 1);
        assert!(shown[n]["text"].as_str().unwrap().contains("left out"));
    }
}

#[test]
fn it_takes_no_more_tokens_than_it_may_in_whatever_script() {
    let tokens = tokens::exactly;
    let values = [
        value_of!((0..100_000).collect::<Vec<_>>()),
        value_of!(vec!["東京都港区の天気は晴れです"; 10_000]),
        value_of!({"text": "🙂".repeat(50_000)}),
        value_of!(vec![
            value_of!({"name": "a\"b\\c\n", "is": [true, null]});
            5_000
        ]),
    ];
    for value in values {
        let text = json(raw(&value).get(), room(1 << 20, 4000)).into_owned();
        assert!((500..=4000).contains(&tokens(&text)), "{}", tokens(&text));
        serde_json::from_str::<Value>(&text).unwrap();
    }
}

#[test]
fn the_middle_of_a_text_is_left_out_at_character_boundaries() {
    assert_eq!(shortened("short", 5), "short");
    let text = "ä".repeat(100);
    let short = shortened(&text, 21);
    assert!(short.starts_with("äääää\n… 180 bytes left out"), "{short}");
    assert!(short.ends_with("…\näääää"), "{short}");
}

#[test]
fn deep_values_end_in_a_mark() {
    let deep = format!(
        "{}\"{}\"{}",
        "[".repeat(100),
        "x".repeat(10_000),
        "]".repeat(100)
    );
    assert_eq!(
        json(&deep, room(2000, 4000)),
        format!("{}\"…\"{}", "[".repeat(LEVELS), "]".repeat(LEVELS))
    );
}
