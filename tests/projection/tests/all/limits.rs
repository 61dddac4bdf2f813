//! Schemas that are large, deep, or made to take forever.

use std::time::Duration;

use ampoule_linear::timed;
use ampoule_projection::types::{MAX_DEPTH, Type};
use ampoule_projection::{Detail, Interface, Problem, Tool};
use ampoule_projection_tests::{
    assert_python, assert_typescript, assert_valid, python, tool, typescript, wit,
};
use serde_json::{Map, Value, json};

/// Far more than any of these take of the processor's time, and far less than what grows with a
/// power of the input would.
const SOON: Duration = Duration::from_secs(10);

fn project(tool: &Tool) -> (Interface, String) {
    let tools = std::slice::from_ref(tool);
    let (declared, took) = timed(|| {
        let text = typescript("server", tools, Detail::Full);
        (Interface::of(tools), text)
    });
    assert!(took < SOON, "{} took {took:?}", tool.name);
    let ((), took) = timed(|| {
        assert_typescript(&declared.1);
        assert_python(&python(tools, Detail::Full));
        assert_valid(&wit("server", tools), 1);
    });
    assert!(took < SOON, "{} took {took:?}", tool.name);
    declared
}

fn noted(interface: &Interface, problem: &Problem) -> bool {
    interface.functions[0]
        .notes
        .iter()
        .any(|note| note.problem == *problem)
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(
        json!({ "type": "string" }),
        |inner, _| json!({ "type": "object", "properties": { "x": inner } }),
    )
}

#[test]
fn sixty_four_levels_keep_their_types() {
    // The root is the first level, and the string the last.
    let (interface, text) = project(&tool("deep", nested(MAX_DEPTH - 1), None));
    assert_eq!(interface.functions[0].notes, []);
    assert_eq!(text.matches("x?:").count(), MAX_DEPTH - 1);
    assert!(text.contains("x?: string"), "{text}");
}

#[test]
fn what_is_deeper_is_free_form() {
    let (interface, text) = project(&tool("deeper", nested(120), None));
    assert!(noted(&interface, &Problem::TooDeep));
    assert!(text.contains("x?: Json"), "{text}");
}

#[test]
fn a_chain_of_references_nests_as_deep_as_types_may() {
    let definitions: Map<String, Value> =
        (0..5_000).map(|index| (format!("D{index}"), json!({ "type": "object", "properties": { "next": { "$ref": format!("#/$defs/D{}", index + 1) } } }))).collect();
    let mut schema = json!({ "type": "object", "properties": { "first": { "$ref": "#/$defs/D0" } }, "$defs": definitions });
    schema["$defs"]["D5000"] = json!({ "type": "string" });
    let (interface, text) = project(&tool("chain", schema, None));
    assert_eq!(interface.functions[0].notes, []);
    assert_eq!(text.matches("next?:").count(), 5_000);
    assert!(!interface.definitions.is_empty());
}

#[test]
fn five_hundred_properties() {
    let properties: Map<String, Value> = (0..500)
        .map(|index| (format!("p{index}"), json!({ "type": "integer" })))
        .collect();
    let (_, text) = project(&tool(
        "wide",
        json!({ "type": "object", "properties": properties }),
        None,
    ));
    assert_eq!(text.matches("?: number").count(), 500);
}

#[test]
fn ten_thousand_values_are_all_known_and_some_listed() {
    let values: Vec<String> = (0..10_000).map(|index| format!("value {index}")).collect();
    let schema = json!({ "type": "object", "properties": { "v": { "enum": values } } });
    let (interface, text) = project(&tool("values", schema, None));
    let Type::Record(arguments) = &interface.functions[0].arguments.ty else {
        panic!("{interface:?}")
    };
    let Type::Enum(values) = &arguments.properties[0].value.ty else {
        panic!("{interface:?}")
    };
    assert_eq!(values.values.len(), 10_000);
    assert!(
        text.contains("v?: string /* one of 10000: \"value 0\", "),
        "{text}"
    );
    assert!(text.len() < 500, "{text}");
}

#[test]
fn references_that_double_at_each_step_stay_small() {
    let mut definitions = Map::new();
    for index in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/D{}", index + 1) });
        definitions.insert(
            format!("D{index}"),
            json!({ "type": "object", "properties": { "a": next, "b": next } }),
        );
        let merged = json!({ "$ref": format!("#/$defs/M{}", index + 1) });
        definitions.insert(format!("M{index}"), json!({ "allOf": [merged, { "anyOf": [merged, merged] }, { "properties": { "m": merged } }] }));
    }
    definitions.insert("D60".to_owned(), json!({ "type": "string" }));
    definitions.insert(
        "M60".to_owned(),
        json!({ "properties": { "z": { "type": "string" } } }),
    );
    let schema = json!({ "type": "object", "properties": { "d": { "$ref": "#/$defs/D0" }, "m": { "$ref": "#/$defs/M0" } }, "$defs": definitions });
    let (_, text) = project(&tool("doubling", schema, None));
    assert!(text.len() < 1 << 20, "{} bytes", text.len());
}

