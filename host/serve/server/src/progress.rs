//! What a client is told while it waits for a run: how far that is, so that it does not give up, and
//! what servers log.

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

use super::approvals::Waits;
use super::lines::Lines;

/// How often a client is told.
const INTERVAL: Duration = Duration::from_secs(1);

/// Tells a client what its servers log, and each second how far a run is, if the client asked to be
/// told.
#[derive(Clone)]
pub(super) struct Progress {
    client: Option<Peer<RoleServer>>,
    token: Option<ProgressToken>,
    sent: Arc<Mutex<Sent>>,
    run: Arc<Mutex<Run>>,
    pub(super) lines: Lines,
    /// Whether the run waits for a person.
    pub(super) waits: Waits,
}

/// What a request's client was sent. The numbers have to rise with each notification: they are
/// seconds, and from the moment that the script says how much is done, parts of a whole.
#[derive(Default)]
struct Sent {
    last: f64,
    /// What the script's fractions begin at, and how much all of them are.
    scale: Option<(f64, f64)>,
}

impl Sent {
    /// What is sent next, and of how much, where that is known.
    fn next(&mut self, fraction: Option<f64>) -> (f64, Option<f64>) {
        /// The least by which a number rises, as a part of the whole.
        const LEAST: f64 = 1e-6;
        /// How little seconds that were sent before are of the whole.
        const SECONDS: f64 = 1000.0;
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
    /// How much of all is done, as the script said last.
    fraction: Option<f64>,
    /// What it said that it does.
    said: String,
}

impl Run {
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

    fn message(&self, waits: &Waits) -> String {
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
                let waits = waits.what();
                let waits = waits.map(|what| format!("waits for a person to allow {what}"));
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
    /// That of a run that begins with this request, and of what its servers log.
    pub(super) fn of(context: &RequestContext<RoleServer>, lines: Lines, waits: Waits) -> Self {
        Self {
            client: Some(context.peer.clone()),
            token: context.meta.get_progress_token(),
            sent: Arc::default(),
            run: Arc::new(Mutex::new(Run::begun())),
            lines,
            waits,
        }
    }

    /// That of a run that no request began.
    pub(super) fn of_nobody(waits: Waits) -> Self {
        Self {
            client: None,
            token: None,
            sent: Arc::default(),
            run: Arc::new(Mutex::new(Run::begun())),
            lines: Lines::of_nobody(),
            waits,
        }
    }

    /// The same run's, for its client's next request.
    pub(super) fn again(&self, context: &RequestContext<RoleServer>) -> Self {
        self.lines.again(context);
        Self {
            run: Arc::clone(&self.run),
            ..Self::of(context, self.lines.clone(), self.waits.clone())
        }
    }

    /// The same run's, while nobody waits for it.
    pub(super) fn unheard(&self) -> Self {
        Self {
            client: None,
            token: None,
            sent: Arc::default(),
            ..self.clone()
        }
    }

    /// How far the run is, in a line.
    pub(super) fn message(&self) -> String {
        lock(&self.run).message(&self.waits)
    }

    /// Where progress of the run's calls is told; nowhere if the client did not ask for it.
    pub(super) fn told(&self) -> Option<Told> {
        let told = || Told(Arc::clone(&self.run));
        self.token.is_some().then(told)
    }

    pub(super) fn listener(&self) -> impl FnMut(&RunEvent) + Send + 'static {
        let run = Arc::clone(&self.run);
        move |happened| lock(&run).hear(&happened.event)
    }

    fn notification(&self, token: ProgressToken) -> ProgressNotificationParam {
        let run = lock(&self.run);
        let (progress, total) = self.sent.lock().next(run.fraction);
        let mut told =
            ProgressNotificationParam::new(token, progress).with_message(run.message(&self.waits));
        told.total = total;
        told
    }

    /// Waits for the run, and tells of it meanwhile.
    pub(super) async fn while_waiting<T>(&self, run: impl Future<Output = T>) -> T {
        let Some(client) = &self.client else {
            return run.await;
        };
        let logging = async {
            loop {
                self.lines.any().await;
                self.lines.send(client).await;
            }
        };
        let ended = tokio::select! {
            ended = run => ended,
            () = self.telling(client) => unreachable!("it tells until the run has ended"),
            () = logging => unreachable!("it listens until the run has ended"),
        };
        // What was logged before its end is heard before it.
        self.lines.send(client).await;
        ended
    }

    /// Tells of the run each second, if that is wanted.
    async fn telling(&self, client: &Peer<RoleServer>) {
        while let Some(token) = &self.token {
            tokio::time::sleep(INTERVAL).await;
            let progress = self.notification(token.clone());
            if client.notify_progress(progress).await.is_err() {
                break;
            }
        }
        std::future::pending().await
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
        assert_eq!(
            run.message(&Waits::default()),
            "running for 2 s; 0 of 0 calls done"
        );
        run.hear(&Event::compiling(Language::Python));
        tokio::time::advance(Duration::from_secs(5)).await;
        assert_eq!(
            run.message(&Waits::default()),
            "waiting for the Python guest to be compiled, which happens once; 7 s so far"
        );
        run.hear(&Event::compiled(Language::Python));
        tokio::time::advance(Duration::from_secs(1)).await;
        run.calls_started += 1;
        assert_eq!(
            run.message(&Waits::default()),
            "running for 1 s; 0 of 1 calls done"
        );
        run.hear(&Event::progress(Some(0.5), "half\u{1b}"));
        assert_eq!(
            run.message(&Waits::default()),
            "running for 1 s; 0 of 1 calls done; half\\u{1b}"
        );
    }

    #[test]
    fn what_is_sent_rises_whatever_a_script_says() {
        let mut sent = Sent::default();
        assert_eq!(sent.next(Some(0.0)), (0.0, Some(1.0)));
        assert_eq!(sent.next(Some(0.5)), (0.5, Some(1.0)));
        let mut last = 0.5;
        for fraction in [0.5, 0.1, 0.6, 1.0, 1.0] {
            let (next, of) = sent.next(Some(fraction));
            assert!(next > last && of >= Some(next), "{next} of {of:?}");
            last = next;
        }
        let mut sent = Sent::default();
        assert_eq!(
            (sent.next(None), sent.next(None)),
            ((1.0, None), (2.0, None))
        );
        assert_eq!(sent.next(Some(0.5)), (1002.0, Some(2002.0)));
    }
}
