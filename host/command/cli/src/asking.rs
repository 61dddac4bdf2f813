//! Elicitation during a run, answered by the person at the terminal.

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

/// How much of a server's text is shown, in characters.
const SHOWN_CHARS: usize = 2000;

/// What Ctrl-C types.
const CTRL_C: u8 = 3;

/// The person at the terminal, who is asked one thing at a time.
#[derive(Debug, Clone, Default)]
pub(super) struct Person(Arc<Mutex<()>>);

/// Why the answer is missing.
pub(super) enum NoAnswer {
    /// The person gave up.
    Cancelled,
    /// The person declined.
    Declined,
}

pub(super) type FormResult<T> = Result<T, NoAnswer>;

impl Person {
    /// The person at the terminal, if there is a terminal to read from and to write to.
    pub(super) fn at_terminal() -> Option<Self> {
        let reads = io::IsTerminal::is_terminal(&io::stdin());
        (reads && streams::err().is_terminal()).then(Self::default)
    }

    /// Whether the person is being asked something.
    pub(super) fn is_asked(&self) -> bool {
        self.0.try_lock().is_err()
    }

    /// The person's attention, as long as the returned value lives. Taken before the question is
    /// shown: the person may type at once.
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
                _ => return Err("nobody at the terminal can answer this kind of question".to_owned()),
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
    begin(ask, "asks for information");
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
                    Err(wrong) => say(&format!("{wrong}; try again:")),
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
        return Err("the address is not an http or https address".to_owned());
    };
    begin(ask, "asks you to open an address");
    say(&format!("at {}:", one_line(host)));
    streams::err().line(format_args!("  {}", one_line(address.as_str())));
    Ok(async {
        agree("Open it yourself if you trust it. Continue? (y/n, Ctrl-C cancels)").await?;
        Ok(Map::from_iter([("action".to_owned(), "accept".into())]))
    }
    .await)
}

/// Says who asks, in Ampoule's words, and what, in the server's.
fn begin(ask: &Ask, does: &str) {
    let err = streams::err();
    err.quiet();
    let message = ask.params.get("message").and_then(Value::as_str);
    let message: String = message
        .unwrap_or_default()
        .chars()
        .take(SHOWN_CHARS)
        .collect();
    // The message of a question that comes through Ampoule's own server names who asks.
    match ask.server.is_empty() {
        true => err.note(format_args!("a server {does}:")),
        false => err.note(format_args!("the server `{}` {does}:", ask.server)),
    }
    // No further line looks like one of Ampoule's.
    let quoted = message.lines().map(|line| format!("  {line}"));
    err.line(err.prose(&quoted.collect::<Vec<_>>().join("\n")));
}

pub(super) fn say(line: &str) {
    let err = streams::err();
    err.line(err.indented(&format!("  {line}")));
}

/// Whether the person says yes.
pub(super) async fn agree(question: &str) -> FormResult<()> {
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
    // A thread of its own: the process does not wait for it at its end.
    std::thread::spawn(move || {
        // The server may have withdrawn the question.
        let _ = line.send(read_line());
    });
    match arrives.await {
        // At the end of input, nothing is there, not even a line's end.
        Ok(Ok(typed)) if !typed.is_empty() && !typed.contains(char::from(CTRL_C)) => Ok(typed),
        _ => {
            // The next output begins on a new line, not beside the typed text.
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

/// While a question is open, Ctrl-C ends the line rather than the process. Dropping this restores
/// the terminal.
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
