//! Where people are asked.

use std::fmt;
use std::sync::Arc;

use crate::id::QuestionId;
use crate::question::{Caller, Question};

/// A place where people are asked: a client's dialogue, the page, the command line, an operator's
/// system. It shows questions; answers come back to the [`Store`](crate::Store), from any channel
/// that gives them.
pub trait Channel: fmt::Debug + Send + Sync + 'static {
    /// Whether somebody can be asked here about calls of this run, as it is now. Must not block.
    fn reaches(&self, caller: &Caller) -> bool;

    /// A question is open, or more calls were added to one. Must not block. By default nothing: who
    /// looks for questions finds them.
    fn asked(&self, question: &Arc<Question>) {
        let _ = question;
    }

    /// A question is over: answered, withdrawn, expired. Must not block.
    fn over(&self, question: QuestionId) {
        let _ = question;
    }
}

/// `ampoule approvals`: a user who can read the folder of questions answers there, if they look.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandLine;

impl Channel for CommandLine {
    fn reaches(&self, _: &Caller) -> bool {
        true
    }
}
