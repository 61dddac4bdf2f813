//! Why a run does not begin.

use ampoule_audit::WriteError;
use ampoule_privacy::KeepError;
use ampoule_quota::QuotaError;

use crate::words::NO_PLAN;

/// A run does not begin. Displays as a sentence for the caller.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AdmissionError {
    /// Nothing is left of a quota.
    #[error(transparent)]
    Exhausted(#[from] QuotaError),
    /// It can't be recorded.
    #[error(transparent)]
    WriteError(#[from] WriteError),
    /// What its tokens stand for can't be read.
    #[error(transparent)]
    Tokens(#[from] KeepError),
    /// It is to be tried first, and nobody can be asked about the plan.
    #[error("{NO_PLAN}")]
    NoPlan,
    /// The host stopped.
    #[error("the host stopped before the run began")]
    Stopped,
}
