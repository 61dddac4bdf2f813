//! What an operator sees: metrics, traces, one log.
//!
//! [`Telemetry`] is what a server says of its requests, runs and calls, and what becomes of it.
//!
//! - `metrics`: what is counted, as OpenMetrics; `named_counters`: by whom, as far as there is room;
//!   [`ProcessState`]: what is looked at rather than counted
//! - `run`, `request`, `calls`: what is reported of each; `span`: their spans
//! - `traces`: where spans go, by OTLP; `exporter`: how they get there
//! - [`log`]: events as JSON, and where in the process they happened
//!
//! Neither metrics nor spans hold what a tool is sent or gives, nor what a script prints or returns:
//! any of that may be a secret. What is not the operator's own naming has a bound: tools are in
//! spans alone, principals and clients that are too many are one.

mod calls;
mod exporter;
pub mod log;
mod metrics;
mod named_counters;
mod request;
mod run;
mod span;
mod traces;

use std::sync::Arc;

use parking_lot::RwLock;

use self::metrics::Metrics;

pub use self::calls::Calls;
pub use self::metrics::ProcessState;
pub use self::request::{HttpRequest, Request};
pub use self::run::{Run, RunEnd, RunOf};
pub use self::traces::{TraceSettings, Traces};

/// What a process tells its operator. Clones are the same one.
#[derive(Clone)]
pub struct Telemetry(Arc<Inner>);

struct Inner {
    metrics: Metrics,
    traces: Option<Traces>,
    standing: RwLock<Option<Box<dyn Fn() -> ProcessState + Send + Sync>>>,
}

impl Telemetry {
    /// The media type of [`metrics`](Self::metrics).
    pub const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// Metrics of a process that has these servers, and spans if they go somewhere. Calls of other
    /// servers are counted as one.
    pub fn new(servers: impl IntoIterator<Item = Arc<str>>, traces: Option<Traces>) -> Self {
        Self(Arc::new(Inner {
            metrics: Metrics::new(servers),
            traces,
            standing: RwLock::default(),
        }))
    }

    /// Looks at how things stand whenever metrics are read. Must not block.
    pub fn look_at(&self, standing: impl Fn() -> ProcessState + Send + Sync + 'static) {
        *self.0.standing.write() = Some(Box::new(standing));
    }

    /// The metrics, as OpenMetrics text.
    pub fn metrics(&self) -> String {
        let standing = self.0.standing.read();
        self.0.metrics.text(standing.as_ref().map(|look| look()))
    }

    /// What counts calls, and makes spans of them: the outermost layer of a runtime.
    pub fn layer(&self) -> Calls {
        Calls::new(self.clone())
    }

    /// Counts somebody who was told to come back later.
    pub fn busy(&self) {
        self.0.metrics.busy.inc();
    }

    /// Counts a run whose output was withheld from the model.
    pub fn withheld(&self) {
        self.0.metrics.withheld.inc();
    }

    /// Says about how many calls people have been asked since the process began.
    pub fn asked(&self, by_now: u64) {
        self.0.metrics.asked(by_now);
    }

    /// Sends what spans are left, for at most two seconds. None are made after that, and nothing is
    /// looked at.
    pub async fn close(&self) {
        // It may hold what holds this.
        *self.0.standing.write() = None;
        if let Some(traces) = &self.0.traces {
            traces.close().await;
        }
    }

    fn told(&self) -> &Metrics {
        &self.0.metrics
    }

    fn traces(&self) -> Option<&Traces> {
        self.0.traces.as_ref()
    }
}
