//! Guests that ask much of WASI, or of all that there is of it. They are in `guests`, with what
//! they import in `wasi.wit`.

mod costs;
mod files;
mod http;

use std::future::pending;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_limits::Limits;
use ampoule_tools::testing::Stub;
use ampoule_tools::{Catalog, Grant, GrantedTools};
use serde_json::value::RawValue;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use crate::compiled::Components;
use crate::component::Component;
use crate::engine::{Capacity, Engines, Kind};
use crate::gauge::Gauge;
use crate::outcome::{Ending, Outcome};
use crate::run::ReadyRun;
use crate::setup::RunSetup;
use crate::work::Work;
use crate::world::World;

/// A guest, with its argument, which is JSON.
fn guest(name: &str, argument: &str) -> Component {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wasi/tests/guests");
    let read = |file: String| std::fs::read_to_string(folder.join(file)).expect("a guest");
    let mut resolve = Resolve::default();
    let package = resolve.push_str("wasi.wit", &read("wasi.wit".to_owned()));
    let package = package.unwrap_or_else(|error| panic!("{error:?}"));
    let world = resolve.packages[package].worlds[name];
    let module = wat::parse_str(read(format!("{name}.wat")));
    let mut module = module.unwrap_or_else(|error| panic!("{name}: {error}"));
    embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8)
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let component = ComponentEncoder::default()
        .validate(true)
        .module(&module)
        .and_then(|mut encoder| encoder.encode())
        .unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let argument = RawValue::from_string(argument.to_owned()).expect("JSON");
    let component = Component::from_bytes(component).expect("a component");
    component.arguments(argument)
}

/// What a run has.
struct Host {
    server: Stub,
    limits: Limits,
    world: Option<Arc<dyn World>>,
    gauge: Gauge,
}

impl Host {
    /// A host with a server that has no tools.
    fn new() -> Self {
        Self::with(Stub::new("none", []))
    }

    fn with(server: Stub) -> Self {
        Self {
            server,
            limits: Limits::default(),
            world: None,
            gauge: Gauge::default(),
        }
    }

    async fn run(&self, component: Component) -> Outcome {
        let ceilings = Limits::default_ceilings();
        let capacity = Capacity {
            isolates: 2,
            memory_bytes: ceilings.memory_bytes,
            table_elements: ceilings.table_elements,
        };
        let engines = Engines::new(capacity, None).expect("engines");
        let engine = engines.engine(Kind::Components).expect("an engine");
        let components = Components::new(engine).expect("the host's interfaces");
        let catalog = Catalog::new(vec![Arc::new(self.server.clone())]).expect("a catalog");
        let tools = GrantedTools::new(catalog, Grant::all()).expect("a grant");
        let compiling = Limits::default();
        let granted = components.grant(&component, &tools, &compiling, None);
        let granted = granted.await.unwrap_or_else(|error| panic!("{error}"));
        let place = engines.place(None, granted.memories(), Duration::from_secs(10));
        let place = place.await.unwrap_or_else(|_| panic!("there is a place"));
        let mut setup = RunSetup::of(self.limits, tools);
        setup.world = self.world.clone();
        setup.gauge = self.gauge.clone();
        let work = Work::Component(granted, component);
        let prepared = ReadyRun::new(components.engine(), place, work, 0, setup);
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        let outcome = prepared.run(pending()).await;
        outcome.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// What a run returned, as text; or else how it ended.
fn told(outcome: &Outcome) -> String {
    match &outcome.ending {
        Ending::Returned(Some(value)) => value.get().trim_matches('"').to_owned(),
        Ending::Limit(hit) => format!("limit: {}", hit.limit),
        ending => ending.to_string(),
    }
}
