//! The keys of `ampoule.toml`: what the reader knows, and what the JSON Schema says, are one table.
//!
//! - `servers`, `kept`, `serve`: those of its larger tables; `derived`: those of
//!   tables that other crates define

use ampoule_limits::Limit;
use serde_json::{Map, Value, json};

mod derived;
pub(super) mod kept;
pub(super) mod serve;
pub(super) mod servers;

use kept::{FOLDER, RECORDS, RUNS, SESSIONS, SKILLS, WORKSPACE};
use serve::{SERVE, TELEMETRY};
use servers::{SERVER, TLS, TOOLS};

/// A key, and what it has.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    form: Form,
    about: &'static str,
}

/// What a key has.
#[derive(Debug)]
enum Form {
    Text,
    Texts,
    Boolean,
    /// A whole number, or a text with a unit.
    Quantity,
    Choice(&'static [&'static str]),
    /// Any names, each with a text.
    Variables,
    Table(&'static [Key]),
    /// Any names, each with a table of these keys.
    Tables(&'static [Key]),
    Limits,
    /// A table whose owner derives its schema, and so says what it is about.
    Derived(fn() -> Value),
    /// Any names, each with such a table.
    DerivedTables(fn() -> Value),
}

const fn key(name: &'static str, form: Form, about: &'static str) -> Key {
    Key { name, form, about }
}

/// Those of the file.
pub(super) const FILE: &[Key] = &[
    key(
        "isolates",
        Form::Quantity,
        "How many isolates may be alive at once.",
    ),
    key(
        "slot-wait",
        Form::Quantity,
        "How long a run waits for its place among them, such as `5s`.",
    ),
    key(
        "import",
        Form::Texts,
        "Clients whose servers are used too, by name (`cursor`), or paths to such files. The first that has a server's name counts.",
    ),
    key(
        "servers",
        Form::Tables(SERVER),
        "MCP servers, by the name that scripts use.",
    ),
    key(
        "tls",
        Form::Table(TLS),
        "How servers behind https:// are told to be who they say, where their own `tls` says nothing else.",
    ),
    key(
        "limits",
        Form::Limits,
        "What a run gets if it does not ask for less or more.",
    ),
    key("ceilings", Form::Limits, "The most that a run may ask for."),
    key(
        "components",
        Form::Table(COMPONENTS),
        "Components that clients of `ampoule serve` may run.",
    ),
    key(
        "sessions",
        Form::Table(SESSIONS),
        "What is kept of sessions, for each principal.",
    ),
    key(
        "records",
        Form::Table(RECORDS),
        "Which runs leave a record, by which `ampoule runs replay` runs them again.",
    ),
    key(
        "skills",
        Form::Table(SKILLS),
        "Code that scripts save for later ones. Without this table, there is none.",
    ),
    key(
        "outbound",
        Form::Derived(derived::schema::<ampoule_outbound::Settings>),
        "",
    ),
    key(
        "roles",
        Form::Derived(derived::schema::<ampoule_policy::Roles>),
        "",
    ),
    key(
        "policies",
        Form::Derived(derived::schema::<ampoule_policy::PolicySettings>),
        "",
    ),
    key(
        "quotas",
        Form::DerivedTables(derived::schema::<ampoule_quota::Rule>),
        "How often, and how much, by name. A call needs room in each that applies to it.",
    ),
    key(
        "approvals",
        Form::Derived(derived::schema::<ampoule_approvals::Settings>),
        "",
    ),
    key(
        "labels",
        Form::Derived(derived::schema::<ampoule_policy::Labels>),
        "",
    ),
    key(
        "privacy",
        Form::Derived(derived::schema::<ampoule_privacy::Settings>),
        "",
    ),
    key(
        "audit",
        Form::Derived(derived::schema::<ampoule_audit::AuditConfig>),
        "",
    ),
    key(
        "workspace",
        Form::Table(WORKSPACE),
        "Files that outlive runs. Without this table, runs have none.",
    ),
    key(
        "folders",
        Form::Tables(FOLDER),
        "Folders that runs see, each as `/folders/` and its name.",
    ),
    key(
        "telemetry",
        Form::Table(TELEMETRY),
        "Where `ampoule serve` sends traces, by OTLP over HTTP. OpenTelemetry's own variables, such as OTEL_EXPORTER_OTLP_ENDPOINT, count before it.",
    ),
    key(
        "runs",
        Form::Table(RUNS),
        "What becomes of runs that wait for long.",
    ),
    key(
        "serve",
        Form::Table(SERVE),
        "How `ampoule serve --http` is reached, and by whom.",
    ),
];

const COMPONENTS: &[Key] = &[
    key("sent", Form::Boolean, "Those that clients send."),
    key(
        "folder",
        Form::Text,
        "Those in this folder, by their paths in it.",
    ),
];

/// The keys that this one's table has.
pub(super) fn of(name: &str) -> &'static [Key] {
    let all = FILE.iter().chain(SERVER).chain(TOOLS);
    let mut named = all.filter(|key| key.name == name);
    named
        .find_map(|key| match key.form {
            Form::Table(keys) | Form::Tables(keys) => Some(keys),
            _ => None,
        })
        .unwrap_or_default()
}

/// Those of limits and ceilings.
pub(super) fn of_limits() -> Vec<Key> {
    Limit::ALL
        .map(|limit| key(limit.name(), Form::Quantity, ""))
        .into()
}

/// The JSON Schema of `ampoule.toml`.
pub fn schema() -> Value {
    let mut schema = table(FILE);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!(super::FILE_NAME);
    schema
}

fn table(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| (key.name.to_owned(), key.schema()))
        .collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

impl Key {
    fn schema(&self) -> Value {
        let mut schema = match self.form {
            Form::Text => json!({ "type": "string" }),
            Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Form::Boolean => json!({ "type": "boolean" }),
            Form::Quantity => json!({ "type": ["integer", "string"] }),
            Form::Choice(choices) => json!({ "enum": choices }),
            Form::Variables => {
                json!({ "type": "object", "additionalProperties": { "type": "string" } })
            }
            Form::Table(keys) => table(keys),
            Form::Tables(keys) => json!({ "type": "object", "additionalProperties": table(keys) }),
            Form::Limits => table(&of_limits()),
            Form::Derived(schema) => schema(),
            Form::DerivedTables(schema) => {
                json!({ "type": "object", "additionalProperties": schema() })
            }
        };
        if !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        schema
    }
}
