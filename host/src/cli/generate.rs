//! `ampoule generate`: the tools as files.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use futures::future::try_join_all;

use super::exit::{self, Failure};
use super::setup::{self, Setup};
use crate::binding::{Grant, GrantedTools};
use crate::error::Error;
use crate::generate::{self, Language};
use crate::projection::wit::Calling;

const EXAMPLES: &str = "Examples:
  ampoule generate --lang rust --out guest
  ampoule generate --lang wit --out guest --servers demo
  ampoule generate --lang typescript --out . --servers github,files";

/// Writes the tools as files: WIT packages for components, modules in TypeScript, stubs in Python, a crate in Rust.
///
/// Run again, it changes only what changed, and removes what it wrote before that is no longer there.
/// The program of the Rust crate is yours: it is left alone once you have changed it.
#[derive(Debug, Args)]
#[command(after_help = exit::TOOLS_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::TOOLS_HELP))]
pub(super) struct Generate {
    /// In which language.
    #[arg(long = "lang", value_enum, value_name = "LANGUAGE")]
    language: Language,
    /// The folder to write to; it is made if need be.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The tools to write: `server`, `server.tool` or `server.get_*`, separated by commas. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    servers: Option<Grant>,
    /// With `--lang wit`: plain functions instead of async ones, for toolchains that have none yet. Calls are then made one by one.
    #[arg(long)]
    sync: bool,
    #[command(flatten)]
    setup: Setup,
}

impl Generate {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let calling = match (self.sync, self.language) {
            (false, _) => Calling::Async,
            (true, Language::Wit) => Calling::Plain,
            (true, _) => return Err(Failure::usage("--sync goes with --lang wit alone")),
        };
        let runtime = self.setup.runtime()?;
        let grant = self.servers.clone().unwrap_or_else(Grant::all);
        let tools = GrantedTools::new(runtime.catalog().clone(), grant).map_err(Error::from)?;
        let tools = tools.waiting();
        let writing = async move {
            let stale = tools.refresh(None).await;
            if let Some(problem) = stale.into_iter().next() {
                return Err(Failure::unreachable(problem));
            }
            if let Some(misspelt) = tools.idle_patterns().into_iter().next() {
                return Err(Error::from(misspelt).into());
            }
            let listed = try_join_all(tools.servers().map(|server| tools.tools_of(server)));
            let servers = listed
                .await
                .map_err(|error| Failure::unreachable(error.message))?;
            let written =
                generate::write(self.language, calling, &servers, &self.out).map_err(|error| {
                    Failure::usage(format!("{} can't be written: {error}", self.out.display()))
                })?;
            let kept = match written.kept {
                0 => String::new(),
                kept => format!(", {kept} left as you changed them"),
            };
            writeln!(
                io::stdout(),
                "{}: {} changed, {} unchanged, {} removed{kept}",
                self.out.display(),
                written.changed,
                written.unchanged,
                written.removed
            )?;
            Ok(ExitCode::SUCCESS)
        };
        setup::until_stopped(runtime, writing)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }
}
