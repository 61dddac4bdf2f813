//! Which file is the configuration, and what is read of it.

use std::path::{Path, PathBuf};

use super::config::{Config, FILE_NAME};
use super::error::ConfigError;
use super::user::User;
use super::{clients, file, text};

/// The largest configuration file that is read, in bytes. One that people write has some hundred
/// lines.
const MAX_FILE_BYTES: u64 = 1024 * 1024;

impl Config {
    /// The operator's configuration: `chosen`, or else `ampoule.toml` in the working folder, or
    /// else in the user's configuration folder (on Linux `~/.config/ampoule`), or else none.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] names the file, and for each mistake the place in it and the key. A file
    /// that was chosen must exist. What is wrong with one server's entry is not an error: see
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
        let text = text::of(file, MAX_FILE_BYTES)
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
        clients::import_text(self, called, text, &User::here())
    }
}
