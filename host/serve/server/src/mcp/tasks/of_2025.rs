//! Tasks of 2025-11-25, which `rmcp` does not have. A client asks for a task with its call, and
//! gets it at once; it polls the task, and fetches the result by a request that waits for it.
//! Questions of the run's servers reach the client through that request.

use std::borrow::Cow;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientNotification, ClientRequest, CustomNotification,
    CustomResult, ErrorCode, ProtocolVersion, ServerNotification, ServerResult, Task, TaskPayload,
    TaskStatus,
};
use rmcp::service::{NotificationContext, RequestContext, Service, ServiceRole};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::task::{detailed, found, speaks_tasks, text_of};
use super::wire_2025::{LIST, RESULT, TaskWish};
use crate::mcp::asker::Asker;
use crate::mcp::caller;
use crate::mcp::client::Client;
use crate::mcp::notifications::Notifications;
use crate::mcp::results::result;
use crate::runs::handle::{RELATED_TASK, RunHandle};

/// The tool whose calls can't be tasks: it runs nothing.
const NO_TASK: &str = "search_tools";
/// How much a task that failed says of that, in bytes; the rest is in what it gave.
const SAID_BYTES: usize = 1 << 10;
/// Whether the client of a call wants a task.
pub(crate) fn is_wanted(context: &RequestContext<RoleServer>) -> bool {
    let by_http = context.extensions.get::<http::request::Parts>();
    let said = context.extensions.get::<TaskWish>();
    let said = said.or_else(|| by_http?.extensions.get());
    said.is_some() && speaks(context)
}

/// Whether a client's tasks are these.
fn speaks(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version == Some(ProtocolVersion::V_2025_11_25) && !speaks_tasks(context)
}

/// A client whose tasks may be these.
pub(crate) struct ConnectedClient(pub(crate) Client);

impl Service<RoleServer> for ConnectedClient {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let client = &self.0;
        if !matches!(request, ClientRequest::InitializeRequest(_)) {
            client.tell_from_now_on(&context);
        }
        if let ClientRequest::SubscriptionsListenRequest(asked) = &request
            && caller::ends_requests(&context)
        {
            let (wanted, asker) = (&asked.params.notifications, Asker::of(&context));
            let listening = client.listening(wanted, &asker, client.left.clone());
            let listening = Box::pin(listening).await?;
            return Box::pin(listening.handle_request(request, context)).await;
        }
        if !speaks(&context) {
            return client.handle_request(request, context).await;
        }
        let result = match request {
            ClientRequest::CallToolRequest(call) if is_wanted(&context) => {
                created(client, call.params, context).await?
            }
            ClientRequest::ListToolsRequest(_) => {
                offered(client.handle_request(request, context).await?)
            }
            ClientRequest::GetTaskRequest(asked) => {
                let state = client.state(&context);
                written(&looked_at(&found(&state.runs, &asked.params.task_id)?)?)
            }
            ClientRequest::CancelTaskRequest(asked) => {
                written(&cancelled(client, &asked.params.task_id, &context).await?)
            }
            ClientRequest::CustomRequest(asked) if asked.method == RESULT => {
                return given(client, &task_in(asked.params)?, context).await;
            }
            ClientRequest::CustomRequest(asked) if asked.method == LIST => {
                listed(client, asked.params, &context)?
            }
            other => return client.handle_request(other, context).await,
        };
        Ok(CustomResult::new(result).into())
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> <RoleServer as ServiceRole>::Info {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}

/// The list of tools, which says of which there can be tasks.
fn offered(list: ServerResult) -> Value {
    let mut list = json!(list);
    let tools = list["tools"].as_array_mut().into_iter().flatten();
    for tool in tools.filter(|tool| tool["name"] != NO_TASK) {
        tool["execution"] = json!({ "taskSupport": "optional" });
    }
    list
}

/// Makes a task of a call.
async fn created(
    client: &Client,
    call: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<Value, ErrorData> {
    if call.name == NO_TASK {
        let said = format!("calls of {} can't be tasks: leave out `task`", call.name);
        return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, said, None));
    }
    match client.call_tool(call, context).await? {
        CallToolResponse::Task(created) => Ok(json!({ "task": written(&created.task) })),
        CallToolResponse::Complete(refused) => {
            let said = text_of(&refused).to_owned();
            Err(ErrorData::internal_error(said, None))
        }
        _ => Err(ErrorData::internal_error("this can't be a task", None)),
    }
}

