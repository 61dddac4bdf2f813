//! 2,400 orders over five quarters and the first days of a sixth, and their invoices.

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};

use super::random::Random;
use super::{FIRST_DAY, NOW, PAYMENT_TERMS_DAYS, TODAY};
use crate::model::{Currency, Customer, Invoice, Order, OrderLine, OrderStatus, Product, Segment};

/// The first day of each quarter, and how many orders it has. The last one has just begun.
const QUARTERS: [(NaiveDate, u32); 6] = [
    (FIRST_DAY, 400),
    (NaiveDate::from_ymd_opt(2025, 10, 1).unwrap(), 440),
    (NaiveDate::from_ymd_opt(2026, 1, 1).unwrap(), 470),
    (NaiveDate::from_ymd_opt(2026, 4, 1).unwrap(), 510),
    (NaiveDate::from_ymd_opt(2026, 7, 1).unwrap(), 570),
    (NaiveDate::from_ymd_opt(2026, 10, 1).unwrap(), 10),
];

/// How many customers have overdue invoices.
const OVERDUE_CUSTOMERS: usize = 9;

/// The first due date of invoices that may be overdue.
const OVERDUE_SINCE: NaiveDate = NaiveDate::from_ymd_opt(2026, 8, 10).unwrap();

/// All orders, in the order in which they were placed, which is also that of their ids.
pub(crate) fn orders(customers: &[Customer], products: &[Product]) -> Vec<Order> {
    let mut random = Random::new(0x04DE4);
    let buyers = buyers(customers);
    let mut orders = Vec::new();
    for placed_at in times(&mut random) {
        let customer = *random.pick(&buyers);
        let number = 10_001 + orders.len();
        orders.push(order(number, placed_at, customer, products, &mut random));
    }
    leave_unpaid(&mut orders, &mut random);
    orders
}

/// Every customer, as many times as it is likely to order.
fn buyers(customers: &[Customer]) -> Vec<&Customer> {
    let weight = |customer: &Customer| match customer.summary.segment {
        Segment::Enterprise => 5,
        Segment::MidMarket | Segment::PublicSector => 3,
        Segment::SmallBusiness => 2,
    };
    customers
        .iter()
        .flat_map(|customer| std::iter::repeat_n(customer, weight(customer)))
        .collect()
}

/// When orders were placed, in order.
fn times(random: &mut Random) -> Vec<DateTime<Utc>> {
    let ends = QUARTERS.iter().skip(1).map(|(start, _)| *start);
    let mut times = Vec::new();
    for ((start, count), end) in QUARTERS.into_iter().zip(ends.chain([TODAY])) {
        let days = (end - start).num_days() as u32;
        for _ in 0..count {
            let day = start + Days::new(random.below(days).into());
            times.push(working_hours(day, random));
        }
    }
    times.sort_unstable();
    times
}

fn working_hours(day: NaiveDate, random: &mut Random) -> DateTime<Utc> {
    let minutes = random.between(7 * 60, 19 * 60);
    day.and_time(NaiveTime::MIN).and_utc() + TimeDelta::minutes(minutes.into())
}

fn order(
    number: usize,
    placed_at: DateTime<Utc>,
    customer: &Customer,
    products: &[Product],
    random: &mut Random,
) -> Order {
    let currency = customer.summary.currency;
    let lines = lines(customer.summary.segment, currency, products, random);
    let (status, shipped_at) = progress(placed_at, random);
    Order {
        id: format!("ORD-{number}"),
        customer_id: customer.summary.id.clone(),
        placed_at,
        status,
        currency,
        total_cents: lines.iter().map(|line| line.amount_cents).sum(),
        total_eur_cents: lines.iter().map(|line| line.amount_eur_cents).sum(),
        lines,
        shipped_at,
        invoice: shipped_at.map(|shipped| invoice(number, shipped, status, random)),
        reference: random
            .percent(25)
            .then(|| format!("PO {}", random.between(1_000, 9_999))),
    }
}

