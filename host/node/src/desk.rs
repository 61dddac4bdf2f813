//! What threads of the runtime tell Node's thread: all by one function, so that a run costs no
//! handles of the event loop.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_foreign::{Fault, Reply, ToolCall};
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode::NonBlocking};
use napi::{Result, Status};
use napi_derive::napi;
use parking_lot::Mutex;

/// What Node's thread is told: a call of a tool, or that something is done which was asked for
/// under a number.
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
    /// The call's arguments, or what came of what was asked for: JSON. Nothing if there is nothing.
    pub json: Option<String>,
    /// Why nothing came of it: a fault, as JSON.
    pub fault: Option<String>,
}

/// A function that does not keep Node's process alive.
type Tell = ThreadsafeFunction<Message, (), Message, Status, false, true>;

/// Where Node's thread is told things, and answers calls. Each thread that runs JavaScript has one.
#[napi]
pub struct Desk {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    tell: Tell,
    calls: Mutex<Calls>,
}

/// Calls without an answer.
#[derive(Default)]
struct Calls {
    last: u32,
    replies: HashMap<u32, Reply>,
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
        let reply = self.shared.calls.lock().replies.remove(&call);
        if let Some(reply) = reply {
            reply.answer(json.ok_or(failure.unwrap_or_default()));
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
    pub(crate) fn call(&self, server: &str, call: ToolCall, reply: Reply) {
        let number = self.calls.lock().keep(reply);
        self.tell(Message {
            number,
            run: Some(call.call.run.to_string()),
            call: Some(call.call.number),
            server: Some(server.to_owned()),
            tool: Some(call.name.to_string()),
            json: Some(call.arguments),
            fault: None,
        });
    }

    /// Tells what came of what was asked for under a number.
    pub(crate) fn done(&self, number: u32, what: std::result::Result<Option<String>, Fault>) {
        let mut message = Message {
            number,
            ..Message::default()
        };
        match what {
            Ok(json) => message.json = json,
            Err(fault) => message.fault = serde_json::to_string(&fault).ok(),
        }
        self.tell(message);
    }

    /// Where Node's thread is gone, nobody is told.
    fn tell(&self, message: Message) {
        self.tell.call(message, NonBlocking);
    }
}

impl Calls {
    fn keep(&mut self, reply: Reply) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            if !self.replies.contains_key(&self.last) {
                self.replies.insert(self.last, reply);
                return self.last;
            }
        }
    }
}
