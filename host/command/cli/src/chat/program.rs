//! Tasks of a program, as lines of JSON. What happens is written to standard output, an event a line.
//! Standard input has tasks, answers to questions, and cancellations.
//!
//! ```text
//! {"task": "Which customers have open tickets?"}
//! {"id": 1, "action": "accept", "content": {"answer": "allow-once"}}
//! {"cancel": true}
//! ```

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Arc;

use ampoule_chat::agent::{self, Event, EventSender};
use ampoule_chat::tools::Respondent;
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::interrupt::Signals;
use super::options::{ChatOptions, code_of};
use super::start::{Asking, Naming, Started};
use crate::exit::Failure;
use crate::governance::Purpose;
use crate::streams;

/// The longest line of standard input, in bytes.
const MAX_LINE_BYTES: u64 = 4 << 20;

/// A line of the program's: one of its members says what it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    task: Option<String>,
    cancel: Option<bool>,
    id: Option<u64>,
    action: Option<String>,
    content: Option<Map<String, Value>>,
}

/// The questions that the program has not answered, and the task that it can stop.
#[derive(Default)]
struct Dialogue {
    open: HashMap<u64, oneshot::Sender<Value>>,
    last: u64,
    task: CancellationToken,
    /// Standard input has ended: nobody answers any more.
    is_over: bool,
}

/// The program, as one that is asked.
struct Program {
    dialogue: Arc<Mutex<Dialogue>>,
    events: EventSender,
}

impl Respondent for Program {
    fn answer(&self, params: Value) -> BoxFuture<'_, Value> {
        async move {
            let (answer, answered) = oneshot::channel();
            let id = {
                let mut dialogue = self.dialogue.lock();
                if dialogue.is_over {
                    return cancelled();
                }
                dialogue.last += 1;
                let id = dialogue.last;
                dialogue.open.insert(id, answer);
                id
            };
            self.events.send(Event::Question { id, params });
            let answer = answered.await.unwrap_or_else(|_| cancelled());
            self.dialogue.lock().open.remove(&id);
            answer
        }
        .boxed()
    }
}

fn cancelled() -> Value {
    json!({ "action": "cancel" })
}

pub(super) async fn talk(chat: ChatOptions) -> Result<ExitCode, Failure> {
    let mut signals = Signals::new()?;
    let (sender, events) = agent::channel();
    let dialogue = Arc::new(Mutex::new(Dialogue::default()));
    let program = Program {
        dialogue: Arc::clone(&dialogue),
        events: sender.clone(),
    };
    let asking = Asking {
        approvals: Purpose::Dialogue,
        respondent: Some(Arc::new(program)),
        person: None,
        sender,
        events,
    };
    let mut started = chat.start(asking, Naming::IfAsked).await?;
    let (lines, mut tasks) = mpsc::channel(1);
    let input = tokio::spawn(read(Arc::clone(&dialogue), lines));
    // The beginning.
    while let Ok(event) = started.events.try_recv() {
        say(&event);
    }
    let mut code = 0;
    let mut first = chat.prompt.clone();
    loop {
        let task = match first.take() {
            Some(task) => task,
            None if chat.prompt.is_some() => break,
            None => tokio::select! {
                task = tasks.recv() => match task {
                    Some(task) => task,
                    None => break,
                },
                signal = signals.next() => {
                    code = signal.code();
                    break;
                }
            },
        };
        let worked = work(&mut started, &task, &dialogue, &mut signals).await;
        // A program that hears of the end may count on the conversation.
        started.save();
        worked.end.iter().for_each(say);
        code = worked.code;
        if code >= SIGNALLED {
            break;
        }
    }
    started.close().await;
    input.abort();
    streams::out().drained(None).await;
    match streams::out().fault() {
        Some(fault) => Err(fault.into()),
        None => Ok(code.into()),
    }
}

/// Codes from here on are those of processes that a signal ended.
const SIGNALLED: u8 = 129;

/// A task that was done.
struct Worked {
    /// The exit code.
    code: u8,
    /// The event of its end, which is not told yet.
    end: Option<Event>,
}

/// Does a task, and tells of it, but for its end.
async fn work(
    started: &mut Started,
    task: &str,
    dialogue: &Mutex<Dialogue>,
    signals: &mut Signals,
) -> Worked {
    let stop = CancellationToken::new();
    dialogue.lock().task = stop.clone();
    let (agent, events) = (&mut started.agent, &mut started.events);
    let working = agent.work(task, &stop);
    tokio::pin!(working);
    let (mut signal_code, mut told_last) = (None, None);
    let mut hear = |event: Event| match event {
        Event::End { .. } => told_last = Some(event),
        event => say(&event),
    };
    let end = loop {
        tokio::select! {
            end = &mut working => break end,
            Some(event) = events.recv() => hear(event),
            signal = signals.next() => {
                stop.cancel();
                if signal_code.replace(signal.code()).is_some() {
                    let code = signal.code();
                    return Worked { code, end: None };
                }
            }
        }
    };
    while let Ok(event) = events.try_recv() {
        hear(event);
    }
    Worked {
        code: signal_code.unwrap_or_else(|| code_of(&end.ending).min(SIGNALLED - 1)),
        end: told_last,
    }
}

/// Writes an event. What a model only began to write is not for programs.
fn say(event: &Event) {
    if matches!(event, Event::Writing { .. } | Event::Code { .. }) {
        return;
    }
    match serde_json::to_string(event) {
        Ok(line) => streams::out().line(line),
        Err(error) => tracing::error!(%error, "an event can't be written"),
    }
}

/// Reads lines until the input ends; then the open questions have no answer.
async fn read(dialogue: Arc<Mutex<Dialogue>>, tasks: mpsc::Sender<String>) {
    let mut input = BufReader::new(tokio::io::stdin());
    loop {
        let mut line = Vec::new();
        let read = (&mut input)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .await;
        if !matches!(read, Ok(1..)) {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(line) => take(line, &dialogue, &tasks).await,
            Err(error) => streams::err().warning(format_args!(
                "a line of standard input is not one of {{\"task\": …}}, {{\"id\": …, \"action\": …}} and {{\"cancel\": true}}: {error}"
            )),
        }
    }
    let mut dialogue = dialogue.lock();
    dialogue.is_over = true;
    dialogue.open.clear();
}

async fn take(line: Line, dialogue: &Mutex<Dialogue>, tasks: &mpsc::Sender<String>) {
    if line.cancel == Some(true) {
        dialogue.lock().task.cancel();
    }
    if let Some(id) = line.id {
        let mut answer = json!({ "action": line.action.as_deref().unwrap_or("accept") });
        if let Some(content) = line.content {
            answer["content"] = Value::Object(content);
        }
        let asked = dialogue.lock().open.remove(&id);
        match asked {
            // The question may be over by now.
            Some(asked) => drop(asked.send(answer)),
            None => streams::err().warning(format_args!("there is no open question {id}")),
        }
    }
    if let Some(task) = line.task {
        // The chat may be about to end.
        let _ = tasks.send(task).await;
    }
}
