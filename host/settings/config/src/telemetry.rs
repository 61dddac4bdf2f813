//! What is told to the operator's systems.

use std::collections::BTreeMap;
use std::fmt;

use url::Url;

use super::error::Mistakes;
use super::read::{Entry, Table};
use super::server::{self, Surroundings};
use super::{ConfigError, keys};

/// How many of a million are all.
const ALL: f64 = 1_000_000.0;

/// Where traces are sent, with the variables in it replaced. OpenTelemetry's own variables count
/// before it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct TelemetryConfig {
    /// `endpoint`: the address of a collector that takes OTLP over HTTP; none are sent without. May
    /// hold secrets.
    pub endpoint: Option<String>,
    /// `headers`: those of every request to it. Their values are secrets.
    pub headers: BTreeMap<String, String>,
    /// `service-name`: what the process is called there.
    pub service_name: Option<String>,
    /// `sample`: how many of a million traces that begin here are sent, if not all.
    pub sample: Option<u32>,
}

impl fmt::Debug for TelemetryConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.keys().map(String::as_str).collect();
        f.debug_struct("TelemetryConfig")
            .field("headers", &names)
            .field("sample", &self.sample)
            // Secrets may have been expanded into the rest.
            .finish_non_exhaustive()
    }
}

pub(super) fn telemetry(
    table: &Table<'_>,
    around: Surroundings<'_>,
) -> Result<TelemetryConfig, ConfigError> {
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("telemetry")));
    let endpoint = table.read("endpoint", |entry| address(entry, around));
    let headers = table.read("headers", |headers| {
        server::variables(headers, "headers", around.environment)
    });
    let service_name = table.read("service-name", |name| {
        server::expanded(name, around.environment)
    });
    let sample = table.read("sample", share);
    let (headers, _) = mistakes.unless(headers).flatten().unwrap_or_default();
    let config = TelemetryConfig {
        endpoint: mistakes.unless(endpoint).flatten(),
        headers,
        service_name: mistakes.unless(service_name).flatten(),
        sample: mistakes.unless(sample).flatten(),
    };
    mistakes.none().map(|()| config)
}

fn address(entry: &Entry<'_>, around: Surroundings<'_>) -> Result<String, ConfigError> {
    let text = server::expanded(entry, around.environment)?;
    match Url::parse(&text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(text),
        _ => Err(entry.refuse("this is not an address; write it like `http://localhost:4318`")),
    }
}

/// A share in per cent, such as `10%`: how many of a million that are.
fn share(entry: &Entry<'_>) -> Result<u32, ConfigError> {
    let share = entry.text()?.strip_suffix('%').map(str::trim);
    let share = share.and_then(|share| share.parse::<f64>().ok());
    let share = share.filter(|share| (0.0..=100.0).contains(share));
    let share = share.ok_or_else(|| entry.refuse("this is a share, `0%` to `100%`"))?;
    Ok((share / 100.0 * ALL).round() as u32)
}

impl TelemetryConfig {
    /// Which part of the traces that begin here is sent, 0 to 1, if not all.
    pub fn sampled(&self) -> Option<f64> {
        self.sample
            .map(|of_a_million| f64::from(of_a_million) / ALL)
    }
}
