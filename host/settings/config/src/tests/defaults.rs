//! Descriptions of keys state the defaults that the types have.

use super::*;

/// The tables whose types have a default for each key that states one.
const TABLES: [&str; 11] = [
    "outbound",
    "privacy",
    "python",
    "records",
    "runs",
    "runs.parked",
    "runs.parked.all",
    "search",
    "sessions",
    "skills",
    "workspace",
];

/// The keys of a table whose descriptions end in a value, each with the value as TOML.
fn stated(table: &str) -> Vec<(String, String)> {
    let written = schema();
    let path = table.replace('.', "/properties/");
    let path = format!("/properties/{path}/properties");
    let keys = written.pointer(&path).and_then(|keys| keys.as_object());
    let keys = keys.unwrap().iter();
    let stated = |(key, form): (&String, &serde_json::Value)| {
        Some((key.clone(), value(form["description"].as_str()?)?))
    };
    keys.filter_map(stated).collect()
}

/// The value at a description's end, as TOML; none if it is told in words.
fn value(description: &str) -> Option<String> {
    let (_, stated) = description.rsplit_once("Default: ")?;
    let stated = stated.strip_suffix('.')?;
    let quoted = stated.strip_prefix('`').map(|rest| rest.strip_suffix('`'));
    let text = quoted.unwrap_or(Some(stated))?;
    let is_bare = text == "true" || text == "false" || text.parse::<u64>().is_ok();
    let number = text.replace(',', "");
    match (is_bare, number.parse::<u64>(), quoted) {
        (true, ..) => Some(text.to_owned()),
        (false, Ok(_), _) => Some(number),
        (false, Err(_), Some(_)) if !text.contains('`') => Some(format!("'{text}'")),
        (false, Err(_), _) => None,
    }
}

#[test]
fn a_table_with_the_stated_defaults_is_as_one_without() {
    let mut tried = 0;
    for table in TABLES {
        let bare = parse(&format!("[{table}]")).unwrap();
        for (key, value) in stated(table) {
            let whole = parse(&format!("[{table}]\n{key} = {value}")).unwrap();
            assert_eq!(whole, bare, "{table}.{key} = {value}");
            tried += 1;
        }
    }
    assert!(tried > 25, "{tried}");
}

#[test]
fn approvals_and_the_audit_log_have_the_stated_defaults() {
    let bare = parse("[approvals]\n[audit]").unwrap().governance;
    let limits = bare.approvals.limits();
    let log = bare.audit.unwrap().settings();
    for (key, value) in stated("approvals") {
        let whole = parse(&format!("[approvals]\n{key} = {value}")).unwrap();
        let whole = whole.governance.approvals;
        assert_eq!(whole.limits(), limits, "approvals.{key} = {value}");
    }
    for (key, value) in stated("audit") {
        let whole = parse(&format!("[audit]\n{key} = {value}")).unwrap();
        let whole = whole.governance.audit.unwrap().settings();
        assert_eq!(whole.keep_for, log.keep_for, "audit.{key} = {value}");
        assert_eq!(whole.rotate_bytes, log.rotate_bytes, "{key} = {value}");
    }
}

#[test]
fn values_are_told_from_words() {
    for (description, expected) in [
        ("How long. Default: `30d`.", Some("'30d'")),
        ("How many. Default: 10,000.", Some("10000")),
        ("Whether. Default: `true`.", Some("true")),
        ("Where. Default: `skills` in the folder of data.", None),
        ("Where. Default: `a`, or `b`.", None),
        ("Which. Default: all.", None),
        ("Which.", None),
    ] {
        assert_eq!(value(description).as_deref(), expected, "{description}");
    }
}
