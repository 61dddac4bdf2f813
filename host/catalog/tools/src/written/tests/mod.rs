//! Calls that are written in scripts, judged.
//!
//! - `proofs`: random schemas, arguments and places that are not known

mod proofs;

use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_projection::{Idiom, Tool};
use serde_json::{Value, json};

use super::*;
use crate::testing::Stub;
use crate::{Catalog, Grant};

fn tool(name: &str, input: &Value, output: Option<&Value>) -> Tool {
    let mut tool = json!({ "name": name, "inputSchema": input });
    if let Some(output) = output {
        tool["outputSchema"] = output.clone();
    }
    serde_json::from_value(tool).expect("a tool")
}

fn shop() -> Stub {
    let order = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "items"],
        "properties": {
            "id": { "type": "string" },
            "customer": { "$ref": "#/$defs/customer" },
            "note": { "type": ["string", "null"] },
            "items": { "type": "array", "items": {
                "type": "object", "additionalProperties": false,
                "properties": { "sku": { "type": "string" }, "count": { "type": "integer" } },
            } },
            "extra": { "type": "object", "properties": { "a": {} } },
        },
        "$defs": { "customer": {
            "type": "object", "additionalProperties": false, "properties": { "name": { "type": "string" } },
        } },
    });
    let wrapped = json!({
        "type": "object", "x-fastmcp-wrap-result": true,
        "properties": { "result": { "type": "array", "items": order["properties"]["items"]["items"] } },
    });
    let input = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["id"],
        "properties": {
            "id": { "type": "string" },
            "maxItems": { "type": "integer", "minimum": 1 },
            "status": { "enum": ["open", "closed"] },
            "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2 },
        },
    });
    Stub::new(
        "shop",
        vec![
            tool("get_order", &input, Some(&order)),
            tool("list_items", &json!({ "type": "object" }), Some(&wrapped)),
        ],
    )
}

fn granted(stubs: &[&Stub]) -> GrantedTools {
    let bindings = stubs.iter().map(|stub| Arc::new((*stub).clone()) as _);
    let catalog = Catalog::new(bindings.collect()).expect("distinct names");
    GrantedTools::new(catalog, Grant::all()).expect("it grants what there is")
}

fn call(name: &str, arguments: &Value) -> WrittenCall {
    let (server, tool) = name.split_once('.').expect("a server and a tool");
    WrittenCall {
        server: Some(server.to_owned()),
        tool: tool.to_owned(),
        arguments: Some(arguments.to_string()),
        ..WrittenCall::default()
    }
}

async fn messages(calls: &[WrittenCall]) -> Vec<String> {
    let mistakes = granted(&[&shop()]).mistakes(calls).await;
    mistakes
        .into_iter()
        .map(|mistake| mistake.message)
        .collect()
}

#[tokio::test]
async fn a_call_is_judged_as_it_would_be_at_run_time() {
    let good = [
        json!({ "id": "o-1" }),
        json!({ "id": "o-1", "max_items": 3, "status": "open" }),
        json!({ "id": "o-1", "tags": ["a", "b"] }),
    ];
    for arguments in good {
        let none: [&str; 0] = [];
        assert_eq!(
            messages(&[call("shop.getOrder", &arguments)]).await,
            none,
            "{arguments}"
        );
    }
    let bad = [
        (json!({}), "`id` is missing"),
        (
            json!({ "id": 7 }),
            "`id` must be a string, not 7: write \"7\"",
        ),
        (
            json!({ "id": "o-1", "state": "open" }),
            "`state` is not a known property; did you mean `status`?",
        ),
        (
            json!({ "id": "o-1", "status": "opne" }),
            "`status` must be ",
        ),
    ];
    for (arguments, expected) in bad {
        let told = messages(&[call("shop.getOrder", &arguments)]).await;
        assert_eq!(told.len(), 1, "{arguments}");
        let run_time = run_time(&shop(), "get_order", &arguments).await;
        assert_eq!(told[0], run_time, "{arguments}");
        assert!(told[0].starts_with(expected), "{}", told[0]);
    }
}

/// What a call with these arguments fails with.
async fn run_time(stub: &Stub, name: &str, arguments: &Value) -> String {
    let granted = granted(&[stub]);
    let tool = granted.resolve_on("shop", name).await.expect("it is there");
    let context = crate::CallContext::without_a_run("shop", name, 1 << 20);
    let outcome = tool.call(
        arguments.to_string(),
        crate::Form::Script,
        context,
        crate::Layers::default(),
        Effort::default(),
    );
    match outcome.await.expect("there is effort enough") {
        crate::CallOutcome::Failure(failure) => failure.message,
        outcome => panic!("{outcome:?}"),
    }
}

