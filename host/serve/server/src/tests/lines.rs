//! What servers log, and say later, reaches their clients.

use super::*;

/// Logs a line of each of some levels, and returns what came of each.
const LOGS: &str = "const came = [];
for (const level of ['debug', 'info', 'error'])
    came.push(await tools.test.log({ level, logger: 'rows', data: `${level}!` }));
return came";

/// Runs code: what it returned, and the lines that came before that.
async fn run(client: &mut Client, arguments: Value) -> (Value, Vec<Value>) {
    let call = json!({ "name": "execute_code", "arguments": arguments });
    let id = client.send("tools/call", call).await;
    let (answer, before) = client.answer(id).await;
    let lines = before.into_iter().map(|message| {
        assert_eq!(message["method"], "notifications/message", "{message}");
        message["params"].clone()
    });
    let lines = lines.collect();
    let text = text(&answer["result"]);
    (
        serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        lines,
    )
}

fn line(level: &str) -> Value {
    json!({ "level": level, "logger": "test/rows", "data": format!("{level}!") })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_session_says_which_lines_it_wants() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    // What servers send by themselves, they are not asked for.
    let unasked = json!([[null, false], [null, true], [null, true]]);
    let code = json!({ "code": LOGS });
    assert_eq!(
        run(&mut client, code.clone()).await,
        (unasked, vec![line("info"), line("error")])
    );
    for (level, wanted) in [
        ("debug", vec!["debug", "info", "error"]),
        ("error", vec!["error"]),
        ("emergency", vec![]),
    ] {
        let set = client
            .ask("logging/setLevel", json!({ "level": level }))
            .await;
        assert_eq!(set["result"], json!({}), "{set}");
        let came = ["debug", "info", "error"].map(|it| json!([level, wanted.contains(&it)]));
        let lines = wanted.into_iter().map(line).collect();
        assert_eq!(run(&mut client, code.clone()).await, (json!(came), lines));
    }
    for wrong in [json!({ "level": "loud" }), json!({})] {
        let refused = client.ask("logging/setLevel", wrong).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    // Others have said nothing.
    let mut other = serving.client_with_session().await;
    let (_, lines) = run(&mut other, code).await;
    assert_eq!(lines.len(), 2, "{lines:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn since_2026_07_28_each_request_says_which_lines_it_wants() {
    let serving = Serving::new();
    let mut client = serving.client();
    let discovered = client.ask("server/discover", json!({})).await;
    assert_eq!(
        discovered["result"]["capabilities"]["logging"],
        json!({}),
        "{discovered}"
    );
    for (level, came, lines) in [
        (Value::Null, [false, false, false], vec![]),
        (json!("loud"), [false, false, false], vec![]),
        (json!("info"), [false, true, true], vec!["info", "error"]),
    ] {
        let mut call = json!({ "name": "execute_code", "arguments": { "code": LOGS } });
        call["_meta"] = json!({ "io.modelcontextprotocol/logLevel": level });
        let id = client.send("tools/call", call).await;
        let (answer, before) = client.answer(id).await;
        let wanted = if level == "loud" { Value::Null } else { level };
        let returned: Value = serde_json::from_str(text(&answer["result"])).unwrap();
        assert_eq!(returned, json!(came.map(|came| json!([wanted, came]))));
        let before: Vec<_> = before.iter().map(|line| line["params"].clone()).collect();
        let lines: Vec<_> = lines.into_iter().map(line).collect();
        assert_eq!(before, lines);
    }
    let level = json!({ "level": "debug" });
    let refused = client.ask("logging/setLevel", level).await;
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_a_run_that_nobody_waits_for_come_with_the_next_request() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let code = format!("await tools.test.wait(); {LOGS}");
    let first = client.execute(json!({ "code": code, "wait": 0 })).await;
    let id = id_in(&first);
    serving.calls(1).await;
    serving.let_go.notify_one();
    serving.is_idle().await;
    let (_, lines) = run(&mut client, json!({ "run": id })).await;
    assert_eq!(lines, [line("info"), line("error")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_shown_an_address_is_told_that_it_is_done() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let call = json!({ "name": "execute_code", "arguments": { "code": "return await tools.test.done()" } });
    let id = client.send("tools/call", call.clone()).await;
    let (answer, mut before) = client.answer(id).await;
    assert_eq!(text(&answer["result"]), "true");
    let told = match before.pop() {
        Some(told) => told,
        None => {
            let line = client.lines.next_line().await.unwrap().unwrap();
            serde_json::from_str(&line).unwrap()
        }
    };
    assert_eq!(told["method"], "notifications/elicitation/complete");
    assert_eq!(told["params"], json!({ "elicitationId": "e1" }));
    // Since 2026-07-28, this does not exist.
    let mut client = serving.client();
    let id = client.send("tools/call", call).await;
    let (answer, before) = client.answer(id).await;
    assert_eq!((text(&answer["result"]), before), ("false", vec![]));
}
