//! On whose behalf configuration is read.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// On whose behalf configuration is read: where that user's files are, and what variables there
/// are.
#[derive(Debug, Clone, Default)]
pub struct User {
    /// The variables of the environment.
    pub environment: BTreeMap<String, OsString>,
    /// The working folder.
    pub folder: PathBuf,
    /// This program: it never becomes a server of its own.
    pub program: PathBuf,
}

impl User {
    /// Whoever runs this process.
    pub fn here() -> Self {
        // A variable can't make up a reference to a secret.
        let is_plain = |value: &OsString| !value.to_str().is_some_and(ampoule_secrets::is_sealed);
        let environment = std::env::vars_os()
            .filter(|(_, value)| is_plain(value))
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self {
            environment: environment.collect(),
            folder: std::env::current_dir().unwrap_or_default(),
            program: std::env::current_exe().unwrap_or_default(),
        }
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        self.environment.get(name).cloned()
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute("HOME")
    }

    /// A folder that a variable names.
    fn absolute(&self, name: &str) -> Option<PathBuf> {
        let folder = PathBuf::from(self.variable(name)?);
        folder.is_absolute().then_some(folder)
    }

    /// A path as tables of clients have it. It begins with
    /// - `~`: the user's own folder
    /// - `$NAME`: what a variable names; without it, there is no such path
    /// - `@config`: the user's configuration folder, as XDG has it
    /// - `@apps`: the same, but where macOS keeps what applications write
    pub(super) fn path(&self, written: &str) -> Option<PathBuf> {
        let (first, rest) = written.split_once('/').unwrap_or((written, ""));
        let config = || {
            self.absolute("XDG_CONFIG_HOME")
                .or_else(|| Some(self.home()?.join(".config")))
        };
        let base = match first {
            "~" => self.home()?,
            "@config" => config()?,
            "@apps" if cfg!(target_os = "macos") => {
                self.home()?.join("Library/Application Support")
            }
            "@apps" => config()?,
            _ => match first.strip_prefix('$') {
                Some(name) => self.absolute(name)?,
                None => return Some(PathBuf::from(written)),
            },
        };
        Some(if rest.is_empty() {
            base
        } else {
            base.join(rest)
        })
    }

    /// A path as it is shown to that user.
    pub fn shown(&self, path: &Path) -> String {
        let below = self
            .home()
            .and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
        below.map_or_else(
            || path.display().to_string(),
            |below| format!("~/{}", below.display()),
        )
    }
}
