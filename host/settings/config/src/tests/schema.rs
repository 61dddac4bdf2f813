//! The JSON Schema, and the example, say what the reader takes.

use super::*;

#[test]
fn the_schema_knows_what_the_reader_knows() {
    let written = schema();
    let schema = jsonschema::validator_for(&written).unwrap();
    let example = include_str!("../../../../../examples/ampoule.toml");
    let whole: serde_json::Value = toml::from_str(example).unwrap();
    let refused: Vec<String> = schema.iter_errors(&whole).map(|e| e.to_string()).collect();
    assert!(refused.is_empty(), "{refused:?}");
    const SERVER: &str = "/properties/servers/additionalProperties";
    // What one of them refuses, the other does, for each key.
    let mut tried = 0;
    let derived = |pointer: &str| -> Vec<String> {
        let table = written.pointer(pointer).unwrap();
        let keys = table["properties"].as_object().unwrap();
        keys.keys().cloned().collect()
    };
    let places: Vec<(Vec<String>, &str)> = vec![
        (derived(""), "@ = #"),
        (derived(SERVER), "[servers.a]\ncommand = 'x'\n@ = #"),
        (
            derived(&format!("{SERVER}/properties/tools")),
            "[servers.a]\ncommand = 'x'\ntools = { @ = # }",
        ),
        (
            derived(&format!("{SERVER}/properties/tools/properties/hints")),
            "[servers.a]\ncommand = 'x'\ntools.hints = { @ = # }",
        ),
        (
            derived(&format!("{SERVER}/properties/auth")),
            "[servers.a]\nurl = 'http://x'\nauth = { @ = # }",
        ),
        (
            derived("/properties/tls"),
            "[servers.a]\nurl = 'http://x'\ntls = { @ = # }",
        ),
        (derived("/properties/components"), "components = { @ = # }"),
        (derived("/properties/telemetry"), "telemetry = { @ = # }"),
        (derived("/properties/sessions"), "sessions = { @ = # }"),
        (derived("/properties/workspace"), "workspace = { @ = # }"),
        (derived("/properties/records"), "records = { @ = # }"),
        (derived("/properties/skills"), "skills = { @ = # }"),
        (derived("/properties/runs"), "runs = { @ = # }"),
        (
            derived("/properties/runs/properties/parked"),
            "runs.parked = { @ = # }",
        ),
        (
            derived("/properties/runs/properties/parked/properties/all"),
            "runs.parked.all = { @ = # }",
        ),
        (
            derived("/properties/roles/additionalProperties"),
            "roles.a = { tools = ['x'], @ = # }",
        ),
        (derived("/properties/policies"), "policies = { @ = # }"),
        (
            derived("/properties/quotas/additionalProperties"),
            "quotas.a = { @ = # }",
        ),
        (derived("/properties/approvals"), "approvals = { @ = # }"),
        (
            derived("/properties/approvals/properties/webhook"),
            "approvals.webhook = { url = 'http://x', secret = 'x', @ = # }",
        ),
        (derived("/properties/labels"), "labels = { @ = # }"),
        (
            derived("/properties/labels/properties/refuses/additionalProperties/anyOf/1"),
            "labels.refuses.model = { labels = 'x', @ = # }",
        ),
        (derived("/properties/privacy"), "privacy = { @ = # }"),
        (
            derived("/properties/privacy/properties/to/items/anyOf/1"),
            "privacy.to = [{ tools = 'x', @ = # }]",
        ),
        (derived("/properties/audit"), "audit = { @ = # }"),
        (
            derived("/properties/audit/properties/export/items"),
            "audit.export = [{ to = 'file', path = 'x', @ = # }]",
        ),
        (
            derived("/properties/folders/additionalProperties"),
            "[folders.a]\npath = 'x'\n@ = #",
        ),
        (derived("/properties/serve"), "serve = { @ = # }"),
        (
            derived("/properties/serve/properties/auth"),
            "serve.auth = { @ = # }",
        ),
        (derived("/properties/limits"), "limits = { @ = # }"),
    ];
    for (keys, place) in places {
        for key in keys {
            // What a table needs is not there twice.
            let values = ["'http://x'", "'x'", "['x']", "'file'"];
            let place = values.iter().fold(place.to_owned(), |place, value| {
                place.replacen(&format!("{key} = {value}, "), "", 1)
            });
            let text = place.replace('@', &key).replace('#', "1979-05-27");
            let text = match &*key {
                "command" => "servers.a.command = 1979-05-27".to_owned(),
                "path" => "folders.a.path = 1979-05-27".to_owned(),
                _ => text,
            };
            assert_ne!(fault(&text), "", "the reader takes {text}");
            // As JSON has no dates, what no key takes is a list of lists there.
            let json: serde_json::Value =
                toml::from_str(&text.replace("1979-05-27", "[[1]]")).unwrap();
            assert!(!schema.is_valid(&json), "the schema takes {json}");
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
    assert!(!schema.is_valid(&serde_json::json!({ "isolate": 5 })));
}

/// `BLESS=1` writes it anew.
#[test]
fn the_schema_in_the_repository_is_this_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../ampoule.schema.json");
    let text = format!("{:#}\n", schema());
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

/// The keys that a schema has and a file has not. Of tables with any names, one has to have each.
fn missing(schema: &serde_json::Value, given: &[&serde_json::Value], key: &str) -> Vec<String> {
    if given.is_empty() {
        return vec![key.to_owned()];
    }
    let inner =
        |name: &str| -> Vec<_> { given.iter().filter_map(|given| given.get(name)).collect() };
    if let Some(properties) = schema["properties"].as_object() {
        let below = |(name, schema): (&String, _)| {
            let key = format!("{key}.{name}");
            missing(schema, &inner(name), key.trim_start_matches('.'))
        };
        return properties.iter().flat_map(below).collect();
    }
    let entries = given.iter().filter_map(|given| given.as_object());
    let entries: Vec<_> = entries.flat_map(|entries| entries.values()).collect();
    match &schema["additionalProperties"] {
        each @ serde_json::Value::Object(_) => missing(each, &entries, key),
        _ => Vec::new(),
    }
}

#[test]
fn the_example_shows_every_key() {
    let example = include_str!("../../../../../examples/ampoule.toml");
    assert!(example.starts_with("#:schema ../ampoule.schema.json\n"));
    let whole: serde_json::Value = toml::from_str(example).unwrap();
    let mut missing = missing(&schema(), &[&whole], "");
    // A toolkit's exposure has the keys of `[exposure]`, which are shown there; and so it is with limits.
    let repeated = [
        "toolkits.exposure.",
        "schedules.limits.",
        "hooks.limits.",
        "tools.limits.",
    ];
    missing.retain(|key| repeated.iter().all(|table| !key.starts_with(table)));
    assert_eq!(missing, [""; 0]);
}
