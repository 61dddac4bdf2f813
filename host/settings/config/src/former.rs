//! Keys and values that former versions took, and what to write instead. A file that has one is
//! refused: passed over, it would restrict less than it says.

/// Keys that were renamed, each with the key of today.
const RENAMED: [(&str, &str); 11] = [
    ("approvals.good", "approvals.valid-for"),
    ("audit.keep", "audit.age"),
    ("records.size", "records.bytes"),
    ("sessions.bytes", "sessions.each"),
    ("skills.bytes", "skills.each"),
    ("workspace.files", "workspace.most"),
    ("runs.parked", "runs.parked.all.most"),
    ("runs.parked-each", "runs.parked.most"),
    ("runs.parked-bytes", "runs.parked.each"),
    ("runs.parked-all-bytes", "runs.parked.all.bytes"),
    ("runs.parked-age", "runs.parked.age"),
];

/// A key, or one value of it, that former versions took.
struct RemovedKey {
    /// What the key of its table begins with, such as `roles.`.
    table: &'static str,
    key: &'static str,
    /// The value that is not taken any more. None: the whole key is not.
    value: Option<&'static str>,
    /// What is said of it.
    instead: &'static str,
}

const REMOVED: [RemovedKey; 6] = [
    RemovedKey {
        table: "roles.",
        key: "rate",
        value: None,
        instead: "unknown key `rate`: a quota counts calls, such as `[quotas.support]` with `group = \"support\"`, `tool = \"crm.*\"` and `calls-per-minute = 30`",
    },
    RemovedKey {
        table: "labels.refuses.",
        key: "then",
        value: Some("redact"),
        instead: "this must be `deny` or `ask`; `[privacy]` masks personal data on its way to the model, and a policy with `@redact` or `@redact_arguments` takes fields out",
    },
    RemovedKey {
        table: "labels.refuses.",
        key: "fields",
        value: None,
        instead: "unknown key `fields`: `[privacy]` masks personal data on its way to the model, and a policy with `@redact` or `@redact_arguments` takes fields out",
    },
    RemovedKey {
        table: "roles.",
        key: "dry-run",
        value: None,
        instead: "unknown key `dry-run`: to try runs out, use `ampoule run --preview` or `preview = true` in `[approvals]`; to try policies out, `ampoule policy test`",
    },
    RemovedKey {
        table: "audit.export[",
        key: "to",
        value: Some("syslog"),
        instead: "syslog is not a target any more; write `to = \"otlp\"` for a collector, which can pass the log on to syslog, or `to = \"file\"`",
    },
    RemovedKey {
        table: "audit.export[",
        key: "address",
        value: None,
        instead: "unknown key `address`: it was a syslog server's; a collector has an `endpoint`, a file a `path`",
    },
];

/// What is said of a key, if former versions took it.
pub(super) fn key(key: &str) -> Option<String> {
    if let Some((former, today)) = RENAMED.into_iter().find(|(former, _)| *former == key) {
        return Some(format!("the key `{former}` is now `{today}`"));
    }
    removed(key, None)
}

/// What is said of a value of a key, if former versions took it.
pub(super) fn value(key: &str, value: &str) -> Option<String> {
    removed(key, Some(value))
}

fn removed(key: &str, value: Option<&str>) -> Option<String> {
    let (table, name) = key.rsplit_once('.')?;
    let is_it = |removed: &&RemovedKey| {
        removed.value == value && removed.key == name && table.starts_with(removed.table)
    };
    let removed = REMOVED.iter().find(is_it)?;
    Some(removed.instead.to_owned())
}
