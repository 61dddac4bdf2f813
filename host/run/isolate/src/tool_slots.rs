//! The tools that a guest has resolved, by the ids that it got for them.

use ampoule_tools::{GrantedTools, ResolvedTool};

/// How many ids a run may have: more than there are tools, since a name may be resolved again.
const MOST: usize = 100_000;

/// The tools that a guest has resolved. An id is a place in the list.
#[derive(Default)]
pub(crate) struct ResolvedTools {
    tools: Vec<ToolSlot>,
}

/// A tool that a guest has resolved.
enum ToolSlot {
    Tool(ResolvedTool),
    /// It was resolved in another process.
    Elsewhere(QualifiedName),
    /// It was resolved in another process, and is not there in this one.
    Gone(QualifiedName, GoneToolError),
}

/// A tool by the names of its server and its own.
type QualifiedName = (String, String);

/// Why a tool is not there any more, for the script.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct GoneToolError(String);

impl ResolvedTools {
    /// Those that were resolved in another process.
    pub(crate) fn elsewhere(names: Vec<QualifiedName>) -> Self {
        let tools = names.into_iter().map(ToolSlot::Elsewhere).collect();
        Self { tools }
    }

    /// Gives the tool an id.
    pub(crate) fn add(&mut self, tool: ResolvedTool) -> wasmtime::Result<u32> {
        if self.tools.len() >= MOST {
            return Err(wasmtime::Error::msg(format!(
                "more than {MOST} tools were resolved"
            )));
        }
        self.tools.push(ToolSlot::Tool(tool));
        Ok((self.tools.len() - 1) as u32)
    }

    /// The tool of an id; a guest that makes up ids traps.
    ///
    /// # Errors
    ///
    /// [`GoneToolError`], too.
    pub(crate) fn get(&self, id: u32) -> wasmtime::Result<&ResolvedTool> {
        match self.tools.get(id as usize) {
            Some(ToolSlot::Tool(tool)) => Ok(tool),
            Some(ToolSlot::Gone(_, gone)) => Err(gone.clone().into()),
            Some(ToolSlot::Elsewhere(_)) | None => {
                Err(wasmtime::Error::msg(format!("unknown tool id {id}")))
            }
        }
    }

    /// What the tool of an id is called, where it is gone.
    pub(crate) fn gone(&self, id: u32) -> Option<(&QualifiedName, &GoneToolError)> {
        match self.tools.get(id as usize) {
            Some(ToolSlot::Gone(named, gone)) => Some((named, gone)),
            _ => None,
        }
    }

    /// One that is there, by the names of its server and its own.
    pub(crate) fn named(&self, server: &str, name: &str) -> Option<&ResolvedTool> {
        let is_it = |tool: &&ResolvedTool| **tool.server() == *server && **tool.name() == *name;
        let tools = self.tools.iter().filter_map(|resolved| match resolved {
            ToolSlot::Tool(tool) => Some(tool),
            ToolSlot::Elsewhere(_) | ToolSlot::Gone(..) => None,
        });
        tools.into_iter().find(is_it)
    }

    /// The servers and names of all of them.
    pub(crate) fn names(&self) -> Vec<QualifiedName> {
        let name = |resolved: &ToolSlot| match resolved {
            ToolSlot::Tool(tool) => (tool.server().to_string(), tool.name().to_string()),
            ToolSlot::Elsewhere(named) | ToolSlot::Gone(named, _) => named.clone(),
        };
        self.tools.iter().map(name).collect()
    }

    /// Finds in this process what was resolved in another one.
    pub(crate) async fn resolve(&mut self, granted: &GrantedTools) {
        for resolved in &mut self.tools {
            let ToolSlot::Elsewhere(named) = resolved else {
                continue;
            };
            let (server, tool) = &named;
            *resolved = match granted.resolve_on(server, tool).await {
                // One that is named almost like it is another.
                Ok(found) if **found.name() == **tool => ToolSlot::Tool(found),
                found => {
                    let why = found
                        .err()
                        .map_or_else(String::new, |unknown| format!(": {}", unknown.message));
                    let gone = format!("the tool `{server}.{tool}` no longer exists{why}");
                    ToolSlot::Gone(named.clone(), GoneToolError(gone))
                }
            };
        }
    }
}
