//! A run, as its operator sees it.

use std::time::Instant;

use ampoule_tools::{Principal, RunId, Trace};
use opentelemetry::trace::SpanKind;

use super::Telemetry;
use super::span::{Span, SpanPlace};

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunEnd {
    /// In a fixed word, such as `returned`.
    pub ending: &'static str,
    /// The fuel that it used.
    pub fuel: u64,
    /// How many calls it made.
    pub calls: usize,
}

impl RunEnd {
    /// One that never came to anything, for a reason in a fixed word, such as `busy`.
    pub fn with(ending: &'static str) -> Self {
        Self {
            ending,
            fuel: 0,
            calls: 0,
        }
    }
}

/// What is known of a run that begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOf<'a> {
    /// In what language: a fixed word.
    pub language: &'static str,
    /// On whose behalf.
    pub principal: Option<&'a Principal>,
    /// Through which client, by the name that the client gives itself.
    pub client: Option<&'a str>,
    /// Within which toolkit: a name of the configuration's.
    pub toolkit: Option<&'a str>,
    /// Where in a trace.
    pub within: Option<&'a Trace>,
}

/// A run that has begun. One that is dropped before it [ended](Self::ended) is counted as
/// `cancelled`.
#[must_use = "a run that is dropped is cancelled"]
pub struct Run {
    telemetry: Telemetry,
    language: &'static str,
    principal: Option<Principal>,
    client: Option<String>,
    toolkit: Option<String>,
    since: Instant,
    span: Span,
    is_over: bool,
}

impl Telemetry {
    /// A run begins.
    pub fn run(&self, of: RunOf<'_>) -> Run {
        let RunOf {
            language,
            principal,
            client,
            toolkit,
            within,
        } = of;
        let mut span = Span::begin(
            self.traces(),
            || format!("run {language}"),
            SpanPlace::new(SpanKind::Internal, within),
        );
        span.tell("ampoule.run.language", language);
        if let Some(principal) = principal {
            span.tell_text("ampoule.principal", principal.name());
        }
        if let Some(client) = client {
            span.tell_text("ampoule.client", client);
        }
        if let Some(toolkit) = toolkit {
            span.tell_text("ampoule.toolkit", toolkit);
        }
        self.told().running.inc();
        Run {
            telemetry: self.clone(),
            language,
            principal: principal.cloned(),
            client: client.map(str::to_owned),
            toolkit: toolkit.map(str::to_owned),
            since: Instant::now(),
            span,
            is_over: false,
        }
    }
}

impl Run {
    /// Where its calls belong in a trace: in its own span, if there is one, else where it does.
    pub fn trace(&self) -> Option<Trace> {
        self.span.trace()
    }

    /// Notes what the run is called.
    pub fn called(&mut self, id: RunId) {
        if self.span.is_recorded() {
            self.span.tell("ampoule.run.id", id.to_string());
        }
    }

    /// It is over.
    pub fn ended(mut self, ended: RunEnd) {
        self.end(ended);
    }

    fn end(
        &mut self,
        RunEnd {
            ending,
            fuel,
            calls,
        }: RunEnd,
    ) {
        self.is_over = true;
        let metrics = self.telemetry.told();
        metrics.running.dec();
        metrics.run_ended(self.language, ending, self.since.elapsed());
        let principal = self.principal.as_ref();
        let principal = principal.map(|principal| &**principal.name());
        metrics.used(fuel, principal, self.client.as_deref());
        if let Some(toolkit) = &self.toolkit {
            metrics.toolkits.count(toolkit, fuel);
        }
        self.span.tell("ampoule.run.ending", ending);
        self.span.tell("ampoule.run.fuel", count(fuel));
        self.span.tell("ampoule.run.calls", count(calls as u64));
        if ending != "returned" {
            self.span.fail(ending);
        }
        self.span.end();
    }
}

fn count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl Drop for Run {
    fn drop(&mut self) {
        if !self.is_over {
            self.end(RunEnd::with("cancelled"));
        }
    }
}
