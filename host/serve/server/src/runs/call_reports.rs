//! How far the tool of a run's one call is, report by report: a client that calls a tool hears what
//! the tool's server says, as it says it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// How many reports wait for the client; of more, the newest are kept.
const WAITING: usize = 8;

/// How long none are sent after some were, so that a client gets at most some tens a second.
const PAUSE: Duration = Duration::from_millis(100);

/// How far a tool is, in its own measure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CallReport {
    pub(crate) progress: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: Option<String>,
}

/// A call's reports. Clones are the same call's.
#[derive(Clone, Default)]
pub(crate) struct CallReports(Arc<ReportQueue>);

#[derive(Default)]
struct ReportQueue {
    waiting: Mutex<Waiting>,
    came: Notify,
}

#[derive(Default)]
struct Waiting {
    reports: VecDeque<CallReport>,
    /// Until when nothing is sent.
    pause: Option<Instant>,
}

impl CallReports {
    /// Takes a report.
    pub(crate) fn hear(&self, report: CallReport) {
        let mut waiting = self.0.waiting.lock();
        if waiting.reports.len() >= WAITING {
            waiting.reports.pop_front();
        }
        waiting.reports.push_back(report);
        drop(waiting);
        self.0.came.notify_one();
    }

    /// Waits until there is something to send.
    pub(crate) async fn any(&self) {
        loop {
            let pause = {
                let waiting = self.0.waiting.lock();
                (!waiting.reports.is_empty()).then_some(waiting.pause)
            };
            match pause {
                Some(Some(pause)) => return sleep_until(pause).await,
                Some(None) => return,
                None => self.0.came.notified().await,
            }
        }
    }

    /// What is sent now. For a while after that, nothing more is.
    pub(crate) fn taken(&self) -> VecDeque<CallReport> {
        let mut waiting = self.0.waiting.lock();
        if !waiting.reports.is_empty() {
            waiting.pause = Some(Instant::now() + PAUSE);
        }
        std::mem::take(&mut waiting.reports)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_newest_reports_wait_and_are_sent_a_few_at_a_time() {
        let reports = CallReports::default();
        assert_eq!(reports.any().now_or_never(), None);
        for n in 0..WAITING + 2 {
            reports.hear(CallReport {
                progress: n as f64,
                total: None,
                message: None,
            });
        }
        assert_eq!(reports.any().now_or_never(), Some(()));
        let taken = reports.taken();
        assert_eq!((taken.len(), taken[0].progress), (WAITING, 2.0));
        assert_eq!(reports.any().now_or_never(), None);
        reports.hear(taken[0].clone());
        let began = Instant::now();
        reports.any().await;
        assert_eq!(began.elapsed(), PAUSE);
        assert_eq!(reports.taken(), [taken[0].clone()]);
    }
}
