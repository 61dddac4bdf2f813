//! The keys of `ampoule.toml`: what the reader knows, and what the JSON Schema says, are one table.

use ampoule_limits::Limit;
use serde_json::{Map, Value, json};

pub(super) mod governance;

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
    /// Several tables of these keys.
    List(&'static [Key]),
    /// Any names, each with a table of these keys.
    Tables(&'static [Key]),
    Limits,
    /// What its JSON Schema says.
    Own(fn() -> Value),
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
        "Which runs leave a record, by which `ampoule replay` runs them again.",
    ),
    key(
        "skills",
        Form::Table(SKILLS),
        "Code that scripts save for later ones. Without this table, there is none.",
    ),
    key(
        "outbound",
        Form::Table(OUTBOUND),
        "HTTP requests that scripts may have made, by `fetch` or `urllib.request`. Without this table, they have no network.",
    ),
    key(
        "roles",
        Form::Tables(governance::ROLE),
        "Who may use which tools, by name. From the first on, what no role and no policy permits is denied.",
    ),
    key(
        "policies",
        Form::Table(governance::POLICIES),
        "Policies of Cedar, for what roles can't say.",
    ),
    key(
        "quotas",
        Form::Tables(governance::QUOTA),
        "How often, and how much, by name. A call needs room in each that applies to it.",
    ),
    key(
        "approvals",
        Form::Table(governance::APPROVALS),
        "Before which calls a person is asked, and where.",
    ),
    key(
        "labels",
        Form::Table(governance::LABELS),
        "What may flow where: what runs have read, and what takes nothing of it.",
    ),
    key(
        "privacy",
        Form::Table(governance::PRIVACY),
        "Personal data on its way to the model.",
    ),
    key(
        "audit",
        Form::Table(governance::AUDIT),
        "The record of everything that is done. Without this table, there is none.",
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

/// Those of what is kept of runs.
const RECORDS: &[Key] = &[
    key(
        "keep",
        Form::Choice(&["all", "failures", "none"]),
        "Which runs leave one: `all`, `failures` (those that did not return), `none`. Default: `none`.",
    ),
    key(
        "age",
        Form::Quantity,
        "How long a record is kept. Default: `7d`.",
    ),
    key(
        "size",
        Form::Quantity,
        "How much the records of one principal may take; the oldest go first. Default: `1GiB`.",
    ),
    key(
        "each",
        Form::Quantity,
        "How large one record may be; a run that needs more leaves none. Default: `64MiB`.",
    ),
];

/// Those of runs that wait for long.
const RUNS: &[Key] = &[
    key(
        "park",
        Form::Boolean,
        "Whether scripts that wait for long are parked: kept on disk, without an isolate, until they go on. Default: true.",
    ),
    key(
        "park-after",
        Form::Quantity,
        "How long one waits until it is parked. At least `10ms`. Default: `10s`.",
    ),
    key(
        "parked",
        Form::Quantity,
        "How many may be parked. Default: 20000.",
    ),
    key(
        "parked-each",
        Form::Quantity,
        "How many of one principal. Default: 10000.",
    ),
    key(
        "parked-bytes",
        Form::Quantity,
        "How much one of them may take on disk. Default: `16 MiB`.",
    ),
    key(
        "parked-all-bytes",
        Form::Quantity,
        "How much all of them may take. Default: `4 GiB`.",
    ),
    key(
        "parked-age",
        Form::Quantity,
        "How long one is kept that no process goes on with, or whose end nobody asked for. Default: `7 days`.",
    ),
];

/// Those of who may use it.
pub(super) const ACCESS: &[Key] = &[
    key(
        "tokens",
        Form::Text,
        "A file with the digests of tokens, each a principal's; `ampoule token new` adds one.",
    ),
    key(
        "tokens-command",
        Form::Texts,
        "A command and its arguments, which prints such a list, once a minute.",
    ),
    key(
        "issuer",
        Form::Text,
        "A company's OAuth issuer, exactly as it names itself, whose signed tokens are taken.",
    ),
    key(
        "audience",
        Form::Text,
        "Whom the issuer's tokens must be for, such as `https://ampoule.example.com/mcp`.",
    ),
    key(
        "resource",
        Form::Text,
        "The address at which clients reach this server. Default: `audience`.",
    ),
    key(
        "scopes",
        Form::Texts,
        "What the issuer's tokens must allow, all of it.",
    ),
    key(
        "principal-claim",
        Form::Text,
        "The claim that names the principal. Default: `sub`.",
    ),
    key(
        "groups-claim",
        Form::Text,
        "The claim that names the groups that they are in, which roles and policies may name. Default: `groups`.",
    ),
    key(
        "tls",
        Form::Table(TLS),
        "How the issuer is told to be who it says.",
    ),
];

/// Those of a server.
pub(super) const SERVER: &[Key] = &[
    key(
        "command",
        Form::Text,
        "The program that is the server: a name that is looked up in PATH, or a path.",
    ),
    key("args", Form::Texts, "Its arguments."),
    key("env", Form::Variables, "Variables for this server alone."),
    key("cwd", Form::Text, "The folder that it starts in."),
    key(
        "url",
        Form::Text,
        "The address of a server that is reached by HTTP, instead of `command`.",
    ),
    key(
        "transport",
        Form::Choice(&["auto", "http", "sse"]),
        "How it is reached: by streamable HTTP, by the old HTTP+SSE, or by whichever of them it speaks. Default: `auto`.",
    ),
    key(
        "headers",
        Form::Variables,
        "Headers of every request to it.",
    ),
    key(
        "headers-command",
        Form::Texts,
        "A command and its arguments, which prints further headers as a JSON object.",
    ),
    key(
        "auth",
        Form::Table(AUTH),
        "How Ampoule signs in to it, where what the server itself says is not enough.",
    ),
    key("tls", Form::Table(TLS), "How it is told to be who it says."),
    key(
        "call-timeout",
        Form::Quantity,
        "How long one call may take, such as `5min`.",
    ),
    key(
        "start-timeout",
        Form::Quantity,
        "How long it may show no life while it starts, such as `30s`.",
    ),
    key(
        "idle-timeout",
        Form::Quantity,
        "How long it is kept when nobody calls it, such as `10min`.",
    ),
    key(
        "concurrency",
        Form::Quantity,
        "How many calls it gets at once.",
    ),
    key(
        "rate",
        Form::Text,
        "How many calls it gets in a time, such as `10/s` or `300/min`.",
    ),
    key(
        "tools",
        Form::Table(TOOLS),
        "Which of its tools there are. For scripts, the others do not exist.",
    ),
    key(
        "roots",
        Form::Texts,
        "Folders that the server is told it may work in.",
    ),
    key(
        "disabled",
        Form::Boolean,
        "Whether it is switched off; so is one of this name that is imported.",
    ),
];

const TOOLS: &[Key] = &[
    key(
        "allow",
        Form::Texts,
        "Tools by name, or patterns such as `get_*`. Default: all.",
    ),
    key(
        "deny",
        Form::Texts,
        "Those that there are not, whatever `allow` says.",
    ),
    key(
        "hints",
        Form::Table(HINTS),
        "What tools must say of themselves. One that says nothing may destroy things, is not read-only or idempotent, and reaches beyond the server's own world.",
    ),
];

const HINTS: &[Key] = &[
    key("read-only", Form::Boolean, "Whether it changes nothing."),
    key(
        "destructive",
        Form::Boolean,
        "Whether it may destroy something.",
    ),
    key(
        "idempotent",
        Form::Boolean,
        "Whether calling it twice changes no more than calling it once.",
    ),
    key(
        "open-world",
        Form::Boolean,
        "Whether it reaches beyond the server's own world, such as the web.",
    ),
];

const AUTH: &[Key] = &[
    key(
        "client-id",
        Form::Text,
        "The client that was registered with the server's sign-in beforehand.",
    ),
    key("client-secret", Form::Text, "Its secret."),
    key(
        "client-metadata",
        Form::Text,
        "The https:// address of a document about the client, which names it where sign-ins take such.",
    ),
    key(
        "scopes",
        Form::Texts,
        "What is asked for, where the server does not say it.",
    ),
    key(
        "private-key",
        Form::Text,
        "A file in PEM with the key that signs for the client, instead of a secret.",
    ),
    key(
        "grant",
        Form::Choice(&["authorization-code", "client-credentials"]),
        "Whether a person signs in, or a machine does. Default: `authorization-code`.",
    ),
    key(
        "callback-port",
        Form::Quantity,
        "The port on this machine that the sign-in comes back to.",
    ),
];

const TLS: &[Key] = &[
    key(
        "authority",
        Form::Text,
        "A file in PEM with certificates that are trusted beside the system's.",
    ),
    key(
        "certificate",
        Form::Text,
        "A file in PEM with the certificate that Ampoule shows.",
    ),
    key(
        "key",
        Form::Text,
        "A file in PEM with that certificate's key.",
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

const SESSIONS: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where they are. Default: `ampoule/sessions` in the user's folder of data.",
    ),
    key(
        "bytes",
        Form::Quantity,
        "How much what one run leaves may take. Default: `16MiB`.",
    ),
    key(
        "runs",
        Form::Quantity,
        "How many runs of a session are kept, to go back to. Default: 10.",
    ),
    key(
        "most",
        Form::Quantity,
        "How many sessions a principal may have; the oldest go. Default: 1000.",
    ),
    key(
        "age",
        Form::Quantity,
        "After how long without a run a session goes. Default: `30d`.",
    ),
];

const SKILLS: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where those are that scripts save. Default: `ampoule/skills` in the user's folder of data.",
    ),
    key(
        "folders",
        Form::Texts,
        "Folders with skills of your own, each a folder with a `SKILL.md`.",
    ),
    key(
        "save",
        Form::Boolean,
        "Whether scripts may save some. Default: true.",
    ),
    key(
        "bytes",
        Form::Quantity,
        "How large a skill may be. Default: `256KiB`.",
    ),
    key(
        "most",
        Form::Quantity,
        "How many skills a principal may have. Default: 256.",
    ),
    key(
        "versions",
        Form::Quantity,
        "How many versions of each are kept; the oldest go. Default: 20.",
    ),
];

