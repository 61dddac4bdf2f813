//! What the tools take. The input schemas are derived from here, so these comments are what a model reads.
//!
//! A name that is not listed is refused: a filter with a slip in its name must not silently match everything.

use chrono::NaiveDate;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::model::{Category, OrderStatus, Priority, Segment, TicketStatus};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListCustomers {
    /// Only customers of this segment.
    #[serde(default)]
    pub(super) segment: Option<Segment>,
    /// `nextCursor` of the page before; leave it out for the first page.
    #[serde(default)]
    pub(super) cursor: Option<String>,
    /// Customers a page.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetCustomer {
    /// Such as `CUS-0042`.
    pub(super) customer_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FindCustomers {
    /// Part of a customer's name, city, contact or e-mail address; upper and lower case are the same.
    #[schemars(length(min = 1, max = 100))]
    pub(super) query: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListOrders {
    /// Only orders with one of these statuses; leave it out for all.
    #[serde(default)]
    pub(super) status: Option<Vec<OrderStatus>>,
    /// Only orders placed on this day (UTC) or later.
    #[serde(default, deserialize_with = "day")]
    pub(super) from: Option<NaiveDate>,
    /// Only orders placed on this day (UTC) or earlier.
    #[serde(default, deserialize_with = "day")]
    pub(super) to: Option<NaiveDate>,
    /// Only this customer's orders.
    #[serde(default)]
    pub(super) customer_id: Option<String>,
    /// `nextCursor` of the page before; leave it out for the first page.
    #[serde(default)]
    pub(super) cursor: Option<String>,
    /// Orders a page.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 200))]
    pub(super) limit: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetOrder {
    /// Such as `ORD-10001`.
    pub(super) order_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListProducts {
    /// Only products of this category.
    #[serde(default)]
    pub(super) category: Option<Category>,
    /// Only products whose stock is at or below their reorder level.
    #[serde(default)]
    pub(super) low_stock: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct GetProduct {
    /// Such as `PRD-07`.
    pub(super) product_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct UpdateProductStock {
    /// Such as `PRD-07`.
    pub(super) product_id: String,
    /// Pieces that are in stock now: the count itself, not a difference.
    pub(super) stock: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ListTickets {
    /// Only tickets with this status.
    #[serde(default)]
    pub(super) status: Option<TicketStatus>,
    /// Only tickets of this priority.
    #[serde(default)]
    pub(super) priority: Option<Priority>,
    /// Only this customer's tickets.
    #[serde(default)]
    pub(super) customer_id: Option<String>,
    /// `nextCursor` of the page before; leave it out for the first page.
    #[serde(default)]
    pub(super) cursor: Option<String>,
    /// Tickets a page.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 100))]
    pub(super) limit: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CreateTicket {
    /// Whom it is about.
    pub(super) customer_id: String,
    /// What it is about, in a line.
    #[schemars(length(min = 1, max = 200))]
    pub(super) subject: String,
    /// All that whoever takes it on needs to know.
    #[schemars(length(min = 1, max = 4000))]
    pub(super) text: String,
    #[serde(default)]
    pub(super) priority: Priority,
    /// The orders that it is about.
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub(super) order_ids: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CloseTicket {
    /// Such as `TIC-0007`.
    pub(super) ticket_id: String,
    /// Why it is done.
    #[schemars(length(min = 1, max = 4000))]
    pub(super) resolution: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ChargeCard {
    /// The order to be paid.
    pub(super) order_id: String,
    /// In cents of the order's currency; leave it out for the order's total.
    #[serde(default)]
    pub(super) amount_cents: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ForecastRevenue {
    /// How many quarters to look ahead, this one included.
    #[schemars(range(min = 1, max = 8))]
    pub(super) quarters: u32,
    /// Only revenue from customers of this segment.
    #[serde(default)]
    pub(super) segment: Option<Segment>,
}

fn fifty() -> usize {
    50
}

/// A date, with an error that says how to write one.
fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NaiveDate>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let date = text.parse().map_err(|_| {
        D::Error::custom(format_args!(
            "`{text}` is not a day; write it as 2026-09-30"
        ))
    })?;
    Ok(Some(date))
}
