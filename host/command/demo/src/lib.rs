//! The server behind `ampoule demo-server`: a small business to try scripts on, as a real MCP server.
//!
//! Birch & Bolt sells office furniture: 120 customers, 40 products, 2,400 orders and their invoices, some of them overdue, and
//! support tickets. All of it is made from a fixed seed, and the business's clock stands still, so every server starts with the
//! same records and a script's result can be checked to the cent. Changes live as long as the server.
//!
//! - `model`: the records, which are also what the tools return
//! - `seed`: how the records are made
//! - `business`: what can be asked of them and changed
//! - `forecast`: what the slow tool works out
//! - `arguments`: what the tools take
//! - `failure`: the errors of the tools
//! - `server`: the tools themselves

mod arguments;
mod business;
mod failure;
mod forecast;
mod model;
mod seed;
mod server;
#[cfg(test)]
mod tests;

use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};

use server::DemoServer;

/// Why the demo server stopped.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The client's first messages were not those of MCP.
    #[error("the client did not begin an MCP session")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// The server's own task came to an unexpected end.
    #[error("the demo server stopped")]
    Stopped(#[source] tokio::task::JoinError),
}

/// Serves the demo on standard input and output until the client closes them. Nothing but MCP is written to standard output.
///
/// # Errors
///
/// As for [`serve`].
pub async fn serve_stdio() -> Result<(), DemoError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve(read, write).await
}

/// Serves the demo to one client, with records of its own, until the client disconnects. Answers
/// clients of both kinds: those that begin with `initialize`, and those that send `server/discover`
/// or any other request.
///
/// # Errors
///
/// [`DemoError`] if the client never sent a request. A client that leaves, at any time, is not an
/// error.
pub async fn serve<R, W>(read: R, write: W) -> Result<(), DemoError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let running = match DemoServer::new().serve((read, write)).await {
        Ok(running) => running,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(DemoError::Handshake(Box::new(error))),
    };
    match running.waiting().await {
        Ok(QuitReason::JoinError(error)) | Err(error) => Err(DemoError::Stopped(error)),
        Ok(_) => Ok(()),
    }
}
