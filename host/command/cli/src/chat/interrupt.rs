//! Ctrl-C, and the signals that end the process.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::stop_signal::IgnoredSignals;

/// The signals that a chat hears; those that the parent process has switched off stay off.
pub(super) struct Signals {
    interrupt: Option<Signal>,
    terminate: Option<Signal>,
    hangup: Option<Signal>,
}

/// What a signal means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interruption {
    /// Ctrl-C: the task stops.
    Task,
    /// The process ends.
    Process(SignalKind),
}

impl Interruption {
    /// The exit code of shells for a process that the signal ended.
    pub(super) fn code(self) -> u8 {
        let signal = match self {
            Self::Task => SignalKind::interrupt(),
            Self::Process(signal) => signal,
        };
        u8::try_from(128 + signal.as_raw_value()).unwrap_or(u8::MAX)
    }
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        let ignored = IgnoredSignals::read();
        let heard = |kind| match ignored.has(kind) {
            true => Ok(None),
            false => signal(kind).map(Some),
        };
        Ok(Self {
            interrupt: heard(SignalKind::interrupt())?,
            terminate: heard(SignalKind::terminate())?,
            hangup: heard(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Interruption {
        tokio::select! {
            () = received(&mut self.interrupt) => Interruption::Task,
            () = received(&mut self.terminate) => Interruption::Process(SignalKind::terminate()),
            () = received(&mut self.hangup) => Interruption::Process(SignalKind::hangup()),
        }
    }

    /// Does some work, unless a signal comes first.
    pub(super) async fn unless<T>(
        &mut self,
        work: impl Future<Output = T>,
    ) -> Result<T, Interruption> {
        tokio::select! {
            biased;
            done = work => Ok(done),
            signal = self.next() => Err(signal),
        }
    }
}

async fn received(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
