//! A person is asked.

use ampoule_approvals::ApprovalError;
use ampoule_tools::{Deadline, Layers};
use serde_json::json;

use super::*;

pub(super) const ASK: &str = r#"@id("ask-mail") @reason("mail leaves the house") @ask forbid(principal, action == Action::"mail.send", resource);"#;

#[tokio::test]
async fn a_call_that_another_process_allows_is_made_and_the_clock_stands_still() {
    let world = World::new();
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let run = begin(&governance).await;
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    let path = world.path("approvals");
    let person = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let store = open(&path);
            let listed = question(&store).await;
            let call = &listed.question.calls[0];
            assert_eq!(
                (&*call.policy, &*call.reason),
                ("ask-mail", "mail leaves the house")
            );
            assert_eq!(
                (&*call.arguments[0].name, &*call.arguments[0].text),
                ("to", "bob")
            );
            assert_eq!(listed.question.done[0].tool, "get");
            assert_eq!(listed.question.caller.client.as_deref(), Some("an editor"));
            tokio::time::sleep(Duration::from_millis(50)).await;
            answer(path, Answer::AllowOnce).await;
        });
    });
    let layers = run.inside_of(&Layers::default());
    let deadline = Deadline::after(Duration::from_millis(40));
    let context = context(&run, 1, "mail", "send", deadline.clone());
    let next = layers.before(&world.mail, "send");
    next.call(object(json!({"to": "bob"})), context)
        .await
        .unwrap();
    person.join().unwrap();
    assert!(
        deadline.used() < Duration::from_millis(40),
        "{:?}",
        deadline.used()
    );
    assert_eq!(
        world.mail.take_calls(),
        [("send".to_owned(), json!({"to": "bob"}))]
    );
}

#[tokio::test]
async fn what_a_person_denies_does_not_leave() {
    let world = World::new();
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let run = begin(&governance).await;
    let deny = Answer::Deny {
        reason: "not to bob".into(),
    };
    tokio::spawn(answer(world.path("approvals"), deny));
    let told = denied(
        world
            .call(&run, 0, "mail", "send", json!({"to": "bob"}))
            .await,
    );
    assert_eq!(told, "a person did not allow this call: not to bob");
    assert_eq!(world.mail.take_calls(), []);
}

#[tokio::test]
async fn where_nobody_can_be_asked_it_fails_at_once_with_the_remedy() {
    let world = World::new();
    let without = world.governance(ASK);
    let nowhere = world
        .builder(ASK)
        .asking(Approvals::new(world.store(), Vec::new()))
        .build()
        .unwrap();
    for governance in [without, nowhere] {
        let run = begin(&governance).await;
        let told = denied(world.call(&run, 0, "mail", "send", json!({})).await);
        assert!(
            told.contains("`ask-mail`") && told.contains("[approvals] in ampoule.toml"),
            "{told}"
        );
    }
    assert_eq!(world.mail.take_calls(), []);
}

#[tokio::test]
async fn what_is_allowed_for_the_run_is_not_asked_again() {
    let world = World::new();
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let run = begin(&governance).await;
    tokio::spawn(answer(world.path("approvals"), Answer::AllowRun));
    for number in 0..3 {
        world
            .call(
                &run,
                number,
                "mail",
                "send",
                json!({"to": number.to_string()}),
            )
            .await
            .unwrap();
    }
    assert_eq!(world.mail.take_calls().len(), 3);
}

#[tokio::test]
async fn a_call_that_is_given_up_on_takes_its_question_back() {
    let world = World::new();
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let run = begin(&governance).await;
    let store = world.store();
    tokio::select! {
        _ = world.call(&run, 0, "mail", "send", json!({})) => panic!("nobody answered"),
        () = world.is_asked() => {}
    }
    none_open(&store).await;
    assert_eq!(world.mail.take_calls(), []);
}

#[tokio::test]
async fn a_run_that_sleeps_keeps_its_question_and_has_the_answer_when_it_wakes() {
    let world = World::new();
    let asking = world.asking();
    let governance = world.builder(ASK).asking(asking).build().unwrap();
    let facts = facts();
    let run = governance.run(facts.clone()).await.unwrap();
    let store = world.store();
    let asked = tokio::select! {
        _ = world.call(&run, 0, "mail", "send", json!({"to": "bob"})) => panic!("nobody answered"),
        () = async { world.is_asked().await; run.will_park() } => question(&store).await,
    };
    let carried = run.park().await.unwrap();
    assert_eq!(question(&store).await.question.id, asked.question.id);
    answer(world.path("approvals"), Answer::AllowOnce).await;
    // Another process continues.
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let run = governance
        .resume(RunFacts { carried, ..facts })
        .await
        .unwrap();
    world
        .call(&run, 0, "mail", "send", json!({"to": "bob"}))
        .await
        .unwrap();
    // The answer was to that call alone, and is used.
    let again = world
        .call(&run, 0, "mail", "send", json!({"to": "bob"}))
        .await
        .unwrap_err();
    assert_eq!(again, CallError::Lost(ApprovalError::Used.to_string()));
    assert_eq!(world.mail.take_calls().len(), 1);
}

#[tokio::test]
async fn the_end_of_a_run_takes_its_questions_back_and_so_does_dropping_it() {
    let world = World::new();
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let store = world.store();
    for ends in [true, false] {
        let run = begin(&governance).await;
        // As if the call's future were kept by somebody.
        let layers = run.inside_of(&Layers::default());
        let mut call = Box::pin(layers.before(&world.mail, "send").call(
            object(json!({})),
            context(&run, 0, "mail", "send", Deadline::never()),
        ));
        tokio::select! {
            _ = &mut call => panic!("nobody answered"),
            () = world.is_asked() => {}
        }
        match ends {
            true => drop(run.end(&mut [], returned()).await),
            false => drop(run),
        }
        none_open(&store).await;
        let told = denied(call.await);
        assert!(told.contains("withdrawn"), "{told}");
    }
}

#[tokio::test]
async fn policies_that_change_while_somebody_is_asked_count() {
    let world = World::new();
    let governance = world.builder(ASK).asking(world.asking()).build().unwrap();
    let run = begin(&governance).await;
    let person = async {
        question(&world.store()).await;
        let others = ASK.replace("@ask ", "").replace("ask-mail", "never");
        governance.policies_changed(sources(&others), None).unwrap();
        answer(world.path("approvals"), Answer::AllowOnce).await;
    };
    let (told, ()) = tokio::join!(world.call(&run, 0, "mail", "send", json!({})), person);
    assert!(denied(told).contains("`never`"));
    assert_eq!(world.mail.take_calls(), []);
}

pub(super) async fn none_open(store: &Store) {
    let is_open = || {
        let listed = store.list().unwrap();
        listed
            .into_iter()
            .flatten()
            .any(|it| it.state == State::Open)
    };
    for _ in 0..500 {
        if !is_open() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(4)).await;
    }
    panic!("a question is still open");
}
