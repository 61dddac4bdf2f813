//! `ampoule:guest/tools`: what the run was granted.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use ampoule_effort as effort;
use ampoule_projection::Detail;
use ampoule_tools::{GrantedTools, ResolvedTool};
use futures::future::join_all;
use futures::poll;
use wasmtime::component::{ComponentType, Linker, Lower, WasmStr};
use wasmtime::{AsContextMut, StoreContextMut};

use super::price::{name, show};
use crate::event::Event;
use crate::fuel;
use crate::state::RunState;

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
pub(super) struct ToolName {
    pub(super) server: String,
    pub(super) tool: String,
}

#[derive(ComponentType, Lower)]
#[component(record)]
struct UnknownName {
    message: String,
    near: Vec<String>,
}

impl From<ampoule_tools::UnknownNameError> for UnknownName {
    fn from(unknown: ampoule_tools::UnknownNameError) -> Self {
        Self {
            message: unknown.message,
            near: unknown.near,
        }
    }
}

impl From<&ResolvedTool> for ToolSummary {
    fn from(tool: &ResolvedTool) -> Self {
        let ampoule_tools::ToolSummary {
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

impl ToolSummary {
    fn bytes(&self) -> u64 {
        let texts = [
            &self.server,
            &self.name,
            &self.identifier,
            &self.description,
        ];
        (size_of::<Self>() + texts.map(String::len).iter().sum::<usize>()) as u64
    }
}

impl Server {
    fn bytes(&self) -> u64 {
        let description = self.description.as_ref().map_or(0, String::len);
        (size_of::<Self>() + self.name.len() + description) as u64
    }
}

type Run<'store> = StoreContextMut<'store, RunState>;

pub(super) fn add_to_linker(linker: &mut Linker<RunState>) -> wasmtime::Result<()> {
    let mut tools = linker.instance("ampoule:guest/tools@0.1.0")?;
    tools.func_wrap_async("servers", |store: Run<'_>, (): ()| Box::new(servers(store)))?;
    tools.func_wrap_async("server-name", |store: Run<'_>, (server,)| {
        Box::new(server_name(store, server))
    })?;
    tools.func_wrap_async("resolve", |store: Run<'_>, (server, tool)| {
        Box::new(resolve_named(store, server, tool))
    })?;
    tools.func_wrap_async("tools-of", |store: Run<'_>, (server,)| {
        Box::new(tools_of(store, server))
    })?;
    tools.func_wrap_async("search", |store: Run<'_>, (query, limit, server)| {
        Box::new(search(store, query, limit, server))
    })?;
    tools.func_wrap_async("name-of", |store: Run<'_>, (tool,)| {
        Box::new(name_of(store, tool))
    })?;
    tools.func_wrap_async("parameters", |store: Run<'_>, (tool,)| {
        Box::new(parameters(store, tool))
    })?;
    tools.func_wrap_async("describe", |store: Run<'_>, (tool,)| {
        Box::new(describe(store, tool))
    })
}

async fn servers(mut store: Run<'_>) -> wasmtime::Result<(Vec<Server>,)> {
    let granted = granted(&mut store)?;
    let servers = told(&mut store, None, listed(&granted)).await;
    show(&store, servers.iter().map(Server::bytes).sum())?;
    fuel::settle(&mut store, 0).await?;
    Ok((servers,))
}

async fn server_name(
    mut store: Run<'_>,
    server: WasmStr,
) -> wasmtime::Result<(Result<String, UnknownName>,)> {
    let tools = granted(&mut store)?;
    let server = tools.name_of_server(&name(&store, &server)?);
    fuel::settle(&mut store, 0).await?;
    Ok((server.map_err(UnknownName::from),))
}

async fn resolve_named(
    mut store: Run<'_>,
    server: Option<WasmStr>,
    tool: WasmStr,
) -> wasmtime::Result<(Result<u32, UnknownName>,)> {
    let server = server.map(|server| name(&store, &server)).transpose()?;
    let tool = name(&store, &tool)?;
    let tool = resolve(&mut store, server.as_deref(), &tool).await?;
    Ok((tool.map_err(UnknownName::from),))
}

/// Resolves a tool of the grant, and gives its id.
pub(crate) async fn resolve(
    mut store: impl AsContextMut<Data = RunState>,
    server: Option<&str>,
    tool: &str,
) -> wasmtime::Result<Result<u32, ampoule_tools::UnknownNameError>> {
    let mut store = store.as_context_mut();
    let tools = granted(&mut store)?;
    let resolved = async {
        match server {
            Some(server) => tools.resolve_on(server, tool).await,
            None => tools.resolve(tool).await,
        }
    };
    let tool = told(&mut store, server, resolved).await;
    fuel::settle(&mut store, 0).await?;
    Ok(match tool {
        Ok(tool) => Ok(store.data_mut().resolved.add(tool)?),
        Err(unknown) => Err(unknown),
    })
}

async fn tools_of(
    mut store: Run<'_>,
    server: WasmStr,
) -> wasmtime::Result<(Result<Vec<ToolSummary>, UnknownName>,)> {
    let server = name(&store, &server)?;
    let tools = granted(&mut store)?;
    let listed = match tools.server(&server) {
        Ok(server) => told(&mut store, Some(server.name()), tools.tools_of(server))
            .await
            .map_err(ampoule_tools::UnknownNameError::from),
        Err(unknown) => Err(unknown),
    };
    let summaries = match listed {
        Ok(tools) => Ok(summaries(&mut store, tools).await?),
        Err(unknown) => Err(UnknownName::from(unknown)),
    };
    fuel::settle(&mut store, 0).await?;
    Ok((summaries,))
}

