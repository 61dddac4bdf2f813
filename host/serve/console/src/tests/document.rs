//! The OpenAPI document, held against real answers: each route is asked, and its status and body are
//! what the document says.

use std::collections::BTreeSet;

use super::*;
use crate::api;

/// A request of the API, by its place in the document.
struct Sample {
    method: &'static str,
    template: &'static str,
    path: String,
    body: Option<Value>,
}

fn get(template: &'static str, path: &str) -> Sample {
    Sample {
        method: "get",
        template,
        path: path.to_owned(),
        body: None,
    }
}

fn post(template: &'static str, path: &str, body: Value) -> Sample {
    Sample {
        method: "post",
        template,
        path: path.to_owned(),
        body: Some(body),
    }
}

/// A request for each route, about things that are there.
async fn samples(fixture: &Fixture) -> Vec<Sample> {
    let code = "console.log('one'); return await tools.demo.echo({ text: 'x' })";
    let run = fixture.run(&fixture.olga, code).await;
    let run = run["run"].as_str().unwrap();
    let saves = "import fs from 'node:fs'; fs.writeFileSync('a.txt', 'a');
        await skills.save('twice', { description: 'Doubles a number.', code: 'export function twice(n) { return 2 * n }' })";
    let saved = fixture.run(&fixture.olga, saves).await;
    assert_eq!(saved["state"], "returned", "{saved}");
    let again = fixture
        .run(&fixture.olga, &saves.replace("2 * n", "n + n"))
        .await;
    assert_eq!(again["state"], "returned", "{again}");
    let body = json!({ "code": "globalThis.n = 1", "language": "javascript", "session": "work" });
    let started = fixture
        .post(&fixture.olga, "/api/v1/runs", &body)
        .await
        .json();
    fixture
        .events(&fixture.olga, started["run"].as_str().unwrap())
        .await;
    let asks = fixture
        .start(&fixture.olga, "await tools.demo.delete({ text: 'x' })")
        .await;
    let question = question(fixture).await;
    let id = question["id"].as_str().unwrap();
    let of_run = |rest: &str| format!("/api/v1/runs/{run}{rest}");
    let deny = json!({ "answer": "deny", "reason": "no", "seen": question["seen"] });
    vec![
        get("/api/v1/me", "/api/v1/me"),
        get("/api/v1/runs", "/api/v1/runs?limit=10"),
        post(
            "/api/v1/runs",
            "/api/v1/runs",
            json!({ "code": "return 1" }),
        ),
        get("/api/v1/runs/{id}", &of_run("")),
        get("/api/v1/runs/{id}/calls/{call}", &of_run("/calls/0")),
        get("/api/v1/runs/{id}/events", &of_run("/events")),
        post("/api/v1/runs/{id}/replay", &of_run("/replay"), json!({})),
        get("/api/v1/approvals", "/api/v1/approvals"),
        get("/api/v1/approvals/{id}", &format!("/api/v1/approvals/{id}")),
        post(
            "/api/v1/approvals/{id}/answer",
            &format!("/api/v1/approvals/{id}/answer"),
            deny,
        ),
        post(
            "/api/v1/runs/{id}/cancel",
            &format!("/api/v1/runs/{asks}/cancel"),
            json!({}),
        ),
        get("/api/v1/servers", "/api/v1/servers"),
        get("/api/v1/servers/{name}", "/api/v1/servers/demo"),
        post(
            "/api/v1/servers/{name}/restart",
            "/api/v1/servers/demo/restart",
            json!({}),
        ),
        post(
            "/api/v1/servers/{name}/sign-in",
            "/api/v1/servers/demo/sign-in",
            json!({}),
        ),
        post(
            "/api/v1/servers/{name}/sign-out",
            "/api/v1/servers/demo/sign-out",
            json!({}),
        ),
        get("/api/v1/tools", "/api/v1/tools?query=echo"),
        get("/api/v1/tools/{name}", "/api/v1/tools/demo.echo"),
        post(
            "/api/v1/tools/{name}/call",
            "/api/v1/tools/demo.echo/call",
            json!({}),
        ),
        get("/api/v1/toolkits", "/api/v1/toolkits"),
        get("/api/v1/sessions", "/api/v1/sessions"),
        get("/api/v1/sessions/{name}", "/api/v1/sessions/work"),
        post(
            "/api/v1/sessions/{name}/fork",
            "/api/v1/sessions/work/fork",
            json!({ "name": "copy" }),
        ),
        post(
            "/api/v1/sessions/{name}/rewind",
            "/api/v1/sessions/work/rewind",
            json!({ "runs": 1 }),
        ),
        get("/api/v1/files", "/api/v1/files"),
        get("/api/v1/files/content", "/api/v1/files/content?path=a.txt"),
        get("/api/v1/skills", "/api/v1/skills"),
        get("/api/v1/skills/{name}", "/api/v1/skills/twice"),
        post(
            "/api/v1/skills/{name}/test",
            "/api/v1/skills/twice/test",
            json!({}),
        ),
        post(
            "/api/v1/skills/{name}/approve",
            "/api/v1/skills/twice/approve",
            json!({ "version": 2 }),
        ),
        post(
            "/api/v1/skills/{name}/roll-back",
            "/api/v1/skills/twice/roll-back",
            json!({}),
        ),
        post(
            "/api/v1/skills",
            "/api/v1/skills",
            json!({ "name": "echoes", "description": "Says a text again.", "language": "javascript", "code": "return await tools.demo.echo({ text: 'x' })" }),
        ),
        get("/api/v1/schedules", "/api/v1/schedules"),
        post(
            "/api/v1/schedules/{name}/start",
            "/api/v1/schedules/nightly/start",
            json!({}),
        ),
        get("/api/v1/policies", "/api/v1/policies"),
        post(
            "/api/v1/policies/test",
            "/api/v1/policies/test",
            json!({ "call": "demo.delete {}" }),
        ),
        get("/api/v1/audit", "/api/v1/audit"),
        get("/api/v1/audit/chain", "/api/v1/audit/chain"),
        get("/api/v1/audit/export", "/api/v1/audit/export?format=jsonl"),
        get("/api/v1/statistics", "/api/v1/statistics"),
        get("/api/v1/principals", "/api/v1/principals"),
        get("/api/v1/configuration", "/api/v1/configuration"),
    ]
}

