use super::*;

fn converted(version: &str, schemas: &str, root: Value, direction: Direction) -> Value {
    let text = format!(r#"{{"openapi":"{version}","components":{{"schemas":{schemas}}}}}"#);
    let documents = Documents::of(&text);
    let mut schemas = Schemas::new(&documents, direction);
    let schema = schemas.of(Place {
        file: 0,
        schema: &root,
    });
    json!({ "schema": schema, "$defs": schemas.definitions() })
}

#[test]
fn what_a_schema_refers_to_comes_along_once() {
    let schemas = r##"{
        "Node": { "type": "object", "properties": { "next": { "$ref": "#/components/schemas/Node" }, "of": { "$ref": "#/components/schemas/a~1b" } } },
        "a/b": { "type": "string", "nullable": true },
        "Other": {}
    }"##;
    let root = json!({ "type": "array", "items": { "$ref": "#/components/schemas/Node", "description": "A node" } });
    let made = converted("3.0.1", schemas, root, Direction::Request);
    assert_eq!(
        made,
        json!({
            "schema": { "type": "array", "items": { "$ref": "#/$defs/Node", "description": "A node" } },
            "$defs": {
                "Node": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Node" }, "of": { "$ref": "#/$defs/a_b" } } },
                "a_b": { "type": "string", "nullable": true },
            },
        })
    );
    let nothing = json!({ "$ref": "#/components/schemas/Missing" });
    let made = converted("3.1.0", "{}", nothing, Direction::Request);
    assert_eq!(made["$defs"], json!({ "Missing": {} }));
}

#[test]
fn what_goes_the_other_way_is_not_required() {
    let schemas = r##"{ "Id": { "type": "integer", "readOnly": true } }"##;
    let root = json!({
        "properties": { "id": { "$ref": "#/components/schemas/Id" }, "name": {}, "password": { "writeOnly": true } },
        "required": ["id", "name", "password"],
    });
    let required = |direction| {
        converted("3.0.0", schemas, root.clone(), direction)["schema"]["required"].clone()
    };
    assert_eq!(required(Direction::Request), json!(["name", "password"]));
    assert_eq!(required(Direction::Response), json!(["id", "name"]));
}

#[test]
fn older_words_are_those_of_json_schema() {
    let root = json!({
        "type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": false,
        "example": 5, "xml": {}, "x-internal": true, "externalDocs": {},
    });
    let made = converted("3.0.0", "{}", root, Direction::Request);
    let expected =
        json!({ "type": "number", "exclusiveMinimum": 1, "maximum": 9, "examples": [5] });
    assert_eq!(made["schema"], expected);
}

#[test]
fn a_discriminator_tells_choices_apart() {
    let schemas = r##"{
        "Cat": { "type": "object", "properties": { "kind": { "type": "string" } } },
        "Dog": { "type": "object", "properties": { "kind": { "type": "string", "enum": ["dog"] } } }
    }"##;
    let root = json!({
        "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }],
        "discriminator": { "propertyName": "kind", "mapping": { "cat": "#/components/schemas/Cat", "lion": "Cat" } },
    });
    let made = converted("3.0.0", schemas, root, Direction::Response);
    let tag = json!({ "type": "object", "properties": { "kind": { "type": "string", "enum": ["cat", "lion"] } }, "required": ["kind"] });
    assert_eq!(
        made["schema"],
        json!({ "oneOf": [{ "allOf": [{ "$ref": "#/$defs/Cat" }, tag] }, { "$ref": "#/$defs/Dog" }] })
    );
}

#[test]
fn endless_schemas_end() {
    let count = 3000;
    let schema = |n: usize| {
        let properties: Vec<String> = (0..60)
            .map(|p| {
                format!(
                    r##""p{p}":{{"$ref":"#/components/schemas/S{}"}}"##,
                    (n + p + 1) % count
                )
            })
            .collect();
        format!(r#""S{n}":{{"properties":{{{}}}}}"#, properties.join(","))
    };
    let all: Vec<String> = (0..count).map(schema).collect();
    let root = json!({ "$ref": "#/components/schemas/S0" });
    let made = converted(
        "3.1.0",
        &format!("{{{}}}", all.join(",")),
        root,
        Direction::Request,
    );
    assert!(json::count([&made]) < 2 * MAX_VALUES);
}

#[test]
fn of_results_what_is_near_is_kept() {
    let schema = |n: usize| {
        let own: Vec<String> = (0..20)
            .map(|p| format!(r##""p{p}":{{"type":"string"}}"##))
            .collect();
        let next = n + 1;
        format!(
            r##""S{n}":{{"description":"About {n}","properties":{{{},"next":{{"$ref":"#/components/schemas/S{next}"}}}}}}"##,
            own.join(",")
        )
    };
    let all: Vec<String> = (0..100).map(schema).collect();
    let root = json!({ "$ref": "#/components/schemas/S0" });
    let all = format!("{{{}}}", all.join(","));
    let made = converted("3.1.0", &all, root.clone(), Direction::Response);
    assert!(json::count([&made]) < 2 * MAX_VALUES_OF_RESULTS);
    let definitions = made["$defs"].as_object().unwrap();
    assert!(definitions["S40"]["properties"].is_object());
    let last = definitions.values().next_back().unwrap();
    assert_eq!(last.get("properties"), None);
    assert!(last["description"].as_str().unwrap().starts_with("About"));
    let made = converted("3.1.0", &all, root, Direction::Request);
    assert_eq!(made["$defs"].as_object().unwrap().len(), 101);
}
