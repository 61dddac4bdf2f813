//! Components against granted tools.
//!
//! - `forwarder`: a component for any package, whose functions call the ones that it imports
//! - `corpora`: the tools of real servers, called with values and answered with values
//! - `compiling`: whose turn it is to have one compiled
//! - `limits`: what a typed call may take, and what is said of it
//! - `errors`: what components know of errors, whenever they were built
//! - `changes`: components that were built against other versions of the tools

mod changes;
mod compiling;
mod corpora;
mod errors;
mod forwarder;
mod limits;

use std::sync::Arc;

use ampoule_limits::Limits;
use ampoule_projection::names::{Names, Style, kebab_case};
use ampoule_projection::{Interface, Tool, wit};
use ampoule_tools::testing::Stub;
use ampoule_tools::{Catalog, Error, Grant, GrantedTools};
use wasmtime::Store;
use wasmtime::component::{Instance, Val};

use super::{Components, GrantedComponent};
use crate::component::Component;
use crate::engine::{Capacity, Engines, Kind};
use crate::setup::RunSetup;
use crate::state::RunState;

/// The package of these tools, as a component would be built against it.
fn package(server: &str, tools: &[Tool]) -> wit::Package {
    let names = Names::new(tools.iter().map(|tool| tool.name.as_str()), Style::Kebab);
    wit::package(&kebab_case(server), &Interface::of(tools), &names)
}

/// What a runtime with one server has.
struct Host {
    components: Components,
    catalog: Catalog,
    server: Stub,
}

impl Host {
    fn new(server: &str, tools: Vec<Tool>) -> Self {
        let server = Stub::new(server, tools);
        let ceilings = Limits::default_ceilings();
        let capacity = Capacity {
            isolates: 8,
            memory_bytes: ceilings.memory_bytes,
            table_elements: ceilings.table_elements,
        };
        let engines = Engines::new(capacity, None).unwrap();
        Self {
            components: Components::new(engines.engine(Kind::Components).unwrap()).unwrap(),
            catalog: Catalog::new(vec![Arc::new(server.clone())]).unwrap(),
            server,
        }
    }

    fn granted(&self, grant: Grant) -> GrantedTools {
        GrantedTools::new(self.catalog.clone(), grant).unwrap()
    }

    /// Links a component to what is granted.
    async fn link(&self, component: &Component, grant: Grant) -> Result<GrantedComponent, Error> {
        let tools = self.granted(grant);
        let limits = Limits::default();
        self.components
            .grant(component, &tools, &limits, None)
            .await
    }

    /// An instance of a component that may call everything.
    async fn instance(&self, component: &Component, limits: Limits) -> (Store<RunState>, Instance) {
        let mut granted = self
            .link(component, Grant::all())
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let run = RunState::new(RunSetup::of(limits, self.granted(Grant::all())));
        let engine = self.components.engine().wasmtime();
        let mut store = Store::new(engine, run);
        store.set_fuel(limits.fuel).unwrap();
        store.epoch_deadline_async_yield_and_update(1);
        store.set_hostcall_fuel(usize::try_from(limits.host_bytes).unwrap());
        granted.resolve(store.data_mut()).unwrap();
        let instance = granted
            .instance
            .instantiate_async(&mut store)
            .await
            .unwrap();
        (store, instance)
    }
}

/// Calls a function that an instance of the forwarder exports.
async fn call(
    store: &mut Store<RunState>,
    instance: &Instance,
    interface: &str,
    function: &str,
    parameters: &[Val],
) -> Result<Option<Box<Val>>, Option<Box<Val>>> {
    let called = try_call(store, instance, interface, function, parameters).await;
    called.unwrap_or_else(|error| panic!("{error:?}"))
}

/// The same, where the call may end the run.
async fn try_call(
    store: &mut Store<RunState>,
    instance: &Instance,
    interface: &str,
    function: &str,
    parameters: &[Val],
) -> wasmtime::Result<Result<Option<Box<Val>>, Option<Box<Val>>>> {
    let tools = instance
        .get_export_index(&mut *store, None, interface)
        .unwrap();
    let index = instance
        .get_export_index(&mut *store, Some(&tools), function)
        .unwrap();
    let function = instance.get_func(&mut *store, index).unwrap();
    let mut results = [Val::Bool(false)];
    function.call_async(store, parameters, &mut results).await?;
    match results {
        [Val::Result(result)] => Ok(result),
        other => panic!("{other:?}"),
    }
}
