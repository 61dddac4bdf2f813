//! Calls of direct tools whose servers ask, make tasks, report progress or refuse: their clients see
//! what they would see without Ampoule in between.

use futures::future::join_all;

use super::people::only;
use super::*;
use crate::Exposure;

/// The server's own name for a question.
const NAME: &str = "user_name";

async fn asked(context: &CallContext, name: &str, message: &str) -> Value {
    let params =
        json!({ "message": message, "requestedSchema": { "type": "object", "properties": {} } });
    let ask = Ask::new("jobs".into(), AskKind::Form, object(params)).named(name);
    let respondent = context.respondent().expect("a client");
    let answer = respondent.answer(ask).await;
    answer.map_or_else(Value::from, |answer| answer["content"]["name"].clone())
}

fn hear(context: &CallContext, notice: Notice) {
    context.respondent().expect("a client").hear(notice);
}

/// A server whose tools are direct.
struct Jobs {
    server: Server,
    let_go: Arc<Notify>,
}

impl Jobs {
    fn new() -> Self {
        let let_go = Arc::<Notify>::default();
        let held = Arc::clone(&let_go);
        let takes_long = move |_, context: CallContext| {
            let held = Arc::clone(&held);
            async move {
                let (server, tool) = ("jobs".into(), "long".into());
                hear(&context, Notice::Task { server, tool });
                held.notified().await;
                ToolResult::returned(&"done")
            }
        };
        let two = async |_, context: CallContext| {
            let both = [("first", "First?"), ("second", "Second?")];
            let both = both.map(|(name, message)| asked(&context, name, message));
            ToolResult::returned(&join_all(both).await)
        };
        let one = async |_, context: CallContext| {
            let first = asked(&context, NAME, "Who?").await;
            let again = asked(&context, NAME, "Sure?").await;
            ToolResult::returned(&json!([first, again]))
        };
        let refuses = async |_, context: CallContext| {
            let required = object(json!({ "sampling": {} }));
            let (server, tool) = ("jobs".into(), "refuse".into());
            let refused = Notice::Refused {
                server,
                tool,
                code: -32021,
                required,
            };
            hear(&context, refused);
            Err(CallError::Refused("no model (error -32021)".to_owned()))
        };
        let fails = async |_, context: CallContext| {
            let (server, tool): (Arc<str>, Arc<str>) = ("jobs".into(), "fail".into());
            hear(
                &context,
                Notice::Task {
                    server: Arc::clone(&server),
                    tool: Arc::clone(&tool),
                },
            );
            let refused = Notice::Refused {
                server,
                tool,
                code: -32603,
                required: Map::new(),
            };
            hear(&context, refused);
            Err(CallError::Refused("no paper (error -32603)".to_owned()))
        };
        let progresses = async |_, context: CallContext| {
            for progress in [0.0, 50.0, 100.0] {
                hear(
                    &context,
                    Notice::Progress {
                        server: "jobs".into(),
                        tool: "progress".into(),
                        progress,
                        total: Some(100.0),
                        message: None,
                    },
                );
            }
            ToolResult::returned(&"done")
        };
        let folders = async |_, context: CallContext| {
            let ask = Ask::new("jobs".into(), AskKind::Roots, Map::new()).named("folders");
            let respondent = context.respondent().expect("a client");
            let (is_asked, answer) = (respondent.abilities().roots, respondent.answer(ask).await);
            let answer = answer.map_err(CallError::Refused)?;
            ToolResult::returned(&json!([is_asked, answer["roots"][0]["uri"]]))
        };
        let tools = Functions::new("jobs")
            .raw(tool("long"), takes_long)
            .raw(tool("two"), two)
            .raw(tool("one"), one)
            .raw(tool("folders"), folders)
            .raw(tool("refuse"), refuses)
            .raw(tool("fail"), fails)
            .raw(tool("progress"), progresses);
        let runtime = Runtime::builder().binding(tools).build().unwrap();
        let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
        let server = server.exposure(Exposure {
            direct: vec!["jobs".parse().unwrap()],
            ..Exposure::default()
        });
        Self { server, let_go }
    }

    fn client(&self) -> Client {
        Client::of(&self.server)
    }

    /// A client that takes tasks.
    fn taking_tasks(&self) -> Client {
        let mut client = self.client();
        client.capabilities["extensions"] = json!({ "io.modelcontextprotocol/tasks": {} });
        client
    }
}

