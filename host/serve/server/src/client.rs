//! One client, as `rmcp` talks to it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use ampoule::Principal;
use futures::FutureExt;
#[expect(deprecated, reason = "clients before 2026-07-28 send it")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestMethod,
    CompleteRequestParams, CompleteResult, GetTaskParams, GetTaskResult, Implementation,
    InitializeResult, JsonObject, ListPromptsRequestMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    SetLevelRequestMethod, Tool, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio_util::sync::CancellationToken;

use super::asked::{self, Asked};
use super::estate::Estate;
use super::held::UnderWay;
use super::lines::Wanted;
use super::waiting::Request;
use super::{Server, resources, tasks, tools, wording};

/// A client that is connected: one on stdio, a session or a single request over HTTP.
pub(super) struct Client {
    pub(super) server: Server,
    /// Cancelled when it goes away.
    pub(super) left: CancellationToken,
    /// Cancelled when runs are to end, and say how far they came.
    stopping: CancellationToken,
    /// What it is asked, where that is sent by a transport of ours.
    pub(super) asked: Option<Arc<Asked>>,
    /// From which level on it wants to hear what servers log.
    pub(super) log_level: Wanted,
}

impl Client {
    pub(super) fn new(server: Server, left: CancellationToken, asked: Option<Arc<Asked>>) -> Self {
        Self {
            server,
            left,
            stopping: CancellationToken::new(),
            asked,
            log_level: Wanted::default(),
        }
    }

    /// One that says what it wants to hear of what servers log in another of its requests.
    pub(super) fn hearing(self, log_level: Wanted) -> Self {
        Self { log_level, ..self }
    }

    /// One whose runs end when this is cancelled, and say how far they came.
    pub(super) fn until(self, stopping: CancellationToken) -> Self {
        Self { stopping, ..self }
    }

    /// What is done for a request, until its client gives it up, or the operator. Its client, where
    /// that went away, is not told.
    async fn done<F>(
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
            Some(Err(_)) => Ok(tools::host_failed(&"it panicked").into()),
            // Nobody reads it: the client went away.
            None => Ok(tools::failure("cancelled").into()),
        }
    }

    /// What a run gives that somebody waits for again, to its end.
    pub(super) async fn waited(
        &self,
        run: UnderWay,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = Request {
            to_its_end: true,
            ..Request::default()
        };
        let waiting = async |context| Ok(self.wait(run, request, &context).await);
        self.done(context, waiting).await
    }

    /// What belongs to whoever sent a request.
    pub(super) fn estate(&self, context: &RequestContext<RoleServer>) -> Arc<Estate> {
        self.server.shared.estates.of(principal(context))
    }
}

/// Who sent a request, where whoever let it in said so: over HTTP.
pub(super) fn principal(context: &RequestContext<RoleServer>) -> Option<&Principal> {
    let parts = context.extensions.get::<http::request::Parts>()?;
    parts.extensions.get::<Principal>()
}

/// The client's name, as it says itself: nothing proves it.
pub(super) fn name(context: &RequestContext<RoleServer>) -> Option<String> {
    context.client_info().map(|client| bounded(&client.name))
}

/// How much of a client's name counts, in bytes.
const NAME_BYTES: usize = 256;

/// A client's name, cut where it is too long to be kept. A mark stands for the rest: what was cut
/// is not the name of another client.
pub(super) fn bounded(name: &str) -> String {
    match name.len() <= NAME_BYTES {
        true => name.to_owned(),
        false => format!("{}…", &name[..name.floor_char_boundary(NAME_BYTES)]),
    }
}

/// Who it is on whose behalf runs happen.
pub(super) fn person(principal: Option<&Principal>) -> &str {
    principal.map_or("the local user", |it| it.name())
}

/// Who answers in a client's dialogue, as far as is known.
pub(super) fn who(context: &RequestContext<RoleServer>) -> String {
    let principal = person(principal(context));
    match name(context) {
        Some(client) => format!("{principal}, in {client}"),
        None => principal.to_owned(),
    }
}

/// Whether a request came over HTTP.
pub(super) fn came_over_http(context: &RequestContext<RoleServer>) -> bool {
    context.extensions.get::<http::request::Parts>().is_some()
}

/// Whether a client that gives a request up says so. Over HTTP, since 2026-07-28, it ends the
/// stream, and so does one that vanishes.
pub(super) fn says_when_it_gives_up(context: &RequestContext<RoleServer>) -> bool {
    !(came_over_http(context) && asked::ends_requests(context))
}

impl ServerHandler for Client {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        let mut capabilities = capabilities.build();
        capabilities.resources = self.has_files().then(Default::default);
        capabilities.logging = Some(JsonObject::new());
        InitializeResult::new(capabilities)
            .with_server_info(Implementation::new("ampoule", env!("CARGO_PKG_VERSION")))
            .with_instructions(wording::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered = self
            .server
            .offered(principal(&context), name(&context).as_deref());
        let offered = offered.map_err(|error| {
            tracing::error!(%error, "a client can't be told what there is");
            ErrorData::internal_error("the host failed", None)
        })?;
        let mut list = ListToolsResult::with_all_items(offered.to_vec());
        let takes_hints = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        list.ttl_ms = takes_hints.then_some(0);
        let scope = match self.server.shared.policies() {
            None => CacheScope::Public,
            Some(_) => CacheScope::Private,
        };
        list.cache_scope = takes_hints.then_some(scope);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.server
            .shared
            .offered
            .iter()
            .find(|tool| tool.name == name)
            .cloned()
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.done(context, |context| self.called(call, context))
            .await
    }

    // Not declared, so not there; `rmcp` would say that there are none.
    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        asked: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = asked.and_then(|asked| asked.cursor);
        self.listed(cursor, &context).await
    }

    async fn read_resource(
        &self,
        asked: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.read(asked.uri, &context).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        // Clients ask for them where there are resources.
        match self.has_files() {
            true => Ok(ListResourceTemplatesResult::default()),
            false => Err(resources::not_there("resources/templates/list")),
        }
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 have it")]
    async fn set_level(
        &self,
        asked: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if asked::ends_requests(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        let level = serde_json::to_value(asked.level).and_then(serde_json::from_value);
        let level = level.map_err(|_| ErrorData::invalid_params("there is no such level", None))?;
        self.log_level.set(Some(level));
        Ok(())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    async fn get_task(
        &self,
        asked: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(&self.estate(&context).long, &asked.task_id)
    }

    async fn update_task(
        &self,
        asked: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = tasks::found(&self.estate(&context).long, &asked.task_id)?;
        run.answer(asked.input_responses).await;
        Ok(())
    }

    async fn cancel_task(
        &self,
        asked: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = tasks::found(&self.estate(&context).long, &asked.task_id)?;
        run.cancel.cancel();
        Ok(())
    }
}
