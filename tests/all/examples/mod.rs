//! The guests in `guests/examples`: each does what it says, on the demo server or on real ones.

mod wasi;

use std::path::Path;
use std::time::Duration;

use ampoule::upstream::{ServerCommand, Upstream, UpstreamOptions};
use ampoule::{Component, Grant, Runtime, RuntimeBuilder};
use ampoule_config::{Config, Reach};
use ampoule_tests::command::Workplace;
use ampoule_tests::{example, prepared, repository};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Runs a guest under the default limits, and gives the outcome as `--json` prints it.
async fn outcome(workplace: &Workplace, guest: &Path, arguments: &Value) -> Value {
    let guest = guest.to_str().expect("a path in UTF-8");
    let arguments = arguments.to_string();
    let ran = workplace
        .run(&["run", guest, "--json", "--quiet", "--arguments", &arguments])
        .await;
    let outcome = ran.json();
    let code = if outcome["ending"] == "returned" {
        0
    } else {
        1
    };
    assert_eq!(ran.code, Some(code), "{ran:?}");
    outcome
}

/// The value that a guest returns.
async fn value(workplace: &Workplace, guest: &Path, arguments: &Value) -> Value {
    let outcome = outcome(workplace, guest, arguments).await;
    assert_eq!(outcome["ending"], "returned", "{outcome}");
    outcome["value"].clone()
}

