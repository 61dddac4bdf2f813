//! What others get is what their forms ask for.

use serde_json::Value;

use super::*;

fn entry(event: &str) -> Entry {
    let line =
        format!(r#"{{"v":1,"seq":7,"at":"2026-11-24T02:11:34.123Z","up":5,{event},"hash":"00"}}"#);
    Entry::of(1, line.as_bytes()).unwrap()
}

/// One of each kind.
fn all() -> Vec<Entry> {
    [
        r#""kind":"run-started","run":"r1","principal":"ann","client":"editor","language":"python","script":"5c1f""#,
        r#""kind":"run-ended","run":"r1","outcome":"limit","limit":"fuel","fuel":7,"tookUs":9,"calls":1,"bytes":2"#,
        r#""kind":"call-asked","run":"r1","call":3,"server":"mail","tool":"send","arguments":{"digest":"ab","bytes":4},"decision":"approved","policy":"p1","fingerprint":"f1""#,
        r#""kind":"call-ended","run":"r1","call":3,"server":"mail","tool":"send","outcome":"lost","bytes":0,"tookUs":4"#,
        r#""kind":"decision","run":"r1","call":4,"server":"mail","tool":"send","decision":"denied","policy":"p2""#,
        r#""kind":"question","question":"q1","run":"r1","how":"web""#,
        r#""kind":"answer","question":"q1","by":"bob","how":"web","answer":"allowed""#,
        r#""kind":"sign-in","principal":"ann","server":"mail","outcome":"failed","how":"oauth","reason":"expired""#,
        r#""kind":"policy-changed","old":"f1","new":"f2","by":"bob""#,
        r#""kind":"skill","action":"approved","name":"tidy","version":2,"principal":"ann","by":"bob""#,
        r#""kind":"session","action":"removed","name":"work""#,
        r#""kind":"configuration","outcome":"loaded","fingerprint":"c1""#,
        r#""kind":"request-denied","address":"192.0.2.7","request":"tools/call","reason":"no token""#,
        r#""kind":"gap","lost":2,"refused":0,"since":"x","reason":"full""#,
        r#""kind":"dreamt","run":"r1""#,
    ]
    .map(entry)
    .into()
}

#[test]
fn ocsf_has_what_its_classes_require() {
    for entry in all() {
        let event = ocsf(&entry);
        let has = |path: &str| {
            assert!(
                event.pointer(path).is_some_and(|it| !it.is_null()),
                "{path} of {event}"
            )
        };
        for required in [
            "/activity_id",
            "/category_uid",
            "/class_uid",
            "/severity_id",
            "/time",
            "/type_uid",
            "/metadata/version",
            "/metadata/product/vendor_name",
        ] {
            has(required);
        }
        let class = event["class_uid"].as_u64().unwrap();
        assert_eq!(
            event["type_uid"].as_u64().unwrap(),
            class * 100 + event["activity_id"].as_u64().unwrap()
        );
        assert_eq!(event["category_uid"].as_u64().unwrap(), class / 1000);
        match class {
            6003 => ["/actor/user/name", "/api/operation", "/src_endpoint/name"]
                .map(has)
                .into(),
            3002 => vec![has("/user/name"), has("/service/name")],
            3004 => vec![has("/entity/name"), has("/entity/type_id")],
            other => panic!("class {other}"),
        };
        assert_eq!(event["time"], 1_795_486_294_123_u64);
    }
    let call = ocsf(&all()[2]);
    assert_eq!(
        (&call["action_id"], &call["disposition_id"]),
        (&1.into(), &8.into())
    );
    assert_eq!(call["policy"]["uid"], "p1");
    assert_eq!(call["api"]["request"]["uid"], "r1/3");
    let denied = ocsf(&all()[4]);
    assert_eq!(
        (&denied["action_id"], &denied["disposition_id"]),
        (&2.into(), &2.into())
    );
    // An operator approves what a principal wrote.
    assert_eq!(ocsf(&all()[9])["actor"]["user"]["name"], "bob");
    assert!(crate::human(&all()[9]).contains("principal=ann approved (tidy 2, by bob)"));
    assert_eq!(ocsf(&all()[12])["src_endpoint"]["ip"], "192.0.2.7");
}

#[test]
fn otlp_is_a_request_with_every_line() {
    let entries = all();
    let mut out = Vec::new();
    assert_eq!(export(entries.clone(), Format::Otlp, &mut out).unwrap(), 15);
    let request: Value = serde_json::from_slice(&out).unwrap();
    let records = request["resourceLogs"][0]["scopeLogs"][0]["logRecords"]
        .as_array()
        .unwrap();
    assert_eq!(records.len(), 15);
    for (record, entry) in records.iter().zip(&entries) {
        assert_eq!(record["timeUnixNano"], "1795486294123000000");
        assert_eq!(record["body"]["stringValue"], entry.line);
    }
}

#[test]
fn forms_have_names() {
    for (name, format) in Format::ALL {
        assert_eq!(name.parse::<Format>().unwrap(), format);
        assert_eq!(format.to_string(), name);
    }
    assert!("xml".parse::<Format>().is_err());
}
