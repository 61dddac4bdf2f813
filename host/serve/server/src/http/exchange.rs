//! One request of a session, and what it is answered.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::stream::Stream;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, InitializeRequestParams, JsonRpcMessage, ServerJsonRpcMessage,
};
use rmcp::service::serve_directly_with_ct;
use rmcp::transport::common::server_side_http::ServerSseMessage;
use rmcp::transport::{OneshotTransport, Transport};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::sessions::Session;
use crate::Server;
use crate::asked::{Asked, Sent};
use crate::client::Client;
use crate::tasks::of_2025::Connected;

/// Serves a request. Where its stream is dropped, the request is given up.
pub(super) fn begin(
    (server, stopping, asked): (Server, CancellationToken, Arc<Asked>),
    about_client: InitializeRequestParams,
    message: ClientJsonRpcMessage,
    (session, cancel): (Arc<Session>, CancellationToken),
    questions: mpsc::Receiver<Sent>,
) -> Answers {
    let client = Client::new(server, CancellationToken::new(), Some(asked))
        .until(stopping)
        .hearing(session.log_level.clone());
    let client = Connected(client);
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
    questions: mpsc::Receiver<Sent>,
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
                Poll::Ready(Some(ServerSseMessage::from_message(sent.message())))
            }
            _ => Poll::Pending,
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.session.over(&self.cancel);
    }
}

/// What `rmcp` begins a session on: the first message, and the answer to it. Then it is over.
pub(super) struct Handshake {
    first: Option<oneshot::Receiver<ClientJsonRpcMessage>>,
    answer: Option<oneshot::Sender<ServerJsonRpcMessage>>,
}

impl Handshake {
    /// One, and its other end.
    pub(super) fn new() -> (
        Self,
        (
            oneshot::Sender<ClientJsonRpcMessage>,
            oneshot::Receiver<ServerJsonRpcMessage>,
        ),
    ) {
        let (offer, first) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let handshake = Self {
            first: Some(first),
            answer: Some(answer),
        };
        (handshake, (offer, answered))
    }
}

impl Transport<RoleServer> for Handshake {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        if let Some(answer) = self.answer.take() {
            // Who waited for it may be gone.
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
