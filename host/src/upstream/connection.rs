//! One connection to a server, from its opening to its end.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetExtensions, ListToolsRequest,
    PaginatedRequestParams, ServerNotification, ServerPeerInfo, SubscriptionFilter,
};
use rmcp::service::{
    PeerRequestOptions, RequestHandle, RoleClient, RunningService, serve_directly_with_ct,
};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use super::client::{self, Client};
use super::decode;
use super::handshake::{self, Era, Opening, Refusal};
use super::pending::{Answer, ReplyTo};
use super::process::Process;
use super::secrets::Secrets;
use super::wire::{ListChanges, Wire};
use crate::binding::{CallContext, CallError, ToolResult};
use crate::error::log_id;

/// How long the end of a process may take to show after its stdout ended.
const EXIT_SHOWS: Duration = Duration::from_secs(1);

/// How long a server's last words may take to arrive after its end.
const STDERR_SHOWS: Duration = Duration::from_millis(200);

/// How large a page of tools may be, in bytes.
const MAX_PAGE_BYTES: u64 = 8 * 1024 * 1024;

/// Streams to a server that was just reached, and its process if it has one.
pub(super) struct Link {
    pub(super) read: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) write: Box<dyn AsyncWrite + Send + Unpin>,
    pub(super) process: Option<Process>,
}

/// Reaches a server, again for each connection. What it starts ends when the token is cancelled, and has ended when the tracked
/// tasks have.
pub(super) type Reach =
    Box<dyn Fn(&TaskTracker, CancellationToken) -> io::Result<Link> + Send + Sync>;

/// Why there is no connection: a sentence for who wanted one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StartError(pub(super) String);

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is needed to connect to a server.
pub(super) struct Target {
    pub(super) name: Arc<str>,
    pub(super) reach: Reach,
    pub(super) changes: ListChanges,
    pub(super) secrets: Secrets,
    /// Everything that must be over before the server is gone.
    pub(super) tasks: TaskTracker,
    pub(super) start_timeout: Duration,
}

/// A session with a server. Dropping it ends the session, and the server's process with it.
#[derive(Debug)]
pub(super) struct Connection {
    name: Arc<str>,
    service: RunningService<RoleClient, Client>,
    wire: Arc<Wire>,
    process: Option<Process>,
    pub(super) era: Era,
    pub(super) info: ServerPeerInfo,
    _stop: DropGuard,
}

enum Failure {
    /// The server could not be reached, or was silent: trying differently does not help.
    Final(StartError),
    /// The server ended.
    Ended(StartError),
    /// The server answered, but not what it should.
    Refused(StartError),
}

impl Failure {
    fn into_error(self) -> StartError {
        let (Self::Final(error) | Self::Ended(error) | Self::Refused(error)) = self;
        error
    }
}

impl Target {
    /// Connects, the way that worked the last time first.
    pub(super) async fn connect(
        &self,
        remembered: Option<Era>,
        stop: &CancellationToken,
    ) -> Result<Connection, StartError> {
        let deadline = Instant::now() + self.start_timeout;
        let opening = if remembered == Some(Era::Sessions) {
            Opening::Initialize
        } else {
            Opening::Probe
        };
        match (self.attempt(opening, deadline, stop).await, opening) {
            (Ok(connection), _) => Ok(connection),
            // Some older servers end at a request that they don't know; they are started again and greeted in their own way.
            (Err(Failure::Ended(first)), Opening::Probe) => {
                match self.attempt(Opening::Initialize, deadline, stop).await {
                    Err(Failure::Ended(_)) => Err(first),
                    result => result.map_err(Failure::into_error),
                }
            }
            // The server was replaced by a newer one.
            (Err(Failure::Refused(_)), Opening::Initialize) => self
                .attempt(Opening::Probe, deadline, stop)
                .await
                .map_err(Failure::into_error),
            (Err(failure), _) => Err(failure.into_error()),
        }
    }

    async fn attempt(
        &self,
        opening: Opening,
        deadline: Instant,
        stop: &CancellationToken,
    ) -> Result<Connection, Failure> {
        let stop = stop.child_token();
        let guard = stop.clone().drop_guard();
        let Link {
            read,
            write,
            process,
        } = (self.reach)(&self.tasks, stop.clone()).map_err(|error| {
            Failure::Final(StartError(format!(
                "MCP server `{}` can't be started: {error}",
                self.name
            )))
        })?;
        let (wire, transport) = Wire::start(
            Arc::clone(&self.name),
            (read, write),
            Arc::clone(&self.changes),
            self.secrets.clone(),
            &stop,
        );
        let opened =
            tokio::time::timeout_at(deadline, handshake::open(&wire, &client::config(), opening))
                .await;
        let (era, info) = match opened {
            Ok(Ok(opened)) => opened,
            Ok(Err(Refusal::Closed)) => {
                let how = ended(process.as_ref()).await;
                return Err(Failure::Ended(StartError(format!(
                    "MCP server `{}` {how} while it was starting{}",
                    self.name,
                    last_words(&self.name, process.as_ref())
                ))));
            }
            Ok(Err(Refusal::Answered(why))) => {
                let text = format!(
                    "MCP server `{}` did not open a session: {}{}",
                    self.name,
                    wire.quote(&why),
                    last_words(&self.name, process.as_ref())
                );
                return Err(Failure::Refused(StartError(text)));
            }
            Err(_) => {
                let waited = humantime::format_duration(self.start_timeout);
                let text = format!(
                    "MCP server `{}` did not answer within {waited} of its start{}",
                    self.name,
                    last_words(&self.name, process.as_ref())
                );
                return Err(Failure::Final(StartError(text)));
            }
        };
        tracing::debug!(server = %self.name, ?era, version = %info.protocol_version, "connected");
        let client = Client {
            server: Arc::clone(&self.name),
            wire: Arc::clone(&wire),
        };
        let service =
            serve_directly_with_ct(client, transport, Some(info.clone()), stop.child_token());
        let connection = Connection {
            name: Arc::clone(&self.name),
            service,
            wire,
            process,
            era,
            info,
            _stop: guard,
        };
        connection.listen_for_changes();
        Ok(connection)
    }
}

