//! The server, started once.

use std::future::pending;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule::upstream::UpstreamState;
use ampoule::{
    Binding, BindingError, CallContext, CallError, Error, Grant, Runtime, Tool, ToolResult,
};
use ampoule_config::Reach;
use ampoule_configured::{Server, watched_server};
use ampoule_projection::Idiom;
use ampoule_server::{self as serving, ClientComponents};
use ampoule_tokens::Cost;
use ampoule_tools::ResolvedTool;
use ampoule_untrusted::text;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::time::sleep;

use super::calls::ToolCall;
use super::remarks::{self, Remark};
use super::stderr::ServerOutput;
use super::target::Target;
use super::view::{DeclarationLanguage, ServerView, ToolView};
use crate::exit::Failure;
use crate::{setup, streams};

/// How long a server over HTTP may take to be there again after a save.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is tried, and how often it is looked whether a process still runs.
const INTERVAL: Duration = Duration::from_millis(250);

/// What is wanted of each start.
pub(super) struct Questions {
    pub(super) language: DeclarationLanguage,
    pub(super) calls: Vec<ToolCall>,
}

/// Why a server can't be shown.
pub(super) enum LookError {
    /// The server is at fault.
    Server(String),
    /// The command can't continue.
    Host(Failure),
}

impl From<Failure> for LookError {
    fn from(failure: Failure) -> Self {
        Self::Host(failure)
    }
}

impl From<Error> for LookError {
    fn from(error: Error) -> Self {
        Self::Host(error.into())
    }
}

/// A server that was started for one save, alone in a runtime.
pub(super) struct LiveServer {
    name: String,
    server: Arc<Server>,
    runtime: Runtime,
    is_remote: bool,
}

impl LiveServer {
    /// The server. It is started when it is looked at.
    pub(super) fn new(target: &Target, output: &ServerOutput) -> Result<Self, Failure> {
        let Target { name, config, .. } = target;
        let server = watched_server(name.clone(), config.clone(), output.listener());
        let server = Arc::new(server.map_err(Failure::usage)?);
        // One call at a time.
        let builder = setup::builder().isolates(1);
        let runtime = builder.binding(SharedServer(Arc::clone(&server))).build()?;
        Ok(Self {
            name: name.clone(),
            server,
            runtime,
            is_remote: !matches!(config.reach, Reach::Process(_)),
        })
    }

    /// Starts the server, lists its tools, counts their tokens and makes the calls.
    pub(super) async fn look(&self, questions: &Questions) -> Result<ServerView, LookError> {
        let waiting = streams::err().waiting();
        waiting.on("starting the server".to_owned());
        let begun = Instant::now();
        self.listed().await.map_err(LookError::Server)?;
        let started_in = begun.elapsed();
        waiting.on("counting the tokens of its tools".to_owned());
        let idiom = questions.language.idiom();
        let tools = self.tools(idiom).await?;
        let cost = self.cost().await?;
        let mut calls = Vec::new();
        for call in &questions.calls {
            waiting.on("calling its tools".to_owned());
            calls.push(call.make(&self.runtime, &self.name).await?);
        }
        let binding = self.server.as_binding();
        let status = match &*self.server {
            Server::Mcp(upstream) => Some(upstream),
            Server::Api(_) | Server::Graphql(_) => None,
        };
        let protocol_version = status.and_then(|it| it.status().protocol_version);
        Ok(ServerView {
            name: self.name.clone(),
            program: binding.says_it_is(),
            version: status.and_then(|it| it.says_version()),
            about: binding.description(),
            protocol_version: protocol_version.map(|version| version.to_string()),
            started_in_ms: u64::try_from(started_in.as_millis()).unwrap_or(u64::MAX),
            tokens: cost,
            remarks: remarks_of(binding, &tools),
            tools: ToolView::all(&tools, questions.language),
            calls,
        })
    }

    /// Waits until the server has listed its tools; or says why it can't. A server over HTTP that
    /// somebody else starts gets some time to come back.
    async fn listed(&self) -> Result<(), String> {
        let binding = self.server.as_binding();
        let begun = Instant::now();
        loop {
            let error = match binding.tools().await {
                Ok(_) => return Ok(()),
                Err(error) => error.message,
            };
            if !self.is_remote || begun.elapsed() > PATIENCE || !binding.restart() {
                return Err(error);
            }
            sleep(INTERVAL).await;
        }
    }

    async fn tools(&self, idiom: Idiom) -> Result<Vec<ResolvedTool>, LookError> {
        let granted = self.runtime.tools(Grant::all())?;
        let granted = granted.waiting().named_as(idiom);
        let server = granted.server(&self.name).map_err(Error::from)?;
        let tools = granted.tools_of(server).await;
        tools.map_err(|error| LookError::Server(error.message))
    }

    /// What the tools cost a model. It sees them in TypeScript.
    async fn cost(&self) -> Result<Cost, LookError> {
        let tools = self.tools(Idiom::TypeScript).await?;
        let components = ClientComponents::default();
        let server = serving::Server::new(self.runtime.clone(), Grant::all(), &components)?;
        let cost = Cost::of(&tools, server).await;
        cost.map_err(|error| Failure::host(&error).into())
    }

    /// Waits for the end of a server's process, and says how it ended. A server that is not a process,
    /// or was not started, has none.
    pub(super) async fn ended(&self) -> String {
        let upstream = match &*self.server {
            Server::Mcp(upstream) if !self.is_remote => upstream,
            _ => return pending().await,
        };
        if upstream.state() != UpstreamState::Ready {
            return pending().await;
        }
        loop {
            sleep(INTERVAL).await;
            let status = upstream.status();
            if status.state != UpstreamState::Ready {
                let why = status.why.or(status.last_error);
                return why.unwrap_or_else(|| "the server has ended".to_owned());
            }
        }
    }

    /// Stops the server, and waits until it is gone.
    pub(super) async fn close(&self) {
        self.runtime.close().await;
    }
}

/// What to say of the server as a whole.
fn remarks_of(binding: &dyn Binding, tools: &[ResolvedTool]) -> Vec<Remark> {
    let problems = binding.problems();
    let problems = problems.iter().map(|problem| text::one_line(problem));
    let mut remarks: Vec<_> = problems.map(Remark::warning).collect();
    let definitions: Vec<_> = tools.iter().map(ResolvedTool::definition).collect();
    remarks.extend(remarks::of_all(&definitions));
    if binding.description().is_none() {
        remarks.push(Remark::note(
            "the server has no `instructions`: a model that searches sees only its name",
        ));
    }
    remarks
}

/// The server as the runtime's binding.
struct SharedServer(Arc<Server>);

impl Binding for SharedServer {
    fn name(&self) -> &str {
        self.0.as_binding().name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(self.0.as_binding())
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.0.as_binding().tools()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.0.as_binding().call(tool, arguments, context)
    }
}