/// What a script returns that says the same.
async fn script(workplace: &Workplace, source: &str) -> Value {
    let ran = workplace.run(&["run", "--quiet", "-e", source]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()
}

/// How many calls were under way at once, on average over the run.
fn calls_at_once(outcome: &Value) -> f64 {
    let usage = &outcome["usage"];
    let millis = |used: &Value| used["wallMs"].as_f64().expect("milliseconds");
    let calls = usage["calls"].as_array().expect("calls");
    calls.iter().map(millis).sum::<f64>() / millis(usage)
}

#[tokio::test]
async fn calls_one_by_one() {
    let Some(guest) = example("calls_one_by_one", "rust-sequential") else {
        return;
    };
    let workplace = Workplace::default();
    let totals = value(&workplace, &guest, &json!({"from": "2026-07-01"})).await;
    let source = r#"
        const totals: Record<string, { orders: number; eur_cents: number }> = {};
        let cursor: string | null = null;
        do {
            const page = await tools.demo.listOrders({ from: "2026-07-01", limit: 200, cursor });
            for (const order of page.items) {
                const name = order.status[0].toUpperCase() + order.status.slice(1);
                const total = (totals[name] ??= { orders: 0, eur_cents: 0 });
                total.orders += 1;
                total.eur_cents += order.totalEurCents;
            }
            cursor = page.nextCursor;
        } while (cursor);
        return totals;"#;
    let wanted = script(&workplace, source).await;
    assert!(
        wanted.as_object().is_some_and(|totals| totals.len() > 2),
        "{wanted}"
    );
    assert_eq!(totals, wanted);
}

#[tokio::test]
async fn calls_at_once_take_as_long_as_one() {
    let Some(guest) = example("calls_at_once_take_as_long_as_one", "rust-concurrent") else {
        return;
    };
    let workplace = Workplace::default();
    let outcome = outcome(&workplace, &guest, &json!({"quarters": 2})).await;
    let forecast = outcome["value"].as_object().expect("an object");
    assert_eq!(forecast.len(), 4, "{outcome}");
    let source = "const { forecast } = await tools.demo.forecastRevenue({ quarters: 2, segment: 'mid_market' });
        return forecast.reduce((sum, quarter) => sum + quarter.expectedEurCents, 0)";
    let wanted = script(&workplace, source).await;
    assert_eq!(forecast["MidMarket"], wanted, "{outcome}");
    // Four calls of two seconds each: one by one, the first number would be 1 at most, and the
    // second 8,000.
    assert!(calls_at_once(&outcome) > 2.0, "{outcome}");
    let millis = outcome["usage"]["wallMs"].as_f64().expect("milliseconds");
    assert!(millis < 6000.0, "{outcome}");
}

#[tokio::test]
async fn a_tool_error_is_handled_or_ends_the_program() {
    let Some(guest) = example("a_tool_error_is_handled_or_ends_the_program", "rust-error") else {
        return;
    };
    let workplace = Workplace::default();
    let refused = value(&workplace, &guest, &json!({"order": "ORD-10001"})).await;
    assert_eq!(
        (&refused["order"], &refused["charged"]),
        (&json!("ORD-10001"), &json!(false))
    );
    assert!(
        refused["ticket"]
            .as_str()
            .is_some_and(|id| id.starts_with("TIC-")),
        "{refused}"
    );
    let source = r#"try { await tools.demo.chargeCard({ orderId: "ORD-10001" }) } catch (error) { return [error.message] }"#;
    assert_eq!(refused["because"], script(&workplace, source).await[0]);

    let outcome = outcome(&workplace, &guest, &json!({"order": "ORD-1"})).await;
    assert_eq!(outcome["ending"], "threw", "{outcome}");
    let source = r#"try { await tools.demo.getOrder({ orderId: "ORD-1" }) } catch (error) { return [error.message] }"#;
    assert_eq!(
        outcome["error"]["message"],
        script(&workplace, source).await[0]
    );
}

#[tokio::test]
async fn a_guest_in_python() {
    let Some(guest) = example("a_guest_in_python", "python") else {
        return;
    };
    let workplace = Workplace::default();
    let source = r#"
        const { items } = await tools.demo.listTickets({ status: "open", priority: "urgent" });
        const email = async (id: string) => (await tools.demo.getCustomer({ customerId: id })).contact.email;
        return Object.fromEntries(await Promise.all(items.map(async (ticket) => [ticket.id, await email(ticket.customerId)])));"#;
    let wanted = script(&workplace, source).await;
    let outcome = outcome(&workplace, &guest, &json!({"priority": "urgent"})).await;
    assert_eq!(outcome["value"], wanted, "{outcome}");
    assert!(
        wanted.as_object().is_some_and(|found| !found.is_empty()),
        "{wanted}"
    );
}

#[tokio::test]
async fn a_guest_in_javascript() {
    let Some(guest) = example("a_guest_in_javascript", "javascript") else {
        return;
    };
    let workplace = Workplace::default();
    let source = r#"
        const { items } = await tools.demo.listProducts({ category: "desks", lowStock: true });
        return Object.fromEntries(items.map((product) => [product.name, product.reorderLevel - product.stock]));"#;
    let wanted = script(&workplace, source).await;
    assert!(
        wanted.as_object().is_some_and(|found| !found.is_empty()),
        "{wanted}"
    );
    assert_eq!(
        value(&workplace, &guest, &json!({"category": "desks"})).await,
        wanted
    );
}

/// A workplace with files, and the two real servers configured as the example wants them.
fn with_servers(node: &Path, files: usize) -> Workplace {
    let workplace = Workplace::default();
    for file in 0..files {
        let words = vec!["word"; file + 1].join(" ");
        workplace.file(&format!("data/{file:02}.txt"), format!("{words}\nend\n"));
    }
    let root = workplace.path().canonicalize().expect("its real path");
    let server = |name: &str| {
        let file = node.join("node_modules/@modelcontextprotocol").join(name);
        json!(file.join("dist/index.js")).to_string()
    };
    let config = format!(
        "[servers.files]\ncommand = \"node\"\nargs = [{}, {}]\n\n[servers.memory]\ncommand = \"node\"\nargs = [{}]\nenv = {{ MEMORY_FILE_PATH = {} }}\n",
        server("server-filesystem"),
        json!(root.join("data")),
        server("server-memory"),
        json!(root.join("memory.jsonl")),
    );
    workplace.file("ampoule.toml", config);
    workplace
}

#[tokio::test]
async fn real_servers_of_files_and_memory() {
    let test = "real_servers_of_files_and_memory";
    let (Some(guest), Some(node)) = (
        example(test, "rust-servers"),
        prepared(test, "AMPOULE_TEST_NODE"),
    ) else {
        return;
    };
    let files = 40;
    let workplace = with_servers(&node, files);
    let folder = workplace
        .path()
        .canonicalize()
        .expect("its real path")
        .join("data");
    let outcome = outcome(&workplace, &guest, &json!({ "folder": folder })).await;
    let known = outcome["value"]
        .as_object()
        .unwrap_or_else(|| panic!("{outcome}"));
    assert_eq!(known.len(), files);
    for file in 0..files {
        let noted = &known[&format!("{file:02}.txt")];
        assert_eq!(*noted, json!(["2 lines", format!("{} words", file + 2)]));
    }
    // The server wrote it down: it is there for the next run, and for a script.
    let kept =
        std::fs::read_to_string(workplace.path().join("memory.jsonl")).expect("the server's file");
    assert_eq!(kept.lines().count(), files);
    let source =
        "return (await tools.memory.openNodes({ names: ['07.txt'] })).entities[0].observations";
    assert_eq!(
        script(&workplace, source).await,
        json!(["2 lines", "9 words"])
    );
}

#[tokio::test]
async fn files_of_a_real_server_are_read_at_once() {
    let test = "files_of_a_real_server_are_read_at_once";
    let (Some(guest), Some(node)) = (
        example(test, "rust-servers"),
        prepared(test, "AMPOULE_TEST_NODE"),
    ) else {
        return;
    };
    let files = 40;
    let workplace = with_servers(&node, files);
    let root = workplace.path().canonicalize().expect("its real path");
    let config = Config::load(&workplace.path().join("ampoule.toml")).expect("it is valid");
    let upstreams = config.servers.iter().map(|(name, server)| {
        let Reach::Process(command) = &server.reach else {
            panic!("{name} is no process");
        };
        let mut started = ServerCommand::new(&command.program).args(&command.args);
        (started.env, started.cwd) = (command.env.clone(), command.cwd.clone());
        Upstream::stdio(name.as_str(), started, UpstreamOptions::default())
    });
    let runtime = upstreams
        .fold(Runtime::builder(), RuntimeBuilder::binding)
        .build()
        .expect("a runtime");
    let arguments = RawValue::from_string(json!({ "folder": root.join("data") }).to_string());
    let component = Component::from_bytes(std::fs::read(guest).expect("the guest"))
        .expect("a component")
        .arguments(arguments.expect("JSON"));
    let mut most = 0.0;
    // The servers start in the first run.
    for _ in 0..3 {
        let isolate = runtime.isolate(component.clone()).grant(Grant::all());
        let outcome = isolate.run().await.expect("no host fault");
        outcome.value::<Value>().expect("it returns");
        let reads: Vec<_> = outcome
            .usage
            .calls
            .iter()
            .filter(|call| &*call.tool == "read_text_file")
            .collect();
        assert_eq!(reads.len(), files);
        let together: Duration = reads.iter().map(|call| call.wall_time).sum();
        let at_once = together.as_secs_f64() / outcome.usage.wall_time.as_secs_f64();
        most = f64::max(most, at_once);
    }
    // One by one, they would take no longer together than the run.
    assert!(most > 2.0, "{most}");
    runtime.close().await;
}

/// The files of a folder of packages, with their contents.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inside) = folders.pop() {
        for entry in std::fs::read_dir(&inside).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is inside");
                let text = std::fs::read_to_string(&path).expect("text");
                found.push((name.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn their_packages_are_those_of_the_servers() {
    let test = "their_packages_are_those_of_the_servers";
    let Some(node) = prepared(test, "AMPOULE_TEST_NODE") else {
        return;
    };
    let demo = Workplace::default();
    let real = with_servers(&node, 0);
    std::fs::create_dir(real.path().join("data")).expect("a folder");
    let examples = [
        (&demo, "rust-sequential", "demo.list_orders", false),
        (&demo, "rust-concurrent", "demo.forecast_revenue", false),
        (
            &demo,
            "rust-error",
            "demo.get_order,demo.charge_card,demo.create_ticket",
            false,
        ),
        (
            &real,
            "rust-servers",
            "files.list_directory,files.read_text_file,memory.create_entities,memory.open_nodes",
            false,
        ),
        (
            &demo,
            "python",
            "demo.list_tickets,demo.get_customer",
            false,
        ),
        (&demo, "javascript", "demo.list_products", true),
        (&demo, "rust-wasi", "demo.get_business", false),
    ];
    for (workplace, name, tools, sync) in examples {
        let mut arguments = vec![
            "tools",
            "generate",
            "--lang",
            "wit",
            "--out",
            name,
            "--servers",
            tools,
        ];
        arguments.extend(sync.then_some("--sync"));
        let ran = workplace.run(&arguments).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let kept = repository().join("guests/examples").join(name).join("wit");
        assert_eq!(
            files(&workplace.path().join(name).join("wit")),
            files(&kept),
            "{name}"
        );
    }
}
