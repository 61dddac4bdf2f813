//! Tools that clients see as tools of their own, named `server__tool`. A call of one is a run of one
//! call, governed like any other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use ampoule_projection::{SchemaText, ToolUi};
use ampoule_tools::{GrantedTools, ResolvedTool, Server};
use futures::future::join_all;
use parking_lot::Mutex;
use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::schema::flat;
use super::warnings::Warnings;
use super::{Exposure, Standing};
use crate::content::addresses;

/// How many characters a client takes in a tool's name.
pub(in crate::mcp) const NAME: usize = 64;
/// What stands between the names of a server and its tool.
const SEPARATOR: &str = "__";
/// How long a list of tools waits for a server that has tools in it.
pub(in crate::mcp) const LIST: Duration = Duration::from_secs(5);

/// How many schemas are kept.
const MOST_SCHEMAS: usize = 10_000;

/// The direct tools of a client.
#[derive(Default)]
pub(in crate::mcp) struct DirectTools {
    tools: BTreeMap<String, DirectName>,
    /// The servers that did not say which tools they have, with the reason if there is one.
    silent: Vec<(Arc<str>, Option<String>)>,
}

/// What a name means.
enum DirectName {
    Tool(Box<ResolvedTool>),
    /// Tools that would have the same name, so none has it.
    Clash(Vec<String>),
}

/// How long servers are waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// As long as a list of tools may take.
    List,
    /// As long as a server takes.
    Endless,
}

impl DirectTools {
    /// Those of the granted tools that are direct. Waits for their servers, but not for long.
    pub(in crate::mcp) async fn of(
        exposure: &Exposure,
        granted: &GrantedTools,
        warnings: &Warnings,
    ) -> Self {
        let servers = granted.servers();
        Self::gathered(exposure, granted, servers, Patience::List, warnings).await
    }

    /// The same, waiting as long as a server takes.
    pub(in crate::mcp) async fn waited_for(
        exposure: &Exposure,
        granted: &GrantedTools,
        warnings: &Warnings,
    ) -> Self {
        let servers = granted.servers();
        Self::gathered(exposure, granted, servers, Patience::Endless, warnings).await
    }

    /// The direct tool of that name, if there is one. Waits for those servers alone that may have it,
    /// as long as they take: a call needs them.
    ///
    /// # Errors
    ///
    /// Which tools would have the name, or why it is not known what it means.
    pub(in crate::mcp) async fn named(
        name: &str,
        exposure: &Exposure,
        granted: &GrantedTools,
        warnings: &Warnings,
    ) -> Option<Result<ResolvedTool, String>> {
        let servers = granted.servers().filter(|server| may_have(server, name));
        let mut direct =
            Self::gathered(exposure, granted, servers, Patience::Endless, warnings).await;
        match direct.tools.remove(name) {
            Some(DirectName::Tool(tool)) => Some(Ok(*tool)),
            Some(DirectName::Clash(all)) => Some(Err(format!(
                "`{name}` may be any of {}; call the one that is meant in a script",
                all.join(", ")
            ))),
            None => direct.silent.first().map(|(server, why)| {
                let why = why.as_deref().unwrap_or("it does not answer");
                Err(format!(
                    "`{name}` can't be called: the server `{server}` does not say which tools it has: {why}. Nothing was called. Try again later; the operator can test the server with `ampoule doctor`"
                ))
            }),
        }
    }

    /// The direct tool of that name, if it is known without waiting for a server.
    pub(in crate::mcp) fn known(
        name: &str,
        exposure: &Exposure,
        granted: &GrantedTools,
        warnings: &Warnings,
    ) -> Option<ResolvedTool> {
        let mut direct = Self::default();
        let servers = granted.servers().filter(|server| may_have(server, name));
        for server in servers {
            let tools = granted.known_tools_of(server).into_iter().flatten();
            for tool in tools.filter(|tool| exposure.standing(tool) == Standing::Direct) {
                direct.add(tool, warnings);
            }
        }
        match direct.tools.remove(name) {
            Some(DirectName::Tool(tool)) => Some(*tool),
            Some(DirectName::Clash(_)) | None => None,
        }
    }

