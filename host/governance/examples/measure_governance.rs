//! What a call costs with each part, and with all: `cargo run --release -p ampoule-governance
//! --example measure_governance`.

#![expect(clippy::print_stdout, reason = "it prints what it measured")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_approvals::{ApprovalLimits, Asking, CommandLine, Store};
use ampoule_audit::{Log, Settings};
use ampoule_governance::{Builder, Governance, Known, RunFacts};
use ampoule_policy::{File, Sources};
use ampoule_privacy::Mode;
use ampoule_projection::Tool;
use ampoule_quota::{Limits, Quotas, Rule};
use ampoule_tools::{Call, CallContext, Deadline, Functions, Layers, RunId, ToolResult};
use serde_json::{Map, Value, json};

/// How many calls are timed at once, and how often; the fastest counts.
const CALLS: u32 = 20_000;
const TIMES: usize = 7;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let policies = |builder: Builder| builder.policies(sources());
    let quotas = |builder: Builder| -> Result<Builder, Box<dyn std::error::Error>> {
        let limits = Limits {
            calls_per_minute: Some(u32::MAX),
            calls_per_day: Some(u64::MAX),
            ..Limits::default()
        };
        let quotas = Quotas::new(vec![Rule::new("all", limits)], None)?;
        Ok(builder.quotas(Arc::new(quotas)))
    };
    let asking = |builder: Builder, name: &str| -> Result<Builder, Box<dyn std::error::Error>> {
        let store = Store::open(&folder.path().join(name), ApprovalLimits::default())?;
        Ok(builder.asking(Asking::new(store, vec![Arc::new(CommandLine)])))
    };
    let privacy = |builder: Builder| {
        let settings = ampoule_privacy::Settings {
            mode: Mode::Tokens,
            ..Default::default()
        };
        builder.privacy(settings, None)
    };
    let log = |name: &str| Log::open(&folder.path().join(name), Settings::default()).map(Arc::new);
    let builder = || Governance::builder().servers(vec![known()]);
    let none = measure("no part", builder(), Duration::ZERO).await?;
    measure("policies", policies(builder()), none).await?;
    measure("quotas", quotas(builder())?, none).await?;
    measure("asking, not asked", asking(builder(), "a")?, none).await?;
    measure("privacy: tokens", privacy(builder()), none).await?;
    measure("audit", builder().audit(log("one")?), none).await?;
    let all = privacy(asking(quotas(policies(builder()))?, "b")?);
    measure("all but the audit", all, none).await?;
    let all = privacy(asking(quotas(policies(builder()))?, "c")?).audit(log("two")?);
    measure("all", all, none).await?;
    Ok(())
}

/// As many as a small team has.
fn sources() -> Sources {
    let mut text = String::from("permit(principal, action, resource);\n");
    for number in 0..20 {
        text.push_str(&format!(
            "@id(\"p{number}\") forbid(principal == User::\"u{number}\", action == Action::\"s.t\", resource) when {{ context.labels.contains(\"l\") && context.arguments has owner && context.arguments.owner == \"x\" }};\n"
        ));
    }
    text.push_str("@id(\"own\") forbid(principal, action == Action::\"s.t\", resource) when { context.labels.contains(\"l\") && context.arguments.owner == \"x\" };");
    Sources {
        files: vec![File {
            name: "p.cedar".into(),
            text: text.into(),
        }],
        labels: serde_json::from_value(json!({"gives": {"s.*": "l"}})).unwrap_or_default(),
        ..Sources::default()
    }
}

fn tool() -> Tool {
    serde_json::from_value(json!({"name": "t", "inputSchema": {
        "type": "object", "required": ["owner"],
        "properties": {"owner": {"type": "string"}, "text": {"type": "string"}, "n": {"type": "integer"}},
    }}))
    .expect("a tool")
}

fn known() -> Known {
    Known {
        name: "s".into(),
        says_it_is: None,
        tools: Some(Arc::new([tool()])),
        offered: Arc::default(),
    }
}

async fn measure(
    what: &str,
    builder: Builder,
    beyond: Duration,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let governance = builder.build()?;
    let id = RunId::new();
    let run = governance.run(RunFacts::new(id)).await?;
    let layers = match governance.is_nothing() {
        true => Layers::default(),
        false => Layers::default().with(run.layer()),
    };
    let binding = Functions::new("s").raw(tool(), async |_: Map<String, Value>, _: CallContext| {
        ToolResult::returned(&json!({"ok": true}))
    });
    let (server, tool) = ("s".into(), "t".into());
    let deadline = Deadline::never();
    let arguments: Map<String, Value> =
        serde_json::from_value(json!({"owner": "acme", "text": "some words of it", "n": 3}))?;
    let mut best = Duration::MAX;
    for _ in 0..TIMES {
        let began = Instant::now();
        for number in 0..CALLS {
            let call = Call::new((id, number), (&server, &tool), None, deadline.time());
            let context = CallContext::new(call, 1 << 20, deadline.clone(), None);
            let next = layers.before(&binding, "t");
            next.call(arguments.clone(), context).await?;
        }
        best = best.min(began.elapsed() / CALLS);
    }
    let more = best.saturating_sub(beyond).as_nanos();
    println!("{what:>20}: {:>6} ns (+{more})", best.as_nanos());
    Ok(best)
}
