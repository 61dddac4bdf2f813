//! Clients that speak tasks.

use super::*;

fn speaking(serving: &Serving) -> Client {
    let mut client = serving.client();
    client.capabilities["extensions"] = json!({ "io.modelcontextprotocol/tasks": {} });
    client
}

/// Looks at a task until its status is this.
async fn status(client: &mut Client, task: &Value, wanted: &str) -> Value {
    loop {
        let asked = json!({ "taskId": task["taskId"] });
        let seen = client.ask("tasks/get", asked).await["result"].clone();
        if seen["status"] == wanted {
            return seen;
        }
        assert!(
            ["working", "input_required"].contains(&seen["status"].as_str().unwrap()),
            "{seen}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_takes_long_is_a_task() {
    let serving = Serving::new();
    let mut client = speaking(&serving);
    let brief = client
        .execute(json!({ "code": "return 1", "wait": 100 }))
        .await;
    assert_eq!(text(&brief), "1");
    let code = "await tools.test.wait(); return 42";
    let task = client.execute(json!({ "code": code, "wait": 0 })).await;
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working"))
    );
    serving.calls(1).await;
    let working = status(&mut client, &task, "working").await;
    assert!(
        working["statusMessage"]
            .as_str()
            .unwrap()
            .starts_with("running for "),
        "{working}"
    );
    serving.let_go.notify_one();
    let done = status(&mut client, &task, "completed").await;
    assert_eq!(text(&done["result"]), "42", "{done}");
    // Who has the id may also ask by it.
    let id = task["taskId"].as_str().unwrap();
    assert_eq!(text(&client.execute(json!({ "run": id })).await), "42");
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_becomes_a_task_though_nobody_said_for_how_long_to_wait() {
    let serving = Serving::new();
    let mut client = speaking(&serving);
    let task = client
        .execute(json!({ "code": "await tools.test.wait()" }))
        .await;
    assert_eq!(task["resultType"], "task", "{task}");
    drop(client);
    let mut client = speaking(&serving);
    let cancelled = client
        .ask("tasks/cancel", json!({ "taskId": task["taskId"] }))
        .await;
    assert_eq!(cancelled["result"]["resultType"], "complete", "{cancelled}");
    status(&mut client, &task, "cancelled").await;
    serving.is_idle().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_task_asks_is_answered_by_an_update() {
    let serving = Serving::new();
    let mut client = speaking(&serving);
    let code = "return await tools.test.ask()";
    let task = client.execute(json!({ "code": code, "wait": 0 })).await;
    if task["resultType"] != "task" {
        // It asked before anybody looked at the clock.
        assert_eq!(task["resultType"], "input_required", "{task}");
        return;
    }
    let asks = status(&mut client, &task, "input_required").await;
    let (name, _) = object(asks["inputRequests"].clone())
        .into_iter()
        .next()
        .unwrap();
    let answers = json!({
        "taskId": task["taskId"],
        "inputResponses": { name: { "action": "accept", "content": { "name": "Ada" } } },
    });
    let updated = client.ask("tasks/update", answers).await;
    assert!(updated["result"].is_object(), "{updated}");
    let done = status(&mut client, &task, "completed").await;
    assert!(text(&done["result"]).contains("Ada"), "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_not_there_is_an_error() {
    let serving = Serving::new();
    let mut client = speaking(&serving);
    let unknown = client.ask("tasks/get", json!({ "taskId": "0000-1" })).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    // A client without tasks gets an error.
    client.capabilities = json!({});
    let refused = client.ask("tasks/get", json!({ "taskId": "0000-1" })).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}
