//! A person is asked in the middle of a run.

use super::*;

const ASK: &str = r#"@id("ask") @ask @reason("mails go out") forbid(principal, action == Action::"mail.send", resource);"#;

fn asks(world: &World) -> Builder {
    policies(ASK).asking(world.asking())
}

fn sends(language: Language) -> &'static str {
    match language {
        Language::Python => {
            "
print('before')
sent = await tools.mail.send(to='bob', text='hi')
sent['id']"
        }
        _ => {
            "console.log('before');
            const sent = await tools.mail.send({ to: 'bob', text: 'hi' });
            return sent.id"
        }
    }
}

/// Waits until so many runs have no isolate.
async fn until_parked(runtime: &Runtime, many: u64) {
    while runtime.waiting().parked != many {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn what_is_allowed_is_done_and_what_is_not_is_told() {
    let world = World::new();
    let runtime = world.runtime(&asks(&world).build().unwrap());
    let run = typescript(&runtime, sends(Language::TypeScript)).run();
    let (outcome, ()) = tokio::join!(run, world.answer(Answer::AllowOnce));
    assert_eq!(value(&outcome.unwrap()), "m-1");
    let deny = Answer::Deny {
        reason: "not on a Sunday".into(),
    };
    let run = typescript(
        &runtime,
        "return await tools.mail.send({ to: 'eve' }).catch(error => [error.kind, String(error)])",
    );
    let (outcome, ()) = tokio::join!(run.run(), world.answer(deny));
    let told = value(&outcome.unwrap());
    assert_eq!(told[0], "denied");
    let told = told[1].to_string();
    assert!(told.contains("not on a Sunday"), "{told}");
    assert_eq!(world.sent().len(), 1);
    // A run that fails after that lists what was done, and what was denied.
    let fails = "await tools.crm.purge(); await tools.mail.send({ to: 'eve' })";
    let deny = Answer::Deny {
        reason: "no".into(),
    };
    let run = typescript(&runtime, fails).run();
    let (outcome, ()) = tokio::join!(run, world.answer(deny));
    let log = outcome.unwrap().call_log.unwrap().to_string();
    assert!(
        log.ends_with("- crm.purge({}): done\n- mail.send({\"to\":\"eve\"}): denied, not sent"),
        "{log}"
    );
}

#[tokio::test]
async fn a_run_that_waits_for_a_person_goes_on_in_the_next_process_and_sends_once() {
    for language in BOTH {
        let world = World::new();
        let log = world.log();
        let governance = asks(&world).audit(Arc::clone(&log)).build().unwrap();
        let runtime = world.runtime(&governance);
        let run = script(&runtime, language, sends(language)).park_after(SOON);
        let run = run
            .principal("ada")
            .client("an editor")
            .start()
            .await
            .unwrap();
        let id = run.id();
        let asked = world.question().await;
        assert_eq!(asked.question.caller.client.as_deref(), Some("an editor"));
        until_parked(&runtime, 1).await;
        // The host stops, while nobody has answered.
        stopped(runtime, run).await;
        drop(governance);
        world.is_sound(log).await;
        assert_eq!(world.question().await.question.id, asked.question.id);
        world.answer(Answer::AllowOnce).await;
        assert_eq!(world.sent(), []);

        let log = world.log();
        let governance = asks(&world).audit(Arc::clone(&log)).build().unwrap();
        let runtime = world.runtime(&governance);
        let (name, run) = runtime.resume_parked().await.unwrap().pop().unwrap();
        assert_eq!(name, id.to_string());
        let outcome = run.unwrap().outcome().await.unwrap();
        assert_eq!(value(&outcome), "m-1");
        assert_eq!(outcome.output.to_string(), "before\n");
        let mail = json!({ "to": "bob", "text": "hi" });
        assert_eq!(world.sent(), [("send".to_owned(), mail)]);
        drop((runtime, governance));
        world.is_sound(log).await;
    }
}

#[tokio::test]
async fn a_run_that_goes_on_in_the_next_process_has_the_groups_that_it_began_with() {
    let groups = r#"
        @id("support") forbid(principal, action == Action::"crm.get", resource) unless { principal in Group::"support" };
        @id("interns") forbid(principal in Group::"interns", action == Action::"crm.purge", resource);"#;
    let world = World::new();
    let governance = || {
        let policies = policies(&format!("{ASK}{groups}"));
        policies.asking(world.asking()).build().unwrap()
    };
    let runtime = world.runtime(&governance());
    let source = "
        await tools.mail.send({ to: 'bob' });
        const got = (await tools.crm.get({})).name;
        return [got, await (async () => tools.crm.purge({}))().catch(error => error.message)]";
    let ada = Principal::new("ada").with_groups(["support", "interns"]);
    let isolate = typescript(&runtime, source).principal(ada).park_after(SOON);
    let run = isolate.start().await.unwrap();
    until_parked(&runtime, 1).await;
    stopped(runtime, run).await;
    world.answer(Answer::AllowOnce).await;

    let runtime = world.runtime(&governance());
    let (_, run) = runtime.resume_parked().await.unwrap().pop().unwrap();
    let ended = value(&run.unwrap().outcome().await.unwrap());
    assert_eq!(ended[0], "Ada", "{ended}");
    // What its principal may never call is not there.
    let told = ended[1].to_string();
    assert!(told.contains("no tool `purge`"), "{told}");
}

#[tokio::test]
async fn an_answer_wakes_a_run_that_is_parked_and_its_clock_stood_still() {
    let world = World::new();
    let runtime = world.runtime(&asks(&world).build().unwrap());
    let limits = ampoule::Limits {
        wall_time: Duration::from_millis(1500),
        ..ampoule::Limits::default()
    };
    let isolate = typescript(&runtime, sends(Language::TypeScript));
    let run = isolate
        .limits(limits)
        .unwrap()
        .park_after(SOON)
        .start()
        .await
        .unwrap();
    until_parked(&runtime, 1).await;
    let (deadline, used) = (run.deadline(), run.deadline().used());
    tokio::time::sleep(Duration::from_millis(1600)).await;
    assert_eq!(deadline.used(), used);
    world.answer(Answer::AllowOnce).await;
    let outcome = run.outcome().await.unwrap();
    assert_eq!(value(&outcome), "m-1");
    assert!(outcome.usage.parked >= 1);
}

#[tokio::test]
async fn the_time_in_which_the_host_was_not_there_is_a_persons_too() {
    let world = World::new();
    let limits = ampoule::Limits {
        wall_time: Duration::from_millis(1200),
        ..ampoule::Limits::default()
    };
    let governance = asks(&world).build().unwrap();
    let runtime = world.runtime(&governance);
    let isolate = typescript(&runtime, sends(Language::TypeScript));
    let run = isolate
        .limits(limits)
        .unwrap()
        .park_after(SOON)
        .start()
        .await
        .unwrap();
    until_parked(&runtime, 1).await;
    stopped(runtime, run).await;
    drop(governance);
    tokio::time::sleep(Duration::from_millis(1500)).await;
    world.answer(Answer::AllowOnce).await;
    let governance = asks(&world).build().unwrap();
    let runtime = world.runtime(&governance);
    let (_, run) = runtime.resume_parked().await.unwrap().pop().unwrap();
    assert_eq!(value(&run.unwrap().outcome().await.unwrap()), "m-1");
}

#[tokio::test]
async fn an_answer_is_good_for_what_was_asked_and_once() {
    let world = World::new();
    let runtime = world.runtime(&asks(&world).build().unwrap());
    // The answer to the first is not one to another, with the same tool and other arguments.
    let source = "
        const first = await tools.mail.send({ to: 'bob' });
        const more = await Promise.race([
            tools.mail.send({ to: 'eve' }).then(() => 'sent'),
            new Promise(done => setTimeout(() => done('still asked'), 300)),
        ]);
        return [first.id, more]";
    let run = typescript(&runtime, source).run();
    let (outcome, ()) = tokio::join!(run, world.answer(Answer::AllowOnce));
    assert_eq!(value(&outcome.unwrap()), json!(["m-1", "still asked"]));
    assert_eq!(world.sent().len(), 1);
}

#[tokio::test]
async fn a_run_that_is_over_takes_its_questions_back() {
    let world = World::new();
    let runtime = world.runtime(&asks(&world).build().unwrap());
    let run = typescript(&runtime, sends(Language::TypeScript))
        .start()
        .await
        .unwrap();
    world.question().await;
    run.cancel();
    run.outcome().await.unwrap();
    let store = world.store();
    let is_open = || {
        let listed = store.list().unwrap().into_iter().filter_map(Result::ok);
        listed.into_iter().any(|it| it.state == State::Open)
    };
    let until = std::time::Instant::now() + LONG;
    while is_open() {
        assert!(std::time::Instant::now() < until, "the question stays");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
