//! The errors of the tools: a result with `isError`, with a text that says what to do.

use chrono::NaiveDate;
use rmcp::ErrorData;
use rmcp::handler::server::tool::IntoCallToolResult;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};

/// Why a tool failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum ToolError {
    #[error("there is no {kind} `{id}`; {hint}")]
    Unknown {
        kind: &'static str,
        id: String,
        hint: &'static str,
    },
    #[error(
        "`limit` is {given}, and must be from 1 to {most}: to get more, pass `nextCursor` as `cursor` and ask again"
    )]
    Limit { given: usize, most: usize },
    #[error(
        "`cursor` is `{0}`, which this list never gave: pass the `nextCursor` of the page before, or leave it out for the first page"
    )]
    Cursor(String),
    #[error("`from` ({from}) is after `to` ({to}); both days are part of the range")]
    Range { from: NaiveDate, to: NaiveDate },
    #[error("`{field}` has {given} characters, and must have from 1 to {most}")]
    Length {
        field: &'static str,
        given: usize,
        most: usize,
    },
    #[error(
        "`orderIds` has {0} orders, and may have at most 100; open a second ticket for the others"
    )]
    TooManyOrders(usize),
    #[error("`quarters` is {given}, and must be from 1 to {most}")]
    Quarters { given: u32, most: u32 },
    #[error(
        "there are {0} tickets already, and the demo keeps no more; start the server again for a fresh one"
    )]
    TooManyTickets(usize),
    #[error(
        "the payment provider is not configured, so the card of {customer} was not charged {amount_cents} cents for {order}; \
         customers of this business pay by bank transfer: open a ticket with `create_ticket` instead"
    )]
    NoPaymentProvider {
        customer: String,
        order: String,
        amount_cents: u64,
    },
    #[error("the forecast was cancelled")]
    Cancelled,
}

impl IntoCallToolResult for ToolError {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let text = ContentBlock::text(self.to_string());
        Ok(CallToolResult::error(vec![text]).into())
    }
}
