//! The server behind Ampoule when MCP's conformance suite plays its scenarios for servers:
//! `conformance-upstream VERSION`, over stdio. It speaks no newer version of the protocol than
//! that.
//!
//! `fixture.json` has what the suite expects to find: what each tool, prompt and resource says of
//! itself, and what comes of it. `{…}` in a text is filled in with the argument of that name;
//! `{answers}`, with what the client answered.

#![expect(deprecated, reason = "lines for the log are for older clients")]

mod asking;
mod changing;
mod tasks;

use std::borrow::Cow;

use anyhow::{Context, Result};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CompleteRequestParams, CompleteResult, ErrorData, GetPromptRequestParams, GetPromptResponse,
    GetPromptResult, GetTaskParams, GetTaskResult, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{RoleServer, ServiceExt};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use self::asking::{Asks, Done, Given};
use self::changing::{Changes, Changing};
use self::tasks::{AsTask, Tasks};

/// What the server has.
#[derive(Deserialize)]
struct Fixture {
    tools: Vec<Offered>,
    prompts: Vec<Offered>,
    resources: Vec<Offered>,
    template: Offered,
}

/// A tool, a prompt or a resource.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Offered {
    /// How it is listed.
    is: Value,
    /// How far it is, in steps of a hundred, before it ends.
    #[serde(default)]
    progress: Vec<f64>,
    /// What it has for the log.
    #[serde(default)]
    logs: Vec<String>,
    #[serde(flatten)]
    asks: Asks,
    /// The list that it changes.
    #[serde(default)]
    changes: Option<Changing>,
    /// How it is a task, where the client takes tasks.
    #[serde(default)]
    task: Option<AsTask>,
    /// What comes of it.
    result: Value,
}

struct Server {
    fixture: Fixture,
    version: ProtocolVersion,
    tasks: Tasks,
    changes: Changes,
}

#[tokio::main]
async fn main() -> Result<()> {
    let version = std::env::args()
        .nth(1)
        .context("conformance-upstream VERSION")?;
    let server = Server {
        fixture: serde_json::from_str(include_str!("fixture.json"))?,
        version: serde_json::from_value(version.into())?,
        tasks: Tasks::default(),
        changes: Changes::default(),
    };
    let serving = server.serve(rmcp::transport::io::stdio()).await?;
    serving.waiting().await?;
    Ok(())
}

/// What is listed, as the protocol's type for it.
fn listed<T: DeserializeOwned>(offered: &[Offered]) -> Vec<T> {
    let listed = offered
        .iter()
        .map(|it| serde_json::from_value(it.is.clone()));
    listed
        .collect::<Result<_, _>>()
        .expect("the fixture is as the protocol has it")
}

fn named<'a>(offered: &'a [Offered], name: &str) -> Result<&'a Offered, ErrorData> {
    let unknown = || ErrorData::invalid_params(format!("there is no {name}"), None);
    offered
        .iter()
        .find(|it| it.is["name"] == name)
        .ok_or_else(unknown)
}

