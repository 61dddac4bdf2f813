//! Calls of tools, and tasks: since 2026-07-28, a server may answer a call with a task, which is asked for until it is
//! over. A call that is given up takes its task back.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{CallError, ToolResult};
use ampoule_untrusted::json::parsed_bytes;
use ampoule_untrusted::text::one_line;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::active_call::ActiveCall;
use super::asks::{InputRequest, InputRequired};
use super::attempt::{Attempt, RequestError, unanswered, with_tasks};
use super::connection::{CALL, Connection};
use super::handshake::Era;
use super::pending::Answer;
use super::refusal::Refusal;
use super::wire::{RequestHead, Wire};
use super::{decode, offload};

/// How long a task is left alone before it is asked for, unless its server says how long.
const PAUSE: Duration = Duration::from_secs(1);
/// The shortest and the longest pause that a server may choose.
const SHORTEST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(30);

/// How often in a row a task may not be found out about before its call is lost.
const FAILURES: u32 = 3;

/// The longest that is waited for a task. What bounds tasks as a rule is the wall time of the run.
const LONGEST_TASK: Duration = Duration::from_hours(24);

/// How long a server may take to answer that it takes a task back.
const TAKES_BACK: Duration = Duration::from_secs(10);

/// How long a task's id may be, in bytes.
const MAX_ID_BYTES: usize = 1 << 10;

/// How much of a task but for its result may take once it is parsed, in bytes.
const MAX_TASK_BYTES: u64 = 4 << 20;

/// A task that a server made of a call.
#[derive(Debug)]
struct CreatedTask {
    id: String,
    pause: Duration,
}

/// A task as its server reports it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskReport<'a> {
    #[serde(default)]
    result_type: Option<String>,
    task_id: String,
    status: String,
    #[serde(default)]
    status_message: Option<String>,
    #[serde(default)]
    poll_interval_ms: Option<f64>,
    #[serde(borrow, default)]
    input_requests: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

/// How a task is.
enum TaskState {
    Working(Duration),
    Asks(Vec<(String, InputRequest)>, Duration),
    Completed(Box<RawValue>),
    Failed(Box<RawValue>),
    Cancelled(String),
}

impl TaskReport<'_> {
    fn pause(&self) -> Duration {
        let said = self.poll_interval_ms.filter(|ms| ms.is_finite());
        let said = said.map(|ms| Duration::from_secs_f64(ms.clamp(0.0, 1e6) / 1000.0));
        said.unwrap_or(PAUSE).clamp(SHORTEST, LONGEST)
    }
}

impl CreatedTask {
    /// The task that an answer is, if it is one.
    fn read(raw: &RawValue) -> Option<Result<Self, CallError>> {
        if !raw.get().starts_with('{') || !raw.get().contains(r#""task""#) {
            return None;
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Kind {
            result_type: String,
        }
        let kind: Kind = serde_json::from_str(raw.get()).ok()?;
        if kind.result_type != "task" {
            return None;
        }
        let unreadable = |why: &dyn std::fmt::Display| {
            CallError::Protocol(format!("the server's task can't be read: {why}"))
        };
        if parsed_bytes(raw.get()) > MAX_TASK_BYTES {
            return Some(Err(unreadable(&"it is too much")));
        }
        let told: TaskReport<'_> = match serde_json::from_str(raw.get()) {
            Ok(told) => told,
            Err(error) => return Some(Err(unreadable(&error))),
        };
        if told.task_id.len() > MAX_ID_BYTES {
            return Some(Err(unreadable(&"its id is too long")));
        }
        Some(Ok(Self {
            pause: told.pause(),
            id: told.task_id,
        }))
    }
}

impl TaskState {
    fn read(raw: &RawValue, id: &str) -> Result<Self, CallError> {
        let unreadable = |why: &dyn std::fmt::Display| {
            CallError::Protocol(format!("the server's task can't be read: {why}"))
        };
        if !raw.get().starts_with('{') {
            return Err(unreadable(&"it is not an object"));
        }
        let told: TaskReport<'_> =
            serde_json::from_str(raw.get()).map_err(|error| unreadable(&error))?;
        if told.task_id != id || told.result_type.as_deref() == Some("task") {
            return Err(unreadable(&"it is another one"));
        }
        let pause = told.pause();
        let part = |part: Option<&RawValue>, name: &str| {
            let part = part.map(ToOwned::to_owned);
            part.ok_or_else(|| unreadable(&format_args!("it lacks `{name}`")))
        };
        Ok(match &*told.status {
            "working" => Self::Working(pause),
            "completed" => Self::Completed(part(told.result, "result")?),
            "failed" => Self::Failed(part(told.error, "error")?),
            "cancelled" => Self::Cancelled(told.status_message.unwrap_or_default()),
            "input_required" => {
                let requests = part(told.input_requests, "inputRequests")?;
                if parsed_bytes(requests.get()) > MAX_TASK_BYTES {
                    return Err(unreadable(&"it asks too much"));
                }
                let requests: std::collections::BTreeMap<String, InputRequest> =
                    serde_json::from_str(requests.get()).map_err(|error| unreadable(&error))?;
                Self::Asks(requests.into_iter().collect(), pause)
            }
            other => {
                let other = one_line(other).into_owned();
                return Err(unreadable(&format_args!("its status is `{other}`")));
            }
        })
    }
}

