//! Components that were built against other versions of the tools, or import what they are not
//! granted.

use ampoule_projection::Tool;
use ampoule_projection_tests::tool;
use ampoule_tools::Grant;
use serde_json::{Value, json};

use super::{Host, forwarder, package};

/// A server's tools: two, of which tests change the second.
fn tools(properties: &Value, required: &Value, output: Option<Value>) -> Vec<Tool> {
    let input = json!({"type": "object", "properties": properties, "required": required});
    vec![
        tool("list_all", json!({"type": "object"}), None),
        tool("create_order", input, output),
    ]
}

fn orders() -> Vec<Tool> {
    tools(
        &json!({
            "id": {"type": "string"},
            "priority": {"enum": ["low", "high"]},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}},
        }),
        &json!(["id", "lines"]),
        Some(
            json!({"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}),
        ),
    )
}

/// What a component of `orders` learns, where the server has these tools.
async fn told(now: Vec<Tool>) -> String {
    let component = forwarder::component(&package("shop", &orders()));
    let host = Host::new("shop", now);
    match host.link(&component, Grant::all()).await {
        Ok(_) => "linked".to_owned(),
        Err(error) => {
            assert!(error.is_request());
            error.to_string()
        }
    }
}

#[tokio::test]
async fn a_component_links_while_its_functions_are_the_same() {
    assert_eq!(told(orders()).await, "linked");
    let mut more = orders();
    more.insert(0, tool("new_one", json!({"type": "object"}), None));
    more.swap(1, 2);
    assert_eq!(told(more).await, "linked");
}

#[tokio::test]
async fn what_has_changed_is_reported_with_its_function_and_place() {
    let number = json!({"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]});
    let line = |count: Value| json!({"type": "array", "items": {"type": "object", "properties": {"count": count}, "required": ["count"]}});
    let lines = line(json!({"type": "integer"}));
    let priority = json!({"enum": ["low", "high"]});
    let id = json!({"type": "string"});
    let all = json!({"id": id, "priority": priority, "lines": lines});
    let some =
        |properties: Value, required: Value| tools(&properties, &required, Some(number.clone()));
    for (now, expected) in [
        (
            some(
                json!({"id": id, "priority": priority, "lines": lines, "note": {"type": "string"}}),
                json!(["id", "lines"]),
            ),
            "args has a new field `note`",
        ),
        (
            some(json!({"id": id, "lines": lines}), json!(["id", "lines"])),
            "args no longer has the field `priority`",
        ),
        (
            some(
                json!({"id": {"type": "integer"}, "priority": priority, "lines": lines}),
                json!(["id", "lines"]),
            ),
            "args.id was string, and is s64 now",
        ),
        (
            some(all.clone(), json!(["id", "lines", "priority"])),
            "args.priority was option<an enum>",
        ),
        (
            some(all.clone(), json!(["id"])),
            "args.lines was required, and may be absent now",
        ),
        (
            some(
                json!({"id": id, "priority": {"enum": ["low", "high", "urgent"]}, "lines": lines}),
                json!(["id", "lines"]),
            ),
            "args.priority has a new value `urgent`",
        ),
        (
            some(
                json!({"id": id, "priority": priority, "lines": line(json!({"type": "string"}))}),
                json!(["id", "lines"]),
            ),
            "args.lines[].count was s64, and is string now",
        ),
        (
            some(
                json!({"priority": priority, "id": id, "lines": lines}),
                json!(["id", "lines"]),
            ),
            "args has its fields in another order now",
        ),
        (
            tools(&all, &json!(["id", "lines"]), None),
            "result was a record, and is content blocks now",
        ),
    ] {
        let told = told(now).await;
        assert!(
            told.starts_with("`mcp:shop/shop` has changed since the component was built"),
            "{told}"
        );
        assert!(
            told.contains(&format!("`create-order`: {expected}")),
            "{told}"
        );
        assert!(!told.contains("list-all"), "{told}");
    }
}

#[tokio::test]
async fn a_list_that_does_not_fit_is_brought_up_to_date() {
    let component = forwarder::component(&package("shop", &orders()));
    let host = Host::new("shop", Vec::new());
    host.server.renew(orders());
    assert!(host.link(&component, Grant::all()).await.is_ok());
}

#[tokio::test]
async fn a_tool_that_is_gone_or_not_granted_is_named() {
    let mut renamed = orders();
    renamed[1].name = "create_orders".into();
    let told = told(renamed).await;
    assert!(
        told.starts_with("server `shop` has no tool `create-order`; did you mean `create-orders`?"),
        "{told}"
    );
    let component = forwarder::component(&package("shop", &orders()));
    let host = Host::new("shop", orders());
    let refused = |grant: &str| {
        let grant: Grant = grant.parse().unwrap();
        let (host, component) = (&host, &component);
        async move { host.link(component, grant).await.err().unwrap().to_string() }
    };
    let told = refused("shop.list_all").await;
    assert!(told.contains("has no tool `create-order`"), "{told}");
    // What was linked for one run is not there for another.
    assert!(host.link(&component, Grant::all()).await.is_ok());
    let told = refused("shop.create_*").await;
    assert!(told.contains("has no tool `list-all`"), "{told}");
    let told = refused("shop.absent*").await;
    assert!(
        told.contains("`list-all`") && told.contains("`create-order`"),
        "{told}"
    );
    let other = forwarder::component(&package("shops", &orders()));
    let told = host
        .link(&other, Grant::all())
        .await
        .err()
        .unwrap()
        .to_string();
    assert!(
        told.starts_with("unknown server `shops`; did you mean `shop`?"),
        "{told}"
    );
}
