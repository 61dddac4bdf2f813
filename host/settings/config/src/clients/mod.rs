//! Other MCP clients' files: where they are and how they are written.
//!
//! - `client`: a client, its file and how that is written; `places`: where that is on each system;
//!   `table`: one row for each client
//! - `variables`, `entry`: a client's dialect, translated to that of `ampoule.toml`, which is then
//!   read as if it stood there
//! - `pasted`: a text as people paste it; `named`: a file, as people name it; `import_files`: the files that
//!   `import` names
//! - `import`: the servers of files taken over, two of one name told apart; `movable`: as entries of
//!   `ampoule.toml`; `ourselves`: which of them is Ampoule; `origin`: where a server is from

mod client;
mod entry;
mod import;
mod import_files;
mod movable;
mod named;
mod origin;
mod ourselves;
mod pasted;
mod places;
mod table;
#[cfg(test)]
mod tests;
#[cfg(test)]
#[path = "tests/files.rs"]
pub(super) mod tests_files;
mod variables;

pub use client::Client;
use client::{Dialect, Quirk};
pub(super) use import::{has_servers, import, import_text};
pub(super) use import_files::files;
pub(super) use movable::{Movable, movable};
pub use named::ClientFile;
pub(super) use named::path;
pub use origin::Origin;
