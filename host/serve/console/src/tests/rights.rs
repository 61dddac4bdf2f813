//! Who sees what: what belongs to another principal is answered as what does not exist.

use super::*;

/// Routes with the id or name of something of ada's, and what is sent to them.
async fn routes_of_ada(fixture: &Fixture) -> Vec<(Method, String, Option<Value>)> {
    let run = fixture
        .run(&fixture.ada, "console.log('hers'); return 1")
        .await;
    let run = run["run"].as_str().unwrap().to_owned();
    let in_session =
        json!({ "code": "globalThis.a = 1", "language": "javascript", "session": "work" });
    for _ in 0..2 {
        let started = fixture
            .post(&fixture.ada, "/api/v1/runs", &in_session)
            .await;
        let run = started.json()["run"].as_str().unwrap().to_owned();
        fixture.events(&fixture.ada, &run).await;
    }
    let saves = "await skills.save('twice', { description: 'Doubles a number.', code: 'export function twice(n) { return 2 * n }' })";
    let saved = fixture.run(&fixture.ada, saves).await;
    assert_eq!(saved["state"], "returned", "{saved}");
    let writes = "import fs from 'node:fs'; fs.writeFileSync('hers.txt', 'hers')";
    let wrote = fixture.run(&fixture.ada, writes).await;
    assert_eq!(wrote["state"], "returned", "{wrote}");
    let get = |path: String| (Method::GET, path, None);
    let post = |path: String, body: Value| (Method::POST, path, Some(body));
    vec![
        get(format!("/api/v1/runs/{run}")),
        get(format!("/api/v1/runs/{run}/events")),
        post(format!("/api/v1/runs/{run}/replay"), json!({})),
        get("/api/v1/sessions/work".to_owned()),
        get("/api/v1/sessions/work?principal=ada".to_owned()),
        get("/api/v1/skills/twice".to_owned()),
        get("/api/v1/skills/twice?principal=ada".to_owned()),
        get("/api/v1/files/content?path=hers.txt".to_owned()),
        get("/api/v1/files/content?path=hers.txt&principal=ada".to_owned()),
        post(
            "/api/v1/sessions/work/fork".to_owned(),
            json!({ "name": "copy" }),
        ),
        post(
            "/api/v1/sessions/work/rewind".to_owned(),
            json!({ "runs": 1 }),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn what_belongs_to_another_principal_does_not_exist() {
    let fixture = Fixture::principals().await;
    let routes = routes_of_ada(&fixture).await;
    for (method, path, body) in &routes {
        let ask = |token: &str| bearer(token, method.clone(), path, body.as_ref());
        let other = fixture.send(ask(&fixture.bob)).await;
        assert_eq!(other.status, StatusCode::NOT_FOUND, "{path}: {other:?}");
        assert!(!other.text.contains("hers"), "{path}: {other:?}");
        let nobody = fixture.send(ask("amp_nothing")).await;
        assert_eq!(
            nobody.status,
            StatusCode::UNAUTHORIZED,
            "{path}: {nobody:?}"
        );
        assert!(!nobody.header("www-authenticate").is_empty(), "{path}");
    }
    // The operator names the principal, and sees all of it.
    for (method, path, body) in &routes {
        let by_name = ["/sessions", "/skills", "/files"];
        if by_name.iter().any(|part| path.contains(part)) && !path.contains("principal=") {
            continue;
        }
        let seen = fixture
            .send(bearer(&fixture.olga, method.clone(), path, body.as_ref()))
            .await;
        assert_eq!(seen.status, StatusCode::OK, "{path}: {seen:?}");
    }
    for (method, path, body) in &routes {
        let own = fixture
            .send(bearer(&fixture.ada, method.clone(), path, body.as_ref()))
            .await;
        assert_eq!(own.status, StatusCode::OK, "{path}: {own:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_id_is_answered_as_that_of_another_principal() {
    let fixture = Fixture::principals().await;
    let run = fixture.run(&fixture.ada, "return 1").await;
    let id = run["run"].as_str().unwrap();
    let (_, end) = id.split_at(id.len() - 6);
    let unknown = fixture
        .get(&fixture.bob, "/api/v1/runs/0000000000000000-1")
        .await;
    for path in [
        format!("/api/v1/runs/{id}"),
        format!("/api/v1/runs/{end}"),
        "/api/v1/runs/..%2f..%2fetc".to_owned(),
        "/api/v1/runs/%00".to_owned(),
    ] {
        let answer = fixture.get(&fixture.bob, &path).await;
        assert_eq!(
            (answer.status, &answer.text),
            (unknown.status, &unknown.text),
            "{path}"
        );
    }
    // A part of an id is not enough for its owner, either.
    let part = fixture
        .get(&fixture.ada, &format!("/api/v1/runs/{end}"))
        .await;
    assert_eq!(part.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_what_is_the_viewers() {
    let fixture = Fixture::principals().await;
    fixture.run(&fixture.ada, "return 'hers'").await;
    fixture.run(&fixture.bob, "return 'his'").await;
    for (token, principals) in [
        (&fixture.ada, &["ada"][..]),
        (&fixture.bob, &["bob"]),
        (&fixture.olga, &["bob", "ada"]),
    ] {
        let listed = fixture.get(token, "/api/v1/runs").await.json();
        let rows = listed["items"].as_array().unwrap();
        let found: Vec<&str> = rows
            .iter()
            .filter_map(|it| it["principal"].as_str())
            .collect();
        assert_eq!(found, principals, "{listed}");
        let audit = fixture
            .get(token, "/api/v1/audit?kind=run-ended")
            .await
            .json();
        let rows = audit["items"].as_array().unwrap();
        let found: Vec<&str> = rows
            .iter()
            .filter_map(|it| it["principal"].as_str())
            .collect();
        assert_eq!(found, principals, "{audit}");
    }
    // A filter does not widen what is seen.
    let path = "/api/v1/runs?principal=ada";
    let listed = fixture.get(&fixture.bob, path).await.json();
    assert_eq!(listed["items"], json!([]));
    let path = "/api/v1/audit?principal=ada";
    let listed = fixture.get(&fixture.bob, path).await.json();
    let rows = listed["items"].as_array().unwrap();
    assert!(rows.iter().all(|it| it["principal"] == "bob"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn some_things_are_for_operators_alone() {
    let fixture = Fixture::principals().await;
    let restart = "/api/v1/servers/demo/restart";
    let refused = fixture.post(&fixture.ada, restart, &json!({})).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    // Functions of this program have no connection.
    let operator = fixture.post(&fixture.olga, restart, &json!({})).await;
    assert_eq!(operator.status, StatusCode::CONFLICT, "{operator:?}");
    for path in [
        "/api/v1/configuration",
        "/api/v1/principals",
        "/api/v1/audit/chain",
        "/api/v1/audit/export?format=jsonl",
    ] {
        let refused = fixture.get(&fixture.ada, path).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{path}: {refused:?}");
        let seen = fixture.get(&fixture.olga, path).await;
        assert_eq!(seen.status, StatusCode::OK, "{path}: {seen:?}");
    }
    let approve = "/api/v1/skills/any/approve";
    let shown = json!({ "version": 1 });
    let refused = fixture.post(&fixture.ada, approve, &shown).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    let start = "/api/v1/schedules/nightly/start";
    let refused = fixture.post(&fixture.ada, start, &json!({})).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    // No clock starts runs in this program.
    let operator = fixture.post(&fixture.olga, start, &json!({})).await;
    assert_eq!(operator.status, StatusCode::NOT_FOUND, "{operator:?}");
    let case = json!({ "principal": "bob", "call": "demo.delete {}" });
    let refused = fixture
        .post(&fixture.ada, "/api/v1/policies/test", &case)
        .await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{refused:?}");
    let told = fixture
        .post(&fixture.olga, "/api/v1/policies/test", &case)
        .await;
    assert_eq!(told.json()["decision"], "ask", "{told:?}");
    let own = json!({ "call": "demo.delete {}" });
    let told = fixture
        .post(&fixture.ada, "/api/v1/policies/test", &own)
        .await
        .json();
    assert_eq!(told["decision"], "ask", "{told}");
    assert_eq!(
        told["considered"],
        json!([]),
        "the texts are the operators'"
    );
    let policies = fixture.get(&fixture.ada, "/api/v1/policies").await.json();
    assert!(policies.get("cedar").is_none(), "{policies}");
    let policies = fixture.get(&fixture.olga, "/api/v1/policies").await.json();
    assert!(
        policies["cedar"].as_str().unwrap().contains("careful"),
        "{policies}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_and_toolkits_are_those_of_the_viewers_scripts() {
    let fixture = Fixture::principals().await;
    let status = async |token: &str, tool: &str| {
        let path = format!("/api/v1/tools/{tool}");
        fixture.get(token, &path).await.status
    };
    assert_eq!(
        status(&fixture.ada, "demo.secret").await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(status(&fixture.olga, "demo.secret").await, StatusCode::OK);
    // A policy that asks for the client's name gets the console's.
    assert_eq!(status(&fixture.ada, "demo.desk").await, StatusCode::OK);
    let toolkits = fixture.get(&fixture.ada, "/api/v1/toolkits").await.json();
    let wanted = json!([{ "name": "reading", "tools": ["demo.echo"] }]);
    assert_eq!(toolkits, wanted, "what is not for her is not named");
    let all = fixture.get(&fixture.olga, "/api/v1/toolkits").await.json();
    assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
    assert_eq!(
        all[0]["tools"],
        json!(["demo.echo", "elsewhere.*"]),
        "{all}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_are_those_that_run_on_the_viewers_behalf() {
    let fixture = Fixture::principals().await;
    for (token, names) in [
        (&fixture.ada, &["nightly"][..]),
        (&fixture.bob, &["github"]),
        (&fixture.olga, &["github", "hourly", "nightly"]),
    ] {
        let listed = fixture.get(token, "/api/v1/schedules").await.json();
        let rows = listed.as_array().unwrap().iter();
        let found: Vec<&str> = rows.map(|row| row["name"].as_str().unwrap()).collect();
        assert_eq!(found, names, "{listed}");
    }
}
