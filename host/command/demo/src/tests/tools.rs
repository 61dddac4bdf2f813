//! Every tool: what it gives is what its schema says, and what it refuses it explains.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::Client;

/// Calls that succeed; with every tool that can.
fn calls() -> Vec<(&'static str, Value)> {
    let (customer, order) = ("CUS-0007", "ORD-12000");
    vec![
        ("get_business", json!({})),
        (
            "list_customers",
            json!({ "segment": "enterprise", "limit": 100 }),
        ),
        ("get_customer", json!({ "customerId": customer })),
        ("find_customers", json!({ "query": "LOGISTICS" })),
        ("find_customers", json!({ "query": "no such customer" })),
        (
            "list_orders",
            json!({ "status": ["cancelled", "pending"], "customerId": null }),
        ),
        (
            "list_orders",
            json!({ "from": "2026-07-01", "to": "2026-09-30", "customerId": customer }),
        ),
        ("get_order", json!({ "orderId": order })),
        (
            "list_products",
            json!({ "category": "chairs", "lowStock": true }),
        ),
        ("list_products", json!({})),
        ("get_product", json!({ "productId": "PRD-40" })),
        (
            "update_product_stock",
            json!({ "productId": "PRD-01", "stock": 12 }),
        ),
        ("list_tickets", json!({ "limit": 100 })),
        (
            "list_tickets",
            json!({ "status": "open", "priority": "urgent" }),
        ),
        (
            "create_ticket",
            json!({ "customerId": customer, "subject": "S", "text": "T", "orderIds": [order] }),
        ),
        (
            "close_ticket",
            json!({ "ticketId": "TIC-0030", "resolution": "done" }),
        ),
        (
            "forecast_revenue",
            json!({ "quarters": 8, "segment": "public_sector" }),
        ),
    ]
}

fn validator(schema: &Value) -> Result<jsonschema::Validator> {
    jsonschema::meta::validate(schema).map_err(|error| anyhow::anyhow!("{error}"))?;
    let options = jsonschema::options().should_validate_formats(true);
    Ok(options.build(schema)?)
}

