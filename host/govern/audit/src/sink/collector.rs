//! Events to a collector of OpenTelemetry: OTLP over HTTP, as JSON.

use std::io;

use crate::entry::Entry;
use crate::export::otlp;
use crate::sink::{Sink, SinkError};

/// Sends something by HTTP: the owner of a client lends it.
pub trait Post: Send + 'static {
    /// Posts JSON, with these headers, and gives the status of the answer. It should not wait for
    /// longer than some seconds.
    ///
    /// # Errors
    ///
    /// There is no answer.
    fn post(&self, url: &str, headers: &[(String, String)], json: Vec<u8>) -> io::Result<u16>;
}

/// A collector of OpenTelemetry.
pub struct Collector<P> {
    url: String,
    headers: Vec<(String, String)>,
    client: P,
}

impl<P: Post> Collector<P> {
    /// Under that URL, such as `https://collector.example:4318`: `/v1/logs` is added to one that
    /// does not end so.
    pub fn new(url: &str, headers: Vec<(String, String)>, client: P) -> Self {
        let url = url.trim_end_matches('/');
        let url = match url.ends_with("/v1/logs") {
            true => url.to_owned(),
            false => format!("{url}/v1/logs"),
        };
        Self {
            url,
            headers,
            client,
        }
    }
}

impl<P: Post> Sink for Collector<P> {
    fn take(&mut self, entries: &[Entry]) -> Result<(), SinkError> {
        let json = serde_json::to_vec(&otlp(entries)).map_err(io::Error::from)?;
        match self.client.post(&self.url, &self.headers, json)? {
            200..=299 => Ok(()),
            // What only those say who do not want these events, whenever they come.
            status @ (400 | 413 | 415 | 422) => Err(SinkError::Never(format!(
                "the collector answered with status {status}"
            ))),
            status => {
                let why = format!("the collector answered with status {status}");
                Err(SinkError::Again(io::Error::other(why)))
            }
        }
    }
}
