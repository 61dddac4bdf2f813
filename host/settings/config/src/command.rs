//! The command that starts a server.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fmt};

use rustix::fs::{Access, access};

/// The command that starts a server, with the variables in it replaced.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// The program: a name that is looked up in `PATH`, or a path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Further variables of its environment. Their values are secrets.
    pub env: BTreeMap<String, String>,
    /// Its working folder; the host's own if there is none.
    pub cwd: Option<PathBuf>,
    /// What was put into arguments and `env` for a variable: its name and its value, which may be a
    /// secret.
    pub variables: BTreeSet<(String, String)>,
}

impl Command {
    /// What is missing before the command can start: its folder, or its program.
    pub fn missing(&self) -> Option<String> {
        if let Some(folder) = self.cwd.as_deref().filter(|folder| !folder.is_dir()) {
            let folder = folder.display();
            return Some(format!(
                "the working folder {folder} does not exist: make it, or correct `cwd`"
            ));
        }
        let program = self.program.display();
        if self.program.components().count() > 1 {
            let file = self
                .cwd
                .as_deref()
                .unwrap_or(Path::new("."))
                .join(&self.program);
            return match (file.is_file(), is_executable(&file)) {
                (true, true) => None,
                (true, false) => Some(format!(
                    "{program} may not be executed: make it executable, or correct `command`"
                )),
                (false, _) => Some(format!(
                    "the file {program} does not exist: install it, or correct `command`"
                )),
            };
        }
        let path = self.env.get("PATH").map(OsString::from);
        let path = path.or_else(|| env::var_os("PATH"))?;
        let mut files = env::split_paths(&path).map(|folder| folder.join(&self.program));
        match files.any(|file| is_executable(&file)) {
            true => None,
            false => Some(format!(
                "the command `{program}` is not in PATH: install it, or give its whole path in `command`"
            )),
        }
    }
}

/// Whether a file is there that may be executed.
fn is_executable(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.keys().map(String::as_str).collect();
        f.debug_struct("Command")
            .field("program", &self.program)
            // Secrets may have been expanded into them.
            .field("args", &self.args.len())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}
