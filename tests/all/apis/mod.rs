//! HTTP APIs that an OpenAPI document describes, from `ampoule.toml` to what goes over the wire.
//!
//! - `documented`: what the guide shows; `shop`: a document with all that there is, and who may use it in
//!   `governed`; `versions`: older and newer ones
//! - `graphql`: GraphQL APIs
//! - `replayed`: operations in records and in components
//! - `real`: documents of well-known APIs; `reader`: one that knows nothing of ours

mod documented;
mod governed;
mod graphql;
mod kept;
mod reader;
mod real;
mod replayed;
mod shop;
mod versions;

use std::fs;

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

/// How much memory this process has, in MiB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("/proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix("kB"));
    kibibytes
        .and_then(|text| text.trim().parse::<u64>().ok())
        .expect("a number")
        >> 10
}
