//! What a person types that is not a task: `/undo` and others.

use std::path::Path;
use std::time::Duration;

use ampoule_chat::script;
use ampoule_untrusted::text::{one_line, visible};
use tokio_util::sync::CancellationToken;

use super::screen::{Spent, say_spending};
use super::start::Started;
use crate::runs;
use crate::streams;

/// The names of all commands.
pub(super) const NAMES: [&str; 8] = [
    "help", "tools", "cost", "undo", "replay", "save", "new", "exit",
];

const HELP: &str = "\
/tools         the tools that the model sees, and the servers that its scripts may call
/cost          what this chat took so far
/undo          takes back the calls of the last failed run
/replay        replays the last recorded run of this chat, without any call
/save FILE     writes the conversation as Markdown (.md) or JSON (.json), or the last script (.ts, .js, .py)
/new           begins a new conversation; the session of scripts stays
/exit          leaves; so does Ctrl-D, or Ctrl-C twice
A line that ends with \\ continues. While a task runs, Ctrl-C stops it.";

/// What comes after a command.
pub(super) enum Next {
    Stay,
    Leave,
}

/// Carries out a command, given without its slash.
pub(super) async fn execute(command: &str, started: &mut Started) -> Next {
    let (name, argument) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    match name {
        "exit" | "quit" => return Next::Leave,
        "help" => streams::err().line(HELP),
        "tools" => tools(started),
        "cost" => cost(started),
        "undo" => undo(started).await,
        "replay" => replay(started).await,
        "save" => save(started, argument.trim()),
        "new" => {
            started.agent.forget();
            streams::err().note("a new conversation begins");
        }
        name => {
            let names = NAMES.map(|name| format!("/{name}")).join(", ");
            let name = one_line(name);
            streams::err().failure(format_args!("/{name} is not a command; there are {names}"));
        }
    }
    Next::Stay
}

fn tools(started: &Started) {
    let err = streams::err();
    for tool in started.agent.tools() {
        let first = tool.description.lines().next().unwrap_or_default();
        err.line(err.prose(&format!("{}: {first}", tool.name)));
    }
    match started.runtime.tools(ampoule::Grant::all()) {
        Ok(granted) => {
            let names: Vec<String> = granted
                .servers()
                .map(|server| one_line(server.name()).into_owned())
                .collect();
            err.note(format_args!("servers for scripts: {}", names.join(", ")));
        }
        Err(error) => err.failure(error.to_string()),
    }
}

fn cost(started: &Started) {
    let total = started.agent.total();
    say_spending(&Spent {
        steps: total.steps,
        usage: total.usage,
        cost: started.agent.cost(total),
        milliseconds: u64::try_from(started.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    });
    if started.agent.cost(total).is_none() {
        streams::err().note("no cost: [chat] of ampoule.toml has no prices");
    }
}

async fn undo(started: &mut Started) {
    let stop = CancellationToken::new();
    let err = streams::err();
    match started.agent.undo(&stop).await {
        Ok(answer) => {
            let text = visible(&answer.text).into_owned();
            match answer.is_error {
                true => err.problem(&text),
                false => err.line(text),
            }
        }
        Err(why) => err.failure(why),
    }
}

async fn replay(started: &Started) {
    let replaying = runs::replay_since(&started.runtime, started.since);
    let within = Duration::from_secs(600);
    match tokio::time::timeout(within, replaying).await {
        Ok(Ok(())) => {}
        Ok(Err(failure)) => streams::err().failure(failure.message()),
        Err(_) => streams::err().failure("the replay takes longer than 10 minutes"),
    }
}

/// Writes the conversation, or the last script, by what the file's name ends with.
fn save(started: &Started, file: &str) {
    let err = streams::err();
    let path = Path::new(file);
    let kind = path
        .extension()
        .and_then(|kind| kind.to_str())
        .unwrap_or_default();
    let conversation = started.agent.conversation();
    let content = match kind {
        "md" => Ok(conversation.markdown()),
        "json" => serde_json::to_string_pretty(conversation).map_err(|error| error.to_string()),
        "ts" | "js" | "py" => {
            let scripts = conversation.calls().rev().filter_map(script::of_call);
            let is_python = |script: &script::Script| script.language.as_deref() == Some("python");
            let mut scripts = scripts.filter(|script| is_python(script) == (kind == "py"));
            let script = scripts.next().map(|script| script.code);
            script.ok_or_else(|| "the chat has no script in this language yet".to_owned())
        }
        _ => Err("/save FILE: name a file that ends with .md, .json, .ts, .js or .py".to_owned()),
    };
    let written = content.and_then(|content| {
        std::fs::write(path, content).map_err(|error| format!("{file}: {error}"))
    });
    match written {
        Ok(()) => err.note(format_args!("wrote {file}")),
        Err(why) => err.failure(why),
    }
}
