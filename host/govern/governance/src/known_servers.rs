//! The tools of all servers, and the policies that were made of them. Both change at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ampoule_policy::{
    Act, Caller, Decision, Policies, PolicyError, Request, RunLabels, Server, Sources,
};
use ampoule_projection::names::{Names, Style, ToolPattern};
use ampoule_projection::{Hints, Tool};
use ampoule_quota::Classes;
use ampoule_tools::Binding;
use parking_lot::{Mutex, RwLock};
use rustc_hash::FxHashMap;

use crate::patterns::{ListedPattern, Lists, Patterns};
use crate::{unmatched_patterns, warnings};

/// For how many callers it is kept what holds for their output.
const CALLERS: usize = 256;

/// A server, and what is known of its tools.
#[derive(Debug, Clone)]
pub struct KnownServer {
    /// What it is configured as.
    pub name: Arc<str>,
    /// What it says it is: MCP's `serverInfo.name`, if that is known.
    pub says_it_is: Option<Arc<str>>,
    /// Its tools; `None` while they are not known.
    pub tools: Option<Arc<[Tool]>>,
    /// What it has besides, as tools whose names begin with `$`.
    pub offered: Arc<[Tool]>,
}

impl KnownServer {
    /// What a binding knows of itself without waiting.
    pub fn of(binding: &dyn Binding) -> Self {
        Self {
            name: binding.name().into(),
            says_it_is: binding.says_it_is().map(Arc::from),
            tools: binding.known_tools(),
            offered: binding.offered(),
        }
    }
}

/// What has to be known of a tool during a call.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) tool: Tool,
    pub(crate) classes: Classes,
    /// By the place of its pattern: whether the tool's data is looked at.
    is_looked_at: Box<[bool]>,
    /// By the place of its pattern: whether the tool gets real values.
    receives: Box<[bool]>,
    /// As [`Tool::wraps_result`] says; found out at the first call whose result is looked at.
    wraps_result: OnceLock<bool>,
}

impl Facts {
    /// As [`Tool::wraps_result`] says. The schema is parsed once.
    pub(crate) fn wraps_result(&self) -> bool {
        *self.wraps_result.get_or_init(|| self.tool.wraps_result())
    }
}

/// The tools, and the policies for them, at one time.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) policies: Arc<Policies>,
    servers: FxHashMap<Arc<str>, FxHashMap<String, Facts>>,
    patterns: Arc<Patterns>,
    /// What is likely not meant, a sentence each.
    warnings: Vec<String>,
    /// What holds for the output of runs that have read nothing with a label, by whose they are.
    unlabelled: Mutex<FxHashMap<Caller, Decision>>,
}

impl State {
    fn new(
        sources: Option<&Sources>,
        servers: &[KnownServer],
        patterns: &Arc<Patterns>,
    ) -> Result<Self, PolicyError> {
        let all: Vec<Option<Vec<Tool>>> = servers.iter().map(all_of).collect();
        let names = Names::new(servers.iter().map(|known| &*known.name), Style::Camel);
        let patterns = &Arc::new(patterns.among(&names));
        let policies = match sources {
            None => Policies::default(),
            Some(sources) => {
                let listed: Vec<Server<'_>> = servers
                    .iter()
                    .zip(&all)
                    .map(|(known, tools)| Server {
                        name: &known.name,
                        says_it_is: known.says_it_is.as_deref(),
                        tools: tools.as_deref(),
                    })
                    .collect();
                Policies::new(sources, &listed)?
            }
        };
        let indexed = servers.iter().zip(all).map(|(known, tools)| {
            let facts = facts(&known.name, tools.unwrap_or_default(), patterns);
            (Arc::clone(&known.name), facts)
        });
        let warnings = policies.warnings().iter();
        let warnings = warnings.map(|warning| format!("{warning:#}"));
        let warnings = warnings.chain(unmatched_patterns::told(&patterns.placed, servers));
        Ok(Self {
            warnings: warnings.collect(),
            policies: Arc::new(policies),
            servers: indexed.collect(),
            patterns: Arc::clone(patterns),
            unlabelled: Mutex::default(),
        })
    }

