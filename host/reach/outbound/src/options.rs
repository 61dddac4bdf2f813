//! How much requests may take, and how they travel.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule_network::Tls;

use crate::Lookup;

/// How much requests may take, and how they travel.
#[derive(Clone)]
pub struct OutboundOptions {
    /// How large a request's body may be, in bytes. Default 4 MiB.
    pub request_bytes: u64,
    /// How large a response's body may be, in bytes, before and after it is decompressed. Default 8
    /// MiB. What a run may be told by one call holds besides.
    pub response_bytes: u64,
    /// How long a request may take, over redirects and until all of its response is there. Default
    /// 30 s.
    pub timeout: Duration,
    /// How many requests may be under way at once, of all runs together, at least 1; further ones
    /// wait in order. Default 64.
    pub concurrency: usize,
    /// How often servers may send a request on. Default 10.
    pub redirects: usize,
    /// Whether the proxies that the environment names are used. Default: no, for a proxy looks
    /// names up itself, so nobody here sees whether they lead into a private network: then that is
    /// the proxy's to prevent.
    pub through_proxy: bool,
    /// Whom to trust. Default: the system's authorities.
    pub tls: Tls,
    /// Who looks names up. Default: the system.
    pub lookup: Option<Arc<dyn Lookup>>,
}

impl Default for OutboundOptions {
    fn default() -> Self {
        Self {
            request_bytes: 4 * 1024 * 1024,
            response_bytes: 8 * 1024 * 1024,
            timeout: Duration::from_secs(30),
            concurrency: 64,
            redirects: 10,
            through_proxy: false,
            tls: Tls::default(),
            lookup: None,
        }
    }
}

impl fmt::Debug for OutboundOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutboundOptions")
            .field("request_bytes", &self.request_bytes)
            .field("response_bytes", &self.response_bytes)
            .field("timeout", &self.timeout)
            .field("concurrency", &self.concurrency)
            .field("redirects", &self.redirects)
            .field("through_proxy", &self.through_proxy)
            .field("tls", &self.tls)
            .field("lookup", &self.lookup.is_some())
            .finish()
    }
}
