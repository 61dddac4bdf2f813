//! How a run is shown as a task.

use std::time::Duration;

use rmcp::model::{
    CallToolResult, ContentBlock, DetailedTask, GetTaskResult, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};

use crate::mcp::asks;
use crate::mcp::results::result;
use crate::runs::client_runs::{ClientRuns, KEPT_FOR};
use crate::runs::handle::RunHandle;

/// How often a client should poll.
const POLL: Duration = Duration::from_secs(1);

/// The task that a client means.
pub(in crate::mcp) fn found(runs: &ClientRuns, id: &str) -> Result<RunHandle, ErrorData> {
    let gone = "unknown task: results are kept for an hour";
    runs.find(id)
        .ok_or_else(|| ErrorData::invalid_params(gone, None))
}

/// How far a task is, and what it gave.
pub(in crate::mcp) fn get(runs: &ClientRuns, id: &str) -> Result<GetTaskResult, ErrorData> {
    let task = detailed(&found(runs, id)?)?;
    Ok(GetTaskResult::new(task))
}

pub(super) fn detailed(run: &RunHandle) -> Result<DetailedTask, ErrorData> {
    let payload = match run.answer.peek() {
        Some(_) if run.record.was_cancelled() => TaskPayload::Cancelled,
        Some(answer) if answer.is_error && run.notes.refusal().is_some() => {
            let code = run.notes.refusal().map_or(0, |refusal| refusal.code);
            let message = text_of(&result(answer.clone())).to_owned();
            let error = [("code", json!(code)), ("message", json!(message))];
            let error = error.map(|(name, value)| (name.to_owned(), value));
            TaskPayload::Failed {
                error: error.into_iter().collect(),
            }
        }
        Some(answer) => TaskPayload::Completed {
            result: match serde_json::to_value(result(answer.clone())) {
                Ok(Value::Object(result)) => result,
                _ => {
                    return Err(ErrorData::internal_error(
                        "the result can't be written",
                        None,
                    ));
                }
            },
        },
        None => match run.wants() {
            none if none.is_empty() => TaskPayload::Working,
            requests => TaskPayload::InputRequired {
                input_requests: asks::input_requests(requests),
            },
        },
    };
    let task = described(run, payload.status());
    Ok(DetailedTask::new(task, payload))
}

/// The first text of a result.
pub(super) fn text_of(result: &CallToolResult) -> &str {
    let text = result.content.iter().find_map(|block| match block {
        ContentBlock::Text(text) => Some(&*text.text),
        _ => None,
    });
    text.unwrap_or_default()
}

pub(super) fn described(run: &RunHandle, status: TaskStatus) -> Task {
    let when = |time| humantime::format_rfc3339_millis(time).to_string();
    let (began, now) = (run.record.since, std::time::SystemTime::now());
    let age = now.duration_since(began).unwrap_or_default();
    // At least: the hour begins when it is over.
    let kept = age + KEPT_FOR;
    let mut task = Task::new(run.id().to_string(), status, when(began), when(now))
        .with_ttl_ms(u64::try_from(kept.as_millis()).unwrap_or(u64::MAX));
    if !status.is_terminal() {
        task = task.with_poll_interval_ms(POLL.as_millis() as u64);
        task = task.with_status_message(run.progress.message());
    }
    task
}

pub(super) fn speaks_tasks(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}
