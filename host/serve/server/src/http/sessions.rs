//! Sessions, which clients before 2026-07-28 have. A session is only a record: who began it, and
//! what that client can do. What its requests need exists only while they are active.
//!
//! `rmcp`'s own sessions keep tasks and channels for each client as long as the client exists.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule::Principal;
use futures::future::Either;
use futures::stream::Stream;
use parking_lot::Mutex;
use rmcp::model::{
    ClientCapabilities, ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions,
    Implementation, InitializeRequestParams, JsonObject, JsonRpcMessage, ServerJsonRpcMessage,
    ServerResult,
};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId, session_id};
use rmcp::transport::streamable_http_server::SessionManager;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::accept::AcceptedForms;
use super::exchange::{self, Exchange};
use super::resumption::{Resumable, ResumptionSetup};
use super::session::{Handshake, HandshakePeer, OpenRequest, Session, SessionState};
use super::streams::NotificationStream;
use crate::mcp::server::Server;
use crate::mcp::tasks::wire_2025;
use crate::mcp::watching::shares::Shares;
use crate::mcp::{caller, exposure};
use crate::runs::asking::link::ClientLink;
use crate::runs::lines::LogLevelChoice;

/// How many sessions there are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) all: usize,
    /// Those of one principal.
    pub(super) each: usize,
    /// How long an unused session is kept.
    pub(super) idle: Duration,
    /// How long a request continues whose connection is gone. Zero: not at all.
    pub(super) resume: Duration,
}

/// The sessions at one address.
pub(super) struct Sessions {
    server: Server,
    /// Of which toolkit's address these are.
    toolkit: Option<Arc<str>>,
    all: Arc<AllSessions>,
}

/// The sessions that there are, at all addresses.
pub(super) struct AllSessions {
    bounds: Bounds,
    /// Cancelled when runs are to end.
    stopping: CancellationToken,
    /// Cancelled when the server takes no further requests.
    closing: CancellationToken,
    sessions: Mutex<HashMap<SessionId, Arc<Session>>>,
    /// How answers are resumed on another connection.
    resumption: ResumptionSetup,
}

/// How many requests of each principal continue without a connection.
const WITHOUT_CONNECTION: usize = 16;

/// Unknown or ended session.
#[derive(Debug)]
pub(super) struct UnknownSessionError;

impl fmt::Display for UnknownSessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the session is over")
    }
}

impl std::error::Error for UnknownSessionError {}

/// No further session can begin.
#[derive(Debug)]
pub(super) struct NoRoom;

impl Sessions {
    /// Those at the address of a toolkit, or of the whole server.
    pub(super) fn new(server: Server, toolkit: Option<Arc<str>>, all: &Arc<AllSessions>) -> Self {
        Self {
            server,
            toolkit,
            all: Arc::clone(all),
        }
    }

    /// The session of this id, if this principal began it here.
    pub(super) fn of(&self, id: &str, principal: Option<&Principal>) -> Option<Arc<Session>> {
        let session = self.get(id).ok()?;
        let theirs = session.state.lock().principal.as_ref() == principal;
        theirs.then_some(session)
    }

    /// The session of this id, if it began here.
    fn get(&self, id: &str) -> Result<Arc<Session>, UnknownSessionError> {
        let session = self.all.sessions.lock().get(id).cloned();
        let here = session.filter(|session| session.toolkit == self.toolkit);
        here.ok_or(UnknownSessionError)
    }
}

impl AllSessions {
    pub(super) fn new(
        bounds: Bounds,
        stopping: CancellationToken,
        closing: CancellationToken,
    ) -> Self {
        Self {
            bounds,
            stopping,
            closing,
            sessions: Mutex::default(),
            resumption: ResumptionSetup {
                time: bounds.resume,
                shares: Shares::new(WITHOUT_CONNECTION),
            },
        }
    }

    /// Makes room for one more of that principal's: the one that they used longest ago ends.
    pub(super) fn make_room(&self, principal: Option<&Principal>) -> Result<(), NoRoom> {
        let mut sessions = self.sessions.lock();
        let (mut theirs, mut oldest) = (0, None);
        if sessions.len() < self.bounds.each.min(self.bounds.all) {
            return Ok(());
        }
        for (id, session) in &*sessions {
            let state = session.state.lock();
            if state.principal.as_ref() == principal {
                theirs += 1;
                let is_oldest = oldest.as_ref().is_none_or(|(used, _)| state.used < *used);
                if !state.is_busy() && is_oldest {
                    oldest = Some((state.used, Arc::clone(id)));
                }
            }
        }
        if theirs < self.bounds.each && sessions.len() < self.bounds.all {
            return Ok(());
        }
        let (_, oldest) = oldest.ok_or(NoRoom)?;
        sessions.remove(&oldest);
        Ok(())
    }

    /// Regularly ends sessions that were not used for long.
    pub(super) async fn end_idle(&self) {
        let idle = self.bounds.idle;
        loop {
            tokio::time::sleep((idle / 4).max(Duration::from_millis(10))).await;
            self.sessions.lock().retain(|_, session| {
                let state = session.state.lock();
                state.is_busy() || state.used.elapsed() < idle
            });
        }
    }
}

