//! Requests and responses of HTTP, as the tool takes and gives them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::{BodyExt as _, Full};
use serde::{Deserialize, Serialize};
use wasmtime_wasi_http::{Error, WasiBody};
use wasmtime_wasi_io::bytes::Bytes;

use crate::host_memory::Hold;

/// What the host keeps of a header besides its name and its value, in bytes.
const HEADER_BYTES: usize = 100;
/// How large the headers of a response may be, in bytes.
const RESPONSE_HEADER_BYTES: usize = 128 << 10;

/// A request, as the tool takes it.
#[derive(Serialize)]
struct Arguments<'a> {
    url: String,
    method: &'a str,
    headers: Vec<(&'a str, String)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    redirect: &'static str,
}

/// What the host holds of a request before its body has come, in bytes.
pub(super) fn head_bytes(head: &Parts) -> u64 {
    let address = head.uri.authority().map_or(0, |it| it.as_str().len())
        + head.uri.path_and_query().map_or(0, |it| it.as_str().len());
    let bytes = HEADER_BYTES + head.method.as_str().len() + address + bytes(&head.headers);
    bytes as u64
}

fn bytes(headers: &HeaderMap) -> usize {
    let header = |(name, value): (&http::HeaderName, &HeaderValue)| {
        HEADER_BYTES + name.as_str().len() + value.len()
    };
    headers.iter().map(header).sum()
}

/// A request as the tool's arguments. Its body is text where it may be, so that policies, people
/// who are asked, and redaction see it as a script's.
pub(super) fn arguments(head: &Parts, body: &[u8]) -> String {
    // Its length follows from the body, which is sent whole.
    let headers = head.headers.iter();
    let headers = headers.filter(|(name, _)| **name != http::header::CONTENT_LENGTH);
    let text = std::str::from_utf8(body).ok();
    let text = text.filter(|text| is_plain(text));
    let arguments = Arguments {
        url: head.uri.to_string(),
        method: head.method.as_str(),
        headers: headers
            .map(|(name, value)| (name.as_str(), latin1(value)))
            .collect(),
        body: text.filter(|text| !text.is_empty()),
        base64: text.is_none().then(|| STANDARD.encode(body)),
        // A guest of `wasi:http` gets a redirection, and follows it by a request of its own.
        redirect: "manual",
    };
    serde_json::to_string(&arguments).expect("texts and lists are JSON")
}

/// Whether JSON has it as briefly as base64 would: the same for a response.
fn is_plain(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_control() && !matches!(c, '\n' | '\r' | '\t'))
}

/// Bytes, written as the first 256 characters.
fn latin1(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

/// A response, as the tool gives it.
#[derive(Deserialize)]
pub(super) struct FetchedResponse {
    status: u16,
    headers: Vec<(String, String)>,
    body: Option<String>,
    base64: Option<String>,
}

impl FetchedResponse {
    /// The response. What the host holds of it counts until the guest has read it.
    ///
    /// # Errors
    ///
    /// What the guest gets instead.
    pub(super) fn response(self, hold: Hold) -> Result<Response<WasiBody>, Error> {
        let headers = headers(&self.headers).ok_or_else(not_http)?;
        let size = bytes(&headers);
        if size > RESPONSE_HEADER_BYTES {
            let size = u32::try_from(size).ok();
            return Err(Error::HttpResponseHeaderSectionSize(size));
        }
        let bytes = match (self.body, self.base64) {
            (Some(text), _) => Bytes::from(text),
            (None, Some(base64)) => STANDARD.decode(base64).map_err(|_| not_http())?.into(),
            (None, None) => Bytes::new(),
        };
        let body = Full::new(bytes).map_err(|never| match never {});
        let body = body.map_frame(move |frame| {
            let _held = &hold;
            frame
        });
        let mut response = Response::new(body.boxed_unsync());
        *response.status_mut() = http::StatusCode::from_u16(self.status).map_err(|_| not_http())?;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

/// What the tool gave is not a response.
pub(super) fn not_http() -> Error {
    Error::InternalError(Some("the response is not one of HTTP".to_owned()))
}

fn headers(pairs: &[(String, String)]) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let name: http::HeaderName = name.parse().ok()?;
        let bytes: Result<Vec<u8>, _> = value.chars().map(|c| u8::try_from(u32::from(c))).collect();
        let value = HeaderValue::from_bytes(&bytes.ok()?).ok()?;
        headers.try_append(name, value).ok()?;
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ampoule_limits::Limits;
    use serde_json::{Value, json};

    use super::*;
    use crate::host_memory::HeldBytes;

    fn sent(body: &[u8]) -> Value {
        let request = http::Request::post("https://api.example/v1/items?page=2")
            .header("content-length", body.len())
            .header("x-name", "Zoë".as_bytes());
        let (head, ()) = request.body(()).expect("a request").into_parts();
        serde_json::from_str(&arguments(&head, body)).expect("JSON")
    }

    #[test]
    fn a_body_is_text_where_it_may_be() {
        let told = |field: &str, value: &str| {
            let mut told = json!({
                "url": "https://api.example/v1/items?page=2",
                "method": "POST",
                "headers": [["x-name", "ZoÃ«"]],
                "redirect": "manual",
            });
            if !field.is_empty() {
                told[field] = value.into();
            }
            told
        };
        assert_eq!(sent(b""), told("", ""));
        let text = "{\"name\": \"Zoë\",\r\n\t\"price\": 7}";
        assert_eq!(sent(text.as_bytes()), told("body", text));
        // Neither has a zero byte nor an invalid one a place in a text.
        assert_eq!(sent(b"a\0b"), told("base64", "YQBi"));
        assert_eq!(sent(b"a\xff"), told("base64", "Yf8="));
    }

    fn received(headers: usize, value: &str) -> Result<Response<WasiBody>, Error> {
        let headers = (0..headers).map(|at| (format!("x-{at}"), value.to_owned()));
        let fetched = FetchedResponse {
            status: 200,
            headers: headers.collect(),
            body: None,
            base64: None,
        };
        let held = Arc::new(HeldBytes::new(Limits::default()));
        fetched.response(held.hold(0).expect("it is little"))
    }

    #[test]
    fn however_many_headers_a_response_has_it_is_told() {
        let response = received(3, "one").expect("it is small");
        assert_eq!(response.headers().len(), 3);
        let size = |many, value: &str| match received(many, value) {
            Err(Error::HttpResponseHeaderSectionSize(Some(size))) => size,
            other => panic!("{other:?}"),
        };
        assert_eq!(size(2, &"a".repeat(100_000)), 2 * (100 + 3 + 100_000));
        assert!(size(20_000, "") > 2_000_000);
        // A map of headers takes no more than that.
        assert!(matches!(received(40_000, ""), Err(Error::InternalError(_))));
    }
}
