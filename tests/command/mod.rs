//! The `ampoule` binary as a process, in a folder of its own.
//!
//! - `served`: `ampoule serve`, and a client's two streams

mod served;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};

pub use served::Served;

/// Longer than compiling the guest takes on a slow machine.
const PATIENCE: Duration = Duration::from_secs(400);

/// A folder to run `ampoule` in, where it finds no configuration and no sign-in but what a test puts
/// there.
pub struct Workplace {
    folder: TempDir,
    own_cache: bool,
}

/// What a process left behind.
#[derive(Debug)]
pub struct Ran {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl Ran {
    /// Standard output as JSON.
    ///
    /// # Panics
    ///
    /// Where it isn't.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Default for Workplace {
    fn default() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a folder"),
            own_cache: false,
        }
    }
}

impl Workplace {
    /// One where nothing is compiled yet. What is compiled there is kept in `cache/ampoule/code`.
    pub fn without_compiled_code() -> Self {
        Self {
            own_cache: true,
            ..Self::default()
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file into it.
    ///
    /// # Panics
    ///
    /// Where it can't be written.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path
    }

    /// A command that is run here.
    pub fn command(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .args(arguments)
            .current_dir(self.path())
            .envs(self.variables())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Has a command find only this folder's home, in which other clients' files would be. What is
    /// compiled is shared nevertheless.
    pub fn at_home(&self, command: &mut Command) {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let cache = std::env::var_os("XDG_CACHE_HOME");
        let cache = cache.map_or_else(|| home.join(".cache"), PathBuf::from);
        for elsewhere in [
            "XDG_STATE_HOME",
            "CLAUDE_CONFIG_DIR",
            "COPILOT_HOME",
            "CLINE_DIR",
            "CLINE_MCP_SETTINGS_PATH",
            "CODEX_HOME",
            "OPENCODE_CONFIG",
        ] {
            command.env_remove(elsewhere);
        }
        let cache = match self.own_cache {
            true => self.path().join("cache"),
            false => cache,
        };
        command
            .env("HOME", self.path())
            .env("XDG_CONFIG_HOME", self.path().join(".config"))
            .env("XDG_CACHE_HOME", cache);
    }

    /// Runs `ampoule` with these arguments, with this folder for its home.
    pub async fn run_at_home(&self, arguments: &[&str]) -> Ran {
        let mut command = self.command(crate::binary(), arguments);
        self.at_home(&mut command);
        ended(command).await
    }

    /// The variables by which a command knows no other folder than this one, but for what is
    /// compiled.
    pub(crate) fn variables(&self) -> impl Iterator<Item = (&'static str, PathBuf)> {
        let cache = self.path().join("cache");
        [
            ("XDG_CONFIG_HOME", self.path().join("config")),
            ("XDG_DATA_HOME", self.path().join("data")),
            ("XDG_RUNTIME_DIR", self.path().to_owned()),
            ("AMPOULE_CREDENTIALS", "file".into()),
        ]
        .into_iter()
        .chain(self.own_cache.then_some(("XDG_CACHE_HOME", cache)))
    }

    /// Runs `ampoule` with these arguments.
    pub async fn run(&self, arguments: &[&str]) -> Ran {
        ended(self.command(crate::binary(), arguments)).await
    }

    /// Runs `ampoule` with these arguments and this standard input.
    ///
    /// # Panics
    ///
    /// Where it can't be started, or does not end.
    pub async fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(crate::binary(), arguments);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("a process");
        let mut stdin = child.stdin.take().expect("standard input");
        stdin.write_all(input).await.expect("it reads");
        drop(stdin);
        output(child).await
    }
}

/// Runs a command to its end.
///
/// # Panics
///
/// Where it can't be started, or does not end.
pub async fn ended(mut command: Command) -> Ran {
    output(command.spawn().expect("a process")).await
}

async fn output(child: Child) -> Ran {
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
        .await
        .expect("the process ends")
        .expect("its output");
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}
