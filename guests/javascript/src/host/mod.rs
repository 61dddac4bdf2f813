//! The one seam to the host: its imports in WebAssembly, and a stand-in on the machine that runs
//! the unit tests.
//!
//! Nothing else in the crate calls an import. None of these may be called before the snapshot is
//! taken.

#[cfg(not(target_family = "wasm"))]
pub mod native;
#[cfg(target_family = "wasm")]
mod wasm;

#[cfg(not(target_family = "wasm"))]
use native as backend;
#[cfg(target_family = "wasm")]
use wasm as backend;

pub use crate::bindings::ampoule::guest::calls::{CallId, Completion, Failure};
pub use crate::bindings::ampoule::guest::checks::{Mistake, MistakeKind, WrittenCall};
pub use crate::bindings::ampoule::guest::console::Level;
pub use crate::bindings::ampoule::guest::files;
pub use crate::bindings::ampoule::guest::tools::{
    Server, ToolId, ToolName, ToolSummary, UnknownName,
};
pub use crate::bindings::ampoule::guest::values::FailureKind;

/// What a kind is called where scripts see it: as WIT has it.
pub fn kind_name(kind: FailureKind) -> &'static str {
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

/// Nanoseconds since 1970-01-01 00:00 UTC.
pub fn now_ns() -> u64 {
    backend::now_ns()
}

/// Nanoseconds since the run began. Never goes back.
pub fn elapsed_ns() -> u64 {
    backend::elapsed_ns()
}

/// A seed for a generator, of this run alone.
pub fn seed() -> u64 {
    backend::seed()
}

/// The most bytes that [`random_bytes`] gives at once.
pub const MAX_RANDOM_BYTES: u32 = 65_536;

/// Bytes fit for keys. More than [`MAX_RANDOM_BYTES`] end the run.
pub fn random_bytes(count: u32) -> Vec<u8> {
    backend::random_bytes(count)
}

/// Adds a text to the run's output, and a line end after it.
pub fn write(level: Level, text: &str) {
    backend::write(level, text);
}

/// Tells whoever waits for the run how far it is: a fraction, and what it does.
pub fn progress(fraction: Option<f64>, text: &str) {
    backend::progress(fraction, text);
}

/// Gives the person a value, as JSON.
///
/// # Errors
///
/// There are too many already.
pub fn emit(value: &str) -> Result<(), String> {
    backend::emit(value)
}

/// Why the run has no files; none if it has some.
pub fn files_granted() -> Option<String> {
    backend::files_granted()
}

/// What is wrong with calls that are written in the program.
pub fn check(calls: &[WrittenCall]) -> Vec<Mistake> {
    backend::check(calls)
}

/// The run's tools.
pub mod tools {
    use super::{Server, ToolId, ToolName, ToolSummary, UnknownName, backend};
    use crate::lasting_tools;

    /// The servers with tools in the grant, in the order of the configuration.
    pub fn servers() -> Vec<Server> {
        backend::servers()
    }

    /// The configured name of the server that is meant.
    ///
    /// # Errors
    ///
    /// No server of the grant has that name, or one that differs only in case and punctuation.
    pub fn server_name(name: &str) -> Result<String, UnknownName> {
        backend::server_name(name)
    }

    /// The tool that is meant; without a server, by its full or its only name.
    ///
    /// # Errors
    ///
    /// There is no such tool in the grant.
    pub fn resolve(server: Option<&str>, name: &str) -> Result<ToolId, UnknownName> {
        backend::resolve(server, name).map(lasting_tools::given)
    }

    /// What makes HTTP requests, if any are granted.
    pub fn outbound() -> Option<ToolId> {
        let tool = resolve(Some("outbound"), "$fetch").ok()?;
        // A tool of somebody's own whose name is like it is another.
        (name_of(tool).tool == "$fetch").then_some(tool)
    }

    /// The tools of a server, in the server's order.
    ///
    /// # Errors
    ///
    /// There is no such server in the grant.
    pub fn tools_of(server: &str) -> Result<Vec<ToolSummary>, UnknownName> {
        backend::tools_of(server)
    }

    /// The tools that match a query best, best first.
    pub fn search(query: &str, limit: u32, server: Option<&str>) -> Vec<ToolSummary> {
        backend::search(query, limit, server)
    }

    /// What a tool is called.
    pub fn name_of(tool: ToolId) -> ToolName {
        match lasting_tools::name(tool) {
            Some((server, tool)) => ToolName { server, tool },
            // It was resolved in this run, or there would be a name.
            None => name_of_now(now(tool).unwrap_or(tool)),
        }
    }

    /// The same, of what the host calls by this number.
    pub(crate) fn name_of_now(tool: ToolId) -> ToolName {
        backend::name_of(tool)
    }

    /// The host's number of a tool.
    ///
    /// # Errors
    ///
    /// An earlier run of the session had it, and this one was not granted it.
    pub(crate) fn now(tool: ToolId) -> Result<ToolId, UnknownName> {
        lasting_tools::now(tool, |server, name| backend::resolve(Some(server), name))
    }

    /// The names of a tool's arguments, in the order of its schema, required ones first.
    pub fn parameters(tool: ToolId) -> Vec<String> {
        now(tool).map(backend::parameters).unwrap_or_default()
    }

    /// A tool's declaration in TypeScript, with its documentation.
    ///
    /// # Errors
    ///
    /// Its server can't say which tools it has, for this reason.
    pub fn describe(tool: ToolId) -> Result<String, String> {
        let tool = now(tool).map_err(|unknown| unknown.message)?;
        backend::describe(tool)
    }
}

/// Calls to tools.
pub mod calls {
    use super::{CallId, Completion, ToolId, UnknownName, backend};

    /// Starts a call and returns at once.
    ///
    /// # Errors
    ///
    /// An earlier run of the session had the tool, and this one was not granted it.
    pub fn start(tool: ToolId, arguments: &str) -> Result<CallId, UnknownName> {
        Ok(backend::start(super::tools::now(tool)?, arguments))
    }

    /// The same, for the whole answer.
    ///
    /// # Errors
    ///
    /// As those of [`start`].
    pub fn start_whole(tool: ToolId, arguments: &str) -> Result<CallId, UnknownName> {
        Ok(backend::start_whole(super::tools::now(tool)?, arguments))
    }

    /// Waits for a call's end, at most `timeout` nanoseconds, and takes all calls that have ended
    /// by then.
    pub fn wait(timeout: Option<u64>) -> Vec<Completion> {
        backend::wait(timeout)
    }

    /// Ends a call early; it will not be among the completions.
    pub fn cancel(call: CallId) {
        backend::cancel(call);
    }
}
