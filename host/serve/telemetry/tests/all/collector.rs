//! A collector of spans: a listener that reads what it is sent as the standard has it.

use std::sync::Arc;
use std::time::Duration;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use parking_lot::Mutex;
use prost::Message;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use ampoule_telemetry::{TraceSettings, Traces};

/// The paths and bodies that came.
type ReceivedRequests = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// What became of it: the requests' headers and bodies.
#[derive(Clone)]
pub(crate) struct Collector {
    pub(crate) endpoint: String,
    seen: ReceivedRequests,
}

/// How a collector answers.
#[derive(Clone, Copy)]
pub(crate) enum Answers {
    With(&'static str),
    Never,
}

impl Collector {
    pub(crate) async fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let collector = Self {
            endpoint: format!("http://{}/", listener.local_addr().unwrap()),
            seen: Arc::default(),
        };
        let seen = Arc::clone(&collector.seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(talk(stream, answers, Arc::clone(&seen)));
            }
        });
        collector
    }

    /// What sends spans to it, or elsewhere if the settings say so.
    pub(crate) fn traces(&self, settings: TraceSettings) -> Traces {
        let settings = TraceSettings {
            endpoint: settings.endpoint.or(Some(self.endpoint.clone())),
            ..settings
        };
        let traces = Traces::start(settings, || Ok(client())).unwrap();
        traces.expect("traces are switched off here")
    }

    /// What it was sent, as text and bytes.
    pub(crate) fn seen(&self) -> Vec<(String, Vec<u8>)> {
        self.seen.lock().clone()
    }

    /// The spans that it was sent.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let requests = self.seen().into_iter();
        let requests = requests.map(|(_, body)| ExportTraceServiceRequest::decode(&*body).unwrap());
        let resources = requests.flat_map(|request| request.resource_spans);
        let scopes = resources.flat_map(|resource| {
            let attributes = resource.resource.unwrap().attributes;
            assert_eq!(text(&attributes, "service.name"), "a-name");
            resource.scope_spans
        });
        scopes.flat_map(|scope| scope.spans).collect()
    }

    /// The only span of this name.
    pub(crate) fn span(&self, name: &str) -> Span {
        let spans = self.spans().into_iter();
        let mut named: Vec<Span> = spans.filter(|span| span.name == name).collect();
        assert_eq!(named.len(), 1, "{name}");
        named.remove(0)
    }
}

/// The text of an attribute.
pub(crate) fn text(attributes: &[KeyValue], key: &str) -> String {
    let found = attributes.iter().find(|attribute| attribute.key == key);
    let found = found.unwrap_or_else(|| panic!("no {key} in {attributes:?}"));
    match &found.value {
        Some(AnyValue {
            value: Some(Value::StringValue(text)),
        }) => text.clone(),
        Some(AnyValue {
            value: Some(Value::IntValue(number)),
        }) => number.to_string(),
        other => panic!("{key} is {other:?}"),
    }
}

async fn talk(stream: TcpStream, answers: Answers, seen: ReceivedRequests) {
    let mut stream = BufReader::new(stream);
    loop {
        let (mut head, mut length) = (String::new(), 0);
        loop {
            let at = head.len();
            if stream.read_line(&mut head).await.unwrap_or(0) == 0 {
                return;
            }
            let line = head[at..].trim().to_lowercase();
            if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().unwrap();
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        seen.lock().push((head, body));
        let Answers::With(status) = answers else {
            tokio::time::sleep(Duration::from_secs(600)).await;
            return;
        };
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(answer.as_bytes()).await.unwrap();
    }
}

fn client() -> reqwest::Client {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    let client = reqwest::Client::builder().tls_backend_preconfigured(tls);
    client.no_proxy().build().unwrap()
}