fn accepted(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

impl Client {
    async fn calls_job(&mut self, tool: &str, more: Value) -> Value {
        let mut call = object(json!({ "name": format!("jobs__{tool}"), "arguments": {} }));
        call.extend(object(more));
        self.ask("tools/call", call.into()).await
    }

    /// Comes back with these answers.
    async fn answers_job(&mut self, tool: &str, asks: &Value, answers: Value) -> Value {
        let state = &asks["result"]["requestState"];
        let more = json!({ "requestState": state, "inputResponses": answers });
        self.calls_job(tool, more).await
    }

    /// A task once it is no longer at work.
    async fn task_once(&mut self, task: &Value, is_so: impl Fn(&Value) -> bool) -> Value {
        loop {
            let asked = json!({ "taskId": task["result"]["taskId"] });
            let seen = self.ask("tasks/get", asked).await["result"].clone();
            if is_so(&seen) {
                return seen;
            }
            assert!(
                seen["status"] == "working" || seen["status"] == "input_required",
                "{seen}"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn several_questions_are_asked_at_once_and_those_left_open_again() {
    let jobs = Jobs::new();
    let mut client = jobs.client();
    let asks = client.calls_job("two", json!({})).await;
    let requests = object(asks["result"]["inputRequests"].clone());
    let names: Vec<_> = requests.keys().map(String::as_str).collect();
    assert_eq!(names, ["first", "second"], "{asks}");
    // One answer, and one to what was not asked.
    let answers = json!({ "second": accepted("B"), "third": accepted("C") });
    let asks = client.answers_job("two", &asks, answers).await;
    let (left, _) = only(&asks["result"]["inputRequests"]);
    assert_eq!(left, "first", "{asks}");
    let done = client
        .answers_job("two", &asks, json!({ "first": accepted("A") }))
        .await;
    assert_eq!(text(&done["result"]), r#"["A","B"]"#, "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_s_name_for_a_question_is_used_once_and_answers_may_come_first() {
    let jobs = Jobs::new();
    let mut client = jobs.client();
    let given = json!({ "inputResponses": { NAME: accepted("Ada"), "other": accepted("Bob") } });
    let asks = client.calls_job("one", given).await;
    let (name, request) = only(&asks["result"]["inputRequests"]);
    assert_eq!(request["params"]["message"], "jobs asks: Sure?", "{asks}");
    assert_ne!(name, NAME);
    let done = client
        .answers_job("one", &asks, json!({ name: accepted("yes") }))
        .await;
    assert_eq!(text(&done["result"]), r#"["Ada","yes"]"#, "{done}");
    // An answer that is none is asked for.
    let given = json!({ "inputResponses": { NAME: 7 } });
    let asks = client.calls_job("one", given).await;
    let (name, _) = only(&asks["result"]["inputRequests"]);
    assert_eq!(name, NAME, "{asks}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_asks_for_roots_gets_those_of_its_client() {
    let jobs = Jobs::new();
    let roots = json!({ "roots": [{ "uri": "file:///home/ada" }] });
    let found = r#"[true,"file:///home/ada"]"#;
    let mut client = jobs.client();
    client.capabilities["roots"] = json!({});
    let asks = client.calls_job("folders", json!({})).await;
    let (name, request) = only(&asks["result"]["inputRequests"]);
    assert_eq!(
        (name.as_str(), &request["method"]),
        ("folders", &json!("roots/list")),
        "{asks}"
    );
    let answers = json!({ "folders": roots });
    let done = client.answers_job("folders", &asks, answers).await;
    assert_eq!(text(&done["result"]), found, "{done}");

    let mut client = jobs.client();
    client.capabilities["roots"] = json!({});
    let mut client = client.with_session().await;
    let call = json!({ "name": "jobs__folders", "arguments": {} });
    let id = client.send("tools/call", call).await;
    let asked = client.message().await;
    assert_eq!(asked["method"], "roots/list", "{asked}");
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "result": roots });
    client.say(&answer).await;
    let (done, _) = client.answer(id).await;
    assert_eq!(text(&done["result"]), found, "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_is_not_known_is_an_error_of_the_protocol() {
    let jobs = Jobs::new();
    let mut client = jobs.client();
    let asks = client.calls_job("one", json!({})).await;
    let state = format!(
        "{}-changed",
        asks["result"]["requestState"].as_str().unwrap()
    );
    let changed = json!({ "result": { "requestState": state } });
    let refused = client
        .answers_job("one", &changed, json!({ NAME: accepted("Ada") }))
        .await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let known = client
        .answers_job("one", &asks, json!({ NAME: accepted("Ada") }))
        .await;
    assert_eq!(known["result"]["resultType"], "input_required", "{known}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_of_which_its_server_makes_a_task_is_one_for_clients_that_take_tasks() {
    let jobs = Jobs::new();
    let mut client = jobs.taking_tasks();
    let began = std::time::Instant::now();
    let task = client.calls_job("long", json!({})).await;
    assert_eq!(task["result"]["resultType"], "task", "{task}");
    assert!(
        began.elapsed() < Duration::from_secs(2),
        "it is no brief call"
    );
    client
        .task_once(&task, |seen| seen["status"] == "working")
        .await;
    jobs.let_go.notify_one();
    let done = client
        .task_once(&task, |seen| seen["status"] == "completed")
        .await;
    assert_eq!(text(&done["result"]), r#""done""#, "{done}");
    // Others wait for it.
    jobs.let_go.notify_one();
    let waited = jobs.client().calls_job("long", json!({})).await;
    assert_eq!(text(&waited["result"]), r#""done""#, "{waited}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_to_a_task_may_come_one_after_the_other() {
    let jobs = Jobs::new();
    let mut client = jobs.taking_tasks();
    let code = json!({ "code": "return await tools.jobs.two()", "wait": 0 });
    let task = client
        .ask(
            "tools/call",
            json!({ "name": "execute_code", "arguments": code }),
        )
        .await;
    if task["result"]["resultType"] != "task" {
        // It asked before anybody looked at the clock.
        assert_eq!(task["result"]["resultType"], "input_required", "{task}");
        return;
    }
    let names = |seen: &Value| -> Vec<String> {
        let requests = seen["inputRequests"].as_object();
        requests.map_or_else(Vec::new, |all| all.keys().cloned().collect())
    };
    let asks = client.task_once(&task, |seen| names(seen).len() == 2).await;
    let id = &task["result"]["taskId"];
    for (left, name) in names(&asks).iter().enumerate().rev() {
        let update = json!({
            "taskId": id,
            "inputResponses": { name: accepted("Ada"), "unknown": accepted("Bob") },
        });
        let taken = client.ask("tasks/update", update).await;
        assert_eq!(taken["result"]["resultType"], "complete", "{taken}");
        if left > 0 {
            let asks = client
                .task_once(&task, |seen| names(seen).len() == left)
                .await;
            assert!(!names(&asks).contains(name), "{asks}");
        }
    }
    let done = client
        .task_once(&task, |seen| seen["status"] == "completed")
        .await;
    assert_eq!(text(&done["result"]), r#"["Ada","Ada"]"#, "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_lacks_what_a_server_needs_gets_the_error_for_that() {
    let jobs = Jobs::new();
    let mut client = jobs.client();
    let refused = client.calls_job("refuse", json!({})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let required = &refused["error"]["data"]["requiredCapabilities"];
    assert_eq!(*required, json!({ "sampling": {} }), "{refused}");
    // One that has it reads what happened, and so does one with a session.
    client.capabilities["sampling"] = json!({});
    let mut with_session = jobs.client().with_session().await;
    for client in [&mut client, &mut with_session] {
        let told = client.calls_job("refuse", json!({})).await;
        assert_eq!(told["result"]["isError"], true, "{told}");
        assert!(text(&told["result"]).contains("no model"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_its_server_refuses_has_failed() {
    let jobs = Jobs::new();
    let mut client = jobs.taking_tasks();
    let mut call = client.calls_job("fail", json!({})).await;
    if call["result"]["resultType"] != "task" {
        // It had failed before it was a task.
        assert_eq!(call["result"]["isError"], true, "{call}");
        return;
    }
    call = client
        .task_once(&call, |seen| seen["status"] == "failed")
        .await;
    assert_eq!(call["error"]["code"], -32603, "{call}");
    let message = call["error"]["message"].as_str().unwrap();
    assert!(message.contains("no paper"), "{call}");
    assert_eq!(call["result"], Value::Null, "{call}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_report_of_a_call_s_progress_reaches_its_client() {
    let jobs = Jobs::new();
    let mut client = jobs.client();
    let call =
        json!({ "name": "jobs__progress", "arguments": {}, "_meta": { "progressToken": "p" } });
    let id = client.send("tools/call", call).await;
    let (answer, before) = client.answer(id).await;
    assert_eq!(text(&answer["result"]), r#""done""#, "{answer}");
    let told: Vec<_> = before
        .iter()
        .map(|told| &told["params"]["progress"])
        .collect();
    assert_eq!(told, [0.0, 50.0, 100.0], "{before:?}");
}
