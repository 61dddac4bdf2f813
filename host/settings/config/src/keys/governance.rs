//! The keys of what stands between a grant and a call.

use serde_json::{Value, json};

use super::{Form, Key, key};

/// Those of what is recorded.
pub(crate) const AUDIT: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where. Default: `ampoule/audit` in the user's folder of data.",
    ),
    key(
        "keep",
        Form::Text,
        "How long: `90d`, `7y`, or `forever`. Default: `90d`.",
    ),
    key(
        "rotate",
        Form::Quantity,
        "How large a file grows before another one is begun; a day begins one anyway. Default: `64MiB`.",
    ),
    key(
        "on-failure",
        Form::Choice(&["stop", "go-on"]),
        "Whether what can't be recorded is not done, or done all the same. Default: `stop`.",
    ),
    key(
        "arguments",
        Form::Own(arguments),
        "How calls' arguments are written: as a `digest`, in `full`, or `redacted`, which are their names without values; for all, or by tools. Default: `digest`.",
    ),
    key(
        "export",
        Form::List(EXPORT),
        "Where events are passed on to while they are written.",
    ),
];

/// Those of where events are passed on to.
pub(crate) const EXPORT: &[Key] = &[
    key(
        "to",
        Form::Choice(&["file", "syslog", "otlp"]),
        "A file, a syslog server (RFC 5424), or a collector of OpenTelemetry.",
    ),
    key("path", Form::Text, "The file."),
    key(
        "format",
        Form::Choice(&["jsonl", "ocsf", "otlp", "csv"]),
        "What is written to it. Default: `jsonl`.",
    ),
    key(
        "address",
        Form::Text,
        "The syslog server: `udp://host:port`, `tcp://host:port`, or `unix:/dev/log`.",
    ),
    key(
        "endpoint",
        Form::Text,
        "The collector's address, such as `https://collector.example.com:4318`.",
    ),
    key(
        "headers",
        Form::Variables,
        "Headers of every request to the collector.",
    ),
];

fn arguments() -> Value {
    let how = json!({ "enum": ["digest", "full", "redacted"] });
    json!({ "anyOf": [how, { "type": "object", "additionalProperties": how }] })
}
