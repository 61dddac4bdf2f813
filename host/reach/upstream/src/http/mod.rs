//! Servers that are reached by HTTP: streamable HTTP since 2025-03-26, and HTTP with SSE before.
//!
//! - `server`: where a server is, and what it is sent besides messages; `command_headers`: headers
//!   that a command prints; `configured_headers`: those of the configuration
//! - `client`: TLS, proxies, compression; `network`: where a server may not send the client
//! - `request`: one request, with credentials, over redirects
//! - `session`: a connection: what becomes of each message; `exchange`: a request and its answer;
//!   `streams`: what servers send besides; `error_response`: what they say where they
//!   refuse
//! - `events`: server-sent events; `retry`: how long to wait

mod client;
mod command_headers;
mod configured_headers;
mod error_response;
mod events;
mod exchange;
mod network;
mod request;
mod retry;
mod server;
mod session;
mod streams;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use http::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::Client;
use tokio::sync::{Mutex, OnceCell};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::command_headers::CommandHeaders;
use self::session::Session;

use super::pending::Fault;
use super::reading::Reading;
use super::secrets::{Secrets, token_of};
use super::wire::Wire;

pub use self::configured_headers::ConfiguredHeaders;
pub use self::server::{RemoteServer, Transport, UrlError};

/// A server, as all its connections share it.
pub(super) struct Remote {
    name: Arc<str>,
    server: RemoteServer,
    secrets: Secrets,
    client: OnceCell<Client>,
    configured: Result<ConfiguredHeaders, String>,
    printed: Mutex<CommandHeaders>,
    /// It was last reached by HTTP with SSE, where that was to be found out.
    speaks_sse: AtomicBool,
}

/// What says who asks.
struct Credentials {
    headers: HeaderMap,
    /// When it was got.
    got: Instant,
    /// What a command printed comes with a count, which tells it from what the command prints the
    /// next time.
    printed: u64,
}

impl Remote {
    pub(super) fn new(name: Arc<str>, server: RemoteServer, secrets: Secrets) -> Self {
        Self {
            name,
            configured: ConfiguredHeaders::new(&server.headers),
            server,
            secrets,
            client: OnceCell::new(),
            printed: Mutex::default(),
            speaks_sse: AtomicBool::new(false),
        }
    }

    /// Carries what waits on a connection, until that is stopped.
    pub(super) fn carry(
        self: Arc<Self>,
        wire: &Arc<Wire>,
        tasks: &TaskTracker,
        stop: &CancellationToken,
    ) {
        let reading = Reading::new(Arc::clone(wire));
        let session = Session::new(self, reading.messages(), tasks.clone(), stop.clone());
        tasks.spawn(session.run(reading));
    }

    /// The client, made when it is first needed.
    async fn client(&self) -> Result<&Client, Fault> {
        let make = || async {
            let (url, tls) = (self.server.url.clone(), self.server.tls.clone());
            let made = tokio::task::spawn_blocking(move || client::client(&url, &tls, None));
            let made = made
                .await
                .unwrap_or_else(|_| Err("the runtime is ending".to_owned()));
            made.map_err(|why| Fault::NotReached(format!("can't be reached: {why}")))
        };
        self.client.get_or_try_init(make).await
    }

    /// Everything that says who asks.
    async fn credentials(&self) -> Result<Credentials, Fault> {
        let unreached = |why| Fault::NotReached(format!("can't be reached: {why}"));
        let configured = self
            .configured
            .as_ref()
            .map_err(|why| unreached(why.clone()))?;
        let headers = configured.get(|name, value| self.secrets.add_header(name, value));
        let mut headers = headers.await.map_err(unreached)?;
        let got = Instant::now();
        let mut count = 0;
        if let Some(command) = &self.server.headers_command {
            let mut printed = self.printed.lock().await;
            let known = printed.get(command, &self.secrets).await;
            headers.extend(known.map_err(unreached)?.clone());
            count = printed.count;
        }
        if let Some(authorizer) = &self.server.authorizer
            && let Some(mut value) = authorizer.authorization().await?
        {
            let token = value.to_str().map(token_of);
            if token.is_ok_and(|token| self.secrets.add_token(token)) {
                for secret in authorizer.secrets().await {
                    self.secrets.add_token(&secret);
                }
            }
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Credentials {
            headers,
            got,
            printed: count,
        })
    }

    /// The server did not accept who asks. Whether to ask once more.
    async fn renew(
        &self,
        status: u16,
        challenges: &[HeaderValue],
        refused: &Credentials,
    ) -> Result<bool, Fault> {
        if let Some(authorizer) = &self.server.authorizer {
            return Ok(authorizer.refused(status, challenges).await?);
        }
        if status != 401 {
            return Ok(false);
        }
        let is_printed = self.server.headers_command.is_some();
        if is_printed {
            self.printed.lock().await.forget(refused.printed);
        }
        let is_reread = match &self.configured {
            Ok(configured) => configured.refused(refused.got).await,
            Err(_) => false,
        };
        Ok(is_printed || is_reread)
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Remote").field(&self.server).finish()
    }
}

/// Names of headers, in small letters.
const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
