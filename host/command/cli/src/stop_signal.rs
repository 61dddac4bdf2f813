//! The signal that stops the process, and what becomes of its work then.

use std::future::poll_fn;
use std::io;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use ampoule::{Cancel, Run, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use super::exit::Failure;
use super::streams;

/// The signal that stopped the process.
#[derive(Debug, Clone, Copy)]
pub(super) struct StopSignal(pub(super) SignalKind);

/// The exit code of shells for a process that a signal ended.
impl From<StopSignal> for ExitCode {
    fn from(StopSignal(signal): StopSignal) -> Self {
        u8::try_from(128 + signal.as_raw_value())
            .unwrap_or(u8::MAX)
            .into()
    }
}

/// The run to cancel when a signal stops the process, so that the run can still report its state.
/// Clones share it.
#[derive(Clone, Default)]
pub(super) struct Cancellation(Arc<OnceLock<Cancel>>);

impl Cancellation {
    pub(super) fn cancels(&self, run: &Run) {
        // A process with this has one run.
        let _ = self.0.set(run.canceller());
    }
}

/// How long cancelled work may take to report its state.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Does some work with the runtime, until it is done and its output written, or a signal stops the
/// process. Either way, no server process is left afterwards.
pub(super) async fn until_stopped<T: Send + 'static>(
    runtime: Runtime,
    stopping: Cancellation,
    work: impl Future<Output = Result<T, Failure>> + Send + 'static,
) -> Result<Result<T, Failure>, StopSignal> {
    let told_to_stop = match told_to_stop() {
        Ok(told_to_stop) => told_to_stop,
        Err(error) => return Ok(Err(error.into())),
    };
    let mut work = tokio::spawn(async {
        let done = work.await?;
        let out = streams::out();
        out.drained(None).await;
        match out.fault() {
            Some(fault) => Err(fault.into()),
            None => Ok(done),
        }
    });
    let ended = tokio::select! {
        done = &mut work => Ok(done.unwrap_or_else(|panicked| Err(Failure::host(&panicked)))),
        signal = told_to_stop => {
            match stopping.0.get() {
                Some(cancel) => {
                    cancel.cancel();
                    let _ = timeout(LAST_WORDS, &mut work).await;
                }
                // The next server resumes the parked runs.
                None => runtime.suspend(),
            }
            work.abort();
            Err(StopSignal(signal))
        }
    };
    runtime.close().await;
    ended
}

/// Ends when a signal stops the process. Signals are handled from the call on; signals that the
/// parent process has switched off, as `nohup` does, stay off.
pub(super) fn told_to_stop() -> io::Result<impl Future<Output = SignalKind>> {
    let ignored = IgnoredSignals::read();
    let mut signals = [
        SignalKind::interrupt(),
        SignalKind::terminate(),
        SignalKind::hangup(),
    ]
    .into_iter()
    .filter(|kind| !ignored.has(*kind))
    .map(|kind| Ok((kind, signal(kind)?)))
    .collect::<io::Result<Vec<_>>>()?;
    Ok(poll_fn(move |context| {
        let mut signals = signals.iter_mut();
        let told = signals
            .find_map(|(kind, signal)| signal.poll_recv(context).is_ready().then_some(*kind));
        told.map_or(Poll::Pending, Poll::Ready)
    }))
}

/// The signals that this process ignores, as `nohup` has it: a bit each; the lowest is signal 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct IgnoredSignals(u64);

impl IgnoredSignals {
    pub(super) fn read() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status
            .lines()
            .find_map(|line| line.strip_prefix("SigIgn:"))
            .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        Self(mask.unwrap_or_default())
    }

    pub(super) fn has(self, kind: SignalKind) -> bool {
        self.0 >> (kind.as_raw_value() - 1) & 1 == 1
    }
}
