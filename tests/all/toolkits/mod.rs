//! Toolkits of a configuration: over standard input and output and over HTTP, with tokens and roles,
//! with what people are asked and what is recorded; `commands`: on the command line.

mod commands;

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Served, Workplace};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::principals::{Principal, text};
use crate::serving::{PATIENCE, Serving};

const TOOLKITS: &str = r#"
[toolkits.support]
tools = ["demo.get_*", "demo.close_ticket"]
description = "Tickets of the shop."
[toolkits.reports]
tools = ["demo.list_*"]
"#;

/// Which tools scripts find.
const FOUND: &str = "const all = await tools.$search('', { limit: 99 });
    return all.map((tool) => `${tool.server}.${tool.name}`).join()";
/// A run that waits for long.
const WAITS: &str = "await new Promise((done) => setTimeout(done, 3_600_000))";

fn workplace(more: &str) -> Workplace {
    let workplace = Workplace::default();
    write(&workplace, &format!("{TOOLKITS}{more}"));
    workplace
}

/// The configuration, with the demo server.
fn write(workplace: &Workplace, text: &str) {
    let binary = binary();
    let demo = format!("[servers.demo]\ncommand = {binary:?}\nargs = [\"demo-server\"]\n");
    workplace.file("ampoule.toml", format!("{text}\n{demo}"));
}

fn names(ran: &Ran) -> Vec<String> {
    let listed = ran.json();
    let tools = listed["tools"].as_array().expect("tools").iter();
    tools
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect()
}

/// The text of what a script gives over standard input and output.
async fn runs(served: &mut Served, arguments: Value) -> String {
    let call = json!({ "name": "execute_code", "arguments": arguments });
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
    text(&served.ask(request).await["result"]).to_owned()
}

#[tokio::test]
async fn a_toolkit_over_standard_input_and_output_follows_the_configuration() {
    let workplace = workplace("");
    let mut served = Served::start(&workplace, &["--toolkit", "support"]);
    let info = served.greet().await;
    let instructions = info["instructions"].as_str().expect("instructions");
    assert!(
        instructions.starts_with("Tickets of the shop."),
        "{instructions}"
    );
    let found = runs(&mut served, json!({ "code": FOUND })).await;
    assert!(
        found.contains("get_order") && !found.contains("list"),
        "{found}"
    );

    // Half of a file changes nothing; a right one does, while the client is connected.
    write(&workplace, "[toolkits.support]\ntools = [");
    write(&workplace, "[toolkits.support]\ntools = ['demo.list_*']\n");
    let changed = async {
        loop {
            let found = runs(&mut served, json!({ "code": FOUND })).await;
            if !found.contains("get_order") {
                break found;
            }
        }
    };
    let found = timeout(PATIENCE, changed).await.expect("the new tools");
    assert!(found.contains("list_orders"), "{found}");
    write(&workplace, TOOLKITS.replace("support", "other").as_str());
    let gone = async { while runs(&mut served, json!({ "code": FOUND })).await != "\"\"" {} };
    timeout(PATIENCE, gone).await.expect("no tools");
    served.close().await;
}

#[tokio::test]
async fn a_client_hears_on_its_connection_that_its_toolkit_has_changed() {
    let workplace = workplace("");
    let mut served = Served::greeted(&workplace, &["--toolkit", "support"]).await;
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" });
    served.ask(list).await;
    write(&workplace, "[toolkits.support]\ntools = ['demo.list_*']\n");
    let told = served.next().await.expect("a notification");
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    let found = runs(&mut served, json!({ "code": FOUND })).await;
    assert!(found.contains("list_orders"), "{found}");
    served.close().await;
}

const GOVERNED: &str = r#"
[serve.auth]
tokens = "tokens"
[roles.everywhere]
principals = ["bob"]
tools = ["demo"]
[roles.support]
principals = ["ada"]
toolkits = ["support"]
tools = ["demo"]
[quotas.few]
toolkit = "reports"
runs-per-day = 2
[approvals]
ask = "demo.close_ticket"
places = ["command-line"]
[audit]
folder = "log"
[records]
keep = "all"
"#;

