//! `ampoule tools generate`: the tools as files.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ampoule_projection::wit::Calling;
use ampoule_tools::{Error, Grant, GrantedTools, Server};
use clap::Args;
use futures::future::join_all;

use super::Language;
use super::server::{GeneratedAccount, GeneratedServer};
use crate::exit::{self, Failure};
use crate::setup::{ConfiguredRuntime, Setup};
use crate::stop_signal::{self, Cancellation};
use crate::streams;
use crate::toolkit::ToolkitOption;

const EXAMPLES: &str = "Examples:
  ampoule tools generate --lang rust --out guest
  ampoule tools generate --lang wit --out guest --servers demo
  ampoule tools generate --lang typescript --out . --servers github,files";

/// Writes tools as files: WIT, TypeScript, Python or a crate in Rust.
///
/// A later run writes only changed files, and removes files of tools that are gone. The program of
/// the Rust crate is yours: once you have changed it, the command leaves it alone. The command
/// skips a server that can't be reached, and keeps its earlier files.
#[derive(Debug, Args)]
#[command(after_help = exit::GENERATE_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::GENERATE_HELP))]
pub(crate) struct Generate {
    /// The language of the files.
    #[arg(long = "lang", value_enum, value_name = "LANGUAGE")]
    language: Language,
    /// The folder to write to; created if missing.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The tools to write: `server`, `server.tool` or `server.get_*`, separated by commas. Default:
    /// all.
    #[arg(long, value_name = "PATTERNS")]
    servers: Option<Grant>,
    /// With `--lang wit`: plain functions instead of async ones, for toolchains without async.
    /// Calls are then made one by one.
    #[arg(long)]
    sync: bool,
}

impl Generate {
    pub(crate) async fn execute(
        self,
        setup: &Setup,
        toolkit: &ToolkitOption,
    ) -> Result<ExitCode, Failure> {
        let calling = match (self.sync, self.language) {
            (false, _) => Calling::Async,
            (true, Language::Wit) => Calling::Plain,
            (true, _) => return Err(Failure::usage("--sync needs --lang wit")),
        };
        let ConfiguredRuntime {
            runtime,
            remarks,
            toolkits,
            ..
        } = setup.configured()?;
        let grant = self.servers.clone().unwrap_or_else(Grant::all);
        remarks.refuse(&grant)?;
        let grant = toolkit.narrow(grant, &toolkits)?;
        let tools = runtime.tools_of(grant, None, None)?;
        let tools = tools.waiting().named_as(self.language.idiom());
        let writing = async move {
            let code = self.write(&tools, calling).await?;
            remarks.say_origin();
            Ok(code)
        };
        stop_signal::until_stopped(runtime, Cancellation::default(), writing)
            .await
            .unwrap_or_else(|stopped| Ok(stopped.into()))
    }

    async fn write(&self, tools: &GrantedTools, calling: Calling) -> Result<ExitCode, Failure> {
        let waiting = streams::err().waiting();
        waiting.on("waiting for the servers' tools".to_owned());
        let asked = tools.servers().map(async |server| {
            let listed = match server.binding().refresh().await {
                Ok(()) => tools.tools_of(server).await,
                Err(error) => Err(error),
            };
            (server, listed)
        });
        let asked = join_all(asked).await;
        let accounts_of = |server: &Arc<Server>| {
            let accounts = tools.accounts_of(server).into_iter();
            let accounts = accounts.map(|name| {
                let is_it = |other: &&Arc<Server>| {
                    other.without_account() == server.without_account()
                        && other.account() == Some(name.as_str())
                };
                let mut asked = asked.iter();
                let listed = asked.find(|(other, _)| is_it(other));
                let tools = listed.and_then(|(_, listed)| listed.as_ref().ok());
                let tools = tools.cloned().unwrap_or_default();
                GeneratedAccount { name, tools }
            });
            accounts.collect()
        };
        let (mut servers, mut left_out) = (Vec::new(), Vec::new());
        for (server, listed) in &asked {
            // In WIT, each account has a package of its own.
            let has_own = matches!(self.language, Language::Wit | Language::Rust);
            if !has_own && !tools.stands_for_accounts(server) {
                continue;
            }
            match listed {
                Ok(listed) => servers.push(GeneratedServer {
                    called: server.called().clone(),
                    accounts: accounts_of(server),
                    tools: listed.clone(),
                    offered: tools.offered_by(server),
                }),
                Err(error) => left_out.push((server, error)),
            }
        }
        servers.retain(|server| !(server.tools.is_empty() && server.offered.is_empty()));
        drop(waiting);
        if let Some(misspelt) = tools.idle_patterns().into_iter().next() {
            return Err(Error::from(misspelt).into());
        }
        let called: Vec<_> = left_out.iter().map(|(server, _)| server.called()).collect();
        let written = super::write(self.language, calling, &servers, &called, &self.out).map_err(
            |error| Failure::usage(format!("{} can't be written: {error}", self.out.display())),
        )?;
        let kept = match written.kept {
            0 => String::new(),
            kept => format!(", {kept} left as you changed them"),
        };
        let out = streams::out();
        out.line(out.prose(&format!(
            "{}: {} changed, {} unchanged, {} removed{kept}",
            self.out.display(),
            written.changed,
            written.unchanged,
            written.removed
        )));
        for (server, error) in &left_out {
            let name = server.name();
            streams::err().problem(&format!("skipped `{name}`: {error}"));
        }
        Ok(if left_out.is_empty() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
