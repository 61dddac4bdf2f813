//! Requests on their way, and what there is to do for them.

use std::time::Duration;

use ampoule_limits::LimitError;
use ampoule_tools::{GrantedTools, ResolvedTool};
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use http::Response;
use tokio::sync::{mpsc, oneshot};
use wasmtime_wasi_http::{Error, WasiBody};

use crate::calls::EndedCall;
use crate::host_memory::Hold;

/// The server and the tool that make requests, where a run may have any made.
pub(super) const SERVER: &str = "outbound";
pub(super) const TOOL: &str = "$fetch";

/// What a guest's requests come to, on their way to what makes them.
pub(super) enum Message {
    Request(WholeRequest),
    /// A request went over a limit that ends the run.
    Limit(LimitError),
}

/// A request whose body has come, as the tool takes it, with what the host holds of it.
pub(super) struct WholeRequest {
    pub(super) arguments: String,
    pub(super) held: Hold,
    pub(super) answer: Answer,
    /// How long the guest waits for the response.
    pub(super) timeout: Option<Duration>,
}

/// Where the response goes.
pub(super) type Answer = oneshot::Sender<Result<Response<WasiBody>, Error>>;

/// A run's requests, and their calls that are under way.
pub(crate) struct Exchanges {
    messages: mpsc::Receiver<Message>,
    pub(super) under_way: FuturesUnordered<BoxFuture<'static, Option<EndedExchange>>>,
    /// The tool that makes requests, by the id that the run has for it, if it was granted it.
    pub(crate) tool: Option<u32>,
    /// The run's output says already that it was not.
    pub(super) warned_of_grant: bool,
}

/// A request whose call has ended.
pub(super) struct EndedExchange {
    pub(super) ended: EndedCall,
    pub(super) answer: Answer,
}

/// What there is to do for a run's requests.
pub(super) enum Next {
    Begin(WholeRequest),
    End(EndedExchange),
    Limit(LimitError),
}

/// The tool that makes requests, if it is among these.
pub(crate) async fn fetcher(tools: &GrantedTools) -> Option<ResolvedTool> {
    let found = tools.resolve_on(SERVER, TOOL).await.ok();
    found.filter(|tool| **tool.server() == *SERVER && **tool.name() == *TOOL)
}

impl Exchanges {
    pub(super) fn new(messages: mpsc::Receiver<Message>) -> Self {
        Self {
            messages,
            under_way: FuturesUnordered::new(),
            tool: None,
            warned_of_grant: false,
        }
    }

    /// Waits until there is something to do: requests begin before the ends of others are taken.
    /// Dropping the future loses nothing.
    pub(super) async fn next(&mut self) -> Next {
        loop {
            tokio::select! {
                biased;
                Some(message) = self.messages.recv() => return match message {
                    Message::Request(request) => Next::Begin(request),
                    Message::Limit(hit) => Next::Limit(hit),
                },
                // Without an end, nobody waits for it any more.
                Some(ended) = self.under_way.next() => if let Some(ended) = ended {
                    return Next::End(ended);
                },
                // The run is over.
                else => std::future::pending().await,
            }
        }
    }
}
