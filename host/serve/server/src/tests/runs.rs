//! Runs in the background.

use super::*;

const WAITS: &str =
    "console.log('begun'); await tools.test.wait(); console.log('ended'); return 42";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_not_done_goes_on_and_what_it_gave_can_be_fetched_again() {
    let serving = Serving::new();
    let mut client = serving.client();
    let first = client.execute(json!({ "code": WAITS, "wait": 0.5 })).await;
    let id = id_in(&first);
    assert_eq!(first["isError"], false, "{first}");
    serving.calls(1).await;
    let again = client.execute(json!({ "run": id, "wait": 0 })).await;
    assert_eq!(id_in(&again), id);
    assert!(
        text(&again).ends_with("It has printed so far:\nbegun\n"),
        "{again}"
    );
    let waits = json!({ "name": "execute_code", "arguments": { "run": id } });
    let waiting = client.send("tools/call", waits).await;
    serving.let_go.notify_one();
    let (ended, _) = client.answer(waiting).await;
    assert_eq!(text(&ended["result"]), "begun\nended\n\n42");
    // For another of this principal's clients, too.
    drop(client);
    let mut other = serving.client();
    let fetched = other.execute(json!({ "run": id })).await;
    assert_eq!(fetched["content"], ended["result"]["content"]);
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_in_a_session_of_2025() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let first = client.execute(json!({ "code": WAITS, "wait": 0 })).await;
    let id = id_in(&first);
    serving.calls(1).await;
    // It is asked at once, whether or not it waits for the run.
    let code = "return await tools.test.ask()";
    let call = json!({ "name": "execute_code", "arguments": { "code": code, "wait": 0 } });
    let request = client.send("tools/call", call).await;
    let (answer, mut before) = client.answer(request).await;
    let asking = id_in(&answer["result"]);
    let asked = match before.pop() {
        Some(asked) => asked,
        None => {
            let line = client.lines.next_line().await.unwrap().unwrap();
            serde_json::from_str(&line).unwrap()
        }
    };
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let result = json!({ "action": "accept", "content": { "name": "Ada" } });
    client
        .say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
        .await;
    let answered = client.execute(json!({ "run": asking })).await;
    assert!(text(&answered).contains("Ada"), "{answered}");
    // It vanishes, and another fetches.
    drop(client);
    let mut client = serving.client_with_session().await;
    serving.let_go.notify_one();
    let ended = client.execute(json!({ "run": id })).await;
    assert_eq!(text(&ended), "begun\nended\n\n42");
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_done_in_time_is_answered_as_any_other() {
    let serving = Serving::new();
    let mut client = serving.client();
    let code = json!({ "code": "return 1", "wait": 100, "language": "javascript" });
    let done = client.execute(code).await;
    assert_eq!(done["content"], json!([{ "type": "text", "text": "1" }]));
    assert!(
        serving
            .server
            .runs
            .shared
            .clients
            .of(None, None)
            .runs
            .none_last()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_cancelled_by_its_id_and_gives_what_it_printed() {
    let serving = Serving::new();
    let mut client = serving.client();
    let first = client.execute(json!({ "code": WAITS, "wait": 0 })).await;
    let id = id_in(&first);
    serving.calls(1).await;
    let ended = client.execute(json!({ "run": id, "cancel": true })).await;
    assert_eq!(ended["isError"], true);
    let said = format!(
        "begun\n\nThe script was stopped (run {id}): the run was cancelled\n\
        Calls made until then, none of them undone. Continue after them:\n\
        - test.wait({{}}): unknown whether done"
    );
    assert_eq!(text(&ended), said);
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_meant_is_told() {
    let serving = Serving::new();
    let mut client = serving.client();
    for (arguments, told) in [
        (json!({}), "execute_code needs `code`"),
        (json!({ "cancel": true }), "name it with `run`"),
        (json!({ "run": "0000-1" }), "unknown run `0000-1`"),
        (json!({ "run": "\u{1b}[2J" }), "unknown run `"),
        (json!({ "run": "0000-1", "code": "1" }), "give one of them"),
        (
            json!({ "code": "1", "wait": -1 }),
            "`wait` must be a number of seconds",
        ),
    ] {
        let refused = client.execute(arguments).await;
        assert_eq!(refused["isError"], true, "{refused}");
        assert!(text(&refused).contains(told), "{refused}");
        assert!(!text(&refused).contains('\u{1b}'), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn others_runs_are_unknown() {
    let serving = Serving::new();
    let mut client = serving.client();
    let first = client.execute(json!({ "code": WAITS, "wait": 0 })).await;
    let other = ampoule::Principal::new("another");
    let clients = &serving.server.runs.shared.clients;
    assert!(clients.of(None, None).runs.find(&id_in(&first)).is_some());
    assert!(
        clients
            .of(Some(&other), None)
            .runs
            .find(&id_in(&first))
            .is_none()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_vanishes_takes_its_runs_along_unless_they_need_nobody() {
    let serving = Serving::new();
    // While a run waits for a tool.
    let mut client = serving.client();
    let call = |arguments: Value| json!({ "name": "execute_code", "arguments": arguments });
    client
        .send("tools/call", call(json!({ "code": WAITS })))
        .await;
    serving.calls(1).await;
    drop(client);
    serving.is_idle().await;
    // While a run waits for its answer to a question.
    let mut client = serving.client();
    let asks = client
        .execute(json!({ "code": "return await tools.test.ask()" }))
        .await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    drop(client);
    // While it waits for one that goes on: twice, before and after it was told the id.
    let mut client = serving.client();
    let mut patient = call(json!({ "code": WAITS, "wait": 1000 }));
    client.send("tools/call", patient.clone()).await;
    serving.calls(1).await;
    patient["arguments"]["wait"] = json!(0);
    let id = client.ask("tools/call", patient).await["result"].clone();
    let id = id_in(&id);
    client.send("tools/call", call(json!({ "run": id }))).await;
    serving.calls(2).await;
    drop(client);
    let mut client = serving.client();
    client.execute(json!({ "run": id, "wait": 0 })).await;
    serving.calls(2).await;
    serving.let_go.notify_waiters();
    let ended = client.execute(json!({ "run": id })).await;
    assert_eq!(text(&ended), "begun\nended\n\n42");
    serving.calls(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_given_up_ends_a_run_whose_id_nobody_knows() {
    let serving = Serving::new();
    let mut client = serving.client();
    let call = json!({ "name": "execute_code", "arguments": { "code": WAITS, "wait": 1000 } });
    let id = client.send("tools/call", call).await;
    serving.calls(1).await;
    let cancelled = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } });
    client.say(&cancelled).await;
    serving.is_idle().await;
    // One whose id is known goes on.
    let first = client.execute(json!({ "code": WAITS, "wait": 0 })).await;
    let run = id_in(&first);
    serving.calls(1).await;
    let waits = json!({ "name": "execute_code", "arguments": { "run": run } });
    let id = client.send("tools/call", waits).await;
    client.execute(json!({ "run": run, "wait": 0.2 })).await;
    let mut gives_up = cancelled;
    gives_up["params"]["requestId"] = json!(id);
    client.say(&gives_up).await;
    client.execute(json!({ "run": run, "wait": 0 })).await;
    serving.calls(1).await;
    serving.let_go.notify_one();
    assert_eq!(
        text(&client.execute(json!({ "run": run })).await),
        "begun\nended\n\n42"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_waits_for_whoever_comes_next() {
    let serving = Serving::new();
    let mut client = serving.client();
    let code = "return await tools.test.ask()";
    let first = client.execute(json!({ "code": code, "wait": 0 })).await;
    let arguments = json!({ "run": id_in(&first) });
    let asks = client.execute(arguments.clone()).await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let (name, request) = object(asks["inputRequests"].clone())
        .into_iter()
        .next()
        .unwrap();
    assert_eq!(request["params"]["message"], "test asks: Who?");
    // Nobody has answered, and somebody asks again.
    let again = client.execute(arguments.clone()).await;
    assert_eq!(again["inputRequests"][&name], request, "{again}");
    let answers = json!({
        "name": "execute_code",
        "arguments": arguments,
        "requestState": again["requestState"],
        "inputResponses": { name: { "action": "accept", "content": { "name": "Ada" } } },
    });
    let ended = client.ask("tools/call", answers).await;
    assert!(text(&ended["result"]).contains("Ada"), "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_only_so_many() {
    let serving = Serving::new();
    let mut client = serving.client();
    let arguments = json!({ "code": "return await tools.test.wait()", "wait": 0 });
    let first = client.execute(arguments.clone()).await;
    for _ in 1..64 {
        id_in(&client.execute(arguments.clone()).await);
    }
    let refused = client.execute(arguments.clone()).await;
    assert!(
        text(&refused).starts_with("too many runs in the background (64)"),
        "{refused}"
    );
    let id = id_in(&first);
    client.execute(json!({ "run": id, "cancel": true })).await;
    // It counts no more as soon as it has ended.
    let long = serving
        .server
        .runs
        .shared
        .clients
        .of(None, None)
        .runs
        .clone();
    while long.have_room().is_err() {
        tokio::task::yield_now().await;
    }
    id_in(&client.execute(arguments).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_asks_for_progress_is_told_what_the_script_tells() {
    let serving = Serving::new();
    let mut client = serving.client();
    let code = "progress(0.25, 'at it'); await tools.test.wait()";
    let arguments = json!({ "code": code, "language": "javascript" });
    let call =
        json!({ "name": "execute_code", "arguments": arguments, "_meta": { "progressToken": 7 } });
    let id = client.send("tools/call", call).await;
    // On a slow machine, progress with seconds comes before.
    let params = loop {
        let told = client.lines.next_line().await.unwrap().unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        if told["params"]["total"].is_number() {
            break told["params"].clone();
        }
    };
    let part = params["progress"].as_f64().unwrap() / params["total"].as_f64().unwrap();
    assert!((part - 0.25).abs() < 0.01, "{params}");
    assert!(
        params["message"].as_str().unwrap().ends_with("; at it"),
        "{params}"
    );
    serving.calls(1).await;
    serving.let_go.notify_one();
    client.answer(id).await;
}
