//! Join two servers: invoices that the business thinks open, and the bank has seen paid.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};
use futures::FutureExt;
use serde_json::{Value, json};

use super::direct::Direct;
use super::servers::Kind::{Demo, Files};
use super::{Script, Task, any};

/// The numbers of invoices among which the bank's payments are, and how many it has.
const INVOICES: (usize, usize) = (12_150, 300);
const PAYMENTS: usize = 250;

pub(super) const TASK: Task = Task {
    name: "join a month's orders with 250 payments of a bank",
    servers: &[Demo, Files],
    prepare: |_, folder| {
        let written = fs::write(folder.join("payments.csv"), payments());
        async { Ok(written?) }.boxed()
    },
    directly: |direct| directly(direct).boxed(),
    script: Script {
        language: "typescript",
        code: include_str!("joined.ts"),
        calls: &["read_text_file", "list_orders"],
        searches: &[
            (Files, "read a text file"),
            (Demo, "list orders by status and day"),
        ],
    },
};

fn payments() -> String {
    let mut text = String::from("day,reference,cents\n");
    for payment in 0..PAYMENTS {
        let (first, all) = INVOICES;
        let invoice = first + any(payment, 0) % all;
        let (day, cents) = (any(payment, 1) % 28 + 1, any(payment, 2) % 900_000);
        let _ = writeln!(text, "2026-10-{day:02},INV-{invoice},{cents}");
    }
    text
}

async fn directly(direct: &mut Direct) -> Result<Value> {
    let page = |cursor: Option<&str>| {
        let mut arguments = json!({ "status": ["shipped", "delivered"], "from": "2026-09-01", "to": "2026-09-30", "limit": 200 });
        if let Some(cursor) = cursor {
            arguments["cursor"] = json!(cursor);
        }
        (Demo, "list_orders", arguments)
    };
    let file = (Files, "read_text_file", json!({ "path": "payments.csv" }));
    let mut first = direct.together(vec![file, page(None)]).await?;
    let (mut orders, payments) = (first.pop().context("orders")?, first.pop());
    let payments = payments.context("payments")?;
    let references = payments.lines().filter_map(|line| line.split(',').nth(1));
    let paid: BTreeSet<&str> = references.collect();
    let mut open = Vec::new();
    loop {
        let listed: Value = serde_json::from_str(&orders)?;
        for order in listed["items"].as_array().context("orders")? {
            let invoice = &order["invoice"];
            let number = invoice["number"].as_str().unwrap_or_default();
            if invoice["paidAt"].is_null() && paid.contains(number) {
                open.push(json!({ "order": order["id"], "customer": order["customerId"], "invoice": number }));
            }
        }
        let Some(cursor) = listed["nextCursor"].as_str() else {
            break;
        };
        orders = direct
            .together(vec![page(Some(cursor))])
            .await?
            .swap_remove(0);
    }
    Ok(json!(open))
}
