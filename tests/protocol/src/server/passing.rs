//! Requests, passed on to the server behind, and what comes back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ampoule_tools::{Binding, Call, CallContext, CallError, Deadline, RunId, ToolResult};
use ampoule_upstream::Upstream;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    DiscoverResult, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InitializeResult, InputRequiredResult, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceUpdatedNotificationParam, ServerCapabilities, SetLevelRequestParams,
    SubscribeRequestParams, Tool, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use super::asked::{self, Client, Question, Reply};

/// How large a result may be, in bytes.
const RESULT_BYTES: u64 = 16 << 20;

/// A server that has what the one behind it has, for one client.
pub(super) struct Passing {
    passed: Arc<Passed>,
    /// Below which lines for the log are not for the client.
    level: Mutex<LoggingLevel>,
    /// What it hears of, by address.
    subscriptions: Mutex<HashMap<String, JoinHandle<()>>>,
}

/// What is the same for all clients.
pub(super) struct Passed {
    upstream: Arc<Upstream>,
    /// The calls whose client has to answer something, by the state that it got with that.
    held: Mutex<HashMap<String, UnderWay>>,
    next: AtomicU64,
}

/// A call that continues from request to request.
struct UnderWay {
    call: BoxFuture<'static, Result<ToolResult, CallError>>,
    questions: mpsc::Receiver<Question>,
    /// What the client was asked, and by which name.
    open: Option<(String, oneshot::Sender<Reply>)>,
}

/// What the client sent with its request, to continue an earlier one.
struct Given {
    responses: Option<InputResponses>,
    state: Option<String>,
}

/// What a request ends with.
enum Ended {
    Result(ToolResult),
    Asks(InputRequiredResult),
}

impl Passed {
    pub(super) fn to(upstream: Upstream) -> Self {
        Self {
            upstream: Arc::new(upstream),
            held: Mutex::default(),
            next: AtomicU64::new(1),
        }
    }
}

impl Passing {
    pub(super) fn new(passed: Arc<Passed>) -> Self {
        let level = Mutex::new(LoggingLevel::Debug);
        Self {
            passed,
            level,
            subscriptions: Mutex::default(),
        }
    }

    /// Passes a call on, of a tool or of what a server has besides, or continues one.
    async fn pass(
        &self,
        name: &str,
        arguments: Value,
        given: Given,
        context: RequestContext<RoleServer>,
    ) -> Result<Ended, ErrorData> {
        let mut call = match given.state {
            None => self.begin(name, arguments, context.clone())?,
            Some(state) => {
                let held = self.passed.held.lock().remove(&state);
                let unknown =
                    || ErrorData::invalid_params("no request waits under this state", None);
                held.ok_or_else(unknown)?.with(given.responses)
            }
        };
        tokio::select! {
            biased;
            ended = &mut call.call => ended.map(Ended::Result).map_err(|error| refused(&error)),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            Some(question) = call.questions.recv() => self.hold(call, question).map(Ended::Asks),
        }
    }

    /// Ends what the client hears of a resource, or has something else in its place.
    fn end(&self, uri: &str, next: Option<JoinHandle<()>>) {
        let mut subscriptions = self.subscriptions.lock();
        let earlier = match next {
            Some(next) => subscriptions.insert(uri.to_owned(), next),
            None => subscriptions.remove(uri),
        };
        if let Some(earlier) = earlier {
            earlier.abort();
        }
    }

