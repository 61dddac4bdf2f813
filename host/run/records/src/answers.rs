//! The answers of a record, in place of the bindings that gave them.

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::Arc;

use ampoule_tools::{CallContext, CallError, Layer, Next, ToolResult};
use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::difference::{CallRequest, Difference, Findings, is_same};
use crate::entry::SentCall;
use crate::record::Record;
use crate::simulated_time::SimulatedTime;

/// The script's error where there is no answer.
const STOPPED: &str = "the record has no answer to this call: the replay differs from here on";

/// Answers calls, as the outermost layer: nothing gets past it.
pub(crate) struct Answers {
    pub(crate) record: Arc<Record>,
    pub(crate) found: Arc<Findings>,
    /// The call before which the run stops.
    pub(crate) until: Option<u32>,
    /// The script is not the recorded one: its calls are looked for among the recorded ones.
    pub(crate) is_edited: bool,
    /// The time that answers take; none where they come at once.
    pub(crate) time: Option<Arc<SimulatedTime>>,
    /// The recorded calls whose answers were given.
    pub(crate) given: Mutex<BTreeSet<u32>>,
}

impl Layer for Answers {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        _: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        let call = context.call();
        let (number, asked) = (
            call.number,
            CallRequest {
                server: call.server.to_string(),
                tool: call.tool.to_string(),
                arguments,
            },
        );
        // As it did when it was recorded, as far as anybody can tell from what became of it.
        context.leave();
        self.answer(number, asked).boxed()
    }
}

impl Answers {
    async fn answer(&self, number: u32, asked: CallRequest) -> Result<ToolResult, CallError> {
        if self.until.is_some_and(|until| number >= until) {
            self.found.stop_before(number, asked);
            return pending().await;
        }
        if self.found.any() {
            return Err(CallError::Denied(STOPPED.to_owned()));
        }
        let recorded = match self.is_edited {
            false => self.at(number, &asked),
            true => self.like(number, &asked),
        };
        let sent = match recorded {
            Ok(sent) => sent,
            Err(difference) => {
                self.found.difference(*difference);
                return Err(CallError::Denied(STOPPED.to_owned()));
            }
        };
        self.given.lock().insert(sent.call);
        let Some(answer) = self.record.answers.get(&sent.call) else {
            // Nobody waited for it then either.
            return pending().await;
        };
        if let Some(time) = &self.time {
            time.after(answer.at.saturating_sub(sent.at)).await;
        }
        let broken = |error| CallError::Protocol(format!("the record is damaged: {error}"));
        answer.answer.answer().map_err(broken)?
    }

    /// The recorded call in that place, if it is this one.
    fn at(&self, number: u32, asked: &CallRequest) -> Result<&SentCall, Box<Difference>> {
        let expected = self.record.sent.get(&number);
        match expected.filter(|sent| sent.is(asked)) {
            Some(sent) => Ok(sent),
            None => Err(Box::new(Difference::Call {
                call: number,
                expected: expected.map(SentCall::asked),
                got: asked.clone(),
            })),
        }
    }

    /// The first recorded call like this one whose answer was not given yet.
    fn like(&self, number: u32, asked: &CallRequest) -> Result<&SentCall, Box<Difference>> {
        let given = self.given.lock();
        let mut left = self.record.sent.values();
        let mut near = None;
        let found = left.find(|sent| {
            let is_left = !given.contains(&sent.call);
            let same_tool = sent.server == asked.server && sent.tool == asked.tool;
            if is_left && same_tool && near.is_none() {
                near = Some(sent.asked());
            }
            is_left && sent.is(asked) && self.record.answers.contains_key(&sent.call)
        });
        found.ok_or_else(|| {
            Box::new(Difference::Unanswered {
                call: number,
                got: asked.clone(),
                near,
            })
        })
    }

    /// The first recorded call that the run did not make.
    pub(crate) fn missing(&self) -> Option<Difference> {
        let given = self.given.lock();
        let mut sent = self.record.sent.values();
        let missing = sent.find(|sent| !given.contains(&sent.call))?;
        Some(Difference::Missing {
            call: missing.call,
            expected: missing.asked(),
        })
    }
}

impl SentCall {
    fn asked(&self) -> CallRequest {
        CallRequest {
            server: self.server.clone(),
            tool: self.tool.clone(),
            arguments: serde_json::from_str(self.arguments.get()).unwrap_or_default(),
        }
    }

    /// Whether it is this call. Names are in whatever order the script writes them.
    fn is(&self, asked: &CallRequest) -> bool {
        if self.server != asked.server || self.tool != asked.tool {
            return false;
        }
        let recorded = self.asked().arguments;
        recorded == asked.arguments || {
            let texts = [&recorded, &asked.arguments].map(serde_json::to_string);
            matches!(texts, [Ok(recorded), Ok(got)] if is_same(&recorded, &got))
        }
    }
}
