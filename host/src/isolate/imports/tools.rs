//! `ampoule:guest/tools`: what the run was granted.

use std::sync::Arc;

use futures::future::join_all;
use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Linker, Lower, WasmStr};

use super::name;
use crate::binding::{self, GrantedTools, ResolvedTool};
use crate::isolate::state::RunState;
use crate::projection::Detail;

#[derive(ComponentType, Lower)]
#[component(record)]
struct Server {
    name: String,
    description: Option<String>,
    tools: u32,
}

#[derive(ComponentType, Lower)]
#[component(record)]
struct ToolSummary {
    server: String,
    name: String,
    identifier: String,
    description: String,
}

#[derive(ComponentType, Lower)]
#[component(record)]
struct ToolName {
    server: String,
    tool: String,
}

#[derive(ComponentType, Lower)]
#[component(record)]
struct UnknownName {
    message: String,
    near: Vec<String>,
}

impl From<binding::UnknownName> for UnknownName {
    fn from(unknown: binding::UnknownName) -> Self {
        Self {
            message: unknown.message,
            near: unknown.near,
        }
    }
}

impl From<&ResolvedTool> for ToolSummary {
    fn from(tool: &ResolvedTool) -> Self {
        let binding::ToolSummary {
            server,
            name,
            identifier,
            description,
        } = tool.summary();
        Self {
            server,
            name,
            identifier,
            description,
        }
    }
}

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut tools = linker.instance("ampoule:guest/tools@0.1.0")?;
    tools.func_wrap_async("servers", |store: StoreContextMut<'_, RunState>, (): ()| {
        let tools = Arc::clone(&store.data().tools);
        Box::new(async move { Ok((servers(&tools).await,)) })
    })?;
    tools.func_wrap(
        "server-name",
        |store: StoreContextMut<'_, RunState>, (server,): (WasmStr,)| {
            let server = store
                .data()
                .tools
                .server(&name(&store, &server)?)
                .map(|server| server.name().to_string());
            Ok((server.map_err(UnknownName::from),))
        },
    )?;
    tools.func_wrap_async(
        "resolve",
        |mut store: StoreContextMut<'_, RunState>, (server, tool): (Option<WasmStr>, WasmStr)| {
            Box::new(async move {
                let server = server.map(|server| name(&store, &server)).transpose()?;
                let tool = name(&store, &tool)?;
                let tools = Arc::clone(&store.data().tools);
                let tool = match &server {
                    Some(server) => tools.resolve_on(server, &tool).await,
                    None => tools.resolve(&tool).await,
                };
                let run = store.data_mut();
                Ok((match tool {
                    Ok(tool) => Ok(run.resolved.add(tool)?),
                    Err(unknown) => Err(UnknownName::from(unknown)),
                },))
            })
        },
    )?;
    tools.func_wrap_async(
        "tools-of",
        |store: StoreContextMut<'_, RunState>, (server,): (WasmStr,)| {
            Box::new(async move {
                let server = name(&store, &server)?;
                let tools = Arc::clone(&store.data().tools);
                let listed = match tools.server(&server) {
                    Ok(server) => tools
                        .tools_of(server)
                        .await
                        .map_err(binding::UnknownName::from),
                    Err(unknown) => Err(unknown),
                };
                let summaries =
                    listed.map(|tools| tools.iter().map(ToolSummary::from).collect::<Vec<_>>());
                Ok((summaries.map_err(UnknownName::from),))
            })
        },
    )?;
    tools.func_wrap_async(
        "search",
        |store: StoreContextMut<'_, RunState>,
         (query, limit, server): (WasmStr, u32, Option<WasmStr>)| {
            Box::new(async move {
                let query = name(&store, &query)?;
                let server = server.map(|server| name(&store, &server)).transpose()?;
                let tools = Arc::clone(&store.data().tools);
                let searched = tools
                    .search(&query, limit as usize, server.as_deref())
                    .await;
                // A server that is not there has nothing to be found; `server-name` says so.
                let hits = searched.unwrap_or_default().hits;
                Ok((hits.iter().map(ToolSummary::from).collect::<Vec<_>>(),))
            })
        },
    )?;
    tools.func_wrap(
        "name-of",
        |store: StoreContextMut<'_, RunState>, (tool,): (u32,)| {
            let tool = store.data().resolved.get(tool)?;
            Ok((ToolName {
                server: tool.server().to_string(),
                tool: tool.name().to_string(),
            },))
        },
    )?;
    tools.func_wrap(
        "parameters",
        |store: StoreContextMut<'_, RunState>, (tool,): (u32,)| {
            Ok((store.data().resolved.get(tool)?.parameters(),))
        },
    )?;
    tools.func_wrap(
        "describe",
        |store: StoreContextMut<'_, RunState>, (tool,): (u32,)| {
            Ok((store.data().resolved.get(tool)?.declare(Detail::Full),))
        },
    )
}

async fn servers(granted: &GrantedTools) -> Vec<Server> {
    join_all(granted.servers().map(|server| async move {
        // A server that can't be reached is there, with what is wrong with it.
        let (tools, problem) = match granted.tools_of(server).await {
            Ok(tools) => (tools.len(), None),
            Err(error) => (0, Some(error.message)),
        };
        Server {
            name: server.name().to_string(),
            description: problem.or_else(|| server.binding().description()),
            tools: u32::try_from(tools).unwrap_or(u32::MAX),
        }
    }))
    .await
}
