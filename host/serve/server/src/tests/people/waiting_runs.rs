//! Runs that wait for people.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_a_person_says_so_and_its_next_client_asks() {
    let people = People::new(Vec::new());
    for has_session in [false, true] {
        let mut client = people.client();
        if has_session {
            client = client.with_session().await;
        }
        let code = json!({ "code": SENDS, "wait": 0 });
        let run = id_in(&client.execute(code).await);
        let asked = people.question().await;
        let mut said = client.execute(json!({ "run": run, "wait": 0 })).await;
        if has_session {
            // The question is there a moment before the run says so.
            while !text(&said).contains("waits for approval of mail.send") {
                assert_eq!(id_in(&said), run, "{said}");
                said = client.execute(json!({ "run": run, "wait": 0 })).await;
            }
            let said = text(&said);
            assert!(said.contains("tell your user"), "{said}");
            assert!(!said.contains("ada") && !said.contains("hello"), "{said}");
        }
        // It vanishes.
        drop(client);
        let mut other = people.client();
        let done = match has_session {
            false => {
                let asks = other.execute(json!({ "run": run })).await;
                other.goes_on(&asks, allows("allow-once")).await
            }
            true => {
                other = other.with_session().await;
                let request = other.begins(json!({ "run": run })).await;
                let asked = other.is_asked().await;
                other.says(&asked, allows("allow-once")).await;
                other.answer(request).await.0["result"].clone()
            }
        };
        assert_eq!(text(&done), "sent", "{done}");
        let found = people.store.get(asked.question.id).unwrap();
        assert!(matches!(found.state, State::Answered(_)), "{found:?}");
    }
    assert_eq!(people.sent.lock().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_not_asked_has_its_answer_while_others_are() {
    let mut people = People::new(vec![Arc::new(CommandLine)]);
    people.server.runs.person_wait = Duration::from_millis(100);
    let mut client = people.client();
    client.capabilities = json!({});
    let goes_on = client.execute(json!({ "code": SENDS })).await;
    assert!(
        text(&goes_on).contains("waits for approval of mail.send"),
        "{goes_on}"
    );
    let run = id_in(&goes_on);
    people.answer(Answer::AllowOnce).await;
    let done = client.execute(json!({ "run": run })).await;
    assert_eq!(text(&done), "sent", "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_that_waits_for_a_person_says_what_becomes_of_it() {
    let mut people = People::new(vec![Arc::new(CommandLine)]);
    people.server = people.server.exposure(crate::Exposure {
        call_tool: Some(true),
        ..crate::Exposure::default()
    });
    people.server.runs.person_wait = Duration::from_millis(100);
    let mut client = people.client();
    client.capabilities = json!({});
    let call = json!({ "server": "mail", "tool": "send", "arguments": to("ada") });
    let call = json!({ "name": "call_tool", "arguments": call });
    let goes_on = client.ask("tools/call", call).await["result"].clone();
    let run = id_in(&goes_on);
    for part in [
        "waits for approval of mail.send",
        "execute_code with {\"run\":",
        "If this server stops before, it is not made",
    ] {
        assert!(text(&goes_on).contains(part), "{goes_on}");
    }
    people.answer(Answer::AllowOnce).await;
    let done = client.execute(json!({ "run": run })).await;
    assert_eq!(done["isError"], false, "{done}");
    assert_eq!(people.sent(), [to("ada")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_come_while_somebody_looks_are_asked_about_after_that() {
    let people = People::new(Vec::new());
    let mut client = people.client_with_session().await;
    let code = "const first = tools.mail.send({ to: 'ada', text: 'hello' });
        await tools.mail.read({ held: true });
        await Promise.all([first, tools.mail.send({ to: 'bob', text: 'hello' })]); return 'sent'";
    let request = client.begins(json!({ "code": code })).await;
    let asked = client.is_asked().await;
    // The second call comes when the first is looked at, however long it took to ask.
    people.sent.lets_go.notify_one();
    let added = async {
        while people.question().await.question.calls.len() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, added)
        .await
        .expect("in time");
    client.says(&asked, allows("allow-once")).await;
    let asked = client.is_asked().await;
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("bob") && !message.contains("ada"),
        "{message}"
    );
    client.says(&asked, allows("deny")).await;
    let (answer, _) = client.answer(request).await;
    assert!(
        text(&answer["result"]).contains("did not allow"),
        "{answer}"
    );
    assert_eq!(*people.sent.lock(), [to("ada")]);
}

/// The folder of parked runs, and runs that are parked as soon as they wait.
fn parks(runtime: ampoule::RuntimeBuilder, folder: &TempDir) -> ampoule::RuntimeBuilder {
    let parked = folder.path().join("parked");
    runtime
        .parked(parked, ParkedLimits::default())
        .park_after(Duration::from_millis(20))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_a_state_of_the_process_before_counts_once() {
    let people = People::with(Vec::new(), parks);
    let mut client = people.client();
    let asks = client.execute(json!({ "code": SENDS })).await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let parked = async {
        while people
            .server
            .runs
            .shared
            .runtime
            .all_parked()
            .unwrap()
            .is_empty()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, parked)
        .await
        .expect("it is parked");
    people.server.suspend();
    let People {
        folder,
        store,
        sent,
        server,
        ..
    } = people;
    drop((client, server));
    // As a process after this one has it.
    let (after, _) = self::server(&folder, &store, &sent, Vec::new(), parks);
    after.resume_parked().await;
    let mut client = Client::of(&after);
    let done = client.goes_on(&asks, allows("allow-once")).await;
    assert_eq!(text(&done), "sent", "{done}");
    let replayed = client.is_refused(&asks, allows("allow-once")).await;
    assert!(replayed.contains("already used"), "{replayed}");
    assert_eq!(*sent.lock(), [to("ada")]);
}
