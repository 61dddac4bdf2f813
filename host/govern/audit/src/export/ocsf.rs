//! Events as those of the Open Cybersecurity Schema Framework, 1.8.0 (schema.ocsf.io/1.8.0).
//!
//! Runs, calls and what was decided are API Activity (6003), with the profile Security Control where
//! something was decided; sign-ins are Authentication (3002); what happens to policies, skills,
//! sessions and the configuration is Entity Management (3004). Everything that was recorded is in
//! `unmapped` besides.

use std::net::IpAddr;
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use crate::entry::Entry;
use crate::event::Event;
use crate::outcome::{CallOutcome, Verdict};

const VERSION: &str = "1.8.0";

/// A class of events, and what was done.
struct Class {
    category: u64,
    class: u64,
    name: &'static str,
    activity: u64,
    activity_name: &'static str,
}

const fn api(activity: u64, activity_name: &'static str) -> Class {
    Class {
        category: 6,
        class: 6003,
        name: "API Activity",
        activity,
        activity_name,
    }
}

/// How something ended.
#[derive(Clone, Copy)]
enum Status {
    Unknown,
    Success,
    Failure,
}

/// An event of OCSF.
pub fn ocsf(entry: &Entry) -> Value {
    let class = class(entry);
    let mut event = base(entry, &class);
    match class.class {
        3002 => sign_in(entry, &mut event),
        3004 => entity(entry, &mut event),
        _ => activity(entry, &mut event),
    }
    if let Some((verdict, policy, fingerprint)) = decided(entry) {
        control(verdict, policy, fingerprint, &mut event);
    }
    Value::Object(event)
}

fn class(entry: &Entry) -> Class {
    let entity = |activity, activity_name| Class {
        category: 3,
        class: 3004,
        name: "Entity Management",
        activity,
        activity_name,
    };
    let done = |action: &str| match action {
        "saved" | "forked" | "loaded" => entity(1, "Create"),
        "removed" => entity(4, "Delete"),
        "approved" => entity(8, "Enable"),
        _ => entity(3, "Update"),
    };
    match &entry.event {
        Some(Event::SignIn(it)) => {
            let (activity, activity_name) = match &*it.outcome {
                "signed-out" => (2, "Logoff"),
                "refreshed" => (99, "Other"),
                _ => (1, "Logon"),
            };
            Class {
                category: 3,
                class: 3002,
                name: "Authentication",
                activity,
                activity_name,
            }
        }
        Some(Event::PolicyChanged(_)) => entity(3, "Update"),
        Some(Event::Skill(it)) => done(&it.action),
        Some(Event::Session(it)) => done(&it.action),
        Some(Event::Configuration(it)) => done(&it.outcome),
        Some(Event::RunStarted(_)) => api(1, "Create"),
        // What a tool does, nobody knows: neither reading nor writing is said.
        _ => api(99, "Other"),
    }
}

fn base(entry: &Entry, class: &Class) -> Map<String, Value> {
    let status = status(entry);
    let (status_id, status_name) = match status {
        Status::Unknown => (0, "Unknown"),
        Status::Success => (1, "Success"),
        Status::Failure => (2, "Failure"),
    };
    let (severity_id, severity) = match (&entry.event, status) {
        (Some(Event::RequestDenied(_) | Event::Gap(_)), _) => (3, "Medium"),
        (_, Status::Failure) => (2, "Low"),
        _ => (1, "Informational"),
    };
    let mut metadata = json!({
        "version": VERSION,
        "product": {"name": "Ampoule", "vendor_name": "Ampoule", "version": env!("CARGO_PKG_VERSION")},
        "uid": entry.id(),
        "sequence": entry.seq,
        "log_name": "ampoule-audit",
        "event_code": entry.kind,
        "original_time": humantime::format_rfc3339_millis(entry.at).to_string(),
    });
    if let Some(run) = entry.run() {
        metadata["correlation_uid"] = run.into();
    }
    let event = json!({
        "metadata": metadata,
        "time": milliseconds(entry.at),
        "category_uid": class.category,
        "class_uid": class.class,
        "class_name": class.name,
        "activity_id": class.activity,
        "activity_name": match class.activity { 99 => entry.kind.as_str(), _ => class.activity_name },
        "type_uid": class.class * 100 + class.activity,
        "severity_id": severity_id,
        "severity": severity,
        "status_id": status_id,
        "status": status_name,
        "message": crate::show::human(entry),
        "unmapped": entry.json(),
    });
    let Value::Object(mut event) = event else {
        return Map::new();
    };
    if let Some(detail) = entry.outcome() {
        event.insert("status_detail".to_owned(), detail.into());
    }
    event
}

