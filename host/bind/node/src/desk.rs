//! What threads of the runtime tell Node's thread: all by one function, so that a run costs no
//! handles of the event loop.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ampoule_foreign::{Continuation, Fault, PassingCall, ToolCall};
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode::NonBlocking};
use napi::{Result, Status};
use napi_derive::napi;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// What Node's thread is told: a call of a tool, that nobody waits for a call any more, or that
/// something is done which was asked for under a number.
#[napi(object)]
#[derive(Default)]
pub struct Message {
    /// The number of what was asked for, or of the call, which is to be answered under it.
    pub number: u32,
    /// Of a call: the run that makes it.
    pub run: Option<String>,
    /// Of a call: which of the run's calls it is, counted from 0.
    pub call: Option<u32>,
    /// Of a call: the server of the tool.
    pub server: Option<String>,
    /// Of a call: the tool.
    pub tool: Option<String>,
    /// Of a call: whether it is for layers to let it pass, and not for its tool.
    pub passing: Option<bool>,
    /// Of a call that is passing: on whose behalf it happens.
    pub principal: Option<String>,
    /// Whether nobody waits for the call of this number any more.
    pub given_up: Option<bool>,
    /// The call's arguments, or what came of what was asked for: JSON. Nothing if there is nothing.
    pub json: Option<String>,
    /// Why nothing came of it: a fault, as JSON.
    pub fault: Option<String>,
}

/// A function that does not keep Node's process alive.
type Notifier = ThreadsafeFunction<Message, (), Message, Status, false, true>;

/// What a tool gave, as JSON, or the message that the script catches.
type Answer = std::result::Result<String, String>;

/// Where Node's thread is told things, and answers calls. Each thread that runs JavaScript has one.
#[napi]
pub struct Desk {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    tell: Notifier,
    calls: Mutex<Calls>,
}

/// Calls without an answer.
#[derive(Default)]
struct Calls {
    last: u32,
    open: HashMap<u32, PendingCall>,
}

struct PendingCall {
    answer: oneshot::Sender<Answer>,
    /// Of a call that is passing, and was not sent on.
    onward: Option<Continuation>,
}

#[napi]
impl Desk {
    /// A desk whose messages are for this function.
    #[napi(constructor)]
    pub fn new(tell: Function<'_, Message, ()>) -> Result<Self> {
        let tell = tell.build_threadsafe_function::<Message>().weak::<true>();
        let shared = Shared {
            tell: tell.build()?,
            calls: Mutex::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// Answers a call: with JSON, or with the message that the script catches.
    #[napi]
    pub fn answer(&self, call: u32, json: Option<String>, failure: Option<String>) {
        let open = self.shared.calls.lock().open.remove(&call);
        if let Some(PendingCall { answer, .. }) = open {
            // Whoever gave it up meanwhile does not hear it.
            let _ = answer.send(json.ok_or(failure.unwrap_or_default()));
        }
    }

    /// Sends a call that is passing on, with arguments as JSON. What it comes to is told under a number,
    /// as JSON; nothing if nobody waits for it any more, or it was sent on before.
    #[napi]
    pub fn send(&self, call: u32, arguments: String, number: u32) {
        let onward = {
            let mut calls = self.shared.calls.lock();
            let open = calls.open.get_mut(&call);
            open.and_then(|open| open.onward.take())
        };
        let shared = Arc::clone(&self.shared);
        match onward {
            Some(onward) => onward.send(arguments, move |came_to| shared.done(number, Ok(came_to))),
            None => shared.done(number, Ok(None)),
        }
    }
}

impl Desk {
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Shared {
    /// Has a call carried out.
    pub(crate) fn call(self: &Arc<Self>, server: &str, call: ToolCall) -> PendingAnswer {
        self.asked(None, |number| Message {
            number,
            run: Some(call.call.run.to_string()),
            call: Some(call.call.number),
            server: Some(server.to_owned()),
            tool: Some(call.name.to_string()),
            json: Some(call.arguments),
            ..Message::default()
        })
    }

    /// Has layers let a call pass.
    pub(crate) fn pass(self: &Arc<Self>, passing: PassingCall) -> PendingAnswer {
        let PassingCall {
            call, arguments, ..
        } = passing;
        let principal = call.principal.as_ref();
        self.asked(Some(passing.onward), |number| Message {
            number,
            run: Some(call.run.to_string()),
            call: Some(call.number),
            server: Some(call.server.to_string()),
            tool: Some(call.tool.to_string()),
            passing: Some(true),
            principal: principal.map(|principal| principal.name().to_string()),
            json: Some(arguments),
            ..Message::default()
        })
    }

    /// Asks for an answer, by a message with the number that it is given under.
    fn asked(
        self: &Arc<Self>,
        onward: Option<Continuation>,
        message: impl FnOnce(u32) -> Message,
    ) -> PendingAnswer {
        let (answer, answered) = oneshot::channel();
        let number = self.calls.lock().keep(PendingCall { answer, onward });
        self.tell(message(number));
        PendingAnswer {
            desk: Arc::clone(self),
            number,
            answered,
        }
    }

    /// Tells what came of what was asked for under a number.
    pub(crate) fn done(&self, number: u32, what: std::result::Result<Option<String>, Fault>) {
        let mut message = Message {
            number,
            ..Message::default()
        };
        match what {
            Ok(json) => message.json = json,
            Err(fault) => message.fault = Some(fault.to_json()),
        }
        self.tell(message);
    }

    /// Where Node's thread is gone, nobody is told.
    fn tell(&self, message: Message) {
        self.tell.call(message, NonBlocking);
    }
}

impl Calls {
    fn keep(&mut self, call: PendingCall) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            if !self.open.contains_key(&self.last) {
                self.open.insert(self.last, call);
                return self.last;
            }
        }
    }
}

/// Waits for the answer of a call. Letting go of it gives the call up.
pub(crate) struct PendingAnswer {
    desk: Arc<Shared>,
    number: u32,
    answered: oneshot::Receiver<Answer>,
}

impl Future for PendingAnswer {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let answered = Pin::new(&mut self.answered).poll(context);
        answered.map(|answer| answer.unwrap_or_else(|_| Err("the tool did not answer".to_owned())))
    }
}

impl Drop for PendingAnswer {
    fn drop(&mut self) {
        let open = self.desk.calls.lock().open.remove(&self.number);
        if open.is_some() {
            self.desk.tell(Message {
                number: self.number,
                given_up: Some(true),
                ..Message::default()
            });
        }
    }
}
