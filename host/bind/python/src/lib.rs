//! Ampoule for Python: what `pyampoule/__init__.py` is made on.
//!
//! Nothing here knows types of Python's: options, outcomes and events are JSON, which the Python
//! part reads. While Rust works or waits, Python is let go, so that its other threads run.
//!
//! - `runtime`: a runtime; `run`: an active run, and its events
//! - `tools`: Python's functions as tools: how a call gets to the one thread or loop that it is for
//! - `layers`: those that calls pass on their way; `pending_answer`: requests to an event loop
//! - `patterns`: which calls somebody is asked about
//! - `mailbox`: what threads of the runtime's tell an event loop
//! - `fault`: what is raised

mod fault;
mod layers;
mod mailbox;
mod patterns;
mod pending_answer;
mod run;
mod runtime;
mod tools;

/// The part of `pyampoule` that is written in Rust.
#[pyo3::pymodule(gil_used = false)]
mod _ampoule {
    #[pymodule_export]
    use super::layers::Passing;
    #[pymodule_export]
    use super::mailbox::Mailbox;
    #[pymodule_export]
    use super::patterns::Patterns;
    #[pymodule_export]
    use super::run::{Events, Run};
    #[pymodule_export]
    use super::runtime::Runtime;
    #[pymodule_export]
    use super::tools::{Call, Tools};

    /// The version of this build.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
