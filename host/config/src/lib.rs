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
//! - `file`: the form of the file, and what must hold; `server`: the entry of a server; `command`:
//!   what it starts; `expand`: variables in it
//! - `read`: tables and values, each with its place and in plain words where it is wrong

mod command;
mod error;
mod expand;
mod file;
mod read;
mod server;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::num::NonZeroU32;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use ampoule_limits::LimitsConfig;
use ampoule_limits::units;
use rustix::fs::OFlags;

pub use command::Command;
pub use error::ConfigError;

/// The name of the configuration file.
const FILE_NAME: &str = "ampoule.toml";

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
    /// The MCP servers, by the name that scripts use.
    pub servers: BTreeMap<String, ServerConfig>,
    /// Servers whose entries are faulty, each with what is wrong: that disables them alone. Two
    /// whose names scripts can't tell apart are both here.
    pub disabled: BTreeMap<String, ConfigError>,
    /// What a run may use if it asks for nothing else.
    pub limits: LimitsConfig,
    /// What no run may go beyond.
    pub ceilings: LimitsConfig,
    /// Which components clients may run; by default, none.
    pub components: ComponentsConfig,
}

/// Which components the clients of `serve` may run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ComponentsConfig {
    /// `sent`: those that they send.
    pub sent: bool,
    /// `folder`: those in this folder of the host.
    pub folder: Option<PathBuf>,
}

/// An MCP server that is a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its command line as the file has it: `${NAME}` is what stands there for a variable, and not
    /// its value.
    pub written: String,
    /// How it is started.
    pub command: Command,
    /// How long one call may take, if not the default.
    pub call_timeout: Option<Duration>,
    /// How long it may take to start, if not the default.
    pub start_timeout: Option<Duration>,
}

impl Config {
    /// The operator's configuration: `chosen`, or else `ampoule.toml` in the working folder, or
    /// else in the user's configuration folder (on Linux `~/.config/ampoule`), or else none.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] names the file, the place in it and the key. A file that was chosen must
    /// exist. What is wrong with one server's entry is no error: see [`disabled`](Self::disabled).
    pub fn find(chosen: Option<&Path>) -> Result<Self, ConfigError> {
        let user = directories::ProjectDirs::from("", "", "ampoule")
            .map(|folders| folders.config_dir().join(FILE_NAME));
        let found = match chosen {
            Some(file) => Some(file.to_owned()),
            None => std::iter::once(PathBuf::from(FILE_NAME))
                .chain(user)
                .find(|file| file.exists()),
        };
        found.map_or_else(|| Ok(Self::default()), |file| Self::load(&file))
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// As for [`find`](Self::find).
    pub fn load(file: &Path) -> Result<Self, ConfigError> {
        let text = read(file)
            .map_err(|error| ConfigError::new(file, format!("it can't be read: {error}")))?;
        let folder =
            std::path::absolute(file).map_err(|error| ConfigError::new(file, error.to_string()))?;
        file::parse(file, folder.parent().unwrap_or(&folder), &text, &|name| {
            std::env::var_os(name)
        })
    }
}

fn read(file: &Path) -> io::Result<String> {
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
    let length = opened.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)?;
    if length as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!(
            "it has more than {MAX_FILE_BYTES} bytes"
        )));
    }
    Ok(text)
}
