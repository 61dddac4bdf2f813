//! The host. Before the run there is none: time stands still, nothing is random, and the one tool
//! gives back its arguments, so that the Python half can be tried before the snapshot.

use std::cell::Cell;

use crate::bindings::ampoule::guest::{calls, checks, clock, console, random, tools, values};

pub(crate) mod files;

use crate::lasting_tools;
use calls::Completion;
use checks::{Mistake, WrittenCall};
use tools::{Server, ToolName, ToolSummary, UnknownName};
use values::FailureKind;

pub(crate) use console::Level;

/// The name of the tool, and of its server, before the run.
const ECHO: &str = "echo";

thread_local! {
    static STARTED: Cell<bool> = const { Cell::new(false) };
    /// How many calls there were before the run.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// What a kind is called where scripts see it: as WIT has it.
pub(crate) fn kind_name(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Failed => "failed",
        FailureKind::Arguments => "arguments",
        FailureKind::Denied => "denied",
        FailureKind::NeedsSignIn => "needs-sign-in",
        FailureKind::NotReached => "not-reached",
        FailureKind::Refused => "refused",
        FailureKind::Protocol => "protocol",
        FailureKind::TimedOut => "timed-out",
        FailureKind::Cancelled => "cancelled",
        FailureKind::Lost => "lost",
    }
}

/// Begins the run.
pub(crate) fn start() {
    STARTED.set(true);
}

pub(crate) fn started() -> bool {
    STARTED.get()
}

/// Adds a line to the output. Before the run, only errors are told; the builder shows them.
pub(crate) fn write(level: Level, text: &str) {
    if started() || level == Level::Error {
        console::write(level, text);
    }
}

/// Tells whoever waits for the run how far it is.
pub(crate) fn progress(fraction: Option<f64>, text: &str) {
    if started() {
        console::progress(fraction, text);
    }
}

/// Gives the person a value, as JSON. An error where there are too many already.
pub(crate) fn emit(value: &str) -> Result<(), String> {
    if started() {
        console::emit(value)
    } else {
        Ok(())
    }
}

pub(crate) fn now() -> u64 {
    if started() { clock::now() } else { 0 }
}

pub(crate) fn elapsed() -> u64 {
    if started() { clock::elapsed() } else { 0 }
}

pub(crate) fn seed() -> u64 {
    if started() { random::seed() } else { 0 }
}

pub(crate) fn bytes(count: u32) -> Vec<u8> {
    if started() {
        random::bytes(count)
    } else {
        vec![0; count as usize]
    }
}

pub(crate) fn servers() -> Vec<Server> {
    if started() {
        tools::servers()
    } else {
        Vec::new()
    }
}

pub(crate) fn server_name(name: &str) -> Result<String, UnknownName> {
    if started() {
        tools::server_name(name)
    } else if name == ECHO {
        Ok(ECHO.into())
    } else {
        Err(UnknownName {
            message: String::new(),
            near: Vec::new(),
        })
    }
}

pub(crate) fn resolve(server: Option<&str>, name: &str) -> Result<u32, UnknownName> {
    if started() {
        tools::resolve(server, name).map(lasting_tools::given)
    } else {
        Ok(0)
    }
}

pub(crate) fn tools_of(server: &str) -> Result<Vec<ToolSummary>, UnknownName> {
    if started() {
        tools::tools_of(server)
    } else {
        Ok(Vec::new())
    }
}

pub(crate) fn search(query: &str, limit: u32, server: Option<&str>) -> Vec<ToolSummary> {
    if started() {
        tools::search(query, limit, server)
    } else {
        Vec::new()
    }
}

/// The host's number of a tool; an error where an earlier run of the session had it, and this one was
/// not granted it.
fn number_now(tool: u32) -> Result<u32, UnknownName> {
    lasting_tools::now(tool, |server, name| tools::resolve(Some(server), name))
}

/// The run has ended.
pub(crate) fn end() {
    lasting_tools::end(|tool| {
        let name = tools::name_of(tool);
        (name.server, name.tool)
    });
}

pub(crate) fn name_of(tool: u32) -> ToolName {
    if let Some((server, tool)) = lasting_tools::name(tool) {
        ToolName { server, tool }
    } else if started() {
        // It was resolved in this run, or there would be a name.
        tools::name_of(number_now(tool).unwrap_or(tool))
    } else {
        ToolName {
            server: ECHO.into(),
            tool: ECHO.into(),
        }
    }
}

pub(crate) fn parameters(tool: u32) -> Vec<String> {
    if started() {
        number_now(tool).map(tools::parameters).unwrap_or_default()
    } else {
        Vec::new()
    }
}

pub(crate) fn describe(tool: u32) -> Result<String, String> {
    if started() {
        let tool = number_now(tool).map_err(|unknown| unknown.message)?;
        tools::describe(tool)
    } else {
        Ok(String::new())
    }
}

/// Starts a call, perhaps for the whole answer; gives its number, and its end where that is known at once. An error where the run
/// was not granted the tool, which an earlier one of the session had.
pub(crate) fn call(
    tool: u32,
    arguments: &str,
    whole: bool,
) -> Result<(u32, Option<Completion>), UnknownName> {
    if started() {
        let start = if whole {
            calls::start_whole
        } else {
            calls::start
        };
        Ok((start(number_now(tool)?, arguments), None))
    } else {
        let call = CALLS.get();
        CALLS.set(call + 1);
        let outcome = Ok(arguments.into());
        Ok((call, Some(Completion { call, outcome })))
    }
}

/// What is wrong with calls that are written in the script.
pub(crate) fn check(calls: &[WrittenCall]) -> Vec<Mistake> {
    if started() {
        checks::check(calls)
    } else {
        Vec::new()
    }
}

pub(crate) fn wait(timeout: Option<u64>) -> Vec<Completion> {
    if started() {
        calls::wait(timeout)
    } else {
        Vec::new()
    }
}

pub(crate) fn cancel(call: u32) {
    if started() {
        calls::cancel(call);
    }
}
