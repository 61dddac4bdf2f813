//! Calls that models and people take back: over stdio, over HTTP, and at the command line.

use ampoule_tests::binary;
use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::terminal::Terminal;
use serde_json::{Value, json};

use super::super::principals::{Principal, text};
use super::super::serving::Serving;

const SERVER: &str = env!("CARGO_BIN_EXE_listed-server");

const FAILS: &str = "await tools.tracker.create_issue({ title: 'a' }); throw new Error('no')";

/// A folder with a configuration, whose server says what it was called with.
fn workplace(more: &str) -> Workplace {
    let workplace = Workplace::default();
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let log = workplace.path().join("calls");
    let listed = json!({
        "tools": [tool("create_issue"), tool("delete_issue"), tool("label_issue")],
        "answers": {
            "create_issue": { "content": [], "structuredContent": { "id": 7 } },
            "delete_issue": { "content": [], "structuredContent": { "deleted": true } },
        },
        "log": log,
    });
    let file = workplace.file("listed.json", listed.to_string());
    let config = format!(
        "{more}\n[servers.tracker]\ncommand = {SERVER:?}\nargs = [{file:?}]\n\n[servers.tracker.tools.undo]\ncreate_issue = \"delete_issue({{ id: result.id }})\"\n"
    );
    workplace.file("ampoule.toml", config);
    workplace
}