async fn search(
    mut store: Run<'_>,
    query: WasmStr,
    limit: u32,
    server: Option<WasmStr>,
) -> wasmtime::Result<(Vec<ToolSummary>,)> {
    let query = name(&store, &query)?;
    let server = server.map(|server| name(&store, &server)).transpose()?;
    let tools = granted(&mut store)?;
    let searched = tools.search(&query, limit as usize, server.as_deref());
    let searched = told(&mut store, server.as_deref(), searched).await;
    // A server that is not there has nothing to be found; `server-name` says so.
    let searched = searched.unwrap_or_default();
    store.data_mut().tell_of_servers(&searched.problems)?;
    let found = summaries(&mut store, searched.hits).await?;
    fuel::settle(&mut store, 0).await?;
    Ok((found,))
}

async fn name_of(mut store: Run<'_>, tool: u32) -> wasmtime::Result<(ToolName,)> {
    if let Some(((server, tool), _)) = store.data().resolved.gone(tool) {
        let (server, tool) = (server.clone(), tool.clone());
        fuel::settle(&mut store, effort::REQUEST).await?;
        return Ok((ToolName { server, tool },));
    }
    let tool = resolved(&mut store, tool)?;
    fuel::settle(&mut store, 0).await?;
    Ok((ToolName {
        server: tool.server().to_string(),
        tool: tool.name().to_string(),
    },))
}

async fn parameters(mut store: Run<'_>, tool: u32) -> wasmtime::Result<(Vec<String>,)> {
    let tool = resolved(&mut store, tool)?;
    let price = tool.price_of_parameters();
    let names = computed(&mut store, price, move || tool.parameters()).await?;
    let bytes = |name: &String| (size_of::<String>() + name.len()) as u64;
    show(&store, names.iter().map(bytes).sum())?;
    fuel::settle(&mut store, 0).await?;
    Ok((names,))
}

async fn describe(mut store: Run<'_>, tool: u32) -> wasmtime::Result<(Result<String, String>,)> {
    let tool = resolved(&mut store, tool)?;
    let server = Arc::clone(tool.server());
    let described = match told(&mut store, Some(&server), tool.listed()).await {
        Ok(tool) => Ok(declared(&mut store, tool).await?),
        Err(why) => Err(why),
    };
    let (Ok(text) | Err(text)) = &described;
    show(&store, text.len() as u64)?;
    fuel::settle(&mut store, 0).await?;
    Ok((described,))
}

/// What comes of asking which tools there are, or which a server has. The run's listeners learn
/// where that has to be waited for.
pub(super) async fn told<T>(
    store: &mut Run<'_>,
    server: Option<&str>,
    asked: impl Future<Output = T>,
) -> T {
    let feed = Arc::clone(&store.data().feed);
    let mut asked = pin!(asked);
    if let Poll::Ready(told) = poll!(asked.as_mut()) {
        return told;
    }
    feed.tell(|| Event::ToolsAwaited {
        server: server.map(str::to_owned),
    });
    let told = asked.await;
    feed.tell(|| Event::ToolsTold);
    told
}

/// What the run was granted, for a request that is paid for.
fn granted(store: &mut Run<'_>) -> wasmtime::Result<Arc<GrantedTools>> {
    fuel::pay(&mut *store, effort::REQUEST)?;
    Ok(Arc::clone(&store.data().tools))
}

/// A tool that the run has resolved, for a request that is paid for.
fn resolved(store: &mut Run<'_>, tool: u32) -> wasmtime::Result<ResolvedTool> {
    fuel::pay(&mut *store, effort::REQUEST)?;
    Ok(store.data().resolved.get(tool)?.clone())
}

/// Does work of a known price for the run.
async fn computed<T: Send + 'static>(
    store: &mut Run<'_>,
    price: u64,
    work: impl FnOnce() -> T + Send + 'static,
) -> wasmtime::Result<T> {
    let effort = store.data().effort.clone();
    let computed = effort.work(price, move |_| Ok(work())).await;
    Ok(computed.map_err(|_| store.data().limits.out_of_fuel())?)
}

async fn declared(store: &mut Run<'_>, tool: ResolvedTool) -> wasmtime::Result<String> {
    let price = tool.price_of_declaration();
    if price <= effort::MOST_IN_PLACE {
        return computed(store, price, move || tool.declare(Detail::Full)).await;
    }
    let effort = store.data().effort.clone();
    let declared = effort.elsewhere(move |effort| {
        effort.spend(price)?;
        Ok(tool.declare(Detail::Full))
    });
    let declared = declared.await;
    Ok(declared.map_err(|_| store.data().limits.out_of_fuel())?)
}

async fn summaries(
    store: &mut Run<'_>,
    tools: Vec<ResolvedTool>,
) -> wasmtime::Result<Vec<ToolSummary>> {
    let price = tools.iter().map(ResolvedTool::price_of_summary).sum();
    let summaries = computed(store, price, move || {
        tools.iter().map(ToolSummary::from).collect::<Vec<_>>()
    });
    let summaries = summaries.await?;
    show(store, summaries.iter().map(ToolSummary::bytes).sum())?;
    Ok(summaries)
}

async fn listed(granted: &GrantedTools) -> Vec<Server> {
    join_all(granted.servers().map(|server| async move {
        // A server that can't be reached is there, with what is wrong with it.
        let (tools, problem) = match granted.count_of(server).await {
            Ok(tools) => (tools, None),
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
