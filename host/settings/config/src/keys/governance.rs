//! The keys of what stands between a grant and a call.

use serde_json::{Value, json};

use super::{Form, Key, key};

/// Those of a role.
pub(crate) const ROLE: &[Key] = &[
    key(
        "tools",
        Form::Texts,
        "Which may be used: `github`, `github.get_*`, `crm.read`; without those that begin with a `!`.",
    ),
    key(
        "principals",
        Form::Texts,
        "Whose it is, by name; the local user is `local`. Without principals and groups, everybody's.",
    ),
    key(
        "groups",
        Form::Texts,
        "Whose it is, by groups, as the issuer of their tokens says.",
    ),
    key(
        "clients",
        Form::Texts,
        "By which clients, as they name themselves. Default: any.",
    ),
    key(
        "read-only",
        Form::Boolean,
        "Whether only tools that say they change nothing may be used. Default: false.",
    ),
    key(
        "destructive",
        Form::Choice(&["allow", "ask", "deny"]),
        "What of tools that may destroy something, which are all that don't say otherwise. Default: `allow`.",
    ),
    key(
        "rate",
        Form::Text,
        "How often each principal may call its tools, such as `30/minute`. Default: no limit.",
    ),
    key(
        "redact",
        Form::Texts,
        "What is taken out of results, such as `email` or `customers.*.phone`.",
    ),
    key(
        "dry-run",
        Form::Boolean,
        "Whether calls are only tried out, as far as tools can be. Default: false.",
    ),
    key("reason", Form::Text, "What a person is told who is asked."),
];

/// Those of files of Cedar.
pub(crate) const POLICIES: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "The folder whose `*.cedar` hold. Default: `policies` beside this file, if there is one.",
    ),
    key(
        "fallback",
        Form::Choice(&["allow", "deny"]),
        "What holds of what no policy permits. Default: `allow` as long as there is no role and no `permit`, `deny` from the first on.",
    ),
];

/// Those of a quota.
pub(crate) const QUOTA: &[Key] = &[
    key(
        "principal",
        Form::Text,
        "To whom it applies, as a pattern such as `ci-*`. Default: everybody.",
    ),
    key(
        "tool",
        Form::Text,
        "To calls of which tools, such as `mail.*`. Default: all.",
    ),
    key(
        "class",
        Form::Choice(&["read-only", "destructive", "open-world"]),
        "To calls of which class of tools. Default: all.",
    ),
    key(
        "per",
        Form::Choice(&["principal", "tool", "everybody"]),
        "Who has all of it: each principal, each principal for each tool, or all together. Default: `principal`.",
    ),
    key("calls-per-minute", Form::Quantity, "How many calls."),
    key("calls-per-hour", Form::Quantity, "How many calls."),
    key(
        "calls-per-day",
        Form::Quantity,
        "How many calls. Days are those of UTC, and are counted over restarts.",
    ),
    key("runs-per-minute", Form::Quantity, "How many runs."),
    key("runs-per-day", Form::Quantity, "How many runs."),
    key(
        "fuel-per-day",
        Form::Quantity,
        "How much runs compute: about an instruction each.",
    ),
    key(
        "isolate-time-per-day",
        Form::Quantity,
        "How long runs have isolates, such as `1h`.",
    ),
    key(
        "bytes-per-day",
        Form::Quantity,
        "How much calls take along and bring back, such as `1GiB`.",
    ),
];

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

/// Those of what may flow where.
pub(crate) const LABELS: &[Key] = &[
    key(
        "preset",
        Form::Choice(&["untrusted-content"]),
        "`untrusted-content`: what comes from mail, issues, pages and chat is labelled `untrusted`, and after such a read a person is asked before destructive or outgoing calls.",
    ),
    key(
        "gives",
        Form::Own(gives),
        "What tools give what they return: `\"crm.*\" = \"customer-data\"`.",
    ),
    key(
        "refuses",
        Form::Own(refuses),
        "What tools don't take: `\"slack.post\" = \"customer-data\"`. `model` is the model itself.",
    ),
];

/// Those of what something does not take.
pub(crate) const REFUSAL: &[Key] = &[
    key(
        "labels",
        Form::Own(one_or_more),
        "Which labels; a run that has one of them is refused.",
    ),
    key(
        "then",
        Form::Choice(&["deny", "ask", "redact"]),
        "What happens then. Default: `deny`.",
    ),
    key(
        "fields",
        Form::Texts,
        "What is redacted, if that is what happens. Default: everything.",
    ),
    key("reason", Form::Text, "What is told about it."),
];

/// Those of personal data.
pub(crate) const PRIVACY: &[Key] = &[
    key(
        "mode",
        Form::Choice(&["off", "detect", "tokens", "block"]),
        "What is done about personal data on its way to the model: nothing, it is counted, it is replaced by tokens such as `<email:1>`, or it does not go there. Default: `tokens`.",
    ),
    key(
        "kinds",
        Form::Texts,
        "What is looked for: `address`, `card`, `email`, `iban`, `id`, `ip`, `name`, `phone`, `secret`, and the names of patterns. Default: all.",
    ),
    key(
        "patterns",
        Form::Variables,
        "What else is looked for: a name for it, and a regular expression.",
    ),
    key(
        "from",
        Form::Texts,
        "The tools whose data is looked at. Default: all.",
    ),
    key(
        "to",
        Form::Own(receivers),
        "The tools that get the real value where a script passes a token: patterns, or tables with `tools` and `kinds`. Default: all.",
    ),
];

/// Those of tools that get real values.
pub(crate) const RECEIVER: &[Key] = &[
    key("tools", Form::Text, "A pattern of tools."),
    key("kinds", Form::Texts, "What they get. Default: all kinds."),
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

fn gives() -> Value {
    json!({ "type": "object", "additionalProperties": one_or_more() })
}

fn refuses() -> Value {
    let refusal = super::table(REFUSAL);
    json!({ "type": "object", "additionalProperties": { "anyOf": [
        { "type": "string" },
        { "type": "array", "items": { "type": "string" } },
        refusal,
        { "type": "array", "items": refusal },
    ] } })
}

fn receivers() -> Value {
    let receiver = super::table(RECEIVER);
    json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, receiver] } })
}

fn arguments() -> Value {
    let how = json!({ "enum": ["digest", "full", "redacted"] });
    json!({ "anyOf": [how, { "type": "object", "additionalProperties": how }] })
}
