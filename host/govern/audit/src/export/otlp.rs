//! Events as log records of OpenTelemetry: a request of OTLP, as JSON.

use std::time::SystemTime;

use serde_json::{Value, json};

use crate::entry::Entry;
use crate::event::Event;

/// A request of OTLP with these events, each with its line as the body: the JSON of an
/// `ExportLogsServiceRequest`.
pub fn otlp(entries: &[Entry]) -> Value {
    let records: Vec<Value> = entries.iter().map(record).collect();
    let resource = [
        text("service.name", "ampoule"),
        text("service.version", env!("CARGO_PKG_VERSION")),
    ];
    json!({"resourceLogs": [{
        "resource": {"attributes": resource},
        "scopeLogs": [{
            "scope": {"name": "ampoule-audit", "version": env!("CARGO_PKG_VERSION")},
            "logRecords": records,
        }],
    }]})
}

fn record(entry: &Entry) -> Value {
    /// Numbers of severities.
    const INFO: u64 = 9;
    const WARN: u64 = 13;
    let since = entry.at.duration_since(SystemTime::UNIX_EPOCH);
    // Integers of 64 bits are texts.
    let at = since.unwrap_or_default().as_nanos().to_string();
    let (number, severity) = match &entry.event {
        Some(Event::RequestDenied(_) | Event::Gap(_)) => (WARN, "WARN"),
        _ => (INFO, "INFO"),
    };
    let mut attributes = vec![
        text("ampoule.audit.kind", &entry.kind),
        integer("ampoule.audit.lane", u64::from(entry.lane)),
        integer("ampoule.audit.seq", entry.seq),
    ];
    let told = [
        ("ampoule.run.id", entry.run()),
        ("user.name", entry.principal()),
        ("mcp.server.name", entry.tool().map(|(server, _)| server)),
        ("gen_ai.tool.name", entry.tool().map(|(_, tool)| tool)),
        ("ampoule.outcome", entry.outcome()),
    ];
    for (name, value) in told {
        attributes.extend(value.map(|value| text(name, value)));
    }
    json!({
        "timeUnixNano": at,
        "observedTimeUnixNano": at,
        "severityNumber": number,
        "severityText": severity,
        "eventName": format!("ampoule.{}", entry.kind),
        "body": {"stringValue": entry.line},
        "attributes": attributes,
    })
}

fn text(name: &str, value: &str) -> Value {
    json!({"key": name, "value": {"stringValue": value}})
}

fn integer(name: &str, value: u64) -> Value {
    json!({"key": name, "value": {"intValue": value.to_string()}})
}
