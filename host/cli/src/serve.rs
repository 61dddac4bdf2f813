//! `ampoule serve`: the MCP server.

use std::process::ExitCode;

use ampoule::{Error, Grant, Language, Runtime};
use ampoule_server::Server;
use ampoule_server::operator::socket;
use clap::Args;

use super::exit::{self, Failure};
use super::setup::{self, Configured, Setup, Stopping};

const EXAMPLES: &str = "In a client, for example:
  claude mcp add ampoule -- ampoule serve --config ~/ampoule.toml";

/// Serves MCP on standard input and output: a client's model gets execute_code and search_tools.
///
/// It answers at once; the configured servers are started when a script first needs them, and
/// CPython is compiled when one is in Python, unless `ampoule warm` has done that.
#[derive(Debug, Args)]
#[command(after_help = exit::SERVE_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::SERVE_HELP))]
pub(super) struct Serve {
    /// The tools that scripts may call: `server`, `server.tool` or `server.get_*`, separated by
    /// commas. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    tools: Option<Grant>,
    #[command(flatten)]
    setup: Setup,
}

impl Serve {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let Configured {
            runtime,
            components,
            remarks,
        } = self.setup.configured()?;
        let grant = self.tools.unwrap_or_else(Grant::all);
        remarks.say_origin();
        for disabled in remarks.disabled(&grant) {
            tracing::warn!("{disabled}");
        }
        for note in remarks.notes() {
            tracing::warn!("{note}");
        }
        let server = Server::new(runtime.clone(), grant, &components)?;
        let warm = runtime.clone();
        // The first script should not have to wait; one that comes earlier shares the wait.
        tokio::spawn(async move {
            for language in [Language::TypeScript, Language::Python] {
                if let Err(error) = warm_up(&warm, language).await {
                    tracing::error!(?error, "{} can't be compiled", language.interpreter());
                }
            }
        });
        let overseen = server.clone();
        // What `ampoule runs` asks, as long as this process is there.
        tokio::spawn(async move {
            let folder = socket::folder();
            if let Err(error) = overseen.answer_operators(&folder).await {
                let folder = folder.display();
                tracing::warn!(%error, "`ampoule runs` can't ask this server: no socket in {folder}");
            }
        });
        let (read, write) = rmcp::transport::stdio_pipes();
        let serving = async move {
            super::say_who_starts_this("Claude Code");
            Ok(server.serve(read, write).await?)
        };
        // A server that is told to stop has done what it is for.
        setup::until_stopped(runtime, Stopping::default(), serving)
            .await
            .unwrap_or(Ok(()))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Readies a guest. Compiling the Python guest takes all cores for many seconds: that waits for the
/// first script that needs it.
async fn warm_up(runtime: &Runtime, language: Language) -> Result<(), Error> {
    if language == Language::Python && runtime.code_bytes(language).await?.is_none() {
        return Ok(());
    }
    runtime.warm(language).await
}