const OUTBOUND: &[Key] = &[
    key(
        "allow",
        Form::List(OUTBOUND_ALLOW),
        "Requests that are made; of several rules that mean one, the first counts.",
    ),
    key(
        "deny",
        Form::List(OUTBOUND_DENY),
        "Requests that are not made even where a rule allows them.",
    ),
    key(
        "timeout",
        Form::Quantity,
        "How long a request may take, redirects and all of its response included. Default: `30s`.",
    ),
    key(
        "request",
        Form::Quantity,
        "How large a request's body may be. Default: `4MiB`.",
    ),
    key(
        "response",
        Form::Quantity,
        "How large a response's body may be, before and after it is decompressed. Default: `8MiB`.",
    ),
    key(
        "concurrency",
        Form::Quantity,
        "How many requests may be under way at once, of all runs together; further ones wait. Default: 64.",
    ),
    key(
        "proxy",
        Form::Boolean,
        "Whether the environment's proxies are used. They look names up themselves, so keeping requests out of private networks is theirs then. Default: false.",
    ),
];

/// Those of one of `outbound.allow`.
pub(super) const OUTBOUND_ALLOW: &[Key] = &[
    HOSTS,
    key(
        "methods",
        Form::Texts,
        "With which methods; `*` is any. Default: `GET` and `HEAD`.",
    ),
    PATHS,
    key(
        "headers",
        Form::Variables,
        "Headers that the host adds, such as a token from `${VARIABLE}`. Scripts never see them.",
    ),
    key(
        "private",
        Form::Boolean,
        "Whether the hosts may be in a private network, such as this machine itself. Default: false.",
    ),
];

