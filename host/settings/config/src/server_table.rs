//! The table of a server: each is read by itself, so that what is wrong with one disables it alone.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_fields::{Quantity, SealedText};
use ampoule_network::Tls;
use schemars::JsonSchema;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Deserializer};

use super::accounts::{self, AccountTable};
use super::api::{self, Api};
use super::command::Command;
use super::error::{ConfigError, Mistakes};
use super::expand::Surroundings;
use super::graphql::{self, Graphql};
use super::read::{Entry, Table};
use super::remote::{self, Auth, Remote, Transport};
use super::rules::ToolRules;
use super::server::{Rate, Reach, ServerConfig, check_name};
use super::{typed, written};

/// An MCP server: a program, or one that is reached by HTTP. Or an HTTP API, by its OpenAPI document
/// or with GraphQL.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ServerTable {
    /// The program that is the server: a name that is looked up in PATH, or a path.
    #[serde(deserialize_with = "ampoule_fields::program")]
    #[schemars(with = "String")]
    command: String,
    /// Its arguments.
    // Read once `env` is known.
    #[schemars(with = "Vec<String>")]
    args: IgnoredAny,
    /// Variables for this server alone.
    #[serde(deserialize_with = "ampoule_fields::variables")]
    env: BTreeMap<String, String>,
    /// The folder that it starts in.
    #[serde(deserialize_with = "ampoule_fields::path")]
    cwd: Option<PathBuf>,
    /// The address of a server that is reached by HTTP, instead of `command`.
    #[serde(deserialize_with = "remote::address")]
    url: String,
    /// How it is reached: by streamable HTTP, by the old HTTP+SSE, or by whichever of them it speaks.
    /// Default: `auto`.
    transport: Transport,
    /// An OpenAPI document that describes an HTTP API, instead of `command` or `url`: a file, or an
    /// address. Each of its operations is a tool.
    #[serde(deserialize_with = "api::document")]
    openapi: String,
    /// The address of a GraphQL API, instead of `command`, `url` or `openapi`. Each of its queries and
    /// mutations is a tool. With `base-url`, this is the schema: a file in GraphQL's own language or
    /// the JSON of an introspection, or the address of one.
    #[serde(deserialize_with = "api::document")]
    graphql: String,
    /// Whether scripts may send whole GraphQL documents as well, with the tools `graphql_query` and
    /// `graphql_mutation`. A document can call every operation. Default: `false`.
    documents: bool,
    /// The address below which the API's paths are. Default: as the document says. Of a GraphQL API
    /// whose schema is in a file: its address.
    #[serde(deserialize_with = "api::address")]
    #[schemars(with = "String")]
    base_url: Option<String>,
    /// Which of the document's servers is meant, by its description, its address or its number from 1.
    /// Default: the first.
    server: Option<String>,
    /// Values for the variables in that server's address.
    server_variables: BTreeMap<String, String>,
    /// What the security schemes of the document want, by their names: a key, a token, or
    /// `user:password`. For a GraphQL API: a token as `bearer`, or `user:password` as `basic`.
    #[serde(deserialize_with = "api::credentials")]
    credentials: BTreeMap<String, String>,
    /// Headers of every request to it.
    #[serde(deserialize_with = "ampoule_fields::sealed_headers")]
    headers: BTreeMap<String, String>,
    /// A command and its arguments, which prints further headers as a JSON object.
    #[serde(deserialize_with = "ampoule_fields::command")]
    headers_command: Vec<String>,
    auth: Auth,
    /// How the server proves who it is, where that is not as `[tls]` says.
    tls: Option<Tls>,
    /// How long one call may take, such as `5min`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    call_timeout: Option<Duration>,
    /// How long it may be silent while it starts, such as `30s`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    start_timeout: Option<Duration>,
    /// How long it is kept when nobody calls it, such as `10min`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    idle_timeout: Option<Duration>,
    /// How many calls it gets at once.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    concurrency: Option<NonZeroU32>,
    /// How many calls it gets in a time, such as `10/s` or `300/min`.
    #[serde(deserialize_with = "rate")]
    #[schemars(with = "String")]
    rate: Option<Rate>,
    tools: ToolRules,
    /// Folders that the server is told it may work in (roots). Default: those of the client that calls
    /// it, for servers of MCP 2026-07-28.
    #[serde(deserialize_with = "ampoule_fields::paths")]
    roots: Vec<PathBuf>,
    /// Whether it is switched off. An imported server of this name is switched off, too.
    disabled: bool,
    /// Accounts of the server, by the names that scripts use: `tools.jira.as("work")`. Each has what
    /// differs from the rest of this table.
    // Each is read by itself.
    #[schemars(with = "BTreeMap<String, AccountTable>")]
    accounts: IgnoredAny,
    /// The account of scripts that name none. Default: none, unless a run may use one alone.
    account: Option<String>,
}

