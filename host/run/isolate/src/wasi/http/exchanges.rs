//! Requests on their way, and what there is to do for them.

use std::sync::Arc;

use ampoule_tools::{GrantedTools, ResolvedTool};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use http::{Request, Response};
use tokio::sync::{mpsc, oneshot};
use wasmtime_wasi_http::{Error, WasiBody};
use wasmtime_wasi_io::bytes::Bytes;

use crate::calls::EndedCall;
use crate::held::Hold;

/// The server and the tool that make requests, where a run may have any made.
const SERVER: &str = "outbound";
const TOOL: &str = "$fetch";

/// A request whose body has come, with what the host holds of it.
pub(super) struct WholeRequest {
    pub(super) request: Request<Bytes>,
    pub(super) held: Vec<Hold>,
    pub(super) answer: Answer,
}

/// Where the response goes.
pub(super) type Answer = oneshot::Sender<Result<Response<WasiBody>, Error>>;

/// A run's requests, and their calls that are under way.
pub(crate) struct Exchanges {
    requests: mpsc::UnboundedReceiver<WholeRequest>,
    /// One that came, and whose call has not begun.
    received: Option<WholeRequest>,
    pub(super) under_way: FuturesUnordered<BoxFuture<'static, EndedExchange>>,
    tools: Arc<GrantedTools>,
    pub(super) tool: Fetcher,
}

/// The tool that makes requests.
pub(super) enum Fetcher {
    /// It was not looked for yet.
    Unknown,
    /// The run was not granted it.
    Absent,
    Found(ResolvedTool),
    /// The run has it under this id.
    Resolved(u32),
}

/// A request whose call has ended.
pub(super) struct EndedExchange {
    pub(super) ended: EndedCall,
    pub(super) answer: Answer,
}

/// What there is to do for a run's requests.
pub(super) struct Step(pub(super) Next);

pub(super) enum Next {
    Begin(WholeRequest),
    End(EndedExchange),
}

impl Exchanges {
    pub(super) fn new(
        requests: mpsc::UnboundedReceiver<WholeRequest>,
        tools: Arc<GrantedTools>,
    ) -> Self {
        Self {
            requests,
            received: None,
            under_way: FuturesUnordered::new(),
            tools,
            tool: Fetcher::Unknown,
        }
    }

    /// Waits until there is something to do. Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Step {
        if self.received.is_none() {
            tokio::select! {
                Some(request) = self.requests.recv() => self.received = Some(request),
                Some(ended) = self.under_way.next() => return Step(Next::End(ended)),
                // The run is over.
                else => std::future::pending().await,
            }
        }
        if matches!(self.tool, Fetcher::Unknown) {
            let found = self.tools.resolve_on(SERVER, TOOL).await.ok();
            let is_it = |tool: &ResolvedTool| **tool.server() == *SERVER && **tool.name() == *TOOL;
            self.tool = found.filter(is_it).map_or(Fetcher::Absent, Fetcher::Found);
        }
        match self.received.take() {
            Some(request) => Step(Next::Begin(request)),
            None => std::future::pending().await,
        }
    }
}
