//! The numbers of tools in a session. Those that the host gives are valid in one run, but what a
//! script made of a tool lasts: so in sessions the interpreter has numbers of its own, and the host
//! is asked for its number again when a tool is first used in a run. What the run was not granted is
//! then as unknown as to any other.
//!
//! Both guests have this file as a module, as they have `memory.rs`.
use std::cell::{Cell, RefCell};

thread_local! {
    /// Whether the run is one of a session.
    static LASTS: Cell<bool> = const { Cell::new(false) };
    static TOOLS: RefCell<Vec<Tool>> = const { RefCell::new(Vec::new()) };
}

/// A tool that a session has met. Its number is its place.
struct Tool {
    /// Its server's name and its own, once a run has ended in which it was resolved.
    name: Option<(String, String)>,
    /// The host's number in this run.
    now: Option<u32>,
}

/// From now on, numbers are the session's.
pub(crate) fn begin() {
    LASTS.set(true);
}

/// The number that the script gets for a tool that the host has given this one.
pub(crate) fn given(now: u32) -> u32 {
    if !LASTS.get() {
        return now;
    }
    TOOLS.with_borrow_mut(|tools| {
        tools.push(Tool {
            name: None,
            now: Some(now),
        });
        tools.len() as u32 - 1
    })
}

/// The host's number of a tool. `resolve` asks the host for it, by the names of the server and of
/// the tool.
///
/// # Errors
///
/// What the host says where it is not granted to this run.
pub(crate) fn now<Unknown>(
    number: u32,
    resolve: impl FnOnce(&str, &str) -> Result<u32, Unknown>,
) -> Result<u32, Unknown> {
    if !LASTS.get() {
        return Ok(number);
    }
    TOOLS.with_borrow_mut(|tools| {
        let Some(tool) = tools.get_mut(number as usize) else {
            // Made up: the host says so.
            return Ok(number);
        };
        if let (None, Some((server, name))) = (tool.now, &tool.name) {
            tool.now = Some(resolve(server, name)?);
        }
        Ok(tool.now.unwrap_or(number))
    })
}

/// The names of a tool of an earlier run.
pub(crate) fn name(number: u32) -> Option<(String, String)> {
    if !LASTS.get() {
        return None;
    }
    TOOLS.with_borrow(|tools| tools.get(number as usize)?.name.clone())
}

/// The run has ended: its host's numbers mean nothing any more. `name_of` asks the host for names.
pub(crate) fn end(name_of: impl Fn(u32) -> (String, String)) {
    TOOLS.with_borrow_mut(|tools| {
        for tool in tools {
            if let (None, Some(now)) = (&tool.name, tool.now) {
                tool.name = Some(name_of(now));
            }
            tool.now = None;
        }
    });
}
