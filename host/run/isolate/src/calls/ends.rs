//! How calls end, and are taken by the guest.

use std::time::Instant;

use ampoule_limits::LimitError;
use ampoule_tools::CallOutcome;

use super::answers::{AnswerSummary, CallLimitError};
use super::{CallId, Calls};
use crate::event::Event;
use crate::host_memory::Hold;
use crate::under_way::Progress;
use crate::world::DivergenceError;

/// A call that ended.
pub(crate) struct EndedCall {
    pub(crate) call: CallId,
    pub(crate) result: Result<HeldOutcome, CallLimitError>,
}

/// What a call came to, which the host holds until the guest takes it.
pub(crate) struct HeldOutcome {
    pub(crate) outcome: CallOutcome,
    pub(crate) held: Hold,
}

/// A call's end, as the guest gets it.
pub(crate) struct Completion {
    pub(crate) call: CallId,
    pub(crate) outcome: CallOutcome,
    /// The outcome, for as long as the host has it.
    pub(crate) held: Hold,
}

impl Calls {
    /// Whether a call that nobody awaits by itself is under way, or has ended without having been
    /// taken.
    pub(crate) fn pending(&self) -> bool {
        self.started.values().any(|started| !started.is_awaited())
    }

    /// Whether a call has ended that nobody has taken.
    pub(crate) fn any_ended(&mut self) -> bool {
        self.join_ended();
        !self.ended.is_empty()
    }

    /// Waits until a call has ended.
    pub(crate) async fn next_ended(&mut self) {
        while self.ended.is_empty() {
            if !self.more_ended().await {
                return;
            }
        }
    }

    /// Takes the calls that have ended by now.
    pub(crate) fn take_ended(&mut self) -> Result<Vec<Completion>, LimitError> {
        self.join_ended();
        let mut taken = Vec::with_capacity(self.ended.len());
        self.noted = 0;
        while let Some(ended) = self.ended.pop_front() {
            if let Some(completion) = self.settle(ended) {
                taken.push(completion?);
            }
        }
        Ok(taken)
    }

    /// Takes these calls, in this order, once they have ended.
    pub(crate) async fn take(&mut self, expected: &[CallId]) -> wasmtime::Result<Vec<Completion>> {
        let mut taken = Vec::with_capacity(expected.len());
        for call in expected {
            let at = loop {
                self.join_ended();
                match self.ended.iter().position(|ended| ended.call == *call) {
                    Some(at) => break at,
                    None if self.more_ended().await => {}
                    None => {
                        let gone =
                            format!("its call {call} does not end, but did in the recorded run");
                        return Err(DivergenceError(gone).into());
                    }
                }
            };
            let completion = self.ended.remove(at).and_then(|ended| self.settle(ended));
            taken.extend(completion.transpose()?);
        }
        Ok(taken)
    }

    /// Writes a call's end into the usage. Nothing comes of a call that was cancelled in the
    /// meantime.
    pub(crate) fn settle(&mut self, ended: EndedCall) -> Option<Result<Completion, LimitError>> {
        let EndedCall { call, result } = ended;
        let started = self.started.remove(&call)?;
        self.undo.add(&started.context);
        let usage = &mut self.usage[call as usize];
        usage.wall_time = started.at.elapsed();
        let (answer, completion) = match result {
            Ok(HeldOutcome { outcome, held }) => {
                usage.result_bytes = outcome.bytes();
                let answer = AnswerSummary::of(&outcome);
                let completion = Completion {
                    call,
                    outcome,
                    held,
                };
                (Some(answer), Ok(completion))
            }
            Err(CallLimitError { hit, answer }) => (answer, Err(hit)),
        };
        match answer {
            Some(answer) => {
                (usage.end, usage.state) = (answer.end, answer.state);
                if let Some(kind) = answer.failure {
                    self.notes.failed(call, kind);
                }
            }
            None => usage.state = started.context.state_if_given_up(),
        }
        started.is_wanted.then_some(completion)
    }

    /// The end of a call, as listeners get it.
    pub(crate) fn ended(&self, call: CallId) -> Event {
        let usage = self.usage[call as usize].clone();
        Event::CallEnded { call, usage }
    }

    /// Ends a call. The guest will not hear of it again.
    pub(crate) fn cancel(&mut self, call: CallId) {
        self.join_ended();
        let Some(started) = self.started.get_mut(&call) else {
            return;
        };
        if started.has_ended() {
            // It was made, and its end is written down when it is come across.
            started.is_wanted = false;
            return;
        }
        if started.is_awaited() {
            return;
        }
        if let Some(started) = self.started.remove(&call) {
            self.undo.add(&started.context);
            let usage = &mut self.usage[call as usize];
            usage.wall_time = started.at.elapsed();
            usage.state = started.context.state_if_given_up();
            match started.progress {
                Progress::Task(task) => task.abort(),
                Progress::Run(abort) => {
                    abort.abort();
                    // It is dropped now.
                    self.join_ended();
                }
                Progress::Ended | Progress::Awaited(_) => {}
            }
        }
    }

    /// Ends the calls that are under way, and says how many those were.
    pub(crate) fn finish(&mut self) -> usize {
        // What ended was made, whether or not the guest took its result.
        self.join_ended();
        while let Some(ended) = self.ended.pop_front() {
            self.settle(ended);
        }
        self.tasks.abort_all();
        self.answers.get_mut().clear();
        let mut abandoned = 0;
        for (call, started) in self.started.drain() {
            let given_up = match &started.progress {
                Progress::Awaited(given_up) => given_up.get(),
                Progress::Task(_) | Progress::Run(_) | Progress::Ended => None,
            };
            abandoned += usize::from(given_up.is_none());
            let until = given_up.copied().unwrap_or_else(Instant::now);
            self.undo.add(&started.context);
            let usage = &mut self.usage[call as usize];
            usage.wall_time = until.duration_since(started.at);
            usage.state = started.context.state_if_given_up();
        }
        abandoned
    }

    /// Whether a call has ended that the guest has not taken.
    pub(crate) fn have_ended(&mut self) -> bool {
        self.join_ended();
        !self.ended.is_empty()
    }
}
