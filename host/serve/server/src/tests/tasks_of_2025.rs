//! Clients of 2025-11-25 that want tasks.

use super::*;

/// Calls a tool as a task.
fn call(code: &str) -> Value {
    json!({ "name": "execute_code", "arguments": { "code": code }, "task": { "ttl": 60_000 } })
}

/// Begins a task.
async fn begun(client: &mut Client, code: &str) -> Value {
    let answer = client.ask("tools/call", call(code)).await;
    let task = answer["result"]["task"].clone();
    assert_eq!(task["status"], "working", "{answer}");
    task
}

/// Looks at a task until its status is this.
async fn status(client: &mut Client, task: &Value, wanted: &str) -> Value {
    let looked_at = async {
        loop {
            let asked = json!({ "taskId": task["taskId"] });
            let seen = client.ask("tasks/get", asked).await["result"].clone();
            if seen["status"] == wanted {
                return seen;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, looked_at).await;
    in_time.unwrap_or_else(|_| panic!("it never was {wanted}"))
}

async fn given(client: &mut Client, task: &Value) -> Value {
    let asked = json!({ "taskId": task["taskId"] });
    let answer = client.ask("tasks/result", asked).await;
    let result = answer["result"].clone();
    let related = &result["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], task["taskId"], "{answer}");
    result
}

#[tokio::test(flavor = "multi_thread")]
async fn they_are_told_that_there_are_tasks_and_of_which_tool() {
    let serving = Serving::new();
    let mut client = serving.client();
    client.has_session = true;
    for (version, there) in [("2025-11-25", true), ("2025-06-18", false)] {
        let mut client = serving.client();
        client.has_session = true;
        let hello = json!({
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": { "name": "tester", "version": "1" },
        });
        let info = client.ask("initialize", hello).await;
        let tasks = &info["result"]["capabilities"]["tasks"];
        let call = &tasks["requests"]["tools"]["call"];
        assert_eq!(call.is_object(), there, "{info}");
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        client.say(&initialized).await;
        let listed = client.ask("tools/list", json!({})).await;
        let support = |index: usize| &listed["result"]["tools"][index]["execution"]["taskSupport"];
        assert_eq!(*support(0) == "optional", there, "{listed}");
        assert_eq!(*support(1), Value::Null, "{listed}");
        // Others do not know of them, and their calls are answered.
        let answer = client.ask("tools/call", call_of_one()).await;
        assert_eq!(answer["result"]["task"].is_object(), there, "{answer}");
        let list = client.ask("tasks/list", json!({})).await;
        assert_eq!(list["error"]["code"] == -32601, !there, "{list}");
    }
}

fn call_of_one() -> Value {
    call("return 1")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_there_at_once_and_gives_what_its_call_would_have_given() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let task = begun(
        &mut client,
        "progress(0.5, 'half'); await tools.test.wait(); return 42",
    )
    .await;
    serving.calls(1).await;
    let working = status(&mut client, &task, "working").await;
    let said = working["statusMessage"].as_str().unwrap();
    assert!(said.ends_with("; half"), "{working}");
    assert!(
        working["ttl"].as_u64().is_some_and(|ttl| ttl >= 3_600_000),
        "{working}"
    );
    let list = client.ask("tasks/list", json!({})).await;
    assert_eq!(list["result"]["tasks"][0]["taskId"], task["taskId"]);
    let fetch = json!({ "taskId": task["taskId"] });
    let waiting = client.send("tasks/result", fetch).await;
    serving.let_go.notify_one();
    let (answer, before) = client.answer(waiting).await;
    assert_eq!(text(&answer["result"]), "42");
    // It gets a notification of the end, before or after the result.
    let is_told = |told: &Value| {
        told["method"] == "notifications/tasks/status" && told["params"]["status"] == "completed"
    };
    let mut told = before.iter().any(is_told);
    while !told {
        let line = client.lines.next_line().await.unwrap().unwrap();
        told = is_told(&serde_json::from_str(&line).unwrap());
    }
    let done = status(&mut client, &task, "completed").await;
    assert_eq!(done["taskId"], task["taskId"]);
    // It is kept, also for another of this principal's.
    drop(client);
    let mut client = serving.client_with_session().await;
    assert_eq!(text(&given(&mut client, &task).await), "42");
    let brief = begun(&mut client, "return 7").await;
    assert_eq!(text(&given(&mut client, &brief).await), "7");
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_whose_script_fails_has_failed() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let task = begun(&mut client, "throw new TypeError('not today')").await;
    let result = given(&mut client, &task).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("not today"), "{result}");
    let failed = status(&mut client, &task, "failed").await;
    assert_eq!(failed["statusMessage"], result["content"][0]["text"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_is_cancelled_once() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let task = begun(&mut client, "console.log('begun'); await tools.test.wait()").await;
    serving.calls(1).await;
    let asked = json!({ "taskId": task["taskId"] });
    let cancelled = client.ask("tasks/cancel", asked.clone()).await;
    assert_eq!(cancelled["result"]["status"], "cancelled", "{cancelled}");
    let again = client.ask("tasks/cancel", asked).await;
    assert_eq!(again["error"]["code"], -32602, "{again}");
    let result = given(&mut client, &task).await;
    assert!(text(&result).starts_with("begun\n"), "{result}");
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_task_asks_is_asked_where_its_client_waits_for_it() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let task = begun(&mut client, "return await tools.test.ask()").await;
    status(&mut client, &task, "input_required").await;
    let fetch = json!({ "taskId": task["taskId"] });
    let gives_up = client.send("tasks/result", fetch.clone()).await;
    let mut asked = Value::Null;
    while asked["method"] != "elicitation/create" {
        let line = client.lines.next_line().await.unwrap().unwrap();
        asked = serde_json::from_str(&line).unwrap();
    }
    assert_eq!(asked["params"]["message"], "test asks: Who?");
    let related = &asked["params"]["_meta"]["io.modelcontextprotocol/related-task"];
    assert_eq!(related["taskId"], task["taskId"], "{asked}");
    // It gives up, and waits again: it is asked again.
    let cancelled = json!({ "requestId": gives_up });
    let cancelled =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled });
    client.say(&cancelled).await;
    let waits = client.send("tasks/result", fetch).await;
    let first = asked["id"].clone();
    while asked["method"] != "elicitation/create" || asked["id"] == first {
        let line = client.lines.next_line().await.unwrap().unwrap();
        asked = serde_json::from_str(&line).unwrap();
    }
    status(&mut client, &task, "input_required").await;
    let result = json!({ "action": "accept", "content": { "name": "Ada" } });
    client
        .say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }))
        .await;
    let (answer, _) = client.answer(waits).await;
    assert!(text(&answer["result"]).contains("Ada"), "{answer}");
    status(&mut client, &task, "completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_be_no_task_is_told() {
    let serving = Serving::new();
    let mut client = serving.client_with_session().await;
    let mut refused = async |method: &str, params: Value| {
        let answer = client.ask(method, params).await;
        answer["error"]["code"]
            .as_i64()
            .unwrap_or_else(|| panic!("{answer}"))
    };
    let search = json!({ "name": "search_tools", "arguments": {}, "task": {} });
    assert_eq!(refused("tools/call", search).await, -32601);
    let unknown = json!({ "name": "nothing", "arguments": {}, "task": {} });
    assert_eq!(refused("tools/call", unknown).await, -32602);
    let empty = json!({ "name": "execute_code", "arguments": {}, "task": {} });
    assert_eq!(refused("tools/call", empty).await, -32603);
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        assert_eq!(refused(method, json!({ "taskId": "0000-1" })).await, -32602);
        assert_eq!(refused(method, json!({})).await, -32602);
    }
    assert_eq!(
        refused("tasks/list", json!({ "cursor": "2" })).await,
        -32602
    );
}
