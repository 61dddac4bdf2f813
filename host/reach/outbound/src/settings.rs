//! What an operator chooses: `[outbound]`.

use std::num::NonZeroUsize;
use std::time::Duration;

use ampoule_fields::Quantity;
use ampoule_network::Tls;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Denial, OutboundOptions, Rule, Rules};

/// HTTP requests that scripts may make, by `fetch` or `urllib.request`. Without this table, they
/// have no network.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// Requests that scripts may make. If several rules fit a request, the first counts.
    pub allow: Vec<Rule>,
    /// Requests that scripts may not make, even if a rule allows them.
    pub deny: Vec<Denial>,
    /// How long a request may take, redirects and all of its response included. Default: `30s`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub timeout: Duration,
    /// How large a request's body may be. Default: `4MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub request: u64,
    /// How large a response's body may be, before and after it is decompressed. Default: `8MiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub response: u64,
    /// How many requests may be under way at once, of all runs together; further ones wait. Default: 64.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub concurrency: NonZeroUsize,
    /// Whether the environment's proxies are used. They look names up themselves, so they have to
    /// keep requests out of private networks. Default: false.
    pub proxy: bool,
}

impl Default for Settings {
    fn default() -> Self {
        let options = OutboundOptions::default();
        Self {
            allow: Vec::new(),
            deny: Vec::new(),
            timeout: options.timeout,
            request: options.request_bytes,
            response: options.response_bytes,
            concurrency: NonZeroUsize::new(options.concurrency).unwrap_or(NonZeroUsize::MIN),
            proxy: options.through_proxy,
        }
    }
}

impl Settings {
    /// Which requests are made.
    pub fn rules(&self) -> Rules {
        Rules {
            allow: self.allow.clone(),
            deny: self.deny.clone(),
        }
    }

    /// How much they may take, and how they travel. `tls`: whom to trust.
    pub fn options(&self, tls: Tls) -> OutboundOptions {
        OutboundOptions {
            request_bytes: self.request,
            response_bytes: self.response,
            timeout: self.timeout,
            concurrency: self.concurrency.get(),
            through_proxy: self.proxy,
            tls,
            ..OutboundOptions::default()
        }
    }
}