/// The texts of a value, filled in.
fn filled(value: &Value, with: &Map<String, Value>) -> Value {
    match value {
        Value::String(text) => {
            let fill = |text: String, (name, value): (&String, &Value)| match value.as_str() {
                Some(value) => text.replace(&format!("{{{name}}}"), value),
                None => text.replace(&format!("{{{name}}}"), &value.to_string()),
            };
            with.iter().fold(text.clone(), fill).into()
        }
        Value::Array(items) => items.iter().map(|item| filled(item, with)).collect(),
        Value::Object(members) => {
            let filled = |(name, value): (&String, &Value)| (name.clone(), filled(value, with));
            Value::Object(members.iter().map(filled).collect())
        }
        other => other.clone(),
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A result. Clients of the older lifecycle do not get to see its type.
fn complete<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    result["resultType"] = json!("complete");
    read(result)
}

impl Offered {
    /// Does what it does, and gives its result, or what the client has to answer first.
    async fn perform<T, C>(
        &self,
        arguments: Option<Map<String, Value>>,
        given: Given,
        context: &RequestContext<RoleServer>,
    ) -> Result<T, ErrorData>
    where
        T: From<C> + From<rmcp::model::InputRequiredResult>,
        C: DeserializeOwned,
    {
        let mut known = arguments.unwrap_or_default();
        self.tell(context).await;
        match self.asks.ask(&known, given, context).await? {
            Done::Asks(asks) => Ok(asks.into()),
            Done::Answered(answers) => {
                known.insert("answers".to_owned(), Value::Object(answers));
                Ok(complete::<C>(filled(&self.result, &known))?.into())
            }
        }
    }

    /// Tells what there is to tell, to a client that wants to know. One that is gone is not told.
    async fn tell(&self, context: &RequestContext<RoleServer>) {
        if let Some(token) = context.meta.get_progress_token() {
            for progress in &self.progress {
                let told = ProgressNotificationParam::new(token.clone(), *progress);
                let _ = context.peer.notify_progress(told.with_total(100.0)).await;
            }
        }
        for line in &self.logs {
            let line = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
            let _ = context.peer.notify_logging_message(line).await;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_logging();
        let capabilities = match self.version >= ProtocolVersion::V_2026_07_28 {
            true => capabilities.enable_tasks(),
            false => capabilities,
        };
        InitializeResult::new(capabilities.build())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .filter(|it| **it <= self.version)
            .cloned()
            .collect()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<_> = listed(&self.fixture.tools);
        if let Some(tool) = self.changes.on(Changing::Tools) {
            tools.push(read(tool)?);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = named(&self.fixture.tools, &params.name)?;
        let given = Given::new(params.input_responses, params.request_state);
        if let Some(list) = tool.changes {
            self.changes.change(list, &context).await;
        }
        let Some(task) = &tool.task else {
            return tool
                .perform::<_, CallToolResult>(params.arguments, given, &context)
                .await;
        };
        let takes_tasks = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.supports_tasks());
        let mut arguments = params.arguments.unwrap_or_default();
        match tool.asks.ask(&arguments, given, &context).await? {
            Done::Asks(asks) => return Ok(asks.into()),
            Done::Answered(answers) if !answers.is_empty() => {
                arguments.insert("answers".to_owned(), Value::Object(answers));
            }
            Done::Answered(_) => {}
        }
        if takes_tasks {
            let created = self.tasks.create(task, arguments, &tool.result)?;
            return Ok(created.into());
        }
        tokio::time::sleep(task.time(&arguments)).await;
        task.failure()?;
        Ok(complete::<CallToolResult>(filled(&tool.result, &arguments))?.into())
    }

    async fn get_task(
        &self,
        params: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.tasks.get(&params.task_id)?))
    }

    async fn update_task(
        &self,
        params: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.update(&params.task_id, params.input_responses)
    }

    async fn cancel_task(
        &self,
        params: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel(&params.task_id)
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        self.changes.subscribed(subscription.sink().clone());
        subscription.cancelled().await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut prompts: Vec<_> = listed(&self.fixture.prompts);
        if let Some(prompt) = self.changes.on(Changing::Prompts) {
            prompts.push(read(prompt)?);
        }
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = named(&self.fixture.prompts, &params.name)?;
        let given = Given::new(params.input_responses, params.request_state);
        prompt
            .perform::<_, GetPromptResult>(params.arguments, given, &context)
            .await
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(listed(
            &self.fixture.resources,
        )))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = listed(std::slice::from_ref(&self.fixture.template));
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = params.uri;
        if let Some(there) = self
            .fixture
            .resources
            .iter()
            .find(|it| it.is["uri"] == uri.as_str())
        {
            return Ok(complete::<ReadResourceResult>(there.result.clone())?.into());
        }
        let id = uri
            .strip_prefix("test://template/")
            .and_then(|it| it.strip_suffix("/data"));
        let unknown = || {
            ErrorData::resource_not_found("there is no such resource", Some(json!({ "uri": uri })))
        };
        let known = [("id".to_owned(), json!(id.ok_or_else(unknown)?))];
        let result = filled(&self.fixture.template.result, &known.into_iter().collect());
        Ok(complete::<ReadResourceResult>(result)?.into())
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let value = format!("{} completed", params.argument.value);
        complete(json!({ "completion": { "values": [value], "total": 1, "hasMore": false } }))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}
