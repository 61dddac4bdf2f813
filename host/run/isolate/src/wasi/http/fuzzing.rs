//! What must hold of a guest's requests, and of responses, that nobody thought of: they are the same
//! in the tool's form, or there are none.

use std::sync::Arc;

use ampoule_limits::Limits;
use ampoule_mutated::Inputs;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt as _;
use http::{HeaderName, HeaderValue, Method, Request, Uri};
use http_body_util::BodyExt as _;
use serde_json::Value;
use wasmtime_wasi_io::bytes::Bytes;

use super::message::{FetchedResponse, arguments};
use crate::host_memory::HeldBytes;

/// A request of these lines: method, address, headers, an empty line, and the body. Says what became
/// of it.
fn request(data: &[u8]) -> String {
    let mut lines = data.split(|byte| *byte == b'\n');
    let method = Method::from_bytes(lines.next().unwrap_or_default());
    let uri = Uri::try_from(lines.next().unwrap_or_default());
    let (Ok(method), Ok(uri)) = (method, uri) else {
        return "not a request".to_owned();
    };
    let mut request = Request::new(Bytes::new());
    (*request.method_mut(), *request.uri_mut()) = (method, uri);
    for line in lines.by_ref().take_while(|line| !line.is_empty()) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            continue;
        };
        let name = HeaderName::from_bytes(&line[..colon]);
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(&line[colon + 1..])) {
            request.headers_mut().append(name, value);
        }
    }
    let body: Vec<u8> = lines.collect::<Vec<_>>().join(&b'\n');
    *request.body_mut() = Bytes::from(body);

    let (head, sent) = request.into_parts();
    let made: Value = serde_json::from_str(&arguments(&head, &sent)).expect("JSON");
    assert_eq!(made["url"], head.uri.to_string());
    assert_eq!(made["method"], head.method.as_str());
    assert_eq!(made["redirect"], "manual");
    let text = made["body"].as_str().map(|text| text.as_bytes().to_vec());
    let bytes = made["base64"].as_str().map(|text| STANDARD.decode(text));
    let bytes = bytes.transpose().expect("base64");
    assert!(text.is_none() || bytes.is_none(), "a body in two forms");
    let body = text.or(bytes).unwrap_or_default();
    assert_eq!(body, &*sent);
    let headers = head.headers.iter();
    let headers = headers.filter(|(name, _)| name.as_str() != "content-length");
    let mut written = made["headers"].as_array().expect("a list").iter();
    let mut count = 0;
    for (name, value) in headers {
        let pair = written.next().expect("a header more");
        assert_eq!(pair[0], name.as_str());
        let text = pair[1].as_str().expect("a text").chars();
        let bytes: Vec<u8> = text
            .map(|c| u8::try_from(u32::from(c)).expect("a byte"))
            .collect();
        assert_eq!(bytes, value.as_bytes());
        count += 1;
    }
    assert_eq!(written.next(), None, "a header too many");
    format!("{count} headers, {} bytes", body.len().min(8))
}

/// A response as JSON. Says what became of it.
fn response(data: &[u8]) -> String {
    let Ok(fetched) = serde_json::from_slice::<FetchedResponse>(data) else {
        return "not a response".to_owned();
    };
    // What the tool does not know it does not read either.
    let Ok(given) = serde_json::from_slice::<Value>(data) else {
        return "not JSON".to_owned();
    };
    let held = Arc::new(HeldBytes::new(Limits::default()));
    let hold = held.hold(1).expect("room");
    let Ok(response) = fetched.response(hold) else {
        return "not an HTTP response".to_owned();
    };
    assert_eq!(given["status"], response.status().as_u16());
    let count = given["headers"].as_array().map_or(0, Vec::len);
    assert_eq!(response.headers().len(), count);
    let whole = response.into_body().collect().now_or_never();
    let bytes = whole.expect("at once").expect("a body").to_bytes();
    if let Some(text) = given["body"].as_str() {
        assert_eq!(bytes, text.as_bytes());
    }
    format!("{count} headers, {} bytes", bytes.len().min(8))
}

#[test]
fn a_request_is_the_same_as_the_tool_takes_it() {
    let inputs = Inputs {
        right: &[
            b"GET\nhttps://api.example.com/v1?x=1\naccept: */*\n\n",
            b"POST\nhttp://[::1]:80/a%20b\ncontent-length: 3\nx-a: \xe9\nx-a: b\n\nhi\xff",
            b"PATCH\n/only/a/path\nhost: a\n\n\n",
        ],
        words: &[
            "\n",
            ": ",
            "https://",
            "//",
            "@",
            "?",
            "#",
            "\u{e9}",
            "\x7f",
            "\t",
            "content-length",
            "Transfer-Encoding",
            "OPTIONS",
            "*",
            "a:1",
            "%",
        ],
        cases: 10_000,
    };
    inputs.tried(request);
}

#[test]
fn a_response_is_the_same_as_the_tool_gives_it() {
    let inputs = Inputs {
        right: &[
            br#"{"status":200,"headers":[["content-type","text/plain"],["set-cookie","a"],["set-cookie","b"]],"body":"hi"}"#,
            br#"{"status":301,"headers":[["x","\u00e9"]],"base64":"/w=="}"#,
            br#"{"status":204,"headers":[],"url":"x"}"#,
        ],
        words: &[
            "\"body\":", "\"base64\":", "\"status\":", "99", "1000", "65536", "-1", "null", "[\"a\",\"\\n\"],",
            "[\"\",\"x\"],", "\\u0100", "\\u007f", "=", "\"\"", "{}",
        ],
        cases: 10_000,
    };
    inputs.tried(response);
}
