//! What is kept of the calls of a run that waits, and how another process resumes them.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_limits::LimitError;
use ampoule_tools::{CallOutcome, FailureKind, Form};

use super::{CallId, Calls};
use crate::call_log::CallNotes;
use crate::host_memory::HeldText;
use crate::parking::{Answer, JournalCall, Note};
use crate::tool_slots::ResolvedTools;
use crate::under_way::{Repetition, StartedCall};
use crate::undo::UndoNotes;
use crate::usage::CallUsage;

impl Calls {
    /// How those have ended that the guest has not taken, and nobody has noted.
    pub(crate) fn unnoted(&self) -> impl Iterator<Item = (CallId, &CallOutcome)> {
        let ended = self.ended.iter().skip(self.noted);
        ended.filter_map(|ended| Some((ended.call, &ended.result.as_ref().ok()?.outcome)))
    }

    /// All of those are noted.
    pub(crate) fn noted(&mut self) {
        self.noted = self.ended.len();
    }

    /// What is kept of those that the guest has not taken.
    pub(crate) fn kept(&self) -> Vec<JournalCall> {
        let mut kept: Vec<_> = self
            .started
            .values()
            .filter_map(StartedCall::kept)
            .collect();
        kept.sort_unstable_by_key(|call| call.call);
        kept
    }

    /// What is noted of those that may change something.
    pub(crate) fn notes(&self) -> &CallNotes {
        &self.notes
    }

    /// What is noted of what takes them back.
    pub(crate) fn undo_notes(&self) -> &UndoNotes {
        &self.undo
    }

    /// Resumes what was noted of them.
    pub(crate) fn resume_notes(&mut self, notes: CallNotes, undo: UndoNotes) {
        (self.notes, self.undo) = (notes, undo);
    }

    /// Resumes the calls of a run that was kept by another process: what is known of their ends is
    /// what the run gets, and those that may be made again are.
    pub(crate) fn resume(
        &mut self,
        usage: Vec<CallUsage>,
        kept: Vec<JournalCall>,
        notes: Vec<Note>,
        tools: &ResolvedTools,
    ) -> Result<(), LimitError> {
        self.usage = usage;
        let mut answers = HashMap::new();
        let mut left = HashMap::new();
        for note in notes {
            match note {
                Note::Answered(call, answer) => drop(answers.insert(call, answer)),
                Note::Sent(call) => drop(left.insert(call, true)),
                Note::HeldBack(call) => drop(left.insert(call, false)),
                Note::Beyond => {}
            }
        }
        for call in kept {
            let sent = left.get(&call.call).copied().unwrap_or(call.sent);
            let answer = answers.remove(&call.call);
            self.resume_call(call, sent, answer, tools)?;
        }
        Ok(())
    }

    fn resume_call(
        &mut self,
        kept: JournalCall,
        sent: bool,
        answer: Option<Answer>,
        tools: &ResolvedTools,
    ) -> Result<(), LimitError> {
        let Some(usage) = self.usage.get(kept.call as usize) else {
            return Ok(());
        };
        let (server, name) = (Arc::clone(&usage.server), Arc::clone(&usage.tool));
        let result_bytes = self.limits.result_bytes;
        let context = (self.calling).context(kept.call, &server, &name, result_bytes);
        if let Some(answer) = answer {
            let tool = tools.named(&server, &name);
            if matches!(answer, Answer::Value(_)) && tool.is_some_and(|tool| tool.has_undo()) {
                let why = "it was answered while the run was parked in another process";
                self.undo.add_irreversible(&context, why);
            }
            return self.end(context, answer.outcome());
        }
        let shown = format!("{server}.{name}");
        if sent && !kept.repeatable {
            let said = format!(
                "the host stopped while {shown} was under way: whether the tool did it is unknown, and Ampoule does not call it again"
            );
            return self.end(context, CallOutcome::failed(FailureKind::Lost, said));
        }
        let (Some(arguments), Some(tool)) = (kept.arguments, tools.named(&server, &name)) else {
            let said = format!(
                "the host stopped before {shown} was answered, and it can't be called again"
            );
            let kind = match sent {
                true => FailureKind::Lost,
                false => FailureKind::NotReached,
            };
            return self.end(context, CallOutcome::failed(kind, said));
        };
        let hold = self.held.hold(arguments.len() as u64)?;
        let form = match kept.whole {
            true => Form::Whole,
            false => Form::Script,
        };
        let again = Repetition::of(tool, &arguments, form, &self.held);
        let text = arguments;
        let arguments = HeldText { text, hold };
        let carried_out = self.carry_out(context.clone(), &again, tool, arguments, form);
        let mut started = StartedCall::now(context);
        started.again = again;
        self.go(started, carried_out, false);
        Ok(())
    }
}
