//! A server that is configured, and how it is reached.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use ampoule_projection::names::{ACCOUNT, server_and_account};
use ampoule_untrusted::text;

use super::api::Api;
use super::clients::Origin;
use super::command::Command;
use super::graphql::Graphql;
use super::remote::{Auth, Remote};
use super::rules::ToolRules;

/// The longest name that a server may have, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its command line or address as the file has it: `${NAME}` is what stands there for a
    /// variable, and not its value. What looks like a secret is left out.
    pub written: String,
    /// How it is reached.
    pub reach: Reach,
    /// How long one call may take, if not the default.
    pub call_timeout: Option<Duration>,
    /// How long it may take to start, if not the default.
    pub start_timeout: Option<Duration>,
    /// How long it is kept when nobody calls it, if not the default.
    pub idle_timeout: Option<Duration>,
    /// How many calls it gets at once, if not the default.
    pub concurrency: Option<NonZeroU32>,
    /// How many calls it gets in a time, if that is limited.
    pub rate: Option<Rate>,
    /// Which of its tools there are.
    pub tools: ToolRules,
    /// Folders that it is told it may work in.
    pub roots: Vec<PathBuf>,
    /// Where it was imported from, unless it is the file's own.
    pub origin: Option<Origin>,
    /// Whether it is the account that scripts mean who name none.
    pub is_default_account: bool,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// It is a process, which is started.
    Process(Command),
    /// By HTTP.
    Remote(Remote),
    /// It is an HTTP API, which a document describes.
    Api(Api),
    /// It is a GraphQL API.
    Graphql(Graphql),
}

impl Reach {
    /// How Ampoule signs in, if it does.
    pub fn auth(&self) -> Option<&Auth> {
        match self {
            Self::Process(_) => None,
            Self::Remote(remote) => Some(&remote.auth),
            Self::Api(api) => api.auth.as_ref(),
            Self::Graphql(api) => api.auth.as_ref(),
        }
    }
}

/// So many calls in a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// How many.
    pub calls: NonZeroU32,
    /// In which time.
    pub per: Duration,
}

impl ServerConfig {
    /// A server that is started like this, and of which nothing else is said.
    pub fn process(written: impl Into<String>, command: Command) -> Self {
        Self {
            written: written.into(),
            reach: Reach::Process(command),
            call_timeout: None,
            start_timeout: None,
            idle_timeout: None,
            concurrency: None,
            rate: None,
            tools: ToolRules::default(),
            roots: Vec::new(),
            origin: None,
            is_default_account: false,
        }
    }
}

/// Whether a server may be called that.
///
/// # Errors
///
/// A sentence that says what is wrong with the name.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("a server needs a name".to_owned());
    }
    if name.starts_with('$') {
        return Err("names that begin with `$` are Ampoule's own".to_owned());
    }
    if name.contains(['.', ',', '*']) {
        return Err(
            "a name may not contain `.`, `,` or `*`: grants are written with them".to_owned(),
        );
    }
    if server_and_account(name).1.is_some() || (name.len() > 1 && name.ends_with(ACCOUNT)) {
        return Err(
            "a name may contain `@` only at its beginning: accounts are written with it, and are configured below `accounts`".to_owned(),
        );
    }
    if name.contains(text::is_hidden) {
        return Err(
            "a name may not contain control characters, or others that are invisible".to_owned(),
        );
    }
    if name.len() > MAX_NAME_BYTES {
        return Err(format!("a name may have at most {MAX_NAME_BYTES} bytes"));
    }
    Ok(())
}
