//! Keys and values that former versions took, and what to write instead. A file that has one is
//! refused: passed over, it would restrict less than it says.

/// A key, or one value of it, that former versions took.
struct Removed {
    /// What the key of its table begins with, such as `roles.`.
    table: &'static str,
    key: &'static str,
    /// The value that is not taken any more. None: the whole key is not.
    value: Option<&'static str>,
    /// What is said of it.
    instead: &'static str,
}

const REMOVED: [Removed; 6] = [
    Removed {
        table: "roles.",
        key: "rate",
        value: None,
        instead: "unknown key `rate`: a quota counts calls, such as `[quotas.support]` with `group = \"support\"`, `tool = \"crm.*\"` and `calls-per-minute = 30`",
    },
    Removed {
        table: "labels.refuses.",
        key: "then",
        value: Some("redact"),
        instead: "labels deny or ask; `[privacy]` masks personal data on its way to the model, and a policy with `@redact` or `@redact_arguments` takes fields out",
    },
    Removed {
        table: "labels.refuses.",
        key: "fields",
        value: None,
        instead: "unknown key `fields`: `[privacy]` masks personal data on its way to the model, and a policy with `@redact` or `@redact_arguments` takes fields out",
    },
    Removed {
        table: "roles.",
        key: "dry-run",
        value: None,
        instead: "unknown key `dry-run`: `ampoule run --preview`, or `preview = true` in `[approvals]`, tries runs, and `ampoule policy test` tries policies",
    },
    Removed {
        table: "audit.export[",
        key: "to",
        value: Some("syslog"),
        instead: "the audit log goes to syslog no more; write `to = \"otlp\"` for a collector, which can pass it on to syslog, or `to = \"file\"`",
    },
    Removed {
        table: "audit.export[",
        key: "address",
        value: None,
        instead: "unknown key `address`: it was a syslog server's; a collector has an `endpoint`, a file a `path`",
    },
];

/// What is said of a key of a table, if former versions took it.
pub(super) fn key(table: &str, name: &str) -> Option<&'static str> {
    let is_it = |removed: &&Removed| {
        removed.value.is_none() && removed.key == name && table.starts_with(removed.table)
    };
    REMOVED.iter().find(is_it).map(|removed| removed.instead)
}

/// What is said of a value, if former versions took it for this key.
pub(super) fn value(key: &str, value: &str) -> Option<&'static str> {
    let (table, name) = key.rsplit_once('.')?;
    let is_it = |removed: &&Removed| {
        removed.value == Some(value) && removed.key == name && table.starts_with(removed.table)
    };
    REMOVED.iter().find(is_it).map(|removed| removed.instead)
}
