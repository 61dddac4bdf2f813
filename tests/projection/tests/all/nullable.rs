//! Where null is allowed: `nullable: true` and the other ways to say so mean the same to types in
//! every language, and `"default": null` allows nothing.

use ampoule_projection::names::{Names, Style};
use ampoule_projection::{Detail, Interface, Tool, wit};
use ampoule_projection_tests::{self as support, ALLOWED, python, tool, typescript};
use ampoule_values::PackageValues as _;
use serde_json::{Value, json};

/// Texts that may be absent, and whether they may be null.
fn texts() -> [(Value, bool); 9] {
    [
        (json!({"type": "string"}), false),
        (json!({"type": "string", "nullable": false}), false),
        (json!({"type": "string", "default": null}), false),
        (json!({"type": "string", "nullable": true}), true),
        (
            json!({"type": "string", "nullable": true, "default": null}),
            true,
        ),
        (json!({"type": ["string", "null"], "default": null}), true),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": null}),
            true,
        ),
        (
            json!({"anyOf": [{"type": "string", "nullable": true}]}),
            true,
        ),
        (
            json!({"oneOf": [{"type": "string"}], "nullable": true}),
            true,
        ),
    ]
}

#[test]
fn types_in_every_language_agree_on_null() {
    for (schema, nullable) in texts() {
        let (in_typescript, in_python, in_wit) = match nullable {
            true => (
                "{ p?: string | null }",
                " p: str | None = ...,",
                " p: option<option<string>>,",
            ),
            false => ("{ p?: string }", " p: str = ...,", " p: option<string>,"),
        };
        let tools = [taking(&schema)];
        for (declared, expected) in [
            (typescript("server", &tools, Detail::Full), in_typescript),
            (python(&tools, Detail::Full), in_python),
            (support::wit("server", &tools), in_wit),
        ] {
            assert!(declared.contains(expected), "{schema}:\n{declared}");
        }
    }
}

#[test]
fn null_leaves_a_component_where_its_types_have_it() {
    for (schema, nullable) in texts() {
        let names = Names::new(["t"], Style::Kebab);
        let package = wit::package("server", &Interface::of(&[taking(&schema)]), &names);
        let function = &package.functions[0];
        let sent = |given: &str| {
            let values = package.parameters(function, given, ALLOWED).unwrap();
            package.arguments(function, &values, ALLOWED).unwrap()
        };
        assert_eq!(sent("{}"), "{}", "{schema}");
        assert_eq!(sent(r#"{"p":"x"}"#), r#"{"p":"x"}"#, "{schema}");
        // Where the type has no null, it is taken as absent.
        let null = if nullable { r#"{"p":null}"# } else { "{}" };
        assert_eq!(sent(r#"{"p":null}"#), null, "{schema}");
    }
}

fn taking(schema: &Value) -> Tool {
    tool(
        "t",
        json!({"type": "object", "properties": {"p": schema}}),
        None,
    )
}
