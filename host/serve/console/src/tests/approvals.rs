//! Approvals: an answer lets the run that waits go on.

use super::*;

/// Starts a run that needs an approval, and waits until it asks.
async fn asked(fixture: &Fixture, session: Option<&str>) -> (String, Value) {
    let code =
        "return await tools.demo.delete({ text: '<b>all</b>' }).catch(error => error.message)";
    let body = json!({ "code": code, "language": "javascript", "session": session });
    let started = fixture
        .post(&fixture.ada, "/api/v1/runs", &body)
        .await
        .json();
    let run = started["run"].as_str().unwrap().to_owned();
    let ask = async {
        loop {
            let listed = fixture.get(&fixture.ada, "/api/v1/approvals").await.json();
            let rows = listed["items"].as_array().unwrap().iter();
            if let Some(row) = rows.clone().find(|row| row["run"] == *run) {
                return row["id"].as_str().unwrap().to_owned();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let id = tokio::time::timeout(PATIENCE, ask).await.expect("in time");
    let shown = fixture
        .get(&fixture.ada, &format!("/api/v1/approvals/{id}"))
        .await;
    assert_eq!(shown.status, StatusCode::OK, "{shown:?}");
    (run, shown.json())
}

fn path(question: &Value) -> String {
    format!(
        "/api/v1/approvals/{}/answer",
        question["id"].as_str().unwrap()
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_lets_the_waiting_run_go_on() {
    let fixture = Fixture::principals().await;
    let (run, question) = asked(&fixture, None).await;
    let call = &question["calls"][0];
    assert_eq!(
        (&call["server"], &call["tool"]),
        (&json!("demo"), &json!("delete"))
    );
    assert!(
        call["reason"].as_str().unwrap().contains("undone"),
        "{question}"
    );
    assert!(
        question["code"].as_str().unwrap().contains("demo.delete"),
        "{question}"
    );
    assert_eq!(
        (&question["offersRun"], &question["offersHour"]),
        (&json!(true), &json!(false))
    );
    let allow = json!({ "answer": "allow-once", "seen": question["seen"] });
    let other = fixture.post(&fixture.bob, &path(&question), &allow).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND, "{other:?}");
    let unseen = json!({ "answer": "allow-once", "seen": "0" });
    let unseen = fixture.post(&fixture.ada, &path(&question), &unseen).await;
    assert_eq!(unseen.status, StatusCode::CONFLICT, "{unseen:?}");
    let hour = json!({ "answer": "allow-hour", "seen": question["seen"] });
    let not_offered = fixture.post(&fixture.ada, &path(&question), &hour).await;
    assert_eq!(
        not_offered.status,
        StatusCode::BAD_REQUEST,
        "{not_offered:?}"
    );
    let allowed = fixture.post(&fixture.olga, &path(&question), &allow).await;
    assert_eq!(allowed.status, StatusCode::OK, "{allowed:?}");
    let events = fixture.events(&fixture.ada, &run).await;
    let outcome = &events.last().unwrap()["outcome"];
    assert_eq!(outcome["ending"], "returned", "{outcome}");
    assert!(
        outcome["said"].as_str().unwrap().contains("all"),
        "{outcome}"
    );
    let again = fixture.post(&fixture.olga, &path(&question), &allow).await;
    assert_eq!(again.status, StatusCode::CONFLICT, "{again:?}");
    let shown = fixture
        .get(
            &fixture.ada,
            &format!("/api/v1/approvals/{}", question["id"].as_str().unwrap()),
        )
        .await
        .json();
    assert_eq!(shown["state"], "answered", "{shown}");
    assert!(
        shown["answer"].as_str().unwrap().contains("olga"),
        "{shown}"
    );
    let open = fixture.get(&fixture.ada, "/api/v1/approvals").await.json();
    assert_eq!(open["items"], json!([]));
    let all = fixture
        .get(&fixture.ada, "/api/v1/approvals?all=true")
        .await
        .json();
    assert_eq!(all["total"], 1, "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_gives_the_script_the_reason() {
    let fixture = Fixture::principals().await;
    let (run, question) = asked(&fixture, None).await;
    let deny = json!({ "answer": "deny", "reason": "not on a Friday", "seen": question["seen"] });
    let denied = fixture.post(&fixture.ada, &path(&question), &deny).await;
    assert_eq!(denied.status, StatusCode::OK, "{denied:?}");
    let events = fixture.events(&fixture.ada, &run).await;
    let outcome = &events.last().unwrap()["outcome"];
    assert!(
        outcome["said"]
            .as_str()
            .unwrap()
            .contains("not on a Friday"),
        "{outcome}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn within_a_session_an_hour_can_be_allowed() {
    let fixture = Fixture::principals().await;
    let (run, question) = asked(&fixture, Some("work")).await;
    assert_eq!(question["offersHour"], true, "{question}");
    let hour = json!({ "answer": "allow-hour", "seen": question["seen"] });
    let allowed = fixture.post(&fixture.ada, &path(&question), &hour).await;
    assert_eq!(allowed.status, StatusCode::OK, "{allowed:?}");
    fixture.events(&fixture.ada, &run).await;
    // The next run of the session is not asked about.
    let code = "return await tools.demo.delete({ text: 'more' })";
    let body = json!({ "code": code, "language": "javascript", "session": "work" });
    let started = fixture
        .post(&fixture.ada, "/api/v1/runs", &body)
        .await
        .json();
    let events = fixture
        .events(&fixture.ada, started["run"].as_str().unwrap())
        .await;
    assert_eq!(
        events.last().unwrap()["outcome"]["ending"],
        "returned",
        "{events:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_is_no_way_around_the_places_of_answers() {
    for (principals, operators) in [(false, true), (false, false)] {
        let fixture = Fixture::answered_by(Answerers {
            principals,
            operators,
        })
        .await;
        let (_, question) = asked(&fixture, None).await;
        assert_eq!(question["canAnswer"], false, "{question}");
        let answer = json!({ "answer": "allow-once", "seen": question["seen"] });
        let own = fixture.post(&fixture.ada, &path(&question), &answer).await;
        assert_eq!(own.status, StatusCode::FORBIDDEN, "{own:?}");
        let others = fixture.post(&fixture.bob, &path(&question), &answer).await;
        assert_eq!(others.status, StatusCode::NOT_FOUND, "{others:?}");
        let operator = fixture.post(&fixture.olga, &path(&question), &answer).await;
        let wanted = match operators {
            true => StatusCode::OK,
            false => StatusCode::FORBIDDEN,
        };
        assert_eq!(operator.status, wanted, "{operator:?}");
    }
}