/// Those of one of `outbound.deny`.
pub(super) const OUTBOUND_DENY: &[Key] = &[
    HOSTS,
    key("methods", Form::Texts, "With which methods. Default: any."),
    PATHS,
];

const HOSTS: Key = key(
    "hosts",
    Form::Texts,
    "To whom: `api.example.com`, `*.example.com`, `*`, with another scheme or port where that is meant: `http://example.com:8080`.",
);

const PATHS: Key = key(
    "paths",
    Form::Texts,
    "With which paths: `/v1/items`, or `/v1/*`, where each `*` stands for any text. Default: any.",
);

const WORKSPACE: &[Key] = &[
    key(
        "folder",
        Form::Text,
        "Where they are: in it, a folder for each principal. Default: `workspaces` in the user's folder of data.",
    ),
    key(
        "shared",
        Form::Boolean,
        "Whether all principals have the same files: then they lie in `folder` itself.",
    ),
    key(
        "bytes",
        Form::Quantity,
        "How much each workspace may hold, such as `1GiB`. Default: `256MiB`.",
    ),
    key(
        "files",
        Form::Quantity,
        "How many files and folders each may hold. Default: 10,000.",
    ),
];

/// Those of a folder.
pub(super) const FOLDER: &[Key] = &[
    key("path", Form::Text, "Where it is."),
    key(
        "writable",
        Form::Boolean,
        "Whether runs may change what is in it. Default: they read it.",
    ),
];

