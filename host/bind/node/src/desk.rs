//! What threads of the runtime tell Node's thread: all by one function, so that a run costs no
//! handles of the event loop. It is called once for all messages that have come since the last look.
//! What Node's own thread has to say, since it does [steps](Stepper) of runs, needs no call: who
//! answers a call, or starts a run, looks for messages afterwards.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ampoule_foreign::{Continuation, Fault, PassingCall, Stepper, ToolCall};
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode::NonBlocking};
use napi::{Result, Status};
use napi_derive::napi;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// A message for Node's thread: a call of a tool, the end of a wait for a call, or the result of a
/// request with a number.
#[napi(object)]
#[derive(Default)]
pub struct Message {
    /// The number of the request, or of the call, which is to be answered under it.
    pub number: u32,
    /// Of a call: the run that makes it.
    pub run: Option<String>,
    /// Of a call: which of the run's calls it is, counted from 0.
    pub call: Option<u32>,
    /// Of a call: the server of the tool.
    pub server: Option<String>,
    /// Of a call: the tool.
    pub tool: Option<String>,
    /// Of a call: whether it is for layers, and not for its tool.
    pub passing: Option<bool>,
    /// Of a call that is passing: its principal.
    pub principal: Option<String>,
    /// Whether the call of this number was cancelled.
    pub given_up: Option<bool>,
    /// The call's arguments, or the result of the request: JSON. None if there is none.
    pub json: Option<String>,
    /// Why the request failed: a fault, as JSON.
    pub fault: Option<String>,
}

/// A function that does not keep Node's process alive.
type Notifier = ThreadsafeFunction<(), (), (), Status, false, true>;

/// What a tool gave, as JSON, or the message that the script catches.
type Answer = std::result::Result<String, String>;

/// Where Node's thread gets messages, and answers calls. Each thread that runs JavaScript has one.
#[napi]
pub struct Desk {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    notify: Notifier,
    /// What Node's thread has not looked at yet.
    messages: Mutex<Vec<Message>>,
    calls: Mutex<Calls>,
    stepper: Stepper,
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
    /// A desk that calls this function when there are messages to be taken.
    #[napi(constructor)]
    pub fn new(notify: Function<'_, (), ()>) -> Result<Self> {
        let notify = notify.build_threadsafe_function::<()>().weak::<true>();
        let shared = Shared {
            notify: notify.build()?,
            messages: Mutex::default(),
            calls: Mutex::default(),
            stepper: Stepper::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// The messages that have come since the last look. To be called after whatever may do a step of a
    /// run, too: `answer`, and `start` of a runtime.
    #[napi]
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.shared.messages.lock())
    }

    /// Another turn of the event loop has begun.
    #[napi]
    pub fn next_turn(&self) {
        self.shared.stepper.next_turn();
    }

    /// Answers a call: with JSON, or with the message that the script catches. The run's next step is
    /// done here, if it is short.
    #[napi]
    pub fn answer(&self, call: u32, json: Option<String>, failure: Option<String>) {
        let open = self.shared.calls.lock().open.remove(&call);
        if let Some(PendingCall { answer, .. }) = open {
            let given = json.ok_or(failure.unwrap_or_default());
            // A call that was cancelled meanwhile does not get it.
            self.shared.step(|| drop(answer.send(given)));
        }
    }

    /// Sends a passing call on, with arguments as JSON. Its result comes under a number, as JSON;
    /// none if the call was cancelled, or was sent on before.
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

    /// Reports the result of a request with a number.
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

    /// Gives runs something on Node's thread, and does their next steps there.
    pub(crate) fn step<T>(&self, give: impl FnOnce() -> T) -> T {
        self.stepper.step(give)
    }

    /// If Node's thread is gone, nothing happens.
    fn tell(&self, message: Message) {
        let is_first = {
            let mut messages = self.messages.lock();
            messages.push(message);
            messages.len() == 1
        };
        if is_first && !self.stepper.is_here() {
            self.notify.call((), NonBlocking);
        }
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

/// Waits for the answer of a call. Dropping it cancels the call.
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
