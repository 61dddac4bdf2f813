//! Answers a request with a task, while its run continues.

use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, CreateTaskResult, TaskStatus};
use rmcp::service::RequestContext;
use tokio::time::Instant;

use super::of_2025;
use super::task::{described, speaks_tasks};
use crate::mcp::client::Client;
use crate::mcp::notifications::Notifications;
use crate::runs::client_runs::ClientRuns;
use crate::runs::handle::RunHandle;

/// How long a run may take before it becomes a task.
const BRIEF: Duration = Duration::from_secs(2);

/// How long the client of a request waits for its run by default: without end, unless the client
/// supports tasks.
pub(in crate::mcp) fn patience(context: &RequestContext<RoleServer>) -> Option<Instant> {
    speaks_tasks(context).then(|| Instant::now() + BRIEF)
}

/// The task of a run whose client wants one at once, and waits for nothing else.
pub(in crate::mcp) fn at_once(
    run: &RunHandle,
    notifications: &Notifications,
    client: &Client,
    context: &RequestContext<RoleServer>,
) -> Option<CallToolResponse> {
    of_2025::is_wanted(context).then(|| {
        of_2025::tell(run, notifications, client, context);
        CreateTaskResult::new(described(run, TaskStatus::Working)).into()
    })
}

/// Makes a task of a run that continues, if its client supports tasks and there is room for one
/// more run in the background.
pub(in crate::mcp) fn handed_over(
    run: &RunHandle,
    runs: &ClientRuns,
    context: &RequestContext<RoleServer>,
) -> Option<CallToolResponse> {
    if !speaks_tasks(context) {
        return None;
    }
    if !runs.has(run.id()) {
        runs.have_room().ok()?;
        runs.add(run.clone());
    }
    let task = described(run, TaskStatus::Working);
    Some(CreateTaskResult::new(task).into())
}
