//! One client, as `rmcp` talks to it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ampoule::Principal;
use futures::FutureExt;
use rmcp::model::CallToolResponse;
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use tokio_util::sync::CancellationToken;

use super::asker::Asker;
use super::caller::{self, principal};
use super::results::{failure, host_failed};
use super::server::{Server, ToolOffer};
use super::watching::changes::Change;
use super::watching::lists::Since;
use super::watching::watcher::Watcher;
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
    /// What it is told unasked, if it has a connection or a session that lasts.
    pub(super) watcher: Option<Arc<Watcher>>,
    /// Who sends the one request that it is for, where that is known before the request is read.
    pub(super) caller: Option<ToolCaller>,
}

/// Who calls a tool over HTTP: the headers of the call are compared with the tool that this caller
/// has.
#[derive(Debug, Clone)]
pub(crate) struct ToolCaller {
    pub(crate) principal: Option<Principal>,
    /// The client's name, as the client states it.
    pub(crate) client: Option<String>,
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
            watcher: None,
            caller: None,
        }
    }

    /// One that says what it wants to hear of what servers log in another of its requests.
    pub(crate) fn hearing(self, log_level: LogLevelChoice) -> Self {
        Self { log_level, ..self }
    }

    /// A client that hears of changes unasked.
    pub(crate) fn watching(self, watcher: Arc<Watcher>) -> Self {
        Self {
            watcher: Some(watcher),
            ..self
        }
    }

    /// A client for one request of this caller's.
    pub(crate) fn of_caller(self, caller: ToolCaller) -> Self {
        Self {
            caller: Some(caller),
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

    /// Servers that start from now on learn what the sender of a request can answer: those before
    /// 2026-07-28 learn it only then, and ask nothing else later.
    pub(super) fn can_be_asked(&self, context: &RequestContext<RoleServer>) {
        let abilities = caller::abilities(context);
        self.server.offer().tools.can_be_answered(abilities);
    }

    /// What the sender of a request is told unasked, if it has a session.
    fn told_unasked(&self, context: &RequestContext<RoleServer>) -> Option<&Arc<Watcher>> {
        let watcher = self.watcher.as_ref();
        watcher.filter(|_| !caller::ends_requests(context))
    }

    /// Tells a client that has a connection of its own of changes, from its first request on. Over
    /// HTTP, it opens a stream for that.
    pub(super) fn tell_from_now_on(&self, context: &RequestContext<RoleServer>) {
        if let Some(watcher) = self.told_unasked(context)
            && !caller::came_over_http(context)
        {
            watcher.tell(&context.peer, &self.left);
            watcher.watch_lists(&self.server, &Asker::of(context), Since::Listed);
        }
    }

    /// The client is being told of these tools. Where a server has not said yet which it has, the
    /// client learns later that the list has changed, if it is still connected.
    pub(super) fn has_listed(&self, offered: &ToolOffer, context: &RequestContext<RoleServer>) {
        let (Some(direct), Some(watcher)) = (offered.direct, self.told_unasked(context)) else {
            return;
        };
        watcher.direct.lock().fingerprint = Some(direct);
        if offered.is_incomplete {
            self.tell_of_changes(context);
        }
    }

    /// Tells the client where its direct tools have changed since it was told of them. Without a
    /// session, it asks again.
    pub(super) fn tell_of_changes(&self, context: &RequestContext<RoleServer>) {
        let Some(watcher) = self.told_unasked(context) else {
            return;
        };
        {
            let mut listed = watcher.direct.lock();
            if listed.fingerprint.is_none() || std::mem::replace(&mut listed.is_looked_at, true) {
                return;
            }
        }
        let (server, watcher) = (self.server.clone(), Arc::clone(watcher));
        let (left, asker) = (self.left.clone(), Asker::of(context));
        let told = async move {
            let direct = server.all_direct_tools(asker.principal(), asker.client());
            let direct = direct.await;
            let mut listed = watcher.direct.lock();
            listed.is_looked_at = false;
            let before = listed.fingerprint;
            listed.fingerprint = direct.ok().or(before);
            if listed.fingerprint != before {
                watcher.changes.note(Change::Tools);
            }
        };
        tokio::spawn(async move { left.run_until_cancelled(told).await });
    }

    /// What is stored for the sender of a request.
    pub(super) fn state(&self, context: &RequestContext<RoleServer>) -> Arc<ClientState> {
        let offer = self.server.offer();
        let clients = &self.server.runs.shared.clients;
        clients.of(principal(context), offer.toolkit())
    }
}
