//! Runs as tasks, for clients that speak them (SEP-2663): a request that takes long is answered by a
//! task, which the client looks at from time to time.
//!
//! - `of_2025`: the same for clients of 2025-11-25

pub(super) mod of_2025;

use std::time::Duration;

use rmcp::model::{
    CallToolResponse, CreateTaskResult, DetailedTask, GetTaskResult, Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::Value;
use tokio::time::Instant;

use super::client::Client;
use super::held::UnderWay;
use super::long::{KEPT_FOR, LongRuns};

/// How long a run takes that becomes no task.
const BRIEF: Duration = Duration::from_secs(2);
/// How often a client is to look.
const POLL: Duration = Duration::from_secs(1);

/// Until when the client of a request waits for its run where it has not said so: for ever, unless
/// it speaks tasks.
pub(super) fn patience(context: &RequestContext<RoleServer>) -> Option<Instant> {
    speaks_tasks(context).then(|| Instant::now() + BRIEF)
}

/// Where a message says which task it is about.
pub(super) const RELATED: &str = "io.modelcontextprotocol/related-task";

/// The task of a run whose client wants one at once, and waits for nothing else.
pub(super) fn at_once(
    run: &UnderWay,
    client: &Client,
    context: &RequestContext<RoleServer>,
) -> Option<CallToolResponse> {
    of_2025::is_wanted(context).then(|| {
        of_2025::tell(run, client, context);
        CreateTaskResult::new(described(run, TaskStatus::Working)).into()
    })
}

/// Makes a task of a run that goes on, if its client speaks them and there is room for one more run
/// that nobody waits for.
pub(super) fn handed_over(
    run: &UnderWay,
    runs: &LongRuns,
    context: &RequestContext<RoleServer>,
) -> Option<CallToolResponse> {
    if !speaks_tasks(context) {
        return None;
    }
    if !runs.has(run.id) {
        runs.have_room().ok()?;
        runs.add(run.clone());
    }
    let task = described(run, TaskStatus::Working);
    Some(CreateTaskResult::new(task).into())
}

/// The task that a client means.
pub(super) fn found(runs: &LongRuns, id: &str) -> Result<UnderWay, ErrorData> {
    let gone = "there is no such task: what one gave is kept for an hour";
    runs.find(id)
        .ok_or_else(|| ErrorData::invalid_params(gone, None))
}

/// How far a task is, and what it gave.
pub(super) fn get(runs: &LongRuns, id: &str) -> Result<GetTaskResult, ErrorData> {
    let task = detailed(&found(runs, id)?)?;
    Ok(GetTaskResult::new(task))
}

fn detailed(run: &UnderWay) -> Result<DetailedTask, ErrorData> {
    let payload = match run.answer.peek() {
        Some(_) if run.seen.was_cancelled() => TaskPayload::Cancelled,
        Some(answer) => TaskPayload::Completed {
            result: match serde_json::to_value(answer) {
                Ok(Value::Object(result)) => result,
                _ => return Err(ErrorData::internal_error("the result is none", None)),
            },
        },
        None => match run.wants() {
            none if none.is_empty() => TaskPayload::Working,
            input_requests => TaskPayload::InputRequired { input_requests },
        },
    };
    let task = described(run, payload.status());
    Ok(DetailedTask::new(task, payload))
}

fn described(run: &UnderWay, status: TaskStatus) -> Task {
    let when = |time| humantime::format_rfc3339_millis(time).to_string();
    let (began, now) = (run.seen.since(), std::time::SystemTime::now());
    let age = now.duration_since(began).unwrap_or_default();
    // At least: the hour begins when it is over.
    let kept = age + KEPT_FOR;
    let mut task = Task::new(run.id.to_string(), status, when(began), when(now))
        .with_ttl_ms(u64::try_from(kept.as_millis()).unwrap_or(u64::MAX));
    if !status.is_terminal() {
        task = task.with_poll_interval_ms(POLL.as_millis() as u64);
        task = task.with_status_message(run.progress.message());
    }
    task
}

fn speaks_tasks(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| capabilities.supports_tasks())
}