/// A task as it is now. One that gave an error has failed, and says how: some clients fetch nothing
/// of those.
fn looked_at(run: &RunHandle) -> Result<Task, ErrorData> {
    let detailed = detailed(run)?;
    let mut task = detailed.task;
    if let TaskPayload::Completed { .. } | TaskPayload::Failed { .. } = &detailed.payload
        && let Some(answer) = run.answer.peek()
        && answer.is_error
    {
        task.status = TaskStatus::Failed;
        let answer = result(answer.clone());
        let said = text_of(&answer);
        let said = &said[..said.floor_char_boundary(SAID_BYTES)];
        task = task.with_status_message(said);
    }
    Ok(task)
}

/// A task as it is sent.
fn written(task: &Task) -> Value {
    let mut written = json!({
        "taskId": task.task_id,
        "status": task.status,
        "createdAt": task.created_at,
        "lastUpdatedAt": task.last_updated_at,
        "ttl": task.ttl_ms,
    });
    if let Some(message) = &task.status_message {
        written["statusMessage"] = json!(message);
    }
    if let Some(interval) = task.poll_interval_ms {
        written["pollInterval"] = json!(interval);
    }
    written
}

/// Ends a task, if it has not ended.
async fn cancelled(
    client: &Client,
    id: &str,
    context: &RequestContext<RoleServer>,
) -> Result<Task, ErrorData> {
    let run = found(&client.state(context).runs, id)?;
    let is_over = |task: &Task| {
        let said = format!("the task is over: its status is {}", json!(task.status));
        ErrorData::invalid_params(said, None)
    };
    let before = looked_at(&run)?;
    if before.status.is_terminal() {
        return Err(is_over(&before));
    }
    run.cancel();
    run.answer.clone().await;
    let after = looked_at(&run)?;
    match after.status {
        TaskStatus::Cancelled => Ok(after),
        _ => Err(is_over(&after)),
    }
}

/// The result of a task, once it is over.
async fn given(
    client: &Client,
    id: &str,
    context: RequestContext<RoleServer>,
) -> Result<ServerResult, ErrorData> {
    let run = found(&client.state(&context).runs, id)?;
    let related = json!({ "taskId": run.id() });
    let mut given = client.waited(run, context).await?;
    if let CallToolResponse::Complete(result) = &mut given {
        let meta = result.meta.get_or_insert_default();
        meta.insert(RELATED_TASK.to_owned(), related);
    }
    let mut given = ServerResult::from(given);
    given.strip_result_type_for_legacy_peer();
    Ok(given)
}

/// All tasks of a principal's; there is one page of them.
fn listed(
    client: &Client,
    params: Option<Value>,
    context: &RequestContext<RoleServer>,
) -> Result<Value, ErrorData> {
    if params.is_some_and(|params| !params["cursor"].is_null()) {
        let said = "all tasks are on the first page: leave out `cursor`";
        return Err(ErrorData::invalid_params(said, None));
    }
    let runs = client.state(context).runs.all();
    let tasks: Result<Vec<_>, _> = runs.iter().map(looked_at).collect();
    let tasks: Vec<_> = tasks?.iter().map(written).collect();
    Ok(json!({ "tasks": tasks }))
}

fn task_in(params: Option<Value>) -> Result<String, ErrorData> {
    match params.as_ref().and_then(|params| params["taskId"].as_str()) {
        Some(id) => Ok(id.to_owned()),
        None => Err(ErrorData::invalid_params("`taskId` must be a string", None)),
    }
}

/// Notifies a connected client of its task's progress, and of its end. Over HTTP, nothing is sent
/// without a request.
pub(super) fn tell(
    run: &RunHandle,
    notifications: &Notifications,
    client: &Client,
    context: &RequestContext<RoleServer>,
) {
    if caller::came_over_http(context) {
        return;
    }
    let (run, notifications) = (run.clone(), notifications.clone());
    let (peer, left) = (context.peer.clone(), client.left.clone());
    let telling = async move {
        notifications.while_waiting(run.answer.clone()).await;
        let Ok(task) = looked_at(&run) else { return };
        let ended = CustomNotification::new("notifications/tasks/status", Some(written(&task)));
        // A client that is gone needs no notification.
        let _ = peer
            .send_notification(ServerNotification::CustomNotification(ended))
            .await;
    };
    tokio::spawn(async move { left.run_until_cancelled(telling).await });
}
