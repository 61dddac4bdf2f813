//! `ampoule serve`, driven by single lines, and (`client`) by the official client for Python.
//! `clients` has all others.

mod client;

use ampoule_tests::command::{Served, Workplace};
use serde_json::{Value, json};

fn execute(id: u32, code: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": {"code": code}}})
}

/// A request of the protocol's stateless form.
fn stateless(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Two servers: one can't be started, the other never says a word.
const NO_SERVERS: &str = "[servers.absent]\ncommand = 'ampoule-no-such-program'\n[servers.silent]\ncommand = 'sleep'\nargs = ['600']\nstart-timeout = '60s'";

fn answer(message: &Value) -> &str {
    message["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text: {message}"))
}

#[tokio::test]
async fn initialize_is_answered_before_any_server_starts() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", NO_SERVERS);
    let mut served = Served::start(&workplace, &[]);
    let info = served.greet().await;
    assert_eq!(info["protocolVersion"], "2025-06-18", "{info}");
    assert_eq!(info["serverInfo"]["name"], "ampoule");
    let tools = served
        .ask(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))
        .await;
    let description = tools["result"]["tools"][0]["description"]
        .as_str()
        .expect("a description");
    assert!(
        description.contains("\n- absent") && description.contains("\n- silent"),
        "{description}"
    );
    let sum = served.ask(execute(3, "return 20 + 22")).await;
    assert_eq!(answer(&sum), "42");
    let failed = served
        .ask(execute(4, "return await tools.absent.anything({})"))
        .await;
    assert_eq!(failed["result"]["isError"], true, "{failed}");
    assert!(
        answer(&failed).contains("there is no command `ampoule-no-such-program` in PATH"),
        "{failed}"
    );
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn discover_is_answered_before_any_server_starts() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", NO_SERVERS);
    let mut served = Served::start(&workplace, &[]);
    let info = served.ask(stateless(1, "server/discover", json!({}))).await;
    let versions = info["result"]["supportedVersions"]
        .as_array()
        .expect("versions");
    assert!(
        versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-06-18")),
        "{info}"
    );
    let tools = served.ask(stateless(2, "tools/list", json!({}))).await;
    assert_eq!(
        tools["result"]["tools"].as_array().map(Vec::len),
        Some(2),
        "{tools}"
    );
    let arguments = json!({"name": "execute_code", "arguments": {"code": "return 20 + 22"}});
    let sum = served.ask(stateless(3, "tools/call", arguments)).await;
    assert_eq!(answer(&sum), "42");
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn a_client_that_goes_away_early_is_no_failure() {
    let workplace = Workplace::default();
    assert_eq!(Served::start(&workplace, &[]).close().await, Some(0));
    let mut served = Served::start(&workplace, &[]);
    served.ask(stateless(1, "server/discover", json!({}))).await;
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn it_ends_with_its_input_though_a_script_runs() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &[]).await;
    // It is under way when it calls the second one.
    served
        .send(execute(2, "for (;;) { await tools.demo.getBusiness({}) }"))
        .await;
    assert_eq!(answer(&served.ask(execute(3, "return 1")).await), "1");
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn scripts_that_print_write_nothing_to_the_protocols_stream() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &["--tools", "demo.get_*"]).await;
    let code = "console.log('out'); console.error('err'); console.log('{\"jsonrpc\":'); return Object.keys(tools.demo).includes('listOrders')";
    let printed = served.ask(execute(2, code)).await;
    assert_eq!(
        answer(&printed).lines().collect::<Vec<_>>(),
        ["out", "err", "{\"jsonrpc\":", "", "false"]
    );
    let unknown = json!({"name": "no_such_tool", "arguments": {}});
    let refused = served
        .ask(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": unknown}))
        .await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let misspelt = json!({"name": "execute_code", "arguments": {"cod": "1"}});
    let refused = served
        .ask(json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": misspelt}))
        .await;
    assert!(refused.to_string().contains("cod"), "{refused}");
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn an_operator_sees_a_run_and_ends_it() {
    let workplace = Workplace::default();
    assert_eq!(workplace.run(&["runs"]).await.stderr, "ampoule: no runs\n");
    let mut served = Served::greeted(&workplace, &[]).await;
    let code = "console.log('\\x1b[31mbegun'); progress(0.5, 'half'); await new Promise(() => setTimeout(() => {}, 600_000))";
    let arguments = json!({"code": code, "wait": 0, "timeout_seconds": 300});
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}});
    let goes_on = served.ask(call).await;
    let (id, _) = answer(&goes_on)
        .strip_prefix("Run ")
        .and_then(|said| said.split_once(' '))
        .unwrap_or_else(|| panic!("{goes_on}"));
    let listed = workplace.run(&["runs", "--json"]).await;
    let run = listed.json();
    assert!(
        run["run"].as_str().is_some_and(|run| run.ends_with(id)),
        "{run}"
    );
    assert_eq!(
        (&run["client"], &run["state"]),
        (&json!("test"), &json!("running"))
    );
    let table = workplace.run(&["runs"]).await.stdout;
    assert!(table.starts_with("RUN ") && table.contains(id), "{table}");
    // What it printed by now is there once it is over.
    let following = ["runs", "follow", id];
    let follow = workplace.run(&following);
    let cancel = async {
        loop {
            let shown = workplace.run(&["runs", "show", id]).await;
            if shown.stdout.contains("printed:\n  \\u{1b}[31mbegun") {
                break;
            }
        }
        workplace.run(&["runs", "cancel", id]).await
    };
    let (followed, cancelled) = tokio::join!(follow, cancel);
    assert_eq!(cancelled.code, Some(0), "{cancelled:?}");
    let lines: Vec<_> = followed.stdout.lines().collect();
    assert!(lines.contains(&"\\u{1b}[31mbegun"), "{followed:?}");
    assert!(
        lines.iter().any(|line| line.ends_with(" s] 50 % half")),
        "{followed:?}"
    );
    assert_eq!(
        lines.last(),
        Some(&"cancelled: the run was cancelled"),
        "{followed:?}"
    );
    let unknown = workplace.run(&["runs", "show", "0000-1"]).await;
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn what_a_script_returns_reaches_the_client_as_what_it_is() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut content = async |id, code: &str| {
        let arguments = json!({"code": code, "language": "javascript"});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}});
        served.ask(call).await["result"]["content"].clone()
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        content(2, "console.log('a'); return 'id,name\\n1,\"x\"'").await,
        json!([text("a\n\nid,name\n1,\"x\"")])
    );
    assert_eq!(content(3, "return ['a']").await, json!([text("[\"a\"]")]));
    // Larger than any text may be.
    let image = json!({"type": "image", "data": "AAAA".repeat(50_000), "mimeType": "image/png"});
    let given =
        "const image = { type: 'image', data: 'AAAA'.repeat(50_000), mimeType: 'image/png' };";
    assert_eq!(
        content(4, &format!("{given} return image")).await,
        json!([image])
    );
    assert_eq!(
        content(
            5,
            &format!("{given} console.log('a'); return ['here', image, {{ n: 1 }}]")
        )
        .await,
        json!([text("a\n\nhere"), image, text("{\"n\":1}")])
    );
    let large = content(
        6,
        "return { type: 'image', data: 'AAAA'.repeat(1_000_000), mimeType: 'image/png' }",
    )
    .await;
    assert!(
        large[0]["text"]
            .as_str()
            .is_some_and(|said| said.contains("output-bytes limit")),
        "{large}"
    );
}

