//! Patterns of tools that mean no tool: `doctor` says what `serve` logs.

use std::process::Stdio;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::Workplace;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

fn workplace(rules: &str) -> Workplace {
    let workplace = Workplace::default();
    let demo = format!(
        "[servers.demo]\ncommand = {:?}\nargs = ['demo-server']\n",
        binary()
    );
    workplace.file("ampoule.toml", demo + rules);
    workplace
}

const MISSPELT: &str = "
[quotas.q]
tool = 'demo.charge_crad'
calls-per-day = 5
[quotas.right]
tool = 'demo.chargeCard'
calls-per-day = 5
[privacy]
mode = 'detect'
from = ['dmeo.get_customer']
[audit]
folder = 'audit'
arguments = { 'demo.close_tickt' = 'redacted', 'demo.get_*' = 'full' }
";

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().expect("a list").iter();
    list.map(|it| it.as_str().expect("a text")).collect()
}

#[tokio::test]
async fn doctor_says_what_serve_logs() {
    let workplace = workplace(MISSPELT);
    let looked = workplace.run(&["doctor", "--json"]).await;
    let document = looked.json();
    let mut warnings = texts(&document["warnings"]);
    warnings.sort_unstable();
    assert_eq!(
        warnings,
        [
            "[quotas.q] tool: `demo.charge_crad` matches no known tool; did you mean `charge_card`?",
            "audit.arguments: `demo.close_tickt` matches no known tool; did you mean `close_ticket` or `create_ticket` or `list_tickets`?",
            "privacy.from: the server `dmeo` is unknown; did you mean `demo`?",
        ]
    );
    assert_eq!(document["problem"], Value::Null);
    let looked = workplace.run(&["doctor"]).await;
    let said = looked
        .stdout
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    for warning in &warnings {
        assert_eq!(said.matches(warning).count(), 1, "{looked:?}");
    }
    // Who only looks writes nothing down.
    assert!(!workplace.path().join("audit").exists());

    let mut serve = workplace
        .command(binary(), &["serve"])
        .stdin(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut input = serve.stdin.take().expect("a pipe");
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "search_tools", "arguments": {"query": "card"}}}),
    ] {
        let line = format!("{message}\n");
        input.write_all(line.as_bytes()).await.expect("it reads");
    }
    let mut lines = BufReader::new(serve.stderr.take().expect("a pipe")).lines();
    let mut logged = String::new();
    let all = async {
        while !warnings.iter().all(|warning| logged.contains(warning)) {
            let line = lines.next_line().await.expect("text").expect("a line");
            logged += &format!("{line}\n");
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(60), all).await;
    waited.unwrap_or_else(|_| panic!("not all is logged"));
    serve.kill().await.expect("it ends");
}

#[tokio::test]
async fn doctor_says_why_serve_would_not_start_and_the_rest_nevertheless() {
    let roles = "[roles.everybody]\ntools = ['demo.get_custmer', 'demo']\n[labels.gives]\n'demo.get_custmer' = 'private'\n[approvals]\nask = ['demo.close_tickt']\n";
    let looked = workplace(&format!("{roles}{MISSPELT}"));
    let looked = looked.run(&["doctor", "--json"]).await;
    assert_eq!(looked.code, Some(1), "{looked:?}");
    let document = looked.json();
    let problem = document["problem"].as_str().expect("a text");
    for said in [
        "[roles.everybody]: the server `demo` has no tool `get_custmer`; did you mean `demo.get_customer`",
        "[labels.gives]: the server `demo` has no tool `get_custmer`; did you mean `demo.get_customer`",
        "the server `demo` has no tool `close_tickt`; did you mean `demo.close_ticket`",
    ] {
        assert!(problem.contains(said), "{problem}");
    }
    assert_eq!(texts(&document["warnings"]).len(), 3, "{document}");
    // Where all is right, nothing is said.
    let right = "[roles.everybody]\ntools = ['demo.get_customer', 'demo.list_*']\n[quotas.q]\ntool = 'demo'\ncalls-per-day = 5\n";
    let looked = workplace(right).run(&["doctor"]).await;
    assert!(!looked.stdout.contains("rules for tools"), "{looked:?}");
}

