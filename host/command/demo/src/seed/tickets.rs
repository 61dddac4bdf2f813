//! 30 tickets about recent orders, most of them closed.

use chrono::{DateTime, TimeDelta, Utc};

use super::NOW;
use super::random::Random;
use crate::model::{Order, Priority, Ticket, TicketChange, TicketEvent, TicketStatus};

const COUNT: usize = 30;

/// A complaint: subject, text, and how it ends.
const COMPLAINTS: [(&str, &str, &str); 6] = [
    (
        "Delivery arrived damaged",
        "One of the boxes was torn open and a leg is bent.",
        "Sent a new part.",
    ),
    (
        "Parts are missing",
        "The bag with the screws was not in the box.",
        "Sent the screws by letter.",
    ),
    (
        "Wrong colour",
        "We ordered birch and got walnut.",
        "Exchanged, and collected the wrong one.",
    ),
    (
        "Invoice needs our order number",
        "Please send it again with our own number on it.",
        "Sent again.",
    ),
    (
        "When will it come?",
        "The carrier has shown no progress for three days.",
        "It arrived the day after.",
    ),
    (
        "Assembly instructions",
        "Step 4 does not match the parts that we have.",
        "Sent the newer instructions.",
    ),
];

const STAFF: [&str; 4] = ["Maren", "Tobias", "Ayo", "Lucie"];

/// The id of the ticket after `before` others.
pub(crate) fn ticket_id(before: usize) -> String {
    format!("TIC-{:04}", before + 1)
}

/// All tickets, in ascending order of id, about some of the latest `orders`.
pub(crate) fn tickets(orders: &[Order]) -> Vec<Ticket> {
    let mut random = Random::new(0x71C);
    let latest = &orders[orders.len() - 10 * COUNT..];
    latest
        .chunks(10)
        .enumerate()
        .map(|(index, some)| ticket(index, random.pick(some), &mut random))
        .collect()
}

fn ticket(index: usize, order: &Order, random: &mut Random) -> Ticket {
    let &(subject, text, resolution) = random.pick(&COMPLAINTS);
    let opened_at = (order.placed_at + TimeDelta::days(6)).min(NOW - TimeDelta::hours(2));
    let mut ticket = Ticket {
        id: ticket_id(index),
        customer_id: order.customer_id.clone(),
        subject: subject.into(),
        priority: *random.pick(&[
            Priority::Low,
            Priority::Normal,
            Priority::Normal,
            Priority::High,
            Priority::Urgent,
        ]),
        status: TicketStatus::Open,
        order_ids: vec![order.id.clone()],
        assignee: None,
        opened_at,
        history: vec![event(opened_at, TicketChange::Opened { text: text.into() })],
    };
    if random.percent(85) {
        assign(&mut ticket, resolution, random);
    }
    ticket
}

/// Somebody takes the ticket on, says so, and if there was time enough, closes it.
fn assign(ticket: &mut Ticket, resolution: &str, random: &mut Random) {
    let name = random.pick(&STAFF).to_string();
    let at = ticket.opened_at + TimeDelta::minutes(random.between(10, 90).into());
    ticket.assignee = Some(name.clone());
    ticket
        .history
        .push(event(at, TicketChange::Assigned { to: name.clone() }));
    let text = "Thank you, we are looking into it.".to_owned();
    let answered = at + TimeDelta::minutes(15);
    ticket
        .history
        .push(event(answered, TicketChange::Commented { by: name, text }));
    let closed = at + TimeDelta::hours(random.between(4, 120).into());
    if closed <= NOW {
        ticket.status = TicketStatus::Closed;
        let resolution = resolution.into();
        ticket
            .history
            .push(event(closed, TicketChange::Closed { resolution }));
    }
}

fn event(at: DateTime<Utc>, change: TicketChange) -> TicketEvent {
    TicketEvent { at, change }
}
