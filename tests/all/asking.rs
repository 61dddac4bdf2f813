//! What a server asks and tells: at a terminal, in a pipe, and through `ampoule serve`.

use ampoule_tests::command::{Served, Workplace};
use ampoule_tests::terminal::Terminal;
use ampoule_tests::{binary, prepared, repository};
use serde_json::{Value, json};

const CTRL_C: &str = "\u{3}";

/// A folder whose configuration has the server alone, as `shop`.
fn shop(test: &str) -> Option<Workplace> {
    let python = prepared(test, "AMPOULE_TEST_PYTHON")?.join("venv/bin/python");
    let workplace = Workplace::default();
    let server = repository().join("tests/servers/asking.py");
    let configuration = format!(
        "[servers.shop]\ncommand = {python:?}\nargs = [{server:?}, {:?}]\n",
        workplace.path()
    );
    workplace.file("ampoule.toml", configuration);
    Some(workplace)
}

fn at_terminal(workplace: &Workplace, tool: &str) -> Terminal {
    let script = format!("return (await tools.shop.{tool}({{}})).said");
    let arguments = ["run", "-q", "-e", &script];
    Terminal::start(workplace, 80, &[], &binary(), &arguments)
}

#[tokio::test]
async fn a_person_at_the_terminal_fills_in_a_servers_form() {
    let Some(workplace) = shop("a_person_at_the_terminal_fills_in_a_servers_form") else {
        return;
    };
    let mut terminal = at_terminal(&workplace, "form");
    terminal.shows("Answer? (y/n, Ctrl-C cancels)").await;
    // Who asks is said by Ampoule; what looks as if Ampoule said it is the server's, and indented.
    let shown = terminal.screen().contents();
    let asks = "ampoule: the server `shop` asks for information:\n  Which size?\\u{1b}[2J\n  ampoule: all is well\n";
    assert!(shown.contains(asks), "{shown}");
    terminal.types("y\n").await;
    terminal.shows("Size\\u{1b}[31m (whole number)").await;
    terminal.types("12\n").await;
    terminal.shows("it must be at least 36; try again:").await;
    terminal.types("42\n").await;
    terminal.shows("gift (yes or no, may be empty)").await;
    terminal.types("yes\n").await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
    let answer = "{\n  \"action\": \"accept\",\n  \"content\": {\n    \"size\": 42,\n    \"gift\": true\n  }\n}";
    assert!(left.text().contains(answer), "{}", left.text());
    assert!(left.is_restored(), "{}", left.text());
}

#[tokio::test]
async fn a_person_at_the_terminal_may_not_want_to_answer() {
    let Some(workplace) = shop("a_person_at_the_terminal_may_not_want_to_answer") else {
        return;
    };
    for (typed, action) in [("n\n", "decline"), (CTRL_C, "cancel")] {
        let mut terminal = at_terminal(&workplace, "form");
        terminal.shows("Answer? (y/n, Ctrl-C cancels)").await;
        terminal.types(typed).await;
        let left = terminal.end().await;
        assert_eq!(left.code, Some(0), "{}", left.text());
        let said = format!("\"action\": \"{action}\"");
        assert!(left.text().contains(&said), "{}", left.text());
        assert!(left.is_restored(), "{}", left.text());
    }
}

#[tokio::test]
async fn a_person_at_the_terminal_is_shown_an_address_and_the_call_goes_on_when_it_is_done() {
    let test = "a_person_at_the_terminal_is_shown_an_address_and_the_call_goes_on_when_it_is_done";
    let Some(workplace) = shop(test) else {
        return;
    };
    let mut terminal = at_terminal(&workplace, "connect");
    terminal
        .shows("Open it yourself if you trust it. Continue?")
        .await;
    let shown = terminal.screen().contents();
    for said in [
        "ampoule: the server `shop` asks you to open an address:\n  Connect your account\n",
        "at shop.example:\n  https://shop.example/connect?to=1\n",
    ] {
        assert!(shown.contains(said), "{shown}");
    }
    terminal.types("y\n").await;
    workplace.file("done", "");
    let left = terminal.end().await;
    assert_eq!(left.code, Some(0), "{}", left.text());
    assert!(left.text().contains("connected"), "{}", left.text());
    // Who does not want to is not asked again and again.
    std::fs::remove_file(workplace.path().join("done")).expect("the file");
    let mut terminal = at_terminal(&workplace, "connect");
    terminal
        .shows("Open it yourself if you trust it. Continue?")
        .await;
    terminal.types("n\n").await;
    let left = terminal.end().await;
    assert_eq!(left.code, Some(1), "{}", left.text());
    let text = left.text().replace('\n', " ");
    assert!(text.contains("was asked, and declined"), "{text}");
}

