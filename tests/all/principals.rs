//! What is one principal's, over HTTP: another, who has the name of it, does not find it.

use ampoule_tests::command::Workplace;
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use super::asks::{configured, everything};
use super::serving::{Serving, client};

/// Somebody with a token.
pub(crate) struct Principal<'a> {
    http: Client,
    at: &'a str,
    token: String,
    /// What their client can do.
    capabilities: Value,
}

impl<'a> Principal<'a> {
    /// Gives somebody a token, before the server is there.
    pub(crate) async fn token(workplace: &Workplace, name: &str) -> String {
        let arguments = ["auth", "token", "add", name, "--file", "tokens"];
        let made = workplace.run_at_home(&arguments).await;
        assert_eq!(made.code, Some(0), "{made:?}");
        made.stdout.trim().to_owned()
    }

    pub(crate) fn new(at: &'a str, token: String, capabilities: Value) -> Self {
        Self {
            http: client(),
            at,
            token,
            capabilities,
        }
    }

    fn posts(&self, message: &Value) -> RequestBuilder {
        self.http
            .post(self.at)
            .bearer_auth(&self.token)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(message.to_string())
    }

    /// Asks as clients since 2026-07-28 do.
    pub(crate) async fn asks(&self, method: &str, params: Value) -> Value {
        let body = self.hears(method, params, None).await;
        let mut data = body.lines().filter_map(|line| line.strip_prefix("data: "));
        serde_json::from_str(data.next_back().unwrap_or(&body)).expect("JSON")
    }

    /// All messages for such a request, with the progress under a token.
    async fn hears(&self, method: &str, mut params: Value, token: Option<&str>) -> String {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": self.capabilities,
        });
        if let Some(token) = token {
            params["_meta"]["progressToken"] = json!(token);
        }
        let names = ["name", "taskId", "uri"].map(|name| params[name].as_str());
        let name = names.into_iter().flatten().next().unwrap_or_default();
        let name = name.to_owned();
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut asked = self
            .posts(&message)
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        if !name.is_empty() {
            asked = asked.header("mcp-name", name);
        }
        let answer = asked.send().await.expect("an answer");
        answer.text().await.expect("a body")
    }

    pub(crate) async fn executes(&self, arguments: Value) -> Value {
        let params = json!({ "name": "execute_code", "arguments": arguments });
        self.asks("tools/call", params).await["result"].clone()
    }

    pub(crate) async fn metrics(&self) -> String {
        let address = self.at.replace("/mcp", "/metrics");
        let asked = self.http.get(address).bearer_auth(&self.token).send();
        let answer = asked.await.expect("an answer");
        answer.text().await.expect("a body")
    }

    /// The status of a request of 2025-11-25's in a session.
    async fn status_in(&self, session: &str, method: &str) -> StatusCode {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        let asked = self.posts(&message).header("mcp-session-id", session);
        asked.send().await.expect("an answer").status()
    }
}

pub(crate) fn text(result: &Value) -> &str {
    let text = result["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{result}"))
}

/// A server for two of them, by their tokens.
async fn two(workplace: &Workplace) -> (Serving, [String; 2]) {
    let tokens = [
        Principal::token(workplace, "ada").await,
        Principal::token(workplace, "bob").await,
    ];
    let file = workplace.path().join("ampoule.toml");
    let config = std::fs::read_to_string(file).unwrap_or_default();
    let config = format!("{config}[serve.auth]\ntokens = 'tokens'\n");
    workplace.file("ampoule.toml", config);
    let server = Serving::start(workplace, &["serve", "--http", "0"]).await;
    (server, tokens)
}

#[tokio::test]
async fn anothers_sessions_are_not_there() {
    let workplace = Workplace::default();
    let (server, tokens) = two(&workplace).await;
    let capabilities = json!({});
    let [ada, bob] = tokens.map(|token| Principal::new(&server.at, token, capabilities.clone()));
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let begun = ada.posts(&hello).send().await.expect("an answer");
    let session = begun.headers()["mcp-session-id"].to_str().expect("text");

    for method in ["tools/list", "initialize", "notifications/cancelled"] {
        let status = bob.status_in(session, method).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{method}");
    }
    let delete = |by: &Principal<'_>| {
        let delete = by.http.delete(&server.at).bearer_auth(&by.token);
        delete.header("mcp-session-id", session).send()
    };
    let refused = delete(&bob).await.expect("an answer").status();
    assert_eq!(refused, StatusCode::NOT_FOUND);
    assert_eq!(ada.status_in(session, "tools/list").await, StatusCode::OK);
    assert!(delete(&ada).await.expect("an answer").status().is_success());
    let over = ada.status_in(session, "tools/list").await;
    assert_eq!(over, StatusCode::NOT_FOUND);
    server.stopped().await;
}

