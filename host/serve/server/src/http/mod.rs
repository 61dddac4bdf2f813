//! Many clients over HTTP: MCP's streamable HTTP, before and since 2026-07-28.
//!
//! - `listen`: where it is reached; `tls`: by which certificate; `places`: by how many; `connection`:
//!   one connection
//! - `routes`: what is at which address; `handlers`: what answers there; `accept`: which forms of an answer a client takes
//! - `endpoint`: MCP at one address: of the whole server, or of a toolkit
//! - `side_service`: what a program serves beside MCP, such as the console; `alone`: routes that are alone
//! - `gate`: the checks of a request: `names` (hosts and origins), `body`, `message`; `refusal`: the
//!   errors for refused requests
//! - `hooks`: messages of other systems that start runs
//! - `page`: the pages on which people answer questions and sign in to servers, and systems that
//!   answer
//! - `streams`: what clients are told unasked
//! - `sessions`, which clients before 2026-07-28 have; `session`: one of them; `exchange`: one request
//!   of theirs; `resumption`: its answer, on another connection

mod accept;
mod alone;
mod body;
mod connection;
mod endpoint;
mod exchange;
mod gate;
mod handlers;
mod hooks;
pub(crate) mod listen;
mod message;
mod names;
pub(crate) mod page;
mod places;
mod refusal;
mod resumption;
mod routes;
mod session;
mod sessions;
mod side_service;
mod streams;
#[cfg(test)]
mod tests;
mod tls;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ampoule::{Error, Language};
use ampoule_approvals::{Page, Webhook};
use ampoule_sign_in::accounts::Accounts;
use axum::Router;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::body::Room;
use self::connection::{Arrival, ConnectionUse};
use self::endpoint::{EndpointSetup, Endpoints};
use self::gate::Gate;
use self::hooks::HookDoor;
use self::listen::{AcceptedStream, EXHAUSTED};
use self::names::Names;
use self::page::People;
use self::places::Places;
use self::sessions::{AllSessions, Bounds};
use crate::mcp::server::Server;
use crate::mcp::watching::shares::Shares;
use crate::mcp::{requests, transport};
use crate::unattended::UnattendedRuns;

pub use ampoule_access::Access;

pub use self::connection::Patience;
pub use self::listen::{Address, Listener};
pub use self::side_service::serve_alone;
pub use self::streams::holding;
pub use self::tls::TlsFiles;

/// How long a client may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// How long cancelled runs may take to report their state, and clients to read it.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How a server is reached over HTTP, and by whom.
#[derive(Clone)]
pub struct Options {
    /// Names that it is reached by, with or without a port, beside those of this machine.
    pub hosts: Vec<String>,
    /// Pages that may use it, such as `https://chat.example.com`, beside those of this machine.
    pub origins: Vec<String>,
    /// Who its clients are.
    pub access: Access,
    /// By which files it is reached with TLS, if it is.
    pub tls: Option<TlsFiles>,
    /// How many connections there may be. Default: 8192.
    pub connections: usize,
    /// How many of one address; those of this machine are not counted. Default: 256.
    pub connections_each: usize,
    /// How many active requests one principal may have. Default: 256.
    pub requests_each: usize,
    /// How many sessions there may be. Default: 16,384.
    pub sessions: usize,
    /// How many of one principal. Default: 8192.
    pub sessions_each: usize,
    /// How long an unused session is kept. Default: 1 h.
    pub session_idle: Duration,
    /// How long a request of a session continues if its connection ends before the answer: a client
    /// of 2025-11-25 resumes the answer on another connection. Zero: the request is cancelled at
    /// once. Default: 30 s.
    pub resume_within: Duration,
    /// How long runs may continue once the server stops. Default: 10 s.
    pub stop_grace: Duration,
    /// How long clients may take.
    pub patience: Patience,
    /// The page on which people answer questions, beneath `/approvals/`. Default: none.
    pub approvals: Option<Page>,
    /// An operator's system that gets the questions, and may answer with POST at
    /// `/approvals/answers`. Default: none.
    pub webhook: Option<Webhook>,
    /// The page on which principals sign in to servers, beneath `/auth/`. Default: none.
    pub accounts: Option<Accounts>,
    /// What is served beside MCP, at addresses of its own, such as the console. Default: nothing.
    pub beside: Router,
    /// Runs that messages to `/hooks/NAME` start. Default: none.
    pub unattended: Option<UnattendedRuns>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hosts: Vec::new(),
            origins: Vec::new(),
            access: Access::open(),
            tls: None,
            connections: 8192,
            connections_each: 256,
            requests_each: 256,
            sessions: 16_384,
            sessions_each: 8192,
            resume_within: Duration::from_secs(30),
            session_idle: Duration::from_hours(1),
            stop_grace: Duration::from_secs(10),
            patience: Patience::default(),
            approvals: None,
            webhook: None,
            accounts: None,
            beside: Router::new(),
            unattended: None,
        }
    }
}

