//! Tasks of a person: one of the command line's, or many at a terminal.

use std::process::ExitCode;

use ampoule_chat::agent::{EventReceiver, TaskEnd};
use tokio_util::sync::CancellationToken;

use super::commands::{self, Next};
use super::interrupt::{Interruption, Signals};
use super::options::{ChatOptions, code_of};
use super::prompt::{Prompt, PromptInput};
use super::screen::Screen;
use super::start::{Naming, OpenChat, asking_at_terminal};
use crate::exit::Failure;
use crate::streams;

/// How a task at the terminal ended.
enum WorkEnd {
    Ended(TaskEnd),
    /// The person, or the system, ends the process.
    Left(Interruption),
}

/// One task.
pub(super) async fn one(chat: ChatOptions, task: String) -> Result<ExitCode, Failure> {
    let mut signals = Signals::new()?;
    let starting = chat.start(asking_at_terminal(), Naming::IfAsked, &mut signals);
    let mut started = match starting.await? {
        Ok(started) => started,
        Err(signal) => return Ok(signal.code().into()),
    };
    let mut screen = Screen::new(started.agent.endpoint().model(), started.person.clone());
    let worked = work(&mut started, &task, &mut screen, &mut signals).await;
    started.save();
    let code = match worked {
        WorkEnd::Ended(end) => code_of(&end.ending),
        WorkEnd::Left(interruption) => interruption.code(),
    };
    let ending = async {
        started.close().await;
        streams::out().drained(None).await;
    };
    if let Err(signal) = signals.unless(ending).await {
        return Ok(signal.code().into());
    }
    match streams::out().fault() {
        Some(fault) => Err(fault.into()),
        None => Ok(code.into()),
    }
}

/// Many tasks.
pub(super) async fn many(chat: ChatOptions) -> Result<ExitCode, Failure> {
    let mut signals = Signals::new()?;
    let starting = chat.start(asking_at_terminal(), Naming::Always, &mut signals);
    let mut started = match starting.await? {
        Ok(started) => started,
        Err(signal) => return Ok(signal.code().into()),
    };
    let mut screen = Screen::new(started.agent.endpoint().model(), started.person.clone());
    let prompt = Prompt::open();
    greet(&started);
    let mut code = 0;
    loop {
        streams::err().drained(None).await;
        streams::out().drained(None).await;
        let task = match typed(&prompt, &mut signals).await {
            Ok(PromptInput::Line(line)) => line,
            Ok(PromptInput::Leave) => break,
            Err(signal) => {
                code = signal.code();
                break;
            }
        };
        if let Some(command) = task.trim().strip_prefix('/') {
            match commands::execute(command, &mut started, &mut signals).await {
                Next::Stay => continue,
                Next::Leave => break,
                Next::End(signal) => {
                    code = signal.code();
                    break;
                }
            }
        }
        if task.trim().is_empty() {
            continue;
        }
        match work(&mut started, &task, &mut screen, &mut signals).await {
            WorkEnd::Ended(_) => started.save(),
            WorkEnd::Left(interruption) => {
                code = interruption.code();
                break;
            }
        }
    }
    prompt.close();
    started.save();
    farewell(&started);
    if let Err(signal) = signals.unless(started.close()).await {
        code = signal.code();
    }
    Ok(code.into())
}

/// What is typed next, unless a signal ends the process. Ctrl-C is a key here; one that is left from
/// the last task changes nothing.
async fn typed(prompt: &Prompt, signals: &mut Signals) -> Result<PromptInput, Interruption> {
    let typing = prompt.next();
    tokio::pin!(typing);
    loop {
        tokio::select! {
            typed = &mut typing => return Ok(typed),
            signal = signals.next() => if signal != Interruption::Task {
                return Err(signal);
            },
        }
    }
}

fn greet(started: &OpenChat) {
    let err = streams::err();
    let endpoint = started.agent.endpoint();
    err.note(format_args!(
        "{} at {}",
        endpoint.model(),
        endpoint.shown_address()
    ));
    match (&started.store, started.is_continued) {
        (Some(store), true) => {
            let count = started.agent.conversation().messages.len();
            err.note(format_args!(
                "session {} continues after {count} messages",
                store.name()
            ));
        }
        (Some(store), false) => err.note(format_args!("session {}", store.name())),
        (None, _) => {}
    }
    err.note("type a task; /help lists commands, Ctrl-C stops a task, /exit leaves");
}

fn farewell(started: &OpenChat) {
    if let Some(store) = &started.store
        && !started.agent.conversation().messages.is_empty()
    {
        let name = store.name();
        streams::err().note(format_args!("to continue: `ampoule chat --session {name}`"));
    }
}

/// Does a task, and shows what happens. Ctrl-C stops it; a second one leaves.
async fn work(
    started: &mut OpenChat,
    task: &str,
    screen: &mut Screen,
    signals: &mut Signals,
) -> WorkEnd {
    let stop = CancellationToken::new();
    screen.begin();
    let (agent, events) = (&mut started.agent, &mut started.events);
    let working = agent.work(task, &stop);
    tokio::pin!(working);
    let mut is_stopping = false;
    let ended = loop {
        tokio::select! {
            end = &mut working => break end,
            Some(event) = events.recv() => screen.hear(event),
            signal = signals.next() => {
                stop.cancel();
                let is_last = is_stopping || signal != Interruption::Task;
                is_stopping = true;
                if is_last {
                    screen.pause();
                    return WorkEnd::Left(signal);
                }
            }
        }
    };
    drain(events, screen);
    WorkEnd::Ended(ended)
}

/// What happened until the end.
fn drain(events: &mut EventReceiver, screen: &mut Screen) {
    while let Ok(event) = events.try_recv() {
        screen.hear(event);
    }
}