#[tokio::test]
async fn roles_quotas_questions_and_records_know_the_toolkit() {
    let workplace = workplace(GOVERNED);
    let tokens = [
        Principal::token(&workplace, "ada").await,
        Principal::token(&workplace, "bob").await,
    ];
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let addresses = ["", "/support", "/reports"].map(|beneath| format!("{}{beneath}", server.at));
    let at = |place: usize, who: usize| {
        Principal::new(&addresses[place], tokens[who].clone(), json!({}))
    };
    let (ada, bob) = (0, 1);
    let found = async |place: usize, who: usize| {
        let found = at(place, who).executes(json!({ "code": FOUND })).await;
        text(&found).to_owned()
    };
    // Her role holds within one toolkit, and adds nothing to it.
    assert!(found(1, ada).await.contains("get_order"));
    assert!(!found(1, ada).await.contains("list_orders"));
    for elsewhere in [0, 2] {
        let none = found(elsewhere, ada).await;
        assert!(!none.contains("demo"), "{none}");
    }
    assert!(found(0, bob).await.contains("list_orders"));
    assert!(found(2, bob).await.contains("list_orders"));
    // One run of his was there before; hers have their own count.
    let last = at(2, bob).executes(json!({ "code": "return 2" })).await;
    assert_eq!(text(&last), "2");
    let refused = at(2, bob).executes(json!({ "code": "return 3" })).await;
    assert!(text(&refused).contains("2 runs a day"), "{refused}");
    assert_eq!(
        text(&at(0, bob).executes(json!({ "code": "return 4" })).await),
        "4"
    );

    let closes = "return await tools.demo.closeTicket({ ticketId: 'TIC-1', resolution: 'done' })";
    let asked = at(1, ada)
        .executes(json!({ "code": closes, "wait": 0 }))
        .await;
    assert!(text(&asked).contains("continues"), "{asked}");
    let question = async {
        loop {
            let listed = workplace.run_at_home(&["approvals", "--json"]).await;
            if listed.stdout.contains("close_ticket") {
                break listed.stdout;
            }
        }
    };
    let question = timeout(PATIENCE, question).await.expect("a question");
    assert!(question.contains(r#""toolkit":"support""#), "{question}");
    let rows = workplace.run_at_home(&["runs"]).await.stdout;
    assert!(
        rows.contains("TOOLKIT") && rows.contains("support"),
        "{rows}"
    );
    let metrics = at(0, bob).metrics().await;
    assert!(
        metrics.contains(r#"ampoule_toolkit_runs_total{toolkit="reports"} 4"#),
        "{metrics}"
    );
    server.stopped().await;

    let log = workplace
        .run_at_home(&["audit", "ls", "--json", "--all"])
        .await
        .stdout;
    let started = log.lines().filter(|line| line.contains("run-started"));
    let of = |toolkit: &str| {
        let field = format!(r#""toolkit":"{toolkit}""#);
        started.clone().filter(|line| line.contains(&field)).count()
    };
    assert!(of("support") >= 3 && of("reports") >= 2, "{log}");
    let denied = log.lines().find(|line| line.contains("request-denied"));
    assert!(
        denied.is_some_and(|it| it.contains(r#""toolkit":"reports""#)),
        "{log}"
    );
}

#[tokio::test]
async fn a_parked_run_a_resumed_one_and_a_replay_keep_their_toolkit() {
    let workplace = workplace("[runs]\npark-after = '50ms'\n");
    let mut served = Served::greeted(&workplace, &["--toolkit", "support"]).await;
    let code = "await new Promise((done) => setTimeout(done, 1500));
        const found = await tools.$search('', { limit: 99 });
        return found.map((tool) => `${tool.server}.${tool.name}`).join()";
    let started = runs(&mut served, json!({ "code": code, "wait": 0.2 })).await;
    let id = started.split_whitespace().nth(1).expect("an id").to_owned();
    let row = async |state: &str| loop {
        let listed = workplace.run(&["runs", "--json"]).await.stdout;
        let mut rows = listed
            .lines()
            .map(|row| serde_json::from_str::<Value>(row).expect("JSON"));
        if let Some(row) = rows.find(|row| row["state"] == state) {
            break row;
        }
    };
    let parked = timeout(PATIENCE, row("parked"))
        .await
        .expect("a parked run");
    assert_eq!(parked["toolkit"], "support", "{parked}");
    drop(served);
    let left = timeout(PATIENCE, row("left"))
        .await
        .expect("a run that is left");
    assert_eq!(left["toolkit"], "support", "{left}");
    let shown = workplace.run(&["runs", "show", &id]).await;
    assert!(shown.stdout.contains("toolkit: support"), "{shown:?}");

    // The process that resumes it serves all tools, where it is unknown; it keeps its own.
    let mut whole = Served::greeted(&workplace, &[]).await;
    let unknown = runs(&mut whole, json!({ "run": id })).await;
    assert!(unknown.starts_with("unknown run"), "{unknown}");
    timeout(PATIENCE, row("returned")).await.expect("its end");
    let unknown = runs(&mut whole, json!({ "run": id })).await;
    assert!(unknown.starts_with("unknown run"), "{unknown}");
    whole.close().await;
    let mut again = Served::greeted(&workplace, &["--toolkit", "support"]).await;
    let ended = runs(&mut again, json!({ "run": id })).await;
    assert!(
        ended.contains("get_order") && !ended.contains("list_orders"),
        "{ended}"
    );
    again.close().await;

    let recorded = [
        "run",
        "--record",
        "--json",
        "--toolkit",
        "support",
        "-e",
        FOUND,
    ];
    let ran = workplace.run(&recorded).await.json();
    let record = ran["record"].as_str().expect("a record");
    let shown = workplace.run(&["runs", "show", record]).await;
    assert!(shown.stdout.contains("toolkit: support"), "{shown:?}");
    let replayed = workplace
        .run(&["runs", "replay", record, "--json"])
        .await
        .json();
    assert_eq!(replayed["outcome"]["value"], ran["value"], "{replayed}");
    assert!(
        ran["value"]
            .as_str()
            .is_some_and(|it| !it.contains("list_orders")),
        "{ran}"
    );
}

#[tokio::test]
async fn a_toolkit_over_http_has_an_address_and_its_runs_are_its_own() {
    let workplace = workplace("[serve.auth]\ntokens = 'tokens'\n");
    let token = Principal::token(&workplace, "ada").await;
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let addresses = ["", "/support", "/reports", "/nobody", "/support/"];
    let addresses = addresses.map(|beneath| format!("{}{beneath}", server.at));
    let at = |place: usize| Principal::new(&addresses[place], token.clone(), json!({}));
    let begun = at(1).executes(json!({ "code": WAITS, "wait": 0 })).await;
    let id = text(&begun).split(' ').nth(1).expect("an id").to_owned();
    for place in [0, 2] {
        let unknown = at(place)
            .executes(json!({ "run": id, "cancel": true }))
            .await;
        assert!(text(&unknown).starts_with("unknown run"), "{unknown}");
    }
    let over = at(1).executes(json!({ "run": id, "cancel": true })).await;
    assert!(text(&over).contains("cancelled"), "{over}");
    let http = super::serving::client();
    for place in [3, 4] {
        let post = http.post(&addresses[place]).bearer_auth(&token).body("{}");
        let answer = post.send().await.expect("an answer");
        assert_eq!(answer.status(), 404);
        let said = answer.text().await.expect("a body");
        assert!(said.contains("unknown toolkit"), "{said}");
    }
    let unsigned = http
        .post(&addresses[1])
        .body("{}")
        .send()
        .await
        .expect("an answer");
    assert_eq!(unsigned.status(), 401);
    server.stopped().await;
}
