//! Progress of a run, for clients that would otherwise give up waiting.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ampoule::{Event, Language, Notice, RunEvent};
use ampoule_untrusted::text::one_line;
use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::time::Instant;

/// How often a client is told.
const INTERVAL: Duration = Duration::from_secs(1);

/// Tells a client, each second, how far a run is, if the client asked to be told.
#[derive(Clone)]
pub(super) struct Progress {
    client: Option<(Peer<RoleServer>, ProgressToken)>,
    run: Arc<Mutex<Run>>,
}

/// How far a run is.
struct Run {
    /// The language whose guest it waits for.
    compiling: Option<Language>,
    /// When it began, or began to wait.
    since: Instant,
    calls_started: u64,
    calls_ended: u64,
    /// What a tool said last of its progress.
    tool: Option<String>,
}

impl Run {
    fn begun() -> Self {
        Self {
            compiling: None,
            since: Instant::now(),
            calls_started: 0,
            calls_ended: 0,
            tool: None,
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
            _ => {}
        }
    }

    fn message(&self) -> String {
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
                let tool = tool.map_or_else(String::new, |said| format!("; {said}"));
                format!(
                    "running for {seconds} s; {} of {} calls done{tool}",
                    self.calls_ended, self.calls_started
                )
            }
        }
    }
}

/// Where servers' words on the progress of their calls go.
pub(super) struct Told(Arc<Mutex<Run>>);

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Told")
    }
}

impl Told {
    /// The last word counts: clients are told each second.
    pub(super) fn hear(&self, notice: &Notice) {
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
            lock(&self.0).tool = Some(format!("{server}.{tool}: {progress}{of}{words}"));
        }
    }
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        let client = context
            .meta
            .get_progress_token()
            .map(|token| (context.peer.clone(), token));
        Self {
            client,
            run: Arc::new(Mutex::new(Run::begun())),
        }
    }

    /// The same run's, for its client's next request.
    pub(super) fn again(&self, context: &RequestContext<RoleServer>) -> Self {
        Self {
            run: Arc::clone(&self.run),
            ..Self::of(context)
        }
    }

    /// Where progress of the run's calls is told; nowhere if the client did not ask for it.
    pub(super) fn told(&self) -> Option<Told> {
        let told = || Told(Arc::clone(&self.run));
        self.client.is_some().then(told)
    }

    pub(super) fn listener(&self) -> impl FnMut(&RunEvent) + Send + 'static {
        let run = Arc::clone(&self.run);
        move |happened| lock(&run).hear(&happened.event)
    }

    /// Waits for the run, and tells of it meanwhile.
    pub(super) async fn while_waiting<T>(&self, run: impl Future<Output = T>) -> T {
        let Some((client, token)) = &self.client else {
            return run.await;
        };
        let telling = async {
            let mut seconds = 0_u32;
            loop {
                tokio::time::sleep(INTERVAL).await;
                seconds += 1;
                let message = lock(&self.run).message();
                let progress = ProgressNotificationParam::new(token.clone(), seconds.into())
                    .with_message(message);
                if client.notify_progress(progress).await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        };
        tokio::select! {
            ended = run => ended,
            () = telling => unreachable!("it tells until the run has ended"),
        }
    }
}

fn lock(run: &Mutex<Run>) -> parking_lot::MutexGuard<'_, Run> {
    run.lock()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_run_that_waits_for_its_guest_says_so_and_its_own_time_begins_after_that() {
        let mut run = Run::begun();
        tokio::time::advance(Duration::from_secs(2)).await;
        assert_eq!(run.message(), "running for 2 s; 0 of 0 calls done");
        run.hear(&Event::compiling(Language::Python));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(
            run.message(),
            "waiting for the Python guest to be compiled, which happens once; 7 s so far"
        );
        run.hear(&Event::compiled(Language::Python));
        tokio::time::advance(Duration::from_secs(1)).await;
        run.calls_started += 1;
        assert_eq!(run.message(), "running for 1 s; 0 of 1 calls done");
    }
}
