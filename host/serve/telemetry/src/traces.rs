//! Where spans go: to a collector, by OTLP over HTTP.

use std::collections::HashMap;
use std::env;
use std::fmt;
use std::time::Duration;

use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{Sampler, SdkTracer, SdkTracerProvider};

use super::exporter::Exporter;

/// How long what is left may take to be sent at the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// Where OTLP's paths begin to differ by what is sent.
const PATH: &str = "v1/traces";

/// What is configured of traces. OpenTelemetry's own variables count before it.
#[derive(Clone, Default, PartialEq)]
pub struct TraceSettings {
    /// The collector's address, such as `http://localhost:4318`. May hold secrets.
    pub endpoint: Option<String>,
    /// Headers of every request to it. Their values are secrets.
    pub headers: HashMap<String, String>,
    /// What the process is called there. Default: `ampoule`.
    pub service_name: Option<String>,
    /// Which part of the traces that begin here is made, 0 to 1. Default: all. What a client's trace
    /// says counts before it.
    pub sample: Option<f64>,
}

impl fmt::Debug for TraceSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TraceSettings")
            .field("service_name", &self.service_name)
            .field("sample", &self.sample)
            .finish_non_exhaustive()
    }
}

/// Where spans go. Clones are the same one.
#[derive(Clone)]
pub struct Traces {
    provider: SdkTracerProvider,
    tracer: SdkTracer,
}

impl Traces {
    /// Sends spans in the background, with this client, where anybody asked for it: by a setting, or
    /// by one of OpenTelemetry's variables. A queue of 2,048 holds what waits; what is more is lost,
    /// and no run waits for it. Needs Tokio.
    ///
    /// # Errors
    ///
    /// What is wrong with the settings, the variables or the client, as a sentence.
    pub fn start(
        settings: TraceSettings,
        client: impl FnOnce() -> Result<reqwest::Client, String>,
    ) -> Result<Option<Self>, String> {
        let variables = Variables::of_process();
        if !variables.want_traces(&settings) {
            return Ok(None);
        }
        if let Some(protocol) = &variables.protocol
            && protocol != "http/protobuf"
        {
            return Err(format!(
                "traces are sent by `http/protobuf` alone, and OTEL_EXPORTER_OTLP_PROTOCOL says `{}`",
                ampoule_untrusted::text::one_line(protocol)
            ));
        }
        let mut exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Exporter::new(client()?))
            .with_headers(settings.headers);
        if let (None, Some(endpoint)) = (&variables.endpoint, &settings.endpoint) {
            exporter = exporter.with_endpoint(format!("{}/{PATH}", endpoint.trim_end_matches('/')));
        }
        // The error may quote the address, which may hold secrets.
        let exporter = exporter.build().map_err(|_| {
            "the address that traces are sent to can't be read; write it like `http://localhost:4318`"
                .to_owned()
        })?;
        let mut resource = Resource::builder();
        if !variables.name_service {
            let name = settings
                .service_name
                .unwrap_or_else(|| "ampoule".to_owned());
            resource = resource.with_service_name(name);
        }
        let mut provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_batch_exporter(exporter);
        if let (false, Some(ratio)) = (variables.sample, settings.sample) {
            let ratio = Sampler::TraceIdRatioBased(ratio);
            provider = provider.with_sampler(Sampler::ParentBased(Box::new(ratio)));
        }
        let provider = provider.build();
        let tracer = provider.tracer("ampoule");
        Ok(Some(Self { provider, tracer }))
    }

    pub(crate) fn tracer(&self) -> &SdkTracer {
        &self.tracer
    }

    /// Sends what is left. It waits on a thread of its own: whoever is slow is left behind.
    pub(crate) async fn close(&self) {
        let provider = self.provider.clone();
        let closing = tokio::task::spawn_blocking(move || provider.shutdown_with_timeout(FAREWELL));
        let closed = tokio::time::timeout(FAREWELL, closing).await;
        if !matches!(closed, Ok(Ok(Ok(())))) {
            tracing::warn!(
                "the last spans may not have been sent: the collector did not take them"
            );
        }
    }
}

/// What OpenTelemetry's variables say that settings could say too.
#[derive(Debug, Default)]
struct Variables {
    endpoint: Option<String>,
    protocol: Option<String>,
    name_service: bool,
    sample: bool,
    switched_off: bool,
}

impl Variables {
    fn of_process() -> Self {
        Self::read(|name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let either = |name: &str| {
            let own = variable(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"));
            own.or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{name}")))
        };
        let says = |name: &str, word: &str| {
            variable(name).is_some_and(|value| value.eq_ignore_ascii_case(word))
        };
        let attributes = variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default();
        Self {
            endpoint: either("ENDPOINT"),
            protocol: either("PROTOCOL"),
            name_service: variable("OTEL_SERVICE_NAME").is_some()
                || attributes
                    .split(',')
                    .any(|it| it.trim().starts_with("service.name=")),
            sample: variable("OTEL_TRACES_SAMPLER").is_some(),
            switched_off: says("OTEL_SDK_DISABLED", "true") || says("OTEL_TRACES_EXPORTER", "none"),
        }
    }

    fn want_traces(&self, settings: &TraceSettings) -> bool {
        !self.switched_off && (self.endpoint.is_some() || settings.endpoint.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(set: &[(&str, &str)]) -> Variables {
        Variables::read(|name| {
            let found = set.iter().find(|(set, _)| *set == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn traces_are_made_where_somebody_says_where_they_go() {
        let settings = TraceSettings {
            endpoint: Some("http://collector:4318".to_owned()),
            ..TraceSettings::default()
        };
        let nothing = TraceSettings::default();
        assert!(!variables(&[]).want_traces(&nothing));
        assert!(variables(&[]).want_traces(&settings));
        for name in [
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        ] {
            assert!(variables(&[(name, "http://x")]).want_traces(&nothing));
        }
        for off in [
            ("OTEL_SDK_DISABLED", "TRUE"),
            ("OTEL_TRACES_EXPORTER", "none"),
        ] {
            assert!(!variables(&[off]).want_traces(&settings));
        }
    }

    #[test]
    fn a_service_is_named_by_either_variable() {
        assert!(variables(&[("OTEL_SERVICE_NAME", "x")]).name_service);
        let attributes = "a=b, service.name=x";
        assert!(variables(&[("OTEL_RESOURCE_ATTRIBUTES", attributes)]).name_service);
        assert!(!variables(&[("OTEL_RESOURCE_ATTRIBUTES", "a=service.name")]).name_service);
    }

    #[test]
    fn secrets_are_not_in_what_is_printed_of_settings() {
        let settings = TraceSettings {
            endpoint: Some("https://u:hunter2@collector".to_owned()),
            headers: [("key".to_owned(), "hunter2".to_owned())].into(),
            ..TraceSettings::default()
        };
        assert!(!format!("{settings:?}").contains("hunter2"));
    }
}
