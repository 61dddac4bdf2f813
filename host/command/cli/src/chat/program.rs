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
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::interrupt::{Interruption, Signals};
use super::options::{ChatOptions, code_of};
use super::start::{Asking, Naming, OpenChat};
use crate::exit::Failure;
use crate::governance::Purpose;
use crate::streams;

/// The longest line of standard input, in bytes.
const MAX_LINE_BYTES: u64 = 4 << 20;
/// How many tasks wait for the one that is under way, at most.
const MOST_TASKS: usize = 32;
/// What an answer to a question may be.
const ACTIONS: [&str; 3] = ["accept", "decline", "cancel"];

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
    /// Standard input has ended: nobody answers from then on.
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
    let starting = chat.start(asking, Naming::IfAsked, &mut signals);
    let mut started = match starting.await? {
        Ok(started) => started,
        Err(signal) => return Ok(signal.code().into()),
    };
    let (lines, mut tasks) = mpsc::channel(MOST_TASKS);
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
        // A program that reads the end may count on the conversation.
        started.save();
        worked.end.iter().for_each(say);
        match worked.code {
            Ok(ended) => code = ended,
            Err(signal) => {
                code = signal.code();
                break;
            }
        }
    }
    let ending = async {
        started.close().await;
        streams::out().drained(None).await;
    };
    let ended = signals.unless(ending).await;
    input.abort();
    if let Err(signal) = ended {
        return Ok(signal.code().into());
    }
    match streams::out().fault() {
        Some(fault) => Err(fault.into()),
        None => Ok(code.into()),
    }
}

/// A task that was done.
struct DoneTask {
    /// The exit code, or the signal that ends the process.
    code: Result<u8, Interruption>,
    /// The event of its end, which is not written yet.
    end: Option<Event>,
}

/// Does a task, and writes its events but for its end.
async fn work(
    started: &mut OpenChat,
    task: &str,
    dialogue: &Mutex<Dialogue>,
    signals: &mut Signals,
) -> DoneTask {
    let stop = CancellationToken::new();
    dialogue.lock().task = stop.clone();
    let (agent, events) = (&mut started.agent, &mut started.events);
    let working = agent.work(task, &stop);
    tokio::pin!(working);
    let (mut signalled, mut end_event) = (None, None);
    let mut write = |event: Event| match event {
        Event::End { .. } => end_event = Some(event),
        event => say(&event),
    };
    let end = loop {
        tokio::select! {
            end = &mut working => break end,
            Some(event) = events.recv() => write(event),
            signal = signals.next() => {
                stop.cancel();
                if signalled.replace(signal).is_some() {
                    return DoneTask { code: Err(signal), end: None };
                }
            }
        }
    };
    while let Ok(event) = events.try_recv() {
        write(event);
    }
    DoneTask {
        code: signalled.map_or_else(|| Ok(code_of(&end.ending)), Err),
        end: end_event,
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
        if line.len() as u64 == MAX_LINE_BYTES && !line.ends_with(b"\n") {
            streams::err()
                .warning("a line of standard input is longer than 4 MiB, and was left out");
            if skip_line(&mut input).await.is_err() {
                break;
            }
            continue;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(&line) {
            Ok(line) => take(line, &dialogue, &tasks),
            Err(error) => streams::err().warning(format_args!(
                "a line of standard input is not one of {{\"task\": …}}, {{\"id\": …, \"action\": …}} and {{\"cancel\": true}}: {error}"
            )),
        }
    }
    let mut dialogue = dialogue.lock();
    dialogue.is_over = true;
    dialogue.open.clear();
}

/// Skips the rest of a line.
async fn skip_line(input: &mut (impl AsyncBufRead + Unpin)) -> std::io::Result<()> {
    loop {
        let found = input.fill_buf().await?;
        let end = found.iter().position(|&byte| byte == b'\n');
        let (skipped, is_over) = match end {
            Some(end) => (end + 1, true),
            None => (found.len(), found.is_empty()),
        };
        input.consume(skipped);
        if is_over {
            return Ok(());
        }
    }
}

/// Takes a line. Nothing waits here: an answer may be behind any number of tasks.
fn take(line: Line, dialogue: &Mutex<Dialogue>, tasks: &mpsc::Sender<String>) {
    let err = streams::err();
    if line.cancel == Some(true) {
        dialogue.lock().task.cancel();
    }
    if let Some(id) = line.id {
        answer(id, line.action.as_deref(), line.content, dialogue);
    } else if line.action.is_some() || line.content.is_some() {
        err.warning("an answer names its question with `id`; this one was left out");
    }
    if let Some(task) = line.task
        && let Err(TrySendError::Full(_)) = tasks.try_send(task)
    {
        err.warning(format_args!(
            "{MOST_TASKS} tasks wait already; this one was left out: send it again after an `end`"
        ));
    }
}

/// Answers a question. What is not an answer leaves it open.
fn answer(
    id: u64,
    action: Option<&str>,
    content: Option<Map<String, Value>>,
    dialogue: &Mutex<Dialogue>,
) {
    let err = streams::err();
    let Some(action) = action.filter(|action| ACTIONS.contains(action)) else {
        return err.warning(format_args!(
            "the answer to question {id} needs `action`: accept, decline or cancel; the question stays open"
        ));
    };
    let mut answer = json!({ "action": action });
    if let Some(content) = content {
        answer["content"] = Value::Object(content);
    }
    let asked = dialogue.lock().open.remove(&id);
    match asked {
        // The question may be over by now.
        Some(asked) => drop(asked.send(answer)),
        None => err.warning(format_args!("question {id} is not open")),
    }
}