const TELEMETRY: &[Key] = &[
    key(
        "endpoint",
        Form::Text,
        "The address of the collector, such as `http://localhost:4318`. Without one, nothing is sent.",
    ),
    key(
        "headers",
        Form::Variables,
        "Headers of every request to it.",
    ),
    key(
        "service-name",
        Form::Text,
        "What this process is called there. Default: `ampoule`.",
    ),
    key(
        "sample",
        Form::Text,
        "Which part of the traces that begin here is sent, such as `10%`. Default: all.",
    ),
];

/// Those of the server.
pub(super) const SERVE: &[Key] = &[
    key(
        "auth",
        Form::Table(ACCESS),
        "Who may use it. Tokens are looked for first, then what an issuer signed.",
    ),
    key(
        "hosts",
        Form::Texts,
        "Names that it is reached by, such as `mcp.example.com`, beside those of this machine.",
    ),
    key(
        "origins",
        Form::Texts,
        "Pages that may use it, such as `https://chat.example.com`, beside those of this machine.",
    ),
    key(
        "tls-cert",
        Form::Text,
        "A file in PEM with the certificate that it serves with. Read again when it changes.",
    ),
    key(
        "tls-key",
        Form::Text,
        "A file in PEM with that certificate's key.",
    ),
    key(
        "connections",
        Form::Quantity,
        "How many connections there may be. Default: 8192.",
    ),
    key(
        "connections-each",
        Form::Quantity,
        "How many connections of one address; those of this machine are not counted. Default: 256.",
    ),
    key(
        "requests-each",
        Form::Quantity,
        "How many requests of one principal may be under way. Default: 256.",
    ),
    key(
        "sessions",
        Form::Quantity,
        "How many sessions there may be. Default: 16384.",
    ),
    key(
        "sessions-each",
        Form::Quantity,
        "How many sessions one principal may have; above that, the one unused for longest ends. Default: 8192.",
    ),
    key(
        "session-idle",
        Form::Quantity,
        "How long a session is kept that nobody uses. Default: `1h`.",
    ),
    key(
        "stop-grace",
        Form::Quantity,
        "How long runs may go on once the server is told to stop. Default: `10s`.",
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
            Form::List(keys) => json!({ "type": "array", "items": table(keys) }),
            Form::Tables(keys) => json!({ "type": "object", "additionalProperties": table(keys) }),
            Form::Limits => table(&of_limits()),
            Form::Own(schema) => schema(),
        };
        if !self.about.is_empty() {
            schema["description"] = json!(self.about);
        }
        schema
    }
}