/// A task that is not over. Dropping it takes the task back.
struct OpenTask {
    wire: Arc<Wire>,
    params: Map<String, Value>,
    is_over: bool,
}

impl Drop for OpenTask {
    fn drop(&mut self) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if self.is_over {
            return;
        }
        let (wire, params) = (Arc::clone(&self.wire), std::mem::take(&mut self.params));
        runtime.spawn(async move {
            if let Ok(mut sent) = wire.request("tasks/cancel", &params, 0) {
                let _ = timeout(TAKES_BACK, sent.answer()).await;
            }
        });
    }
}

impl Connection {
    /// Calls a tool.
    pub(super) async fn call_tool(
        &self,
        tool: &str,
        attempt: Attempt<'_>,
    ) -> Result<ToolResult, RequestError> {
        let call = attempt.call;
        let mut raw = self.request(CALL, attempt).await?;
        if let Some(task) = CreatedTask::read(&raw).filter(|_| self.era == Era::Stateless) {
            raw = self.result_of_task(task?, call).await?;
        }
        let (tool, era) = (tool.to_owned(), self.era);
        let read = offload::read(raw.get().len(), move || {
            decode::tool_result(&raw, &tool, era)
        });
        Ok(read.await?)
    }

    /// The result of a task, once it is over. What the server asks meanwhile is answered. The call's
    /// own time stands still: the server shows that it works on it.
    async fn result_of_task(
        &self,
        created: CreatedTask,
        call: &ActiveCall,
    ) -> Result<Box<RawValue>, RequestError> {
        let CreatedTask { id, mut pause } = created;
        let mut open = OpenTask {
            wire: Arc::clone(self.parts().0),
            params: self.params_of_task(&id, call),
            is_over: false,
        };
        let _works = call.pause_own();
        call.is_task(&self.parts().0.server);
        let began = Instant::now();
        let (mut answered, mut failures) = (HashSet::new(), 0);
        loop {
            if began.elapsed() >= LONGEST_TASK {
                let why = self.sentence("did not end the call's task within a day");
                return Err(CallError::TimedOut(why).into());
            }
            sleep(pause).await;
            let raw = match self.ask_of_task("tasks/get", &open.params, call).await {
                Ok(raw) => raw,
                Err(CallError::Lost(_) | CallError::NotReached(_))
                    if self.is_open() && failures < FAILURES =>
                {
                    failures += 1;
                    continue;
                }
                Err(CallError::NotReached(why)) => return Err(CallError::Lost(why).into()),
                Err(error) => return Err(error.into()),
            };
            failures = 0;
            match TaskState::read(&raw, &id)? {
                TaskState::Working(next) => pause = next,
                TaskState::Asks(requests, next) => {
                    pause = next;
                    let new: Vec<_> = requests
                        .into_iter()
                        .filter(|(name, _)| answered.insert(name.clone()))
                        .collect();
                    self.answer_task(&open.params, new, call).await?;
                }
                TaskState::Completed(result) => {
                    open.is_over = true;
                    return Ok(result);
                }
                TaskState::Failed(error) => {
                    open.is_over = true;
                    let (wire, _) = self.parts();
                    let refusal = Refusal::read(&error, &wire.secrets);
                    return Err(call.refused(&wire.server, refusal).into());
                }
                TaskState::Cancelled(why) => {
                    open.is_over = true;
                    let secrets = &self.parts().0.secrets;
                    let why = match why.is_empty() {
                        true => "the server cancelled the call's task".to_owned(),
                        false => format!(
                            "the server cancelled the call's task: {}",
                            secrets.quote_line(&why, 200)
                        ),
                    };
                    return Err(CallError::Cancelled(why).into());
                }
            }
        }
    }

    /// Answers what a task's server asks.
    async fn answer_task(
        &self,
        params: &Map<String, Value>,
        requests: Vec<(String, InputRequest)>,
        call: &ActiveCall,
    ) -> Result<(), RequestError> {
        if requests.is_empty() {
            return Ok(());
        }
        let wants = InputRequired {
            requests,
            state: None,
        };
        let answers = wants.answers(call, self.parts().0).await;
        let answers = answers.map_err(|error| unanswered(&error))?;
        let mut params = params.clone();
        params.insert("inputResponses".to_owned(), answers.into());
        self.ask_of_task("tasks/update", &params, call).await?;
        Ok(())
    }

    async fn ask_of_task(
        &self,
        method: &str,
        params: &Map<String, Value>,
        call: &ActiveCall,
    ) -> Result<Box<RawValue>, CallError> {
        let head = RequestHead {
            id: self.parts().0.next_id(),
            method,
            headers: HeaderMap::new(),
        };
        let mut params = params.clone();
        let answer = self.exchange(head, &mut params, false, call.result_bytes());
        match answer.await? {
            Answer::Result(raw) => Ok(raw),
            Answer::Refused(refusal) => Err(CallError::Refused(refusal.text)),
            Answer::TooLarge(bytes) => Err(CallError::ResultTooLarge { bytes }),
            Answer::Unusable(why) => Err(CallError::Protocol(why)),
        }
    }

    fn params_of_task(&self, id: &str, call: &ActiveCall) -> Map<String, Value> {
        let mut params = Map::from_iter([("taskId".to_owned(), json!(id))]);
        self.add_meta(&mut params, call.abilities());
        with_tasks(&mut params);
        params
    }
}
