use super::*;
use serde_json::json;

#[test]
fn what_is_named_is_taken_out() {
    let fields: Fields = "email, customers.*.phone, rows.0".parse().unwrap();
    let mut value = json!({
        "email": "a@b.c",
        "customers": [{"phone": 1, "name": "x"}, {"name": "y"}, {"phone": {"home": 2}}],
        "rows": ["first", "second"],
    });
    assert_eq!(fields.redact(&mut value), 4);
    let redacted = json!({
        "email": REDACTED,
        "customers": [{"phone": REDACTED, "name": "x"}, {"name": "y"}, {"phone": REDACTED}],
        "rows": [REDACTED, "second"],
    });
    assert_eq!(value, redacted);
    assert_eq!(fields.redact(&mut value), 0);
    assert_eq!(fields.to_string(), "email, customers.*.phone, rows.0");
}

#[test]
fn where_a_path_does_not_fit_more_is_taken_out_rather_than_less() {
    for (fields, value, redacted) in [
        // JSON in a text, or a sentence.
        (
            "customer.email",
            json!({"customer": "{\"email\":\"a@b.c\"}", "id": 1}),
            json!({"customer": "{\"email\":\"[redacted]\"}", "id": 1}),
        ),
        (
            "*.email",
            json!({"one": "[{\"email\":1}]", "name": "Ada", "age": 3, "broken": "{\"email\""}),
            json!({"one": "[{\"email\":\"[redacted]\"}]", "name": "Ada", "age": 3, "broken": REDACTED}),
        ),
        (
            "a.b",
            json!({"a": "[redacted text]"}),
            json!({"a": REDACTED}),
        ),
        ("email", json!("ada has a@b.c"), json!(REDACTED)),
        (
            "*.phone",
            json!([44123, {"phone": 1}]),
            json!([REDACTED, {"phone": REDACTED}]),
        ),
        // A list of what one was expected of.
        (
            "customer.email",
            json!({"customer": [{"email": "a@b.c"}, [{"email": "d@e.f", "name": "x"}]]}),
            json!({"customer": [{"email": REDACTED}, [{"email": REDACTED, "name": "x"}]]}),
        ),
        // One item of what a list was expected of.
        (
            "rows.0",
            json!({"rows": "first"}),
            json!({"rows": REDACTED}),
        ),
        // What has nothing in it stays.
        (
            "a.b, c, d.e",
            json!({"a": null, "d": true, "f": "x"}),
            json!({"a": null, "d": true, "f": "x"}),
        ),
        ("a", json!(3), json!(3)),
    ] {
        let fields: Fields = fields.parse().unwrap();
        let mut taken = value;
        fields.redact(&mut taken);
        assert_eq!(taken, redacted, "{fields}");
        assert_eq!(fields.redact(&mut taken), 0, "once is enough: {fields}");
    }
}

#[test]
fn what_is_named_is_taken_out_wherever_it_is() {
    let fields: Fields = "email, customers.*.phone, rows.0".parse().unwrap();
    let mut value = json!({
        "given": {"email": "a@b.c", "customer": [{"phone": {"home": 2}, "name": "x"}]},
        "customers": {"x": {"phone": 1}},
        "rows": ["first"],
        "says": "phone",
    });
    assert_eq!(fields.redact_wherever(&mut value), 4);
    let redacted = json!({
        "given": {"email": REDACTED, "customer": [{"phone": REDACTED, "name": "x"}]},
        "customers": {"x": {"phone": REDACTED}},
        "rows": REDACTED,
        "says": "phone",
    });
    assert_eq!(value, redacted);
    // What has no name may be anywhere.
    for nameless in ["*", "*.0", "email, 0.*"] {
        let fields: Fields = nameless.parse().unwrap();
        let mut value = json!({"a": [1]});
        assert_eq!(fields.redact_wherever(&mut value), 1, "{nameless}");
        assert_eq!(value, REDACTED);
    }
}

#[test]
fn a_star_alone_is_everything() {
    let mut value = json!(["a"]);
    let fields: Fields = "*".parse().unwrap();
    assert_eq!(fields.redact(&mut value), 1);
    assert_eq!(value, REDACTED);
}

#[test]
fn what_names_nothing_is_refused() {
    let many = vec!["a"; MOST_FIELDS + 1].join(",");
    for text in ["", "a,", "a..b", ".", many.as_str()] {
        assert!(text.parse::<Fields>().is_err(), "{text}");
    }
}
