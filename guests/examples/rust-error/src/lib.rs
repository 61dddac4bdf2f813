//! A tool that fails: the demo server's business has no payment provider. The program takes the
//! error as an answer like any other, and opens a ticket.

wit_bindgen::generate!({
    path: "wit",
    world: "program",
    generate_all,
});

use mcp::demo::demo::{self, ChargeCardArgs, CreateTicketArgs, GetOrderArgs, Priority};
use serde::Deserialize;
use serde_json::json;

/// What `ampoule run --arguments` gives.
#[derive(Deserialize)]
struct Arguments {
    /// The order to be paid, such as `ORD-10001`.
    order: String,
}

struct Program;

export!(Program);

impl Guest for Program {
    async fn run(arguments: String) -> Result<String, String> {
        let Arguments { order } =
            serde_json::from_str(&arguments).map_err(|error| error.to_string())?;
        // Without the order there is nothing to do: its error ends the program, and is what
        // `ampoule run` says.
        let found = demo::get_order(GetOrderArgs {
            order_id: order.clone(),
        });
        let found = found.await.map_err(|error| error.message)?;

        let charged = demo::charge_card(ChargeCardArgs {
            order_id: order.clone(),
            amount_cents: None,
        });
        let result = match charged.await {
            Ok(_) => json!({ "order": order, "charged": true }),
            Err(refused) => {
                let ticket = demo::create_ticket(CreateTicketArgs {
                    customer_id: found.customer_id,
                    subject: format!("{order} could not be charged"),
                    text: refused.message.clone(),
                    priority: Some(Priority::High),
                    order_ids: Some(vec![order.clone()]),
                });
                let ticket = ticket.await.map_err(|error| error.message)?;
                json!({ "order": order, "charged": false, "because": refused.message, "ticket": ticket.id })
            }
        };
        Ok(result.to_string())
    }
}
