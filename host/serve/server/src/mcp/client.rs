//! One client, as `rmcp` talks to it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use rmcp::model::CallToolResponse;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::caller::principal;
use super::results::{failure, host_failed};
use super::server::Server;
use crate::runs::asking::link::ClientLink;
use crate::runs::clients::ClientState;
use crate::runs::lines::LogLevelChoice;

/// A client that is connected: one on stdio, a session or a single request over HTTP.
pub(crate) struct Client {
    pub(super) server: Server,
    /// Cancelled when it goes away.
    pub(super) left: CancellationToken,
    /// Cancelled when runs have to end and report their state.
    stopping: CancellationToken,
    /// The connection for questions, if the transport is Ampoule's own.
    pub(super) link: Option<Arc<ClientLink>>,
    /// The level from which on the client wants servers' log lines.
    pub(super) log_level: LogLevelChoice,
}

impl Client {
    pub(crate) fn new(
        server: Server,
        left: CancellationToken,
        link: Option<Arc<ClientLink>>,
    ) -> Self {
        Self {
            server,
            left,
            stopping: CancellationToken::new(),
            link,
            log_level: LogLevelChoice::default(),
        }
    }

    /// One that says what it wants to hear of what servers log in another of its requests.
    pub(crate) fn hearing(self, log_level: LogLevelChoice) -> Self {
        Self { log_level, ..self }
    }

    /// A client whose runs end when this is cancelled, and report their state.
    pub(crate) fn until(self, stopping: CancellationToken) -> Self {
        Self { stopping, ..self }
    }

    /// Does the work of a request, until its client or the operator cancels it. A client that is
    /// gone gets no answer.
    pub(super) async fn done<F>(
        &self,
        mut context: RequestContext<RoleServer>,
        what: impl FnOnce(RequestContext<RoleServer>) -> F,
    ) -> Result<CallToolResponse, ErrorData>
    where
        F: Future<Output = Result<CallToolResponse, ErrorData>>,
    {
        let ends = self.stopping.child_token();
        let given_up = std::mem::replace(&mut context.ct, ends.clone());
        let giving_up = async {
            given_up.cancelled().await;
            ends.cancel();
            std::future::pending().await
        };
        let doing = AssertUnwindSafe(what(context)).catch_unwind();
        let doing = async {
            tokio::select! {
                answer = doing => answer,
                never = giving_up => never,
            }
        };
        match self.left.run_until_cancelled(doing).await {
            Some(Ok(answer)) => answer,
            // A request has an answer, whatever happens.
            Some(Err(_)) => Ok(host_failed(&"it panicked").into()),
            // The client is gone, so the answer has no reader.
            None => Ok(failure("cancelled").into()),
        }
    }

    /// What is stored for the sender of a request.
    pub(super) fn state(&self, context: &RequestContext<RoleServer>) -> Arc<ClientState> {
        self.server.runs.shared.clients.of(principal(context))
    }
}
