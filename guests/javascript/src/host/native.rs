//! A host for unit tests: time that only waiting moves, numbers that are the same in each test,
//! output that is kept, and tools made of closures. Each thread has its own.

use std::cell::RefCell;

use super::{
    CallId, Completion, Failure, Level, Mistake, Server, ToolId, ToolName, ToolSummary,
    UnknownName, WrittenCall,
};

/// What a tool answers: the value as JSON, or a failure.
pub type Answer = Result<String, Failure>;

/// A tool of the stand-in.
pub struct Tool {
    /// Its name, as the server gave it.
    pub name: String,
    /// Its arguments' names, in the schema's order.
    pub parameters: Vec<String>,
    /// How long it takes.
    pub delay_ns: u64,
    /// What it does with the arguments, a JSON object.
    pub answer: Box<dyn Fn(&str) -> Answer>,
}

impl Tool {
    /// A tool that answers at once.
    pub fn new(name: &str, answer: impl Fn(&str) -> Answer + 'static) -> Self {
        Self {
            name: name.into(),
            parameters: Vec::new(),
            delay_ns: 0,
            answer: Box::new(answer),
        }
    }

    /// The same, after so many nanoseconds.
    #[must_use]
    pub fn after(mut self, delay_ns: u64) -> Self {
        self.delay_ns = delay_ns;
        self
    }

    /// The same, with named arguments.
    #[must_use]
    pub fn with_parameters(mut self, names: &[&str]) -> Self {
        self.parameters = names.iter().map(|&name| name.into()).collect();
        self
    }
}

struct Pending {
    call: CallId,
    due_ns: u64,
    outcome: Answer,
}

/// What the stand-in knows and saw.
#[derive(Default)]
pub struct Host {
    /// What was written.
    pub output: Vec<(Level, String)>,
    /// What was told of its progress.
    pub progress: Vec<(Option<f64>, String)>,
    /// What was given to the person.
    pub emitted: Vec<String>,
    /// The calls that were started: tool and arguments.
    pub started: Vec<(String, String)>,
    /// The calls that were cancelled.
    pub cancelled: Vec<CallId>,
    /// The calls that were judged before the program ran.
    pub checked: Vec<WrittenCall>,
    /// What is wrong with them.
    pub mistakes: Vec<Mistake>,
    /// Whether the run has files, though it finds none.
    pub files: bool,
    /// The servers and their tools.
    pub servers: Vec<(String, Vec<Tool>)>,
    elapsed_ns: u64,
    draws: u64,
    pending: Vec<Pending>,
}

/// How many values a test's run may emit.
const MOST_EMITTED: usize = 3;

/// When a test's run begins: 2026-01-02 03:04:05.678 UTC.
pub const EPOCH_NS: u64 = 1_767_323_045_678_000_000;

thread_local! {
    static HOST: RefCell<Host> = RefCell::default();
}

/// Looks at or changes this thread's host.
pub fn with<T>(action: impl FnOnce(&mut Host) -> T) -> T {
    HOST.with_borrow_mut(action)
}

pub(super) fn now_ns() -> u64 {
    EPOCH_NS + elapsed_ns()
}

pub(super) fn elapsed_ns() -> u64 {
    with(|host| host.elapsed_ns)
}

pub(super) fn seed() -> u64 {
    with(|host| {
        host.draws += 1;
        host.draws.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    })
}

pub(super) fn random_bytes(count: u32) -> Vec<u8> {
    (0..count).map(|_| (seed() >> 32) as u8).collect()
}

pub(super) fn write(level: Level, text: &str) {
    with(|host| host.output.push((level, text.into())));
}

pub(super) fn progress(fraction: Option<f64>, text: &str) {
    with(|host| host.progress.push((fraction, text.into())));
}

pub(super) fn emit(value: &str) -> Result<(), String> {
    with(|host| {
        if host.emitted.len() >= MOST_EMITTED {
            return Err("too many values".to_owned());
        }
        host.emitted.push(value.into());
        Ok(())
    })
}

pub(super) fn files_granted() -> Option<String> {
    (!with(|host| host.files)).then(|| "unit tests have no files".to_owned())
}

/// What a name is without case and punctuation.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn camel_case(name: &str) -> String {
    let mut words = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let mut identifier = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (head, tail) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        identifier.push_str(&head.to_uppercase());
        identifier.push_str(tail);
    }
    identifier
}

fn unknown<T>(message: String) -> Result<T, UnknownName> {
    Err(UnknownName {
        message,
        near: Vec::new(),
    })
}

/// The place of the name that is meant: the exact one before one that differs in case and
/// punctuation.
fn position<'a>(names: impl Iterator<Item = &'a str> + Clone, wanted: &str) -> Option<usize> {
    names.clone().position(|name| name == wanted).or_else(|| {
        names
            .clone()
            .position(|name| folded(name) == folded(wanted))
    })
}

impl Host {
    fn server(&self, name: &str) -> Result<usize, UnknownName> {
        position(self.servers.iter().map(|(name, _)| name.as_str()), name)
            .map_or_else(|| unknown(format!("no server \"{name}\"")), Ok)
    }