#[tokio::test]
async fn anothers_runs_and_tasks_are_not_there() {
    let workplace = Workplace::default();
    let (server, tokens) = two(&workplace).await;
    let capabilities = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let [ada, bob] = tokens.map(|token| Principal::new(&server.at, token, capabilities.clone()));
    let code = "await new Promise(() => setTimeout(() => {}, 3_600_000))";
    let begun = json!({ "code": code, "language": "javascript", "wait": 0 });
    let task = ada.executes(begun).await;
    let id = task["taskId"].as_str().unwrap_or_else(|| panic!("{task}"));

    for arguments in [
        json!({ "run": id, "wait": 0 }),
        json!({ "run": id, "cancel": true }),
    ] {
        let unknown = bob.executes(arguments).await;
        assert_eq!(unknown["isError"], true, "{unknown}");
        assert!(text(&unknown).contains("unknown run"), "{unknown}");
    }
    let by_id = || json!({ "taskId": id });
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let mut params = by_id();
        params["inputResponses"] = json!({});
        let unknown = bob.asks(method, params).await;
        assert_eq!(unknown["error"]["code"], -32602, "{method}: {unknown}");
    }
    let working = ada.asks("tasks/get", by_id()).await;
    assert_eq!(working["result"]["status"], "working", "{working}");
    let cancelled = ada.executes(json!({ "run": id, "cancel": true })).await;
    assert!(text(&cancelled).contains("cancelled"), "{cancelled}");
    server.stopped().await;
}

#[tokio::test]
async fn what_another_was_asked_can_not_be_answered() {
    let Some(asks) = everything("what_another_was_asked_can_not_be_answered") else {
        return;
    };
    let workplace = configured(&asks);
    let (server, tokens) = two(&workplace).await;
    let capabilities = json!({ "elicitation": {} });
    let [ada, bob] = tokens.map(|token| Principal::new(&server.at, token, capabilities.clone()));
    let code = "return JSON.stringify(await tools.everything.triggerElicitationRequest({}))";
    let call = || json!({ "name": "execute_code", "arguments": { "code": code } });
    let asked = ada.asks("tools/call", call()).await["result"].clone();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let requests = asked["inputRequests"].as_object().expect("a question");
    let (name, _) = requests.iter().next().expect("a question");
    let accepted = |by: &str| json!({ name: { "action": "accept", "content": { "name": by } } });

    let mut answer = call();
    answer["requestState"] = asked["requestState"].clone();
    answer["inputResponses"] = accepted("Bob");
    let unknown = bob.asks("tools/call", answer.clone()).await;
    let said = unknown["error"]["message"].as_str().expect("an error");
    assert!(said.contains("unknown requestState"), "{said}");
    answer["inputResponses"] = accepted("Ada");
    let answered = ada.asks("tools/call", answer).await["result"].clone();
    assert!(text(&answered).contains("Ada"), "{answered}");
    server.stopped().await;
}

#[tokio::test]
async fn what_is_told_of_anothers_run_and_what_it_left_is_not_there() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[workspace]\n");
    let (server, tokens) = two(&workplace).await;
    let [ada, bob] = tokens.map(|token| Principal::new(&server.at, token, json!({})));
    // The same id of the request, the same token, at the same time.
    let code = |name: &str| {
        format!(
            "import fs from 'node:fs'; console.log('line of {name}'); progress(0.5, 'half of {name}');
            fs.writeFileSync('{name}.txt', 'file of {name}');
            for (let at = 0; at < 30; at++) await new Promise(done => setTimeout(done, 100));
            return '{name} '.repeat(40_000)"
        )
    };
    let params = |name: &str| {
        let arguments = json!({ "code": code(name), "language": "javascript", "session": "s" });
        json!({ "name": "execute_code", "arguments": arguments })
    };
    let (hers, his) = tokio::join!(
        ada.hears("tools/call", params("ada"), Some("p")),
        bob.hears("tools/call", params("bob"), Some("p")),
    );
    for (heard, own, others) in [(&hers, "ada", "bob"), (&his, "bob", "ada")] {
        let told = heard.matches("notifications/progress").count();
        assert!(
            told > 0 && heard.contains(&format!("half of {own}")),
            "{heard:.2000}"
        );
        assert!(!heard.contains(others), "{own}: {heard:.2000}");
    }
    // What each of them left has the same name: the first run, the session, the workspace.
    for (whose, own, others) in [(&ada, "ada", "bob"), (&bob, "bob", "ada")] {
        let code = "return (await tools.ampoule.returned({ run: 1 })).slice(0, 3)";
        let kept = whose.executes(json!({ "code": code, "language": "javascript" }));
        assert_eq!(text(&kept.await), own);
        let listed = whose.asks("resources/list", json!({})).await.to_string();
        assert!(listed.contains(own) && !listed.contains(others), "{listed}");
        for name in [
            format!("{others}.txt"),
            format!("../{others}/{others}.txt"),
            format!("%2e%2e/{others}.txt"),
        ] {
            let uri = format!("ampoule://workspace/{name}");
            let read = whose.asks("resources/read", json!({ "uri": uri })).await;
            assert!(read["error"].is_object(), "{read}");
            assert!(!read.to_string().contains("file of"), "{read}");
        }
        let uri = format!("ampoule://workspace/{own}.txt");
        let read = whose.asks("resources/read", json!({ "uri": uri })).await;
        assert!(read.to_string().contains("file of"), "{read}");
    }
    server.stopped().await;
}
