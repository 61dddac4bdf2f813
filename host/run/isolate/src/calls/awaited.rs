//! Calls that need nothing but their answers: functions of the program that embeds Ampoule. The run
//! looks at them itself, where it waits. A task for each would be one more thing to wake, often on
//! another thread.

use std::task::{Context, Poll, Waker};

use ampoule_tools::{CallState, ResolvedTool};
use futures::StreamExt;
use futures::future::{AbortHandle, Abortable, BoxFuture};
use futures::stream::FuturesUnordered;
use parking_lot::Mutex;

use super::Calls;
use super::ends::EndedCall;
use crate::under_way::{Progress, StartedCall};

/// Calls that the run looks at itself. They end in the order in which they are answered. Nobody
/// locks them: the lock only lets a run be shared between threads.
pub(super) type AnswersToCome = Mutex<FuturesUnordered<Abortable<BoxFuture<'static, EndedCall>>>>;

impl Calls {
    /// Whether the run can look at a call of this tool itself, once the call has left: nothing else
    /// is to be done for it meanwhile.
    pub(super) fn looks_at(&self, tool: &ResolvedTool) -> bool {
        let passes_nothing = self.calling.layers.is_empty() && self.calling.gate.is_none();
        passes_nothing && tool.only_awaits_answers()
    }

    /// Has a call that has begun be carried out until it ends: by the run itself, if that `looks_at`
    /// the call and the call has left; by a task otherwise.
    pub(super) fn keep(
        &mut self,
        started: &StartedCall,
        carried_out: BoxFuture<'static, EndedCall>,
        looks_at: bool,
    ) -> Progress {
        // One that waits for its turn, or for its arguments to be read, has work to do.
        let has_left = started.context.state_if_given_up() == CallState::Unknown;
        if !(looks_at && has_left) {
            return Progress::Task(self.tasks.spawn(carried_out));
        }
        let (abort, aborted) = AbortHandle::new_pair();
        self.answers
            .get_mut()
            .push(Abortable::new(carried_out, aborted));
        Progress::Run(abort)
    }

    /// Takes note of calls that have ended since the last look. Whether others are under way.
    fn poll_ended(&mut self, context: &mut Context<'_>) -> bool {
        let answers_to_come = loop {
            match self.answers.get_mut().poll_next_unpin(context) {
                Poll::Ready(Some(Ok(ended))) => self.has_ended(ended),
                // It was cancelled.
                Poll::Ready(Some(Err(_))) => {}
                Poll::Ready(None) => break false,
                Poll::Pending => break true,
            }
        };
        loop {
            match self.tasks.poll_join_next(context) {
                // One that was cancelled has nothing to say.
                Poll::Ready(Some(joined)) => self.ended.extend(joined),
                Poll::Ready(None) => return answers_to_come,
                Poll::Pending => return true,
            }
        }
    }

    fn has_ended(&mut self, ended: EndedCall) {
        if let Some(started) = self.started.get_mut(&ended.call) {
            started.progress = Progress::Ended;
        }
        self.ended.push_back(ended);
    }

    /// Waits until more calls have ended; false if none is under way.
    pub(super) async fn more_ended(&mut self) -> bool {
        let before = self.ended.len();
        std::future::poll_fn(|context| {
            let others = self.poll_ended(context);
            match self.ended.len() > before {
                true => Poll::Ready(true),
                false if others => Poll::Pending,
                false => Poll::Ready(false),
            }
        })
        .await
    }

    /// Takes note of the calls that have ended by now.
    pub(super) fn join_ended(&mut self) {
        // Who waits looks again first.
        self.poll_ended(&mut Context::from_waker(Waker::noop()));
    }
}
