//! How a server is started.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;

use ampoule_network::{EXHAUSTED, is_exhausted};
use ampoule_secrets::{SecretError, is_sealed, open};

use super::listener::StderrListener;
use super::secrets::Secrets;

/// Variables of the host's own environment that servers inherit, besides those that begin with
/// [`INHERITED_PREFIXES`]. None of them is a place for secrets; a server that needs one gets it by
/// its configuration.
const INHERITED: [&str; 13] = [
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
];

/// Beginnings of further variables that are inherited.
const INHERITED_PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// A server's command line, and where it runs.
///
/// Of the host's environment, servers get `HOME`, `LANG`, `LANGUAGE`, `LC_*`, `LOGNAME`,
/// `NODE_EXTRA_CA_CERTS`, `PATH`, `SHELL`, `SSL_CERT_DIR`, `SSL_CERT_FILE`, `TERM`, `TMPDIR`, `TZ`,
/// `USER` and `XDG_*`, and what [`env`](Self::env) adds.
///
/// Arguments and variables may have [references](ampoule_secrets) to secrets, which are read when
/// the server is started.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ServerCommand {
    /// The program: a name that is looked up in `PATH`, or a path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Further variables of its environment. Their values are secrets: they are shown nowhere.
    pub env: BTreeMap<String, String>,
    /// Its working folder; the host's own if there is none.
    pub cwd: Option<PathBuf>,
    /// Further texts that are shown nowhere, such as a part of an argument.
    pub secrets: BTreeSet<String>,
    /// Who hears what it prints to its stderr; by default nobody, and the log has it where it fails.
    pub stderr: Option<StderrListener>,
}

impl ServerCommand {
    /// A command without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            ..Self::default()
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Adds a variable to its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Adds a text that is shown nowhere, not even where the server prints it.
    #[must_use]
    pub fn secret(mut self, text: impl Into<String>) -> Self {
        self.secrets.insert(text.into());
        self
    }

    /// Adds what variables of the host's environment, by their names, put into it. It is shown
    /// nowhere, unless servers inherit the variable anyway.
    #[must_use]
    pub fn variables(
        mut self,
        variables: impl IntoIterator<Item = (impl AsRef<str>, impl Into<String>)>,
    ) -> Self {
        let variables = variables.into_iter();
        let secret = variables.filter(|(name, _)| !is_inherited(name.as_ref()));
        self.secrets.extend(secret.map(|(_, value)| value.into()));
        self
    }

    /// Has somebody hear what it prints to its stderr.
    #[must_use]
    pub fn heard_by(mut self, listener: StderrListener) -> Self {
        self.stderr = Some(listener);
        self
    }

