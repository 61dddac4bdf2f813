//! What is told to the operator's systems: `[telemetry]`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};
use url::Url;

/// How many of a million are all.
const ALL: f64 = 1_000_000.0;

/// Where `ampoule serve` sends traces, by OTLP over HTTP. OpenTelemetry's own variables, such as
/// `OTEL_EXPORTER_OTLP_ENDPOINT`, count before it.
#[derive(Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TelemetryConfig {
    /// The address of the collector, such as `http://localhost:4318`. Without one, nothing is sent.
    // May hold secrets.
    #[serde(deserialize_with = "address")]
    #[schemars(with = "String")]
    pub endpoint: Option<String>,
    /// Headers of every request to it.
    // Their values are secrets.
    #[serde(deserialize_with = "ampoule_fields::headers")]
    pub headers: BTreeMap<String, String>,
    /// What this process is called there. Default: `ampoule`.
    #[serde(deserialize_with = "ampoule_fields::expanded")]
    pub service_name: Option<String>,
    /// Which part of the traces that begin here is sent, such as `10%`. Default: all.
    // Of a million.
    #[serde(deserialize_with = "share")]
    #[schemars(with = "String")]
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

fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text: String = ampoule_fields::expanded(deserializer)?;
    match Url::parse(&text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(Some(text)),
        _ => Err(D::Error::invalid_value(
            Unexpected::Other("a text"),
            &"an address, such as `http://localhost:4318`",
        )),
    }
}

/// A share in per cent, such as `10%`: how many of a million that are.
fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let share = text.strip_suffix('%').map(str::trim);
    let share = share.and_then(|share| share.parse::<f64>().ok());
    let share = share.filter(|share| (0.0..=100.0).contains(share));
    let share = share.ok_or_else(|| D::Error::custom("this is a share, `0%` to `100%`"))?;
    Ok(Some((share / 100.0 * ALL).round() as u32))
}

impl TelemetryConfig {
    /// Which part of the traces that begin here is sent, 0 to 1, if not all.
    pub fn sampled(&self) -> Option<f64> {
        self.sample
            .map(|of_a_million| f64::from(of_a_million) / ALL)
    }
}
