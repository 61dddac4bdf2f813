//! `ampoule serve`: the MCP server.

use std::path::PathBuf;
use std::process::ExitCode;

use ampoule::{Error, Grant, GuestKind, Runtime};
use ampoule_configured::governed::{self, GovernanceSetup};
use ampoule_console::access::{Admission, Browsers};
use ampoule_console::{Console, Sources};
use ampoule_server::Server;
use ampoule_server::http::{Address, Options, TlsFiles};
use ampoule_server::operator::socket;
use clap::Args;
use tokio::task::JoinSet;

use super::demo::say_who_starts_this;
use super::exit::{self, Failure};
use super::governance::ServerAddress;
use super::setup::{ConfiguredRuntime, Setup};
use super::stop_signal::{self, Cancellation};
use super::toolkit::{self, ToolkitOption};
use super::{console, memory, over_http};

/// The folder within the cache in which a server counts the tools that runs use.
pub(super) const USED_TOOLS: &str = "used-tools";

const EXAMPLES: &str = "In a client, for example:
  claude mcp add ampoule -- ampoule serve --config ~/ampoule.toml
For many clients, which find it at http://127.0.0.1:8080/mcp:
  ampoule serve --http 8080";

/// Serves MCP on standard input and output, or over HTTP.
///
/// The client's model gets execute_code and search_tools. The server answers at once. Configured
/// servers start when a script first needs them. Interpreters are compiled in the background,
/// unless `ampoule warm` did that already.
#[derive(Debug, Args)]
#[command(after_help = exit::SERVE_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::SERVE_HELP))]
pub(super) struct Serve {
    /// The tools that scripts may call: `server`, `server.tool` or `server.get_*`, separated by
    /// commas. Default: all.
    #[arg(long, value_name = "PATTERNS")]
    tools: Option<Grant>,
    /// Serves clients over HTTP instead of standard input and output: a port of this machine, an
    /// address and a port, `unix:PATH`, or `systemd`. Port 0 takes a free port.
    #[arg(long, value_name = "ADDR")]
    http: Option<Address>,
    /// The TLS certificate, in PEM. Reloaded when it changes.
    #[arg(long, value_name = "FILE", requires_all = ["http", "tls_key"])]
    tls_cert: Option<PathBuf>,
    /// The key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    #[command(flatten)]
    toolkit: ToolkitOption,
    #[command(flatten)]
    setup: Setup,
}

