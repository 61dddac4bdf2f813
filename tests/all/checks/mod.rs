//! The check of scripts before they run, over corpora: no right script is refused, and every script
//! whose mistake its text proves is refused before any call.
//!
//! - `right`: the right scripts of the repository
//! - `odd`: right ones of `tests/checks`, written to be taken for wrong
//! - `wrong`: those of `tests/checks`, each with a mistake

mod odd;
mod right;
mod wrong;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use ampoule::{Check, Grant, Outcome, Runtime, Script, ToolResult};
use ampoule_projection::Tool;
use ampoule_tests::binding::Stub;
use ampoule_tests::repository;
use futures::FutureExt;
use serde_json::Value;

use super::mistakes::demo;

/// Servers that count their calls.
struct Servers {
    servers: Vec<(String, Vec<Tool>)>,
    calls: Arc<AtomicUsize>,
}

impl Servers {
    /// The demo server's tools, and those of real servers in `tests/corpora/tools`.
    async fn new() -> Self {
        let demo = ("demo".to_owned(), demo_tools().await);
        let named = ["filesystem", "git", "github-official", "memory", "sqlite"];
        let real = named.map(|name| (name.to_owned(), tools_of(name)));
        Self {
            servers: [demo].into_iter().chain(real).collect(),
            calls: Arc::default(),
        }
    }

    /// One more server.
    fn with(mut self, name: &str, tools: Vec<Tool>) -> Self {
        self.servers.push((name.to_owned(), tools));
        self
    }

    fn stubs(&self) -> impl Iterator<Item = Stub> {
        self.servers.iter().map(|(name, tools)| {
            let calls = Arc::clone(&self.calls);
            Stub::new(name, tools.clone()).answering(move |_, _| {
                calls.fetch_add(1, SeqCst);
                std::future::ready(ToolResult::default()).boxed()
            })
        })
    }

    /// Checks a script, or runs it after that.
    async fn outcome(&self, runtime: &Runtime, script: Script, check: Check) -> Outcome {
        let isolate = runtime.isolate(script.check(check)).grant(Grant::all());
        let isolate = self
            .stubs()
            .fold(isolate, |isolate, server| isolate.binding(server));
        isolate.run().await.expect("no host fault")
    }

    /// How many calls came to them.
    fn calls(&self) -> usize {
        self.calls.load(SeqCst)
    }
}

async fn demo_tools() -> Vec<Tool> {
    let runtime = demo();
    let tools = runtime.tools_of(Grant::all(), None, None).expect("a grant");
    let server = Arc::clone(tools.server("demo").expect("the server"));
    let listed = tools.tools_of(&server).await.expect("its tools");
    let listed = listed.iter().map(|tool| tool.definition().clone());
    let listed = listed.collect();
    runtime.close().await;
    listed
}

/// The tools of a real server.
fn tools_of(server: &str) -> Vec<Tool> {
    let path = repository().join(format!("tests/corpora/tools/{server}.json"));
    let list = std::fs::read_to_string(&path).expect("a file");
    let list: Value = serde_json::from_str(&list).expect("JSON");
    serde_json::from_value(list.get("tools").cloned().unwrap_or(list)).expect("tools")
}
