//! On whose behalf configuration is read.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// An operating system, as far as it decides where programs keep their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// Linux, and other systems that follow XDG's rules for folders.
    Linux,
    /// Apple's system for Macs.
    MacOs,
    /// Microsoft's system.
    Windows,
}

impl System {
    /// The one that this program was compiled for.
    pub const fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// The variable that names the user's own folder.
    pub const fn home_variable(self) -> &'static str {
        match self {
            Self::Linux | Self::MacOs => "HOME",
            Self::Windows => "USERPROFILE",
        }
    }
}

impl Default for System {
    fn default() -> Self {
        Self::here()
    }
}

/// On whose behalf configuration is read: where that user's files are, and what variables there
/// are.
#[derive(Debug, Clone, Default)]
pub struct User {
    /// The system, which decides where files are.
    pub system: System,
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
            system: System::here(),
            environment: environment.collect(),
            folder: std::env::current_dir().unwrap_or_default(),
            program: std::env::current_exe().unwrap_or_default(),
        }
    }

    /// The value of a variable. On Windows, the case of its name does not matter.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        let exact = self.environment.get(name);
        let similar = || {
            let mut all = self.environment.iter();
            all.find_map(|(other, value)| other.eq_ignore_ascii_case(name).then_some(value))
        };
        match self.system {
            System::Linux | System::MacOs => exact.cloned(),
            System::Windows => exact.or_else(similar).cloned(),
        }
    }

    /// The user's own folder.
    pub fn home(&self) -> Option<PathBuf> {
        self.absolute(self.system.home_variable())
    }

    /// A folder that a variable names.
    fn absolute(&self, name: &str) -> Option<PathBuf> {
        let folder = PathBuf::from(self.variable(name)?);
        folder.is_absolute().then_some(folder)
    }

    /// A folder that a variable names, or else one below the user's own.
    fn absolute_or(&self, name: &str, below: &[&str]) -> Option<PathBuf> {
        self.absolute(name)
            .or_else(|| Some(self.home()?.join(below.iter().collect::<PathBuf>())))
    }

    /// The user's configuration folder, as XDG has it.
    fn configuration(&self) -> Option<PathBuf> {
        self.absolute_or("XDG_CONFIG_HOME", &[".config"])
    }

    /// Where desktop applications of this system keep their settings.
    fn applications(&self) -> Option<PathBuf> {
        match self.system {
            System::Linux => self.configuration(),
            System::MacOs => Some(self.home()?.join("Library").join("Application Support")),
            System::Windows => self.absolute_or("APPDATA", &["AppData", "Roaming"]),
        }
    }

    /// Where programs keep what they must remember.
    pub(super) fn state(&self) -> Option<PathBuf> {
        match self.system {
            System::Linux | System::MacOs => {
                self.absolute_or("XDG_STATE_HOME", &[".local", "state"])
            }
            System::Windows => self.absolute_or("LOCALAPPDATA", &["AppData", "Local"]),
        }
    }

    /// A path as tables of clients have it. It begins with
    /// - `~`: the user's own folder
    /// - `$NAME`: what a variable names; `None` if the variable is not set
    /// - `@config`: the user's configuration folder, as XDG has it, on each system
    /// - `@apps`: where desktop applications of the system keep their settings
    pub(super) fn path(&self, written: &str) -> Option<PathBuf> {
        let (first, rest) = written.split_once('/').unwrap_or((written, ""));
        let base = match first {
            "~" => self.home()?,
            "@config" => self.configuration()?,
            "@apps" => self.applications()?,
            _ => match first.strip_prefix('$') {
                Some(name) => self.absolute(name)?,
                None => return Some(PathBuf::from(written)),
            },
        };
        // Part by part: each is joined as the system joins them.
        let parts = rest.split('/').filter(|part| !part.is_empty());
        Some(parts.fold(base, |path, part| path.join(part)))
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
