//! How long a search for tools waits for servers that are just being started.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::BindingError;
use crate::catalog::Server;
use crate::listing::Listing;

/// How long a search takes at most. A server that takes longer is found by a later one: its start
/// continues.
const SEARCH: Duration = Duration::from_secs(3);

/// How long the caller is ready to wait.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// As long as a search takes, for all servers together.
    #[default]
    Search,
    /// As long as servers take.
    Endless,
}

/// Until when to wait; none for as long as it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Until(Option<Instant>);

impl Patience {
    pub(super) fn begin(self) -> Until {
        Until(match self {
            Self::Search => Some(Instant::now() + SEARCH),
            Self::Endless => None,
        })
    }
}

impl Until {
    /// What comes of it in time. What is ready is used, however late.
    pub(crate) async fn wait<T>(self, future: impl Future<Output = T>) -> Option<T> {
        match self.0 {
            Some(at) => tokio::time::timeout_at(at, future).await.ok(),
            None => Some(future.await),
        }
    }

    /// A server's tools, or why they are not known in time.
    pub(super) async fn listing(self, server: &Server) -> Result<Arc<Listing>, BindingError> {
        match self.wait(server.listing()).await {
            Some(listing) => listing,
            None => server.known_listing().ok_or_else(|| {
                let starting = server.binding().starting();
                let message = starting.unwrap_or_else(|| {
                    let name = server.name();
                    format!("server `{name}` did not list its tools within 3 s")
                });
                BindingError {
                    message: format!(
                        "{message}; search for its tools later, or call them by name now"
                    ),
                }
            }),
        }
    }
}
