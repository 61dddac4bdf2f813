//! Requests and responses of HTTP, as the tool takes and gives them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use serde::{Deserialize, Serialize};
use wasmtime_wasi_http::WasiBody;
use wasmtime_wasi_io::bytes::Bytes;

use crate::held::Hold;

/// A request, as the tool takes it.
#[derive(Serialize)]
struct Arguments<'a> {
    url: String,
    method: &'a str,
    headers: Vec<(&'a str, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    redirect: &'static str,
}

/// A request as the tool's arguments.
pub(super) fn arguments(request: &Request<Bytes>) -> String {
    // Its length follows from the body, which is sent whole.
    let headers = request.headers().iter();
    let headers = headers.filter(|(name, _)| **name != http::header::CONTENT_LENGTH);
    let body = request.body();
    let arguments = Arguments {
        url: request.uri().to_string(),
        method: request.method().as_str(),
        headers: headers
            .map(|(name, value)| (name.as_str(), latin1(value)))
            .collect(),
        base64: (!body.is_empty()).then(|| STANDARD.encode(body)),
        // A guest of `wasi:http` gets a redirection, and follows it by a request of its own.
        redirect: "manual",
    };
    serde_json::to_string(&arguments).expect("texts and lists are JSON")
}

/// Bytes, written as the first 256 characters.
fn latin1(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

/// A response, as the tool gives it.
#[derive(Deserialize)]
pub(super) struct Fetched {
    status: u16,
    headers: Vec<(String, String)>,
    body: Option<String>,
    base64: Option<String>,
}

impl Fetched {
    /// The response, if it is one. What the host holds of it counts until the guest has read it.
    pub(super) fn response(self, hold: Hold) -> Option<Response<WasiBody>> {
        let bytes = match (self.body, self.base64) {
            (Some(text), _) => Bytes::from(text),
            (None, Some(base64)) => STANDARD.decode(base64).ok()?.into(),
            (None, None) => Bytes::new(),
        };
        let body = Full::new(bytes).map_err(|never| match never {});
        let body = body.map_frame(move |frame| {
            let _held = &hold;
            frame
        });
        let mut response = Response::new(body.boxed_unsync());
        *response.status_mut() = http::StatusCode::from_u16(self.status).ok()?;
        *response.headers_mut() = headers(&self.headers)?;
        Some(response)
    }
}

fn headers(pairs: &[(String, String)]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::with_capacity(pairs.len());
    for (name, value) in pairs {
        let name: http::HeaderName = name.parse().ok()?;
        let bytes: Result<Vec<u8>, _> = value.chars().map(|c| u8::try_from(u32::from(c))).collect();
        headers.append(name, HeaderValue::from_bytes(&bytes.ok()?).ok()?);
    }
    Some(headers)
}
