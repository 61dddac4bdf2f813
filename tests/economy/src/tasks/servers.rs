//! The servers that tasks need, as processes.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use ampoule::upstream::ServerCommand;
use ampoule_tokens::Client;
use anyhow::{Context, Result};
use serde_json::json;
use tokio::process::{Child, Command};

/// Where servers are installed, and how they are started.
pub struct Installed {
    /// npm's, as `cargo xtask test` installs them.
    pub node: PathBuf,
    /// PyPI's, the same.
    pub python: PathBuf,
    /// The binary `ampoule`, which has the demo server.
    pub ampoule: PathBuf,
}

/// A server, by the name that it is configured under.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// MCP's own server for files.
    Files,
    /// MCP's own server for SQLite.
    Database,
    /// `ampoule demo-server`.
    Demo,
    /// `tests/servers/exports.py`.
    Exports,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Database => "database",
            Self::Demo => "demo",
            Self::Exports => "exports",
        }
    }
}

/// Servers that work in a folder. Paths in their arguments and results are relative to it: how long
/// its own name is must not count.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    installed: &'a Installed,
    folder: &'a Path,
}

impl Installed {
    pub(super) fn at<'a>(&'a self, folder: &'a Path) -> Place<'a> {
        Place {
            installed: self,
            folder,
        }
    }

    /// Does something to the database before it is worked with.
    pub(super) async fn sql(&self, folder: &Path, statements: &[(&str, String)]) -> Result<()> {
        let (_child, mut client) = self.at(folder).start(Kind::Database).await?;
        for (tool, query) in statements {
            client.call(tool, &json!({ "query": query })).await?;
        }
        Ok(())
    }
}

impl Place<'_> {
    pub(super) fn command(&self, kind: Kind) -> ServerCommand {
        let Installed {
            node,
            python,
            ampoule,
        } = self.installed;
        let text = |path: PathBuf| path.to_string_lossy().into_owned();
        let python = python.join("venv-1/bin");
        let mut command = match kind {
            Kind::Files => {
                let file = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";
                ServerCommand::new("node").args([text(node.join(file)), ".".to_owned()])
            }
            Kind::Database => ServerCommand::new(python.join("mcp-server-sqlite"))
                .args(["--db-path", "records.db"]),
            Kind::Demo => ServerCommand::new(ampoule).args(["demo-server"]),
            Kind::Exports => {
                let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../servers/exports.py");
                ServerCommand::new(python.join("python")).args([text(file)])
            }
        };
        command.cwd = Some(self.folder.to_owned());
        command
    }

    /// A server's process, which ends when it is dropped, and a client of it.
    pub(super) async fn start(&self, kind: Kind) -> Result<(Child, Client)> {
        let command = self.command(kind);
        let mut child = Command::new(&command.program)
            .args(&command.args)
            .current_dir(self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} can't be started", kind.name()))?;
        let pipes = child.stdout.take().zip(child.stdin.take());
        let (read, write) = pipes.context("pipes")?;
        let client = Client::over(read, write).await;
        Ok((child, client.with_context(|| kind.name())?))
    }
}