fn calls(workplace: &Workplace) -> Vec<String> {
    let calls = std::fs::read_to_string(workplace.path().join("calls")).unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

const TAKEN_BACK: [&str; 2] = [r#"create_issue {"title":"a"}"#, r#"delete_issue {"id":7}"#];

/// The run that an answer offers to undo.
fn offered(result: &Value) -> String {
    let all = result["content"].to_string();
    let (_, after) = all
        .split_once(r#"{\"run\": \""#)
        .unwrap_or_else(|| panic!("{result}"));
    let (run, rest) = after.split_once('\\').unwrap();
    assert!(rest.starts_with(r#"", \"undo\": true}"#), "{rest}");
    run.to_owned()
}

#[tokio::test]
async fn a_model_takes_back_over_stdio() {
    let workplace = workplace("");
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut id = 0;
    let mut ask = async |method: &str, params: Value| {
        id += 1;
        let question = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        served.ask(question).await["result"].clone()
    };
    let listed = ask("tools/list", json!({})).await;
    let schema = &listed["tools"][0]["inputSchema"]["properties"];
    assert_eq!(schema["undo"], json!({ "type": "boolean" }), "{schema}");
    let mut executes = async |arguments: Value| {
        ask(
            "tools/call",
            json!({ "name": "execute_code", "arguments": arguments }),
        )
        .await
    };
    let failed = executes(json!({ "code": FAILS, "language": "javascript" })).await;
    assert_eq!(failed["isError"], true);
    let run = offered(&failed);
    let undone = executes(json!({ "run": run, "undo": true })).await;
    assert_ne!(undone["isError"], true, "{undone}");
    assert!(text(&undone).contains("create_issue"), "{undone}");
    assert_eq!(calls(&workplace), TAKEN_BACK);
    for (arguments, why) in [
        (json!({ "run": run, "undo": true }), "a run is undone once"),
        (
            json!({ "run": "d365-1", "undo": true }),
            "unknown run `d365-1`",
        ),
        (json!({ "undo": true }), "name it with `run`"),
        (
            json!({ "run": run, "code": "return 1", "undo": true }),
            "give one of them",
        ),
    ] {
        let refused = executes(arguments).await;
        assert!(
            refused["isError"] == true && text(&refused).contains(why),
            "{refused}"
        );
    }
    assert_eq!(calls(&workplace).len(), 2);
    served.close().await;
}

#[tokio::test]
async fn over_http_a_run_is_its_principals() {
    let workplace = workplace("");
    let tokens = [
        Principal::token(&workplace, "ada").await,
        Principal::token(&workplace, "bob").await,
    ];
    let config = std::fs::read_to_string(workplace.path().join("ampoule.toml")).unwrap();
    workplace.file(
        "ampoule.toml",
        format!("{config}[serve.auth]\ntokens = 'tokens'\n"),
    );
    let server = Serving::start(&workplace, &["serve", "--http", "0"]).await;
    let [ada, bob] = tokens.map(|token| Principal::new(&server.at, token, json!({})));
    let failed = ada
        .executes(json!({ "code": FAILS, "language": "javascript" }))
        .await;
    let run = offered(&failed);
    let unknown = bob.executes(json!({ "run": run, "undo": true })).await;
    assert!(text(&unknown).contains("unknown run"), "{unknown}");
    assert_eq!(calls(&workplace).len(), 1);
    let undone = ada.executes(json!({ "run": run, "undo": true })).await;
    assert_ne!(undone["isError"], true, "{undone}");
    assert_eq!(calls(&workplace), TAKEN_BACK);
    server.stopped().await;
}

#[tokio::test]
async fn without_a_rule_models_read_nothing_of_it() {
    let workplace = workplace("");
    let config = std::fs::read_to_string(workplace.path().join("ampoule.toml")).unwrap();
    let (config, _) = config.split_once("[servers.tracker.tools.undo]").unwrap();
    workplace.file("ampoule.toml", config);
    let mut served = Served::greeted(&workplace, &[]).await;
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let listed = served.ask(list).await.to_string();
    assert!(!listed.contains("undo"), "{listed}");
    let params =
        json!({ "name": "execute_code", "arguments": { "code": FAILS, "language": "javascript" } });
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params });
    let failed = served.ask(call).await.to_string();
    assert!(!failed.contains("taken back"), "{failed}");
    served.close().await;
}

#[tokio::test]
async fn at_the_command_line_after_the_process_has_ended() {
    let workplace = workplace("[records]\nkeep = \"failures\"\n");
    let failed = workplace
        .run(&["run", "--language", "javascript", "-e", FAILS])
        .await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let (_, after) = failed
        .stderr
        .split_once("ampoule runs undo ")
        .unwrap_or_else(|| panic!("{failed:?}"));
    let run = after.split(['`', '\n', ' ']).next().unwrap();
    let unasked = workplace.run(&["runs", "undo"]).await;
    assert_eq!(unasked.code, Some(2), "{unasked:?}");
    let shown = "tracker.delete_issue({\"id\":7}) takes back tracker.create_issue (call 0)";
    assert!(unasked.stderr.contains(shown), "{unasked:?}");
    assert!(unasked.stderr.contains("add `--yes`"), "{unasked:?}");
    assert_eq!(calls(&workplace).len(), 1);
    let undone = workplace.run(&["runs", "undo", "--yes"]).await;
    assert_eq!(undone.code, Some(0), "{undone:?}");
    assert_eq!(undone.stdout, "took back tracker.create_issue (call 0)\n");
    assert_eq!(calls(&workplace), TAKEN_BACK);
    for arguments in [
        vec!["runs", "undo", run, "--yes"],
        vec!["runs", "undo", "--yes"],
    ] {
        let again = workplace.run(&arguments).await;
        assert_eq!(again.code, Some(2), "{again:?}");
    }
    assert_eq!(calls(&workplace).len(), 2);
    let failed = workplace
        .run(&["run", "--language", "javascript", "-e", FAILS])
        .await;
    assert_eq!(failed.code, Some(1));
    let undone = workplace
        .run(&["runs", "undo", "--yes", "--json"])
        .await
        .json();
    assert_eq!(
        undone["value"]["takenBack"][0]["tool"], "create_issue",
        "{undone}"
    );
}

#[tokio::test]
async fn a_person_at_the_terminal_is_asked() {
    let workplace = workplace("[records]\nkeep = \"failures\"\n");
    let failed = workplace
        .run(&["run", "--language", "javascript", "-e", FAILS])
        .await;
    assert_eq!(failed.code, Some(1));
    for (typed, code, made) in [("n\n", 0, 1), ("y\n", 0, 2)] {
        let mut terminal = Terminal::start(&workplace, 100, &[], &binary(), &["runs", "undo"]);
        terminal
            .shows("Make this call? (y/n, Ctrl-C cancels)")
            .await;
        terminal.types(typed).await;
        let left = terminal.end().await;
        assert_eq!(left.code, Some(code), "{}", left.text());
        assert_eq!(calls(&workplace).len(), made, "{}", left.text());
    }
}

#[tokio::test]
async fn the_doctor_tells_of_misspelt_tools() {
    let workplace = workplace("");
    let config = std::fs::read_to_string(workplace.path().join("ampoule.toml")).unwrap();
    let config = format!(
        "{config}label_isue = \"tracker.delete_issue()\"\nlabel_issue = \"mail.delete_isue()\"\n[servers.mail]\ncommand = {SERVER:?}\nargs = [\"listed.json\"]\n"
    );
    workplace.file("ampoule.toml", config);
    let told = workplace.run(&["doctor", "--json"]).await.json();
    let servers = told["servers"].as_array().unwrap();
    let tracker = servers.iter().find(|it| it["server"] == "tracker").unwrap();
    let problems = tracker["problems"].to_string();
    assert!(
        problems.contains(
            "`label_isue`, which is not a tool of this server; did you mean `label_issue`?"
        ),
        "{problems}"
    );
    let warnings = told["warnings"].to_string();
    assert!(
        warnings.contains(
            "`tools.undo.label_issue` calls `delete_isue`, which is not a tool of the server `mail`"
        ),
        "{warnings}"
    );
}