    fn tool(&self, server: usize, name: &str) -> Result<ToolId, UnknownName> {
        let (server_name, tools) = &self.servers[server];
        position(tools.iter().map(|tool| tool.name.as_str()), name)
            .map(|tool| (server * 1000 + tool) as ToolId)
            .map_or_else(
                || unknown(format!("no tool \"{name}\" in \"{server_name}\"")),
                Ok,
            )
    }

    fn by_id(&self, tool: ToolId) -> &Tool {
        &self.servers[tool as usize / 1000].1[tool as usize % 1000]
    }

    fn summary(server: &str, tool: &Tool) -> ToolSummary {
        ToolSummary {
            server: server.into(),
            name: tool.name.clone(),
            identifier: camel_case(&tool.name),
            description: format!("What {} does.", tool.name),
        }
    }
}

pub(super) fn servers() -> Vec<Server> {
    with(|host| {
        let server = |(name, tools): &(String, Vec<Tool>)| Server {
            name: name.clone(),
            description: None,
            tools: tools.len() as u32,
        };
        host.servers.iter().map(server).collect()
    })
}

pub(super) fn server_name(name: &str) -> Result<String, UnknownName> {
    with(|host| Ok(host.servers[host.server(name)?].0.clone()))
}

pub(super) fn resolve(server: Option<&str>, name: &str) -> Result<ToolId, UnknownName> {
    with(|host| {
        if let Some(server) = server {
            return host.tool(host.server(server)?, name);
        }
        let plain = name.strip_prefix("mcp__").unwrap_or(name);
        if let Some((server, tool)) = plain.split_once("__").or_else(|| plain.split_once('.')) {
            return host.tool(host.server(server)?, tool);
        }
        let found: Vec<_> = (0..host.servers.len())
            .filter_map(|at| host.tool(at, name).ok())
            .collect();
        match *found {
            [tool] => Ok(tool),
            _ => unknown(format!("no tool \"{name}\"")),
        }
    })
}

pub(super) fn tools_of(server: &str) -> Result<Vec<ToolSummary>, UnknownName> {
    with(|host| {
        let (name, tools) = &host.servers[host.server(server)?];
        Ok(tools.iter().map(|tool| Host::summary(name, tool)).collect())
    })
}

pub(super) fn search(query: &str, limit: u32, server: Option<&str>) -> Vec<ToolSummary> {
    with(|host| {
        let all = host
            .servers
            .iter()
            .filter(|(name, _)| server.is_none_or(|only| only == name));
        all.flat_map(|(name, tools)| tools.iter().map(move |tool| Host::summary(name, tool)))
            .filter(|tool| tool.name.contains(query))
            .take(limit as usize)
            .collect()
    })
}

pub(super) fn name_of(tool: ToolId) -> ToolName {
    with(|host| ToolName {
        server: host.servers[tool as usize / 1000].0.clone(),
        tool: host.by_id(tool).name.clone(),
    })
}

pub(super) fn parameters(tool: ToolId) -> Vec<String> {
    with(|host| host.by_id(tool).parameters.clone())
}

pub(super) fn describe(tool: ToolId) -> Result<String, String> {
    with(|host| {
        let tool = host.by_id(tool);
        let arguments = if tool.parameters.is_empty() {
            ""
        } else {
            "args: {}"
        };
        Ok(format!(
            "declare function {}({arguments}): unknown;",
            camel_case(&tool.name)
        ))
    })
}

pub(super) fn check(calls: &[WrittenCall]) -> Vec<Mistake> {
    with(|host| {
        host.checked.extend_from_slice(calls);
        host.mistakes.clone()
    })
}

pub(super) fn start(tool: ToolId, arguments: &str) -> CallId {
    with(|host| {
        let called = host.by_id(tool);
        let (outcome, due_ns) = (
            (called.answer)(arguments),
            host.elapsed_ns + called.delay_ns,
        );
        let name = called.name.clone();
        host.started.push((name, arguments.into()));
        let call = host.started.len() as CallId;
        host.pending.push(Pending {
            call,
            due_ns,
            outcome,
        });
        call
    })
}

/// Tools of tests give the whole answer for the value.
pub(super) fn start_whole(tool: ToolId, arguments: &str) -> CallId {
    let call = start(tool, arguments);
    with(|host| {
        if let Some(pending) = host.pending.last_mut() {
            let value = std::mem::replace(&mut pending.outcome, Ok(String::new()));
            pending.outcome =
                value.map(|value| format!("{{\"content\":[],\"structuredContent\":{value}}}"));
        }
    });
    call
}

pub(super) fn wait(timeout: Option<u64>) -> Vec<Completion> {
    with(|host| {
        let next = host.pending.iter().map(|pending| pending.due_ns).min();
        let end = timeout.map(|timeout| host.elapsed_ns.saturating_add(timeout));
        if let Some(until) = next.into_iter().chain(end).min() {
            host.elapsed_ns = host.elapsed_ns.max(until);
        }
        let now = host.elapsed_ns;
        let due = host.pending.extract_if(.., |pending| pending.due_ns <= now);
        due.map(|Pending { call, outcome, .. }| Completion { call, outcome })
            .collect()
    })
}

pub(super) fn cancel(call: CallId) {
    with(|host| {
        host.pending.retain(|pending| pending.call != call);
        host.cancelled.push(call);
    });
}
