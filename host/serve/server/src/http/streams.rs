//! Streams by which clients are told unasked: that of a session, which its client opens with GET,
//! and since 2026-07-28 that of a request that stays open. They end when the server stops.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ampoule::{Principal, Trace};
use axum::body::Body;
use axum::response::Response;
use futures::stream::Stream;
use http::{Request, StatusCode};
use rmcp::model::{JsonRpcMessage, SubscriptionFilter};
use rmcp::transport::StreamableHttpService;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::body::UntilRead;
use super::connection::Arrival;
use super::endpoint::config;
use super::refusal::HttpRefusal;
use super::session::Session;
use super::sessions::Sessions;

use crate::mcp::asker::Asker;
use crate::mcp::client::Client;
use crate::mcp::server::Server;
use crate::mcp::watching::lists::Since;

/// What opens them.
pub(super) struct Streams {
    pub(super) server: Server,
    pub(super) sessions: Arc<Sessions>,
    /// How long a message may be, in bytes.
    pub(super) most: usize,
    /// Cancelled when the server takes no further requests.
    pub(super) closing: CancellationToken,
}

/// A request that stays open, and hears of changes meanwhile.
pub(super) struct Listens {
    pub(super) wanted: SubscriptionFilter,
    /// The client's name, as the client states it.
    pub(super) client: Option<String>,
}

impl Streams {
    /// The stream of a request that stays open.
    pub(super) async fn listen(&self, asked: Listens, request: Request<Vec<u8>>) -> Response {
        let given_up = CancellationToken::new();
        let _given_up = given_up.clone().drop_guard();
        let extensions = request.extensions();
        let asker = Asker {
            principal: extensions.get::<Principal>().cloned(),
            client: asked.client,
            trace: extensions.get::<Trace>().cloned(),
            given_up,
        };
        let client = Client::new(self.server.clone(), CancellationToken::new(), None);
        let listening = client.listening(&asked.wanted, &asker, self.closing.clone());
        let listening = match listening.await {
            Ok(listening) => listening,
            Err(error) => {
                let status = StatusCode::TOO_MANY_REQUESTS;
                let refusal = HttpRefusal::busy(status, error.message.into_owned());
                return axum::response::IntoResponse::into_response(refusal);
            }
        };
        let serve = move || Ok::<_, io::Error>(listening.clone());
        let service =
            StreamableHttpService::new(serve, Arc::clone(&self.sessions), config(self.most));
        let response = service.handle(request.map(Body::from)).await;
        response.map(Body::new)
    }

    /// What a stream of a session holds until it has ended.
    pub(super) fn admitted(
        &self,
        principal: Option<&Principal>,
        request: &Request<Body>,
    ) -> Result<impl Send + Unpin + use<>, HttpRefusal> {
        let shares = &self.server.streams;
        let share = shares.take(principal).ok_or_else(|| {
            HttpRefusal::busy(
                StatusCode::TOO_MANY_REQUESTS,
                format!(
                    "too many streams: you have {} of them; end one first",
                    shares.most()
                ),
            )
        })?;
        let arrival = request.extensions().get::<Arrival>();
        Ok((share, arrival.map(|arrival| arrival.busy.began())))
    }
}

/// An answer with what it holds until the answer has been read, or its reader is gone.
pub fn holding<T: Send + Unpin + 'static>(response: Response, held: T) -> Response {
    response.map(|answer| UntilRead::body(answer, held))
}

/// What the client of a session is told, until it opens another stream, or its session ends.
pub(super) struct NotificationStream {
    messages: mpsc::Receiver<ServerSseMessage>,
    _telling: AbortOnDropHandle<()>,
    _used: StreamUse,
}

/// A session with a stream is in use.
struct StreamUse(Arc<Session>);

impl Drop for StreamUse {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.streams -= 1;
        state.used = tokio::time::Instant::now();
    }
}

impl NotificationStream {
    pub(super) fn of(session: Arc<Session>, server: &Server, closing: CancellationToken) -> Self {
        let (sender, messages) = mpsc::channel(1);
        let asker = {
            let mut state = session.state.lock();
            state.streams += 1;
            let client = state.client.as_ref();
            Asker {
                principal: state.principal.clone(),
                client: client.map(|client| client.client_info.name.clone()),
                trace: None,
                given_up: session.ended.clone(),
            }
        };
        let watcher = Arc::clone(&session.watcher);
        watcher.watch_lists(server, &asker, Since::Listed);
        let (over, ended) = (watcher.streams(), session.ended.clone());
        let telling = async move {
            loop {
                let change = tokio::select! {
                    biased;
                    () = over.cancelled() => return,
                    () = ended.cancelled() => return,
                    () = closing.cancelled() => return,
                    change = watcher.changes.next() => change,
                };
                // A stream that took this one's place tells it.
                if over.is_cancelled() {
                    watcher.changes.note(change);
                    return;
                }
                let told = change.clone().notification();
                let message = ServerSseMessage::from_message(JsonRpcMessage::notification(told));
                if sender.send(message).await.is_err() {
                    watcher.changes.note(change);
                    return;
                }
            }
        };
        Self {
            messages,
            _telling: AbortOnDropHandle::new(tokio::spawn(telling)),
            _used: StreamUse(session),
        }
    }
}

impl Stream for NotificationStream {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.messages.poll_recv(context)
    }
}
