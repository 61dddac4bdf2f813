//! Each request is a call of the tool that makes requests.

use ampoule_effort as effort;
use ampoule_tools::{CallOutcome, FailureKind, ToolFailure};
use http::Response;
use wasmtime_wasi_http::{Error, WasiBody};

use super::exchanges::{EndedExchange, Exchanges, Fetcher, Next, Step, WholeRequest};
use super::message::{Fetched, arguments};
use crate::held::Hold;
use crate::output::Level;
use crate::parking::IdleWait;
use crate::state::RunState;

/// Why a request is not made where the run was not granted that tool.
const NOT_GRANTED: &str = "a request of `wasi:http` was not sent: this run may make no HTTP requests. `[outbound]` in ampoule.toml allows them, and the run's grant must have `outbound`";

impl Exchanges {
    /// Does it.
    pub(super) fn take(&mut self, run: &mut RunState, step: Step) -> wasmtime::Result<()> {
        match step.0 {
            Next::Begin(request) => self.begin(run, request),
            Next::End(ended) => end(run, ended),
        }
    }

    fn begin(&mut self, run: &mut RunState, request: WholeRequest) -> wasmtime::Result<()> {
        let Some(tool) = self.id(run)? else {
            warn(run, NOT_GRANTED)?;
            let _ = request.answer.send(Err(Error::HttpRequestDenied));
            return Ok(());
        };
        let WholeRequest {
            request,
            held,
            answer,
        } = request;
        let arguments = arguments(&request);
        drop((request, held));
        spend(run, effort::REQUEST + effort::BYTE * arguments.len() as u64)?;
        let values = run.held.hold(arguments.len() as u64)?;
        let call = run.start_awaited(tool, arguments, values)?;
        let alive = run.idle_wait.clone();
        self.under_way.push(Box::pin(async move {
            let ended = IdleWait::waiting(alive.as_ref(), call.ended()).await;
            EndedExchange { ended, answer }
        }));
        Ok(())
    }

    /// The id of the tool; none if the run was not granted it.
    fn id(&mut self, run: &mut RunState) -> wasmtime::Result<Option<u32>> {
        let id = match std::mem::replace(&mut self.tool, Fetcher::Absent) {
            Fetcher::Found(tool) => run.resolved.add(tool)?,
            Fetcher::Resolved(id) => id,
            Fetcher::Absent | Fetcher::Unknown => return Ok(None),
        };
        self.tool = Fetcher::Resolved(id);
        Ok(Some(id))
    }
}

fn end(run: &mut RunState, ended: EndedExchange) -> wasmtime::Result<()> {
    let EndedExchange { ended, answer } = ended;
    let (outcome, hold) = run.settle(ended)?;
    // A guest that dropped its request does not wait for it.
    let _ = answer.send(response(run, outcome, hold)?);
    Ok(())
}

/// What the guest gets.
fn response(
    run: &mut RunState,
    outcome: CallOutcome,
    hold: Hold,
) -> wasmtime::Result<Result<Response<WasiBody>, Error>> {
    let json = match outcome {
        CallOutcome::Value(json) => json,
        CallOutcome::Failure(failure) => return failed(run, failure).map(Err),
        CallOutcome::TooLarge { bytes } => {
            return Ok(Err(Error::HttpResponseBodySize(Some(bytes))));
        }
    };
    spend(run, effort::BYTE * json.len() as u64)?;
    let fetched: Result<Fetched, _> = serde_json::from_str(&json);
    let response = fetched.ok().and_then(|fetched| fetched.response(hold));
    let strange = || Error::InternalError(Some("the response is not one of HTTP".to_owned()));
    Ok(response.ok_or_else(strange))
}

/// The error that the guest gets. `wasi:http` has no room for most reasons: they are in the output.
fn failed(run: &mut RunState, failure: ToolFailure) -> wasmtime::Result<Error> {
    let error = match failure.kind {
        FailureKind::Denied | FailureKind::NeedsSignIn => Error::HttpRequestDenied,
        FailureKind::TimedOut => Error::HttpResponseTimeout,
        FailureKind::NotReached => Error::DestinationUnavailable,
        FailureKind::Lost | FailureKind::Cancelled => Error::ConnectionTerminated,
        FailureKind::Arguments
        | FailureKind::Failed
        | FailureKind::Refused
        | FailureKind::Protocol => return Ok(Error::InternalError(Some(failure.message))),
    };
    let message = format!("a request of `wasi:http` failed: {}", failure.message);
    warn(run, &message)?;
    Ok(error)
}

fn warn(run: &mut RunState, message: &str) -> wasmtime::Result<()> {
    Ok(run.feed.write(Level::Warn, message)?)
}

fn spend(run: &RunState, units: u64) -> wasmtime::Result<()> {
    let paid = run.effort.spend(units);
    Ok(paid.map_err(|_| run.limits.out_of_fuel())?)
}
