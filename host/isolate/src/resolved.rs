//! The tools that a guest has resolved, by the ids that it got for them.

use ampoule_tools::ResolvedTool;

/// How many ids a run may have: more than there are tools, since a name may be resolved again.
const MOST: usize = 100_000;

/// The tools that a guest has resolved. An id is a place in the list.
#[derive(Default)]
pub(crate) struct ResolvedTools {
    tools: Vec<ResolvedTool>,
}

impl ResolvedTools {
    /// Gives the tool an id.
    pub(crate) fn add(&mut self, tool: ResolvedTool) -> wasmtime::Result<u32> {
        if self.tools.len() >= MOST {
            return Err(wasmtime::Error::msg(format!(
                "more than {MOST} tools were resolved"
            )));
        }
        self.tools.push(tool);
        Ok((self.tools.len() - 1) as u32)
    }

    /// The tool of an id; a guest that makes up ids traps.
    pub(crate) fn get(&self, id: u32) -> wasmtime::Result<&ResolvedTool> {
        self.tools
            .get(id as usize)
            .ok_or_else(|| wasmtime::Error::msg(format!("there is no tool with the id {id}")))
    }
}
