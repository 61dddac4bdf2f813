//! What questions may take.

use std::time::Duration;

/// What questions may take. By default
///
/// - 64 calls of one run wait at once, and 256 are asked about in all,
/// - 100 questions of one principal are open, and 1,000 in all; 20,000 are kept,
/// - 16 KiB of a call's arguments are shown, 4 KiB of one argument,
/// - calls that come within 50 ms of one another arrive as one question,
/// - an answer may take 7 days, is good for 7 days, and is kept for as long after that,
/// - what is allowed for a session is so for 30 days at most.
///
/// What is beyond them is not asked: the call fails at once, and says why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalLimits {
    /// How many calls of one run may wait at once: those of one question.
    pub calls: usize,
    /// About how many calls one run may ask, from its start to its end, in one process.
    pub run: usize,
    /// How many questions of one principal may be open.
    pub principal: usize,
    /// How many may be open in all.
    pub open: usize,
    /// How many are kept, answered ones included.
    pub kept: usize,
    /// How much of a call's arguments is shown, in bytes.
    pub shown_bytes: usize,
    /// How much of one argument is shown, in bytes.
    pub argument_bytes: usize,
    /// For how long calls gather before they are asked about.
    pub gather: Duration,
    /// How long an answer may take.
    pub expires: Duration,
    /// For how long an answer is good, and what was allowed for a run.
    pub good: Duration,
    /// For how long something may be allowed for a session.
    pub session: Duration,
}

impl Default for ApprovalLimits {
    fn default() -> Self {
        Self {
            calls: 64,
            run: 256,
            principal: 100,
            open: 1_000,
            kept: 20_000,
            shown_bytes: 16 << 10,
            argument_bytes: 4 << 10,
            gather: Duration::from_millis(50),
            expires: Duration::from_hours(7 * 24),
            good: Duration::from_hours(7 * 24),
            session: Duration::from_hours(30 * 24),
        }
    }
}

/// How long a reason may be that a person gives, in bytes. What is longer is cut off.
pub(crate) const REASON_BYTES: usize = 2 << 10;
/// How long a name may be that is shown: of a server, a tool, an argument, a person.
pub(crate) const NAME_BYTES: usize = 200;
/// How many arguments of a call are shown.
pub(crate) const ARGUMENTS: usize = 64;
/// How many tools that a run has called are listed.
pub(crate) const DONE: usize = 20;
