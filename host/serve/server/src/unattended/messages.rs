//! Runs of hooks.

use std::fmt;

use ampoule::{Error, RunId};
use ampoule_schedules::hook::HookRate;
use ampoule_schedules::hook::replays::Replay;
use ampoule_schedules::hook::signature::{SignatureError, SignatureForm, SignedMessage};
use ampoule_schedules::{Claim, Store};
use http::{HeaderMap, header};
use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;

use super::Unattended;
use super::job::Job;

/// How messages of another system start runs.
pub struct Hook {
    /// Its name, which ends its address.
    pub name: String,
    /// How messages are signed.
    pub form: SignatureForm,
    /// The secret that they are signed with; it may refer to one.
    pub secret: String,
    /// How large a body may be, in bytes.
    pub body_bytes: usize,
    /// How many messages are taken.
    pub rate: HookRate,
    /// How many of its runs may be under way.
    pub at_once: usize,
    /// The headers that scripts get.
    pub headers: Vec<String>,
    /// What runs.
    pub job: Job,
}

/// Without the secret.
impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, job, .. } = self;
        f.debug_struct("Hook")
            .field("name", name)
            .field("job", job)
            .finish_non_exhaustive()
    }
}

/// Why a message starts no run.
#[derive(Debug)]
pub(crate) enum MessageRefusal {
    /// It is not from the sender.
    Signature(SignatureError),
    /// Its body is not text.
    Body,
    /// It was taken before.
    Repeated,
    /// Too many came within a minute.
    TooMany,
    /// As many runs of the hook are under way as may be.
    Busy,
    /// The run can't be started, or the operator's secret can't be read.
    Host(String),
}

/// The name of a hook's state; no schedule has it.
pub(super) fn state_name(hook: &str) -> String {
    format!("hook.{hook}")
}

impl Unattended {
    /// How large a message to a hook may be, in bytes; none for an unknown hook.
    pub(crate) fn message_bytes(&self, hook: &str) -> Option<usize> {
        Some(self.0.hooks.get(hook)?.body_bytes)
    }

    /// Takes a message to a hook, and starts its run.
    pub(crate) async fn receive(
        &self,
        hook: &str,
        headers: &HeaderMap,
        body: Vec<u8>,
    ) -> Result<RunId, MessageRefusal> {
        let Some(Hook {
            form,
            secret,
            rate,
            headers: passed_on,
            ..
        }) = self.0.hooks.get(hook)
        else {
            return Err(MessageRefusal::Host("the hook is gone".to_owned()));
        };
        let opened = ampoule_secrets::open(secret).await;
        let opened = opened.map_err(|error| MessageRefusal::Host(error.to_string()))?;
        let message = form.check(&opened.text, headers, &body, Timestamp::now());
        let message = message.map_err(MessageRefusal::Signature)?;
        let input = input(headers, body)?;
        let passed_on = chosen(headers, passed_on);
        if !rate.takes_one() {
            return Err(MessageRefusal::TooMany);
        }
        let (digest, is_remembered) = (message.digest.clone(), message.until.is_some());
        let claim = self.take(hook, message).await?;
        let env = vec![("input", input), ("headers", passed_on)];
        let (told, started) = oneshot::channel();
        let (all, hook) = (self.clone(), hook.to_owned());
        // The run goes on where the sender does not wait for the answer.
        self.spawn(async move {
            let Some(Hook { job, .. }) = all.0.hooks.get(&hook) else {
                return;
            };
            let started = job.start(&all.0.server, state_words(&hook), env).await;
            if started.is_err() && is_remembered {
                // Before the answer: the sender may send the message again at once.
                all.give_back(&hook, digest).await;
            }
            let _ = told.send(match &started {
                Ok(run) => Ok(run.id()),
                Err(error) => Err(refused(error)),
            });
            all.follow(&state_name(&hook), claim, started).await;
        });
        started
            .await
            .map_err(|_| MessageRefusal::Host("the server is stopping".to_owned()))?
    }

    /// Forgets a message that started no run, so that the sender may send it again.
    async fn give_back(&self, hook: &str, digest: String) {
        let (store, of) = (self.0.store.clone(), hook.to_owned());
        let given =
            spawn_blocking(move || store.replays(&of, |replays| replays.give_back(&digest)));
        if let Ok(Err(error)) = given.await {
            tracing::error!(hook, %error, "a message started no run, and can't be sent again");
        }
    }

    /// Takes a place for the message's run, and notes the message, so that it comes once.
    async fn take(&self, hook: &str, message: SignedMessage) -> Result<Claim, MessageRefusal> {
        let at_once = self.0.hooks.get(hook).map_or(0, |hook| hook.at_once);
        let (store, fate, hook) = (self.0.store.clone(), self.fate(), hook.to_owned());
        let taken = spawn_blocking(move || {
            let now = Timestamp::now();
            match remember(&store, &hook, &message, now)? {
                Replay::First => {}
                Replay::Repeated => return Ok(Err(MessageRefusal::Repeated)),
                Replay::Full => return Ok(Err(MessageRefusal::TooMany)),
            }
            let claim = store.begin(&state_name(&hook), at_once, now, fate);
            if !matches!(claim, Ok(Some(_))) {
                // The sender may send it again.
                store.replays(&hook, |replays| replays.give_back(&message.digest))?;
            }
            Ok::<_, std::io::Error>(claim?.ok_or(MessageRefusal::Busy))
        });
        match taken.await {
            Ok(Ok(taken)) => taken,
            Ok(Err(error)) => Err(MessageRefusal::Host(error.to_string())),
            Err(error) => Err(MessageRefusal::Host(error.to_string())),
        }
    }
}

/// What started the run, in words.
fn state_words(hook: &str) -> String {
    format!("hook {hook}")
}

/// A message without a timestamp is not remembered: nothing says when it is too old to come again.
fn remember(
    store: &Store,
    hook: &str,
    message: &SignedMessage,
    now: Timestamp,
) -> std::io::Result<Replay> {
    match message.until {
        Some(until) => store.replays(hook, |replays| replays.take(&message.digest, until, now)),
        None => Ok(Replay::First),
    }
}

/// What the script gets of the body: its value where it is JSON, else its text.
fn input(headers: &HeaderMap, body: Vec<u8>) -> Result<Value, MessageRefusal> {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    if kind == "application/json" || kind.ends_with("+json") {
        return serde_json::from_slice(&body).map_err(|_| MessageRefusal::Body);
    }
    let text = String::from_utf8(body).map_err(|_| MessageRefusal::Body)?;
    Ok(Value::String(text))
}

/// The headers that the script gets, by their names in lower case.
fn chosen(headers: &HeaderMap, names: &[String]) -> Value {
    let values = names.iter().filter_map(|name| {
        let value = headers.get(name.as_str())?.to_str().ok()?;
        Some((name.to_ascii_lowercase(), Value::from(value)))
    });
    Value::Object(values.collect::<Map<_, _>>())
}

fn refused(error: &Error) -> MessageRefusal {
    match error.is_busy() {
        true => MessageRefusal::Busy,
        false => MessageRefusal::Host(error.to_string()),
    }
}