#[tokio::test]
async fn texts_beside_the_code_are_its_strings() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut content = async |id, arguments: Value| {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}});
        let answer = served.ask(call).await;
        answer["result"]["content"][0]["text"].clone()
    };
    let body = "a \"quoted\" `text`\nwith ${all} \\ of it";
    for (id, code) in [(2, "return strings.body"), (3, "return strings['body']")] {
        let arguments = json!({"code": code, "language": "typescript", "strings": {"body": body}});
        assert_eq!(content(id, arguments).await, body);
    }
    let python = json!({"code": "strings.body", "language": "python", "strings": {"body": body}});
    assert_eq!(content(4, python).await, body);
    let none = json!({"code": "return typeof strings", "language": "typescript"});
    assert_eq!(content(5, none).await, "undefined");
    let wrong = json!({"code": "return 1", "language": "typescript", "strings": {"n": 1}});
    let wrong = content(6, wrong).await;
    assert!(
        wrong
            .as_str()
            .is_some_and(|said| said.contains("execute_code")),
        "{wrong}"
    );
}

#[tokio::test]
async fn what_is_cut_out_of_an_answer_the_next_script_reads() {
    let workplace = Workplace::default();
    let mut served = Served::greeted(&workplace, &[]).await;
    let mut content = async |id, language: &str, code: &str| {
        let arguments = json!({"code": code, "language": language});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "execute_code", "arguments": arguments}});
        let answer = served.ask(call).await;
        let content = answer["result"]["content"].as_array().cloned();
        let texts = content.unwrap_or_else(|| panic!("{answer}"));
        let texts = texts
            .iter()
            .map(|block| block["text"].as_str().unwrap().to_owned());
        texts.collect::<Vec<_>>()
    };
    let rows = "print('x' * 60_000)\n[{'id': id, 'name': 'a name'} for id in range(5000)]";
    let first = content(2, "python", rows).await;
    let (_, shown) = first[0]
        .rsplit_once("\n\n")
        .expect("the output, and the value");
    let shown: Value = serde_json::from_str(shown).expect("it is JSON, though cut");
    assert_eq!((&shown[0]["id"], &shown[1]["id"]), (&json!(0), &json!(1)));
    assert_eq!(
        first[1],
        "The next script can read all of it: `await tools.ampoule.returned(run=1)`, `await tools.ampoule.printed(run=1)`"
    );
    let code = "rows = await tools.ampoule.returned(run=1)\ntext = await tools.ampoule.printed(run=1)\n[len(rows), rows[4321].id, len(text)]";
    assert_eq!(content(3, "python", code).await, ["[5000,4321,60001]"]);
    let code = "return (await tools.ampoule.returned({ run: 1 })).slice(10, 12)";
    assert_eq!(
        content(4, "typescript", code).await,
        [r#"[{"id":10,"name":"a name"},{"id":11,"name":"a name"}]"#]
    );
    let code = "return (await tools.ampoule.returned({ run: 2 })).length";
    let unknown = content(5, "typescript", code).await;
    assert!(
        unknown[0].contains("what that run returned is not stored; it is stored for these runs: 1"),
        "{unknown:?}"
    );
}
