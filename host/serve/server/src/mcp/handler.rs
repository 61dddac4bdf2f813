//! What a client may ask for, as `rmcp` hands it on.

#[expect(deprecated, reason = "clients before 2026-07-28 send it")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
    Implementation, InitializeResult, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, PromptsCapability,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ResourcesCapability,
    ServerCapabilities, SetLevelRequestMethod, SubscribeRequestParams, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use super::asker::Asker;
use super::client::{Client, ToolCaller};
use super::offers::OfferKind;
use super::resources::not_there;
use super::server::ListReader;
use super::tasks::task;
use super::{caller, wording};

impl ServerHandler for Client {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        let mut capabilities = capabilities.build();
        let offer = self.server.offer();
        // The operator may change a toolkit at any time.
        let may_change = !offer.exposure.direct.is_empty() || offer.toolkit().is_some();
        if let (Some(tools), true) = (&mut capabilities.tools, may_change) {
            tools.list_changed = Some(true);
        }
        capabilities.resources = self.has_resources().then(|| {
            let mut resources = ResourcesCapability::default();
            // Of servers' resources; files change with each run.
            let of_servers = self.may_have(OfferKind::Resources).then_some(true);
            (resources.subscribe, resources.list_changed) = (of_servers, of_servers);
            resources
        });
        capabilities.prompts = self.may_have(OfferKind::Prompts).then(|| {
            let mut prompts = PromptsCapability::default();
            prompts.list_changed = Some(true);
            prompts
        });
        capabilities.completions = self.may_have(OfferKind::Complete).then(JsonObject::new);
        capabilities.logging = Some(JsonObject::new());
        let instructions = match &offer.description {
            Some(first) => format!("{first}\n\n{}", wording::INSTRUCTIONS),
            None => wording::INSTRUCTIONS.to_owned(),
        };
        InitializeResult::new(capabilities)
            .with_server_info(Implementation::new("ampoule", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.can_be_asked(&context);
        let client = caller::name(&context);
        let reader = ListReader {
            principal: caller::principal(&context),
            client: client.as_deref(),
            has_call_tool: self.server.offer().exposure.offers_call_tool(&context),
            has_apps: self.has_apps(&context),
        };
        let offered = self.server.offered(reader).await.map_err(|error| {
            tracing::error!(%error, "can't list tools for a client");
            ErrorData::internal_error("the host failed", None)
        })?;
        self.has_listed(&offered, &context);
        let mut list = ListToolsResult::with_all_items(offered.list);
        let takes_hints = context
            .protocol_version()
            .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
        list.ttl_ms = takes_hints.then_some(0);
        let is_public = self.server.is_the_same_for_all()
            && self.server.offer().exposure.is_the_same_for_all(&context);
        let scope = match is_public {
            true => CacheScope::Public,
            false => CacheScope::Private,
        };
        list.cache_scope = takes_hints.then_some(scope);
        Ok(list)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let offered = self.server.own_tools_of_all();
        if let Some(own) = offered.iter().find(|tool| tool.name == name) {
            return Some(own.clone());
        }
        // Headers repeat arguments of some tools, and have to be what the arguments are.
        let ToolCaller { principal, client } = self.caller.as_ref()?;
        let (principal, client) = (principal.as_ref(), client.as_deref());
        self.server.known_direct_tool(name, principal, client)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.done(context, |context| self.called(call, context))
            .await
    }

    // What is not declared is not there; `rmcp` would say that there are none.
    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        if !self.may_have(OfferKind::Prompts) {
            return Err(not_there("prompts/list"));
        }
        self.can_be_asked(&context);
        let cursor = request.and_then(|request| request.cursor);
        let asker = Asker::of(&context);
        self.listed_prompts(cursor.as_deref(), &asker).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if !self.may_have(OfferKind::Prompt) {
            return Err(not_there("prompts/get"));
        }
        Box::pin(self.prompt(request, &context)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.can_be_asked(&context);
        let cursor = request.and_then(|request| request.cursor);
        self.listed(cursor, &context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Box::pin(self.read(request, &context)).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        if !self.has_resources() {
            return Err(not_there("resources/templates/list"));
        }
        self.can_be_asked(&context);
        let cursor = request.and_then(|request| request.cursor);
        let asker = Asker::of(&context);
        self.listed_templates(cursor.as_deref(), &asker).await
    }

    #[expect(deprecated, reason = "clients before 2026-07-28 have it")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if caller::ends_requests(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        let level = serde_json::to_value(request.level).and_then(serde_json::from_value);
        let level = level.map_err(|_| ErrorData::invalid_params("unknown level", None))?;
        self.log_level.set(Some(level));
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        if !self.may_have(OfferKind::Complete) {
            return Err(not_there("completion/complete"));
        }
        self.completed(request, &Asker::of(&context)).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let Some(watcher) = self.watcher.as_ref() else {
            return Err(not_there("resources/subscribe"));
        };
        if !self.may_have(OfferKind::Resources) {
            return Err(not_there("resources/subscribe"));
        }
        if request.uri.is_empty() {
            let said = "`resources/subscribe` takes `uri`, the address of a resource";
            return Err(ErrorData::invalid_params(said, None));
        }
        let asker = Asker::of(&context);
        let subscribing = Box::pin(self.subscribed(watcher, &request.uri, &asker));
        let cancelled = || ErrorData::internal_error("cancelled", None);
        let subscribed = self.left.run_until_cancelled(subscribing).await;
        subscribed.ok_or_else(cancelled)?
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let there = self.watcher.as_ref();
        let Some(watcher) = there.filter(|_| self.may_have(OfferKind::Resources)) else {
            return Err(not_there("resources/unsubscribe"));
        };
        watcher.unsubscribe(&request.uri);
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        task::get(&self.state(&context).runs, &request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = task::found(&self.state(&context).runs, &request.task_id)?;
        run.take_some_answers(request.input_responses).await;
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let run = task::found(&self.state(&context).runs, &request.task_id)?;
        run.cancel();
        Ok(())
    }
}
