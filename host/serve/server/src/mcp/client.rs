//! One client, as `rmcp` talks to it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use parking_lot::Mutex;
use rmcp::model::CallToolResponse;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::caller::{self, principal};
use super::results::{failure, host_failed};
use super::server::{Server, ToolOffer};
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
    /// Whether its connection lasts, so that it can be told of changes unasked.
    pub(super) is_told_unasked: bool,
    direct_listed: Arc<Mutex<DirectListed>>,
}

/// The direct tools that a client was told of.
#[derive(Default)]
struct DirectListed {
    fingerprint: Option<u64>,
    /// Somebody looks whether they have changed.
    is_looked_at: bool,
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
            is_told_unasked: false,
            direct_listed: Arc::default(),
        }
    }

    /// One that says what it wants to hear of what servers log in another of its requests.
    pub(crate) fn hearing(self, log_level: LogLevelChoice) -> Self {
        Self { log_level, ..self }
    }

    /// A client whose connection lasts.
    pub(crate) fn told_unasked(self) -> Self {
        Self {
            is_told_unasked: true,
            ..self
        }
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

    /// The client is being told of these tools. Where a server has not said yet which it has, the
    /// client learns later that the list has changed, if it is still connected.
    pub(super) fn has_listed(&self, offered: &ToolOffer, context: &RequestContext<RoleServer>) {
        let Some(direct) = offered.direct else {
            return;
        };
        self.direct_listed.lock().fingerprint = Some(direct);
        if offered.is_incomplete {
            self.tell_of_changes(context);
        }
    }

    /// Tells the client where its direct tools have changed since it was told of them. A client is told
    /// unasked in a session over a connection that lasts; over HTTP, and without a session, it asks
    /// again.
    pub(super) fn tell_of_changes(&self, context: &RequestContext<RoleServer>) {
        if !self.is_told_unasked || caller::ends_requests(context) {
            return;
        }
        {
            let mut listed = self.direct_listed.lock();
            if listed.fingerprint.is_none() || std::mem::replace(&mut listed.is_looked_at, true) {
                return;
            }
        }
        let (server, listed) = (self.server.clone(), Arc::clone(&self.direct_listed));
        let (peer, left) = (context.peer.clone(), self.left.clone());
        let (principal, name) = (principal(context).cloned(), caller::name(context));
        let told = async move {
            let direct = server.all_direct_tools(principal.as_ref(), name.as_deref());
            let direct = direct.await;
            let has_changed = {
                let mut listed = listed.lock();
                listed.is_looked_at = false;
                let before = listed.fingerprint;
                listed.fingerprint = direct.ok().or(before);
                listed.fingerprint != before
            };
            if has_changed {
                // One that is gone need not know.
                let _ = peer.notify_tool_list_changed().await;
            }
        };
        tokio::spawn(async move { left.run_until_cancelled(told).await });
    }

    /// What is stored for the sender of a request.
    pub(super) fn state(&self, context: &RequestContext<RoleServer>) -> Arc<ClientState> {
        self.server.runs.shared.clients.of(principal(context))
    }
}
