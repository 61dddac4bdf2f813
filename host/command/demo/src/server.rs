//! The tools, as MCP sees them. Each says what it does and returns what [`Business`] says.

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};

use super::arguments;
use super::business::Business;
use super::failure::ToolError;
use super::forecast::{self, Forecast};
use super::model::{Customer, CustomerSummary, Facts, Order, Page, Product, StockChange, Ticket};

/// The demo server for one client.
#[derive(Debug)]
pub(super) struct DemoServer {
    business: Business,
    router: ToolRouter<Self>,
}

impl DemoServer {
    pub(super) fn new() -> Self {
        Self {
            business: Business::seeded(),
            router: Self::tool_router(),
        }
    }
}

#[tool_handler(
    router = self.router,
    name = "ampoule-demo",
    instructions = "Birch & Bolt, a small business that sells office furniture: customers, orders, products and tickets. \
        The records are made up, the same at every start, and changes to them last as long as the server. \
        Money is in whole cents. Days are UTC; `get_business` says which day it is. Lists that have more than a page give `nextCursor`."
)]
impl ServerHandler for DemoServer {}

// The macro finds the type of the structured result by how it is written, so `Result<Json<_>, _>` must stand in full.
#[tool_router]
impl DemoServer {
    /// Says what the business is called, which day it is there, and its payment terms.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn get_business(&self) -> Json<Facts> {
        Json(self.business.facts())
    }

    /// Lists customers in short, a page at a time.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn list_customers(
        &self,
        Parameters(arguments): Parameters<arguments::ListCustomers>,
    ) -> Result<Json<Page<CustomerSummary>>, ToolError> {
        self.business.list_customers(&arguments).map(Json)
    }

    /// Gives all that is known of a customer: contact, addresses, credit limit.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn get_customer(
        &self,
        Parameters(arguments): Parameters<arguments::GetCustomer>,
    ) -> Result<Json<Customer>, ToolError> {
        let customer = self.business.customer(&arguments.customer_id)?;
        Ok(Json(customer.clone()))
    }

    /// Finds customers by a part of their name, city, contact or e-mail address.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn find_customers(
        &self,
        Parameters(arguments): Parameters<arguments::FindCustomers>,
    ) -> Result<Json<Page<CustomerSummary>>, ToolError> {
        self.business.find_customers(&arguments.query).map(Json)
    }

    /// Lists orders with their lines and invoices, oldest first, up to 200 a page; by status, day and customer.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn list_orders(
        &self,
        Parameters(arguments): Parameters<arguments::ListOrders>,
    ) -> Result<Json<Page<Order>>, ToolError> {
        self.business.list_orders(&arguments).map(Json)
    }

    /// Gives one order with its lines and invoice.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn get_order(
        &self,
        Parameters(arguments): Parameters<arguments::GetOrder>,
    ) -> Result<Json<Order>, ToolError> {
        let order = self.business.order(&arguments.order_id)?;
        Ok(Json(order.clone()))
    }

    /// Lists products with prices and stock; by category, or those to order again. There is one page.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn list_products(
        &self,
        Parameters(arguments): Parameters<arguments::ListProducts>,
    ) -> Json<Page<Product>> {
        Json(self.business.list_products(&arguments))
    }

    /// Gives one product with price and stock.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn get_product(
        &self,
        Parameters(arguments): Parameters<arguments::GetProduct>,
    ) -> Result<Json<Product>, ToolError> {
        self.business.product(&arguments.product_id).map(Json)
    }

    /// Sets how many pieces of a product are in stock.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    fn update_product_stock(
        &self,
        Parameters(arguments): Parameters<arguments::UpdateProductStock>,
    ) -> Result<Json<StockChange>, ToolError> {
        self.business.update_stock(&arguments).map(Json)
    }

    /// Lists support tickets with their history, oldest first; by status, priority and customer.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    fn list_tickets(
        &self,
        Parameters(arguments): Parameters<arguments::ListTickets>,
    ) -> Result<Json<Page<Ticket>>, ToolError> {
        self.business.list_tickets(&arguments).map(Json)
    }

    /// Opens a support ticket about a customer. Each call opens another one.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = false,
        open_world_hint = false
    ))]
    fn create_ticket(
        &self,
        Parameters(arguments): Parameters<arguments::CreateTicket>,
    ) -> Result<Json<Ticket>, ToolError> {
        self.business.create_ticket(arguments).map(Json)
    }

    /// Closes a support ticket. One that is closed already stays as it is.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    fn close_ticket(
        &self,
        Parameters(arguments): Parameters<arguments::CloseTicket>,
    ) -> Result<Json<Ticket>, ToolError> {
        self.business.close_ticket(arguments).map(Json)
    }

    /// Charges the card of an order's customer. Always fails: this business has no payment provider.
    #[tool(annotations(
        read_only_hint = false,
        destructive_hint = true,
        idempotent_hint = false,
        open_world_hint = true
    ))]
    fn charge_card(&self, Parameters(arguments): Parameters<arguments::ChargeCard>) -> ToolError {
        match self.business.order(&arguments.order_id) {
            Err(failure) => failure,
            Ok(order) => ToolError::NoPaymentProvider {
                customer: order.customer_id.clone(),
                order: order.id.clone(),
                amount_cents: arguments.amount_cents.unwrap_or(order.total_cents),
            },
        }
    }

    /// Forecasts revenue for the quarters ahead. Slow: takes two seconds, reports progress, and can be cancelled.
    #[tool(annotations(read_only_hint = true, open_world_hint = false))]
    async fn forecast_revenue(
        &self,
        Parameters(arguments): Parameters<arguments::ForecastRevenue>,
        context: RequestContext<RoleServer>,
    ) -> Result<Json<Forecast>, ToolError> {
        forecast::check(&arguments)?;
        // A client that cancels only sets this token off: the work is the tool's own to stop.
        let cancelled = context.ct.clone();
        let taken = cancelled.run_until_cancelled(take_steps(context)).await;
        taken.ok_or(ToolError::Cancelled)?;
        forecast::forecast(&self.business, &arguments).map(Json)
    }
}

/// Takes the time that a forecast takes, and reports progress to a client that asked for it.
async fn take_steps(context: RequestContext<RoleServer>) {
    let token = context.meta.get_progress_token();
    for step in 1..=forecast::STEPS {
        tokio::time::sleep(forecast::STEP).await;
        let Some(token) = token.clone() else { continue };
        let progress =
            ProgressNotificationParam::new(token, step.into()).with_total(forecast::STEPS.into());
        if let Err(error) = context.peer.notify_progress(progress).await {
            tracing::debug!(%error, "progress was not reported");
        }
    }
}
