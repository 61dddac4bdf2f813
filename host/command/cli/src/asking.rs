//! What servers ask during a run, answered by the person at the terminal.

use std::io::{self, BufRead};
use std::sync::Arc;

use ampoule::{Abilities, Ask, AskKind, Respondent};
use ampoule_untrusted::text::one_line;
use futures::FutureExt;
use futures::future::BoxFuture;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use serde_json::{Map, Value};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::{form, streams};

/// How much of a server's words is shown, in characters.
const SHOWN_CHARS: usize = 2000;

/// What Ctrl-C types.
const CTRL_C: u8 = 3;

/// The person at the terminal, who is asked one thing at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Person(Arc<Mutex<()>>);

/// Why there is no answer.
pub(super) enum NoAnswer {
    /// The person gave up.
    Cancelled,
    /// The person does not want to.
    Declined,
}

pub(super) type FormResult<T> = Result<T, NoAnswer>;

impl Person {
    /// Whoever sits at the terminal, if there is one to read from and to write to.
    pub(super) fn at_terminal() -> Option<Self> {
        let reads = io::IsTerminal::is_terminal(&io::stdin());
        (reads && streams::err().is_terminal()).then(Self::default)
    }

    /// Their attention, as long as what is returned is there. Taken before the question is seen: who
    /// reads it may type at once.
    pub(super) async fn alone(&self) -> Attention {
        let alone = Arc::clone(&self.0).lock_owned().await;
        Attention {
            _mode: TerminalMode::asking(),
            _alone: alone,
        }
    }
}

/// The person's attention.
pub(super) struct Attention {
    _mode: TerminalMode,
    _alone: OwnedMutexGuard<()>,
}

/// Forms can be filled in, and addresses shown.
pub(super) fn abilities() -> Abilities {
    let mut abilities = Abilities::default();
    (abilities.form, abilities.url) = (true, true);
    abilities
}

impl Respondent for Person {
    fn abilities(&self) -> Abilities {
        abilities()
    }

    fn answer(&self, ask: Ask) -> BoxFuture<'_, Result<Map<String, Value>, String>> {
        async move {
            let _attention = self.alone().await;
            let answered = match ask.kind {
                AskKind::Form => fill_in(&ask).await?,
                AskKind::Url => open(&ask).await?,
                _ => return Err("there is nobody at the terminal who could answer that".to_owned()),
            };
            let action = |action: &str| Map::from_iter([("action".to_owned(), action.into())]);
            Ok(answered.unwrap_or_else(|unanswered| match unanswered {
                NoAnswer::Cancelled => action("cancel"),
                NoAnswer::Declined => action("decline"),
            }))
        }
        .boxed()
    }
}

/// Asks for each field. Nothing is sent before the last one.
async fn fill_in(ask: &Ask) -> Result<FormResult<Map<String, Value>>, String> {
    let fields = form::fields(ask.params.get("requestedSchema"))?;
    begin(ask, "wants to know something");
    Ok(async {
        agree("Answer? (y/n, Ctrl-C cancels)").await?;
        let mut content = Map::new();
        for field in &fields {
            for line in field.question() {
                say(&line);
            }
            loop {
                match field.value(&typed().await?) {
                    Ok(Some(value)) => break drop(content.insert(field.name.clone(), value)),
                    Ok(None) => break,
                    Err(wrong) => say(&format!("{wrong}; once more:")),
                }
            }
        }
        Ok(form::accepted(content))
    }
    .await)
}

/// Shows an address. It is for the person to open it.
async fn open(ask: &Ask) -> Result<FormResult<Map<String, Value>>, String> {
    let address = ask.params.get("url").and_then(Value::as_str);
    let address = address.and_then(|address| url::Url::parse(address).ok());
    let address = address.filter(|address| matches!(address.scheme(), "https" | "http"));
    let (Some(address), Some(host)) = (&address, address.as_ref().and_then(|it| it.host_str()))
    else {
        return Err("the address is not one of the web".to_owned());
    };
    begin(ask, "asks you to open an address");
    say(&format!("at {}:", one_line(host)));
    streams::err().line(format_args!("  {}", one_line(address.as_str())));
    Ok(async {
        agree("Open it yourself if you trust it. Go on? (y/n, Ctrl-C cancels)").await?;
        Ok(Map::from_iter([("action".to_owned(), "accept".into())]))
    }
    .await)
}

/// Says who asks, in words of ours, and what, in the server's.
fn begin(ask: &Ask, does: &str) {
    let err = streams::err();
    err.quiet();
    let message = ask.params.get("message").and_then(Value::as_str);
    let message: String = message
        .unwrap_or_default()
        .chars()
        .take(SHOWN_CHARS)
        .collect();
    err.note(format_args!("the server `{}` {does}:", ask.server));
    // No further line looks like one of Ampoule's.
    let quoted = message.lines().map(|line| format!("  {line}"));
    err.line(err.prose(&quoted.collect::<Vec<_>>().join("\n")));
}

pub(super) fn say(line: &str) {
    let err = streams::err();
    err.line(err.indented(&format!("  {line}")));
}

async fn agree(question: &str) -> FormResult<()> {
    say(question);
    loop {
        match typed().await?.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(()),
            "n" | "no" => return Err(NoAnswer::Declined),
            _ => say("y or n:"),
        }
    }
}

/// A line that the person typed.
pub(super) async fn typed() -> FormResult<String> {
    streams::err().drained(None).await;
    let (line, arrives) = oneshot::channel();
    // A thread of its own: nobody waits for it where the process ends meanwhile.
    std::thread::spawn(move || {
        // The question may have been taken back.
        let _ = line.send(read_line());
    });
    match arrives.await {
        // At the end of input, nothing is there, not even a line's end.
        Ok(Ok(typed)) if !typed.is_empty() && !typed.contains(char::from(CTRL_C)) => Ok(typed),
        _ => {
            // What comes next does not stand beside what was typed.
            streams::err().line("");
            Err(NoAnswer::Cancelled)
        }
    }
}

/// What was typed until the line's end, or until Ctrl-C, which no line's end follows.
fn read_line() -> io::Result<String> {
    let (mut stdin, mut typed) = (io::stdin().lock(), Vec::new());
    loop {
        let read = stdin.fill_buf()?;
        let end = read.iter().position(|byte| [b'\n', CTRL_C].contains(byte));
        let taken = end.map_or(read.len(), |at| at + 1);
        typed.extend_from_slice(&read[..taken]);
        stdin.consume(taken);
        if end.is_some() || taken == 0 {
            return String::from_utf8(typed).map_err(io::Error::other);
        }
    }
}

/// While something is asked, Ctrl-C ends the line rather than the process. As it was before, once
/// this is dropped.
struct TerminalMode(Option<Termios>);

impl TerminalMode {
    fn asking() -> Self {
        let before = tcgetattr(rustix::stdio::stdin()).ok();
        if let Some(mut mode) = before.clone() {
            mode.local_modes.remove(LocalModes::ISIG);
            mode.special_codes[SpecialCodeIndex::VEOL] = CTRL_C;
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, &mode);
        }
        Self(before)
    }
}

impl Drop for TerminalMode {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, before);
        }
    }
}
