//! One connection: what becomes of each message that waits to be sent.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::Response;
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use url::Url;

use super::request::Ask;
use super::{LAST_EVENT_ID, MCP_METHOD, MCP_NAME, PROTOCOL_VERSION, Remote, SESSION_ID, Transport};
use crate::handshake::STATELESS;
use crate::mirrored::value;
use crate::outbox::{Kind, Outgoing};
use crate::pending::Fault;
use crate::reading::{Messages, Reading};

/// How long a message may take to be accepted that has no answer.
const ACCEPTED: Duration = Duration::from_secs(30);

/// How many of these are on their way at once.
const AT_ONCE: usize = 16;

/// How long the end of a session may take to be told.
const FAREWELL: Duration = Duration::from_secs(2);

/// How long a call waits for the stream of what a server sends unasked.
const LISTENING: Duration = Duration::from_secs(1);

/// How long a session's id may be, in bytes.
const MAX_ID_BYTES: usize = 1024;

pub(super) struct Session {
    pub(super) remote: Arc<Remote>,
    pub(super) messages: Arc<Messages>,
    /// What the server calls the session, where it has any.
    pub(super) id: OnceLock<HeaderValue>,
    /// Where messages go in HTTP with SSE.
    pub(super) endpoint: OnceCell<Url>,
    /// When the server was first asked for what it sends unasked, where it was.
    asked: OnceLock<Instant>,
    /// The server has said whether it sends anything unasked.
    pub(super) listens: CancellationToken,
    pub(super) stop: CancellationToken,
    tasks: TaskTracker,
    room: Arc<Semaphore>,
}

impl Session {
    pub(super) fn new(
        remote: Arc<Remote>,
        messages: Arc<Messages>,
        tasks: TaskTracker,
        stop: CancellationToken,
    ) -> Arc<Self> {
        Arc::new(Self {
            remote,
            messages,
            id: OnceLock::new(),
            endpoint: OnceCell::new(),
            asked: OnceLock::new(),
            listens: CancellationToken::new(),
            stop,
            tasks,
            room: Arc::new(Semaphore::new(AT_ONCE)),
        })
    }

    /// Sends what waits, until the connection is stopped, and then takes leave.
    pub(super) async fn run(self: Arc<Self>, reading: Reading) {
        let ended = self.stop.clone().drop_guard();
        self.stop.run_until_cancelled(self.send_all()).await;
        drop((ended, reading));
        self.leave().await;
    }

    async fn send_all(self: &Arc<Self>) {
        while let Some(Outgoing { line, kind }) = self.messages.wire.outbox.next().await {
            let line = Bytes::from(line);
            match &kind {
                Kind::Request { id, .. } => {
                    let id = *id;
                    self.spawn(Arc::clone(self).exchange(id, kind, line));
                }
                // Nothing else is understood before it has arrived.
                Kind::Notification { method } if &**method == "notifications/initialized" => {
                    self.tell(&kind, line).await;
                    if self.endpoint.get().is_none() {
                        let _ = self.asked.set(Instant::now());
                        self.spawn(Arc::clone(self).listen());
                    }
                }
                // That its stream is closed says it.
                Kind::Notification { method }
                    if &**method == "notifications/cancelled" && self.is_stateless() => {}
                Kind::Notification { .. } | Kind::Reply => {
                    let Ok(room) = Arc::clone(&self.room).acquire_owned().await else {
                        return;
                    };
                    let session = Arc::clone(self);
                    self.spawn(async move {
                        session.tell(&kind, line).await;
                        drop(room);
                    });
                }
            }
        }
    }

