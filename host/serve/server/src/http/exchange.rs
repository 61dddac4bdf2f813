//! One request of a session, and its answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ampoule::Principal;
use futures::stream::Stream;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, CustomNotification, CustomRequest, InitializeRequestParams,
    JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::serve_directly_with_ct;
use rmcp::transport::OneshotTransport;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::session::Session;
use crate::mcp::client::Client;
use crate::mcp::server::Server;
use crate::mcp::tasks::of_2025::ConnectedClient;
use crate::runs::asking::link::{ClientLink, ClientMessage};

/// A request that is to be served.
pub(super) struct Exchange {
    pub(super) server: Server,
    /// Cancelled when runs are to end.
    pub(super) stopping: CancellationToken,
    /// The connection for questions to the client.
    pub(super) link: Arc<ClientLink>,
    /// What the client states of itself.
    pub(super) client: InitializeRequestParams,
    pub(super) message: ClientJsonRpcMessage,
    pub(super) session: Arc<Session>,
    /// Cancels the request.
    pub(super) cancel: CancellationToken,
    /// What is sent for it beside its answer.
    pub(super) questions: mpsc::Receiver<ClientMessage>,
}

/// Serves a request. Dropping the stream cancels the request.
pub(super) fn begin(exchange: Exchange) -> Answers {
    let Exchange {
        server,
        stopping,
        link,
        client: about_client,
        message,
        session,
        cancel,
        questions,
    } = exchange;
    let client = Client::new(server, CancellationToken::new(), Some(link))
        .until(stopping)
        .hearing(session.log_level.clone())
        .watching(Arc::clone(&session.watcher));
    let client = ConnectedClient(client);
    let (transport, answers) = OneshotTransport::<RoleServer>::new(message);
    // `rmcp` cancels its own when it is done.
    let serving =
        serve_directly_with_ct(client, transport, Some(about_client), cancel.child_token());
    tokio::spawn(serving.waiting());
    Answers {
        answers,
        questions,
        answered: false,
        session,
        cancel,
    }
}

/// What is sent for a request, until it is answered.
pub(super) struct Answers {
    answers: mpsc::Receiver<ServerJsonRpcMessage>,
    questions: mpsc::Receiver<ClientMessage>,
    answered: bool,
    session: Arc<Session>,
    cancel: CancellationToken,
}

impl Stream for Answers {
    type Item = ServerSseMessage;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.answered {
            return Poll::Ready(None);
        }
        if let Poll::Ready(next) = self.answers.poll_recv(context) {
            self.answered = matches!(
                next,
                None | Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
            );
            // What its client has cancelled has no answer.
            let next = next.filter(|_| !self.answered || !self.cancel.is_cancelled());
            return Poll::Ready(next.map(ServerSseMessage::from_message));
        }
        match self.questions.poll_recv(context) {
            Poll::Ready(Some(sent)) => {
                Poll::Ready(Some(ServerSseMessage::from_message(to_rmcp(sent))))
            }
            _ => Poll::Pending,
        }
    }
}

impl Answers {
    /// Who waits for them.
    pub(super) fn principal(&self) -> Option<Principal> {
        self.session.state.lock().principal.clone()
    }

    /// Cancelled when the request is.
    pub(super) fn cancelled(&self) -> CancellationToken {
        self.cancel.clone()
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.session.over(&self.cancel);
    }
}

/// What the server sends to a client unasked, as `rmcp` has it.
fn to_rmcp(sent: ClientMessage) -> ServerJsonRpcMessage {
    let ClientMessage { method, id, params } = sent;
    match id {
        Some(id) => JsonRpcMessage::request(
            CustomRequest::new(method, Some(params)).into(),
            RequestId::String(id.into()),
        ),
        None => JsonRpcMessage::notification(CustomNotification::new(method, Some(params)).into()),
    }
}