    /// What policies say of the output of a run that has read this. Most have read nothing that
    /// matters: for those it is found out once.
    pub(crate) fn to_model(&self, caller: &Caller, labels: &RunLabels) -> Decision {
        let request = Request {
            caller,
            act: Act::Model,
            labels,
        };
        if self.policies.are_none() || !labels.is_empty() {
            return self.policies.decide(&request);
        }
        if let Some(known) = self.unlabelled.lock().get(caller) {
            return known.clone();
        }
        let decision = self.policies.decide(&request);
        let mut unlabelled = self.unlabelled.lock();
        if unlabelled.len() >= CALLERS {
            unlabelled.clear();
        }
        unlabelled.insert(caller.clone(), decision.clone());
        decision
    }

    /// What is likely not meant, a sentence each.
    pub(crate) fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What is known of a tool.
    pub(crate) fn facts(&self, server: &str, tool: &str) -> Option<&Facts> {
        self.servers.get(server)?.get(tool)
    }

    /// The classes of a tool; of one that is not known, those of a tool that says nothing.
    pub(crate) fn classes(&self, server: &str, tool: &str) -> Classes {
        let facts = self.facts(server, tool);
        facts.map_or_else(|| classes(Hints::default()), |facts| facts.classes)
    }

    /// Whether a pattern has the tool's data looked at. One that may mean several means each.
    pub(crate) fn is_looked_at(&self, server: &str, tool: &str, pattern: &str) -> bool {
        let Some(listed) = ListedPattern::of(&self.patterns.from, pattern) else {
            return false;
        };
        match self.facts(server, tool) {
            Some(facts) => facts.is_looked_at[listed.place],
            None => (listed.patterns.iter()).any(|pattern| pattern.matches(server, tool)),
        }
    }

    /// Whether a pattern gives the tool real values. One that may mean several means none.
    pub(crate) fn receives(&self, server: &str, tool: &str, pattern: &str) -> bool {
        let Some(listed) = ListedPattern::of(&self.patterns.to, pattern) else {
            return false;
        };
        let offers =
            |pattern: &ToolPattern| is_the_server(pattern, server) && pattern.means_offered(tool);
        match self.facts(server, tool) {
            Some(facts) => facts.receives[listed.place],
            None => listed.patterns.iter().any(offers),
        }
    }
}

/// All that can be called of a server.
fn all_of(known: &KnownServer) -> Option<Vec<Tool>> {
    let tools = known.tools.as_ref()?;
    Some(tools.iter().chain(&*known.offered).cloned().collect())
}

/// Whether a pattern is of this server, and of none whose name is only alike: it was resolved, or
/// has a `*`.
fn is_the_server(pattern: &ToolPattern, server: &str) -> bool {
    pattern.is_of(server) && (!pattern.names_a_server() || pattern.server() == server)
}

pub(crate) fn facts(
    server: &str,
    tools: Vec<Tool>,
    patterns: &Patterns,
) -> FxHashMap<String, Facts> {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Camel);
    let is_looked_at = |pattern: &ToolPattern, place: usize| {
        pattern.is_of(server)
            && (pattern.means(&names, place) || pattern.matches(server, &names.names()[place]))
    };
    let receives = |pattern: &ToolPattern, place: usize| {
        let name = &names.names()[place];
        let means = match name.starts_with('$') {
            true => pattern.means_offered(name),
            false => pattern.means(&names, place),
        };
        means && is_the_server(pattern, server)
    };
    let fits = |lists: &Lists, place: usize, is_of: &dyn Fn(&ToolPattern, usize) -> bool| {
        let lists = lists.values();
        lists
            .map(|patterns| patterns.iter().any(|pattern| is_of(pattern, place)))
            .collect::<Box<[bool]>>()
    };
    let mut indexed = FxHashMap::default();
    for (place, tool) in tools.into_iter().enumerate() {
        let facts = Facts {
            classes: classes(tool.annotations),
            is_looked_at: fits(&patterns.from, place, &is_looked_at),
            receives: fits(&patterns.to, place, &receives),
            wraps_result: OnceLock::new(),
            tool,
        };
        // Of two with one name, the first is called.
        indexed.entry(facts.tool.name.clone()).or_insert(facts);
    }
    indexed
}

