//! `ampoule auth login` and `logout`: signing in to remote servers, and out.

use std::io::{BufRead, Read};
use std::process::ExitCode;
use std::time::Duration;

use ampoule_audit::Event;
use ampoule_config::{Config, Reach};
use ampoule_projection::names::server_and_account;
use ampoule_sign_in::{Owner, SignIn, SignInOptions, SignOutOutcome, Store};
use ampoule_untrusted::text;
use clap::Args;
use tokio::sync::mpsc;
use url::Url;

use crate::exit::{self, Failure};
use crate::governance::command_log::CommandLog;
use crate::setup::Setup;
use crate::{browser, probe, streams};

/// An address that is pasted is not longer.
const MOST_PASTED: u64 = 16 << 10;

/// Signs in to a remote server, in a browser.
///
/// The browser may run on another machine: open the address there, and paste the address of the
/// final, empty page back into the terminal. Ampoule stores the sign-in in the system's keyring, or
/// else in a file that only this user can read, and refreshes it.
#[derive(Debug, Args)]
#[command(after_help = exit::LOGIN_HELP)]
pub(super) struct Login {
    #[command(flatten)]
    server: Server,
    /// Does not open a browser.
    #[arg(long)]
    no_browser: bool,
    /// How long to wait for the browser.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = humantime::parse_duration)]
    timeout: Duration,
}

/// Signs out of a remote server, and revokes its tokens if the server allows it.
#[derive(Debug, Args)]
#[command(after_help = exit::LOGIN_HELP)]
pub(super) struct Logout {
    #[command(flatten)]
    server: Server,
    /// Signs out this principal of `ampoule serve --http` instead of the host.
    #[arg(long, value_name = "NAME", conflicts_with = "url")]
    principal: Option<String>,
}

/// Which server.
#[derive(Debug, Args)]
struct Server {
    /// A server's name in the configuration.
    #[arg(value_name = "SERVER", required_unless_present = "url")]
    name: Option<String>,
    /// The address of a server that is not in the configuration.
    #[arg(long, value_name = "URL", conflicts_with = "name")]
    url: Option<Url>,
    #[command(flatten)]
    setup: Setup,
}

impl Login {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let (name, sign_in) = self.server.sign_in().await?;
        let recorded = self.server.recorded()?;
        let login = sign_in
            .begin()
            .await
            .map_err(|error| refused(&name, &error))?;
        self.show(&name, login.address());
        let told = |why: &str| streams::err().warning(why);
        let finishing = login.finish(pasted(), told);
        let signed_in = match tokio::time::timeout(self.timeout, finishing).await {
            Ok(Ok(signed_in)) => signed_in,
            Ok(Err(error)) => {
                recorded.done(|| event(&name, "failed", None, Some(&error.to_string())))?;
                return Err(refused(&name, &error));
            }
            Err(_) => {
                let waited = humantime::format_duration(self.timeout);
                let why = format!("nobody has signed in to {name} within {waited}");
                recorded.done(|| event(&name, "failed", None, Some(&why)))?;
                return Err(Failure::unreachable(&format!(
                    "{why}; run the command again"
                )));
            }
        };
        recorded.done(|| event(&name, "signed-in", None, None))?;
        let out = streams::out();
        out.line(out.prose(&format!("{name}: {}", probe::whose(&signed_in))));
        Ok(ExitCode::SUCCESS)
    }

    /// The address stands on a line of its own, whole, so that it can be copied.
    fn show(&self, name: &str, address: &Url) {
        let err = streams::err();
        let opened = !self.no_browser && browser::open(address.as_str());
        let how = if opened {
            "open this address if no browser opens by itself"
        } else {
            "open this address in a browser"
        };
        err.line(err.prose(&format!("To sign in to {name}, {how}:")));
        err.line(format_args!("\n{}\n", text::one_line(address.as_str())));
        err.line(err.prose(
            "Waiting for the browser. If it runs on another machine, its final page can't load: paste that page's address here.",
        ));
    }
}

impl Logout {
    pub(super) async fn execute(self) -> Result<ExitCode, Failure> {
        let (name, sign_in) = match &self.principal {
            None => self.server.sign_in().await?,
            Some(principal) => self.server.sign_in_of(principal).await?,
        };
        let recorded = self.server.recorded()?;
        let principal = self.principal.as_deref();
        let signed_out = sign_in
            .sign_out()
            .await
            .map_err(|error| refused(&name, &error))?;
        recorded.done(|| event(&name, "signed-out", principal, None))?;
        let name = match principal {
            None => name,
            Some(principal) => format!("{name} as principal {}", text::one_line(principal)),
        };
        let out = streams::out();
        out.line(out.prose(&match signed_out {
            SignOutOutcome::NotSignedIn => format!("not signed in to {name}"),
            SignOutOutcome::Revoked => format!("signed out of {name}; its tokens are revoked"),
            SignOutOutcome::Forgotten => {
                format!(
                    "signed out of {name}; its tokens are deleted here, and expire at the server"
                )
            }
        }));
        Ok(ExitCode::SUCCESS)
    }
}

