use std::collections::HashSet;

use serde_json::json;

use super::*;
use crate::operations::{self, Operation};
use crate::plan::Setting;
use crate::server::Base;

const PATHS: &str = "openapi: 3.1.0
servers: [{url: 'https://example.com/v1/'}]
paths:
  /pets/{id}/{path}:
    get:
      parameters:
      - {name: path, in: path, allowReserved: true}
      - {name: X-Trace, in: header}
      - {name: session, in: cookie}
      - {name: tags, in: query}
      responses: {'200': {content: {text/plain: {}, application/json: {}}}}
";

fn endpoint(operation: &Operation) -> Endpoint<'_> {
    Endpoint {
        method: &operation.method,
        path: &operation.path,
    }
}

fn made(arguments: Value, base: Option<&str>) -> Result<ServerRequest, String> {
    let documents = Documents::of(PATHS);
    let (operations, _) = operations::all(&documents).unwrap();
    let (base, set) = (Base::new(base).unwrap(), HashSet::new());
    let setting = Setting {
        documents: &documents,
        base: &base,
        set: &set,
    };
    let plan = Plan::of(&operations[0], &setting).unwrap();
    let to = endpoint(&operations[0]);
    let credential = Credential {
        query: vec![("key".to_owned(), "a&b".to_owned())],
        cookies: vec![("c".to_owned(), "d".to_owned())],
        ..Credential::default()
    };
    of(
        &documents,
        to,
        &plan,
        arguments.as_object().unwrap(),
        credential,
        HeaderMap::new(),
    )
}

#[test]
fn each_argument_goes_where_it_belongs() {
    let arguments = json!({ "id": "a/b c", "path": "x/y.z", "X-Trace": "t ü", "session": "s;s", "tags": ["a", "b"] });
    let request = made(arguments, None).unwrap();
    let url = "https://example.com/v1/pets/a%2Fb%20c/x/y.z?tags=a&tags=b&key=a%26b";
    assert_eq!(
        (request.method.as_str(), request.url.as_str()),
        ("GET", url)
    );
    assert_eq!(request.headers["x-trace"].as_bytes(), "t ü".as_bytes());
    assert_eq!(
        request.headers[ACCEPT],
        "application/json, text/plain, */*;q=0.1"
    );
    assert_eq!(request.confidential[COOKIE], "session=s%3Bs; c=d");
    let other = made(
        json!({ "id": 1, "path": "p" }),
        Some("http://localhost:1/x?k=v"),
    )
    .unwrap();
    assert_eq!(
        other.url.as_str(),
        "http://localhost:1/x/pets/1/p?key=a%26b&k=v"
    );
}

#[test]
fn no_argument_leads_to_another_operation() {
    for (id, path) in [
        ("..", "x"),
        (".", "x"),
        ("x", ".."),
        ("x", "a/../b"),
        ("x", "a/%2e%2e"),
        ("", "x"),
        ("x", ""),
    ] {
        let made = made(json!({ "id": id, "path": path }), None);
        match made {
            Err(why) => assert!(why.contains("path"), "{why}"),
            // What is encoded once more is not a step up.
            Ok(request) => assert!(request.url.path().contains("%252e"), "{}", request.url),
        }
    }
    for (wrong, why) in [
        (json!({ "path": "x" }), "`id` is missing"),
        (
            json!({ "id": 1, "path": "x", "X-Trace": "a\r\nb" }),
            "`X-Trace` has a value that no header can have",
        ),
    ] {
        assert_eq!(made(wrong, None).unwrap_err(), why);
    }
}

/// What the addresses of pages ask for besides is neither another argument nor a key.
#[test]
fn pages_are_asked_for_without_a_way_around_arguments() {
    let text = "openapi: 3.1.0
paths:
  /pets:
    get:
      parameters: [{name: owner, in: query, schema: {type: string}}, {name: filter, in: query, style: deepObject, schema: {type: object}}]
      responses: {'200': {headers: {link: {}}}}
";
    let documents = Documents::of(text);
    let (operations, _) = operations::all(&documents).unwrap();
    let setting = Setting {
        documents: &documents,
        base: &Base::new(Some("https://example.com/?own=k")).unwrap(),
        set: &HashSet::new(),
    };
    let plan = Plan::of(&operations[0], &setting).unwrap();
    let made = |more: Value| {
        let arguments = json!({ "owner": "ada", "more": more });
        let credential = Credential {
            query: vec![("key".to_owned(), "k".to_owned())],
            ..Credential::default()
        };
        let to = endpoint(&operations[0]);
        let arguments = arguments.as_object().unwrap();
        let made = of(
            &documents,
            to,
            &plan,
            arguments,
            credential,
            HeaderMap::new(),
        );
        made.map(|request| request.url.to_string())
    };
    assert_eq!(
        made(json!({ "after": "c=1&owner=eve" })).unwrap(),
        "https://example.com/pets?owner=ada&after=c%3D1%26owner%3Deve&key=k&own=k"
    );
    for (more, why) in [
        (
            json!({ "owner": "eve" }),
            "`more` has `owner`, which is an argument of its own",
        ),
        (
            json!({ "filter[a]": "b" }),
            "`more` has `filter`, which is an argument of its own",
        ),
        (
            json!({ "key": "x" }),
            "`more` has a name that only the host may set",
        ),
        (
            json!({ "own": "x" }),
            "`more` has a name that only the host may set",
        ),
    ] {
        assert_eq!(made(more).unwrap_err(), why);
    }
}

#[test]
fn what_may_be_a_member_of_an_argument_is_not_taken_besides() {
    for (schema, is_taken) in [
        ("{type: object}", false),
        ("{type: [object, 'null']}", false),
        ("{$ref: '#/components/schemas/Filter'}", false),
        ("{$ref: '#/nothing'}", false),
        ("{}", false),
        ("{type: string}", true),
        ("{enum: [a]}", true),
        ("{type: array, items: {type: object}}", true),
    ] {
        let documents = Documents::of(&format!(
            "openapi: 3.1.0\ncomponents: {{schemas: {{Filter: {{properties: {{owner: {{}}}}}}}}}}\npaths: {{/pets: {{get: {{parameters: [{{name: filter, in: query, schema: {schema}}}], responses: {{'200': {{headers: {{Link: {{}}}}}}}}}}}}}}\n"
        ));
        let (operations, _) = operations::all(&documents).unwrap();
        let setting = Setting {
            documents: &documents,
            base: &Base::new(Some("https://example.com")).unwrap(),
            set: &HashSet::new(),
        };
        let plan = Plan::of(&operations[0], &setting).unwrap();
        let arguments = json!({ "more": { "owner": "eve" } });
        let arguments = arguments.as_object().unwrap();
        let to = endpoint(&operations[0]);
        let credential = Credential::default();
        let made = of(
            &documents,
            to,
            &plan,
            arguments,
            credential,
            HeaderMap::new(),
        );
        assert_eq!(made.is_ok(), is_taken, "{schema}");
        if let Err(why) = made {
            assert!(why.contains("members of `filter`"), "{why}");
        }
    }
}