    async fn gathered<'a>(
        exposure: &Exposure,
        granted: &GrantedTools,
        servers: impl Iterator<Item = &'a Arc<Server>>,
        patience: Patience,
        warnings: &Warnings,
    ) -> Self {
        let (granted, time) = match patience {
            Patience::List => (granted.clone(), LIST),
            Patience::Endless => (granted.clone().waiting(), Duration::MAX),
        };
        let servers = servers.filter(|server| {
            let mut patterns = exposure.direct.iter();
            patterns.any(|pattern| pattern.is_of(server.name()))
        });
        let listed = servers.map(async |server| {
            let tools = timeout(time, granted.tools_of(server)).await;
            (server.name(), tools)
        });
        let mut direct = Self::default();
        for (server, listed) in join_all(listed).await {
            let tools = match listed {
                Ok(Ok(tools)) => tools.into_iter(),
                Ok(Err(error)) => {
                    let why = Some(error.message);
                    direct.silent.push((Arc::clone(server), why));
                    continue;
                }
                Err(_) => {
                    direct.silent.push((Arc::clone(server), None));
                    continue;
                }
            };
            for tool in tools.filter(|tool| exposure.standing(tool) == Standing::Direct) {
                direct.add(tool, warnings);
            }
        }
        direct
    }

    /// Whether a server did not say in time which tools it has.
    pub(in crate::mcp) fn is_incomplete(&self) -> bool {
        !self.silent.is_empty()
    }

    fn add(&mut self, tool: ResolvedTool, warnings: &Warnings) {
        let shown = format!("{}.{}", tool.server(), tool.name());
        let name = name_of(&tool);
        if name.len() > NAME {
            warnings.once(format!(
                "`{shown}` can't be a direct tool: its name would be `{name}`, of {} characters, and clients take {NAME}",
                name.len()
            ));
            return;
        }
        let named = match self.tools.remove(&name) {
            None => DirectName::Tool(Box::new(tool)),
            Some(DirectName::Tool(first)) => {
                let first = format!("{}.{}", first.server(), first.name());
                warnings.once(format!(
                    "neither `{first}` nor `{shown}` can be a direct tool: the name of both would be `{name}`"
                ));
                DirectName::Clash(vec![first, shown])
            }
            Some(DirectName::Clash(mut all)) => {
                all.push(shown);
                DirectName::Clash(all)
            }
        };
        self.tools.insert(name, named);
    }

    /// As clients see them, by name.
    pub(in crate::mcp) fn list(&self, schemas: &FlatSchemas) -> Vec<Tool> {
        let tools = self.tools.iter().filter_map(|(name, named)| match named {
            DirectName::Tool(tool) => Some(as_listed(name, tool, schemas)),
            DirectName::Clash(_) => None,
        });
        tools.collect()
    }
}

/// Whether a direct tool of that name may be this server's.
fn may_have(server: &Server, name: &str) -> bool {
    let tool = name.strip_prefix(&*taken(server.name()));
    tool.is_some_and(|tool| tool.len() > SEPARATOR.len() && tool.starts_with(SEPARATOR))
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
pub(in crate::mcp) fn name_of(tool: &ResolvedTool) -> String {
    taken(&format!("{}{SEPARATOR}{}", tool.server(), tool.name()))
}

/// The names that no direct tool can have: those that two of the tools would get, and those that are too
/// long. Their tools are listed instead.
pub(in crate::mcp) fn unfit_names<'a>(
    tools: impl Iterator<Item = &'a ResolvedTool>,
) -> HashSet<String> {
    let mut seen = HashSet::new();
    let unfit = |name: &String| name.len() > NAME || !seen.insert(name.clone());
    tools.map(name_of).filter(unfit).collect()
}

/// A name in characters that all clients take.
fn taken(name: &str) -> String {
    let taken = |c: char| match c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
        true => c,
        false => '_',
    };
    name.chars().map(taken).collect()
}

/// The schemas of direct tools as clients take them, each made once for as long as the tool has it.
#[derive(Default)]
pub(in crate::mcp) struct FlatSchemas(Mutex<HashMap<String, FlatSchema>>);

struct FlatSchema {
    /// The tool's own.
    text: String,
    flat: Arc<JsonObject>,
}

impl FlatSchemas {
    /// The schema of the tool that clients see by this name.
    fn of(&self, name: &str, schema: &SchemaText) -> Arc<JsonObject> {
        let mut schemas = self.0.lock();
        if let Some(known) = schemas.get(name)
            && known.text == schema.as_str()
        {
            return Arc::clone(&known.flat);
        }
        if schemas.len() >= MOST_SCHEMAS {
            schemas.clear();
        }
        let flat = Arc::new(flat(&schema.parse_object()));
        let known = FlatSchema {
            text: schema.as_str().into_owned(),
            flat: Arc::clone(&flat),
        };
        schemas.insert(name.to_owned(), known);
        flat
    }
}

/// A tool as clients see it, with its app if it has one.
pub(in crate::mcp) fn as_listed(name: &str, tool: &ResolvedTool, schemas: &FlatSchemas) -> Tool {
    let definition = tool.definition();
    let description = definition.description.clone();
    let description = description.or_else(|| definition.title.clone());
    let schema = schemas.of(name, &definition.input_schema);
    let listed = Tool::new(name.to_owned(), description.unwrap_or_default(), schema);
    let hints = definition.annotations;
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = hints.read_only;
    annotations.destructive_hint = hints.destructive;
    annotations.idempotent_hint = hints.idempotent;
    annotations.open_world_hint = hints.open_world;
    let listed = listed.with_annotations(annotations);
    match definition.ui.as_deref().map(|ui| app_of(tool, ui)) {
        Some(Value::Object(meta)) => listed.with_meta(MetaObject(meta)),
        _ => listed,
    }
}

/// What is said of a tool's app: its address, as clients know it, and who may call the tool.
fn app_of(tool: &ResolvedTool, ui: &ToolUi) -> Value {
    let address = ui.resource_uri.as_deref();
    let address = address.map(|own| addresses::address(tool.server(), own));
    let ui = ToolUi {
        resource_uri: address,
        visibility: ui.visibility.clone(),
    };
    json!({ "ui": ui })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_is_made_once_until_it_changes() {
        let schema = |kind: &str| -> SchemaText {
            let schema = json!({ "type": "object", "properties": { "n": { "type": kind } } });
            serde_json::from_value(schema).unwrap()
        };
        let schemas = FlatSchemas::default();
        let first = schemas.of("a__b", &schema("integer"));
        let again = schemas.of("a__b", &schema("integer"));
        assert!(Arc::ptr_eq(&first, &again));
        let other = schemas.of("a__b", &schema("string"));
        assert_eq!(other["properties"]["n"]["type"], "string");
    }
}
