//! A session: who began it, and what that client can do.

use std::convert::Infallible;
use std::sync::{Arc, Weak};

use ampoule::Principal;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, InitializeRequestParams, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::resumption::{Resumable, ResumableStream};
use crate::mcp::watching::watcher::Watcher;
use crate::runs::asking::link::{ClientLink, ClientReply};
use crate::runs::lines::LogLevelChoice;

/// A session.
pub(super) struct Session {
    /// The toolkit at whose address it began: it is useless at any other.
    pub(super) toolkit: Option<Arc<str>>,
    /// The level from which on the client wants servers' log lines.
    pub(super) log_level: LogLevelChoice,
    pub(super) state: Mutex<SessionState>,
    /// Cancelled when it is over.
    pub(super) ended: CancellationToken,
    /// What its client is told unasked.
    pub(super) watcher: Arc<Watcher>,
}

pub(super) struct SessionState {
    pub(super) principal: Option<Principal>,
    /// None until the client has been answered.
    pub(super) client: Option<InitializeRequestParams>,
    pub(super) handshake: Option<HandshakePeer>,
    /// Whether `rmcp`'s task of the session still exists. It ends right after the handshake, and
    /// reports it as if the session were over.
    pub(super) has_task: bool,
    pub(super) used: Instant,
    pub(super) under_way: Vec<OpenRequest>,
    /// How many streams tell its client.
    pub(super) streams: usize,
    /// Answers that can be resumed.
    pub(super) resumable: Vec<Weak<Resumable>>,
}

impl SessionState {
    /// Whether its client uses it now.
    pub(super) fn is_busy(&self) -> bool {
        !self.under_way.is_empty() || self.streams > 0
    }
}

/// An active request.
pub(super) struct OpenRequest {
    pub(super) id: RequestId,
    pub(super) cancel: CancellationToken,
    pub(super) link: Arc<ClientLink>,
}

impl Session {
    /// Hands an answer of the client's to the request that asked.
    pub(super) fn settle(&self, answer: &ClientReply) {
        let links: Vec<_> = {
            let mut state = self.state.lock();
            state.used = Instant::now();
            let links = state.under_way.iter().map(|one| Arc::clone(&one.link));
            links.collect()
        };
        if !links.iter().any(|link| link.settle(answer)) {
            tracing::debug!("a client answered an unknown question");
        }
    }

    pub(super) fn cancel(&self, id: &RequestId) {
        let mut state = self.state.lock();
        state.used = Instant::now();
        let theirs = state.under_way.iter().filter(|one| one.id == *id);
        theirs.for_each(|one| one.cancel.cancel());
    }

    /// An answer can be resumed from now on.
    pub(super) fn add(&self, answer: &Arc<Resumable>) {
        let mut state = self.state.lock();
        state.resumable.retain(|known| known.strong_count() > 0);
        state.resumable.push(Arc::downgrade(answer));
    }

    /// The rest of an answer, after this event of it.
    pub(super) fn resumed(&self, event: &str) -> Option<ResumableStream> {
        let known: Vec<_> = {
            let state = self.state.lock();
            state.resumable.iter().filter_map(Weak::upgrade).collect()
        };
        known.iter().find_map(|answer| answer.resumed(event))
    }

    /// Ends the request with this token.
    pub(super) fn over(&self, cancel: &CancellationToken) {
        cancel.cancel();
        let mut state = self.state.lock();
        state.used = Instant::now();
        state.under_way.retain(|one| !one.cancel.is_cancelled());
        state.under_way.shrink_to_fit();
    }
}

/// What `rmcp` begins a session on: the first message, and the answer to it. Then it is over.
pub(super) struct Handshake {
    first: Option<oneshot::Receiver<ClientJsonRpcMessage>>,
    answer: Option<oneshot::Sender<ServerJsonRpcMessage>>,
}

/// The other end of a [`Handshake`].
pub(super) struct HandshakePeer {
    pub(super) offer: oneshot::Sender<ClientJsonRpcMessage>,
    pub(super) answered: oneshot::Receiver<ServerJsonRpcMessage>,
}

impl Handshake {
    /// One, and its other end.
    pub(super) fn new() -> (Self, HandshakePeer) {
        let (offer, first) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let handshake = Self {
            first: Some(first),
            answer: Some(answer),
        };
        (handshake, HandshakePeer { offer, answered })
    }
}

impl Transport<RoleServer> for Handshake {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let Some(answer) = self.answer.take() {
            // The waiting request may be gone.
            let _ = answer.send(message);
        }
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.first.take()?.await.ok()
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}