/// A server that many clients reach over HTTP.
pub struct Http {
    gate: Arc<Gate>,
    router: Router,
    tls: Option<TlsAcceptor>,
    places: Places,
    stop_grace: Duration,
    /// Cancelled when runs are to end.
    ending: CancellationToken,
    server: Server,
}

impl Http {
    /// Prepares a server.
    ///
    /// # Errors
    ///
    /// A configuration error where a name or a certificate can't be used.
    pub fn new(server: Server, options: Options) -> Result<Self, Error> {
        let names = Names::new(&options.hosts, &options.origins);
        let names = names.map_err(|wrong| Error::config(format!("`{}` is neither a name such as `mcp.example.com` nor an origin such as `https://chat.example.com`", wrong.escape_default())))?;
        let tls = options.tls.as_ref().map(TlsFiles::acceptor).transpose();
        let tls =
            tls.map_err(|error| Error::config(format!("the certificate can't be used: {error}")))?;
        let ending = CancellationToken::new();
        let bounds = Bounds {
            all: options.sessions,
            each: options.sessions_each,
            idle: options.session_idle,
            resume: options.resume_within,
        };
        let closing = CancellationToken::new();
        let sessions = AllSessions::new(bounds, ending.clone(), closing.clone());
        let sessions = Arc::new(sessions);
        let most = transport::most_line_bytes(server.runs.shared.runtime.limits().host_bytes);
        let people = People::new(
            options.approvals,
            options.webhook,
            options.accounts,
            names.clone(),
            options.patience,
        );
        let gate = Arc::new(Gate {
            people,
            hooks: HookDoor::new(options.unattended, options.patience),
            asking: server.runs.asking().cloned(),
            names,
            endpoints: Endpoints::new(
                server.clone(),
                options.access,
                EndpointSetup {
                    sessions: Arc::clone(&sessions),
                    ending: ending.clone(),
                    closing: closing.clone(),
                    most,
                },
            ),
            sessions,
            room: Room::new(requests::room_bytes(most)),
            most,
            patience: options.patience,
            at_once: Shares::new(options.requests_each),
            under_way: TaskTracker::new(),
            closing,
            ready: OnceLock::new(),
            telemetry: server.runs.telemetry.clone(),
        });
        Ok(Self {
            router: routes::router(&gate, options.beside),
            gate,
            tls,
            places: Places::new(options.connections, options.connections_each),
            stop_grace: options.stop_grace,
            ending,
            server,
        })
    }

