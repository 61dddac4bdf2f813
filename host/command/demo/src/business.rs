//! The business: its records, what can be asked of them, and what can be changed.

use chrono::NaiveDate;
use parking_lot::{Mutex, MutexGuard};

use super::arguments;
use super::failure::ToolError;
use super::model::{
    Currency, Customer, CustomerSummary, Facts, Order, Page, Product, Record, StockChange, Ticket,
    TicketChange, TicketEvent, TicketStatus,
};
use super::seed::{self, NOW, PAYMENT_TERMS_DAYS, TODAY};

/// The most customers or tickets that a page has.
const PAGE_RECORDS: usize = 100;

/// The most orders that a page has.
const PAGE_ORDERS: usize = 200;

/// The most tickets that are kept, so that a script in a loop can't fill the memory. All have ids
/// of the same length, which keeps them in order.
const TICKETS: usize = 9_999;

/// Characters of a ticket's subject, of its other texts, and of a query. As in the schemas of
/// [`arguments`].
const SUBJECT_CHARACTERS: usize = 200;
const TEXT_CHARACTERS: usize = 4_000;
const QUERY_CHARACTERS: usize = 100;

/// Orders that one ticket is about, at most. As in the schema of [`arguments::CreateTicket`].
const TICKET_ORDERS: usize = 100;

/// The records of one demo server.
#[derive(Debug)]
pub(super) struct Business {
    customers: Vec<Customer>,
    orders: Vec<Order>,
    products: Mutex<Vec<Product>>,
    tickets: Mutex<Vec<Ticket>>,
}

impl Business {
    /// The business as it is at the start of every server.
    pub(super) fn seeded() -> Self {
        let customers = seed::customers();
        let products = seed::products();
        let orders = seed::orders(&customers, &products);
        let tickets = seed::tickets(&orders);
        Self {
            customers,
            orders,
            products: Mutex::new(products),
            tickets: Mutex::new(tickets),
        }
    }

    pub(super) fn facts(&self) -> Facts {
        Facts {
            name: "Birch & Bolt".into(),
            today: TODAY,
            currency: Currency::Eur,
            payment_terms_days: PAYMENT_TERMS_DAYS,
        }
    }

    pub(super) fn list_customers(
        &self,
        arguments: &arguments::ListCustomers,
    ) -> Result<Page<CustomerSummary>, ToolError> {
        let keep = |customer: &Customer| {
            arguments
                .segment
                .is_none_or(|segment| customer.summary.segment == segment)
        };
        let page = page(
            &self.customers,
            keep,
            arguments.cursor.as_deref(),
            arguments.limit,
            PAGE_RECORDS,
        )?;
        Ok(Page {
            items: page.items.into_iter().map(|full| full.summary).collect(),
            total: page.total,
            next_cursor: page.next_cursor,
        })
    }

    pub(super) fn customer(&self, id: &str) -> Result<&Customer, ToolError> {
        find(&self.customers, id).ok_or_else(|| ToolError::Unknown {
            kind: "customer",
            id: id.to_owned(),
            hint: "ids look like `CUS-0042`; `find_customers` looks for them by name",
        })
    }

    pub(super) fn find_customers(&self, query: &str) -> Result<Page<CustomerSummary>, ToolError> {
        check_length("query", query, QUERY_CHARACTERS)?;
        let query = query.to_lowercase();
        let matches = |text: &str| text.to_lowercase().contains(&query);
        let items: Vec<_> = self
            .customers
            .iter()
            .filter(|customer| {
                matches(&customer.summary.name)
                    || matches(&customer.address.city)
                    || matches(&customer.contact.name)
                    || matches(&customer.contact.email)
            })
            .map(|customer| customer.summary.clone())
            .collect();
        Ok(Page {
            total: items.len(),
            items,
            next_cursor: None,
        })
    }

    pub(super) fn list_orders(
        &self,
        arguments: &arguments::ListOrders,
    ) -> Result<Page<Order>, ToolError> {
        let from = arguments.from.unwrap_or(NaiveDate::MIN);
        let to = arguments.to.unwrap_or(NaiveDate::MAX);
        if from > to {
            return Err(ToolError::Range { from, to });
        }
        if let Some(customer) = &arguments.customer_id {
            self.customer(customer)?;
        }
        let keep = |order: &Order| {
            let placed = order.placed_at.date_naive();
            (from..=to).contains(&placed)
                && (arguments.status.as_ref()).is_none_or(|status| status.contains(&order.status))
                && (arguments.customer_id.as_ref()).is_none_or(|id| order.customer_id == *id)
        };
        page(
            &self.orders,
            keep,
            arguments.cursor.as_deref(),
            arguments.limit,
            PAGE_ORDERS,
        )
    }

    pub(super) fn order(&self, id: &str) -> Result<&Order, ToolError> {
        find(&self.orders, id).ok_or_else(|| ToolError::Unknown {
            kind: "order",
            id: id.to_owned(),
            hint: "ids look like `ORD-10001`; `list_orders` lists them all",
        })
    }

    /// All orders, oldest first.
    pub(super) fn orders(&self) -> &[Order] {
        &self.orders
    }

    pub(super) fn list_products(&self, arguments: &arguments::ListProducts) -> Page<Product> {
        let items: Vec<_> = lock(&self.products)
            .iter()
            .filter(|product| arguments.category.is_none_or(|it| product.category == it))
            .filter(|product| !arguments.low_stock || product.stock <= product.reorder_level)
            .cloned()
            .collect();
        Page {
            total: items.len(),
            items,
            next_cursor: None,
        }
    }

