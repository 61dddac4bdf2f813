//! Ctrl-C, and the signals that end the process.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that a chat hears.
pub(super) struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
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
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// The next one.
    pub(super) async fn next(&mut self) -> Interruption {
        tokio::select! {
            _ = self.interrupt.recv() => Interruption::Task,
            _ = self.terminate.recv() => Interruption::Process(SignalKind::terminate()),
            _ = self.hangup.recv() => Interruption::Process(SignalKind::hangup()),
        }
    }
}
