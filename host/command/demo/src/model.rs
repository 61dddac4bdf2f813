//! The records of the business. They are also what the tools return: the tools' output schemas are derived from here, so these
//! comments are what a model reads.

use chrono::{DateTime, NaiveDate, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that is kept under an id. Lists are in ascending order of it.
pub(super) trait Record: Clone {
    fn id(&self) -> &str;
}

/// A page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Page<T> {
    /// The records on this page, in ascending order of id.
    pub(super) items: Vec<T>,
    /// How many records there are on all pages.
    pub(super) total: usize,
    /// What to pass as `cursor` for the next page; null on the last one.
    pub(super) next_cursor: Option<String>,
}

/// Facts about the business itself.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Facts {
    pub(super) name: String,
    /// The day that it is in the business. It never changes, so results can be compared.
    pub(super) today: NaiveDate,
    /// The currency of the books: all `...EurCents` are in it.
    pub(super) currency: Currency,
    /// Days after shipping at which an invoice is due.
    pub(super) payment_terms_days: u32,
}

/// What kind of customer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Segment {
    Enterprise,
    MidMarket,
    SmallBusiness,
    PublicSector,
}

/// An ISO 4217 currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Currency {
    Eur,
    Usd,
    Gbp,
}

/// A customer in short, for lists.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CustomerSummary {
    /// Such as `CUS-0042`.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) segment: Segment,
    /// ISO 3166 code of the country, two letters.
    pub(super) country: String,
    /// What the customer is invoiced in.
    pub(super) currency: Currency,
}

/// A customer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Customer {
    #[serde(flatten)]
    pub(super) summary: CustomerSummary,
    pub(super) contact: Contact,
    pub(super) address: Address,
    /// Where invoices go; null if to `address`.
    pub(super) billing_address: Option<Address>,
    /// How much may be unpaid at a time, in cents of `currency`; null if there is no limit.
    pub(super) credit_limit_cents: Option<u64>,
    pub(super) customer_since: NaiveDate,
    /// What sales staff noted; absent if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
}

/// The person to speak to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Contact {
    pub(super) name: String,
    pub(super) email: String,
    /// With country code; null if unknown.
    pub(super) phone: Option<String>,
}

/// A postal address.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Address {
    pub(super) street: String,
    pub(super) postal_code: String,
    pub(super) city: String,
    /// State or province, where addresses have one.
    pub(super) region: Option<String>,
    /// ISO 3166 code, two letters.
    pub(super) country: String,
}

/// A group of products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Category {
    Desks,
    Chairs,
    Storage,
    Lighting,
    Accessories,
}

/// A product.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Product {
    /// Such as `PRD-07`.
    pub(super) id: String,
    pub(super) name: String,
    pub(super) category: Category,
    /// List price in cents of EUR.
    pub(super) price_eur_cents: u64,
    /// Pieces in stock.
    pub(super) stock: u32,
    /// At or below this stock the product should be ordered again.
    pub(super) reorder_level: u32,
    /// Outer size; null where it makes no sense.
    pub(super) dimensions: Option<Dimensions>,
    /// Since when it is no longer made; null if it still is.
    pub(super) discontinued_on: Option<NaiveDate>,
}

/// Size of a product, in millimetres.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Dimensions {
    pub(super) width_mm: u32,
    pub(super) depth_mm: u32,
    pub(super) height_mm: u32,
}

/// A product's stock after a change.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct StockChange {
    pub(super) product_id: String,
    /// Pieces in stock before.
    pub(super) previous_stock: u32,
    /// Pieces in stock now.
    pub(super) stock: u32,
}

/// How far an order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum OrderStatus {
    /// Received, nothing done yet.
    Pending,
    /// Being packed.
    Processing,
    /// On its way, and invoiced.
    Shipped,
    /// Arrived.
    Delivered,
    /// Called off before it was shipped: never invoiced, no revenue.
    Cancelled,
    /// Sent back, and the money returned: no revenue.
    Refunded,
}

impl OrderStatus {
    /// Whether the order's amount counts as revenue.
    pub(super) fn is_revenue(self) -> bool {
        !matches!(self, Self::Cancelled | Self::Refunded)
    }
}

/// An order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Order {
    /// Such as `ORD-10001`. In the order in which they were placed.
    pub(super) id: String,
    pub(super) customer_id: String,
    pub(super) placed_at: DateTime<Utc>,
    pub(super) status: OrderStatus,
    /// What the order is invoiced in.
    pub(super) currency: Currency,
    pub(super) lines: Vec<OrderLine>,
    /// The sum of the lines, in cents of `currency`.
    pub(super) total_cents: u64,
    /// The sum of the lines, in cents of EUR at the day's rate.
    pub(super) total_eur_cents: u64,
    /// Null until it is shipped.
    pub(super) shipped_at: Option<DateTime<Utc>>,
    /// Null until it is shipped.
    pub(super) invoice: Option<Invoice>,
    /// The customer's own reference; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reference: Option<String>,
}

/// One product of an order.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct OrderLine {
    pub(super) product_id: String,
    pub(super) quantity: u32,
    /// Price of a piece before discount, in cents of the order's currency.
    pub(super) unit_price_cents: u64,
    /// Discount in percent; null if there is none.
    pub(super) discount_percent: Option<u8>,
    /// Price of the line after discount, in cents of the order's currency.
    pub(super) amount_cents: u64,
    /// The same in cents of EUR at the day's rate.
    pub(super) amount_eur_cents: u64,
}

/// An order's invoice. It is overdue if it is not paid and was due before today.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invoice {
    /// Such as `INV-10001`.
    pub(super) number: String,
    pub(super) due_on: NaiveDate,
    /// Null until it is paid.
    pub(super) paid_at: Option<DateTime<Utc>>,
}

/// How urgent a ticket is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Priority {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

/// Whether a ticket still needs work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum TicketStatus {
    Open,
    Closed,
}

/// A support ticket.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Ticket {
    /// Such as `TIC-0007`.
    pub(super) id: String,
    pub(super) customer_id: String,
    pub(super) subject: String,
    pub(super) priority: Priority,
    pub(super) status: TicketStatus,
    /// The orders that it is about.
    pub(super) order_ids: Vec<String>,
    /// Who works on it; null if nobody does yet.
    pub(super) assignee: Option<String>,
    pub(super) opened_at: DateTime<Utc>,
    /// What happened to it, oldest first.
    pub(super) history: Vec<TicketEvent>,
}

/// Something that happened to a ticket.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TicketEvent {
    pub(super) at: DateTime<Utc>,
    pub(super) change: TicketChange,
}

/// What happened to a ticket.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum TicketChange {
    /// It was opened, with this text.
    Opened { text: String },
    /// Somebody took it on.
    Assigned { to: String },
    /// Somebody wrote this.
    Commented { by: String, text: String },
    /// It was closed, for this reason.
    Closed { resolution: String },
}

impl Record for CustomerSummary {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Customer {
    fn id(&self) -> &str {
        &self.summary.id
    }
}

impl Record for Product {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Order {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Record for Ticket {
    fn id(&self) -> &str {
        &self.id
    }
}
