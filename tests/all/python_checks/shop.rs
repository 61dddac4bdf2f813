//! The server that the scripts call, with closed schemas.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ampoule_projection::Tool;
use ampoule_tests::binding::{self, Stub, returned};
use futures::future::FutureExt;
use serde_json::{Value, json};

/// The server, which counts its calls.
#[derive(Default, Clone)]
pub(super) struct Shop(Arc<AtomicUsize>);

impl Shop {
    pub(super) fn calls(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    pub(super) fn stub(&self) -> Stub {
        let calls = Arc::clone(&self.0);
        Stub::new("shop", tools()).answering(move |tool, arguments| {
            calls.fetch_add(1, Ordering::Relaxed);
            let order = json!({"id": "a", "status": "paid", "customer": {"name": "Ada"}});
            let answer = match tool {
                "get_order" => order,
                "list_orders" => json!({"total": 1, "items": [order]}),
                _ => Value::Object(arguments),
            };
            async move { returned(answer.to_string()) }.boxed()
        })
    }
}

fn tools() -> Vec<Tool> {
    let order = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "status": {"type": "string"},
            "customer": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "additionalProperties": false,
            },
        },
        "required": ["id", "status", "customer"],
        "additionalProperties": false,
    });
    let orders = json!({
        "type": "object",
        "properties": {"total": {"type": "integer"}, "items": {"type": "array", "items": order}},
        "required": ["total", "items"],
        "additionalProperties": false,
    });
    let item = json!({
        "type": "object",
        "properties": {"sku": {"type": "string"}, "quantity": {"type": "integer"}},
        "required": ["sku", "quantity"],
        "additionalProperties": false,
    });
    let list = json!({
        "type": "object",
        "properties": {
            "limit": {"type": "integer", "minimum": 0},
            "status": {"type": "array", "items": {"enum": ["pending", "paid"]}},
            "customer": {"type": "string"},
        },
        "additionalProperties": false,
    });
    let get = json!({
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
        "additionalProperties": false,
    });
    let create = json!({
        "type": "object",
        "properties": {
            "customer": {"type": "string"},
            "items": {"type": "array", "items": item},
            "note": {"type": ["string", "null"]},
            "giftWrap": {"type": "boolean"},
        },
        "required": ["customer", "items"],
        "additionalProperties": false,
    });
    let put = json!({
        "type": "object",
        "properties": {"value": {"type": "object"}},
        "additionalProperties": false,
    });
    vec![
        answering(binding::tool("list_orders", list), orders),
        answering(binding::tool("get_order", get), order),
        binding::tool("create_order", create),
        binding::tool("put", put),
    ]
}

fn answering(mut tool: Tool, schema: Value) -> Tool {
    tool.output_schema = Some(schema.into());
    tool
}
