//! `governance/*`: what a trivial run costs and a thousand calls, with no part of governance, with
//! single ones, and with all of them. At the end, the ratios that are promised. That a decision
//! beside ten thousand policies takes no more than 50 µs is in `policy`.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use ampoule::governance::approvals::{ApprovalLimits, Asking, CommandLine, Store};
use ampoule::governance::audit::{self, Log};
use ampoule::governance::policy::{File, Sources};
use ampoule::governance::privacy::{self, Mode};
use ampoule::governance::quota::{Limits, Quotas, Rule};
use ampoule::governance::{Builder, Governance, Known};
use ampoule::{Grant, Principal, Runtime, Script};
use ampoule_benches::figures::{Figure, report};
use ampoule_benches::{
    SEQUENTIAL_CALLS, TRIVIAL, checked, executor, functions, medians, only_tested, warm,
};
use criterion::Criterion;
use serde_json::json;
use tokio::runtime::Runtime as Executor;

/// How long each pair of figures is measured.
const WINDOW: Duration = Duration::from_secs(5);

/// Adds parts, which keep what they have in a folder.
type Parts = fn(Builder, &Path) -> Builder;

/// What is measured by itself. None of it asks anybody, or denies anything.
const PARTS: [(&str, Parts); 7] = [
    ("none", |builder, _| builder),
    ("policies", |builder, _| policies(builder)),
    ("quotas", |builder, _| quotas(builder)),
    ("asking", asking),
    ("privacy", |builder, _| privacy(builder)),
    ("audit", audit),
    ("all", all),
];

/// As many as a small team has: roles, files and labels.
fn policies(builder: Builder) -> Builder {
    let mut text = String::new();
    for number in 0..20 {
        text.push_str(&format!(
            r#"@id("p{number}") forbid(principal == User::"u{number}", action == Action::"bench.echo", resource) when {{ context.labels.contains("customers") }};"#
        ));
        text.push('\n');
    }
    text.push_str(
        r#"@id("labels") forbid(principal, action == Action::"bench.echo", resource) when { context.labels.contains("secret") };
           @id("most") forbid(principal, action == Action::"bench.echo", resource) when { context.arguments.n > 100000 };"#,
    );
    let roles = json!({
        "support": { "tools": ["bench"], "groups": ["support"] },
        "careful": { "tools": ["bench.*"], "groups": ["others"], "destructive": "ask" },
    });
    let labels = json!({ "gives": { "bench.*": "customers", "bench.rows": "secret" } });
    builder.policies(Sources {
        files: vec![File {
            name: "bench.cedar".into(),
            text: text.into(),
        }],
        roles: serde_json::from_value(roles).expect("roles"),
        labels: serde_json::from_value(labels).expect("labels"),
        ..Sources::default()
    })
}

fn quotas(builder: Builder) -> Builder {
    let limits = Limits {
        calls_per_minute: Some(u32::MAX),
        calls_per_day: Some(u64::MAX),
        bytes_per_day: Some(u64::MAX),
        ..Limits::default()
    };
    let quotas = Quotas::new(vec![Rule::new("all", limits)], None).expect("quotas");
    builder.quotas(Arc::new(quotas))
}

fn asking(builder: Builder, folder: &Path) -> Builder {
    let store = Store::open(&folder.join("approvals"), ApprovalLimits::default());
    let store = store.expect("a store");
    builder.asking(Asking::new(store, vec![Arc::new(CommandLine)]))
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

fn all(builder: Builder, folder: &Path) -> Builder {
    let builder = privacy(quotas(policies(builder)));
    audit(asking(builder, folder), folder)
}

/// A runtime with these parts; without governance where there are none.
fn governed(parts: Parts, folder: &Path) -> Runtime {
    std::fs::create_dir(folder).expect("a folder");
    let known = vec![Known::of(&functions())];
    let governance = parts(Governance::builder().servers(known), folder).build();
    let governance = governance.expect("governance");
    let builder = Runtime::builder().binding(functions());
    let builder = builder.governance(governance);
    warm(builder.build().expect("a runtime"))
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
        let runtime = governed(parts, &folder.join(name));
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
fn promised(executor: &Executor, folder: &Path) -> [Figure; 2] {
    let none = governed(|builder, _| builder, &folder.join("without"));
    let all = governed(all, &folder.join("with"));
    let pair = |source, result| {
        medians(
            executor,
            WINDOW,
            || run(&none, source, result),
            || run(&all, source, result),
        )
    };
    let (trivial, governed_trivial) = pair(TRIVIAL, 2);
    let (calls, governed_calls) = pair(SEQUENTIAL_CALLS, 499_500);
    println!(
        "a trivial run {trivial:.1} µs, governed {governed_trivial:.1}; a thousand calls {calls:.0} µs, governed {governed_calls:.0}"
    );
    [
        Figure::at_most(
            "a thousand calls with all layers / with none",
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
