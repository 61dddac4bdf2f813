//! What is counted, as OpenMetrics.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::CallState;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry, Unit};

use super::named_counters::NamedCounters;

/// Where a duration falls, in seconds: runs and calls take from less than a millisecond to minutes.
const BUCKETS: [f64; 15] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0,
];

/// What stands for the servers that nobody configured.
const OTHER: &str = "other";

/// How things stand in a process: what is looked at rather than counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessState {
    /// How many isolates are in use.
    pub isolates: u64,
    /// How many runs wait for one.
    pub waiting: u64,
    /// How many runs wait for long, without an isolate.
    pub parked: u64,
    /// How many wait for long, and keep theirs.
    pub kept_alive: u64,
    /// The servers behind it by name, each with its state's name: a fixed word.
    pub upstreams: Vec<(Arc<str>, &'static str)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    language: &'static str,
    ending: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LanguageLabels {
    language: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ServerLabels {
    server: Arc<str>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    server: Arc<str>,
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabels {
    status: u16,
}

type Durations<L> = Family<L, Histogram, fn() -> Histogram>;

/// Everything that is counted.
pub(crate) struct Metrics {
    registry: Registry,
    runs: Family<RunLabels, Counter>,
    run_seconds: Durations<LanguageLabels>,
    fuel: Counter,
    /// How many runs are under way.
    pub(crate) running: Gauge,
    pub(crate) busy: Counter,
    /// Calls that policies, quotas or people did not allow.
    pub(crate) denied: Counter,
    asked: Counter,
    /// Runs whose output the model was not given.
    pub(crate) withheld: Counter,
    servers: HashMap<Arc<str>, ServerCalls>,
    others: ServerCalls,
    principals: NamedCounters,
    clients: NamedCounters,
    pub(crate) toolkits: NamedCounters,
    requests: Family<StatusLabels, Counter>,
    request_seconds: Histogram,
    isolates: Gauge,
    waiting: Gauge,
    parked: Gauge,
    kept_alive: Gauge,
    upstreams: Family<CallLabels, Gauge>,
}

/// What is counted of a server's calls: looked up once, so that a call only adds.
pub(crate) struct ServerCalls {
    not_sent: Counter,
    answered: Counter,
    unknown: Counter,
    failures: Counter,
    seconds: Histogram,
}

impl ServerCalls {
    pub(crate) fn ended(&self, state: CallState, failed: bool, took: Duration) {
        match state {
            CallState::NotSent => self.not_sent.inc(),
            CallState::Answered => self.answered.inc(),
            _ => self.unknown.inc(),
        };
        if failed {
            self.failures.inc();
        }
        self.seconds.observe(took.as_secs_f64());
    }
}

/// Metrics of which each server has its own.
struct ServerMetrics {
    calls: Family<CallLabels, Counter>,
    failures: Family<ServerLabels, Counter>,
    seconds: Durations<ServerLabels>,
}

impl ServerMetrics {
    fn of(&self, server: &Arc<str>) -> ServerCalls {
        let server = Arc::clone(server);
        let in_state = |state| {
            let server = Arc::clone(&server);
            self.calls
                .get_or_create_owned(&CallLabels { server, state })
        };
        let (not_sent, answered) = (in_state("not-sent"), in_state("answered"));
        let unknown = in_state("unknown");
        let of = ServerLabels { server };
        ServerCalls {
            not_sent,
            answered,
            unknown,
            failures: self.failures.get_or_create_owned(&of),
            seconds: self.seconds.get_or_create_owned(&of),
        }
    }
}

/// Registers metrics.
struct Registrar(Registry);

impl Registrar {
    fn counted<M: Metric + Clone + Default>(&mut self, name: &str, about: &str) -> M {
        let metric = M::default();
        self.0.register(name, about, metric.clone());
        metric
    }

    fn timed<M: Metric + Clone>(&mut self, name: &str, about: &str, metric: M) -> M {
        self.0
            .register_with_unit(name, about, Unit::Seconds, metric.clone());
        metric
    }
}

fn durations() -> Histogram {
    Histogram::new(BUCKETS)
}

impl Metrics {
    pub(crate) fn new(servers: impl IntoIterator<Item = Arc<str>>) -> Self {
        let mut all = Registrar(Registry::with_prefix("ampoule"));
        let of_servers = ServerMetrics {
            calls: all.counted("calls", "Calls of tools, by server and state"),
            failures: all.counted("call_failures", "Calls of tools that failed"),
            seconds: all.timed(
                "call_duration",
                "How long calls took, waiting for their server included",
                Family::new_with_constructor(durations),
            ),
        };
        let servers = servers.into_iter();
        let servers = servers.map(|server| (Arc::clone(&server), of_servers.of(&server)));
        Self {
            servers: servers.collect(),
            others: of_servers.of(&OTHER.into()),
            runs: all.counted("runs", "Runs that ended"),
            run_seconds: all.timed(
                "run_duration",
                "How long runs took, waiting for an isolate included",
                Family::new_with_constructor(durations),
            ),
            fuel: all.counted("fuel", "Fuel that runs used"),
            running: all.counted("runs_under_way", "Runs that have begun and not ended"),
            busy: all.counted(
                "busy_refusals",
                "Runs and requests that were refused and asked to come back later",
            ),
            denied: all.counted(
                "calls_denied",
                "Calls that policies, quotas or people did not allow",
            ),
            asked: all.counted("calls_asked", "Calls that people were asked about"),
            withheld: all.counted(
                "outputs_withheld",
                "Runs whose output was withheld from the model",
            ),
            principals: NamedCounters::new(
                "principal",
                all.counted("principal_runs", "Runs that ended, by whose they were"),
                all.counted("principal_fuel", "Fuel that runs used, by whose they were"),
            ),
            clients: NamedCounters::new(
                "client",
                all.counted(
                    "client_runs",
                    "Runs that ended, by what their clients call themselves",
                ),
                all.counted(
                    "client_fuel",
                    "Fuel that runs used, by what their clients call themselves",
                ),
            ),
            toolkits: NamedCounters::new(
                "toolkit",
                all.counted("toolkit_runs", "Runs that ended, by their toolkit"),
                all.counted("toolkit_fuel", "Fuel that runs used, by their toolkit"),
            ),
            requests: all.counted("http_requests", "HTTP requests that were answered"),
            request_seconds: all.timed(
                "http_request_duration",
                "How long HTTP requests took until their answer began",
                durations(),
            ),
            isolates: all.counted("isolates_in_use", "Isolates that are in use"),
            waiting: all.counted("runs_waiting", "Runs that wait for an isolate"),
            parked: all.counted("runs_parked", "Runs that wait for long, without an isolate"),
            kept_alive: all.counted(
                "runs_kept_alive",
                "Runs that wait for long in the middle of something, and keep their isolate",
            ),
            upstreams: all.counted("upstream_state", "1 for the state that a server is in"),
            registry: all.0,
        }
    }

    /// What is counted of this server's calls.
    pub(crate) fn calls_of(&self, server: &str) -> &ServerCalls {
        self.servers.get(server).unwrap_or(&self.others)
    }

    pub(crate) fn run_ended(&self, language: &'static str, ending: &'static str, took: Duration) {
        self.runs
            .get_or_create(&RunLabels { language, ending })
            .inc();
        let took_so_long = self.run_seconds.get_or_create(&LanguageLabels { language });
        took_so_long.observe(took.as_secs_f64());
    }

    /// Counts what a run used; also for its principal and its client, where they are known.
    pub(crate) fn used(&self, fuel: u64, principal: Option<&str>, client: Option<&str>) {
        self.fuel.inc_by(fuel);
        if let Some(principal) = principal {
            self.principals.count(principal, fuel);
        }
        if let Some(client) = client {
            self.clients.count(client, fuel);
        }
    }

    pub(crate) fn answered(&self, status: u16, took: Duration) {
        self.requests.get_or_create(&StatusLabels { status }).inc();
        self.request_seconds.observe(took.as_secs_f64());
    }

    /// About how many calls people were asked by now.
    pub(crate) fn asked(&self, by_now: u64) {
        self.asked.inc_by(by_now.saturating_sub(self.asked.get()));
    }

    /// All of it as text.
    pub(crate) fn text(&self, standing: Option<ProcessState>) -> String {
        if let Some(standing) = standing {
            self.stand(&standing);
        }
        let mut encoded = String::new();
        // Writing to a string can't fail, and every label is text.
        if let Err(error) = text::encode(&mut encoded, &self.registry) {
            tracing::error!(%error, "metrics can't be written");
        }
        encoded
    }

    fn stand(&self, standing: &ProcessState) {
        let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.isolates.set(count(standing.isolates));
        self.waiting.set(count(standing.waiting));
        self.parked.set(count(standing.parked));
        self.kept_alive.set(count(standing.kept_alive));
        // A state that is left is no longer there.
        self.upstreams.clear();
        for (server, state) in &standing.upstreams {
            let (server, state) = (Arc::clone(server), *state);
            self.upstreams
                .get_or_create(&CallLabels { server, state })
                .set(1);
        }
    }
}
