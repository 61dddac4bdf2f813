use serde_json::json;

use super::*;

fn listed(text: &str) -> (Vec<Operation>, Vec<String>) {
    all(&Documents::of(text)).unwrap()
}

#[test]
fn each_operation_has_a_name_of_its_own() {
    let (operations, problems) = listed(
        "openapi: 3.2.0
paths:
  /pets:
    get: {operationId: listPets, summary: Lists pets., description: Lists pets. All of them.}
    post: {summary: Adds one, description: With a name.}
    query: {operationId: list_pets}
    trace: {}
  /pets/{petId}/toys/{toy-id}:
    delete: {deprecated: true}
    additionalOperations:
      COPY: {operationId: ' '}
  x-else: {}
",
    );
    let names: Vec<_> = operations
        .iter()
        .map(|it| (it.method.as_str(), it.name.as_str()))
        .collect();
    assert_eq!(
        names,
        [
            ("GET", "listPets"),
            ("POST", "post_pets"),
            ("QUERY", "list_pets_2"),
            ("DELETE", "delete_pets_by_petId_toys_by_toy_id"),
            ("COPY", "copy_pets_by_petId_toys_by_toy_id"),
        ]
    );
    let said: Vec<_> = operations
        .iter()
        .map(|it| it.description.as_str())
        .collect();
    assert_eq!(said[0], "Lists pets. All of them.\n\n`GET /pets`");
    assert_eq!(said[1], "Adds one\n\nWith a name.\n\n`POST /pets`");
    assert!(said[3].starts_with("Deprecated.\n\n"));
    assert_eq!(
        problems,
        ["TRACE /pets is left out: the method is never sent"]
    );
}

#[test]
fn methods_say_what_an_operation_does() {
    let (operations, _) = listed(
        "openapi: 3.2.0\npaths: {/a: {get: {}, post: {}, put: {}, delete: {}, patch: {}, head: {}, options: {}, query: {}}}\n",
    );
    let hints: Vec<_> = operations
        .iter()
        .map(|it| (it.method.as_str(), it.hints()))
        .map(|(method, hints)| (method, hints.read_only, hints.destructive, hints.idempotent))
        .collect();
    assert_eq!(
        hints,
        [
            ("GET", Some(true), Some(false), Some(true)),
            ("PUT", Some(false), Some(true), Some(true)),
            ("POST", Some(false), None, None),
            ("DELETE", Some(false), Some(true), Some(true)),
            ("OPTIONS", Some(true), Some(false), Some(true)),
            ("HEAD", Some(true), Some(false), Some(true)),
            ("PATCH", Some(false), Some(true), None),
            ("QUERY", Some(true), Some(false), Some(true)),
        ]
    );
}

#[test]
fn what_an_operation_has_anew_replaces_what_its_path_has() {
    let documents = Documents::of(
        "openapi: 3.0.0
paths:
  /a:
    parameters:
    - {name: x, in: query, description: shared}
    - {$ref: '#/components/parameters/Y'}
    - {$ref: '#/components/parameters/Missing'}
    get:
      parameters: [{name: x, in: query, description: own}, {name: x, in: header}]
components: {parameters: {Y: {name: y, in: query}}}
",
    );
    let (operations, _) = all(&documents).unwrap();
    let written = operations[0].read(&documents).unwrap();
    let parameters: Vec<Value> = written.parameters.into_iter().map(|it| it.text).collect();
    assert_eq!(
        parameters,
        [
            json!({ "name": "y", "in": "query" }),
            json!({ "name": "x", "in": "query", "description": "own" }),
            json!({ "name": "x", "in": "header" }),
        ]
    );
}
