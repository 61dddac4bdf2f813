//! How long policies take: `cargo run --release -p ampoule-policy --example decisions [COUNT]`.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use ampoule_policy::{Act, Caller, Effect, File, Policies, Request, RunLabels, Server, Sources};
use ampoule_projection::Tool;
use serde_json::json;

const TOOLS: usize = 500;

fn main() {
    let count = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(10_000);
    let tools: Vec<Tool> = (0..TOOLS).map(tool).collect();
    let servers = [Server {
        name: "s",
        says_it_is: None,
        tools: Some(&tools),
    }];
    let sources = Sources {
        files: vec![File {
            name: "p.cedar".into(),
            text: policies(count).into(),
        }],
        ..Sources::default()
    };
    let began = Instant::now();
    let policies = Policies::new(&sources, &servers).expect("policies");
    say("made", began.elapsed(), 1);
    let caller = Caller {
        groups: (0..20).map(|group| format!("g{group}").into()).collect(),
        client: "cursor".into(),
        ..Caller::new("u7")
    };
    let arguments = json!({"owner": "acme", "repo": "shop", "count": 3, "list": ["a", "b"], "text": "x".repeat(10_000)});
    let mut labels = RunLabels::new();
    labels.rise(&"untrusted".into(), read);
    let request = |tool| Request {
        caller: &caller,
        act: Act::Call {
            server: "s",
            tool,
            arguments: &arguments,
        },
        labels: &labels,
    };
    let mut effects = [0; 3];
    let began = Instant::now();
    for tool in &tools {
        let decision = policies.decide(&request(&tool.name));
        effects[match decision.effect {
            Effect::Allow => 0,
            Effect::Deny => 1,
            Effect::Ask => 2,
        }] += 1;
    }
    say("decided", began.elapsed(), tools.len());
    println!("allow, deny, ask: {effects:?}");
    let mut slowest = Duration::ZERO;
    for tool in &tools {
        let began = Instant::now();
        policies.decide(&request(&tool.name));
        slowest = slowest.max(began.elapsed());
    }
    say("slowest", slowest, 1);
    let began = Instant::now();
    let there = tools
        .iter()
        .filter(|tool| policies.may_ever(&caller, "s", &tool.name))
        .count();
    say("may ever", began.elapsed(), tools.len());
    println!("{there} of {TOOLS} tools exist");
}

fn read() -> ampoule_policy::LabelOrigin {
    ampoule_policy::LabelOrigin {
        call: Some(1),
        from: "mail.read".into(),
    }
}

fn say(what: &str, took: Duration, times: usize) {
    println!("{what}: {:.1} µs", took.as_secs_f64() * 1e6 / times as f64);
}

fn tool(number: usize) -> Tool {
    let text = json!({"type": "string"});
    let schema = json!({
        "type": "object",
        "properties": {"owner": text, "repo": text, "text": text, "count": {"type": "integer"}, "list": {"type": "array", "items": text}},
        "required": ["owner", "repo", "text", "count", "list"]
    });
    serde_json::from_value(json!({"name": format!("t{number}"), "inputSchema": schema, "annotations": {"readOnlyHint": number.is_multiple_of(2)}})).expect("a tool")
}

/// Of every ten: five for a user and a tool, three for a group and a tool, one for a tool, one for
/// a group and a kind of tools.
fn policies(count: usize) -> String {
    let mut text =
        String::from("permit(principal in Group::\"g1\", action in Action::\"s\", resource);\n");
    for number in 0..count {
        let group = number / 10 % 500;
        let (effect, tool) = (
            if number % 3 == 0 { "forbid" } else { "permit" },
            number % TOOLS,
        );
        let scope = match number % 10 {
            0..5 => format!(
                "principal == User::\"u{}\", action == Action::\"s.t{tool}\"",
                number % 100
            ),
            5..8 => format!("principal in Group::\"g{group}\", action == Action::\"s.t{tool}\""),
            8 => format!("principal, action == Action::\"s.t{tool}\""),
            _ => format!("principal in Group::\"g{group}\", action in Action::\"read-only\""),
        };
        let condition = match number % 4 {
            0 => "context.arguments.owner == \"sandbox\"",
            1 => "context.arguments.count > 5 && context.arguments.list.contains(\"z\")",
            2 => "context.client == \"cursor\"",
            _ => "context.arguments.repo like \"shop*\" || context.arguments.owner == \"acme\"",
        };
        let condition = if number % 10 == 9 {
            "context.client == \"x\""
        } else {
            condition
        };
        writeln!(text, "@id(\"p{number}\") @reason(\"because of {number}\") {effect}({scope}, resource) when {{ {condition} }};").expect("text");
    }
    text
}