fn status(entry: &Entry) -> Status {
    match &entry.event {
        Some(Event::CallEnded(it)) => match it.outcome {
            CallOutcome::Answered => Status::Success,
            CallOutcome::Lost | CallOutcome::TimedOut | CallOutcome::Cancelled => Status::Unknown,
            _ => Status::Failure,
        },
        Some(Event::RunEnded(it)) => match &*it.outcome {
            "returned" => Status::Success,
            _ => Status::Failure,
        },
        Some(Event::SignIn(it)) if &*it.outcome == "failed" => Status::Failure,
        Some(Event::Configuration(it)) if &*it.outcome == "failed" => Status::Failure,
        Some(Event::RequestDenied(_) | Event::Gap(_)) => Status::Failure,
        Some(
            Event::SignIn(_)
            | Event::Configuration(_)
            | Event::PolicyChanged(_)
            | Event::Skill(_)
            | Event::Session(_),
        ) => Status::Success,
        _ => Status::Unknown,
    }
}

fn milliseconds(at: SystemTime) -> u64 {
    let since = at
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The principal: the local user has no name.
fn user(entry: &Entry) -> Value {
    let name = entry.principal().unwrap_or("local");
    json!({"name": name, "uid": name})
}

/// The person that did it, where the event names one: an operator acts on what a principal has.
fn doer(entry: &Entry) -> Value {
    let by = match &entry.event {
        Some(Event::Skill(it)) => it.by.as_deref(),
        Some(Event::Session(it)) => it.by.as_deref(),
        _ => None,
    };
    by.map_or_else(|| user(entry), |name| json!({"name": name, "uid": name}))
}

fn activity(entry: &Entry, event: &mut Map<String, Value>) {
    let mut actor = json!({"user": user(entry)});
    let mut source = json!({"name": "ampoule"});
    match &entry.event {
        Some(Event::RunStarted(it)) => {
            if let Some(client) = &it.client {
                actor["app_name"] = client[..].into();
            }
        }
        Some(Event::RequestDenied(it)) => {
            if let Some(client) = &it.client {
                actor["app_name"] = client[..].into();
            }
            let address = it.address.as_deref().unwrap_or_default();
            if address.parse::<IpAddr>().is_ok() {
                source["ip"] = address.into();
            }
        }
        _ => {}
    }
    event.insert("actor".to_owned(), actor);
    event.insert("src_endpoint".to_owned(), source);
    let mut api = json!({"operation": entry.kind});
    if let Some((server, tool)) = entry.tool() {
        api["operation"] = tool.into();
        api["service"] = json!({"name": server});
        event.insert("dst_endpoint".to_owned(), json!({"name": server}));
    }
    if let Some(run) = entry.run() {
        api["request"] = json!({"uid": match call(entry) {
            Some(call) => format!("{run}/{call}"),
            None => run.to_owned(),
        }});
    }
    if let Some(Event::CallEnded(it)) = &entry.event {
        api["response"] = match it.outcome {
            CallOutcome::Answered => json!({"message": it.outcome.name()}),
            _ => json!({"error": it.outcome.name()}),
        };
    }
    event.insert("api".to_owned(), api);
}

fn call(entry: &Entry) -> Option<u64> {
    match entry.event.as_ref()? {
        Event::CallAsked(it) => Some(it.call),
        Event::CallEnded(it) => Some(it.call),
        Event::Decision(it) => it.call,
        Event::Question(it) => it.call,
        _ => None,
    }
}

fn sign_in(entry: &Entry, event: &mut Map<String, Value>) {
    let Some(Event::SignIn(it)) = &entry.event else {
        return;
    };
    event.insert("user".to_owned(), user(entry));
    let server = it.server.as_deref().unwrap_or("ampoule");
    event.insert("service".to_owned(), json!({"name": server}));
    let (id, name) = match it.how.as_deref() {
        Some("oauth") => (6, "OAUTH 2.0"),
        Some("jwt") => (4, "OpenID"),
        Some(_) => (99, "token"),
        None => (0, "Unknown"),
    };
    event.insert("auth_protocol_id".to_owned(), id.into());
    event.insert("auth_protocol".to_owned(), name.into());
    if let Some(reason) = &it.reason {
        event.insert("status_detail".to_owned(), reason[..].into());
    }
}

fn entity(entry: &Entry, event: &mut Map<String, Value>) {
    const OTHER: u64 = 99;
    const POLICY: u64 = 5;
    event.insert("actor".to_owned(), json!({"user": doer(entry)}));
    let entity = match &entry.event {
        Some(Event::PolicyChanged(it)) => {
            let policy = json!({"name": "ampoule", "uid": it.new});
            json!({"name": "ampoule", "uid": it.new, "type": "Policy", "type_id": POLICY, "policy": policy})
        }
        Some(Event::Skill(it)) => {
            let version = it.version.map(|version| version.to_string());
            json!({"name": it.name, "type": "skill", "type_id": OTHER, "version": version.unwrap_or_default()})
        }
        Some(Event::Session(it)) => {
            json!({"name": it.name, "type": "session", "type_id": OTHER})
        }
        Some(Event::Configuration(it)) => {
            let uid = it.fingerprint.as_deref().unwrap_or("unknown");
            json!({"name": "ampoule.toml", "uid": uid, "type": "configuration", "type_id": OTHER})
        }
        _ => return,
    };
    event.insert("entity".to_owned(), entity);
}

/// What was decided, by which rule of which rules.
fn decided(entry: &Entry) -> Option<(Verdict, Option<&str>, Option<&str>)> {
    Some(match entry.event.as_ref()? {
        Event::CallAsked(it) => (it.decision, it.policy.as_deref(), it.fingerprint.as_deref()),
        Event::Decision(it) => (it.decision, it.policy.as_deref(), it.fingerprint.as_deref()),
        Event::RequestDenied(_) => (Verdict::Denied, None, None),
        _ => return None,
    })
}

fn control(
    verdict: Verdict,
    policy: Option<&str>,
    fingerprint: Option<&str>,
    event: &mut Map<String, Value>,
) {
    let (action, action_name, disposition, disposition_name) = match verdict {
        Verdict::Allowed => (1, "Allowed", 1, "Allowed"),
        Verdict::Approved => (1, "Allowed", 8, "Approved"),
        Verdict::Denied => (2, "Denied", 2, "Blocked"),
        Verdict::Asked => (99, "Asked", 23, "Challenge"),
        Verdict::Changed => (4, "Modified", 11, "Corrected"),
        Verdict::Other => (0, "Unknown", 0, "Unknown"),
    };
    let told = json!({"action_id": action, "action": action_name,
        "disposition_id": disposition, "disposition": disposition_name});
    if let Value::Object(told) = told {
        event.extend(told);
    }
    if let Some(policy) = policy {
        let version = fingerprint.unwrap_or("unknown");
        let policy = json!({"uid": policy, "version": version, "is_applied": true});
        event.insert("policy".to_owned(), policy);
    }
    if let Some(metadata) = event.get_mut("metadata") {
        metadata["profiles"] = json!(["security_control"]);
    }
}
