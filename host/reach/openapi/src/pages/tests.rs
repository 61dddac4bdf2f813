use std::collections::HashSet;

use ampoule_api::answer;
use ampoule_tools::CallContext;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use serde_json::json;

use super::*;
use crate::document::Documents;
use crate::operations;
use crate::plan::{Plan, Setting};
use crate::server::Base;

const PLAIN: &str = "{responses: {'200': {description: x}}}";
const PAGES: &str = "{parameters: [{name: page, in: query, schema: {type: integer}}, {name: q, in: query, schema: {type: string}}, {name: tags, in: query, schema: {type: array}}], responses: {'200': {content: {application/json: {schema: {type: array}}}, headers: {Link: {description: Where else}, Set-Cookie: {}, X-Total-Count: {}}}}}";

/// A call of an operation that is written like this.
fn call(operation: &str, arguments: Value) -> AnsweredCall {
    let documents = Documents::of(&format!(
        "openapi: 3.1.0\npaths: {{/a: {{get: {operation}}}}}\n"
    ));
    let (operations, _) = operations::all(&documents).unwrap();
    let setting = Setting {
        documents: &documents,
        base: &Base::new(Some("https://example.com/?own=k")).unwrap(),
        set: &HashSet::new(),
    };
    AnsweredCall {
        plan: Plan::of(&operations[0], &setting).unwrap().into(),
        arguments: serde_json::from_value(arguments).unwrap(),
        hidden: vec!["key".to_owned()],
    }
}

/// What is answered with this header `Link`.
fn page(link: &str, arguments: Value) -> Result<Value, CallError> {
    let response = Response::builder()
        .header(CONTENT_TYPE, "application/json")
        .header("x-total-count", "7")
        .header("set-cookie", "session=1")
        .header("link", link);
    let response = response.body(Bytes::from_static(b"[1]")).unwrap();
    let blot = Blot::of(["hunter2-secret"].into_iter());
    let context = CallContext::without_a_run("api", "get", 1000);
    let call = call(PAGES, arguments);
    let value = |body| call.value(body, &response, &blot);
    let result = answer::of(&response, "get", &blot, &context, value)?;
    Ok(serde_json::from_str(result.structured_content.unwrap().get()).unwrap())
}

#[test]
fn pages_have_the_arguments_of_the_next_one() {
    let link = r#"<https://x.example/?page=1>; rel="first", </repositories/1?page=2&tags=a&after=c%3D1&key=hunter2-secret&q=x+y>; title="a, b"; rel="next last""#;
    let whole = page(
        link,
        json!({ "tags": ["a", "b"], "q": "x y", "page": null }),
    )
    .unwrap();
    assert_eq!(whole["body"], json!([1]));
    assert_eq!(
        whole["next"],
        json!({ "tags": ["a", "b"], "q": "x y", "page": 2, "more": { "after": "c=1" } })
    );
    assert_eq!(whole["headers"]["x-total-count"], "7");
    // Neither what says who asks, nor what nobody asked for.
    assert_eq!(whole["headers"].as_object().unwrap().len(), 2, "{whole}");
    assert!(!whole.to_string().contains("hunter2"), "{whole}");
    for last in [
        r#"<https://x.example/?page=1>; rel="prev""#,
        "",
        "<",
        "next",
    ] {
        assert_eq!(
            page(last, json!({ "page": 3 })).unwrap()["next"],
            Value::Null
        );
    }
    // A page that is only in the path would be asked for forever.
    let same = page("</a/2>; rel=next", json!({ "q": "x" }));
    assert!(same.unwrap_err().to_string().contains("in its path alone"));
}

#[test]
fn what_comes_with_an_answer_is_in_its_type() {
    let documents = Documents::of("openapi: 3.1.0\n");
    let whole = call(PAGES, json!({})).plan.output(&documents).unwrap();
    assert_eq!(whole["properties"]["body"]["type"], "array");
    let headers = &whole["properties"]["headers"]["properties"];
    assert_eq!(headers["link"]["description"], "Where else");
    assert_eq!(headers.as_object().unwrap().len(), 2, "{headers}");
    let next = &whole["properties"]["next"]["anyOf"][0]["properties"];
    assert_eq!(next["page"], json!({ "type": "integer" }));
    assert_eq!(whole["required"], json!(["body", "headers", "next"]));
    assert_eq!(call(PLAIN, json!({})).plan.output(&documents), None);
    // A limit that nearly all operations have makes no answer more than its body.
    let limited = "{responses: {'200': {headers: {X-RateLimit-Limit: {}}}}}";
    assert_eq!(call(limited, json!({})).plan.output(&documents), None);
}