/// What is stored of a client, bounded: its name, which rights and records use, what it can be asked,
/// and whether it asks for `call_tool`.
fn bounded(said: &InitializeRequestParams) -> InitializeRequestParams {
    let mut capabilities = ClientCapabilities::default();
    capabilities.elicitation = said.capabilities.elicitation.clone();
    capabilities.roots = said.capabilities.roots.clone();
    if let Some(sampling) = &said.capabilities.sampling {
        // Of these, only whether they are there counts.
        let empty = || Some(serde_json::Map::default());
        let mut kept = rmcp::model::SamplingCapability::default();
        kept.tools = sampling.tools.as_ref().and_then(|_| empty());
        capabilities.sampling = Some(kept);
    }
    if exposure::has_capability(&said.capabilities) {
        let asked = (exposure::CAPABILITY.to_owned(), JsonObject::new());
        capabilities.experimental = Some([asked].into());
    }
    let name = caller::bounded(&said.client_info.name);
    InitializeRequestParams::new(capabilities, Implementation::new(name, ""))
}

/// Whether the answer to a request may take long, and its client takes it as events.
fn can_be_resumed(request: &ClientRequest) -> bool {
    let takes_long = match request {
        ClientRequest::CallToolRequest(_)
        | ClientRequest::GetPromptRequest(_)
        | ClientRequest::ReadResourceRequest(_) => true,
        ClientRequest::CustomRequest(asked) => asked.method == wire_2025::RESULT,
        _ => false,
    };
    let parts = request.extensions().get::<http::request::Parts>();
    let takes = parts.and_then(|parts| parts.extensions.get::<AcceptedForms>());
    takes_long && takes.is_none_or(|takes| takes.takes_events())
}

impl SessionManager for Sessions {
    type Error = UnknownSessionError;
    type Transport = Handshake;

    async fn create_session(&self) -> Result<(SessionId, Handshake), UnknownSessionError> {
        let (handshake, peer) = Handshake::new();
        let session = Session {
            toolkit: self.toolkit.clone(),
            log_level: LogLevelChoice::default(),
            state: Mutex::new(SessionState {
                principal: None,
                client: None,
                handshake: Some(peer),
                has_task: true,
                used: Instant::now(),
                under_way: Vec::new(),
                streams: 0,
                resumable: Vec::new(),
            }),
            ended: CancellationToken::new(),
            watcher: Arc::default(),
        };
        let id = session_id();
        (self.all.sessions.lock()).insert(Arc::clone(&id), Arc::new(session));
        Ok((id, handshake))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, UnknownSessionError> {
        let session = self.get(id)?;
        let JsonRpcMessage::Request(request) = &message else {
            return Err(UnknownSessionError);
        };
        let ClientRequest::InitializeRequest(initialize) = &request.request else {
            return Err(UnknownSessionError);
        };
        let mut client = bounded(&initialize.params);
        let parts = request.request.extensions().get::<http::request::Parts>();
        let principal = parts.and_then(|parts| parts.extensions.get::<Principal>());
        let HandshakePeer { offer, answered } = {
            let mut state = session.state.lock();
            state.principal = principal.map(Principal::without_token);
            state.handshake.take().ok_or(UnknownSessionError)?
        };
        offer.send(message).map_err(|_| UnknownSessionError)?;
        let answer = answered.await.map_err(|_| UnknownSessionError)?;
        if let JsonRpcMessage::Response(response) = &answer
            && let ServerResult::InitializeResult(result) = &response.result
        {
            client.protocol_version = result.protocol_version.clone();
            session.state.lock().client = Some(client);
        } else {
            self.all.sessions.lock().remove(id);
        }
        Ok(wire_2025::declared(answer))
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, UnknownSessionError> {
        Ok(self.get(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), UnknownSessionError> {
        if self.get(id).is_err() {
            return Ok(());
        }
        let mut sessions = self.all.sessions.lock();
        let goes_on = sessions
            .get(id)
            .is_some_and(|session| std::mem::take(&mut session.state.lock().has_task));
        if !goes_on && let Some(over) = sessions.remove(id) {
            over.ended.cancel();
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, UnknownSessionError>
    {
        let session = self.get(id)?;
        let JsonRpcMessage::Request(request) = &message else {
            return Err(UnknownSessionError);
        };
        let (link, questions) = ClientLink::new();
        let cancel = session.ended.child_token();
        let client = {
            let mut state = session.state.lock();
            let client = state.client.clone().ok_or(UnknownSessionError)?;
            state.under_way.push(OpenRequest {
                id: request.id.clone(),
                cancel: cancel.clone(),
                link: Arc::clone(&link),
            });
            client
        };
        let setup = self.all.resumption.clone();
        let is_resumable =
            setup.is_for(&client.protocol_version) && can_be_resumed(&request.request);
        let answers = exchange::begin(Exchange {
            server: self.server.clone(),
            stopping: self.all.stopping.clone(),
            link,
            client,
            message,
            session: Arc::clone(&session),
            cancel,
            questions,
        });
        if !is_resumable {
            return Ok(Either::Left(answers));
        }
        let (answer, stream) = Resumable::new(answers, setup);
        session.add(&answer);
        Ok(Either::Right(stream))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), UnknownSessionError> {
        if let JsonRpcMessage::Notification(told) = message
            && let ClientNotification::CancelledNotification(cancelled) = told.notification
            && let Some(request) = cancelled.params.request_id
        {
            self.get(id)?.cancel(&request);
        }
        Ok(())
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, UnknownSessionError>
    {
        let session = self.get(id)?;
        Ok(NotificationStream::of(
            session,
            &self.server,
            self.all.closing.clone(),
        ))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, UnknownSessionError>
    {
        self.get(id)?
            .resumed(&last_event_id)
            .ok_or(UnknownSessionError)
    }
}
