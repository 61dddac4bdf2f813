//! Runs as tasks, for clients that support them (SEP-2663): a request that takes long is answered
//! by a task, which the client polls. A task is only a view of a run that its client need not wait
//! for.
//!
//! - `task`: how a run is shown; `handover`: a request is answered by a task
//! - `of_2025`: the same for clients of 2025-11-25; `wire_2025`: what those add to messages

pub(super) mod handover;
pub(crate) mod of_2025;
pub(super) mod task;
pub(crate) mod wire_2025;