    /// Does something beside the rest, for as long as the connection lasts.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            stop.run_until_cancelled(work).await;
        });
    }

    /// Waits until what the server sends unasked arrives, in the first moments of a connection. There
    /// some servers ask what they ask during a call; while the stream is not open, the question is lost.
    pub(super) async fn listening(&self) {
        if let Some(asked) = self.asked.get() {
            let _ = tokio::time::timeout_at(*asked + LISTENING, self.listens.cancelled()).await;
        }
    }

    /// Sends a message that has no answer.
    async fn tell(&self, kind: &Kind, line: Bytes) {
        let server = &self.remote.name;
        match tokio::time::timeout(ACCEPTED, self.post(kind, line)).await {
            Ok(Ok(response)) if response.status().is_success() => {}
            Ok(Ok(response)) if self.is_forgotten(&response) => self.retire(),
            Ok(Ok(response)) => {
                tracing::debug!(%server, status = %response.status(), "a message was not accepted");
            }
            Ok(Err(fault)) => tracing::debug!(%server, ?fault, "a message can't be sent"),
            Err(_) => tracing::debug!(%server, "a message was not accepted in time"),
        }
    }

    /// Sends a message.
    pub(super) async fn post(&self, kind: &Kind, line: Bytes) -> Result<Response, Fault> {
        let mut headers = self.headers(kind);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let accepted = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(ACCEPT, accepted);
        self.ask(Method::POST, headers, None, line).await
    }

    /// Asks for a stream of events; after one of them, where its id is given.
    pub(super) async fn get(&self, after: Option<&str>) -> Result<Response, Fault> {
        let mut headers = self.headers(&Kind::Reply);
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.ask(Method::GET, headers, after, Bytes::new()).await
    }

    async fn ask(
        &self,
        method: Method,
        headers: HeaderMap,
        after: Option<&str>,
        body: Bytes,
    ) -> Result<Response, Fault> {
        let mut confidential = HeaderMap::new();
        confidential.extend(self.id.get().map(|id| (SESSION_ID, id.clone())));
        let after = after.and_then(|id| HeaderValue::from_str(id).ok());
        confidential.extend(after.map(|id| (LAST_EVENT_ID, id)));
        let url = self.endpoint.get().unwrap_or(&self.remote.server.url);
        let ask = Ask {
            method,
            url: url.clone(),
            headers,
            confidential,
            body,
        };
        self.remote.send(&ask).await
    }

    /// What the protocol wants said of a message beside it.
    fn headers(&self, kind: &Kind) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let agreed = self.messages.wire.version.get().map(String::as_str);
        let (method, name) = match kind {
            Kind::Request { method, name, .. } => (Some(method), name.as_deref()),
            Kind::Notification { method } => (Some(method), None),
            Kind::Reply => (None, None),
        };
        let discovers = method.is_some_and(|method| &**method == "server/discover");
        let version = if discovers {
            Some(STATELESS.as_str())
        } else {
            agreed
        };
        let version = version.and_then(|version| HeaderValue::from_str(version).ok());
        headers.extend(version.map(|version| (PROTOCOL_VERSION, version)));
        if discovers || self.is_stateless() {
            let said = [(MCP_METHOD, method.map(|it| &**it)), (MCP_NAME, name)];
            let said = said
                .into_iter()
                .filter_map(|(header, text)| Some((header, value(text?)?)));
            headers.extend(said);
        }
        if let Kind::Request {
            headers: beside, ..
        } = kind
        {
            headers.extend(beside.clone());
        }
        headers
    }

    /// Whether each request stands for itself.
    pub(super) fn is_stateless(&self) -> bool {
        self.messages.wire.version.get().map(String::as_str) == Some(STATELESS.as_str())
    }

    /// Whether this is HTTP with SSE.
    pub(super) fn is_old(&self) -> bool {
        match self.remote.server.transport {
            Transport::Sse => true,
            Transport::StreamableHttp => false,
            Transport::Auto => {
                self.endpoint.get().is_some() || self.remote.speaks_sse.load(Ordering::Relaxed)
            }
        }
    }

    /// Notes what the server calls the session.
    pub(super) fn begun(&self, response: &Response) {
        let id = response.headers().get(SESSION_ID);
        if let Some(id) = id.filter(|id| id.len() <= MAX_ID_BYTES) {
            let mut id = id.clone();
            id.set_sensitive(true);
            let _ = self.id.set(id);
        }
    }

    /// Whether the server no longer knows the session.
    pub(super) fn is_forgotten(&self, response: &Response) -> bool {
        response.status() == http::StatusCode::NOT_FOUND && self.is_session()
    }

    /// Whether there is something that the server can forget.
    pub(super) fn is_session(&self) -> bool {
        self.id.get().is_some() || self.endpoint.get().is_some()
    }

    /// The session has ended: new requests need another one. Those under way have their own answers.
    pub(super) fn retire(&self) {
        tracing::debug!(server = %self.remote.name, "the server forgot the session");
        self.messages.wire.pending.retire();
    }

    /// Something came.
    pub(super) fn heard(&self) {
        self.messages.wire.heard.send_replace(Instant::now());
    }

    /// Tells the server that the session is over.
    async fn leave(&self) {
        if self.id.get().is_none() || self.endpoint.get().is_some() {
            return;
        }
        let headers = self.headers(&Kind::Reply);
        let left = self.ask(Method::DELETE, headers, None, Bytes::new());
        // Servers need not have this.
        let _ = tokio::time::timeout(FAREWELL, left).await;
    }
}
