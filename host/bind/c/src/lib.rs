//! Ampoule for C: the exports that `include/ampoule.h` declares. The header is generated from them;
//! a test compares the two.
//!
//! - `text`: strings that cross, faults among them
//! - `runtime`, `run`, `tools`: [`ampoule_foreign`]'s, as pointers
//!
//! Nothing here unwinds into C. What has a fault to set, makes one of a panic
//! ([`ampoule_foreign::caught`]); all else is `extern "C"`, out of which a panic ends the process
//! with a message instead of unwinding.

#![expect(unsafe_code, reason = "C has pointers")]

// The header has what is in them in this order.
mod runtime;

mod run;

mod tools;

mod text;

pub use run::{
    ampoule_run, ampoule_run_cancel, ampoule_run_free, ampoule_run_id, ampoule_run_next_event,
    ampoule_run_outcome,
};
pub use runtime::{
    ampoule_runtime, ampoule_runtime_close, ampoule_runtime_declarations, ampoule_runtime_free,
    ampoule_runtime_new, ampoule_runtime_run, ampoule_runtime_start,
};
pub use text::{ampoule_string_free, ampoule_version};
pub use tools::{
    ampoule_call, ampoule_call_answer, ampoule_call_fail, ampoule_call_is_cancelled,
    ampoule_callback, ampoule_release, ampoule_tools, ampoule_tools_free, ampoule_tools_new,
};
