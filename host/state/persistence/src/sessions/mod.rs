//! Sessions on disk: what a run left, for the next one of the same name.
//!
//! A session is a folder with a file for each run that was kept, its heads; the newest is what the
//! next run begins with. A file appears whole or not at all, and is signed with the store's own
//! key. One of them, the list, says which heads there are: a head counts once it is on the list, so
//! a crash leaves the session before or the session after.
//!
//! - `store`: all sessions of a folder, with its key; `shelf`: those of one principal
//! - `session`: one of them, and its heads, while nobody else has it; `change`: what becomes of it
//! - `heads`: the list of a session's heads; what a process that was killed left of the next one
//! - `head`: one head as a file; `parts`: a large one, as files that heads share; `name`: what sessions may be called
//! - `limits`: how many there may be, how large; `settings`: `[sessions]`;
//!   `error`: why something can't be done

mod change;
mod error;
mod head;
mod heads;
mod limits;
mod name;
mod parts;
mod session;
mod settings;
mod shelf;
mod store;

pub use change::SessionChange;
pub use error::SessionError;
pub use head::{Head, SessionMetadata, SessionVariable};
pub use limits::SessionLimits;
pub use session::Session;
pub use settings::SessionSettings;
pub use shelf::{SessionEntry, Shelf};
pub use store::Store;

#[cfg(test)]
mod tests;
