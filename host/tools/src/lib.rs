//! Bindings: the named capabilities that isolates may be given.
//!
//! A [`Binding`] offers tools and carries out calls. An upstream MCP server is one kind, Rust functions are another.
//!
//! - `functions`: a binding made of Rust functions
//! - `grant`: what one run may call
//! - `catalog`: every tool of every binding, by name; `search`: by what it does; `indexes`: made once for each grant
//! - `granted`: the catalog seen through a grant, where names are resolved; `resolved`: a tool that was found, and calls that leave; `unknown`: what is said of names that mean nothing there; `unlisted`: tools of servers that can't be asked
//! - `sent`: arguments as the tool gets them; `validate`: held against its schema; `outcome`: what a script gets of an answer

mod catalog;
mod error;
mod functions;
mod grant;
mod granted;
mod indexes;
mod outcome;
mod resolved;
pub mod search;
mod sent;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
mod unknown;
mod unlisted;
mod validate;

use std::sync::Arc;

use ampoule_effort::BrokenOff;
use ampoule_projection::Tool;
use futures::future::BoxFuture;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub use catalog::{Catalog, Server};
pub use error::Error;
pub use functions::Functions;
pub use grant::{BadPattern, Grant};
pub use granted::{GrantedTools, ImportedTools, Searched};
pub use outcome::{CallOutcome, Form};
pub use resolved::{ResolvedTool, ToolSummary};
pub use unknown::UnknownName;
pub use validate::ArgumentCheck;

/// A named capability that isolates may be given: some tools, and the means to call them.
///
/// Bindings outlive runs and are shared by them: many calls are under way at once.
pub trait Binding: Send + Sync + 'static {
    /// The name that scripts use, as the operator configured it. Constant.
    fn name(&self) -> &str;

    /// What the binding says of itself, in a line, if it is known without waiting.
    fn description(&self) -> Option<String> {
        None
    }

    /// The tools, in the binding's order.
    ///
    /// Asked for whenever a run needs them, so an answer that is known already must come at once. May wait for a server to start, for as long as that
    /// takes. Who can't wait so long drops the future, and asks again later: that must not end a start that is under way.
    ///
    /// # Errors
    ///
    /// A [`BindingError`] says why there are none; it is shown to the script that asked.
    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>>;

    /// The tools, as far as they are known without waiting. They may be those of an earlier time.
    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        None
    }

    /// What keeps the tools from being known, where that is about to pass: a sentence about a server that is just being started. Known without waiting.
    /// It is told to those who did not wait for [`tools`](Self::tools).
    fn starting(&self) -> Option<String> {
        None
    }

    /// What is wrong with the tools that are known, such as some that had to be left out, a sentence each. Known without waiting.
    fn problems(&self) -> Arc<[String]> {
        Arc::default()
    }

    /// Brings tools that are known already up to date, where they may be those of an earlier time. May wait for a server to start.
    ///
    /// # Errors
    ///
    /// A [`BindingError`] says why that can't be done; the tools stay as they are known.
    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Calls a tool. `arguments` were validated against the tool's input schema. Dropping the future cancels the call.
    ///
    /// # Errors
    ///
    /// [`CallError`] where there is no result. An answer with `is_error` is a result.
    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>>;

    /// Lets go of what the binding holds, such as a server's process, and waits until it is gone. Dropping the binding does so too,
    /// without waiting.
    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// What the run allows a call.
#[derive(Debug, Clone, Copy)]
pub struct CallContext {
    /// The size of the largest result that the run accepts, in bytes. A binding that reads from elsewhere need not read more.
    pub result_bytes: u64,
}

/// A tool's answer: MCP's `CallToolResult`, as it came.
#[derive(Debug, Clone, Default)]
pub struct ToolResult {
    /// The content blocks, of whatever types.
    pub content: Vec<Value>,
    /// The structured result, any JSON value.
    pub structured_content: Option<Box<RawValue>>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The call failed for a reason that the script may see, and act on.
    #[error("{0}")]
    Failed(String),
    /// The answer was larger than [`CallContext::result_bytes`].
    #[error("the result has {bytes} bytes")]
    ResultTooLarge {
        /// The answer's size, or how much of it had come when it was given up.
        bytes: u64,
    },
}

/// Why a binding has no tools to offer.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct BindingError {
    /// What the script that asked is told.
    pub message: String,
}

impl From<BrokenOff> for BindingError {
    fn from(broken_off: BrokenOff) -> Self {
        Self {
            message: broken_off.to_string(),
        }
    }
}
