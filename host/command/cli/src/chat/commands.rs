//! What a person types that is not a task: `/undo` and others.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use ampoule::Language;
use ampoule_chat::conversation::Conversation;
use ampoule_chat::script;
use ampoule_chat::tools::CLIENT;
use ampoule_untrusted::text::{one_line, visible};
use tokio_util::sync::CancellationToken;

use super::interrupt::{Interruption, Signals};
use super::screen::{Spent, say_spending};
use super::start::OpenChat;
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
/save FILE     writes the conversation as Markdown (.md) or JSON (.json), or the last script (.ts, .js, .py), into a new file
/new           begins a new conversation; the session of scripts stays
/exit          leaves; so does Ctrl-D, or Ctrl-C twice
A line that ends with \\ continues. While a task runs, Ctrl-C stops it.";

/// What comes after a command.
pub(super) enum Next {
    Stay,
    Leave,
    /// A signal ends the process.
    End(Interruption),
}

/// Carries out a command, given without its slash. Ctrl-C stops it.
pub(super) async fn execute(command: &str, started: &mut OpenChat, signals: &mut Signals) -> Next {
    let (name, argument) = command
        .split_once(char::is_whitespace)
        .unwrap_or((command, ""));
    match name {
        "exit" | "quit" => return Next::Leave,
        "help" => streams::err().line(HELP),
        "tools" => tools(started),
        "cost" => cost(started),
        "undo" => return undo(started, signals).await,
        "replay" => return replay(started, signals).await,
        "save" => save(started, argument.trim()),
        "new" => {
            started.agent.forget();
            streams::err().note("a new conversation begins");
        }
        name => {
            let names = NAMES.map(|name| format!("/{name}")).join(", ");
            let name = one_line(name);
            streams::err().failure(format_args!(
                "/{name} is not a command; the commands are {names}"
            ));
        }
    }
    Next::Stay
}

/// The tools that the model sees, and the servers with tools that its scripts may call.
fn tools(started: &OpenChat) {
    let err = streams::err();
    for tool in started.agent.tools() {
        let first = tool.description.lines().next().unwrap_or_default();
        err.line(err.prose(&format!("{}: {first}", tool.name)));
    }
    let granted = started
        .runtime
        .tools_of(started.grant.clone(), None, Some(CLIENT));
    match granted {
        Ok(granted) => {
            let names: Vec<String> = granted
                .servers()
                .map(|server| one_line(server.name()).into_owned())
                .collect();
            err.note(match names.is_empty() {
                true => "scripts may call no server".to_owned(),
                false => format!("servers for scripts: {}", names.join(", ")),
            });
        }
        Err(error) => err.failure(error.to_string()),
    }
}

fn cost(started: &OpenChat) {
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

async fn undo(started: &mut OpenChat, signals: &mut Signals) -> Next {
    let stop = CancellationToken::new();
    let err = streams::err();
    let undoing = started.agent.undo(&stop);
    tokio::pin!(undoing);
    let undone = loop {
        tokio::select! {
            undone = &mut undoing => break undone,
            signal = signals.next() => match signal {
                Interruption::Process(_) => return Next::End(signal),
                // The second one does not wait for the server.
                Interruption::Task if stop.is_cancelled() => return Next::Stay,
                Interruption::Task => stop.cancel(),
            },
        }
    };
    match undone {
        Ok(answer) => {
            let text = visible(&answer.text).into_owned();
            match answer.is_error {
                true => err.problem(&text),
                false => err.line(text),
            }
        }
        Err(why) => err.failure(why),
    }
    Next::Stay
}

async fn replay(started: &OpenChat, signals: &mut Signals) -> Next {
    let replaying = runs::replay_since(&started.runtime, started.since);
    let within = Duration::from_secs(600);
    match signals
        .unless(tokio::time::timeout(within, replaying))
        .await
    {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(failure))) => streams::err().failure(failure.message()),
        Ok(Err(_)) => streams::err().failure("the replay takes longer than 10 minutes"),
        Err(Interruption::Task) => streams::err().note("the replay was stopped"),
        Err(signal) => return Next::End(signal),
    }
    Next::Stay
}

/// Writes the conversation, or the last script, by what the file's name ends with.
fn save(started: &OpenChat, file: &str) {
    let err = streams::err();
    let shown = one_line(file);
    match saved(started.agent.conversation(), file) {
        Ok(()) => err.note(format_args!("wrote {shown}")),
        Err(why) => err.failure(why),
    }
}

fn saved(conversation: &Conversation, file: &str) -> Result<(), String> {
    let path = Path::new(file);
    let kind = path.extension().and_then(|kind| kind.to_str());
    let content = match kind.unwrap_or_default() {
        "md" => conversation.markdown(),
        "json" => serde_json::to_string_pretty(conversation).map_err(|error| error.to_string())?,
        // JavaScript is TypeScript, too.
        "ts" => last_script(conversation, &[Language::TypeScript, Language::JavaScript])?,
        "js" => last_script(conversation, &[Language::JavaScript])?,
        "py" => last_script(conversation, &[Language::Python])?,
        _ => {
            return Err(
                "/save FILE: name a file that ends with .md, .json, .ts, .js or .py".to_owned(),
            );
        }
    };
    let shown = one_line(file);
    // A conversation may have what only its person may read.
    let opened = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    let mut opened = opened.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            format!("{shown} exists and stays as it is; name another file")
        }
        _ => format!("{shown}: {error}"),
    })?;
    let written = opened.write_all(content.as_bytes());
    written.map_err(|error| format!("{shown}: {error}"))
}

/// The last script in one of these languages.
fn last_script(conversation: &Conversation, languages: &[Language]) -> Result<String, String> {
    let mut scripts = conversation.calls().rev().filter_map(script::of_call);
    let found = scripts.find(|script| languages.contains(&script.language()));
    found.map(|script| script.code).ok_or_else(|| {
        let names: Vec<&str> = languages.iter().map(|language| language.title()).collect();
        format!("the chat has no script in {} yet", names.join(" or "))
    })
}