impl Serve {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        memory::give_small_memory_back();
        let beneath = self.beneath();
        let (configured, telemetry) = self.setup.served(beneath.clone())?;
        if self.tools.is_some() && self.http.is_some() && !configured.starters.is_empty() {
            return Err(Failure::usage(
                "--tools does not narrow what schedules and hooks may call: leave it out, and name tools in `[schedules]`, `[hooks]` and `[toolkits]`",
            ));
        }
        let grant = self.tools.unwrap_or_else(Grant::all);
        let remarks = &configured.remarks;
        remarks.say_origin();
        let narrowed = self.toolkit.narrow(grant.clone(), &configured.toolkits)?;
        let toolkit = narrowed.toolkit().map(|toolkit| toolkit.name().clone());
        if toolkit.is_some() && self.http.is_some() {
            return Err(Failure::usage(
                "--toolkit is not for --http, where each toolkit has an address of its own: /mcp/NAME",
            ));
        }
        for disabled in remarks.disabled(&narrowed) {
            tracing::warn!("{disabled}");
        }
        for note in remarks.notes() {
            tracing::warn!("{note}");
        }
        let mut server = configured.server(grant, &telemetry)?;
        let ConfiguredRuntime {
            runtime,
            serve,
            exposure,
            counts_tools,
            exchanges_tokens,
            governed,
            places,
            accounts,
            starters,
            ..
        } = configured;
        if let Some(folder) = ampoule::cache_folder().filter(|_| counts_tools) {
            server = server.remember_tools(folder.join(USED_TOOLS));
        }
        // Background work ends with the server, and holds nothing of the runtime then.
        let mut beside = JoinSet::new();
        if let Some(governed) = &governed {
            let changes = governed.toolkits.clone();
            beside.spawn(toolkit::reload(server.clone(), changes, exposure));
        }
        let warm = runtime.clone();
        // The first script should not have to wait; an earlier script shares the wait.
        beside.spawn(async move {
            for guest in warm.guest_kinds() {
                if let Err(error) = warm_up(&warm, guest).await {
                    tracing::error!(?error, "{guest} can't be compiled");
                }
            }
        });
        // A server on standard input ends with its client: it starts nothing by itself.
        let unattended = match &self.http {
            Some(_) if !starters.is_empty() => Some(starters.in_server(&server, &runtime)?),
            _ => None,
        };
        let (overseen, started) = (server.clone(), unattended.clone());
        // The socket for `ampoule runs`, as long as this process lives.
        beside.spawn(async move {
            let folder = socket::folder();
            if let Err(error) = overseen.answer_operators(&folder, started).await {
                let folder = folder.display();
                tracing::warn!(%error, "`ampoule runs` can't reach this server: no socket in {folder}");
            }
        });
        // The runs that were parked when the previous process stopped.
        beside.spawn(server.resume_parked());
        if let Some(unattended) = unattended.clone() {
            beside.spawn(unattended.run());
        }
        if let Some(address) = self.http {
            let webhook = governed.as_ref().and_then(|it| it.webhook.clone());
            let tls_files = self.tls_cert.zip(self.tls_key);
            let tls_files = tls_files.map(|(certificate, key)| TlsFiles { certificate, key });
            let mut options =
                over_http::options(serve, exchanges_tokens, tls_files, places.page, webhook)
                    .await?;
            options.accounts = accounts;
            options.unattended = unattended;
            let reach = HttpReach {
                options: &options,
                beneath,
            };
            let console = console_of(&self.setup, &server, &reach, governed.as_ref())?;
            if let Some(console) = &console {
                options.beside = ampoule_console::router(console);
            }
            let served = over_http::serve(server, &address, options, console).await;
            runtime.close().await;
            beside.shutdown().await;
            drop(runtime);
            telemetry.close().await;
            governed::closed(governed).await;
            return served.map(|()| ExitCode::SUCCESS);
        }
        let server = match toolkit {
            Some(name) => server.toolkit(&name).ok_or_else(|| {
                Failure::usage(format!(
                    "--toolkit {name}: it is gone from the configuration"
                ))
            })?,
            None => server,
        };
        let (read, write) = rmcp::transport::stdio_pipes();
        let serving = async move {
            say_who_starts_this("Claude Code");
            Ok(server.serve(read, write).await?)
        };
        // A signal is the regular end of a server.
        let ended = stop_signal::until_stopped(runtime, Cancellation::default(), serving).await;
        beside.shutdown().await;
        telemetry.close().await;
        governed::closed(governed).await;
        ended.unwrap_or(Ok(()))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Serve {
    /// Where browsers on this machine reach the server.
    fn beneath(&self) -> ServerAddress {
        match &self.http {
            None => ServerAddress::Nothing,
            Some(Address::Tcp(address))
                if address.port() != 0 && !address.ip().is_unspecified() =>
            {
                let scheme = match self.tls_cert {
                    Some(_) => "https",
                    None => "http",
                };
                ServerAddress::Address(format!("{scheme}://{address}"))
            }
            Some(_) => ServerAddress::Unknown,
        }
    }
}

/// How a server is reached.
struct HttpReach<'o> {
    options: &'o Options,
    /// Where browsers on this machine reach it.
    beneath: ServerAddress,
}

/// The console, where `[console]` turns it on.
fn console_of(
    setup: &Setup,
    server: &Server,
    reach: &HttpReach<'_>,
    governed: Option<&GovernanceSetup>,
) -> Result<Option<Console>, Failure> {
    let options = reach.options;
    let config = setup.read_or_demo()?;
    let Some(settings) = &config.console else {
        return Ok(None);
    };
    let admission = Admission::Principals {
        access: options.access.clone(),
        operators: settings.operators.clone(),
        operator_groups: settings.operator_groups.clone(),
    };
    let address = config.serve.address.as_deref().unwrap_or_default();
    let has_tls = options.tls.is_some() || address.starts_with("https://");
    let mut browsers = Browsers::new(admission, has_tls);
    if let Some(issuer) = console::issuer::sign_in(&config, &reach.beneath)? {
        browsers = browsers.by_issuer(issuer);
    }
    let accounts = options.accounts.as_ref();
    // Who reaches it over a network sees the runs of this server, and not those of other processes.
    let sources = Sources {
        sockets: None,
        unattended: options.unattended.clone(),
        ..console::sources(server, &config, governed, setup.file(), accounts)?
    };
    Ok(Some(Console::new(sources, browsers)))
}

/// Readies a guest. Compiling the guests of Python takes all cores for many seconds: scripts in
/// another language go before them.
pub(super) async fn warm_up(runtime: &Runtime, guest: GuestKind) -> Result<(), Error> {
    match guest {
        GuestKind::JavaScript => runtime.warm(guest).await,
        GuestKind::Python | GuestKind::PythonData => runtime.warm_in_background(guest).await,
    }
}