    fn begin(
        &self,
        name: &str,
        arguments: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<UnderWay, ErrorData> {
        let arguments: Map<String, Value> = read(arguments)?;
        let (client, questions, notices) = Client::of(&context, *self.level.lock());
        let deadline = Deadline::never();
        let tool: Arc<str> = name.into();
        let server = Arc::from(self.passed.upstream.name());
        let call = Call::new(RunId::new(), 0, &server, &tool, None, deadline.time());
        let on_its_way = CallContext::new(call, RESULT_BYTES, deadline, Some(Arc::new(client)));
        let upstream = Arc::clone(&self.passed.upstream);
        let call = async move {
            let call = upstream.call(&tool, arguments, on_its_way);
            // Messages to the client come before the result: the call has released them then.
            let (result, ()) = futures::join!(call, asked::tell(context, notices));
            result
        };
        Ok(UnderWay {
            call: call.boxed(),
            questions,
            open: None,
        })
    }

    /// Ends the request with what the call's server wants to know.
    fn hold(
        &self,
        mut call: UnderWay,
        question: Question,
    ) -> Result<InputRequiredResult, ErrorData> {
        let name = format!("asked {}", self.passed.next.fetch_add(1, Relaxed));
        let asks = read(json!({ &name: question.request }))?;
        call.open = Some((name.clone(), question.answer));
        let state = format!("after {name}");
        self.passed.held.lock().insert(state.clone(), call);
        Ok(InputRequiredResult::new(Some(asks), Some(state)))
    }

    /// What the server behind gives besides tools.
    async fn inquire(
        &self,
        name: &str,
        params: Value,
        context: RequestContext<RoleServer>,
    ) -> Result<Value, ErrorData> {
        let given = Given {
            responses: None,
            state: None,
        };
        match self.pass(name, params, given, context).await? {
            Ended::Result(result) => structured(result),
            Ended::Asks(_) => Err(ErrorData::internal_error("it may not ask anything", None)),
        }
    }
}

impl UnderWay {
    /// The call, with what its client was asked.
    fn with(mut self, responses: Option<InputResponses>) -> Self {
        if let Some((name, answer)) = self.open.take() {
            let response = responses.unwrap_or_default().remove(&name);
            let _ = answer.send(match response {
                Some(Value::Object(response)) => Ok(response),
                _ => Err("the client did not answer".to_owned()),
            });
        }
        self
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

/// A result, made of its members. Clients of the older lifecycle do not get to see its type.
fn result<T: DeserializeOwned>(members: Value) -> Result<T, ErrorData> {
    let mut members: Map<String, Value> = read(members)?;
    members.retain(|_, member| !member.is_null());
    members.insert("resultType".to_owned(), "complete".into());
    read(members.into())
}

fn refused(error: &CallError) -> ErrorData {
    ErrorData::invalid_params(error.to_string(), None)
}

/// What a server gives besides the results of tools.
fn structured(called: ToolResult) -> Result<Value, ErrorData> {
    let came = serde_json::to_value(called.structured_content);
    came.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

impl ServerHandler for Passing {
    fn get_info(&self) -> InitializeResult {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions()
            .enable_logging();
        InitializeResult::new(capabilities.build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.passed.upstream.tools().await;
        let tools = tools.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        result(json!({ "tools": *tools }))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.passed.upstream.known_tools()?;
        let tool = tools.iter().find(|tool| tool.name == name)?;
        serde_json::to_value(tool)
            .ok()
            .and_then(|tool| read(tool).ok())
    }

    async fn set_level(
        &self,
        params: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.level.lock() = params.level;
        Ok(())
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = Given {
            responses: params.input_responses,
            state: params.request_state,
        };
        let arguments = params.arguments.unwrap_or_default();
        let called = self.pass(&params.name, arguments.into(), given, context);
        Ok(match called.await? {
            Ended::Asks(asks) => asks.into(),
            Ended::Result(called) => result::<CallToolResult>(json!({
                "content": called.content,
                "structuredContent": called.structured_content,
                "isError": called.is_error,
            }))?
            .into(),
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.inquire("$prompts", json!({}), context).await?;
        result(json!({ "prompts": prompts }))
    }

    async fn get_prompt(
        &self,
        params: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = Given {
            responses: params.input_responses,
            state: params.request_state,
        };
        let arguments = params.arguments.unwrap_or_default();
        let prompt = json!({ "name": params.name, "arguments": arguments });
        Ok(match self.pass("$prompt", prompt, given, context).await? {
            Ended::Asks(asks) => asks.into(),
            Ended::Result(prompt) => result::<GetPromptResult>(structured(prompt)?)?.into(),
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.inquire("$resources", json!({}), context).await?;
        result(json!({ "resources": resources }))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.inquire("$templates", json!({}), context).await?;
        result(json!({ "resourceTemplates": templates }))
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = json!({ "uri": params.uri });
        let contents = self.inquire("$read", uri.clone(), context).await;
        let contents = contents.map_err(|mut error| {
            error.data = Some(uri);
            error
        })?;
        Ok(result::<ReadResourceResult>(json!({ "contents": contents }))?.into())
    }

    /// Since 2026-07-28, clients that subscribe listen, which `ampoule serve` is tried with.
    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        if let Some(resources) = &mut info.capabilities.resources {
            resources.subscribe = None;
        }
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, info))
    }

    async fn subscribe(
        &self,
        params: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = params.uri;
        let heard = self.passed.upstream.subscribe(&uri, None).await;
        let mut heard = heard.map_err(|error| refused(&error))?;
        let (peer, told) = (context.peer, uri.clone());
        let telling = tokio::spawn(async move {
            while heard.changed().await {
                let updated = ResourceUpdatedNotificationParam::new(&*told);
                if peer.notify_resource_updated(updated).await.is_err() {
                    return;
                }
            }
        });
        self.end(&uri, Some(telling));
        Ok(())
    }

    async fn unsubscribe(
        &self,
        params: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.end(&params.uri, None);
        Ok(())
    }

    async fn complete(
        &self,
        params: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let asked = serde_json::to_value(params).unwrap_or_default();
        let completion = self.inquire("$complete", asked, context).await?;
        result(json!({ "completion": completion }))
    }
}
