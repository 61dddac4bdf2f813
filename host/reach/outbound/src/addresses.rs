//! Where a name leads, and whether a request may go there.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ampoule_network::is_private;
use futures::future::{BoxFuture, FutureExt};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// How many addresses of one name are looked at.
const MOST: usize = 64;

/// Looks names of hosts up.
pub trait Lookup: Send + Sync + 'static {
    /// The addresses of a name.
    ///
    /// # Errors
    ///
    /// Why there are none.
    fn lookup(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The system's way to look names up.
pub(crate) struct System;

impl Lookup for System {
    fn lookup(&self, name: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let name = name.to_owned();
        async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        }
        .boxed()
    }
}

/// A name leads into a private network.
#[derive(Debug, thiserror::Error)]
#[error("it leads into a private network")]
pub(crate) struct PrivateAddressError;

/// Looks names up for connections, which are made to the addresses that it gives and to no others:
/// nothing is looked up between the check and the connection.
#[derive(Clone)]
pub(crate) struct GuardedResolver {
    pub(crate) lookup: Arc<dyn Lookup>,
    /// Whether a private network will do.
    pub(crate) private: bool,
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let found = self.lookup.lookup(name.as_str());
        let private = self.private;
        Box::pin(async move {
            let found = found.await?;
            // One that leads inside as well is meant to confuse.
            if !private && found.iter().copied().any(is_private) {
                return Err(PrivateAddressError.into());
            }
            // The port is the one that the URL has.
            let addresses = found
                .into_iter()
                .take(MOST)
                .map(|ip| SocketAddr::new(ip, 0));
            Ok(Box::new(addresses) as Addrs)
        })
    }
}
