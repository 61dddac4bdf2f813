//! `ampoule serve --http`: where it listens, and how it stops.

use std::num::NonZeroU32;
use std::os::fd::{FromRawFd, OwnedFd};

use ampoule_access::{Access, AccessOptions, IssuerOptions, Source};
use ampoule_approvals::{Page, Webhook};
use ampoule_config::{AccessConfig, ServeConfig};
use ampoule_console::Console;
use ampoule_server::Server;
use ampoule_server::http::{Address, Http, Listener, Options, TlsFiles};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sd_notify::NotifyState;

use super::exit::Failure;
use super::stop_signal;
use super::streams;

/// How clients reach the server: the command line takes precedence over the configuration. `exchanges`:
/// whether callers' tokens are exchanged for those of servers.
pub(super) async fn options(
    serve: ServeConfig,
    exchanges: bool,
    tls_files: Option<TlsFiles>,
    approvals: Option<Page>,
    webhook: Option<Webhook>,
) -> Result<Options, Failure> {
    let access = match serve.auth {
        Some(auth) => access(auth, exchanges).await?,
        None => Access::open(),
    };
    let usual = Options::default();
    let or = |count: Option<NonZeroU32>, usual| count.map_or(usual, |count| count.get() as usize);
    let configured = serve.tls_cert.zip(serve.tls_key);
    let configured = configured.map(|(certificate, key)| TlsFiles { certificate, key });
    Ok(Options {
        access,
        hosts: serve.hosts,
        origins: serve.origins,
        tls: tls_files.or(configured),
        connections: or(serve.connections, usual.connections),
        connections_each: or(serve.connections_each, usual.connections_each),
        requests_each: or(serve.requests_each, usual.requests_each),
        sessions: or(serve.sessions, usual.sessions),
        sessions_each: or(serve.sessions_each, usual.sessions_each),
        session_idle: serve.session_idle.unwrap_or(usual.session_idle),
        stop_grace: serve.stop_grace.unwrap_or(usual.stop_grace),
        approvals,
        webhook,
        ..usual
    })
}

/// Who may use the server.
async fn access(auth: AccessConfig, exchanges: bool) -> Result<Access, Failure> {
    let file = auth.tokens.map(Source::File);
    let command = Some(auth.tokens_command).filter(|command| !command.is_empty());
    let options = AccessOptions {
        exchanges,
        tokens: file
            .into_iter()
            .chain(command.map(Source::Command))
            .collect(),
        issuer: auth
            .issuer
            .zip(auth.audience)
            .map(|(issuer, audience)| IssuerOptions {
                issuer,
                audience: vec![audience],
                resource: auth.resource,
                scopes: auth.scopes,
                principal_claim: auth.principal_claim,
                groups_claim: auth.groups_claim,
            }),
    };
    let client = auth
        .tls
        .unwrap_or_default()
        .client()
        .map_err(Failure::usage)?;
    let access = Access::new(options, client).await;
    access.map_err(|error| Failure::usage(format!("`serve.auth`: {error}")))
}

/// Serves clients until a signal stops the process: the first one gracefully, a second one at once.
pub(super) async fn serve(
    server: Server,
    address: &Address,
    options: Options,
    console: Option<Console>,
) -> Result<(), Failure> {
    raise_descriptors();
    let open = options.access.is_open();
    let scheme = if options.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let (parked, toolkits) = (server.clone(), server.toolkits());
    let http = Http::new(server, options)?;
    let listeners = listeners(address).await?;
    for listener in &listeners {
        if open && listener.is_public()? {
            return Err(Failure::usage(format!(
                "every client that reaches {listener} could run scripts: set `[serve.auth]` to say who may, or listen at 127.0.0.1 behind a proxy that authenticates clients"
            )));
        }
    }
    // Signals are handled before the address is printed: its reader may stop the server.
    let (told, again) = (stop_signal::told_to_stop()?, stop_signal::told_to_stop);
    for listener in &listeners {
        streams::err().note(match listener.port() {
            Some(_) => format!("serving MCP at {scheme}://{listener}/mcp"),
            None => format!("serving MCP at {listener}, path /mcp"),
        });
    }
    if !toolkits.is_empty() {
        let paths: Vec<_> = toolkits.iter().map(|name| format!("/mcp/{name}")).collect();
        streams::err().note(format_args!("toolkits: {}", paths.join(", ")));
    }
    if let Some(console) = &console {
        say_console(console, scheme, &listeners)?;
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = http.serve(listeners, async {
        let _ = stopped.await;
    });
    // Without systemd, there is no service manager to notify.
    let _ = sd_notify::notify(&[NotifyState::Ready]);
    let stopping = async {
        told.await;
        // The next server resumes the parked runs.
        parked.suspend();
        let _ = sd_notify::notify(&[NotifyState::Stopping]);
        streams::err().note(
            "stopping: active runs may continue for a moment; a second signal ends them at once",
        );
        let again = again();
        drop(stop);
        match again {
            Ok(again) => drop(again.await),
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = serving => {}
        () = stopping => {}
    }
    Ok(())
}

/// Where the console is. Where nobody is asked who they are, its address signs in one browser, once:
/// what a model's client can reach without a token must not answer approvals.
fn say_console(console: &Console, scheme: &str, listeners: &[Listener]) -> Result<(), Failure> {
    let browsers = console.browsers();
    for listener in listeners.iter().filter(|it| it.port().is_some()) {
        let path = match browsers.is_local() {
            true => browsers.one_time_path().map_err(|it| Failure::host(&it))?,
            false => "/console".to_owned(),
        };
        let once = match browsers.is_local() {
            true => ", for one browser, once",
            false => "",
        };
        streams::err().note(format!("console at {scheme}://{listener}{path}{once}"));
    }
    Ok(())
}

async fn listeners(address: &Address) -> Result<Vec<Listener>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("can't listen where `--http` says: {error}"))
    };
    if *address != Address::Systemd {
        let listener = Listener::bind(address).await;
        return Ok(vec![listener.map_err(|error| wrong(&error))?]);
    }
    let sockets = sd_notify::listen_fds().map_err(|error| wrong(&error))?;
    if sockets.len() == 0 {
        return Err(wrong(
            &"systemd passed no socket; add a socket unit with the name of this service",
        ));
    }
    let take = |socket| {
        // SAFETY: systemd opened it for this process alone, and nothing else has taken it.
        #[expect(unsafe_code, reason = "a number is all that systemd says of a socket")]
        let socket = unsafe { OwnedFd::from_raw_fd(socket) };
        Listener::from_fd(socket).map_err(|error| wrong(&error))
    };
    sockets.map(take).collect()
}

/// Raises the limit on descriptors to its maximum: each connection is one. Programs that expect at
/// most 1024 have to be started with fewer.
fn raise_descriptors() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::debug!(%error, "the limit on descriptors can't be raised");
    }
}
