//! One client over two streams, from its first line to its last.

use std::sync::Arc;

use ampoule::Error;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::client::Client;
use super::server::Server;
use super::tasks::of_2025::ConnectedClient;
use super::transport::{self, ClientTransport};

impl Server {
    /// Serves one client until it disconnects. Its runs and their calls then end at once.
    ///
    /// # Errors
    ///
    /// A host fault where the client does not begin as an MCP client does.
    pub async fn serve<R, W>(self, read: R, write: W) -> Result<(), Error>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let most = transport::most_line_bytes(self.runs.shared.runtime.limits().host_bytes);
        let left = CancellationToken::new();
        let transport = ClientTransport::new(read, write, most, left.clone());
        let client = Client::new(self, left, Some(transport.link()));
        let client = ConnectedClient(client.watching(Arc::default()));
        let running = match ServiceExt::serve(client, transport).await {
            Ok(running) => running,
            // The client left before its first call, as clients do that only look.
            Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => {
                return Err(Error::host(
                    "the client did not begin an MCP session",
                    error,
                ));
            }
        };
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => {
                Err(Error::host("the server stopped", error))
            }
            Ok(_) => Ok(()),
        }
    }
}
