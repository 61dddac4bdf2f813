//! Runs that are parked while they wait, and go on in this process or the next.

mod files;
mod goes_on;
mod hostile;
mod killed;
mod limits;
mod restarts;
mod serve;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use ampoule::{
    CallContext, Functions, Grant, Isolate, Language, Limits, ParkedLimits, ParkedRun, Runtime,
    RuntimeBuilder, Script, SessionLimits, Tool, ToolResult,
};
use ampoule_tests::runtime_builder;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::watch;

/// After how long runs are parked here.
const SOON: Duration = Duration::from_millis(20);

/// A shop whose tools answer when they are let, and count their calls.
#[derive(Clone)]
struct Shop {
    open: watch::Sender<bool>,
    orders: Arc<AtomicUsize>,
    looks: Arc<AtomicUsize>,
}

impl Shop {
    fn closed() -> Self {
        Self {
            open: watch::Sender::new(false),
            orders: Arc::default(),
            looks: Arc::default(),
        }
    }

    fn open(&self) {
        self.open.send_replace(true);
    }

    /// How often each tool was called: that which can't be repeated, and that which can.
    fn called(&self) -> (usize, usize) {
        (self.orders.load(SeqCst), self.looks.load(SeqCst))
    }

    fn binding(&self) -> Functions {
        self.binding_named("shop")
    }

    fn binding_named(&self, name: &str) -> Functions {
        let order = self.tool(&self.orders);
        let look = self.tool(&self.looks);
        let functions = Functions::new(name).raw(tool("order", json!({})), order);
        functions.raw(tool("look", json!({ "readOnlyHint": true })), look)
    }

    fn tool(
        &self,
        count: &Arc<AtomicUsize>,
    ) -> impl Fn(
        Map<String, Value>,
        CallContext,
    ) -> futures::future::BoxFuture<'static, Result<ToolResult, ampoule::CallError>>
    + Send
    + Sync
    + 'static
    + use<> {
        let (open, count) = (self.open.clone(), Arc::clone(count));
        move |arguments, _| {
            let (open, count) = (open.clone(), Arc::clone(&count));
            Box::pin(async move {
                count.fetch_add(1, SeqCst);
                let _ = open.subscribe().wait_for(|open| *open).await;
                Ok(ampoule_tests::binding::returned(
                    Value::Object(arguments).to_string(),
                ))
            })
        }
    }
}

fn tool(name: &str, annotations: Value) -> Tool {
    let tool =
        json!({ "name": name, "inputSchema": { "type": "object" }, "annotations": annotations });
    serde_json::from_value(tool).unwrap()
}

/// Where runs are parked, over several processes, as it were.
struct Parked {
    folder: TempDir,
    limits: ParkedLimits,
    isolates: u32,
}

impl Parked {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            limits: ParkedLimits::default(),
            isolates: 4,
        }
    }

    /// A runtime, as a new process would make it.
    fn runtime(&self, shop: &Shop) -> Runtime {
        let builder = builder(self.folder.path(), self.limits);
        let builder = builder.isolates(self.isolates).binding(shop.binding());
        builder.build().unwrap()
    }

    /// How many runs are kept.
    fn kept(runtime: &Runtime) -> Vec<ParkedRun> {
        let kept = runtime.parked(None).unwrap();
        kept.into_iter().map(Result::unwrap).collect()
    }
}

fn builder(folder: &Path, limits: ParkedLimits) -> RuntimeBuilder {
    let hours = Limits {
        wall_time: Duration::from_hours(3),
        ..Limits::default()
    };
    let ceilings = Limits {
        wall_time: hours.wall_time,
        ..Limits::default_ceilings()
    };
    runtime_builder()
        .limits(hours)
        .ceilings(ceilings)
        .parked(folder.join("parked"), limits)
        .sessions(folder.join("sessions"), SessionLimits::default())
        .park_after(SOON)
}

fn script(runtime: &Runtime, language: Language, source: &str) -> Isolate {
    let isolate = runtime.isolate(Script::new(language, source));
    isolate.grant(Grant::all())
}

/// Waits until so many runs have no isolate.
async fn until_parked(runtime: &Runtime, many: u64) {
    while runtime.waiting().parked != many {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