/// What a tool says of itself; what it does not say has the protocol's defaults.
fn classes(hints: Hints) -> Classes {
    let read_only = hints.read_only == Some(true);
    Classes {
        read_only,
        destructive: !read_only && hints.destructive != Some(false),
        open_world: hints.open_world != Some(false),
    }
}

/// The tools as they are now, and what they are made anew of.
#[derive(Debug)]
pub(crate) struct Tools {
    state: RwLock<Arc<State>>,
    /// Held while they are made anew: the last to arrive is the last to be made.
    made_of: Mutex<MadeOf>,
    patterns: Arc<Patterns>,
    version: AtomicU64,
    /// Whether there are sources of policies, even if nothing is in them yet.
    are_governed: AtomicBool,
}

#[derive(Debug)]
struct MadeOf {
    sources: Option<Sources>,
    servers: BTreeMap<Arc<str>, KnownServer>,
}

impl MadeOf {
    fn state(&self, patterns: &Arc<Patterns>) -> Result<State, PolicyError> {
        let servers: Vec<KnownServer> = self.servers.values().cloned().collect();
        State::new(self.sources.as_ref(), &servers, patterns)
    }
}

impl Tools {
    pub(crate) fn new(
        sources: Option<Sources>,
        servers: Vec<KnownServer>,
        patterns: Patterns,
    ) -> Result<Self, PolicyError> {
        let (servers, patterns) = (by_name(servers), Arc::new(patterns));
        let are_governed = AtomicBool::new(sources.is_some());
        let made_of = MadeOf { sources, servers };
        Ok(Self {
            are_governed,
            state: RwLock::new(Arc::new(made_of.state(&patterns)?)),
            made_of: Mutex::new(made_of),
            patterns,
            version: AtomicU64::new(1),
        })
    }

    pub(crate) fn state(&self) -> Arc<State> {
        Arc::clone(&self.state.read())
    }

    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(crate) fn has_policies(&self) -> bool {
        !self.state.read().policies.are_none()
    }

    pub(crate) fn are_governed(&self) -> bool {
        self.are_governed.load(Ordering::Acquire)
    }

    /// These are all servers now.
    pub(crate) fn renew(&self, servers: Vec<KnownServer>) -> Result<(), PolicyError> {
        let mut made_of = self.made_of.lock();
        let before = std::mem::replace(&mut made_of.servers, by_name(servers));
        let made = made_of.state(&self.patterns);
        self.put(made).inspect_err(|_| made_of.servers = before)
    }

    /// These are the policies now; the fingerprints of those before, and of these.
    pub(crate) fn reload(
        &self,
        sources: Sources,
        agree: impl FnOnce(&str, &str) -> bool,
    ) -> Result<bool, PolicyError> {
        let mut made_of = self.made_of.lock();
        let before = made_of.sources.replace(sources);
        let made = made_of.state(&self.patterns);
        let agreed = made.as_ref().is_ok_and(|made| {
            let old = self.state();
            agree(old.policies.fingerprint(), made.policies.fingerprint())
        });
        if !agreed {
            made_of.sources = before;
            return made.map(|_| false);
        }
        self.are_governed.store(true, Ordering::Release);
        self.put(made).map(|()| true)
    }

    /// What is new among its warnings is logged: lists of tools come to be known one by one.
    fn put(&self, made: Result<State, PolicyError>) -> Result<(), PolicyError> {
        let made = Arc::new(made?);
        let before = std::mem::replace(&mut *self.state.write(), Arc::clone(&made));
        let new = |warning: &&String| !before.warnings.contains(warning);
        warnings::log(made.warnings.iter().filter(new));
        self.version.fetch_add(1, Ordering::Release);
        Ok(())
    }
}

fn by_name(servers: Vec<KnownServer>) -> BTreeMap<Arc<str>, KnownServer> {
    let named = servers.into_iter();
    named.map(|one| (Arc::clone(&one.name), one)).collect()
}
