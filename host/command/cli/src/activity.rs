//! What a run is doing, from its events, for the status line.

use std::sync::Arc;
use std::time::Instant;

use ampoule::Event;
use ampoule_projection::names;
use ampoule_tools::{GrantedTools, Server};
use ampoule_untrusted::text;
use parking_lot::Mutex;

use super::streams::{Obstacle, ReasonLookup, Waiting};

/// How long a name may be that is shown, in characters.
const MOST_NAME_CHARS: usize = 60;

pub(super) struct Activity {
    waiting: Arc<Waiting>,
    /// The servers of the run.
    servers: Arc<[Arc<Server>]>,
    /// The server whose start the run waits for, as far as its events say.
    starting: Arc<Mutex<Option<Starting>>>,
    /// The active calls, in the order of their starts.
    calls: Vec<Call>,
    started: usize,
    /// The run waits for a list of tools: of one server, or of all.
    asked: Option<AskedServers>,
    /// The progress that the run reports.
    told: String,
}

/// A server that is starting, and since when the run has waited for it.
struct Starting {
    server: Arc<str>,
    since: Instant,
}

/// Which servers a run has asked about.
enum AskedServers {
    All,
    /// The server of this name, without case and punctuation.
    One(String),
}

#[derive(PartialEq, Eq)]
struct Call {
    server: String,
    tool: String,
}

impl Activity {
    pub(super) fn new(waiting: Arc<Waiting>, tools: &GrantedTools) -> Self {
        let doing = Self {
            waiting,
            servers: tools.servers().cloned().collect(),
            starting: Arc::default(),
            calls: Vec::new(),
            started: 0,
            asked: None,
            told: String::new(),
        };
        doing.say();
        doing
    }

    pub(super) fn hear(&mut self, event: &Event) {
        match event {
            Event::Compiling { language, .. } => {
                return self.waiting.compiling(language.interpreter());
            }
            Event::CallStarted { server, tool, .. } => {
                self.started += 1;
                self.calls.push(Call::new(server, tool));
            }
            Event::CallEnded { usage, .. } => {
                let ended = Call::new(&usage.server, &usage.tool);
                if let Some(at) = self.calls.iter().position(|call| *call == ended) {
                    self.calls.remove(at);
                }
            }
            Event::ToolsAwaited { server, .. } => {
                let one = |name: &str| AskedServers::One(name.to_owned());
                self.asked = Some(server.as_deref().map_or(AskedServers::All, one));
            }
            Event::ToolsTold => self.asked = None,
            Event::Compiled { .. } => {}
            Event::Progress { fraction, text, .. } => self.told = told(*fraction, text),
            _ => return,
        }
        self.say();
    }

    fn say(&self) {
        let so_far = match self.started {
            0 => String::new(),
            1 => ", 1 call so far".to_owned(),
            calls => format!(", {calls} calls so far"),
        };
        let what = match &self.calls[..] {
            [] => format!("running{so_far}"),
            [call] => format!("waiting for {}", call.shown()),
            [first, others @ ..] => {
                let first = first.shown();
                format!("waiting for {first} and {} more calls", others.len())
            }
        };
        self.waiting
            .looking(format!("{what}{}", self.told), self.look());
    }

    /// Looks for a server that has to start before the run can continue: one whose tools the run
    /// listed, or that a call needs.
    fn look(&self) -> ReasonLookup {
        let is_named = |name: &str| self.servers.iter().any(|it| &**it.name() == name);
        let needed = |server: &&Arc<Server>| match &self.asked {
            Some(AskedServers::All) => true,
            Some(AskedServers::One(name)) if is_named(name) => *name == **server.name(),
            Some(AskedServers::One(name)) => {
                names::canonical(name) == names::canonical(server.name())
            }
            None => self
                .calls
                .iter()
                .any(|call| *call.server == **server.name()),
        };
        let needed: Vec<_> = self.servers.iter().filter(needed).cloned().collect();
        let seen = Arc::clone(&self.starting);
        Arc::new(move || {
            let mut seen = seen.lock();
            let is_starting = |server: &&Arc<Server>| server.binding().starting().is_some();
            let Some(server) = needed.iter().find(is_starting) else {
                *seen = None;
                return None;
            };
            let since = match &*seen {
                Some(seen) if seen.server == *server.name() => seen.since,
                _ => Instant::now(),
            };
            let name = shown(server.name());
            let server = Arc::clone(server.name());
            *seen = Some(Starting { server, since });
            Some(Obstacle {
                what: format!("waiting for server `{name}` to start"),
                since,
            })
        })
    }
}

impl Call {
    fn new(server: &str, tool: &str) -> Self {
        Self {
            server: server.to_owned(),
            tool: tool.to_owned(),
        }
    }

    fn shown(&self) -> String {
        shown(&format!("{}.{}", self.server, self.tool))
    }
}

/// The progress that a run reports, to follow what it is doing.
fn told(fraction: Option<f64>, text: &str) -> String {
    let percent = fraction.map(|fraction| format!("{:.0} %", fraction * 100.0));
    let text = Some(shown(text)).filter(|text| !text.is_empty());
    let parts = percent.into_iter().chain(text);
    parts.map(|part| format!("; {part}")).collect()
}

fn shown(name: &str) -> String {
    let name = text::one_line(name);
    name.chars().take(MOST_NAME_CHARS).collect()
}