#[tokio::test]
async fn names_that_mean_nothing_are_mistakes_of_calls_that_are_certain() {
    let no_tool = call("shop.getOrdr", &json!({}));
    let no_server = call("shp.getOrder", &json!({}));
    let alone = WrittenCall {
        tool: "mcp__shop__get_ordr".to_owned(),
        ..WrittenCall::default()
    };
    let calls = [no_tool, no_server, alone];
    let mistakes = granted(&[&shop()]).mistakes(&calls).await;
    let near: Vec<_> = mistakes
        .iter()
        .map(|mistake| match &mistake.kind {
            MistakeKind::Name { near } => near[0].as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(near, ["getOrder", "shop", "getOrder"]);
    assert!(
        mistakes[0]
            .message
            .starts_with("server `shop` has no tool `getOrdr`")
    );
    let conditional = calls.map(|call| WrittenCall {
        conditional: true,
        ..call
    });
    let mistakes = granted(&[&shop()]).mistakes(&conditional).await;
    assert_eq!(mistakes, []);
}

#[tokio::test]
async fn a_tool_may_come_to_be_there() {
    let calls = ["enableToolset", "getOrdr"].map(|tool| call(&format!("shop.{tool}"), &json!({})));
    let (bringing, after) = (calls[0].clone(), calls[1].clone());
    let conditional = WrittenCall {
        conditional: true,
        ..bringing
    };
    let mistakes = granted(&[&shop()])
        .mistakes(&[conditional, after.clone()])
        .await;
    assert_eq!(mistakes, []);
    let mistakes = granted(&[&shop()]).mistakes(&[after]).await;
    assert_eq!(mistakes.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_can_t_be_asked_makes_no_mistakes() {
    let (starting, failed) = (Stub::starting("slow"), Stub::starting("gone"));
    failed.fail("it does not start");
    let calls = ["slow.a", "gone.a"].map(|name| call(name, &json!({ "x": 1 })));
    let alone = WrittenCall {
        tool: "nowhere".to_owned(),
        ..WrittenCall::default()
    };
    let calls = [&calls[..], &[alone]].concat();
    let granted = granted(&[&starting, &failed, &shop()]);
    assert_eq!(granted.mistakes(&calls).await, []);
}

#[tokio::test]
async fn a_server_is_not_asked_for_the_sake_of_calls_that_may_not_happen() {
    let starting = Stub::starting("slow");
    let conditional = WrittenCall {
        conditional: true,
        ..call("slow.a", &json!({ "x": 1 }))
    };
    let granted = granted(&[&starting]);
    assert_eq!(granted.mistakes(&[conditional]).await, []);
    assert_eq!(starting.take_asked(), 0);
}

#[tokio::test]
async fn an_older_list_is_brought_up_to_date_before_it_is_trusted() {
    let stub = shop();
    let newer = json!({ "type": "object", "properties": { "order": { "type": "integer" } } });
    stub.renew(vec![tool("get_order", &newer, None)]);
    let calls = [call("shop.getOrder", &json!({ "order": 7 }))];
    assert_eq!(granted(&[&stub]).mistakes(&calls).await, []);
}

#[tokio::test]
async fn places_that_are_not_known_are_never_wrong() {
    let unknown = |arguments: Value, places: &[&str], open: &[&str]| WrittenCall {
        unknown: places.iter().map(ToString::to_string).collect(),
        open: open.iter().map(ToString::to_string).collect(),
        ..call("shop.getOrder", &arguments)
    };
    let fine = [
        unknown(
            json!({ "id": null, "status": null }),
            &["/id", "/status"],
            &[],
        ),
        unknown(json!({}), &[], &[""]),
        unknown(json!(null), &[""], &[]),
        unknown(
            json!({ "id": "a", "max_items": null }),
            &["/max_items"],
            &[],
        ),
        unknown(json!({ "id": "a", "other": null }), &["/other"], &[]),
        unknown(
            json!({ "id": "a", "tags": [null, null] }),
            &["/tags/0", "/tags/1"],
            &[],
        ),
        unknown(json!({ "id": "a", "tags": ["b"] }), &[], &["/tags"]),
    ];
    for call in fine {
        assert_eq!(
            messages(std::slice::from_ref(&call)).await,
            [""; 0],
            "{call:?}"
        );
    }
    let wrong = [
        unknown(json!({ "status": null }), &["/status"], &[]),
        unknown(json!({ "id": null, "maxItems": 0 }), &["/id"], &[]),
        unknown(json!({ "state": 1 }), &[], &[""]),
        unknown(json!({ "id": "a", "tags": [null, 7] }), &["/tags/0"], &[]),
        unknown(json!({ "id": "a", "tags": [7] }), &[], &["/tags"]),
        unknown(json!({ "id": "a", "tags": [null] }), &["/tags/0"], &[]),
    ];
    for call in wrong {
        assert_eq!(
            messages(std::slice::from_ref(&call)).await.len(),
            1,
            "{call:?}"
        );
    }
}

#[tokio::test]
async fn arguments_by_position_have_the_names_of_the_schema() {
    let by_position = |arguments: Value, positional| WrittenCall {
        positional,
        ..call("shop.getOrder", &arguments)
    };
    let fine = by_position(json!({ "0": "o-1", "1": 3 }), 2);
    let wrong = by_position(json!({ "0": 7, "status": "open" }), 1);
    let too_many = by_position(
        json!({ "0": "a", "1": 1, "2": "open", "3": ["a", "b"], "4": 0 }),
        5,
    );
    let twice = by_position(json!({ "0": 7, "id": "a" }), 1);
    let told = messages(&[fine, wrong, too_many, twice]).await;
    assert_eq!(told, ["`id` must be a string, not 7: write \"7\""]);
}

#[tokio::test]
async fn reads_of_what_closed_answers_do_not_have_are_mistakes() {
    let reads = |name: &str, reads: &[&str]| WrittenCall {
        reads: reads.iter().map(ToString::to_string).collect(),
        ..call(name, &json!({ "id": "o-1" }))
    };
    let fine = [
        "/id",
        "/id/length",
        "/items/0/sku",
        "/items/-/count",
        "/items/length",
        "/customer/name",
        "/note/x",
        "/extra/b",
        "/0",
        "/-/sku",
    ];
    assert_eq!(messages(&[reads("shop.getOrder", &fine)]).await, [""; 0]);
    let told = messages(&[
        reads(
            "shop.getOrder",
            &["/customer/nme", "/total", "/items/-/size"],
        ),
        reads(
            "shop.listItems",
            &["/0/skuu", "/0/skuu/x", "/0/sku", "/length", "/result"],
        ),
        reads("shop.getOrder", &["/structuredContent"]),
    ])
    .await;
    assert_eq!(
        told,
        [
            "has no `nme`; did you mean `name`? Its keys: name",
            "has no `total`. Its keys: id, customer, note, items, extra",
            "has no `size`. Its keys: sku, count",
            "has no `skuu`; did you mean `sku`? Its keys: sku, count",
            "has no `structuredContent`, for an answer is the value itself, without what the protocol has around it. Its keys: id, customer, note, items, extra",
        ]
    );
    let python = granted(&[&shop()]).named_as(Idiom::Python);
    assert_eq!(
        python.mistakes(&[reads("shop.get_order", &["/I_D"])]).await,
        []
    );
}

#[tokio::test]
async fn at_most_ten_mistakes_are_told() {
    let calls = vec![call("shop.getOrder", &json!({})); 20];
    let mistakes = granted(&[&shop()]).mistakes(&calls).await;
    let places: Vec<_> = mistakes.iter().map(|mistake| mistake.call).collect();
    assert_eq!(places, Vec::from_iter(0..10));
}

/// A tool whose schema for answers is large, and calls that read of them.
fn large_answers(reads: usize) -> (Stub, u64, Vec<WrittenCall>) {
    let properties = (0..400).map(|index| (format!("member_{index}"), json!({})));
    let output = json!({
        "type": "object", "additionalProperties": false,
        "properties": Value::Object(properties.collect()),
    });
    let price = ampoule_effort::BYTE * output.to_string().len() as u64;
    let stub = Stub::new(
        "shop",
        vec![tool("get_all", &json!({ "type": "object" }), Some(&output))],
    );
    // One tool has many names.
    let calls = ["get_all", "getAll", "GET_ALL", "get-all"].iter().cycle();
    let calls = calls
        .take(reads)
        .enumerate()
        .map(|(index, name)| WrittenCall {
            reads: vec![format!("/member_{}", index % 400)],
            ..call(&format!("shop.{name}"), &json!({}))
        });
    (stub, price, calls.collect())
}

#[tokio::test]
async fn a_schema_for_answers_is_parsed_once_and_paid_for() {
    let (stub, price, calls) = large_answers(1_000);
    let effort = Effort::default();
    let paid = granted(&[&stub]).paid_by(effort.clone());
    assert_eq!(paid.mistakes(&calls).await, []);
    let spent = effort.take_spent();
    let reads = 4 * ampoule_effort::ITEM * 1_000 + price;
    assert!((price..2 * price + reads).contains(&spent), "{spent}");
    // Who can't pay learns nothing.
    let (_, _, mut calls) = large_answers(1);
    calls[0].reads = vec!["/nothing".to_owned()];
    let poor = granted(&[&stub]).paid_by(Effort::of(price / 2));
    assert_eq!(poor.mistakes(&calls).await, []);
    assert_eq!(granted(&[&stub]).mistakes(&calls).await.len(), 1);
}

#[tokio::test]
async fn the_names_of_large_answers_are_compared_where_that_is_paid() {
    let (stub, price, mut calls) = large_answers(1);
    calls[0].reads = (0..1_000).map(|index| format!("/other_{index}")).collect();
    let effort = Effort::default();
    let paid = granted(&[&stub]).paid_by(effort.clone());
    assert_eq!(paid.mistakes(&calls).await.len(), MOST_MISTAKES);
    let compared = crate::spelling::price("other_0", 400) * MOST_MISTAKES as u64;
    let spent = effort.take_spent();
    // Of the other reads, nothing is said, and nothing compared.
    assert!(
        (compared..2 * (compared + price)).contains(&spent),
        "{spent}"
    );
}
