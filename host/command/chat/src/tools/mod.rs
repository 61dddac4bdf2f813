//! Ampoule's own MCP server, in this process, as the tools of an agent.
//!
//! - `client`: the client of that server: what it asks, and its progress
//! - `calls`: the calls that scripts make, as events

mod calls;
mod client;

use std::sync::Arc;

use ampoule_server::{Server, UNDO_OFFER};
use futures::future::BoxFuture;
use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ClientRequest, ContentBlock,
    ServerResult,
};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub use self::calls::CallWatch;
use self::client::{Client, Listeners};
use crate::endpoint::ToolDefinition;

/// The name of the client that an agent is, for policies and records.
pub const CLIENT: &str = "ampoule chat";
/// How much is under way between the client and the server.
const PIPE_BYTES: usize = 1 << 20;

/// Who answers what servers, or Ampoule for them, ask during a call.
pub trait Respondent: Send + Sync + 'static {
    /// Answers an elicitation, given by the parameters of MCP's `elicitation/create`. The answer is its
    /// result: `{"action": "accept", "content": {…}}`, `decline` or `cancel`.
    fn answer(&self, params: Value) -> BoxFuture<'_, Value>;
}

/// What hears of a call's progress.
pub type ProgressListener = Arc<dyn Fn(String) + Send + Sync>;

/// The tools of a server, for one conversation.
pub struct Toolbox {
    service: RunningService<RoleClient, Client>,
    serving: JoinHandle<()>,
    listeners: Listeners,
    /// Which of its tools the model sees; all, if there is nothing.
    offered: Option<Vec<String>>,
}

/// Why a tool can't be called, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum ToolboxError {
    /// The call was stopped.
    #[error("the call was stopped")]
    Stopped,
    /// The server refused the call, by the protocol.
    #[error("{0}")]
    Refused(String),
    /// The server has gone.
    #[error("Ampoule's own server stopped: {0}")]
    Gone(String),
}

/// What a call came to, as a model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallAnswer {
    /// The text.
    pub text: String,
    /// The call failed.
    pub is_error: bool,
    /// The run whose calls can be taken back, where Ampoule's server offers that. No text counts: a
    /// script could print one.
    pub undo: Option<String>,
}

/// A call that is to be made.
pub struct CallRequest<'a> {
    /// The tool.
    pub tool: &'a str,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Stops it.
    pub stop: &'a CancellationToken,
    /// Hears of its progress.
    pub progress: ProgressListener,
}

impl Toolbox {
    /// Connects to a server. Without a respondent, the server learns that it can ask nobody.
    ///
    /// # Errors
    ///
    /// The server does not begin.
    pub async fn connect(
        server: Server,
        respondent: Option<Arc<dyn Respondent>>,
    ) -> Result<Self, ToolboxError> {
        let (near, far) = tokio::io::duplex(PIPE_BYTES);
        let (read, write) = tokio::io::split(far);
        let serving = tokio::spawn(async move {
            if let Err(error) = server.serve(read, write).await {
                tracing::error!(%error, "the chat's server stopped");
            }
        });
        let listeners: Listeners = Arc::new(Mutex::default());
        let client = Client::new(Arc::clone(&listeners), respondent);
        let service = client.serve(near).await;
        let service = service.map_err(|error| ToolboxError::Gone(error.to_string()))?;
        Ok(Self {
            service,
            serving,
            listeners,
            offered: None,
        })
    }

    /// Shows the model only the tools of these names.
    #[must_use]
    pub fn offering(self, names: Vec<String>) -> Self {
        let offered = Some(names);
        Self { offered, ..self }
    }

    /// What the server says that holds for all of its tools.
    pub fn instructions(&self) -> Option<String> {
        self.service.peer_info()?.instructions.clone()
    }

    /// The tools, as a model sees them.
    ///
    /// # Errors
    ///
    /// The server does not say.
    pub async fn list(&self) -> Result<Vec<ToolDefinition>, ToolboxError> {
        let tools = self.service.list_all_tools().await.map_err(failure)?;
        let is_offered = |name: &str| match &self.offered {
            Some(names) => names.iter().any(|offered| offered == name),
            None => true,
        };
        let tools = tools.into_iter().filter(|tool| is_offered(&tool.name));
        let definition = |tool: rmcp::model::Tool| ToolDefinition {
            name: tool.name.into_owned(),
            description: tool.description.unwrap_or_default().into_owned(),
            schema: (*tool.input_schema).clone(),
        };
        Ok(tools.map(definition).collect())
    }

    /// Calls a tool.
    ///
    /// # Errors
    ///
    /// [`ToolboxError`], where there is no result.
    pub async fn call(&self, request: CallRequest<'_>) -> Result<CallAnswer, ToolboxError> {
        let CallRequest {
            tool,
            arguments,
            stop,
            progress,
        } = request;
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let peer = self.service.peer();
        let sending = peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = sending.await.map_err(failure)?;
        let token = handle.progress_token.clone();
        self.listeners.lock().insert(token.clone(), progress);
        let answered = tokio::select! {
            answered = &mut handle.rx => Some(answered),
            () = stop.cancelled() => None,
        };
        self.listeners.lock().remove(&token);
        match answered {
            Some(Ok(Ok(ServerResult::CallToolResult(result)))) => Ok(answer(&result)),
            Some(Ok(Ok(_))) => Err(ToolboxError::Gone("it answered something else".to_owned())),
            Some(Ok(Err(error))) => Err(failure(error)),
            Some(Err(_)) => Err(ToolboxError::Gone("it closed the connection".to_owned())),
            None => {
                // The server cancels the run; a server that has gone has none.
                let _ = handle
                    .cancel(Some("the person stopped it".to_owned()))
                    .await;
                Err(ToolboxError::Stopped)
            }
        }
    }

    /// Disconnects, and waits until the server has ended what it did.
    pub async fn close(self) {
        let _ = self.service.cancel().await;
        let _ = self.serving.await;
    }
}

fn failure(error: ServiceError) -> ToolboxError {
    match error {
        ServiceError::McpError(error) => ToolboxError::Refused(error.message.into_owned()),
        error => ToolboxError::Gone(error.to_string()),
    }
}

/// A result as text. What is not text is named.
fn answer(result: &CallToolResult) -> CallAnswer {
    let texts: Vec<String> = result.content.iter().map(text_of).collect();
    CallAnswer {
        text: texts.join("\n"),
        is_error: result.is_error == Some(true),
        undo: undo_offer(result),
    }
}

fn undo_offer(result: &CallToolResult) -> Option<String> {
    let offer = result.meta.as_ref()?.0.get(UNDO_OFFER)?;
    offer["run"].as_str().map(str::to_owned)
}

fn text_of(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => unshown(&image.mime_type, image.data.len()),
        ContentBlock::Audio(audio) => unshown(&audio.mime_type, audio.data.len()),
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}

/// Base64 has four letters for three bytes.
fn unshown(kind: &str, letters: usize) -> String {
    format!(
        "({kind}, {} bytes: the chat shows models text alone)",
        letters / 4 * 3
    )
}
