//! `governance/*`: what a trivial run costs and a thousand calls, with no part of governance, with
//! single ones, and with all of them. At the end, the ratios that are promised, of calls of a server
//! over stdio, too. That a decision beside ten thousand policies takes no more than 50 µs is in
//! `policy`.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ampoule::governance::approvals::{ApprovalLimits, Approvals, CommandLine, Store};
use ampoule::governance::audit::{self, Log};
use ampoule::governance::policy::{File, Sources};
use ampoule::governance::privacy::{self, Mode};
use ampoule::governance::quota::{Quotas, Rule};
use ampoule::governance::{Builder, Governance, KnownServer};
use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Binding, Grant, Principal, Runtime, Script};
use ampoule_benches::figures::{Figure, report};
use ampoule_benches::server::program;
use ampoule_benches::{
    SEQUENTIAL_CALLS, TRIVIAL, checked, executor, functions, medians, only_tested, warm,
};
use criterion::Criterion;
use serde_json::json;
use tokio::runtime::Runtime as Executor;

/// How long each pair of figures is measured.
const WINDOW: Duration = Duration::from_secs(5);

/// A thousand calls of the demo's server, one after the other.
const CALLS_OF_A_SERVER: &str = "const [{ id }] = (await demo.listProducts({})).items; let sum = 0; while (sum < 1000) sum += (await demo.getProduct({ productId: id })).id === id ? 1 : 0; return sum";

/// Adds parts, which keep what they have in a folder, for one tool.
type AddParts = fn(Builder, &Path, &CalledTools) -> Builder;

/// What is called.
struct CalledTools {
    server: &'static str,
    tool: &'static str,
    /// What a policy looks at of its arguments, and that does not hold.
    never: &'static str,
    /// Another tool, which would make all runs secret.
    other: &'static str,
}

const FUNCTION: CalledTools = CalledTools {
    server: "bench",
    tool: "echo",
    never: "context.arguments.n > 100000",
    other: "rows",
};

const OF_A_SERVER: CalledTools = CalledTools {
    server: "demo",
    tool: "get_product",
    never: r#"context.arguments.productId == "none""#,
    other: "get_business",
};

/// What is measured by itself. None of it asks anybody, or denies anything.
const PARTS: [(&str, AddParts); 7] = [
    ("none", |builder, _, _| builder),
    ("policies", |builder, _, called| policies(builder, called)),
    ("quotas", |builder, _, _| quotas(builder)),
    ("asking", |builder, folder, _| asking(builder, folder)),
    ("privacy", |builder, _, _| privacy(builder)),
    ("audit", |builder, folder, _| audit(builder, folder)),
    ("all", all),
];

