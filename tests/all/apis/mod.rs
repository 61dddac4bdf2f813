//! HTTP APIs that an OpenAPI document describes, from `ampoule.toml` to what goes over the wire.
//!
//! - `documented`: what the guide shows; `shop`: a document with all that there is
//! - `real`: documents of well-known APIs; `reader`: one that knows nothing of ours

mod documented;
mod reader;
mod real;
mod shop;

use serde_json::Value;

/// A response with a status and a body.
fn response(status: &str, kind: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn json(status: &str, body: &Value) -> String {
    response(status, "application/json", &body.to_string())
}