#[tokio::test]
async fn doctor_says_which_table_limits_or_leaves_out_nothing() {
    let idle = workplace("[servers.demo.tools]\n[quotas.q]\ntool = 'demo'\n");
    let looked = idle.run(&["doctor"]).await;
    assert_eq!(looked.code, Some(1), "{looked:?}");
    let said: Vec<_> = looked.stdout.split_whitespace().collect();
    let said = said.join(" ");
    for expected in [
        "[quotas]: the quota `q` limits nothing; give it a limit, or remove it",
        "`[servers.demo.tools]` is empty, so all tools of the server are there",
    ] {
        assert!(said.contains(expected), "{looked:?}");
    }
    // A server does not start with the first.
    let ran = idle.run(&["serve"]).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr.contains("the quota `q` limits nothing"),
        "{ran:?}"
    );
}

/// All places that have patterns of tools, with `@` where a pattern stands, and how each is called in
/// the message. A place that is new belongs here.
const PLACES: [(&str, &str); 14] = [
    ("[exposure]\ndirect = ['@']", "exposure.direct"),
    ("[exposure]\nlisted = ['@']", "exposure.listed"),
    ("[exposure]\nsearched = ['@']", "exposure.searched"),
    ("[roles.all]\ntools = ['@']", "[roles.all]"),
    ("[approvals]\nask = ['@']", "[approvals]"),
    ("[labels.gives]\n'@' = 'private'", "[labels.gives]"),
    (
        "[labels.gives]\ndemo = 'private'\n[labels.refuses]\n'@' = 'private'",
        "[labels.refuses]",
    ),
    ("[quotas.q]\ntool = '@'\ncalls-per-day = 5", "quotas.q.tool"),
    ("[privacy]\nmode = 'detect'\nfrom = ['@']", "[privacy]"),
    ("[privacy]\nmode = 'tokens'\nto = ['@']", "[privacy]"),
    (
        "[privacy]\nmode = 'tokens'\nto = [{ tools = '@', kinds = ['email'] }]",
        "[privacy]",
    ),
    (
        "[audit]\nfolder = 'audit'\narguments = { '@' = 'full' }",
        "audit.arguments",
    ),
    (
        "[toolkits.support]\ntools = ['@']",
        "toolkits.support.tools",
    ),
    (
        "[toolkits.support]\ntools = ['demo']\nexposure = { listed = ['@'] }",
        "toolkits.support.exposure.listed",
    ),
];

/// The same of the command line.
const OPTIONS: [&[&str]; 4] = [
    &["run", "--tools", "@", "script.ts"],
    &["check", "--tools", "@", "script.ts"],
    &["serve", "--tools", "@"],
    &["audit", "ls", "--tool", "@"],
];

const NO_PATTERN: &str = "is not a pattern for tools; write `server`, `server.tool` or";

#[tokio::test]
async fn no_place_takes_what_is_not_a_pattern() {
    for (rules, place) in PLACES {
        let workplace = workplace(&rules.replace('@', "demo."));
        let ran = workplace.run(&["doctor", "--json"]).await;
        assert_ne!(ran.code, Some(0), "{rules}: {ran:?}");
        let said = ran.stdout + &ran.stderr;
        assert!(
            said.contains(place) && said.contains(NO_PATTERN),
            "{rules}: {said}"
        );
    }
    // A rule of a server has no server's name.
    for list in ["allow", "deny"] {
        let workplace = workplace(&format!("[servers.demo.tools]\n{list} = ['']"));
        let ran = workplace.run(&["doctor"]).await;
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let said: Vec<_> = ran.stdout.split_whitespace().collect();
        let expected = format!("servers.demo.tools.{list}[0]: this is empty");
        assert!(said.join(" ").contains(&expected), "{ran:?}");
    }
    let workplace = workplace("");
    workplace.file("script.ts", "return 1");
    for arguments in OPTIONS {
        let arguments: Vec<String> = (arguments.iter())
            .map(|argument| argument.replace('@', "demo."))
            .collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = workplace.run(&arguments).await;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(NO_PATTERN), "{arguments:?}: {ran:?}");
    }
}