    pub(super) fn product(&self, id: &str) -> Result<Product, ToolError> {
        let products = lock(&self.products);
        let product = find(&products, id).ok_or_else(|| unknown_product(id))?;
        Ok(product.clone())
    }

    pub(super) fn update_stock(
        &self,
        arguments: &arguments::UpdateProductStock,
    ) -> Result<StockChange, ToolError> {
        let id = &arguments.product_id;
        let mut products = lock(&self.products);
        let product = find_mut(&mut products, id).ok_or_else(|| unknown_product(id))?;
        let previous_stock = std::mem::replace(&mut product.stock, arguments.stock);
        Ok(StockChange {
            product_id: id.clone(),
            previous_stock,
            stock: product.stock,
        })
    }

    pub(super) fn list_tickets(
        &self,
        arguments: &arguments::ListTickets,
    ) -> Result<Page<Ticket>, ToolError> {
        if let Some(customer) = &arguments.customer_id {
            self.customer(customer)?;
        }
        let keep = |ticket: &Ticket| {
            arguments.status.is_none_or(|it| ticket.status == it)
                && arguments.priority.is_none_or(|it| ticket.priority == it)
                && (arguments.customer_id.as_ref()).is_none_or(|id| ticket.customer_id == *id)
        };
        page(
            &lock(&self.tickets),
            keep,
            arguments.cursor.as_deref(),
            arguments.limit,
            PAGE_RECORDS,
        )
    }

    pub(super) fn create_ticket(
        &self,
        arguments: arguments::CreateTicket,
    ) -> Result<Ticket, ToolError> {
        self.customer(&arguments.customer_id)?;
        check_length("subject", &arguments.subject, SUBJECT_CHARACTERS)?;
        check_length("text", &arguments.text, TEXT_CHARACTERS)?;
        if arguments.order_ids.len() > TICKET_ORDERS {
            return Err(ToolError::TooManyOrders(arguments.order_ids.len()));
        }
        for order in &arguments.order_ids {
            self.order(order)?;
        }
        let mut tickets = lock(&self.tickets);
        if tickets.len() >= TICKETS {
            return Err(ToolError::TooManyTickets(tickets.len()));
        }
        let ticket = Ticket {
            id: seed::ticket_id(tickets.len()),
            customer_id: arguments.customer_id,
            subject: arguments.subject,
            priority: arguments.priority,
            status: TicketStatus::Open,
            order_ids: arguments.order_ids,
            assignee: None,
            opened_at: NOW,
            history: vec![TicketEvent {
                at: NOW,
                change: TicketChange::Opened {
                    text: arguments.text,
                },
            }],
        };
        tickets.push(ticket.clone());
        Ok(ticket)
    }

    /// Closes a ticket. One that is closed already stays as it is.
    pub(super) fn close_ticket(
        &self,
        arguments: arguments::CloseTicket,
    ) -> Result<Ticket, ToolError> {
        check_length("resolution", &arguments.resolution, TEXT_CHARACTERS)?;
        let mut tickets = lock(&self.tickets);
        let ticket =
            find_mut(&mut tickets, &arguments.ticket_id).ok_or_else(|| ToolError::Unknown {
                kind: "ticket",
                id: arguments.ticket_id.clone(),
                hint: "ids look like `TIC-0007`; `list_tickets` lists them all",
            })?;
        if ticket.status == TicketStatus::Open {
            ticket.status = TicketStatus::Closed;
            ticket.history.push(TicketEvent {
                at: NOW,
                change: TicketChange::Closed {
                    resolution: arguments.resolution,
                },
            });
        }
        Ok(ticket.clone())
    }
}

/// Those of `records`, which are in ascending order of id, that `keep` wants and that come after
/// the cursor: the last id of the page before.
fn page<T: Record>(
    records: &[T],
    keep: impl Fn(&T) -> bool,
    cursor: Option<&str>,
    limit: usize,
    most: usize,
) -> Result<Page<T>, ToolError> {
    if !(1..=most).contains(&limit) {
        return Err(ToolError::Limit { given: limit, most });
    }
    let start = match cursor {
        None => 0,
        Some(cursor) => position(records, cursor)
            .map(|last| last + 1)
            .ok_or_else(|| ToolError::Cursor(cursor.to_owned()))?,
    };
    let mut rest = records[start..].iter().filter(|record| keep(record));
    let items: Vec<_> = rest.by_ref().take(limit).cloned().collect();
    let next_cursor = match (rest.next(), items.last()) {
        (Some(_), Some(last)) => Some(last.id().to_owned()),
        _ => None,
    };
    Ok(Page {
        total: records.iter().filter(|record| keep(record)).count(),
        items,
        next_cursor,
    })
}

fn position<T: Record>(records: &[T], id: &str) -> Option<usize> {
    records.binary_search_by(|record| record.id().cmp(id)).ok()
}

fn find<'a, T: Record>(records: &'a [T], id: &str) -> Option<&'a T> {
    position(records, id).map(|index| &records[index])
}

fn find_mut<'a, T: Record>(records: &'a mut [T], id: &str) -> Option<&'a mut T> {
    position(records, id).map(|index| &mut records[index])
}

fn unknown_product(id: &str) -> ToolError {
    ToolError::Unknown {
        kind: "product",
        id: id.to_owned(),
        hint: "ids look like `PRD-07`; `list_products` lists them all",
    }
}

fn check_length(field: &'static str, text: &str, most: usize) -> Result<(), ToolError> {
    let given = text.chars().count();
    if (1..=most).contains(&given) {
        Ok(())
    } else {
        Err(ToolError::Length { field, given, most })
    }
}

/// Every change is one assignment or one push, so what a panic leaves behind is still whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}