/// How a server ended, as the middle of a sentence.
async fn ended(process: Option<&Process>) -> String {
    let Some(process) = process else {
        return "closed the connection".to_owned();
    };
    match tokio::time::timeout(EXIT_SHOWS, process.exited()).await {
        Ok(Some(status)) => {
            let _ = tokio::time::timeout(STDERR_SHOWS, process.stderr_ended()).await;
            format!("ended ({status})")
        }
        _ => "closed its stdout".to_owned(),
    }
}

/// What a server printed last: one line, as the end of a sentence. The lines before it are the operator's alone, in the log.
fn last_words(server: &str, process: Option<&Process>) -> String {
    let lines = process.map(Process::stderr).unwrap_or_default();
    let Some(last) = lines.last() else {
        return String::new();
    };
    let id = log_id();
    tracing::warn!(
        server,
        id,
        "its last words on stderr:\n{}",
        lines.join("\n")
    );
    format!(". Its last words on stderr: {last} (more in the log under {id})")
}

impl Connection {
    /// Whether requests can still be sent.
    pub(super) fn is_open(&self) -> bool {
        self.wire.pending.is_open()
    }

    /// Calls a tool.
    pub(super) async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> Result<ToolResult, CallError> {
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = Some(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match self.request(request, context.result_bytes).await {
            Some(Answer::Result(raw)) => decode::tool_result(&raw, self.era),
            Some(Answer::Error(error)) => Err(CallError::Failed(self.refusal(&error))),
            Some(Answer::TooLarge(bytes)) => Err(CallError::ResultTooLarge { bytes }),
            Some(Answer::Unusable(why)) => Err(CallError::Failed(why)),
            None => Err(CallError::Failed(self.lost("the call").await)),
        }
    }

    /// Asks for a page of tools. A server that does not know the request has none.
    pub(super) async fn page(&self, cursor: Option<String>) -> Result<decode::Page, String> {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        match self.request(request, MAX_PAGE_BYTES).await {
            Some(Answer::Result(raw)) => decode::page(&raw),
            Some(Answer::Error(error)) if decode::error_code(&error) == Some(-32601) => {
                Ok(decode::Page::default())
            }
            Some(Answer::Error(error)) => Err(self.refusal(&error)),
            Some(Answer::TooLarge(bytes)) => Err(format!(
                "a page of its tools has {bytes} bytes; at most {MAX_PAGE_BYTES} are read"
            )),
            Some(Answer::Unusable(why)) => Err(why),
            None => Err(self.lost("tools/list").await),
        }
    }

    /// Sends a request, and waits for its answer; there is none where the connection ends. Dropping the future cancels the request.
    async fn request(&self, mut request: ClientRequest, max_bytes: u64) -> Option<Answer> {
        let (reply_to, answer) = ReplyTo::new(max_bytes);
        request.extensions_mut().insert(reply_to);
        let handle = self
            .service
            .peer()
            .send_request_with_option(request, PeerRequestOptions::no_options())
            .await
            .ok()?;
        let mut under_way = UnderWay {
            wire: &self.wire,
            handle: Some(handle),
        };
        let answer = answer.await.ok();
        under_way.handle = None;
        answer
    }

    fn refusal(&self, error: &RawValue) -> String {
        self.wire.quote(&decode::error_text(error))
    }

    async fn lost(&self, what: &str) -> String {
        let how = ended(self.process.as_ref()).await;
        format!(
            "MCP server `{}` {how} while {what} was under way; the next call starts it again{}",
            self.name,
            last_words(&self.name, self.process.as_ref())
        )
    }

    /// Since 2026-07-28, servers only tell of changes who asked for it.
    fn listen_for_changes(&self) {
        let tells = self
            .info
            .capabilities
            .tools
            .as_ref()
            .is_some_and(|tools| tools.list_changed == Some(true));
        if self.era != Era::Stateless || !tells {
            return;
        }
        let (peer, name) = (self.service.peer().clone(), Arc::clone(&self.name));
        tokio::spawn(async move {
            let mut filter = SubscriptionFilter::new();
            filter.tools_list_changed = Some(true);
            match peer.listen(filter).await {
                // The wire has counted each change by the time it gets here; only a stream that is read stays open.
                Ok(mut changed) => {
                    while let Ok(Some(ServerNotification::ToolListChangedNotification(_))) =
                        changed.next().await
                    {}
                }
                Err(error) => {
                    tracing::debug!(server = %name, %error, "the server does not tell of changes in its list of tools")
                }
            }
        });
    }
}

/// A request that was sent and is not answered.
struct UnderWay<'a> {
    wire: &'a Wire,
    handle: Option<RequestHandle<RoleClient>>,
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else {
            return;
        };
        self.wire.pending.forget(&handle.id);
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                handle
                    .cancel(Some("the script no longer waits for it".to_owned()))
                    .await
            });
        }
    }
}
