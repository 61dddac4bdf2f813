//! Tools that clients see as tools of their own, named `server__tool`. A call of one is a run of one
//! call, governed like any other.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use ampoule_tools::{GrantedTools, ResolvedTool};
use futures::future::join_all;
use rmcp::model::{Tool, ToolAnnotations};
use tokio::time::timeout;

use super::schema::flat;
use super::{Exposure, Standing};

/// How many characters a client takes in a tool's name.
const NAME: usize = 64;
/// How long a list of tools waits for a server that has tools in it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The direct tools of a client.
#[derive(Default)]
pub(in crate::mcp) struct DirectTools {
    tools: BTreeMap<String, Named>,
    /// A server did not say in time which tools it has.
    pub(in crate::mcp) is_incomplete: bool,
}

/// What a name means.
enum Named {
    Tool(Box<ResolvedTool>),
    /// Tools that would have the same name, so none has it.
    Clash(Vec<String>),
}

impl DirectTools {
    /// Those of the granted tools that are direct. Waits for their servers, but not for long.
    pub(in crate::mcp) async fn of(exposure: &Exposure, granted: &GrantedTools) -> Self {
        Self::within(exposure, granted, PATIENCE).await
    }

    /// The same, waiting as long as a server takes.
    pub(in crate::mcp) async fn waited_for(exposure: &Exposure, granted: &GrantedTools) -> Self {
        Self::within(exposure, &granted.clone().waiting(), Duration::MAX).await
    }

    async fn within(exposure: &Exposure, granted: &GrantedTools, patience: Duration) -> Self {
        let mut direct = Self::default();
        let servers = granted.servers().filter(|server| {
            let mut patterns = exposure.direct.iter();
            patterns.any(|pattern| pattern.is_of(server.name()))
        });
        let listed = servers.map(|server| timeout(patience, granted.tools_of(server)));
        for listed in join_all(listed).await {
            let Ok(Ok(tools)) = listed else {
                direct.is_incomplete = true;
                continue;
            };
            let tools = tools.into_iter();
            for tool in tools.filter(|tool| exposure.standing(tool) == Standing::Direct) {
                direct.add(tool);
            }
        }
        direct
    }

    fn add(&mut self, tool: ResolvedTool) {
        let shown = format!("{}.{}", tool.server(), tool.name());
        let name = name_of(&tool);
        if name.len() > NAME {
            tracing::warn!(
                "`{shown}` is no tool of its own: clients take {NAME} characters in a name, and `{name}` has {}",
                name.len()
            );
            return;
        }
        let named = match self.tools.remove(&name) {
            None => Named::Tool(Box::new(tool)),
            Some(Named::Tool(first)) => {
                let first = format!("{}.{}", first.server(), first.name());
                tracing::warn!(
                    "neither `{first}` nor `{shown}` is a tool of its own: both would be `{name}`"
                );
                Named::Clash(vec![first, shown])
            }
            Some(Named::Clash(mut all)) => {
                all.push(shown);
                Named::Clash(all)
            }
        };
        self.tools.insert(name, named);
    }

    /// The tool of that name.
    ///
    /// # Errors
    ///
    /// Which tools would have the name.
    pub(in crate::mcp) fn find(&self, name: &str) -> Option<Result<&ResolvedTool, String>> {
        Some(match self.tools.get(name)? {
            Named::Tool(tool) => Ok(tool),
            Named::Clash(all) => Err(format!(
                "`{name}` may be any of {}; call the one that is meant in a script",
                all.join(", ")
            )),
        })
    }

    /// As clients see them, by name.
    pub(in crate::mcp) fn list(&self) -> Vec<Tool> {
        let tools = self.tools.iter().filter_map(|(name, named)| match named {
            Named::Tool(tool) => Some(as_listed(name, tool)),
            Named::Clash(_) => None,
        });
        tools.collect()
    }
}

/// What tells one list of tools from another.
pub(in crate::mcp) fn fingerprint(list: &[Tool]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for tool in list {
        // A definition that came as JSON can be written as JSON.
        serde_json::to_string(tool)
            .unwrap_or_default()
            .hash(&mut hasher);
    }
    hasher.finish()
}

/// `server__tool`, of characters that all clients take.
fn name_of(tool: &ResolvedTool) -> String {
    let name = format!("{}__{}", tool.server(), tool.name());
    let taken = |c: char| match c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
        true => c,
        false => '_',
    };
    name.chars().map(taken).collect()
}

fn as_listed(name: &str, tool: &ResolvedTool) -> Tool {
    let definition = tool.definition();
    let description = definition.description.clone();
    let description = description.or_else(|| definition.title.clone());
    let schema = Arc::new(flat(&definition.input_schema.parse_object()));
    let listed = Tool::new(name.to_owned(), description.unwrap_or_default(), schema);
    let hints = definition.annotations;
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = hints.read_only;
    annotations.destructive_hint = hints.destructive;
    annotations.idempotent_hint = hints.idempotent;
    annotations.open_world_hint = hints.open_world;
    listed.with_annotations(annotations)
}
