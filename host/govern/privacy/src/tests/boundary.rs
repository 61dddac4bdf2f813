//! The four modes, settings, and patterns of the operator's own.

use std::collections::BTreeMap;

use crate::{Boundary, Detector, Mode, PatternError, Settings, Table};

const TEXT: &str = "write to jane@example.com or EMP-123456";

fn settings(toml_like: serde_json::Value) -> Settings {
    serde_json::from_value(toml_like).expect("settings")
}

#[test]
fn each_mode_does_what_it_says() {
    let own = serde_json::json!({ "employee": r"EMP-\d{6}" });
    let pass = |mode: &str| {
        let settings = settings(serde_json::json!({ "mode": mode, "patterns": own }));
        let boundary = Boundary::new(settings).expect("settings");
        let passed = boundary.pass(TEXT, &mut Table::default());
        passed.map(|passed| (passed.text.into_owned(), passed.counts.to_string()))
    };
    assert_eq!(pass("off"), Ok((TEXT.into(), String::new())));
    assert_eq!(
        pass("detect"),
        Ok((TEXT.into(), "1 email, 1 employee".into()))
    );
    let hidden = "write to <email:1> or <employee:1>";
    assert_eq!(
        pass("tokens"),
        Ok((hidden.into(), "1 email, 1 employee".into()))
    );
    let blocked = pass("block").expect_err("it has some").to_string();
    assert!(
        blocked.contains("1 email, 1 employee") && !blocked.contains("jane"),
        "{blocked}"
    );
}

#[test]
fn a_script_may_mask_whatever_the_mode() {
    let boundary = Boundary::new(Settings::default()).expect("settings");
    let mut table = Table::default();
    assert_eq!(boundary.mask("a@example.com", &mut table).text, "<email:1>");
    let sent = boundary
        .send(r#"["<email:1>"]"#, |_| false, &table)
        .expect("short");
    assert_eq!(sent.json.as_deref(), Some(r#"["a@example.com"]"#));
}

#[test]
fn tools_are_chosen_by_patterns() {
    let settings = settings(serde_json::json!({
        "mode": "tokens",
        "from": ["crm.*"],
        "to": ["mail.send", { "tools": "crm.*", "kinds": ["email"] }],
    }));
    let boundary = Boundary::new(settings).expect("settings");
    assert!(boundary.looks_at(|pattern| pattern == "crm.*") && !boundary.looks_at(|_| false));
    let mut table = Table::default();
    boundary
        .pass("a@example.com +49 30 901820", &mut table)
        .expect("not blocked");
    let sent = |tool: &str| {
        let sent = boundary.send(
            r#"["<email:1>","<phone:1>"]"#,
            |pattern| pattern == tool,
            &table,
        );
        sent.expect("short").sent.to_string()
    };
    assert_eq!(sent("mail.send"), "1 email, 1 phone");
    assert_eq!(sent("crm.*"), "1 email");
    assert_eq!(sent("web.post"), "");
}

#[test]
fn only_the_kinds_that_are_on_are_found() {
    let detector =
        Detector::new(&settings(serde_json::json!({ "kinds": ["phone"] }))).expect("settings");
    assert_eq!(
        detector.count("a@example.com +49 30 901820").to_string(),
        "1 phone"
    );
}

#[test]
fn bad_settings_say_what_is_wrong() {
    let with = |name: &str, pattern: &str| {
        let patterns = BTreeMap::from([(name.to_owned(), pattern.to_owned())]);
        let settings = Settings {
            patterns,
            ..Settings::default()
        };
        Boundary::new(settings).map(drop).expect_err("a mistake")
    };
    let place = with("ab", r"EMP-(\d{6}").to_string();
    assert!(
        place.contains("`ab`") && place.contains("unclosed group") && place.contains('^'),
        "{place}"
    );
    assert!(matches!(with("email", "a"), PatternError::Name(_)));
    assert!(matches!(with("literal", "a"), PatternError::Name(_)));
    assert!(matches!(with("No", "a"), PatternError::Name(_)));
    assert!(matches!(with("a", "x*"), PatternError::Empty(_)));
    assert!(matches!(
        with("a", r"\w{1000}{100}"),
        PatternError::Pattern { .. }
    ));
    assert!(matches!(
        with("a", &"x".repeat(2000)),
        PatternError::Pattern { .. }
    ));
    let unknown = Detector::new(&settings(serde_json::json!({ "kinds": ["mail"] })));
    assert!(matches!(unknown.map(drop), Err(PatternError::Kind(_))));
    assert!(serde_json::from_value::<Settings>(serde_json::json!({ "modus": "off" })).is_err());
    assert_eq!(Settings::default().mode, Mode::Off);
}

#[test]
fn own_patterns_are_found_wherever_pieces_end() {
    let patterns = BTreeMap::from([("employee".to_owned(), r"\bEMP-\d{6}\b".to_owned())]);
    let settings = Settings {
        kinds: Some(vec!["employee".into()]),
        patterns,
        ..Settings::default()
    };
    let detector = Detector::new(&settings).expect("settings");
    for before in 900..1100 {
        let text = format!(
            "{} EMP-123456 é EMP-654321 {}",
            "x".repeat(before),
            "y ".repeat(800)
        );
        let found: Vec<_> = detector
            .find(&text)
            .iter()
            .map(|found| found.value(&text).to_owned())
            .collect();
        assert_eq!(found, ["EMP-123456", "EMP-654321"], "after {before}");
    }
}
