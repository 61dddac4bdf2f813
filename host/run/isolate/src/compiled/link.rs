//! Linking: a component's imports, made from the tools that are granted.

use std::sync::Arc;

use ampoule_tools::{Error, GrantedTools, ImportedTools, ResolvedTool, Server};
use ampoule_values::PackageValues as _;
use wasmtime::component::{Component, InstancePre, Linker};

use super::call;
use super::wants::{WantedTools, Wants};
use crate::imports;
use crate::state::RunState;

/// A component, linked to servers' tools as they were at one time. It serves every run that is
/// granted them, while the servers' lists stay as they are.
pub(super) struct LinkedComponent {
    servers: Vec<ImportedTools>,
    pub(super) instance: InstancePre<RunState>,
}

impl LinkedComponent {
    /// Links a component to granted tools. If they are not what it was built against, the servers
    /// are asked for their lists again.
    ///
    /// # Errors
    ///
    /// A request error that says which tools are not granted, and which functions have changed, and
    /// how.
    pub(super) async fn new(
        base: &Linker<RunState>,
        component: &Component,
        wants: &Wants,
        tools: &GrantedTools,
    ) -> Result<Self, Error> {
        let mut linker = base.clone();
        if wants.no_data {
            imports::give_no_data(&mut linker).map_err(unfit)?;
        }
        let mut servers = Vec::with_capacity(wants.tools.len());
        let mut refused = Vec::new();
        let mut first = 0;
        for wanted in &wants.tools {
            match current(wanted, tools).await {
                Ok(imported) => {
                    define(&mut linker, wanted, &imported, first).map_err(unfit)?;
                    servers.push(imported);
                }
                Err(error) => refused.push(error.to_string()),
            }
            first += wanted.functions.len();
        }
        if !refused.is_empty() {
            return Err(Error::request(refused.join("\n")));
        }
        let instance = linker.instantiate_pre(component).map_err(unfit)?;
        Ok(Self { servers, instance })
    }

    /// Whether the servers still have those tools, and all of them are granted.
    pub(super) async fn serves(&self, wants: &Wants, tools: &GrantedTools) -> Result<bool, Error> {
        for (wanted, imported) in wants.tools.iter().zip(&self.servers) {
            let server = tools.server_of_package(&wanted.server)?;
            let still = tools.still_imported(server, imported).await;
            if !still.map_err(|error| Error::request(error.message))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The tools that its functions call, in their order.
    pub(super) fn tools(
        &self,
        wants: &Wants,
        tools: &GrantedTools,
    ) -> Result<Vec<ResolvedTool>, Error> {
        let mut all = Vec::new();
        for (wanted, imported) in wants.tools.iter().zip(&self.servers) {
            all.extend(imported.of(tools.server_of_package(&wanted.server)?));
        }
        Ok(all)
    }
}

/// The tools that are wanted, from a list that was brought up to date where they did not fit.
async fn current(wanted: &WantedTools, tools: &GrantedTools) -> Result<ImportedTools, Error> {
    let server = tools.server_of_package(&wanted.server)?;
    let old = match import(wanted, server, tools).await {
        Ok(imported) => return Ok(imported),
        Err(old) => old,
    };
    match server.binding().refresh().await {
        Ok(()) => import(wanted, server, tools).await,
        Err(error) => Err(Error::request(format!(
            "{old}\n`{}` could not list its tools again: {error}",
            server.name()
        ))),
    }
}

/// The tools that are wanted, if they are what the component was built against.
async fn import(
    wanted: &WantedTools,
    server: &Arc<Server>,
    tools: &GrantedTools,
) -> Result<ImportedTools, Error> {
    let names = wanted.functions.iter().map(|(name, _)| name.as_str());
    let imported = tools.imported(server, names).await?;
    let mut changed = Vec::new();
    for (name, built) in &wanted.functions {
        let function = imported.package.function(name);
        let differences = function.map_or_else(
            || vec!["it is gone".to_owned()],
            |function| imported.package.differences(function, built),
        );
        if !differences.is_empty() {
            changed.push(format!("`{name}`: {}", differences.join("; ")));
        }
    }
    if changed.is_empty() {
        return Ok(imported);
    }
    Err(Error::request(format!(
        "`{}` has changed since the component was built; run `ampoule tools generate` and build it again:\n  {}",
        wanted.import,
        changed.join("\n  ")
    )))
}

/// Defines a function for each tool. A function knows its tool by its place among all that the
/// component imports.
fn define(
    linker: &mut Linker<RunState>,
    wanted: &WantedTools,
    imported: &ImportedTools,
    first: usize,
) -> wasmtime::Result<()> {
    let mut instance = linker.instance(&wanted.import)?;
    for (place, (name, built)) in wanted.functions.iter().enumerate() {
        let package = Arc::clone(&imported.package);
        let function = call::Function::new(package, name, built, first + place)?;
        if built.async_() {
            instance.func_new_concurrent(name, move |store, _, parameters, results| {
                Box::pin(function.clone().call_concurrent(store, parameters, results))
            })?;
        } else {
            instance.func_new_async(name, move |store, _, parameters, results| {
                Box::new(function.clone().call(store, parameters, results))
            })?;
        }
    }
    Ok(())
}

/// The component's types of an interface are not the host's.
fn unfit(error: wasmtime::Error) -> Error {
    Error::request(format!("the component does not fit this host: {error:#}"))
}
