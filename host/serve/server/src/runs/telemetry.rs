//! Traces and metrics of runs.

use ampoule::{Error, Outcome};
use ampoule_telemetry::{Run, RunEnd, Telemetry};

/// A run's outcome, once it has ended and was reported.
pub(super) async fn outcome(
    telemetry: &Telemetry,
    told: Run,
    run: ampoule::Run,
) -> Result<Outcome, Error> {
    let outcome = run.outcome().await;
    if outcome
        .as_ref()
        .is_ok_and(|outcome| outcome.withheld.is_some())
    {
        telemetry.withheld();
    }
    told.ended(match &outcome {
        Ok(outcome) => RunEnd {
            ending: outcome.ending.name(),
            fuel: outcome.usage.fuel,
            calls: outcome.usage.calls.len(),
        },
        Err(error) => not_run(telemetry, error),
    });
    outcome
}

/// The end of a run that did not start.
pub(super) fn not_run(telemetry: &Telemetry, error: &Error) -> RunEnd {
    if error.is_busy() {
        telemetry.busy();
    }
    RunEnd::with(match error {
        _ if error.is_busy() => "busy",
        _ if error.is_request() => "refused",
        _ => "failed",
    })
}