/// What happened to a sign-in, for the audit log.
fn event(server: &str, outcome: &str, principal: Option<&str>, reason: Option<&str>) -> Event {
    Event::SignIn(ampoule_audit::SignIn {
        principal: principal.map(Into::into),
        server: Some(server.into()),
        outcome: outcome.into(),
        how: Some("oauth".into()),
        reason: reason.map(Into::into),
    })
}

impl Server {
    /// The audit log of the configuration.
    fn recorded(&self) -> Result<CommandLog, Failure> {
        CommandLog::of(&self.setup.read()?)
    }

    /// The server's name, escaped, and its sign-in.
    async fn sign_in(&self) -> Result<(String, SignIn), Failure> {
        let usage = |error: ampoule_sign_in::SignInError| Failure::usage(error.to_string());
        let options = match (&self.url, &self.name) {
            (Some(url), _) => at(url)?,
            (None, name) => return self.configured(name.as_deref().unwrap_or_default()).await,
        };
        let name = text::one_line(&options.name).into_owned();
        let store = Store::of_user().map_err(usage)?;
        let http = reqwest::Client::builder();
        let sign_in = SignIn::new(options, store, http).map_err(usage)?;
        Ok((name, sign_in))
    }

    /// The sign-in of a principal to a server of the configuration.
    async fn sign_in_of(&self, principal: &str) -> Result<(String, SignIn), Failure> {
        let name = self.name.as_deref().unwrap_or_default();
        let config = self.setup.read()?;
        let (name, host) = self.configured(name).await?;
        let (key, idle) = (config.serve.sign_in_key, config.serve.sign_in_idle);
        let store = ampoule_configured::store_of_principals(key, idle).map_err(Failure::usage)?;
        let owner = Owner::Principal(principal.into());
        Ok((name, host.owned_by(owner).kept_in(store)))
    }

    /// The sign-in to a server of the configuration.
    async fn configured(&self, name: &str) -> Result<(String, SignIn), Failure> {
        let config = self.setup.read()?;
        let shown = text::one_line(name).into_owned();
        let reach = config.servers.get(name).map(|server| &server.reach);
        match (reach, config.disabled.get(name)) {
            (Some(Reach::Api(api)), _) if api.auth.is_none() => Err(Failure::usage(format!(
                "`{shown}` is an HTTP API without `auth` in ampoule.toml, so nobody signs in to it"
            ))),
            (Some(Reach::Graphql(api)), _) if api.auth.is_none() => Err(Failure::usage(format!(
                "`{shown}` is a GraphQL API without `auth` in ampoule.toml, so nobody signs in to it"
            ))),
            (Some(reach @ (Reach::Remote(_) | Reach::Api(_) | Reach::Graphql(_))), _) => {
                let sign_in = ampoule_configured::sign_in(name, reach).await;
                Ok((shown, sign_in.map_err(Failure::usage)?))
            }
            (Some(Reach::Process(_)), _) => Err(Failure::usage(format!(
                "`{shown}` is a program on this machine and needs no sign-in"
            ))),
            (None, Some(problem)) => Err(Failure::usage(format!(
                "server `{shown}` is disabled: {problem}"
            ))),
            (None, None) if let Some(accounts) = accounts_of(name, &config) => Err(Failure::usage(
                format!("`{shown}` has several accounts; say which: {accounts}"),
            )),
            (None, None) => Err(Failure::usage(format!(
                "unknown server `{shown}`; `ampoule servers` lists the servers, and `--url` takes an address"
            ))),
        }
    }
}

/// The accounts of a server of that name, as they are written.
fn accounts_of(name: &str, config: &Config) -> Option<String> {
    let all = config.servers.keys().map(|known| known.as_str());
    let accounts = all.filter(|known| {
        let (server, account) = server_and_account(known);
        account.is_some() && server == name
    });
    let accounts: Vec<String> = accounts.map(|it| format!("`{it}`")).collect();
    (!accounts.is_empty()).then(|| accounts.join(", "))
}

/// A server that is not in the configuration.
fn at(url: &Url) -> Result<SignInOptions, Failure> {
    if !matches!(url.scheme(), "http" | "https") || url.host().is_none() {
        return Err(Failure::usage(
            "`--url` must begin with https:// or http://",
        ));
    }
    let mut options = SignInOptions::new(url.as_str(), url.clone());
    // No address has an apostrophe in it, once it is parsed.
    options.command = format!(
        "ampoule auth login --url '{}'",
        url.as_str().replace('\'', "%27")
    );
    Ok(options)
}

fn refused(name: &str, error: &ampoule_sign_in::SignInError) -> Failure {
    Failure::unreachable(&format!("{name}: {error}"))
}

/// The lines of standard input, one after the other. Reading it can't be interrupted, so a thread
/// does, which ends with the process.
fn pasted() -> mpsc::Receiver<String> {
    let (lines, pasted) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = String::new();
            let read = input.by_ref().take(MOST_PASTED).read_line(&mut line);
            if !matches!(read, Ok(1..)) || lines.blocking_send(line).is_err() {
                return;
            }
        }
    });
    pasted
}
