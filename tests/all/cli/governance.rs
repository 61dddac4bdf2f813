//! What policies and the audit log do to runs, and its numbers, as an operator types them.

use ampoule_tests::binary;
use ampoule_tests::command::{Ran, Workplace};
use serde_json::{Value, json};

/// A configuration of the demo server.
pub(crate) fn governed(workplace: &Workplace, more: &str) {
    let server = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n",
        binary()
    );
    workplace.file("ampoule.toml", format!("{more}\n{server}"));
}

const CLOSE: &str =
    "return (await tools.demo.closeTicket({ ticketId: 'TIC-0002', resolution: 'x' })).status";

#[tokio::test]
async fn a_call_that_nobody_can_allow_fails_at_once_and_says_how() {
    let workplace = Workplace::default();
    governed(&workplace, "approvals.ask = 'destructive'");
    let ran = workplace.run(&["run", "-q", "-e", CLOSE]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let told = "a person must allow calls of demo.close_ticket (policy `approvals: ask`), and nobody can be asked";
    assert!(ran.stderr.contains(told), "{ran:?}");
    // `[approvals]` is set up, so what helps is a place where people can answer.
    assert!(!ran.stderr.contains("set up [approvals]"), "{ran:?}");
    assert!(ran.stderr.contains("has `command-line`"), "{ran:?}");
    // Others go on.
    let read = "return (await tools.demo.listProducts({})).total";
    let ran = workplace.run(&["run", "-q", "-e", read]).await;
    assert_eq!((ran.code, ran.json()), (Some(0), json!(40)), "{ran:?}");
    // Without places, nobody is asked, even at a terminal.
    governed(
        &workplace,
        "approvals = { ask = 'demo.close_ticket', places = [] }",
    );
    let ran = workplace.run(&["run", "-q", "-e", CLOSE]).await;
    assert!(ran.stderr.contains("nobody can be asked"), "{ran:?}");
}

#[tokio::test]
async fn a_tool_that_is_never_allowed_does_not_exist() {
    let workplace = Workplace::default();
    governed(
        &workplace,
        "[roles.all]\ntools = ['demo']\nread-only = true",
    );
    let listed = workplace.run(&["tools"]).await;
    assert!(listed.stdout.contains("demo.listProducts"), "{listed:?}");
    assert!(!listed.stdout.contains("closeTicket"), "{listed:?}");
    let ran = workplace.run(&["run", "-q", "-e", CLOSE]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(!ran.stderr.contains("close_ticket"), "{ran:?}");
    let generated = ["tools", "generate", "--lang", "python", "--out", "out"];
    assert_eq!(workplace.run(&generated).await.code, Some(0));
    let found = workplace.run(&["tools", "search", "close", "ticket"]).await;
    assert!(!found.stdout.contains("closeTicket"), "{found:?}");
}

/// The events of some kinds.
pub(super) async fn events(workplace: &Workplace, kinds: &str) -> Vec<Value> {
    let shown = workplace
        .run(&["audit", "ls", "--json", "--all", "--kind", kinds])
        .await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    let lines = shown.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

const READ_AND_WRITE: &str = "const { items } = await tools.demo.listCustomers({ limit: 1 });\n\
    await tools.demo.createTicket({ customerId: items[0].id, subject: 's', text: 'b' });\nreturn 1";

#[tokio::test]
async fn what_was_done_is_on_record() {
    let workplace = Workplace::default();
    governed(
        &workplace,
        "[audit]\narguments = { 'demo.create_ticket' = 'full' }\n[labels.gives]\n'demo.list_customers' = 'customers'",
    );
    let ran = workplace.run(&["run", "-q", "-e", READ_AND_WRITE]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "1\n"), "{ran:?}");
    let asked = events(&workplace, "call-asked").await;
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert_eq!(asked[1]["arguments"]["full"]["subject"], "s");
    assert_eq!(asked[0]["arguments"]["full"], Value::Null);
    // Which read put the label there.
    let run = asked[0]["run"].as_str().expect("a run");
    let explained = workplace
        .run(&[
            "policy", "explain", "--json", "--call", "model", "--run", run,
        ])
        .await
        .json();
    let label = &explained["labels"][0];
    assert_eq!(
        (&label["label"], &label["read"]["from"]),
        (&json!("customers"), &json!("demo.list_customers"))
    );
    assert_eq!(label["read"]["call"], asked[0]["call"]);
    let verified = workplace.run(&["audit", "verify", "--json"]).await;
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let verified = verified.json();
    assert_eq!(
        (&verified["whole"], &verified["unsigned"]),
        (&json!(true), &json!(0)),
        "{verified}"
    );
    assert_eq!(verified["findings"], json!([]));
    for (format, begins) in [("ocsf", "{"), ("otlp", "{"), ("jsonl", "{")] {
        let out = workplace
            .run(&["audit", "export", "--format", format])
            .await;
        assert!(out.stdout.starts_with(begins), "{out:?}");
    }
    let file = [
        "audit",
        "export",
        "--format",
        "ocsf",
        "--out",
        "events.jsonl",
    ];
    assert_eq!(workplace.run(&file).await.code, Some(0));
    let again = workplace.run(&file).await;
    assert_eq!(again.code, Some(2), "what is there stays: {again:?}");
    let stats = workplace.run(&["audit", "stats", "--json"]).await.json();
    assert_eq!(
        (&stats["all"]["runs"], &stats["all"]["calls"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(stats["principals"][0]["name"], "local");
    let by_tool = workplace.run(&["audit", "stats", "--by", "tool"]).await;
    assert!(
        by_tool.stdout.contains("demo.create_ticket  1 calls"),
        "{by_tool:?}"
    );
    assert!(!by_tool.stdout.contains("principals:"), "{by_tool:?}");
}

#[tokio::test]
async fn who_changes_the_record_is_found_out() {
    let workplace = Workplace::default();
    governed(&workplace, "audit.folder = 'log'");
    let ran = workplace.run(&["run", "-q", "-e", READ_AND_WRITE]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let key = workplace.run(&["audit", "key"]).await.stdout;
    let shown = workplace.run(&["audit", "key", "--json"]).await;
    assert_eq!(shown.json()["key"], key.trim());
    let whole = workplace
        .run(&["audit", "verify", "--key", key.trim()])
        .await;
    assert!(whole.stdout.starts_with("the log is intact: "), "{whole:?}");
    let folder = workplace.path().join("log");
    let is_chain = |path: &std::path::Path| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("\"kind\":\"call-asked\""))
    };
    let mut paths = std::fs::read_dir(folder).expect("a log").flatten();
    let chain = paths
        .find(|entry| is_chain(&entry.path()))
        .expect("a chain")
        .path();
    let text = std::fs::read_to_string(&chain).expect("text");
    std::fs::write(&chain, text.replacen("create_ticket", "close_ticket", 1)).expect("a file");
    let changed = workplace.run(&["audit", "verify"]).await;
    assert_eq!(changed.code, Some(1), "{changed:?}");
    assert!(
        changed.stdout.contains("this line was changed"),
        "{changed:?}"
    );
}

#[tokio::test]
async fn changes_by_command_are_on_record() {
    let workplace = Workplace::default();
    governed(&workplace, "audit = {}");
    for arguments in [
        &["run", "-q", "--session", "one", "-e", "const a = 1"][..],
        &["sessions", "fork", "one", "two"],
        &["sessions", "rm", "one"],
        &["sessions", "ls"],
    ] {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
    }
    let sessions = events(&workplace, "session").await;
    let told: Vec<_> = sessions
        .iter()
        .map(|event| (event["action"].as_str(), event["name"].as_str()))
        .collect();
    assert!(
        told.ends_with(&[
            (Some("forked"), Some("two")),
            (Some("removed"), Some("one"))
        ]),
        "{told:?}"
    );
    let logout = workplace
        .run(&["auth", "logout", "--url", "https://example.invalid"])
        .await;
    assert_eq!(logout.code, Some(0), "{logout:?}");
    assert_eq!(
        events(&workplace, "sign-in").await[0]["outcome"],
        "signed-out"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_command_is_said() {
    let workplace = Workplace::default();
    governed(&workplace, "");
    for (arguments, said) in [
        (
            &["audit", "verify"][..],
            "the audit log is off: add the line `[audit]` to ampoule.toml",
        ),
        (&["audit", "stats"], "the audit log is off"),
        (
            &["audit", "ls", "--since", "soon"],
            "write a time like `2026-11-24`",
        ),
        (
            &["audit", "ls", "--tool", "a."],
            "is not a pattern for tools",
        ),
        (
            &["audit", "export", "--format", "xml"],
            "use `jsonl`, `ocsf` or `otlp`",
        ),
        (
            &["audit", "verify", "--key", "x"],
            "`ampoule audit key` prints one",
        ),
        (
            &["approvals", "allow", "12345678"],
            "unknown question `12345678`",
        ),
        (
            &["approvals", "allow", "1", "--run", "--session", "1h"],
            "cannot be used with",
        ),
    ] {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(said), "{arguments:?}: {ran:?}");
    }
    for (config, said) in [
        ("[quotas.a]\nper = 'tool'", "the quota `a` limits nothing"),
        (
            "[privacy]\nmode = 'tokens'\nkinds = ['mail']",
            "there is no kind `mail`",
        ),
        (
            "[policies]\nfolder = 'none'",
            "the folder of policies can't be read",
        ),
        ("[approvals]\nask = 'demo.get_busines'", "demo.get_business"),
        (
            "approvals.ask = 'destructive'\n[approvals.webhook]\nurl = 'https://x.example'\nsecret = 'short'",
            "approvals.webhook.secret: ",
        ),
    ] {
        governed(&workplace, config);
        let ran: Ran = workplace.run(&["run", "-e", "1"]).await;
        assert_eq!(ran.code, Some(2), "{config}: {ran:?}");
        assert!(ran.stderr.contains(said), "{config}: {ran:?}");
    }
}

/// A start that is refused is told once, and nothing else is: the audit log was not even opened.
#[tokio::test]
async fn a_refused_start_warns_of_nothing_else() {
    let workplace = Workplace::default();
    governed(&workplace, "[audit]\n[quotas.a]\nper = 'tool'");
    for arguments in [&["run", "-e", "1"][..], &["serve"]] {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        let said = ran.stderr.trim();
        assert!(said.contains("the quota `a` limits nothing"), "{ran:?}");
        assert_eq!(said.lines().count(), 1, "{ran:?}");
    }
}

/// Waits until the log of a server has an event of that outcome.
pub(super) async fn comes_to(workplace: &Workplace, kind: &str, outcome: &str) {
    for _ in 0..600 {
        let events = events(workplace, kind).await;
        if events.iter().any(|event| event["outcome"] == outcome) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("no {kind} came to {outcome}");
}

#[tokio::test]
async fn stats_say_which_tools_a_model_sees_without_a_search() {
    let workplace = Workplace::default();
    governed(
        &workplace,
        "[audit]\n[exposure]\ndirect = ['demo.get_order']\nlisted = ['demo.list_*']",
    );
    // The server's tools are known from then on.
    let code = "return (await tools.demo.listOrders({ limit: 1 })).items.length";
    let ran = workplace.run(&["run", "-e", code]).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let shown = workplace.run(&["audit", "stats", "--json"]).await.json()["shown"].clone();
    assert_eq!(shown["direct"], json!(["demo.get_order"]), "{shown}");
    let signatures = shown["listed"].as_array().expect("a list");
    assert!(signatures.contains(&json!("demo.list_orders")), "{shown}");
    assert!(!signatures.contains(&json!("demo.charge_card")), "{shown}");
    assert_eq!(shown["others"], 14 - 1 - signatures.len(), "{shown}");
    assert!(shown["tokens"].as_u64().is_some_and(|tokens| tokens > 20));
    let told = workplace.run(&["audit", "stats"]).await.stdout;
    assert!(
        told.contains("tools of their own: demo.get_order"),
        "{told}"
    );
}