#[test]
fn merging_that_never_repeats_ends() {
    // Each step through `x` or `y` merges another set of definitions; there are more sets than
    // could be read.
    let names: Vec<String> = (0..24).map(|index| format!("D{index}")).collect();
    let mut definitions = Map::new();
    for (index, name) in names.iter().enumerate() {
        let to = |step: usize| json!({ "$ref": format!("#/$defs/D{}", (index * 7 + step) % names.len()) });
        definitions.insert(name.clone(), json!({ "type": "object", "properties": { "x": { "allOf": [to(1), to(5)] }, "y": { "allOf": [to(2), to(11), to(3)] } } }));
    }
    let (interface, _) = project(&tool(
        "sets",
        json!({ "$ref": "#/$defs/D0", "$defs": definitions }),
        None,
    ));
    assert_eq!(interface.functions.len(), 1);
}

#[test]
fn what_repeats_itself_under_a_condition_gets_a_name() {
    // No type refers to another: the properties that may be there are repeated where the condition
    // stands, and the condition among them.
    let schema = json!({ "type": "object", "properties": { "a": { "dependentSchemas": { "x": { "$ref": "#" } }, "properties": { "b": { "type": "string" } } } } });
    let (interface, text) = project(&tool("conditions", schema, None));
    assert_eq!(interface.functions[0].notes, []);
    assert_eq!(interface.definitions.len(), 1);
    assert!(text.len() < 1_000, "{text}");
}

#[test]
fn many_choices_are_read_in_time() {
    let branch = |index: usize| json!({ "type": "object", "properties": { format!("p{index}"): { "type": "string" } }, "required": [format!("p{index}")] });
    let branches: Vec<Value> = (0..2_000).map(branch).collect();
    let shared: Map<String, Value> = (0..200)
        .map(|index| (format!("s{index}"), json!({ "type": "string" })))
        .collect();
    let (interface, text) = project(&tool(
        "choices",
        json!({ "type": "object", "properties": shared, "oneOf": branches }),
        None,
    ));
    assert!(noted(&interface, &Problem::Loosened("oneOf")));
    // No argument is lost, though which belong together is.
    assert_eq!(text.matches("?: string").count(), 2_200);
}

#[test]
fn a_thousand_tools_are_projected_in_time() {
    let tools: Vec<Tool> = (0..1_000)
        .map(|index| {
            let schema = json!({ "type": "object", "properties": { "id": { "type": "string", "description": "The id." }, "item": { "$ref": "#/$defs/Item" }, "other": { "$ref": "#/$defs/Item" } },
                "$defs": { "Item": { "type": "object", "properties": { "a": { "type": "string" }, "b": { "enum": ["x", "y"] }, "c": { "type": "array", "items": { "$ref": "#/$defs/Item" } } } } } });
            tool(&format!("tool-{index}"), schema, None)
        })
        .collect();
    let ((interface, text), took) = timed(|| {
        let text = typescript("server", &tools, Detail::Full);
        (Interface::of(&tools), text)
    });
    assert!(took < SOON, "{took:?}");
    assert_eq!(
        interface.definitions.len(),
        1,
        "what all tools define alike is one definition"
    );
    assert_eq!(text.matches("  function tool").count(), 1_000);
}

#[test]
fn keywords_name_everything_in_wit() {
    let words = [
        "as",
        "async",
        "bool",
        "borrow",
        "char",
        "constructor",
        "enum",
        "error-context",
        "export",
        "f32",
        "f64",
        "flags",
        "from",
        "func",
        "future",
        "import",
        "include",
        "interface",
        "list",
        "map",
        "option",
        "own",
        "package",
        "record",
        "resource",
        "result",
        "s16",
        "s32",
        "s64",
        "s8",
        "static",
        "stream",
        "string",
        "tuple",
        "type",
        "u16",
        "u32",
        "u64",
        "u8",
        "use",
        "variant",
        "with",
        "world",
        "json",
        "content",
        "tool-error",
        "values",
        "tools",
        "additional-properties",
    ];
    let record = |word: &str| json!({ "type": "object", "title": word, "properties": { word: { "title": word, "enum": [word, "other"] } }, "additionalProperties": true });
    let choice =
        |word: &str| json!({ "title": word, "anyOf": [record(word), { "type": "string" }] });
    let tools: Vec<Tool> = words
        .iter()
        .map(|word| tool(word, record(word), Some(choice(word))))
        .collect();
    for word in words {
        assert_valid(&wit(word, &tools), tools.len());
    }
}