    /// Sets its working folder.
    #[must_use]
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.cwd = Some(folder.into());
        self
    }

    /// The command with the secrets in place that its texts refer to.
    pub(super) async fn opened(&self) -> Result<Cow<'_, Self>, SecretError> {
        let mut texts = self.args.iter().chain(self.env.values());
        if !texts.any(|text| is_sealed(text)) {
            return Ok(Cow::Borrowed(self));
        }
        let mut command = self.clone();
        for text in command.args.iter_mut().chain(command.env.values_mut()) {
            let opened = open(text).await?;
            let secrets = opened.secrets.iter().map(|secret| secret.to_string());
            command.secrets.extend(secrets);
            *text = opened.text.into_owned();
        }
        Ok(Cow::Owned(command))
    }

    pub(super) fn to_std(&self) -> std::process::Command {
        let mut command = std::process::Command::new(&self.program);
        command
            .args(&self.args)
            .env_clear()
            .envs(inherited(std::env::vars_os()))
            .envs(&self.env);
        if let Some(folder) = &self.cwd {
            command.current_dir(folder);
        }
        command
    }

    /// Why a process can't be started, in words that name what is missing.
    pub(super) fn explain(&self, error: io::Error) -> io::Error {
        let program = self.program.display();
        let text = match (&self.cwd, error.kind()) {
            (Some(folder), _) if !folder.is_dir() => {
                format!("its working folder {} does not exist", folder.display())
            }
            (_, io::ErrorKind::NotFound) if self.program.components().count() > 1 => {
                format!("there is no file {program}")
            }
            (_, io::ErrorKind::NotFound) => format!("there is no command `{program}` in PATH"),
            _ if is_exhausted(&error) => EXHAUSTED.to_owned(),
            _ => format!("{program}: {error}"),
        };
        io::Error::new(error.kind(), text)
    }

    /// What must not be shown even where the server itself prints it.
    pub(super) fn secrets(&self) -> Secrets {
        let secrets = self.env.values().chain(&self.secrets).map(String::as_str);
        let named = self.env.iter().map(|(name, value)| (&**name, &**value));
        Secrets::new(secrets).with_credentials(named)
    }

    /// Tells two commands apart, without telling what they are.
    pub(super) fn identity(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            hasher
                .update(&(bytes.len() as u64).to_le_bytes())
                .update(bytes);
        };
        add(self.program.as_os_str().as_encoded_bytes());
        add(&[u8::from(self.cwd.is_some())]);
        add(self
            .cwd
            .clone()
            .unwrap_or_default()
            .as_os_str()
            .as_encoded_bytes());
        add(&self.args.len().to_le_bytes());
        for text in self
            .args
            .iter()
            .chain(self.env.iter().flat_map(|(name, value)| [name, value]))
        {
            add(text.as_bytes());
        }
        hasher.finalize()
    }
}

impl fmt::Debug for ServerCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.keys().map(String::as_str).collect();
        f.debug_struct("ServerCommand")
            .field("program", &self.program)
            // Secrets may have been expanded into them.
            .field("args", &self.args.len())
            .field("env", &names)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

fn inherited(
    host: impl Iterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    host.filter(|(name, _)| name.to_str().is_some_and(is_inherited))
}

/// Whether servers get this variable of the host's environment anyway. What is in it is not a
/// secret.
fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name)
        || INHERITED_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hosts_secrets_are_not_inherited() {
        let host = [
            "PATH",
            "LC_ALL",
            "XDG_CACHE_HOME",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "HTTPS_PROXY",
            "PATHS",
        ];
        let host = host.map(|name| (OsString::from(name), OsString::from("value")));
        let kept: Vec<OsString> = inherited(host.into_iter()).map(|(name, _)| name).collect();
        assert_eq!(kept, ["PATH", "LC_ALL", "XDG_CACHE_HOME"]);
    }

    #[test]
    fn what_servers_inherit_is_no_secret() {
        let variables = [("TOKEN", "hunter2"), ("HOME", "/home/ada")];
        let command = ServerCommand::new("server").variables(variables);
        assert_eq!(command.secrets, ["hunter2".to_owned()].into());
    }

    #[test]
    fn values_of_the_environment_are_not_shown() {
        let command = ServerCommand::new("server")
            .args(["--key=hunter2"])
            .env("TOKEN", "hunter2-hunter2");
        let shown = format!("{command:?}");
        assert!(shown.contains("TOKEN"), "{shown}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn each_part_of_a_command_tells_it_apart() {
        let command = || ServerCommand::new("server").args(["a", "b"]);
        let others = [
            ServerCommand::new("servers").args(["a", "b"]),
            ServerCommand::new("server").args(["ab"]),
            ServerCommand::new("server").args(["a"]).env("b", ""),
            command().env("A", "1"),
            command().env("A", "2"),
            command().current_dir(""),
            command().current_dir("/"),
        ];
        let mut seen = vec![command().identity()];
        assert_eq!(command().identity(), seen[0]);
        for other in others {
            assert!(!seen.contains(&other.identity()), "{other:?}");
            seen.push(other.identity());
        }
    }
}