fn lines(
    segment: Segment,
    currency: Currency,
    products: &[Product],
    random: &mut Random,
) -> Vec<OrderLine> {
    let most_pieces = match segment {
        Segment::Enterprise => 30,
        Segment::PublicSector => 20,
        Segment::MidMarket => 12,
        Segment::SmallBusiness => 4,
    };
    let discount_percent = match segment {
        Segment::Enterprise => Some(*random.pick(&[5, 10, 15])),
        Segment::PublicSector => Some(5),
        Segment::MidMarket | Segment::SmallBusiness => None,
    };
    let count = random.between(1, 4);
    let chosen: BTreeSet<_> = (0..count)
        .map(|_| random.below(products.len() as u32) as usize)
        .collect();
    chosen
        .into_iter()
        .map(|index| {
            let product = &products[index];
            let quantity = random.between(1, most_pieces);
            let unit_price_cents = from_eur(product.price_eur_cents, currency);
            let percent = 100 - u64::from(discount_percent.unwrap_or(0));
            let amount_cents = divide(unit_price_cents * u64::from(quantity) * percent, 100);
            OrderLine {
                product_id: product.id.clone(),
                quantity,
                unit_price_cents,
                discount_percent,
                amount_cents,
                amount_eur_cents: to_eur(amount_cents, currency),
            }
        })
        .collect()
}

/// How far an order has come by [`NOW`], and when it was shipped if it was.
fn progress(placed_at: DateTime<Utc>, random: &mut Random) -> (OrderStatus, Option<DateTime<Utc>>) {
    let ships = placed_at + TimeDelta::hours(random.between(12, 100).into());
    let arrives = ships + TimeDelta::hours(random.between(20, 140).into());
    let called_off = random.percent(4);
    let sent_back = random.percent(3);
    if called_off {
        (OrderStatus::Cancelled, None)
    } else if ships > NOW {
        match random.percent(50) {
            true => (OrderStatus::Pending, None),
            false => (OrderStatus::Processing, None),
        }
    } else if arrives > NOW {
        (OrderStatus::Shipped, Some(ships))
    } else if sent_back {
        (OrderStatus::Refunded, Some(ships))
    } else {
        (OrderStatus::Delivered, Some(ships))
    }
}

/// An invoice that is paid some time before or after it is due; if that is still to come, only what is due by now is paid.
fn invoice(
    number: usize,
    shipped: DateTime<Utc>,
    status: OrderStatus,
    random: &mut Random,
) -> Invoice {
    let due_on = shipped.date_naive() + Days::new(PAYMENT_TERMS_DAYS.into());
    let pays_on = shipped.date_naive() + Days::new(random.between(8, 38).into());
    let pays_at = working_hours(pays_on, random);
    let paid_at = if pays_at <= NOW {
        Some(pays_at)
    } else if due_on < TODAY || status == OrderStatus::Refunded {
        Some(NOW - TimeDelta::hours(20))
    } else {
        None
    };
    Invoice {
        number: format!("INV-{number}"),
        due_on,
        paid_at,
    }
}

/// Takes back the payments of some customers, so that exactly [`OVERDUE_CUSTOMERS`] have overdue invoices.
fn leave_unpaid(orders: &mut [Order], random: &mut Random) {
    let overdue = |order: &Order| {
        let due = OVERDUE_SINCE..TODAY;
        order.status == OrderStatus::Delivered
            && (order.invoice.as_ref()).is_some_and(|invoice| due.contains(&invoice.due_on))
    };
    let mut candidates: Vec<_> = orders
        .iter()
        .filter(|order| overdue(order))
        .map(|order| order.customer_id.clone())
        .collect();
    candidates.sort_unstable();
    candidates.dedup();
    let mut chosen = BTreeSet::new();
    while chosen.len() < OVERDUE_CUSTOMERS {
        chosen.insert(random.pick(&candidates).clone());
    }
    for order in orders {
        if overdue(order)
            && chosen.contains(&order.customer_id)
            && let Some(invoice) = &mut order.invoice
        {
            invoice.paid_at = None;
        }
    }
}

/// What a unit of a currency is worth, in ten-thousandths of EUR.
fn rate(currency: Currency) -> u64 {
    match currency {
        Currency::Eur => 10_000,
        Currency::Usd => 8_600,
        Currency::Gbp => 11_500,
    }
}

fn from_eur(cents: u64, currency: Currency) -> u64 {
    divide(cents * 10_000, rate(currency))
}

fn to_eur(cents: u64, currency: Currency) -> u64 {
    divide(cents * rate(currency), 10_000)
}

/// Rounds halves up.
fn divide(dividend: u64, divisor: u64) -> u64 {
    (dividend + divisor / 2) / divisor
}
