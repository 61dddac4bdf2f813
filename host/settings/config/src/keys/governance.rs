//! The keys of what stands between a grant and a call.

use serde_json::{Value, json};

use super::{Form, Key, key};

/// Those of what a person is asked.
pub(crate) const APPROVALS: &[Key] = &[
    key(
        "ask",
        Form::Own(one_or_more),
        "Before calls of which tools: `destructive`, `outgoing`, `open-world`, or tools such as `github.delete_*`; one of them, or a list.",
    ),
    key(
        "places",
        Form::Own(places),
        "Where: in the client's own `dialogue`, on the `page` of `serve --http`, by the `command-line` (`ampoule approvals`), at the `terminal` of `ampoule run`. None is nowhere: then such calls are denied. Default: all that there are, but `ampoule run` asks at its terminal alone.",
    ),
    key(
        "webhook",
        Form::Table(WEBHOOK),
        "A system of yours that is told of questions, and may answer them.",
    ),
    key(
        "page",
        Form::Own(page),
        "Whether there is a page on which questions are answered: `true`, on this machine, or the address under which browsers reach `serve --http`, such as `https://ampoule.example.com`. Default: false.",
    ),
    key(
        "preview",
        Form::Boolean,
        "Whether runs are tried first, without destructive calls, and what they would do is approved as one. Default: false.",
    ),
    key(
        "expires",
        Form::Quantity,
        "How long an answer may take. Default: `7d`.",
    ),
    key(
        "good",
        Form::Quantity,
        "How long an answer can be used. Default: `7d`.",
    ),
    key(
        "session",
        Form::Quantity,
        "For how long something may be allowed for a session. Default: `30d`.",
    ),
];

/// Those of an operator's system.
pub(crate) const WEBHOOK: &[Key] = &[
    key("url", Form::Text, "Where messages are sent to, by POST."),
    key(
        "secret",
        Form::Own(one_or_more),
        "What they are signed with: `whsec_` and base64 of 24 to 64 bytes, from `${VARIABLE}`; two, while one is replaced.",
    ),
    key(
        "answer-secret",
        Form::Text,
        "What answers are signed with, another one. Without it, the system can't answer.",
    ),
];

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

fn one_or_more() -> Value {
    json!({ "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "type": "string" } },
    ] })
}

fn page() -> Value {
    json!({ "type": ["boolean", "string"] })
}

fn places() -> Value {
    let places = ["dialogue", "page", "command-line", "terminal"];
    json!({ "type": "array", "items": { "enum": places } })
}

fn arguments() -> Value {
    let how = json!({ "enum": ["digest", "full", "redacted"] });
    json!({ "anyOf": [how, { "type": "object", "additionalProperties": how }] })
}