    /// Serves clients until `stop` is done. Then no further runs begin. Active runs may continue
    /// for a while, and are then cancelled; their answers have their output so far.
    pub async fn serve(self, listeners: Vec<Listener>, stop: impl Future<Output = ()>) {
        let http = Arc::new(self);
        let connections = TaskTracker::new();
        let (closing, gone) = (CancellationToken::new(), CancellationToken::new());
        let _gone = gone.clone().drop_guard();
        for listener in listeners {
            let accepting =
                Arc::clone(&http).accept(listener, connections.clone(), closing.clone());
            tokio::spawn(gone.clone().run_until_cancelled_owned(accepting));
        }
        let beside = async {
            tokio::join!(http.warm(), http.gate.sessions.end_idle());
        };
        tokio::select! {
            () = beside => {}
            () = stop => {}
        }
        http.gate.closing.cancel();
        let under_way = &http.gate.under_way;
        under_way.close();
        if timeout(http.stop_grace, under_way.wait()).await.is_err() {
            tracing::warn!(
                requests = under_way.len(),
                "cancelling runs: the server stops"
            );
            http.ending.cancel();
            let _ = timeout(LAST_WORDS, under_way.wait()).await;
        }
        closing.cancel();
        connections.close();
        let _ = timeout(LAST_WORDS, connections.wait()).await;
    }

    /// Reports ready once scripts of each language can run. A guest that the operator's limits have
    /// no room for is skipped.
    async fn warm(&self) {
        let mut ready = Vec::new();
        for language in [Language::JavaScript, Language::Python] {
            let name = language.title();
            let runtime = &self.server.runs.shared.runtime;
            let warm = match language {
                // It takes long: scripts in the other language go before it.
                Language::Python => runtime.warm_in_background(language).await,
                _ => runtime.warm(language).await,
            };
            match warm {
                Ok(()) => ready.push(name),
                Err(error) if error.is_config() && !ready.is_empty() => {
                    tracing::warn!(%error, language = name, "scripts can't be run");
                }
                Err(error) => {
                    return tracing::error!(?error, language = name, "scripts can't be run");
                }
            }
        }
        let _ = self
            .gate
            .ready
            .set(format!("ready: {}\n", ready.join(", ")));
    }

    async fn accept(
        self: Arc<Self>,
        listener: Listener,
        connections: TaskTracker,
        closing: CancellationToken,
    ) {
        let gone = CancellationToken::new();
        let _gone = gone.clone().drop_guard();
        loop {
            let accepted = match listener.accept().await {
                Ok(accepted) => accepted,
                // A client that is gone already is not an error. Without free descriptors, the
                // server waits until some are free.
                Err(error) => {
                    tracing::warn!(%error, "a connection can't be accepted");
                    tokio::time::sleep(EXHAUSTED).await;
                    continue;
                }
            };
            let peer = match &accepted {
                AcceptedStream::Tcp(stream, peer) => {
                    connection::notice_who_vanishes(stream, self.gate.patience.vanished);
                    Some(peer.ip())
                }
                AcceptedStream::Unix(_) => None,
            };
            let Some(place) = self.places.take(peer) else {
                tracing::debug!(?peer, "there are too many connections");
                continue;
            };
            // Boxed: each future that has it in itself would be as large once more.
            let serving = Box::pin(Arc::clone(&self).connection(accepted, closing.clone()));
            let gone = gone.clone();
            connections.spawn(async move {
                let _place = place;
                gone.run_until_cancelled(serving).await;
            });
        }
    }

    async fn connection(self: Arc<Self>, accepted: AcceptedStream, closing: CancellationToken) {
        let arrival = |local| Arrival {
            local,
            busy: ConnectionUse::new(self.gate.patience),
        };
        let router = self.router.clone();
        match (accepted, &self.tls) {
            (AcceptedStream::Unix(stream), _) => {
                Box::pin(connection::serve(
                    stream,
                    false,
                    router,
                    arrival(None),
                    closing,
                ))
                .await;
            }
            (AcceptedStream::Tcp(stream, _), None) => {
                let local = stream
                    .local_addr()
                    .ok()
                    .map(|local| local.ip().to_canonical());
                Box::pin(connection::serve(
                    stream,
                    false,
                    router,
                    arrival(local),
                    closing,
                ))
                .await;
            }
            (AcceptedStream::Tcp(stream, _), Some(tls)) => {
                let local = stream
                    .local_addr()
                    .ok()
                    .map(|local| local.ip().to_canonical());
                let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await else {
                    return;
                };
                let http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                Box::pin(connection::serve(
                    stream,
                    http2,
                    router,
                    arrival(local),
                    closing,
                ))
                .await;
            }
        }
    }
}
