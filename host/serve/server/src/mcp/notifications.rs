//! Notifications to a client that waits for a run: progress, so that the client does not give up,
//! and servers' log lines.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use ampoule::LogLevel;
use parking_lot::Mutex;
use rmcp::model::{
    CustomNotification, ProgressNotificationParam, ProgressToken, ServerNotification,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde::Deserialize;

use super::caller;
use crate::runs::call_reports::CallReport;
use crate::runs::handle::RunHandle;
use crate::runs::lines::{Lines, LogLevelChoice};
use crate::runs::progress::{Progress, ToolProgress};

/// How often a client gets progress.
const INTERVAL: Duration = Duration::from_secs(1);

/// Where a request says from which level on its client wants lines, since 2026-07-28.
const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";

/// Sends the client of a request its servers' log lines, and the progress of a run each second, if
/// the client asked for it.
#[derive(Clone)]
pub(super) struct Notifications {
    client: Peer<RoleServer>,
    token: Option<ProgressToken>,
    sent: Arc<Mutex<SentNumbers>>,
    pub(super) progress: Progress,
    pub(super) lines: Lines,
}

/// The numbers that a request's client was sent last. They have to rise with each notification: they are
/// seconds, and from the moment that the script says how much is done, parts of a whole.
#[derive(Default)]
struct SentNumbers {
    last: f64,
    /// What the script's fractions begin at, and how much all of them are.
    scale: Option<(f64, f64)>,
    /// What a single call's reports begin at.
    call: Option<CallScale>,
}

/// How the reports of a single call's tool become numbers that rise.
#[derive(Clone, Copy)]
struct CallScale {
    /// The seconds that were sent before.
    from: f64,
    /// The last whole, where it is known.
    total: Option<f64>,
}

impl SentNumbers {
    /// What is sent next, and of how much, where that is known.
    fn next(&mut self, fraction: Option<f64>) -> (f64, Option<f64>) {
        if let Some(CallScale { total, .. }) = self.call {
            // It still works: its own reports are what counts.
            self.last += LEAST * self.last.abs().max(1.0);
            return (self.last, total.map(|total| total.max(self.last)));
        }
        let Some(fraction) = fraction else {
            self.last += 1.0;
            return (self.last, None);
        };
        let begun = self.last;
        let scale = || (begun, if begun > 0.0 { begun * SECONDS } else { 1.0 });
        let is_first = begun == 0.0 && self.scale.is_none();
        let (from, whole) = *self.scale.get_or_insert_with(scale);
        let part = from + fraction * whole;
        let risen = match !is_first && part <= self.last {
            true => self.last + LEAST * whole,
            false => part,
        };
        self.last = risen;
        (risen, Some((from + whole).max(risen)))
    }

    /// What is sent for a report of a single call's tool: as it is, if nothing was sent before. None
    /// for a report that does not rise.
    fn reported(&mut self, report: &CallReport) -> Option<(f64, Option<f64>)> {
        let is_first = self.call.is_none();
        let from = self.call.map_or(self.last, |scale| scale.from);
        let (progress, total) = match report.total.filter(|total| *total > 0.0) {
            Some(total) if from > 0.0 => {
                let whole = from * SECONDS;
                let part = from + report.progress / total * whole;
                (part, Some(from + whole))
            }
            _ => (from + report.progress, report.total.map(|it| from + it)),
        };
        self.call = Some(CallScale { from, total });
        let rises = progress > self.last || (is_first && progress >= self.last);
        rises.then(|| {
            self.last = progress;
            (progress, total)
        })
    }
}

/// The least by which a number rises, as a part of the whole.
const LEAST: f64 = 1e-6;
/// How little seconds that were sent before are of the whole.
const SECONDS: f64 = 1000.0;

impl Notifications {
    /// For the client of a request with which a run begins.
    pub(super) fn of_new_run(
        context: &RequestContext<RoleServer>,
        progress: Progress,
        session: &LogLevelChoice,
    ) -> Self {
        let lines = match caller::ends_requests(context) {
            true => Lines::of_requests(),
            false => Lines::of_session(session),
        };
        Self::of(context, progress, lines)
    }

    /// For the client of a request that continues a run.
    pub(super) fn of_next_request(context: &RequestContext<RoleServer>, run: &RunHandle) -> Self {
        Self::of(context, run.progress.clone(), run.lines.clone())
    }

    fn of(context: &RequestContext<RoleServer>, progress: Progress, lines: Lines) -> Self {
        let level = context.meta.get(LOG_LEVEL);
        let level = level.and_then(|level| LogLevel::deserialize(level).ok());
        lines.set_level_of_request(level);
        Self {
            client: context.peer.clone(),
            token: context.meta.get_progress_token(),
            sent: Arc::default(),
            progress,
            lines,
        }
    }

    /// Where progress of the run's calls goes; nowhere if the client did not ask for it.
    pub(super) fn tool_progress(&self) -> Option<ToolProgress> {
        self.token.is_some().then(|| self.progress.of_tools())
    }

    fn next(&self, token: ProgressToken) -> ProgressNotificationParam {
        let (progress, total) = self.sent.lock().next(self.progress.fraction());
        let mut told =
            ProgressNotificationParam::new(token, progress).with_message(self.progress.message());
        told.total = total;
        told
    }

    /// Waits for the run, and sends notifications meanwhile.
    pub(super) async fn while_waiting<T>(&self, run: impl Future<Output = T>) -> T {
        let (mut run, mut telling) = (pin!(run), pin!(self.telling()));
        let ended = loop {
            tokio::select! {
                ended = &mut run => break ended,
                () = &mut telling => unreachable!("it tells until the run has ended"),
                () = self.lines.any() => {}
                () = self.any_report() => {}
            }
            // To its end: a line that was taken and not sent would be lost.
            self.send_waiting().await;
        };
        // What was logged before its end is heard before it.
        self.send_waiting().await;
        ended
    }

    /// Waits until there is a report of a single call's tool to send.
    async fn any_report(&self) {
        match (&self.token, &self.progress.reports) {
            (Some(_), Some(reports)) => reports.any().await,
            _ => std::future::pending().await,
        }
    }

    /// Sends the lines and reports that wait.
    async fn send_waiting(&self) {
        self.send_lines().await;
        let (Some(token), Some(reports)) = (&self.token, &self.progress.reports) else {
            return;
        };
        for report in reports.taken() {
            let Some((progress, total)) = self.sent.lock().reported(&report) else {
                continue;
            };
            let mut told = ProgressNotificationParam::new(token.clone(), progress);
            (told.total, told.message) = (total, report.message);
            if self.client.notify_progress(told).await.is_err() {
                return;
            }
        }
    }

    /// Sends progress each second, if wanted.
    async fn telling(&self) {
        while let Some(token) = &self.token {
            tokio::time::sleep(INTERVAL).await;
            let progress = self.next(token.clone());
            if self.client.notify_progress(progress).await.is_err() {
                break;
            }
        }
        std::future::pending().await
    }

    /// Sends the lines that wait.
    async fn send_lines(&self) {
        for line in self.lines.taken() {
            let told = CustomNotification::new("notifications/message", Some(line));
            let told = ServerNotification::CustomNotification(told);
            if self.client.send_notification(told).await.is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_rises_whatever_a_script_says() {
        let mut sent = SentNumbers::default();
        assert_eq!(sent.next(Some(0.0)), (0.0, Some(1.0)));
        assert_eq!(sent.next(Some(0.5)), (0.5, Some(1.0)));
        let mut last = 0.5;
        for fraction in [0.5, 0.1, 0.6, 1.0, 1.0] {
            let (next, of) = sent.next(Some(fraction));
            assert!(next > last && of >= Some(next), "{next} of {of:?}");
            last = next;
        }
        let mut sent = SentNumbers::default();
        assert_eq!(
            (sent.next(None), sent.next(None)),
            ((1.0, None), (2.0, None))
        );
        assert_eq!(sent.next(Some(0.5)), (1002.0, Some(2002.0)));
    }

    #[test]
    fn what_a_single_calls_tool_reports_is_sent_as_it_is_and_rises() {
        let report = |progress: f64, total: Option<f64>| CallReport {
            progress,
            total,
            message: None,
        };
        let mut sent = SentNumbers::default();
        let of = Some(100.0);
        assert_eq!(sent.reported(&report(0.0, of)), Some((0.0, of)));
        assert_eq!(sent.reported(&report(50.0, of)), Some((50.0, of)));
        assert_eq!(sent.reported(&report(50.0, of)), None);
        let (still, total) = sent.next(None);
        assert!(still > 50.0 && still < 50.1 && total == of, "{still}");
        assert_eq!(sent.reported(&report(100.0, of)), Some((100.0, of)));
        // A tool that says nothing at first: seconds came before.
        let mut sent = SentNumbers::default();
        assert_eq!(sent.next(None), (1.0, None));
        let half = sent.reported(&report(0.5, Some(1.0)));
        assert_eq!(half, Some((501.0, Some(1001.0))));
        assert_eq!(sent.reported(&report(7.0, None)), None);
    }
}
