//! The records at the start, made from a fixed seed. The same on every machine: whole numbers only, and no clock.
//!
//! - `random`: the generator
//! - `customers`, `products`, `orders`, `tickets`: one kind of record each, each from a sequence of its own

mod customers;
mod orders;
mod products;
mod random;
mod tickets;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

pub(super) use customers::customers;
pub(super) use orders::orders;
pub(super) use products::products;
pub(super) use tickets::{ticket_id, tickets};

/// The day that it is in the business: one on which the third quarter of 2026 is complete, and its last invoices are not due yet.
pub(super) const TODAY: NaiveDate = NaiveDate::from_ymd_opt(2026, 10, 2).unwrap();

/// The time that it is in the business.
pub(super) const NOW: DateTime<Utc> = TODAY
    .and_time(NaiveTime::from_hms_opt(9, 0, 0).unwrap())
    .and_utc();

/// The day of the first orders, with which a quarter begins.
pub(super) const FIRST_DAY: NaiveDate = NaiveDate::from_ymd_opt(2025, 7, 1).unwrap();

/// Days after shipping at which an invoice is due.
pub(super) const PAYMENT_TERMS_DAYS: u32 = 30;
