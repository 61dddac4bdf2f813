//! The progress of a run.

use std::fmt;
use std::sync::Arc;

use ampoule::{Event, Language, Notice, RunEvent};
use ampoule_untrusted::text::one_line;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::asking::approval_wait::ApprovalWait;
use super::call_reports::{CallReport, CallReports};

/// The progress of a run. Clones are the same run's.
#[derive(Clone)]
pub(crate) struct Progress {
    run: Arc<Mutex<RunState>>,
    /// Whether the run waits for a person.
    pub(crate) approval: ApprovalWait,
    /// What the tool of its one call reports, if the run is that.
    pub(crate) reports: Option<CallReports>,
}

/// How far a run is.
struct RunState {
    /// The language whose guest it waits for.
    compiling: Option<Language>,
    /// When it began, or began to wait.
    since: Instant,
    calls_started: u64,
    calls_ended: u64,
    /// What a tool said last of its progress.
    tool: Option<String>,
    /// How much of all is done, as the script said last.
    fraction: Option<f64>,
    /// What it said that it does.
    said: String,
}

impl RunState {
    fn begun() -> Self {
        Self {
            compiling: None,
            since: Instant::now(),
            calls_started: 0,
            calls_ended: 0,
            tool: None,
            fraction: None,
            said: String::new(),
        }
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Compiling { language, .. } => self.compiling = Some(*language),
            Event::Compiled { .. } => *self = Self::begun(),
            Event::CallStarted { .. } => self.calls_started += 1,
            Event::CallEnded { .. } => {
                self.calls_ended += 1;
                self.tool = None;
            }
            Event::Progress { fraction, text, .. } => {
                self.fraction = fraction.or(self.fraction);
                self.said = one_line(text).into_owned();
            }
            _ => {}
        }
    }

    fn message(&self, approval: &ApprovalWait) -> String {
        let seconds = self.since.elapsed().as_secs();
        match self.compiling {
            Some(language) => {
                let guest = language.interpreter();
                format!(
                    "waiting for {guest} to be compiled, which happens once; {seconds} s so far"
                )
            }
            None => {
                let tool = self.tool.as_ref();
                let said = Some(&self.said).filter(|said| !said.is_empty());
                let waits = approval.what();
                let waits = waits.map(|what| format!("waits for approval of {what}"));
                let more: String = [waits.as_ref(), tool, said]
                    .into_iter()
                    .flatten()
                    .map(|said| format!("; {said}"))
                    .collect();
                format!(
                    "running for {seconds} s; {} of {} calls done{more}",
                    self.calls_ended, self.calls_started
                )
            }
        }
    }
}

/// Where the progress of calls goes.
pub(crate) struct ToolProgress {
    run: Arc<Mutex<RunState>>,
    reports: Option<CallReports>,
}

impl fmt::Debug for ToolProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ToolProgress")
    }
}

impl ToolProgress {
    /// The last report counts, as clients get the progress of runs each second; but that of a single
    /// call as it comes.
    pub(crate) fn hear(&self, notice: &Notice) {
        if let Notice::Progress {
            server,
            tool,
            progress,
            total,
            message,
            ..
        } = notice
        {
            let of = total.map_or_else(String::new, |total| format!(" of {total}"));
            let words = message.iter().map(|said| format!(" ({})", one_line(said)));
            let words: String = words.collect();
            let tool = one_line(tool);
            self.run.lock().tool = Some(format!("{server}.{tool}: {progress}{of}{words}"));
            if let Some(reports) = &self.reports {
                reports.hear(CallReport {
                    progress: *progress,
                    total: *total,
                    message: message.as_deref().map(|said| one_line(said).into_owned()),
                });
            }
        }
    }
}

impl Progress {
    /// That of a run that begins now.
    pub(crate) fn new(approval: ApprovalWait) -> Self {
        Self {
            run: Arc::new(Mutex::new(RunState::begun())),
            approval,
            reports: None,
        }
    }

    /// The same of a run that is one call.
    pub(crate) fn of_call(self) -> Self {
        Self {
            reports: Some(CallReports::default()),
            ..self
        }
    }

    /// In a line.
    pub(crate) fn message(&self) -> String {
        self.run.lock().message(&self.approval)
    }

    /// How much of all is done, as the script said last.
    pub(crate) fn fraction(&self) -> Option<f64> {
        self.run.lock().fraction
    }

    /// Where the progress of calls goes.
    pub(crate) fn of_tools(&self) -> ToolProgress {
        ToolProgress {
            run: Arc::clone(&self.run),
            reports: self.reports.clone(),
        }
    }

    /// What hears of the run's events.
    pub(super) fn listener(&self) -> impl FnMut(&RunEvent) + Send + 'static {
        let run = Arc::clone(&self.run);
        move |happened| run.lock().hear(&happened.event)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_run_that_waits_for_its_guest_says_so_and_its_own_time_begins_after_that() {
        let mut run = RunState::begun();
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(
            run.message(&ApprovalWait::default()),
            "running for 2 s; 0 of 0 calls done"
        );
        run.hear(&Event::compiling(Language::Python));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(
            run.message(&ApprovalWait::default()),
            "waiting for the Python guest to be compiled, which happens once; 7 s so far"
        );
        run.hear(&Event::compiled(Language::Python));
        tokio::time::advance(Duration::from_secs(1)).await;
        run.calls_started += 1;
        assert_eq!(
            run.message(&ApprovalWait::default()),
            "running for 1 s; 0 of 1 calls done"
        );
        run.hear(&Event::progress(Some(0.5), "half\u{1b}"));
        assert_eq!(
            run.message(&ApprovalWait::default()),
            "running for 1 s; 0 of 1 calls done; half\\u{1b}"
        );
    }
}
