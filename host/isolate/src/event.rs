//! What happens in a run, told as it happens.

use crate::script::Language;

use super::output::Line;
use super::usage::CallUsage;

/// Something that happened in a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The guest of the script's language is not compiled yet. The run waits for that, which takes seconds and happens once on a machine; its time
    /// does not count.
    Compiling(Language),
    /// The guest has been compiled, and the run begins.
    Compiled(Language),
    /// The script printed something.
    Output(&'a Line),
    /// It started a call.
    CallStarted {
        /// The binding's name.
        server: &'a str,
        /// The tool's name.
        tool: &'a str,
    },
    /// It took the end of a call.
    CallEnded(&'a CallUsage),
    /// It asked which tools there are, and waits: a server may have to start first.
    ToolsAwaited {
        /// The one server that it asked about, as it called it.
        server: Option<&'a str>,
    },
    /// It was told which tools there are, or that they can't be known.
    ToolsTold,
}

/// Is told what happens in a run.
pub type Listener = Box<dyn FnMut(Event<'_>) + Send>;
