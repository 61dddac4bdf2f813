//! Ampoule for C: what is exported here is what `include/ampoule.h` declares, which is generated
//! from it; a test holds the two together.
//!
//! - `text`: strings that cross
//! - `runtime`, `run`, `tools`: [`ampoule_foreign`]'s, as pointers
//!
//! Nothing here unwinds into C: whatever goes wrong is a fault, or ends the process.

#![expect(unsafe_code, reason = "C has pointers")]

mod run;
mod runtime;
mod text;
mod tools;

pub use run::{
    ampoule_run, ampoule_run_cancel, ampoule_run_free, ampoule_run_id, ampoule_run_next_event,
    ampoule_run_outcome,
};
pub use runtime::{
    ampoule_runtime, ampoule_runtime_close, ampoule_runtime_declarations, ampoule_runtime_free,
    ampoule_runtime_new, ampoule_runtime_run, ampoule_runtime_start,
};
pub use text::ampoule_string_free;
pub use tools::{
    ampoule_call, ampoule_call_answer, ampoule_call_fail, ampoule_call_is_cancelled,
    ampoule_callback, ampoule_tools, ampoule_tools_free, ampoule_tools_new,
};
