use serde_json::json;

use super::assert_problems;

#[test]
fn conditions_are_explained() {
    let schema = json!({
        "type": "object",
        "properties": { "a": {}, "b": {}, "card": {}, "country": {}, "code": {} },
        "dependentRequired": { "a": ["b"] },
        "dependentSchemas": { "card": { "required": ["address"], "properties": { "address": { "type": "string" } } } },
        "if": { "properties": { "country": { "const": "US" } }, "required": ["country"] },
        "then": { "properties": { "code": { "pattern": "^[0-9]+$" } } },
        "else": { "properties": { "code": { "maxLength": 3 } } },
        "propertyNames": { "pattern": "^[a-z]+$" },
        "unevaluatedProperties": false,
    });
    assert_problems(
        &schema,
        &[
            (json!({ "a": 1 }), "`b` is missing, which `a` needs"),
            (
                json!({ "card": 1 }),
                "`address` is missing, as `card` is given",
            ),
            (
                json!({ "card": 1, "address": 5 }),
                "`address` must be a string, not 5: write \"5\", as `card` is given",
            ),
            (
                json!({ "country": "US", "code": "x" }),
                "`code` must be text that matches /^[0-9]+$/, not \"x\", as `country` is \"US\"",
            ),
            (
                json!({ "country": "DE", "code": "xxxx" }),
                "`code` must be at most 3 characters long, not \"xxxx\", as `country` is \"DE\"",
            ),
            (
                json!({ "code": "xxxx" }),
                "`code` must be at most 3 characters long, not \"xxxx\", as `country` is not given",
            ),
            (
                json!({ "cardx": 1 }),
                "`cardx` is not a known property; did you mean `card`?",
            ),
            (
                json!({ "A1": 1 }),
                "`A1` may not be given: names must be text that matches /^[a-z]+$/; `A1` is not a known property; did you mean `a`?",
            ),
        ],
    );
    let lists = json!({ "properties": {
        "tags": { "contains": { "const": "main" } },
        "few": { "contains": { "type": "integer" }, "minContains": 2, "maxContains": 3 },
        "known": { "prefixItems": [{}], "unevaluatedItems": false },
        "one": { "not": { "required": ["x", "y"] } },
        "colours": { "propertyNames": { "enum": ["red", "blue"] } },
        "never": false,
    } });
    assert_problems(
        &lists,
        &[
            (
                json!({ "tags": ["a"] }),
                "`tags` must have an item that is \"main\"",
            ),
            (
                json!({ "few": [1, "a"] }),
                "`few` must have 2 to 3 items that each are an integer",
            ),
            (
                json!({ "known": [1, 2, 3] }),
                "`known` has 2 items that its schema does not allow",
            ),
            (
                json!({ "one": { "x": 1, "y": 2 } }),
                "`one.x` and `one.y` may not be given together",
            ),
            (
                json!({ "colours": { "rot": 1 } }),
                "`colours.rot` may not be given: names must be one of \"red\" or \"blue\"",
            ),
            (json!({ "never": 1 }), "`never` may not be given"),
        ],
    );
}

#[test]
fn anchors_are_followed() {
    let schema = json!({
        "$ref": "#tree",
        "$defs": {
            "tree": { "$anchor": "tree", "properties": { "name": { "type": "string" }, "children": { "items": { "$dynamicRef": "#node" } } }, "required": ["name"] },
            "node": { "$dynamicAnchor": "node", "$ref": "#tree", "properties": { "limit": { "type": "integer" } } },
        },
    });
    assert_problems(
        &schema,
        &[
            (
                json!({ "name": "a", "children": [{ "name": "b", "children": [{}] }] }),
                "`children[0].children[0].name` is missing",
            ),
            (
                json!({ "name": "a", "children": [{ "name": "b", "limit": null }] }),
                "`children[0].limit` must be an integer, not null; it is optional: leave it out",
            ),
        ],
    );
}
