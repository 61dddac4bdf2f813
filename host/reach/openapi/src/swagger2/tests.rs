use serde_json::json;

use super::*;
use crate::operations;

fn rewritten(operation: &str) -> (Map<String, Value>, Vec<Value>) {
    let text = format!(
        "swagger: '2.0'\nconsumes: [application/json]\nproduces: [application/json, text/csv]\npaths:\n  /a:\n    post: {operation}\nparameters:\n  Body: {{name: pet, in: body, required: true, schema: {{$ref: '#/definitions/Pet'}}}}\n"
    );
    let documents = Documents::of(&text);
    let (all, _) = operations::all(&documents).unwrap();
    let written = all[0].read(&documents).unwrap();
    let parameters = written.parameters.into_iter().map(|it| it.text).collect();
    (written.operation, parameters)
}

#[test]
fn parameters_have_schemas_and_styles() {
    let (operation, parameters) = rewritten(
        "{parameters: [{$ref: '#/parameters/Body'}, {name: tags, in: query, type: array, items: {type: string}, collectionFormat: pipes, description: Tags}, {name: ids, in: header, type: array, items: {type: integer}}]}",
    );
    assert_eq!(
        parameters,
        [
            json!({ "name": "tags", "in": "query", "collectionFormat": "pipes", "description": "Tags", "style": "pipeDelimited", "explode": false, "schema": { "type": "array", "items": { "type": "string" } } }),
            json!({ "name": "ids", "in": "header", "style": "simple", "explode": false, "schema": { "type": "array", "items": { "type": "integer" } } }),
        ]
    );
    let body = &operation["requestBody"];
    assert_eq!(body["required"], true);
    assert_eq!(
        body["content"],
        json!({ "application/json": { "schema": { "$ref": "#/definitions/Pet" } } })
    );
}

#[test]
fn a_body_is_a_form_only_where_nothing_else_is_taken() {
    const FORM: &str = "application/x-www-form-urlencoded";
    for (consumes, expected) in [
        (vec!["multipart/form-data"], vec!["multipart/form-data"]),
        (
            vec![FORM, "multipart/form-data"],
            vec![FORM, "multipart/form-data"],
        ),
        (vec![FORM, "text/xml"], vec!["text/xml"]),
        (vec!["application/json", FORM], vec!["application/json"]),
    ] {
        let consumes = consumes.join(", ");
        let (operation, _) = rewritten(&format!(
            "{{consumes: [{consumes}], parameters: [{{$ref: '#/parameters/Body'}}]}}"
        ));
        let content = operation["requestBody"]["content"].as_object().unwrap();
        assert_eq!(content.keys().collect::<Vec<_>>(), expected, "{consumes}");
    }
}

#[test]
fn fields_are_a_form() {
    let (operation, _) = rewritten(
        "{consumes: [application/x-www-form-urlencoded], parameters: [{name: a, in: formData, type: string, required: true}, {name: b, in: formData, type: array, items: {type: string}, collectionFormat: multi}]}",
    );
    let form = &operation["requestBody"]["content"]["application/x-www-form-urlencoded"];
    assert_eq!(form["schema"]["required"], json!(["a"]));
    assert_eq!(
        form["encoding"],
        json!({ "b": { "style": "form", "explode": true } })
    );
    let (operation, _) = rewritten("{parameters: [{name: f, in: formData, type: file}]}");
    let form = &operation["requestBody"]["content"]["multipart/form-data"];
    assert_eq!(
        form["schema"]["properties"]["f"],
        json!({ "type": "string", "format": "binary" })
    );
}

#[test]
fn responses_have_media_types() {
    let (operation, _) =
        rewritten("{responses: {'200': {schema: {type: string}}, '204': {description: Nothing}}}");
    let well = &operation["responses"]["200"]["content"];
    assert_eq!(
        *well,
        json!({ "application/json": { "schema": { "type": "string" } }, "text/csv": { "schema": { "type": "string" } } })
    );
    assert_eq!(
        operation["responses"]["204"],
        json!({ "description": "Nothing" })
    );
}
