//! Calls that the server makes tasks of, for clients that take tasks (SEP-2663).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CreateTaskResult, DetailedTask, ErrorData, InputRequests, InputResponses, JsonObject, Task,
    TaskPayload, TaskStatus,
};
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

use super::{filled, read};

/// How often a client should look at a task, in milliseconds.
const POLL: u64 = 100;

/// When a task began, and changed: nobody looks at that.
const WHEN: &str = "2026-07-28T00:00:00Z";

/// How a tool's calls are tasks.
#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AsTask {
    /// How long it takes: of the argument `seconds`, if this is none.
    #[serde(default)]
    seconds: Option<f64>,
    /// What the task asks before it ends, by the server's names.
    #[serde(default)]
    asks: Map<String, Value>,
    /// The error of the protocol that it ends with.
    #[serde(default)]
    fails: Option<JsonObject>,
}

/// The tasks that there are.
#[derive(Default)]
pub(super) struct Tasks {
    tasks: Mutex<HashMap<String, Arc<Job>>>,
    next: AtomicU64,
}

/// A task.
struct Job {
    payload: Mutex<TaskPayload>,
    answers: Mutex<Map<String, Value>>,
    /// All that it asked has been answered.
    answered: Notify,
    work: Mutex<Option<AbortOnDropHandle<()>>>,
}

impl AsTask {
    /// How long a call with these arguments takes.
    pub(super) fn time(&self, arguments: &Map<String, Value>) -> Duration {
        let wanted = arguments.get("seconds").and_then(Value::as_f64);
        Duration::from_secs_f64(self.seconds.or(wanted).unwrap_or_default())
    }

    /// The error that a call ends with, if it does.
    pub(super) fn failure(&self) -> Result<(), ErrorData> {
        match &self.fails {
            Some(error) => Err(read(error.clone().into())?),
            None => Ok(()),
        }
    }
}

impl Tasks {
    /// Makes a task of a call with these arguments, which has this result in the end.
    pub(super) fn create(
        &self,
        tool: &AsTask,
        arguments: Map<String, Value>,
        result: &Value,
    ) -> Result<CreateTaskResult, ErrorData> {
        let id = format!("task-{}", self.next.fetch_add(1, Relaxed));
        let requests: InputRequests = read(filled(&tool.asks.clone().into(), &arguments))?;
        let job = Arc::new(Job {
            payload: Mutex::new(TaskPayload::Working),
            answers: Mutex::default(),
            answered: Notify::new(),
            work: Mutex::default(),
        });
        let (working, tool, result) = (Arc::clone(&job), tool.clone(), result.clone());
        let work = tokio::spawn(async move {
            tokio::time::sleep(tool.time(&arguments)).await;
            if !requests.is_empty() {
                *working.payload.lock() = TaskPayload::InputRequired {
                    input_requests: requests,
                };
                working.answered.notified().await;
            }
            let mut known = arguments;
            let answers = Value::Object(working.answers.lock().clone());
            known.entry("answers").or_insert(answers);
            let ended = match (tool.fails, filled(&result, &known)) {
                (Some(error), _) => TaskPayload::Failed { error },
                (None, Value::Object(result)) => TaskPayload::Completed { result },
                (None, _) => TaskPayload::Cancelled,
            };
            *working.payload.lock() = ended;
        });
        *job.work.lock() = Some(AbortOnDropHandle::new(work));
        self.tasks.lock().insert(id.clone(), job);
        Ok(CreateTaskResult::new(described(&id, TaskStatus::Working)))
    }

    /// How far a task is.
    pub(super) fn get(&self, id: &str) -> Result<DetailedTask, ErrorData> {
        let payload = self.job(id)?.payload.lock().clone();
        Ok(DetailedTask::new(described(id, payload.status()), payload))
    }

    /// Takes answers to what a task asks.
    pub(super) fn update(&self, id: &str, responses: InputResponses) -> Result<(), ErrorData> {
        let job = self.job(id)?;
        let mut payload = job.payload.lock();
        let TaskPayload::InputRequired { input_requests } = &mut *payload else {
            return Ok(());
        };
        for (name, response) in responses {
            if input_requests.remove(&name).is_some() {
                job.answers.lock().insert(name, response);
            }
        }
        if input_requests.is_empty() {
            *payload = TaskPayload::Working;
            job.answered.notify_one();
        }
        Ok(())
    }

    /// Ends a task, if it has not ended.
    pub(super) fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        let job = self.job(id)?;
        drop(job.work.lock().take());
        let mut payload = job.payload.lock();
        if !payload.status().is_terminal() {
            *payload = TaskPayload::Cancelled;
        }
        Ok(())
    }

    fn job(&self, id: &str) -> Result<Arc<Job>, ErrorData> {
        let job = self.tasks.lock().get(id).cloned();
        job.ok_or_else(|| ErrorData::invalid_params("there is no such task", None))
    }
}

fn described(id: &str, status: TaskStatus) -> Task {
    Task::new(id, status, WHEN, WHEN).with_poll_interval_ms(POLL)
}
