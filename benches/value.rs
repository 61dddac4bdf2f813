//! `value/*`: JSON documents as values of WIT (`decode`), and back (`encode`): a page of ten
//! thousand rows, and a call's arguments.

use ampoule_benches::page;
use ampoule_projection::names::{Names, Style};
use ampoule_projection::wit::{self, Package};
use ampoule_projection::{Interface, Tool};
use ampoule_values::PackageValues as _;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};

/// How much of the host's memory a value may take.
const ALLOWED: u64 = 1 << 30;

/// The package of a tool whose arguments have this schema.
fn package(schema: Value) -> Package {
    let tool: Tool =
        serde_json::from_value(json!({ "name": "tool", "inputSchema": schema })).expect("a tool");
    let names = Names::new(["tool"], Style::Kebab);
    wit::package("server", &Interface::of([&tool]), &names)
}

fn issue() -> (Value, Value) {
    let schema = json!({
        "type": "object",
        "properties": {
            "owner": { "type": "string" },
            "repo": { "type": "string" },
            "title": { "type": "string" },
            "body": { "type": "string" },
            "state": { "enum": ["open", "closed"] },
            "milestone": { "type": ["integer", "null"] },
            "labels": { "type": "array", "items": { "type": "string" } },
            "assignees": { "type": "array", "items": { "type": "object", "properties": { "login": { "type": "string" } }, "required": ["login"] } },
        },
        "required": ["owner", "repo", "title"],
    });
    let arguments = json!({
        "owner": "octo", "repo": "cat", "title": "It breaks", "body": "When I press the button, nothing happens.",
        "state": "open", "milestone": null, "labels": ["bug", "ui"], "assignees": [{ "login": "mona" }],
    });
    (schema, arguments)
}

fn value(criterion: &mut Criterion) {
    for (name, (schema, document)) in [("10k-rows", page(10_000)), ("arguments", issue())] {
        let package = package(schema);
        let function = package.function("tool").expect("the tool");
        let text = document.to_string();
        let decode = |text: &str| {
            let values = package.parameters(function, text, ALLOWED);
            values.expect("a document that fits")
        };
        let values = decode(&text);
        let encoded = package
            .arguments(function, &values, u64::MAX)
            .expect("JSON");
        assert!(decode(&encoded) == values, "{name}");
        criterion.bench_function(&format!("value/decode/{name}"), |bencher| {
            bencher.iter(|| assert_eq!(decode(&text).len(), 1));
        });
        criterion.bench_function(&format!("value/encode/{name}"), |bencher| {
            bencher.iter(|| {
                let json = package
                    .arguments(function, &values, u64::MAX)
                    .expect("JSON");
                assert!(!json.is_empty());
            });
        });
    }
}

criterion_group!(benches, value);
criterion_main!(benches);
