//! `policy/*`: what it takes to decide whether a tool may be called, beside some and beside ten
//! thousand policies, and to make these.

use std::fmt::Write;

use ampoule_policy::{
    Act, Caller, File, LabelOrigin, Policies, Request, RunLabels, Server, Sources,
};
use ampoule_projection::Tool;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};

const TOOLS: usize = 500;

fn policy(criterion: &mut Criterion) {
    let tools: Vec<Tool> = (0..TOOLS).map(tool).collect();
    let mut group = criterion.benchmark_group("policy");
    for count in [100, 10_000] {
        let policies = policies(count, &tools);
        let caller = caller();
        let arguments = arguments();
        let labels = labels();
        let mut number = 0;
        let mut next = || {
            number = (number + 1) % TOOLS;
            tools[number].name.as_str()
        };
        group.bench_function(BenchmarkId::new("decide", count), |bencher| {
            bencher.iter(|| {
                let decision = policies.decide(&Request {
                    caller: &caller,
                    act: Act::Call {
                        server: "s",
                        tool: next(),
                        arguments: &arguments,
                    },
                    labels: &labels,
                });
                // Nothing is allowed silently: there are permits.
                assert!(!decision.by.is_empty() || decision.reason.is_some());
            });
        });
        group.bench_function(BenchmarkId::new("exists", count), |bencher| {
            bencher.iter(|| policies.may_ever(&caller, "s", next()));
        });
    }
    group.sample_size(10);
    group.bench_function("make/10000", |bencher| {
        bencher.iter(|| policies(10_000, &tools));
    });
    group.finish();
}

fn policies(count: usize, tools: &[Tool]) -> Policies {
    let sources = Sources {
        files: vec![File {
            name: "bench.cedar".into(),
            text: text(count).into(),
        }],
        ..Sources::default()
    };
    let servers = [Server {
        name: "s",
        says_it_is: None,
        tools: Some(tools),
    }];
    let policies = Policies::new(&sources, &servers).expect("policies that fit the tools");
    assert_eq!(policies.warnings(), []);
    policies
}

fn caller() -> Caller {
    Caller {
        groups: (0..20).map(|group| format!("g{group}").into()).collect(),
        client: "cursor".into(),
        ..Caller::new("u7")
    }
}

fn labels() -> RunLabels {
    let mut labels = RunLabels::new();
    labels.rise(&"untrusted".into(), || LabelOrigin {
        call: Some(1),
        from: "mail.read".into(),
    });
    labels
}

fn arguments() -> Value {
    let text = "x".repeat(10_000);
    json!({"owner": "acme", "repo": "shop", "count": 3, "list": ["a", "b"], "text": text})
}

fn tool(number: usize) -> Tool {
    let text = json!({"type": "string"});
    let list = json!({"type": "array", "items": text});
    let schema = json!({
        "type": "object",
        "properties": {"owner": text, "repo": text, "text": text, "count": {"type": "integer"}, "list": list},
        "required": ["owner", "repo", "text", "count", "list"],
    });
    let annotations = json!({"readOnlyHint": number.is_multiple_of(2)});
    let tool =
        json!({"name": format!("t{number}"), "inputSchema": schema, "annotations": annotations});
    serde_json::from_value(tool).expect("a tool")
}

/// Of every ten: five for a user and a tool, three for a group and a tool, one for a tool, one for
/// a group and a kind of tools.
fn text(count: usize) -> String {
    let mut text =
        String::from("permit(principal in Group::\"g1\", action in Action::\"s\", resource);\n");
    for number in 0..count {
        let effect = match number % 3 {
            0 => "forbid",
            _ => "permit",
        };
        let (tool, some, group) = (number % TOOLS, number % 100, number / 10 % 500);
        let (scope, condition) = match number % 10 {
            0..5 => (
                format!(r#"principal == User::"u{some}", action == Action::"s.t{tool}""#),
                r#"context.arguments.owner == "sandbox""#,
            ),
            5..8 => (
                format!(r#"principal in Group::"g{group}", action == Action::"s.t{tool}""#),
                r#"context.arguments.count > 5 && context.arguments.list.contains("z")"#,
            ),
            8 => (
                format!(r#"principal, action == Action::"s.t{tool}""#),
                r#"context.arguments.repo like "shop*""#,
            ),
            _ => (
                format!(r#"principal in Group::"g{group}", action in Action::"read-only""#),
                r#"context.client == "cursor""#,
            ),
        };
        writeln!(
            text,
            r#"@id("p{number}") {effect}({scope}, resource) when {{ {condition} }};"#
        )
        .expect("text");
    }
    text
}

criterion_group!(benches, policy);
criterion_main!(benches);
