//! The command that starts a server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;

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
