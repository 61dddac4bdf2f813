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

use super::UnattendedRuns;
use super::follow::Launch;
use super::job::Job;

/// How long a body may be that is checked at once, in bytes.
const SHORT_BYTES: usize = 128 << 10;

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
    /// The server stops before the run starts.
    Stopping,
}

/// The name of a hook's state; no schedule has it.
pub(super) fn state_name(hook: &str) -> String {
    format!("hook.{hook}")
}

/// A message, as it came.
pub(crate) struct Message {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// What a message from the sender says, for the script.
struct ReadMessage {
    message: SignedMessage,
    env: Vec<(&'static str, Value)>,
}

/// A message that was taken: it comes once. Until its run has started, dropping this gives it back, so
/// that the sender may send it again.
struct TakenMessage {
    store: Store,
    hook: String,
    /// None once its run has started.
    message: Option<SignedMessage>,
}

impl Drop for TakenMessage {
    fn drop(&mut self) {
        let Self {
            store,
            hook,
            message,
        } = self;
        // A message without a timestamp is not remembered.
        let Some(message) = message.take().filter(|message| message.signed.is_some()) else {
            return;
        };
        if let Err(error) = store.replays(hook, |replays| replays.give_back(&message)) {
            tracing::error!(hook, %error, "a message started no run, and can't be sent again");
        }
    }
}

impl Hook {
    /// Checks a message, and reads what it says.
    fn read(&self, secret: &str, message: Message) -> Result<ReadMessage, MessageRefusal> {
        let Message { headers, body } = message;
        let signed = self.form.check(secret, &headers, &body, Timestamp::now());
        let signed = signed.map_err(MessageRefusal::Signature)?;
        let passed_on = chosen(&headers, &self.headers);
        Ok(ReadMessage {
            message: signed,
            env: vec![("input", input(&headers, body)?), ("headers", passed_on)],
        })
    }
}

impl UnattendedRuns {
    /// How large a message to a hook may be, in bytes; none for an unknown hook.
    pub(crate) fn message_bytes(&self, hook: &str) -> Option<usize> {
        Some(self.0.hooks.get(hook)?.body_bytes)
    }

    /// Refuses a message whose headers show that it is not signed, before its body is read.
    pub(crate) fn refuse_unsigned(
        &self,
        hook: &str,
        headers: &HeaderMap,
    ) -> Result<(), MessageRefusal> {
        let form = &self.0.hooks.get(hook).ok_or_else(gone)?.form;
        let signed = form.refuse_unsigned(headers);
        signed.map_err(MessageRefusal::Signature)
    }

    /// Takes a message to a hook, and starts its run.
    pub(crate) async fn receive(
        &self,
        hook: &str,
        message: Message,
    ) -> Result<RunId, MessageRefusal> {
        let ReadMessage { message, env } = self.read(hook, message).await?;
        let (taken, claim) = self.take(hook, message).await?;
        let (told, started) = oneshot::channel();
        let (all, hook) = (self.clone(), hook.to_owned());
        // The run starts even if the sender does not wait for the answer.
        self.spawn(async move {
            let Some(Hook { job, .. }) = all.0.hooks.get(&hook) else {
                return;
            };
            let name = state_name(&hook);
            let launch = Launch {
                name: &name,
                by: format!("hook {hook}"),
                job,
                env,
            };
            let started = all.launch(launch, &claim).await;
            match &started {
                Ok(run) => {
                    taken.keep();
                    let _ = told.send(Ok(run.id()));
                }
                Err(error) => {
                    // Before the answer: the sender may send the message again at once.
                    let _ = spawn_blocking(move || drop(taken)).await;
                    let _ = told.send(Err(refused(error)));
                }
            }
            all.follow(&name, claim, started).await;
        });
        started.await.map_err(|_| MessageRefusal::Stopping)?
    }

    /// Checks a message. A long one takes its time, on another thread.
    async fn read(&self, hook: &str, message: Message) -> Result<ReadMessage, MessageRefusal> {
        let known = self.0.hooks.get(hook).ok_or_else(gone)?;
        let opened = ampoule_secrets::open(&known.secret).await;
        let secret = opened.map_err(|error| host(&error))?.text.into_owned();
        if message.body.len() <= SHORT_BYTES {
            return known.read(&secret, message);
        }
        let (all, hook) = (self.clone(), hook.to_owned());
        let read = spawn_blocking(move || {
            let known = all.0.hooks.get(&hook).ok_or_else(gone)?;
            known.read(&secret, message)
        });
        read.await.unwrap_or_else(|error| Err(host(&error)))
    }

    /// Notes the message, so that it comes once, counts it, and takes a place for its run.
    async fn take(
        &self,
        hook: &str,
        message: SignedMessage,
    ) -> Result<(TakenMessage, Claim), MessageRefusal> {
        let (all, fate, hook) = (self.clone(), self.fate(), hook.to_owned());
        let taken = spawn_blocking(move || {
            let (store, now) = (all.0.store.clone(), Timestamp::now());
            let known = all.0.hooks.get(&hook).ok_or_else(gone)?;
            if message.signed.is_some() {
                let replay = store.replays(&hook, |replays| replays.take(&message, now));
                match replay.map_err(|error| host(&error))? {
                    Replay::First => {}
                    Replay::Repeated => return Err(MessageRefusal::Repeated),
                    Replay::Forgotten => {
                        return Err(MessageRefusal::Signature(SignatureError::Old));
                    }
                    Replay::Full => return Err(MessageRefusal::TooMany),
                }
            }
            // From here on, each return without a run gives the message back.
            let taken = TakenMessage {
                store: store.clone(),
                hook: hook.clone(),
                message: Some(message),
            };
            // After the replays: a message that comes again does not count.
            if !known.rate.takes_one() {
                return Err(MessageRefusal::TooMany);
            }
            let claim = store.begin(&state_name(&hook), known.at_once, now, fate);
            let claim = claim.map_err(|error| host(&error))?;
            Ok((taken, claim.ok_or(MessageRefusal::Busy)?))
        });
        taken.await.unwrap_or_else(|error| Err(host(&error)))
    }
}

impl TakenMessage {
    /// Its run has started.
    fn keep(mut self) {
        self.message = None;
    }
}

fn gone() -> MessageRefusal {
    MessageRefusal::Host("the hook is not in the configuration any more".to_owned())
}

fn host(error: &dyn fmt::Display) -> MessageRefusal {
    MessageRefusal::Host(error.to_string())
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
