//! Runs: what is shown of them, their events, replays, cancellations.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_shown_with_its_script_output_and_calls() {
    let fixture = Fixture::principals().await;
    let code = "console.log('one');\nconst echoed = await tools.demo.echo({ text: 'x' });\nthrow new Error('no: ' + JSON.stringify(echoed))";
    let run = fixture.run(&fixture.ada, code).await;
    assert_eq!(run["state"], "threw", "{run}");
    assert_eq!(
        (&run["code"], &run["output"]),
        (&json!(code), &json!("one\n"))
    );
    assert_eq!(run["failure"]["line"], 3, "{run}");
    assert!(
        run["failure"]["message"].as_str().unwrap().contains("no: "),
        "{run}"
    );
    assert_eq!(run["client"], "console");
    let call = &run["calls"][0];
    assert_eq!(
        (&call["server"], &call["tool"]),
        (&json!("demo"), &json!("echo")),
        "{run}"
    );
    assert_eq!(call["arguments"], json!({ "text": "x" }), "{run}");
    assert_eq!(call["end"], "returned", "{run}");
    assert!(
        call["atMs"].is_number() && call["wallMs"].is_number(),
        "{run}"
    );
    assert!(call["answer"].is_object(), "{run}");
    assert_eq!(run["recorded"], true, "{run}");
    let id = run["run"].as_str().unwrap();
    let one = fixture
        .get(&fixture.ada, &format!("/api/v1/runs/{id}/calls/0"))
        .await;
    assert_eq!(one.json()["answer"], call["answer"], "{one:?}");
    for number in ["1", "x", "-1"] {
        let none = fixture
            .get(&fixture.ada, &format!("/api/v1/runs/{id}/calls/{number}"))
            .await;
        assert_eq!(none.status, StatusCode::NOT_FOUND, "{none:?}");
    }
    let searched = fixture
        .get(&fixture.ada, "/api/v1/runs?state=threw")
        .await
        .json();
    assert_eq!(searched["total"], 1, "{searched}");
    let searched = fixture
        .get(&fixture.ada, "/api/v1/runs?state=returned")
        .await
        .json();
    assert_eq!(searched["total"], 0, "{searched}");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_come_as_they_happen_to_the_end() {
    let fixture = Fixture::principals().await;
    let code = "console.log('begun'); await tools.demo.wait({}); console.log('over')";
    let run = fixture.start(&fixture.ada, code).await;
    let release = async {
        // The run waits until the stream is open.
        tokio::time::sleep(Duration::from_millis(200)).await;
        fixture.let_go.notify_one();
    };
    let (events, ()) = tokio::join!(fixture.events(&fixture.ada, &run), release);
    let kinds: Vec<&str> = events
        .iter()
        .filter_map(|it| it["event"].as_str())
        .collect();
    let wanted = ["output", "call-started", "call-ended", "output", "ended"];
    let found: Vec<&str> = kinds
        .iter()
        .copied()
        .filter(|it| wanted.contains(it))
        .collect();
    assert_eq!(found, wanted, "{events:?}");
    assert_eq!(events.last().unwrap()["outcome"]["ending"], "returned");
    // The end of a run that has ended is told again.
    let again = fixture.events(&fixture.ada, &run).await;
    assert_eq!(again.last().unwrap()["event"], "ended", "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_active_run_is_cancelled_and_one_that_has_ended_is_not() {
    let fixture = Fixture::principals().await;
    let run = fixture
        .start(&fixture.ada, "await tools.demo.wait({})")
        .await;
    let path = format!("/api/v1/runs/{run}/cancel");
    let other = fixture.post(&fixture.bob, &path, &json!({})).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND, "{other:?}");
    let shown = fixture
        .get(&fixture.ada, &format!("/api/v1/runs/{run}"))
        .await
        .json();
    assert_eq!(shown["canCancel"], true, "{shown}");
    let cancelled = fixture.post(&fixture.olga, &path, &json!({})).await;
    assert_eq!(cancelled.status, StatusCode::OK, "{cancelled:?}");
    let events = fixture.events(&fixture.ada, &run).await;
    assert_eq!(
        events.last().unwrap()["outcome"]["ending"],
        "cancelled",
        "{events:?}"
    );
    let shown = fixture
        .get(&fixture.ada, &format!("/api/v1/runs/{run}"))
        .await
        .json();
    assert_eq!(
        (&shown["state"], &shown["canCancel"]),
        (&json!("cancelled"), &json!(false))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_is_replayed_also_with_another_script() {
    let fixture = Fixture::principals().await;
    let code = "const echoed = await tools.demo.echo({ text: 'x' });\nthrow new Error('wrong')";
    let run = fixture.run(&fixture.ada, code).await;
    let path = format!("/api/v1/runs/{}/replay", run["run"].as_str().unwrap());
    let same = fixture.post(&fixture.ada, &path, &json!({})).await.json();
    assert_eq!(
        (&same["same"], &same["ending"]),
        (&json!(true), &json!("threw")),
        "{same}"
    );
    assert_eq!(same["answered"], 1, "{same}");
    let fixed = "const echoed = await tools.demo.echo({ text: 'x' });\nreturn echoed.text";
    let edited = fixture
        .post(&fixture.ada, &path, &json!({ "code": fixed }))
        .await
        .json();
    assert_eq!(edited["ending"], "returned", "{edited}");
    assert_eq!(edited["same"], false, "{edited}");
    let stopped = fixture
        .post(&fixture.ada, &path, &json!({ "until": 0 }))
        .await
        .json();
    assert!(
        stopped["stoppedBefore"]
            .as_str()
            .unwrap()
            .contains("demo.echo"),
        "{stopped}"
    );
    let wrong = fixture
        .post(&fixture.ada, &path, &json!({ "what": 1 }))
        .await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST, "{wrong:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_is_called_and_a_session_goes_back() {
    let fixture = Fixture::principals().await;
    let call = json!({ "arguments": { "text": "called" } });
    let called = fixture
        .post(&fixture.ada, "/api/v1/tools/demo.echo/call", &call)
        .await;
    assert_eq!(called.status, StatusCode::ACCEPTED, "{called:?}");
    let run = called.json()["run"].as_str().unwrap().to_owned();
    fixture.events(&fixture.ada, &run).await;
    let shown = fixture
        .get(&fixture.ada, &format!("/api/v1/runs/{run}"))
        .await
        .json();
    assert_eq!(
        (&shown["state"], &shown["language"]),
        (&json!("returned"), &json!("call"))
    );
    let unknown = fixture
        .post(&fixture.ada, "/api/v1/tools/demo.nothing/call", &call)
        .await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND, "{unknown:?}");
    for code in ["globalThis.n = 1", "globalThis.n = 2"] {
        let body = json!({ "code": code, "language": "javascript", "session": "work" });
        let started = fixture
            .post(&fixture.ada, "/api/v1/runs", &body)
            .await
            .json();
        fixture
            .events(&fixture.ada, started["run"].as_str().unwrap())
            .await;
    }
    let session = fixture
        .get(&fixture.ada, "/api/v1/sessions/work")
        .await
        .json();
    assert_eq!(session["run"], 2, "{session}");
    let forked = fixture
        .post(
            &fixture.ada,
            "/api/v1/sessions/work/fork",
            &json!({ "name": "copy" }),
        )
        .await;
    assert_eq!(forked.json()["name"], "copy", "{forked:?}");
    let back = fixture
        .post(
            &fixture.ada,
            "/api/v1/sessions/work/rewind",
            &json!({ "runs": 1 }),
        )
        .await;
    assert_eq!(back.json()["run"], 1, "{back:?}");
    let gone = fixture
        .post(
            &fixture.ada,
            "/api/v1/sessions/copy/rewind",
            &json!({ "runs": 2 }),
        )
        .await;
    assert_eq!(gone.json()["run"], 0, "{gone:?}");
    let unknown = fixture.get(&fixture.ada, "/api/v1/sessions/copy").await;
    assert_eq!(unknown.status, StatusCode::NOT_FOUND, "{unknown:?}");
    let too_far = fixture
        .post(
            &fixture.ada,
            "/api/v1/sessions/work/rewind",
            &json!({ "runs": 9 }),
        )
        .await;
    assert_eq!(too_far.status, StatusCode::CONFLICT, "{too_far:?}");
    let audit = fixture
        .get(&fixture.ada, "/api/v1/audit?kind=session&outcome=rewound")
        .await
        .json();
    assert_eq!(audit["items"].as_array().unwrap().len(), 2, "{audit}");
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_counted() {
    let fixture = Fixture::principals().await;
    let run = fixture
        .start(&fixture.ada, "await tools.demo.wait({})")
        .await;
    let path = format!("/api/v1/runs/{run}/events");
    let mut open = Vec::new();
    for _ in 0..32 {
        open.push(
            fixture
                .response(bearer(&fixture.ada, Method::GET, &path, None))
                .await,
        );
    }
    let full = fixture.get(&fixture.ada, &path).await;
    assert_eq!(full.status, StatusCode::TOO_MANY_REQUESTS, "{full:?}");
    // Others have their own, and a place is free once a stream is closed.
    let other = fixture
        .response(bearer(&fixture.olga, Method::GET, &path, None))
        .await;
    assert_eq!(other.status(), StatusCode::OK);
    drop(open.pop());
    let again = fixture
        .response(bearer(&fixture.ada, Method::GET, &path, None))
        .await;
    assert_eq!(again.status(), StatusCode::OK);
}
