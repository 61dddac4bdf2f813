//! Calls one by one: each page of the orders says where the next one begins. Gives how many orders
//! of each status there are, and what they come to.

wit_bindgen::generate!({
    path: "wit",
    world: "program",
    generate_all,
    // What tools give can be written as JSON.
    additional_derives: [serde::Serialize],
});

use std::collections::BTreeMap;

use mcp::demo::demo::{self, ListOrdersArgs, OrderStatus};
use serde::{Deserialize, Serialize};

/// What `ampoule run --arguments` gives.
#[derive(Deserialize)]
struct Arguments {
    /// Only orders placed on this day or later, such as `2026-07-01`.
    from: Option<String>,
}

#[derive(Default, Serialize)]
struct Total {
    orders: usize,
    eur_cents: i64,
}

struct Program;

export!(Program);

impl Guest for Program {
    async fn run(arguments: String) -> Result<String, String> {
        let Arguments { from } =
            serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        let mut totals: BTreeMap<OrderStatus, Total> = BTreeMap::new();
        let mut cursor = None;
        loop {
            let page = demo::list_orders(ListOrdersArgs {
                // An option in an option: left out, `null`, or a value.
                from: from.clone().map(Some),
                cursor: cursor.map(Some),
                limit: Some(200),
                status: None,
                to: None,
                customer_id: None,
            });
            let page = page.await.map_err(|error| error.message)?;
            for order in page.items {
                let total = totals.entry(order.status).or_default();
                total.orders += 1;
                total.eur_cents += order.total_eur_cents;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        serde_json::to_string(&totals).map_err(|error| error.to_string())
    }
}