/// A server's entry, as it is read.
#[derive(Debug)]
pub(super) enum Read {
    Sound(Box<ServerConfig>),
    /// `disabled = true`.
    Off,
}

/// Servers by their names, each sound, switched off, or faulty.
pub(super) type Servers = BTreeMap<String, Result<Read, ConfigError>>;

pub(super) fn servers(table: &Table<'_>, tls: &Tls, around: Surroundings<'_>) -> Servers {
    let mut servers = Servers::new();
    for (name, place, entry) in table.entries() {
        let mut mistakes = Mistakes::default();
        if let Err(message) = check_name(name) {
            mistakes.add(entry.refuse_at(place, message));
            let read = mistakes.unless(server(&entry, tls, around));
            let read = mistakes.none().map(|()| read.unwrap_or(Read::Off));
            servers.insert(name.to_owned(), read);
            continue;
        }
        servers.extend(accounts::servers(name, &entry, tls, around));
    }
    servers
}

/// Reads an entry. `tls` is for those that say nothing else.
pub(super) fn server(
    entry: &Entry<'_>,
    tls: &Tls,
    around: Surroundings<'_>,
) -> Result<Read, ConfigError> {
    let table = entry.table()?;
    let mut read = typed::read::<ServerTable>(entry, around);
    for of_accounts in ["accounts", "account"]
        .iter()
        .filter_map(|key| table.get(key))
    {
        let told = "a server in `ampoule.toml` has `accounts`, and `account` names one of them";
        read.mistakes.add(of_accounts.refuse(told));
    }
    let server = read.value.take().unwrap_or_default();
    let off = server.disabled;
    let kinds = ["command", "url", "openapi", "graphql"].map(|key| table.get(key));
    let reach = match kinds {
        // What only says that it is off need not say what it is; what is misspelt is told already.
        [None, None, None, None] if off || read.has_unknown_keys => None,
        [None, None, None, None] => {
            read.mistakes.add(table.refuse(
                "`command` is missing, or `url` for a server that is reached by HTTP, or `openapi` or `graphql` for an HTTP API",
            ));
            None
        }
        [Some(_), None, None, None] => {
            let mine = only_for(&table, &REMOTE_KEYS, "a server with a `url`")
                .and_then(|()| only_for(&table, &API_KEYS, "a server with `openapi` or `graphql`"));
            read.mistakes.unless(mine);
            let args = table
                .get("args")
                .map(|args| arguments(&args, &server.env, around));
            let mut command = Command {
                program: server.command.into(),
                args: Vec::new(),
                env: server.env,
                cwd: server.cwd,
                variables: read.variables,
            };
            if let Some(args) = args {
                read.mistakes.take(args.mistakes);
                let words = args.value.unwrap_or_default().into_iter();
                command.args = words.map(|SealedText(word)| word).collect();
                command.variables.extend(args.variables);
            }
            Some(Reach::Process(command))
        }
        [None, Some(_), None, None] => {
            let mine = only_for(&table, &PROCESS_KEYS, "a server with a `command`")
                .and_then(|()| only_for(&table, &API_KEYS, "a server with `openapi` or `graphql`"));
            read.mistakes.unless(mine);
            read.mistakes.unless(remote::check(&table, &server.auth));
            Some(Reach::Remote(Remote {
                url: server.url,
                transport: server.transport,
                headers: server.headers,
                headers_command: server.headers_command,
                auth: server.auth,
                tls: server.tls.unwrap_or_else(|| tls.clone()),
                variables: read.variables,
            }))
        }
        [None, None, Some(_), None] => {
            let mine = only_for(&table, &PROCESS_KEYS, "a server with a `command`")
                .and_then(|()| only_for(&table, &MCP_KEYS, "an MCP server"))
                .and_then(|()| only_for(&table, &["documents"], "a server with `graphql`"));
            read.mistakes.unless(mine);
            read.mistakes.unless(api::check(&table, &server.auth));
            let auth = table.get("auth").map(|_| server.auth);
            Some(Reach::Api(Api {
                auth,
                document: server.openapi,
                base_url: server.base_url,
                server: server.server,
                server_variables: server.server_variables,
                headers: server.headers,
                credentials: server.credentials,
                tls: server.tls.unwrap_or_else(|| tls.clone()),
                variables: read.variables,
            }))
        }
        [None, None, None, Some(_)] => {
            let mine = only_for(&table, &PROCESS_KEYS, "a server with a `command`")
                .and_then(|()| only_for(&table, &MCP_KEYS, "an MCP server"))
                .and_then(|()| only_for(&table, &OPENAPI_KEYS, "a server with `openapi`"));
            read.mistakes.unless(mine);
            let checked = graphql::check(&table, &server.auth, &server.graphql, server.documents);
            read.mistakes.unless(checked);
            let auth = table.get("auth").map(|_| server.auth);
            let (endpoint, schema) = match server.base_url {
                Some(endpoint) => (endpoint, Some(server.graphql)),
                None => (server.graphql, None),
            };
            Some(Reach::Graphql(Graphql {
                auth,
                endpoint,
                schema,
                documents: server.documents,
                headers: server.headers,
                credentials: server.credentials,
                tls: server.tls.unwrap_or_else(|| tls.clone()),
                variables: read.variables,
            }))
        }
        kinds => {
            let several = match kinds {
                [Some(_), Some(_), None, None] => {
                    "a server has a `command` or a `url`, not both; remove one"
                }
                _ => {
                    "a server has a `command`, a `url`, `openapi` or `graphql`; remove what is not meant"
                }
            };
            let last = kinds.into_iter().flatten().next_back();
            read.mistakes.unless(match last {
                Some(last) => Err(last.refuse(several)),
                None => Ok(()),
            });
            None
        }
    };
    read.mistakes.none()?;
    Ok(match reach {
        Some(reach) if !off => Read::Sound(Box::new(ServerConfig {
            written: written::of(&table),
            reach,
            call_timeout: server.call_timeout,
            start_timeout: server.start_timeout,
            idle_timeout: server.idle_timeout,
            concurrency: server.concurrency,
            rate: server.rate,
            tools: server.tools,
            roots: server.roots,
            origin: None,
            is_default_account: false,
        })),
        _ => Read::Off,
    })
}

