//! Messages to the operator's systems by HTTP: questions, and events of the audit log.

use std::fmt;
use std::io;
use std::time::Duration;

use ampoule::upstream::Tls;
use ampoule_approvals::Delivery;
use futures::FutureExt;
use futures::future::BoxFuture;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder};
use tokio::runtime::Handle;

use crate::SetupError;

/// How long one message may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends messages. It follows no redirects: the operator named the address.
#[derive(Clone)]
pub(super) struct Http {
    client: Client,
    runtime: Handle,
}

impl Http {
    /// Must be called within a Tokio runtime.
    pub(super) fn new() -> Result<Self, SetupError> {
        let unmade = |_| SetupError::new("the HTTP client can't be created");
        let client = Tls::default().client().map_err(SetupError::new)?;
        let client = client.redirect(Policy::none()).timeout(PATIENCE).build();
        Ok(Self {
            client: client.map_err(unmade)?,
            runtime: Handle::current(),
        })
    }

    fn request<'h>(
        &self,
        url: &str,
        headers: impl Iterator<Item = (&'h str, &'h str)>,
        body: Vec<u8>,
    ) -> RequestBuilder {
        let request = self.client.post(url).body(body);
        headers.fold(request, |request, (name, value)| {
            request.header(name, value)
        })
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http").finish_non_exhaustive()
    }
}

async fn status(request: RequestBuilder) -> Result<u16, String> {
    // An address may have a secret in it.
    let sent = request.send().await.map_err(reqwest::Error::without_url);
    let status = sent.map(|response| response.status().as_u16());
    status.map_err(|error| error.to_string())
}

impl ampoule_approvals::Post for Http {
    fn post(&self, delivery: Delivery) -> BoxFuture<'_, Result<u16, String>> {
        let headers = delivery.headers.iter();
        let headers = headers.map(|(name, value)| (*name, value.as_str()));
        status(self.request(&delivery.url, headers, delivery.body)).boxed()
    }
}

impl ampoule_audit::Post for Http {
    fn post(&self, url: &str, headers: &[(String, String)], json: Vec<u8>) -> io::Result<u16> {
        let headers = headers.iter().map(|(name, value)| (&**name, &**value));
        let headers = headers.chain([("content-type", "application/json")]);
        let request = self.request(url, headers, json);
        // What passes events on has a thread of its own.
        self.runtime
            .block_on(status(request))
            .map_err(io::Error::other)
    }
}