#[tokio::test]
async fn in_a_pipe_nobody_is_asked_and_an_address_is_said_with_what_to_do() {
    let test = "in_a_pipe_nobody_is_asked_and_an_address_is_said_with_what_to_do";
    let Some(workplace) = shop(test) else {
        return;
    };
    let code = "const said = [(await tools.shop.form({})).said.message];
        await tools.shop.connect({}).catch(error => said.push(error.message));
        return said";
    let ran = workplace.run(&["run", "-q", "-e", code]).await;
    assert_eq!(
        ran.json(),
        json!([
            "this client runs scripts unattended: it has no user to ask: no call is under way whose user could be asked",
            "the tool wants https://shop.example/connect?to=1 opened first, and nobody can be asked here: have it opened in a browser, and call again",
        ]),
        "{ran:?}"
    );
    assert!(!ran.stderr.contains("wants to know"), "{ran:?}");
}

/// `execute_code` under this id.
fn execute(id: u64, tool: &str) -> Value {
    let code = format!("return (await tools.shop.{tool}({{}})).said");
    let call = json!({ "name": "execute_code", "arguments": { "code": code } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call })
}

/// A client that can be shown addresses.
async fn client(workplace: &Workplace) -> Served {
    let mut served = Served::start(workplace, &[]);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": { "elicitation": { "form": {}, "url": {} } },
        "clientInfo": { "name": "test", "version": "1" },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let info = served.ask(hello).await;
    assert_eq!(
        info["result"]["capabilities"]["logging"],
        json!({}),
        "{info}"
    );
    served
        .send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    served
}

#[tokio::test]
async fn a_client_of_serve_says_which_lines_it_wants_and_hears_them() {
    let Some(workplace) = shop("a_client_of_serve_says_which_lines_it_wants_and_hears_them") else {
        return;
    };
    let mut served = client(&workplace).await;
    for (id, level, expected) in [
        (1, None, &["info", "error"][..]),
        (3, Some("debug"), &["debug", "info", "error"]),
        (5, Some("error"), &["error"]),
    ] {
        if let Some(level) = level {
            let params = json!({ "level": level });
            let set = json!({ "jsonrpc": "2.0", "id": id, "method": "logging/setLevel", "params": params });
            assert_eq!(served.ask(set).await["result"], json!({}));
        }
        served.send(execute(id + 1, "log")).await;
        let mut lines = Vec::new();
        let answer = loop {
            let message = served.next().await.expect("a message");
            match message["method"].as_str() {
                Some("notifications/message") => lines.push(message["params"].clone()),
                _ => break message,
            }
        };
        let said = answer["result"]["content"][0]["text"].as_str();
        assert_eq!(said, Some(level.unwrap_or("null")), "{answer}");
        let expected = expected.iter().map(|level| {
            let data = format!("{level}\\u{{1b}}[2J");
            json!({ "level": level, "logger": "shop/rows", "data": data })
        });
        assert_eq!(lines, expected.collect::<Vec<_>>());
    }
    assert_eq!(served.close().await, Some(0));
}

#[tokio::test]
async fn a_client_of_serve_is_shown_an_address_and_told_when_it_is_done() {
    let Some(workplace) = shop("a_client_of_serve_is_shown_an_address_and_told_when_it_is_done")
    else {
        return;
    };
    let mut served = client(&workplace).await;
    served.send(execute(1, "connect")).await;
    let asked = served.next().await.expect("a question");
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    assert_eq!(
        asked["params"],
        json!({
            "mode": "url",
            "elicitationId": "e1",
            "url": "https://shop.example/connect?to=1",
            "message": "shop asks: Connect your account",
        })
    );
    let accept = json!({ "action": "accept" });
    served
        .send(json!({ "jsonrpc": "2.0", "id": asked["id"], "result": accept }))
        .await;
    workplace.file("done", "");
    let mut told = [
        served.next().await.expect("a notice"),
        served.next().await.expect("an answer"),
    ];
    // They are written apart.
    told.sort_by_key(|message| message.get("id").is_some());
    let [told, answer] = told;
    assert_eq!(told["method"], "notifications/elicitation/complete");
    assert_eq!(told["params"], json!({ "elicitationId": "e1" }));
    let said = &answer["result"]["content"][0]["text"];
    assert_eq!((&answer["id"], said), (&json!(1), &json!("connected")));
    assert_eq!(served.close().await, Some(0));
}
