//! The host's files. Before the run there are none, but for the folder that scripts begin in.

use crate::bindings::ampoule::guest::files;
pub(crate) use crate::bindings::ampoule::guest::files::{
    Code, Entry, How, Kind, Listing, Problem, Status, close, make_folder, read, remove,
    remove_folder, rename, resize, stat_of, touch, write,
};

use super::started;

/// Why the run has no files; none if it has some.
pub(crate) fn granted() -> Option<String> {
    if started() {
        files::granted()
    } else {
        Some(String::new())
    }
}

pub(crate) fn open(path: &str, how: How) -> Result<u32, Problem> {
    if started() {
        files::open(path, how)
    } else {
        Err(none())
    }
}

pub(crate) fn list(path: &str, after: &str) -> Result<Listing, Problem> {
    if started() {
        files::list(path, after)
    } else {
        Err(none())
    }
}

pub(crate) fn stat(path: &str) -> Result<Status, Problem> {
    if started() {
        return files::stat(path);
    }
    match path {
        "/" | "/workspace" => Ok(Status {
            kind: Kind::Folder,
            size: 0,
            modified: 0,
            id: 0,
            writable: true,
        }),
        _ => Err(none()),
    }
}

fn none() -> Problem {
    Problem {
        code: Code::NoEntry,
        advice: String::new(),
    }
}
