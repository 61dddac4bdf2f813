//! What the operator configured: `ampoule.toml`, read and checked.
//!
//! ```toml
//! [servers.github]
//! command = "npx"
//! args = ["-y", "@modelcontextprotocol/server-github"]
//! env = { GITHUB_PERSONAL_ACCESS_TOKEN = "${GITHUB_TOKEN}" }
//!
//! [limits]
//! wall-time = "30s"
//! memory = "64 MiB"
//! ```
//!
//! - `config`: what is configured, as plain data; `load`: which file that is; `text`: what a file has
//! - `file`: the tables of the file, and what must hold beyond their types; `schema`: its JSON Schema
//! - `typed`: tables that are read into the types that their owners derive, most of them in other
//!   crates
//! - `serve`: how `ampoule serve` is reached, and which components its clients may run; `exposure`:
//!   how tools are shown to their models; `search`: how tools are searched
//! - `server`: a server, `server_table`: its table; `accounts`: several accounts of one; `command`: what it starts; `remote`: what is reached by HTTP; `api`: HTTP
//!   APIs by their documents; `graphql`: GraphQL APIs; `rules`: which of its tools there are, and `undo`: what takes calls back; `expand`: variables in it; `written`: how it is shown
//! - `console`: the console; `shown_keys`: the keys of a file, for its operator
//! - `toolkits`: parts of the tools under names; `chat`: the model of `ampoule chat`
//! - `component_tools`: components that are tools
//! - `schedules`, `hooks`: runs that a clock or a message of another system starts
//! - `access`: who may use the server; `telemetry`: what is told to the operator's systems
//! - `governance`: who may do what, what a person is asked, and what is recorded
//! - `former`: keys that former versions took
//! - `clients`: other clients' files, whose servers are used too
//! - [`edit`]: files changed where they must be, `ampoule.toml` and those of clients
//! - `tree`: files of all formats as one kind of tree; `read`: its tables and values, in plain words
//!   where they are wrong; `error`: what is wrong
//! - `user`: on whose behalf all of this is read
//! - `fuzzing`: what must hold of any file

mod access;
mod accounts;
mod api;
mod chat;
mod clients;
mod command;
mod component_tools;
mod config;
mod console;
pub mod edit;
mod error;
mod expand;
mod exposure;
mod file;
mod former;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod governance;
mod graphql;
mod hooks;
mod load;
mod read;
mod remote;
mod rules;
mod schedules;
mod schema;
mod search;
mod serve;
mod server;
mod server_table;
mod shown_keys;
mod telemetry;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod toolkits;
mod tree;
mod typed;
mod undo;
mod user;
mod written;

pub use ampoule_limits::LimitsConfig;
pub use ampoule_network::Tls;
pub use ampoule_persistence::packages::{JavaScriptSettings, PythonSettings};
pub use ampoule_projection::undo::UndoRule;

pub use access::AccessConfig;
pub use api::Api;
pub use chat::{ChatConfig, Price, PriceConfig};
pub use clients::{Client, ClientFile, Origin};
pub use command::Command;
pub use component_tools::{ComponentToolConfig, ComponentTools, ToolHints};
pub use config::{Config, FILE_NAME};
pub use console::ConsoleConfig;
pub use error::ConfigError;
pub use exposure::ExposureConfig;
pub use governance::GovernanceConfig;
pub use graphql::Graphql;
pub use hooks::{HookConfig, Hooks, SignatureEncoding};
pub use remote::{Auth, AuthEndpoints, Exchange, Remote, SignIn, Subject, Transport};
pub use rules::{HintRules, ToolRules};
pub use schedules::{MissedRule, OverlapRule, ScheduleConfig, Schedules, StarterName};
pub use schema::schema;
pub use search::SearchConfig;
pub use serve::{ComponentsConfig, ServeConfig};
pub use server::{Rate, Reach, ServerConfig, check_name};
pub use shown_keys::{ShownKey, shown_keys};
pub use telemetry::TelemetryConfig;
pub use toolkits::{ToolkitConfig, ToolkitName, Toolkits, toolkit_of};
pub use user::{System, User};
