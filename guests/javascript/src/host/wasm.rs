//! The imports of the world.

use crate::bindings::ampoule::guest::{calls, checks, clock, console, files, random, tools};

pub(super) use calls::{cancel, start, start_whole, wait};
pub(super) use checks::check;
pub(super) use clock::{elapsed as elapsed_ns, now as now_ns};
pub(super) use console::{emit, progress, write};
pub(super) use files::granted as files_granted;
pub(super) use random::{bytes as random_bytes, seed};
pub(super) use tools::{
    describe, name_of, parameters, resolve, search, server_name, servers, tools_of,
};