/// As many as a small team has: roles, files and labels.
fn policies(builder: Builder, called: &CalledTools) -> Builder {
    let CalledTools {
        server,
        tool,
        never,
        other,
    } = called;
    let forbid = |id: &str, principal: &str, when: &str| {
        format!(
            r#"@id("{id}") forbid({principal}, action == Action::"{server}.{tool}", resource) when {{ {when} }};"#
        )
    };
    let customers = r#"context.labels.contains("customers")"#;
    let mut text: Vec<String> = (0..20)
        .map(|number| {
            let principal = format!(r#"principal == User::"u{number}""#);
            forbid(&format!("p{number}"), &principal, customers)
        })
        .collect();
    text.push(forbid(
        "labels",
        "principal",
        r#"context.labels.contains("secret")"#,
    ));
    text.push(forbid("never", "principal", never));
    let [every, other] = ["*", other].map(|tool| format!("{server}.{tool}"));
    let roles = json!({
        "support": { "tools": [server], "groups": ["support"] },
        "careful": { "tools": [every], "groups": ["others"], "destructive": "ask" },
    });
    let labels = json!({ "gives": { every: "customers", other: "secret" } });
    builder.policies(Sources {
        files: vec![File {
            name: "bench.cedar".into(),
            text: text.join("\n").into(),
        }],
        roles: serde_json::from_value(roles).expect("roles"),
        labels: serde_json::from_value(labels).expect("labels"),
        ..Sources::default()
    })
}

fn quotas(builder: Builder) -> Builder {
    let limits = Rule {
        calls_per_minute: Some(u32::MAX),
        calls_per_day: Some(u64::MAX),
        bytes_per_day: Some(u64::MAX),
        ..Rule::default()
    };
    let quotas = Quotas::new(vec![limits.called("all")], None).expect("quotas");
    builder.quotas(Arc::new(quotas))
}

fn asking(builder: Builder, folder: &Path) -> Builder {
    let store = Store::open(&folder.join("approvals"), ApprovalLimits::default());
    let store = store.expect("a store");
    builder.asking(Approvals::new(store, vec![Arc::new(CommandLine)]))
}

fn privacy(builder: Builder) -> Builder {
    let settings = privacy::Settings {
        mode: Mode::Tokens,
        ..privacy::Settings::default()
    };
    builder.privacy(settings, None)
}

fn audit(builder: Builder, folder: &Path) -> Builder {
    let log = Log::open(&folder.join("audit"), audit::Settings::default());
    builder.audit(Arc::new(log.expect("a log")))
}

fn all(builder: Builder, folder: &Path, called: &CalledTools) -> Builder {
    let builder = privacy(quotas(policies(builder, called)));
    audit(asking(builder, folder), folder)
}

/// A runtime with these parts; without governance if there are no parts.
fn governed(
    parts: AddParts,
    folder: &Path,
    called: &CalledTools,
    binding: impl Binding + 'static,
) -> Runtime {
    std::fs::create_dir(folder).expect("a folder");
    let known = vec![KnownServer::of(&binding)];
    let governance = parts(Governance::builder().servers(known), folder, called).build();
    let governance = governance.expect("governance");
    let builder = Runtime::builder().binding(binding);
    let builder = builder.governance(governance);
    warm(builder.build().expect("a runtime"))
}

/// The demo's server in a process of its own, once its tools are known.
fn demo(executor: &Executor) -> Upstream {
    let command = ServerCommand::new(program()).args(["demo-server"]);
    let demo = Upstream::stdio("demo", command, UpstreamOptions::default());
    executor.block_on(demo.tools()).expect("its tools");
    demo
}

async fn run(runtime: &Runtime, source: &str, result: u64) {
    let whose = Principal::new("ada").with_groups(["support"]);
    let isolate = runtime.isolate(Script::typescript(source));
    let outcome = isolate.principal(whose).grant(Grant::all()).run().await;
    assert_eq!(checked(outcome), result);
}

fn bench(criterion: &mut Criterion, executor: &Executor, folder: &Path) {
    let mut group = criterion.benchmark_group("governance");
    for (name, parts) in PARTS {
        let runtime = governed(parts, &folder.join(name), &FUNCTION, functions());
        group.bench_function(format!("trivial/{name}"), |bencher| {
            bencher.iter(|| executor.block_on(run(&runtime, TRIVIAL, 2)));
        });
        group.bench_function(format!("calls/1000/{name}"), |bencher| {
            bencher.iter(|| executor.block_on(run(&runtime, SEQUENTIAL_CALLS, 499_500)));
        });
    }
    group.finish();
}

/// What is promised, measured by turns.
fn promised(executor: &Executor, folder: &Path) -> [Figure; 3] {
    let none: AddParts = |builder, _, _| builder;
    let in_process = [("without", none), ("with", all)]
        .map(|(name, parts)| governed(parts, &folder.join(name), &FUNCTION, functions()));
    let served = [("without-served", none), ("with-served", all)]
        .map(|(name, parts)| governed(parts, &folder.join(name), &OF_A_SERVER, demo(executor)));
    let pair = |[none, all]: &[Runtime; 2], source, result| {
        medians(
            executor,
            WINDOW,
            || run(none, source, result),
            || run(all, source, result),
        )
    };
    let (trivial, governed_trivial) = pair(&in_process, TRIVIAL, 2);
    let (calls, governed_calls) = pair(&in_process, SEQUENTIAL_CALLS, 499_500);
    let (served, governed_served) = pair(&served, CALLS_OF_A_SERVER, 1_000);
    println!(
        "a trivial run {trivial:.1} µs, governed {governed_trivial:.1}; a thousand calls of a function {calls:.0} µs, governed {governed_calls:.0}; of a server {served:.0} µs, governed {governed_served:.0}"
    );
    [
        Figure::at_most(
            "a thousand calls of a server with all layers / with none",
            governed_served / served,
            1.25,
        ),
        Figure::at_most(
            "a thousand calls of a function with all layers / with none",
            governed_calls / calls,
            1.25,
        ),
        Figure::at_most(
            "a trivial run with all layers / with none",
            governed_trivial / trivial,
            1.1,
        ),
    ]
}

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    let executor = executor();
    let _entered = executor.enter();
    let mut criterion = Criterion::default().configure_from_args();
    bench(&mut criterion, &executor, folder.path());
    criterion.final_summary();
    if only_tested() {
        return ExitCode::SUCCESS;
    }
    report(promised(&executor, folder.path()))
}