const PROCESS_KEYS: [&str; 3] = ["args", "env", "cwd"];
const REMOTE_KEYS: [&str; 5] = ["transport", "headers", "headers-command", "auth", "tls"];
const API_KEYS: [&str; 5] = [
    "base-url",
    "server",
    "server-variables",
    "credentials",
    "documents",
];
/// What a GraphQL API has no use for.
const OPENAPI_KEYS: [&str; 2] = ["server", "server-variables"];
/// What an HTTP API has no use for.
const MCP_KEYS: [&str; 4] = ["transport", "headers-command", "idle-timeout", "roots"];

/// Refuses keys that mean nothing for such a server.
fn only_for(table: &Table<'_>, keys: &[&str], kind: &str) -> Result<(), ConfigError> {
    let mut mistakes = Mistakes::default();
    for entry in keys.iter().filter_map(|key| table.get(key)) {
        mistakes.add(entry.refuse(format!("this is for {kind}")));
    }
    mistakes.none()
}

/// The arguments of a program. What the server gets by its own `env`, they may hold too.
fn arguments(
    args: &Entry<'_>,
    env: &BTreeMap<String, String>,
    around: Surroundings<'_>,
) -> typed::Reading<Vec<SealedText>> {
    let own = |name: &str| env.get(name).map(OsString::from);
    let variable = |name: &str| own(name).or_else(|| (around.environment)(name));
    let around = Surroundings {
        environment: &variable,
        ..around
    };
    typed::read(args, around)
}

/// `10/s`, `300/min`, `1000/h`, `5000/day`.
fn rate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Rate>, D::Error> {
    let wrong =
        || D::Error::custom("this is not a rate; write it like `10/s`, `300/min` or `1000/h`");
    let text = String::deserialize(deserializer)?;
    let (calls, unit) = text.split_once('/').ok_or_else(wrong)?;
    let calls: NonZeroU32 = calls.trim().parse().map_err(|_| wrong())?;
    let per = match unit.trim() {
        "s" | "second" => Duration::from_secs(1),
        "min" | "m" | "minute" => Duration::from_mins(1),
        "h" | "hour" => Duration::from_hours(1),
        "d" | "day" => Duration::from_hours(24),
        _ => return Err(wrong()),
    };
    Ok(Some(Rate { calls, per }))
}
