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
//! - `file`: the tables of the file, and what must hold beyond their types; `schema`: its JSON Schema
//! - `typed`: tables that are read into the types that their owners derive, most of them in other
//!   crates
//! - `serve`: how `ampoule serve` is reached, and which components its clients may run
//! - `server`: the entry of a server; `command`: what it starts; `remote`: what is reached by HTTP;
//!   `rules`: which of its tools there are; `expand`: variables in it; `written`: how it is shown
//! - `access`: who may use the server; `telemetry`: what is told to the operator's systems
//! - `governance`: who may do what, what a person is asked, and what is recorded
//! - `removed`: keys that former versions took
//! - `clients`: other clients' files, whose servers are used too
//! - [`edit`]: files changed where they must be, `ampoule.toml` and those of clients
//! - `tree`: files of all formats as one kind of tree; `read`: its tables and values, in plain words
//!   where they are wrong; `error`: what is wrong
//! - `user`: on whose behalf all of this is read

mod access;
mod clients;
mod command;
pub mod edit;
mod error;
mod expand;
mod file;
mod governance;
mod read;
mod remote;
mod removed;
mod rules;
mod schema;
mod serve;
mod server;
mod telemetry;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod typed;
mod user;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::num::NonZeroU32;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use ampoule_limits::LimitsConfig;
pub use ampoule_network::Tls;
use ampoule_persistence::parked::RunSettings;
use ampoule_persistence::sessions::SessionSettings;
use ampoule_persistence::skills::SkillSettings;
use ampoule_records::RecordSettings;
use ampoule_workspace::{FolderName, FolderSettings, WorkspaceSettings};
use rustix::fs::OFlags;

pub use access::AccessConfig;
pub use clients::{Client, ClientFile, Origin};
pub use command::Command;
pub use error::ConfigError;
pub use governance::GovernanceConfig;
pub use remote::{Auth, Remote, SignIn, Transport};
pub use rules::{HintRules, ToolRules};
pub use schema::schema;
pub use serve::{ComponentsConfig, ServeConfig};
pub use server::check_name;
pub use telemetry::TelemetryConfig;
pub use user::User;

/// The name of the configuration file.
pub const FILE_NAME: &str = "ampoule.toml";

/// The largest configuration file that is read, in bytes. One that people write has some hundred
/// lines.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

/// What the operator configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    /// The file that it was read from. `None` if there is none: then nothing is configured.
    pub source: Option<PathBuf>,
    /// `isolates`: how many may be alive at once, if not the default.
    pub isolates: Option<NonZeroU32>,
    /// `slot-wait`: how long a run may wait for its place among them, if not the default.
    pub slot_wait: Option<Duration>,
    /// The MCP servers, by the name that scripts use; those that are imported are among them.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Servers whose entries are faulty, each with what is wrong: that disables them alone. Two
    /// whose names scripts can't tell apart are both here.
    pub disabled: BTreeMap<String, ConfigError>,
    /// Servers that are switched off: for scripts, they do not exist.
    pub off: BTreeSet<String>,
    /// What there is to say of tables that restrict nothing, and of the files that servers are
    /// imported from, a sentence each.
    pub notes: Vec<String>,
    /// What a run may use if it asks for nothing else.
    pub limits: LimitsConfig,
    /// What no run may go beyond.
    pub ceilings: LimitsConfig,
    /// Which components clients may run; by default, none.
    pub components: ComponentsConfig,
    /// What sessions may take.
    pub sessions: SessionSettings,
    /// Code that scripts save for later ones; none if there is none.
    pub skills: Option<SkillSettings>,
    /// Which HTTP requests scripts may have made; none if there is none.
    pub outbound: Option<ampoule_outbound::Settings>,
    /// `tls`: whom to trust, where a server's own entry says nothing else.
    pub tls: Tls,
    /// Where runs have files that outlive them; by default, nowhere.
    pub workspace: Option<WorkspaceSettings>,
    /// Folders that runs see, by their names.
    pub folders: BTreeMap<FolderName, FolderSettings>,
    /// Where traces are sent; by default, nowhere.
    pub telemetry: TelemetryConfig,
    /// Which runs leave a record; by default, none.
    pub records: RecordSettings,
    /// When runs are parked that wait for long.
    pub runs: RunSettings,
    /// How `serve --http` is reached.
    pub serve: ServeConfig,
    /// What stands between a grant and a call; by default, nothing does.
    pub governance: GovernanceConfig,
}

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
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one for each server, and most are what they are for long"
)]
pub enum Reach {
    /// It is a process, which is started.
    Process(Command),
    /// By HTTP.
    Remote(Remote),
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
        }
    }
}

impl Config {
    /// The operator's configuration: `chosen`, or else `ampoule.toml` in the working folder, or
    /// else in the user's configuration folder (on Linux `~/.config/ampoule`), or else none.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] names the file, and for each mistake the place in it and the key. A file
    /// that was chosen must exist. What is wrong with one server's entry is no error: see
    /// [`disabled`](Self::disabled).
    pub fn find(chosen: Option<&Path>) -> Result<Self, ConfigError> {
        let place = Self::place(chosen).filter(|file| chosen.is_some() || file.exists());
        place.map_or_else(|| Ok(Self::default()), |file| Self::load(&file))
    }

    /// The file that [`find`](Self::find) reads; where there is none, the user's own, which would
    /// be made. `None` where it can't be known, for lack of a home.
    pub fn place(chosen: Option<&Path>) -> Option<PathBuf> {
        let here = || Some(PathBuf::from(FILE_NAME)).filter(|file| file.exists());
        chosen
            .map(ToOwned::to_owned)
            .or_else(here)
            .or_else(Self::of_user)
    }

    /// Where the user's own configuration is, or would be.
    pub fn of_user() -> Option<PathBuf> {
        directories::ProjectDirs::from("", "", "ampoule")
            .map(|folders| folders.config_dir().join(FILE_NAME))
    }

    /// Reads a file, and those that it imports.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find).
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        Self::load_for(&User::here(), file)
    }

    /// The same on behalf of that user.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find).
    pub fn load_for(user: &User, file: &Path) -> Result<Self, ConfigError> {
        let text = read(file, MAX_FILE_BYTES)
            .map_err(|error| ConfigError::new(file, format!("it can't be read: {error}")))?;
        let absolute =
            std::path::absolute(file).map_err(|error| ConfigError::new(file, error.to_string()))?;
        let folder = absolute.parent().unwrap_or(&absolute);
        file::parse(file, folder, &text, user)
    }

    /// Takes over the servers of a text in the form of clients' files, such as
    /// `{"mcpServers": {"github": {"command": "npx"}}}`, whose paths are relative to the working
    /// folder. One that has the name of a server that is there already replaces it. `called` is what
    /// errors call the text.
    ///
    /// # Errors
    ///
    /// What is wrong with the text, or with one of the servers.
    pub fn import_text(&mut self, called: &str, text: &str) -> Result<(), ConfigError> {
        clients::import_text(self, (called, text), &User::here())
    }
}

/// The text of a file of at most that many bytes.
fn read(file: &Path, most: u64) -> io::Result<String> {
    // A pipe without a writer would never open otherwise.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(file)?;
    let metadata = opened.metadata()?;
    if metadata.is_dir() {
        return Err(io::Error::other("it is a folder, not a file"));
    }
    if !metadata.is_file() {
        return Err(io::Error::other(
            "it is a pipe or a device, not a regular file",
        ));
    }
    let mut text = String::new();
    let length = opened.take(most + 1).read_to_string(&mut text)?;
    if length as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}