fn check(tool: &Tool, schema: &Value, value: &Value) -> Result<()> {
    let validator = validator(schema)?;
    if let Some(error) = validator.iter_errors(value).next() {
        anyhow::bail!("{}: {error} at {}", tool.name, error.instance_path());
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn arguments_and_results_are_what_the_schemas_say() -> Result<()> {
    let client = Client::connect().await?;
    let tools = client.0.list_all_tools().await?;
    let mut called = BTreeSet::from(["charge_card"]);
    for (name, arguments) in calls() {
        let tool = tools.iter().find(|tool| tool.name == name).context(name)?;
        check(
            tool,
            &Value::Object((*tool.input_schema).clone()),
            &arguments,
        )?;
        let schema = tool.output_schema.as_ref().context("no output schema")?;
        let result = client.call(name, arguments).await?;
        let value = result.structured_content.clone().context(name)?;
        check(tool, &Value::Object((**schema).clone()), &value)?;
        let same: Value = serde_json::from_str(&super::text(&result))?;
        assert_eq!(
            same, value,
            "the text of {name} is not its structured result"
        );
        called.insert(name);
    }
    let listed: BTreeSet<_> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(called, listed);
    Ok(())
}

#[tokio::test]
async fn every_record_is_what_the_schemas_say() -> Result<()> {
    let client = Client::connect().await?;
    let tools = client.0.list_all_tools().await?;
    for (list, get, key, most) in [
        ("list_customers", "get_customer", "customerId", 100),
        ("list_orders", "get_order", "orderId", 200),
        ("list_products", "get_product", "productId", 0),
    ] {
        let tool = tools.iter().find(|tool| tool.name == get).context(get)?;
        let schema = tool.output_schema.as_ref().context("no output schema")?;
        let validator = validator(&Value::Object((**schema).clone()))?;
        let page = match most {
            0 => json!({}),
            most => json!({ "limit": most }),
        };
        for record in client.all(list, page).await?.0 {
            let full = client.value(get, json!({ (key): record["id"] })).await?;
            assert!(validator.is_valid(&full), "{full}");
            assert_eq!(full["id"], record["id"]);
        }
    }
    Ok(())
}

#[tokio::test]
async fn tools_say_what_they_do() -> Result<()> {
    let client = Client::connect().await?;
    let mut changing = Vec::new();
    for tool in client.0.list_all_tools().await? {
        let description = tool.description.context("no description")?;
        assert!((20..160).contains(&description.len()), "{description}");
        let annotations = tool.annotations.context("no annotations")?;
        if annotations.read_only_hint != Some(true) {
            changing.push(tool.name.into_owned());
        }
    }
    assert_eq!(
        changing,
        [
            "charge_card",
            "close_ticket",
            "create_ticket",
            "update_product_stock"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn pages_have_every_order_once() -> Result<()> {
    let client = Client::connect().await?;
    let (orders, pages) = client.all("list_orders", json!({ "limit": 200 })).await?;
    assert_eq!((orders.len(), pages), (2_400, 12));
    let ids: Vec<_> = orders
        .iter()
        .filter_map(|order| order["id"].as_str())
        .collect();
    let expected: Vec<_> = (10_001..=12_400).map(|it| format!("ORD-{it}")).collect();
    assert_eq!(ids, expected);

    let filter =
        json!({ "status": ["delivered"], "from": "2026-04-01", "to": "2026-06-30", "limit": 7 });
    let (filtered, _) = client.all("list_orders", filter).await?;
    let expected: Vec<_> = orders
        .iter()
        .filter(|order| order["status"] == "delivered")
        .filter(|order| {
            let day = &order["placedAt"].as_str().unwrap_or_default()[..10];
            ("2026-04-01"..="2026-06-30").contains(&day)
        })
        .cloned()
        .collect();
    assert_eq!(filtered, expected);
    Ok(())
}

#[tokio::test]
async fn what_is_refused_is_explained() -> Result<()> {
    let client = Client::connect().await?;
    let cases = [
        (
            "list_orders",
            json!({ "limit": 201 }),
            "`limit` is 201, and must be from 1 to 200",
        ),
        ("list_orders", json!({ "limit": 0 }), "`limit` is 0"),
        (
            "list_orders",
            json!({ "cursor": "page 2" }),
            "`cursor` is `page 2`, which this list never gave",
        ),
        (
            "list_orders",
            json!({ "from": "2026-09-02", "to": "2026-09-01" }),
            "is after `to`",
        ),
        (
            "list_orders",
            json!({ "from": "yesterday" }),
            "`yesterday` is not a day; write it as",
        ),
        (
            "list_orders",
            json!({ "form": "2026-09-01" }),
            "unknown field `form`",
        ),
        (
            "list_orders",
            json!({ "status": ["late"] }),
            "unknown variant `late`",
        ),
        (
            "list_orders",
            json!({ "customerId": "Alder" }),
            "`find_customers` looks for them",
        ),
        ("get_order", json!({}), "missing field `orderId`"),
        (
            "get_order",
            json!({ "orderId": "10001" }),
            "ids look like `ORD-10001`",
        ),
        (
            "find_customers",
            json!({ "query": "" }),
            "`query` has 0 characters",
        ),
        (
            "get_product",
            json!({ "productId": "PRD-41" }),
            "there is no product `PRD-41`",
        ),
        (
            "update_product_stock",
            json!({ "productId": "PRD-01", "stock": -1 }),
            "invalid value",
        ),
        (
            "create_ticket",
            json!({ "customerId": "CUS-0001", "subject": "é".repeat(201), "text": "T" }),
            "`subject` has 201 characters, and must have from 1 to 200",
        ),
        (
            "create_ticket",
            json!({ "customerId": "CUS-0001", "subject": "S", "text": "T", "orderIds": ["ORD-1"] }),
            "there is no order `ORD-1`",
        ),
        (
            "close_ticket",
            json!({ "ticketId": "TIC-0031", "resolution": "R" }),
            "no ticket `TIC-0031`",
        ),
        (
            "charge_card",
            json!({ "orderId": "ORD-10001" }),
            "the payment provider is not configured",
        ),
        (
            "charge_card",
            json!({ "orderId": "ORD-1" }),
            "there is no order `ORD-1`",
        ),
        (
            "forecast_revenue",
            json!({ "quarters": 9 }),
            "`quarters` is 9, and must be from 1 to 8",
        ),
    ];
    for (tool, arguments, expected) in cases {
        let text = client.failure(tool, arguments).await?;
        assert!(text.contains(expected), "{tool} says: {text}");
    }
    Ok(())
}

#[tokio::test]
async fn changes_last_as_long_as_the_server() -> Result<()> {
    let client = Client::connect().await?;
    let stock = json!({ "productId": "PRD-03", "stock": 77 });
    client.value("update_product_stock", stock.clone()).await?;
    let again = client.value("update_product_stock", stock).await?;
    assert_eq!(
        (&again["previousStock"], &again["stock"]),
        (&json!(77), &json!(77))
    );

    let arguments = json!({ "customerId": "CUS-0003", "subject": "Late", "text": "T" });
    let opened = client.value("create_ticket", arguments).await?;
    assert_eq!(
        (&opened["id"], &opened["priority"]),
        (&json!("TIC-0031"), &json!("normal"))
    );
    let close = json!({ "ticketId": "TIC-0031", "resolution": "paid" });
    let closed = client.value("close_ticket", close).await?;
    assert_eq!(
        closed["history"][1]["change"],
        json!({ "type": "closed", "resolution": "paid" })
    );
    let close = json!({ "ticketId": "TIC-0031", "resolution": "again" });
    assert_eq!(client.value("close_ticket", close).await?, closed);

    let other = Client::connect().await?;
    assert_ne!(
        other
            .value("get_product", json!({ "productId": "PRD-03" }))
            .await?["stock"],
        77
    );
    assert_eq!(other.value("list_tickets", json!({})).await?["total"], 30);
    Ok(())
}

#[tokio::test]
async fn tickets_opened_at_once_are_all_kept() -> Result<()> {
    let client = Client::connect().await?;
    let open = |number: usize| {
        let customer = format!("CUS-{:04}", number + 1);
        let arguments =
            json!({ "customerId": customer, "subject": "S", "text": "T", "priority": "high" });
        client.value("create_ticket", arguments)
    };
    let tickets = futures::future::try_join_all((0..100).map(open)).await?;
    let ids: BTreeSet<_> = tickets
        .iter()
        .map(|ticket| ticket["id"].to_string())
        .collect();
    assert_eq!(ids.len(), 100);
    let listed = client.all("list_tickets", json!({ "limit": 100 })).await?.0;
    assert_eq!(listed.len(), 130);
    Ok(())
}
