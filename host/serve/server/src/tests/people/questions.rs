//! What people are shown, and which answers count.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_shown_calls_in_a_client_of_2025_and_they_are_made_once() {
    let people = People::new(Vec::new());
    let mut client = people.client_with_session().await;
    let code = "const to = (to) => tools.mail.send({ to, text: 'hello' });
        await Promise.all([to('ada'), to('bob')]); return 'sent'";
    let request = client.begins(json!({ "code": code })).await;
    let asked = client.is_asked().await;
    let message = asked["params"]["message"].as_str().unwrap();
    for shown in [
        "mail.send × 2",
        "ada",
        "bob",
        "hello",
        "mail leaves the house",
    ] {
        assert!(message.contains(shown), "{message}");
    }
    assert!(people.sent.lock().is_empty());
    client.says(&asked, allows("allow-once")).await;
    let (answer, _) = client.answer(request).await;
    assert_eq!(text(&answer["result"]), "sent", "{answer}");
    let mut sent = people.sent.lock().clone();
    sent.sort_by_key(Value::to_string);
    assert_eq!(sent, [to("ada"), to("bob")]);
    let given = people.given();
    assert_eq!(given.len(), 1, "{given:?}");
    assert_eq!(
        given[0].by,
        Answerer::new("the local user, in tester", AnswerSource::Dialogue)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_says_no_and_who_closes_the_question_is_told_of_and_nothing_is_sent() {
    let people = People::new(Vec::new());
    let mut client = people.client_with_session().await;
    let no = json!({ "action": "accept", "content": { "answer": "deny", "reason": "not today" } });
    for (said, told) in [
        (no, "a person did not allow this call: not today"),
        (
            json!({ "action": "decline" }),
            "a person did not allow this call",
        ),
        (
            json!({ "action": "cancel" }),
            "the question was closed without an answer",
        ),
        (
            allows("allow-everything"),
            "the question was closed without an answer",
        ),
        (
            json!({ "action": "accept" }),
            "the question was closed without an answer",
        ),
        (json!({}), "the question was closed without an answer"),
    ] {
        let request = client.begins(json!({ "code": SENDS })).await;
        let asked = client.is_asked().await;
        client.says(&asked, said.clone()).await;
        let (answer, _) = client.answer(request).await;
        assert_eq!(answer["result"]["isError"], true, "{said}: {answer}");
        assert!(text(&answer["result"]).contains(told), "{said}: {answer}");
    }
    // Nor does a client that can't ask after all.
    let request = client.begins(json!({ "code": SENDS })).await;
    let asked = client.is_asked().await;
    let error = json!({ "code": -32601, "message": "no" });
    let answer = json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error });
    client.say(&answer).await;
    let (answer, _) = client.answer(request).await;
    assert!(
        text(&answer["result"]).contains("closed without"),
        "{answer}"
    );
    assert!(people.sent.lock().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_closed_in_a_client_stays_open_elsewhere() {
    let people = People::new(vec![Arc::new(CommandLine)]);
    let mut client = people.client_with_session().await;
    let request = client.begins(json!({ "code": SENDS })).await;
    let asked = client.is_asked().await;
    client.says(&asked, json!({ "action": "cancel" })).await;
    people.answer(Answer::AllowOnce).await;
    let (answer, _) = client.answer(request).await;
    assert_eq!(text(&answer["result"]), "sent", "{answer}");
    // And one that was answered elsewhere is taken back.
    let request = client.begins(json!({ "code": SENDS })).await;
    let asked = client.is_asked().await;
    people.answer(Answer::AllowOnce).await;
    let (answer, before) = client.answer(request).await;
    assert_eq!(text(&answer["result"]), "sent", "{answer}");
    let taken_back = |message: &Value| {
        message["method"] == "notifications/cancelled"
            && message["params"]["requestId"] == asked["id"]
    };
    assert!(before.iter().any(taken_back), "{before:?}");
    assert_eq!(people.sent.lock().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_2026_keeps_a_state_that_is_good_once_and_for_one_principal() {
    let people = People::new(Vec::new());
    let mut client = people.client();
    let asks = client.execute(json!({ "code": SENDS })).await;
    assert_eq!(asks["resultType"], "input_required", "{asks}");
    let (name, request) = only(&asks["inputRequests"]);
    let message = request["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("mail.send") && message.contains("ada"),
        "{message}"
    );
    // It says nothing, not even which run or question it is.
    let state = asks["requestState"].as_str().unwrap().to_owned();
    let question = people.question().await.question;
    for told in [question.id.to_string(), question.caller.run.clone()] {
        assert!(!state.contains(&told), "{state}");
    }
    assert_eq!(name, format!("approval {}", question.id));
    // Somebody else can't use it, nor one that was changed.
    let other = Principal::new("mallory");
    let opened = people.dialogues.open(&state, Some(&other), None).await;
    assert!(opened.is_err());
    // Nor can the same person, at the address of a toolkit.
    let toolkit = "support".into();
    let opened = people.dialogues.open(&state, None, Some(&toolkit)).await;
    assert!(opened.is_err());
    for wrong in [&state[1..], "x", &format!("{state}A")] {
        let wrong = json!({ "requestState": wrong, "inputRequests": asks["inputRequests"] });
        let refused = client.is_refused(&wrong, allows("allow-once")).await;
        assert!(refused.contains("unknown, expired"), "{refused}");
    }
    assert!(people.sent.lock().is_empty());
    let done = client.goes_on(&asks, allows("allow-once")).await;
    assert_eq!(text(&done), "sent", "{done}");
    let replayed = client.is_refused(&asks, allows("allow-run")).await;
    assert!(replayed.contains("already used"), "{replayed}");
    assert_eq!(*people.sent.lock(), [to("ada")]);
    let by = Answerer::new("the local user, in tester", AnswerSource::Dialogue);
    assert_eq!(people.given()[0].by, by);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_another_question_is_none() {
    let people = People::new(Vec::new());
    let mut client = people.client();
    let (first, second) = (
        client.execute(json!({ "code": SENDS })).await,
        client
            .execute(json!({ "code": SENDS.replace("ada", "mallory") }))
            .await,
    );
    // The first one's state, with an answer that is called like the second one's.
    let swapped = json!({
        "requestState": first["requestState"],
        "inputRequests": second["inputRequests"],
    });
    let done = client.goes_on(&swapped, allows("allow-once")).await;
    assert!(text(&done).contains("closed without an answer"), "{done}");
    let done = client
        .goes_on(&second, json!({ "action": "decline" }))
        .await;
    assert!(text(&done).contains("did not allow"), "{done}");
    assert!(people.sent.lock().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_has_nothing_to_answer_with() {
    let people = People::new(Vec::new());
    let mut client = people.client();
    let first = client.execute(json!({ "code": SENDS, "wait": 0 })).await;
    let run = id_in(&first);
    people.question().await;
    let asks = client.execute(json!({ "run": run })).await;
    let (name, _) = only(&asks["inputRequests"]);
    // What a model writes are arguments.
    for more in [
        json!({ "answer": "allow-once" }),
        json!({ "content": { "answer": "allow-once" } }),
        json!({ "requestState": asks["requestState"] }),
        json!({ "inputResponses": { (name.clone()): allows("allow-once") } }),
    ] {
        let mut arguments = object(json!({ "run": run }));
        arguments.extend(object(more));
        let refused = client.execute(arguments.into()).await;
        assert!(text(&refused).contains("unknown argument"), "{refused}");
    }
    // And scripts find nothing that answers.
    let code = "const tools_ = await tools.$search('', { limit: 100 });
        return tools_.map((tool) => tool.server + '.' + tool.name).sort().join()";
    let found = client.execute(json!({ "code": code })).await;
    assert_eq!(text(&found), "mail.read,mail.send", "{found}");
    let ended = client.execute(json!({ "run": run, "cancel": true })).await;
    assert_eq!(ended["isError"], true, "{ended}");
    assert!(people.sent.lock().is_empty() && people.given().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_can_be_asked_the_call_fails_at_once() {
    let people = People::new(Vec::new());
    for has_session in [false, true] {
        let mut client = people.client();
        client.capabilities = json!({});
        if has_session {
            client = client.with_session().await;
        }
        let denied = client.execute(json!({ "code": SENDS })).await;
        assert!(text(&denied).contains("nobody can be asked"), "{denied}");
    }
    assert!(people.store.list().unwrap().is_empty());
}