/// The question of the run that asks, once it is there.
async fn question(fixture: &Fixture) -> Value {
    let ask = async {
        loop {
            let listed = fixture.get(&fixture.olga, "/api/v1/approvals").await.json();
            if let Some(id) = listed["items"][0]["id"].as_str() {
                let path = format!("/api/v1/approvals/{id}");
                return fixture.get(&fixture.olga, &path).await.json();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, ask).await.expect("in time")
}

/// Holds an answer against what the document says of its route.
fn check(document: &Value, sample: &Sample, answer: &Answer) {
    let Sample {
        method, template, ..
    } = sample;
    let status = answer.status.as_u16().to_string();
    let said = &document["paths"][template][method]["responses"][&status]["content"];
    let kind = answer
        .header("content-type")
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    let schema = &said[&kind]["schema"];
    assert!(
        schema.is_object(),
        "{method} {template}: {status} {kind} is not described: {said}"
    );
    if !kind.ends_with("json") {
        return;
    }
    let mut schema = schema.clone();
    schema["components"] = document["components"].clone();
    if schema["type"] != "array" {
        schema["unevaluatedProperties"] = json!(false);
    }
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let body = answer.json();
    let problems: Vec<String> = validator
        .iter_errors(&body)
        .map(|it| it.to_string())
        .collect();
    assert!(
        problems.is_empty(),
        "{method} {template}: {problems:?}: {body}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn each_route_answers_as_the_document_says() {
    let fixture = Fixture::principals().await;
    let document = fixture
        .get(&fixture.ada, "/api/v1/openapi.json")
        .await
        .json();
    assert_eq!(document, serde_json::to_value(api::document()).unwrap());
    let samples = samples(&fixture).await;
    for sample in &samples {
        let method: Method = sample.method.to_uppercase().parse().unwrap();
        let (path, body) = (&sample.path, sample.body.as_ref());
        // Nobody, and somebody who is not an operator, first: what they are answered is described, too.
        for token in ["amp_nothing", &fixture.bob] {
            let refused = fixture
                .send(bearer(token, method.clone(), path, body))
                .await;
            check(&document, sample, &refused);
        }
        let answer = fixture
            .send(bearer(&fixture.olga, method, path, body))
            .await;
        check(&document, sample, &answer);
        // Functions of this program have no connection that could be restarted, and nobody signs in to
        // them; and no clock starts runs in this program.
        let has_none = ["/restart", "/start", "/sign-in", "/sign-out"]
            .iter()
            .any(|end| sample.template.ends_with(end));
        assert_eq!(answer.status.is_success(), !has_none, "{path}: {answer:?}");
    }
    let paths = document["paths"].as_object().unwrap().iter();
    let described: BTreeSet<(String, String)> = paths
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().unwrap().keys();
            methods
                .map(|method| (path.clone(), method.clone()))
                .collect::<Vec<_>>()
        })
        .collect();
    let asked: BTreeSet<(String, String)> = samples
        .iter()
        .map(|it| (it.template.to_owned(), it.method.to_owned()))
        .collect();
    assert_eq!(asked, described, "each route has a sample");
}
