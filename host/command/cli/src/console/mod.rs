//! `ampoule console`: what Ampoule does and did, in a browser.
//!
//! - `settings`: the configuration, as the console shows it; `sign_ins`: sign-ins to its servers
//! - `issuer`: signing in to the console at the company's issuer

pub(super) mod issuer;
mod settings;
mod sign_ins;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use ampoule::Grant;
use ampoule_approvals::{PlaceName, Store};
use ampoule_config::Config;
use ampoule_configured::governed::{self, GovernanceSetup};
use ampoule_console::access::{Admission, Browsers};
use ampoule_console::{Answerers, Console, Sources, router};
use ampoule_server::Server;
use ampoule_server::http::{Address, Listener, serve_alone};
use ampoule_server::operator::socket;
use ampoule_sign_in::accounts::Accounts;
use clap::Args;
use tokio::task::JoinSet;

use self::settings::ConfiguredView;
use self::sign_ins::ConfiguredSignIns;
use crate::exit::{self, Failure};
use crate::governance::ServerAddress;
use crate::setup::{ConfiguredRuntime, Setup};
use crate::{browser, stop_signal, streams};

const EXAMPLES: &str = "Examples:
  ampoule console
  ampoule console --port 4000 --no-browser
From another machine, after `ssh -L 4000:127.0.0.1:4000 HOST` and the second example there, open the
printed address.";

/// Opens the console: runs, approvals and tools in a browser.
///
/// The console is for this user of this machine, and ends with this command. The printed address
/// signs in one browser, once. `[console]` in ampoule.toml adds a console to `ampoule serve --http`.
#[derive(Debug, Args)]
#[command(after_help = exit::CONSOLE_HELP, after_long_help = format!("{EXAMPLES}\n\n{}", exit::CONSOLE_HELP))]
pub(super) struct ConsoleCommand {
    /// The port. Default: a free one, at an address of this machine that no other program has.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Does not open a browser.
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    setup: Setup,
}

impl ConsoleCommand {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let config = self.setup.read_or_demo()?;
        let (configured, telemetry) = self.setup.served(ServerAddress::Nothing)?;
        configured.remarks.say_origin();
        let server = configured.server(Grant::all(), &telemetry)?;
        let ConfiguredRuntime {
            runtime, governed, ..
        } = configured;
        let browsers = Browsers::new(Admission::Local, false);
        let file = self.setup.file();
        let sources = sources(&server, &config, governed.as_ref(), file, None)?;
        let console = Console::new(sources, browsers);
        let listener = listener(self.port).await?;
        // Signals are handled before the address is printed: its reader may stop the console.
        let told = stop_signal::told_to_stop()?;
        let path = console.browsers().one_time_path();
        let path = path.map_err(|problem| Failure::host(&problem))?;
        let address = format!("http://{listener}{path}");
        let opened = !self.no_browser && browser::open(&address);
        streams::err().note(match opened {
            true => "the console is open in a browser; for another browser, use this address once:",
            false => "open this address in a browser; it signs in one browser, once:",
        });
        streams::out().line(&address);
        let mut beside = JoinSet::new();
        let overseen = server.clone();
        beside.spawn(async move {
            if let Err(error) = overseen.answer_operators(&socket::folder(), None).await {
                tracing::warn!(%error, "`ampoule runs` can't reach this console");
            }
        });
        tokio::select! {
            () = serve_alone(listener, router(&console)) => {}
            _ = told => {}
        }
        server.suspend();
        runtime.close().await;
        beside.shutdown().await;
        telemetry.close().await;
        governed::closed(governed).await;
        Ok(ExitCode::SUCCESS)
    }
}

/// Where the answers of a console for this user of this machine come from. `accounts`: the page on which
/// principals sign in to servers.
pub(super) fn sources(
    server: &Server,
    config: &Config,
    governed: Option<&GovernanceSetup>,
    file: Option<&std::path::Path>,
    accounts: Option<&Accounts>,
) -> Result<Sources, Failure> {
    let audit = config.governance.audit.as_ref();
    Ok(Sources {
        server: server.clone(),
        sockets: Some(socket::folder()),
        approvals: approvals(config, governed)?,
        answerers: answerers(config),
        audit: audit.map(governed::audit_folder).transpose()?,
        settings: Arc::new(ConfiguredView {
            file: file.map(PathBuf::from),
        }),
        sign_ins: Arc::new(ConfiguredSignIns {
            file: file.map(PathBuf::from),
            accounts: accounts.cloned(),
        }),
        unattended: None,
    })
}

/// The questions to people: those of this process, which hears of answers at once; otherwise those
/// that are on disk.
fn approvals(
    config: &Config,
    governed: Option<&GovernanceSetup>,
) -> Result<Option<Store>, Failure> {
    let asking = governed.and_then(|it| it.governance.asking());
    if let Some(asking) = asking {
        return Ok(Some(asking.store().clone()));
    }
    // Looking alone creates no folder.
    match governed::questions()?.is_dir() {
        true => Ok(Some(governed::store(&config.governance.approvals)?)),
        false => Ok(None),
    }
}

/// Who may answer in the console: principals where they may in their client or on the page, and
/// operators also where the command line may.
fn answerers(config: &Config) -> Answerers {
    let may = |place| config.governance.approvals.wants(place) != Some(false);
    let principals = may(PlaceName::Dialogue) || may(PlaceName::Page);
    Answerers {
        principals,
        operators: principals || may(PlaceName::CommandLine),
    }
}

/// A port of this machine. Browsers send cookies to every port of a host, so the console has a
/// loopback address of its own if it may choose: no other program's pages are at the same host.
async fn listener(port: Option<u16>) -> Result<Listener, Failure> {
    let bind = async |ip: Ipv4Addr, port| {
        let address = Address::Tcp((IpAddr::V4(ip), port).into());
        Listener::bind(&address).await
    };
    let failed = |error: std::io::Error| {
        Failure::usage(format!("the console can't listen at this port: {error}"))
    };
    if let Some(port) = port {
        return bind(Ipv4Addr::LOCALHOST, port).await.map_err(failed);
    }
    let mut random = [0; 3];
    let filled = ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut random);
    let own = Ipv4Addr::new(127, random[0], random[1], random[2] | 1);
    if filled.is_ok()
        && let Ok(listener) = bind(own, 0).await
    {
        return Ok(listener);
    }
    bind(Ipv4Addr::LOCALHOST, 0).await.map_err(failed)
}
