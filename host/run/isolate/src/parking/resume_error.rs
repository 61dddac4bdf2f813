//! Why a parked run can't resume.

use super::backend::ParkingError;

/// A parked run can't continue, or is not where it was left.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ResumeError(pub(crate) String);

impl ResumeError {
    pub(super) fn at(what: &'static str) -> impl FnOnce(wasmtime::Error) -> Self {
        move |error| Self(format!("the parked run can't resume: {what}: {error:#}"))
    }

    pub(super) fn of(ParkingError(why): ParkingError) -> Self {
        Self(format!("the parked run can't resume: {why}"))
    }
}
