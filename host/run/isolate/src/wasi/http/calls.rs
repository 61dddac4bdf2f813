//! Each request is a call of the tool that makes requests.

use std::future::pending;
use std::time::Duration;

use ampoule_effort as effort;
use ampoule_limits::{Limit, LimitError};
use ampoule_tools::{CallOutcome, FailureKind, ToolFailure};
use http::Response;
use wasmtime_wasi_http::{Error, WasiBody};

use super::exchanges::{Answer, EndedExchange, Exchanges, Next, SERVER, TOOL, WholeRequest};
use super::message::{FetchedResponse, not_http};
use crate::host_memory::Hold;
use crate::output::Level;
use crate::parking::IdleWait;
use crate::state::RunState;
use crate::under_way::AwaitedCall;

/// Why a request is not made where the run was not granted that tool.
const NOT_GRANTED: &str = "a request of `wasi:http` was not sent: this run may make no HTTP requests. `[outbound]` in ampoule.toml allows them, and the run's grant must have `outbound`";

impl Exchanges {
    /// Does it.
    pub(super) fn take(&mut self, run: &mut RunState, next: Next) -> wasmtime::Result<()> {
        match next {
            Next::Begin(request) => self.begin(run, request),
            Next::End(ended) => end(run, ended),
            Next::Limit(hit) => Err(hit.into()),
        }
    }

    fn begin(&mut self, run: &mut RunState, request: WholeRequest) -> wasmtime::Result<()> {
        let WholeRequest {
            arguments,
            mut held,
            answer,
            timeout,
        } = request;
        // The guest has dropped it.
        if answer.is_closed() {
            return Ok(());
        }
        run.spend(effort::REQUEST)?;
        let Some(tool) = self.tool else {
            // It counts like one that was made.
            let (server, name) = (SERVER.into(), TOOL.into());
            run.calls.refuse(&server, &name, NOT_GRANTED)?;
            if !std::mem::replace(&mut self.warned_of_grant, true) {
                warn(run, NOT_GRANTED)?;
            }
            let _ = answer.send(Err(Error::HttpRequestDenied));
            return Ok(());
        };
        // The call counts its arguments itself.
        held.shrink_to(0);
        let call = run.start_awaited(tool, arguments, held)?;
        let alive = run.idle_wait.clone();
        let exchange = exchange(call, answer, timeout, alive);
        self.under_way.push(Box::pin(exchange));
        Ok(())
    }
}

/// A request's call, to its end; none if the guest dropped the request, or waits no longer. The
/// call is cancelled then.
async fn exchange(
    call: AwaitedCall,
    mut answer: Answer,
    timeout: Option<Duration>,
    alive: Option<IdleWait>,
) -> Option<EndedExchange> {
    let late = async {
        match timeout {
            Some(timeout) => tokio::time::sleep(timeout).await,
            None => pending().await,
        }
    };
    let ended = tokio::select! {
        biased;
        ended = IdleWait::waiting(alive.as_ref(), call.ended()) => Ok(ended),
        () = answer.closed() => return None,
        () = late => Err(Error::HttpResponseTimeout),
    };
    match ended {
        Ok(ended) => Some(EndedExchange { ended, answer }),
        Err(error) => {
            let _ = answer.send(Err(error));
            None
        }
    }
}

fn end(run: &mut RunState, ended: EndedExchange) -> wasmtime::Result<()> {
    let EndedExchange { ended, answer } = ended;
    let call = ended.call;
    let response = match run.settle(ended) {
        Ok((outcome, hold)) => response(run, outcome, hold)?,
        // The guest gets an error for a response that is too large, and may continue.
        Err(error) => match error.downcast_ref::<LimitError>() {
            Some(hit) if hit.limit == Limit::ResultBytes => {
                run.feed.tell(|| run.calls.ended(call));
                Err(Error::HttpResponseBodySize(Some(hit.used)))
            }
            _ => return Err(error),
        },
    };
    // A guest that dropped its request does not wait for it.
    let _ = answer.send(response);
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
    run.spend(effort::BYTE * json.len() as u64)?;
    let fetched: Result<FetchedResponse, _> = serde_json::from_str(&json);
    let response = fetched.map_err(|_| not_http());
    Ok(response.and_then(|fetched| fetched.response(hold)))
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
