//! What a script might try.

use ampoule_tools::Layers;
use serde_json::json;

use super::*;

/// What is read of the CRM does not go out by mail.
fn governed(world: &World) -> Governance {
    let labels =
        labelled(r#"{"gives": {"crm.*": "customers"}, "refuses": {"mail.send": "customers"}}"#);
    Governance::builder()
        .servers(world.known())
        .policies(labels)
        .build()
        .unwrap()
}

async fn is_refused(world: &World, run: &GovernedRun) -> bool {
    let sent = world
        .call(run, 9, "mail", "send", json!({"text": "what I know"}))
        .await;
    let calls = world.mail.take_calls();
    assert_eq!(sent.is_err(), calls.is_empty());
    sent.is_err()
}

#[tokio::test]
async fn what_was_read_does_not_go_where_it_must_not() {
    let world = World::new();
    let governance = governed(&world);
    let run = begin(&governance).await;
    assert!(!is_refused(&world, &run).await);
    world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
    assert!(is_refused(&world, &run).await);
    let carried = run.carried();
    let (label, read) = carried.labels.all().next().unwrap();
    assert_eq!(
        (&**label, read.to_string()),
        ("customers", "call 1, crm.get".to_owned())
    );
    // Nobody else is concerned.
    assert!(!is_refused(&world, &begin(&governance).await).await);
}

#[tokio::test]
async fn what_a_tool_says_in_an_error_is_read_too() {
    let world = World::new();
    let governance = governed(&world);
    world
        .crm
        .answer(ToolResult::failed("no customer, but a@b.example is close"));
    let run = begin(&governance).await;
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    assert!(is_refused(&world, &run).await);
    // So is what the protocol has as an error.
    struct Fails;
    impl Layer for Fails {
        fn call<'a>(
            &'a self,
            _: Map<String, Value>,
            _: CallContext,
            _: ampoule_tools::Next<'a>,
        ) -> futures::future::BoxFuture<'a, Result<ToolResult, CallError>> {
            Box::pin(async { Err(CallError::Refused("a@b.example is not an id".into())) })
        }
    }
    let run = begin(&governance).await;
    let layers = Layers::default().with(run.layer()).with(Fails);
    world
        .through(&layers, &run, 0, "crm", "get", json!({}))
        .await
        .unwrap_err();
    assert!(is_refused(&world, &run).await);
}

#[tokio::test]
async fn other_spellings_of_a_tool_are_not_a_way_around() {
    let world = World::new();
    let governance = governed(&world);
    let run = begin(&governance).await;
    // Names are resolved before; what is not the server's own name is not a tool.
    for tool in ["Get", "get ", "crm.get", "GET"] {
        let told = denied(world.call(&run, 0, "crm", tool, json!({})).await);
        assert!(told.contains("don't know the tool"), "{told}");
    }
    let told = denied(
        world
            .call(&run, 0, "mail", "send\n\u{1b}[2J", json!({}))
            .await,
    );
    assert!(!told.contains('\u{1b}') && !told.contains('\n'), "{told:?}");
}

#[tokio::test]
async fn calls_at_the_same_time_are_decided_by_what_had_come_back() {
    let world = World::new();
    let labels =
        r#"{"gives": {"crm.*": "customers"}, "refuses": {"mail.send": {"labels": "customers"}}}"#;
    let mut sources = labelled(labels);
    sources.files = super::sources(asking::ASK).files;
    let builder = Governance::builder()
        .servers(world.known())
        .policies(sources);
    let governance = builder.asking(world.asking()).build().unwrap();
    let run = begin(&governance).await;
    let store = world.store();
    // Made before anything was read: what it has in it can't be of the CRM.
    let early = world.call(&run, 0, "mail", "send", json!({"text": "early"}));
    let meanwhile = async {
        question(&store).await;
        world.call(&run, 1, "crm", "get", json!({})).await.unwrap();
        // Made after: not even asked about.
        let told = denied(
            world
                .call(&run, 2, "mail", "send", json!({"text": "late"}))
                .await,
        );
        assert!(told.contains("customers"), "{told}");
        answer(world.path("approvals"), Answer::AllowOnce).await;
    };
    let (early, ()) = tokio::join!(early, meanwhile);
    early.unwrap();
    assert_eq!(
        world.mail.take_calls(),
        [("send".to_owned(), json!({"text": "early"}))]
    );
}

#[tokio::test]
async fn a_result_labels_the_run_before_the_script_has_it() {
    let world = World::new();
    let governance = governed(&world);
    let run = begin(&governance).await;
    // One call hangs: as long as nothing came back of it, nothing was read.
    world.crm.hang();
    let layers = run.inside_of(&Layers::default());
    let slow = layers.before(&world.crm, "get").call(
        object(json!({})),
        context(&run, 0, "crm", "get", ampoule_tools::Deadline::never()),
    );
    assert!(
        tokio::time::timeout(Duration::from_millis(5), slow)
            .await
            .is_err()
    );
    assert!(!is_refused(&world, &run).await);
    world.crm.answer(ToolResult::default());
    let read = world.call(&run, 1, "crm", "get", json!({}));
    read.await.unwrap();
    assert!(run.carried().labels.has("customers"));
}

#[tokio::test]
async fn sessions_skills_and_files_bring_labels_along() {
    let world = World::new();
    let governance = governed(&world);
    let run = begin(&governance).await;
    world.call(&run, 0, "crm", "get", json!({})).await.unwrap();
    let over = run.end(&mut [], returned()).await;
    let json = serde_json::to_string(&over.carried).unwrap();
    let carried: crate::CarriedLabels = serde_json::from_str(&json).unwrap();
    assert_eq!(carried, over.carried);
    let next = governance
        .run(RunFacts {
            carried: carried.clone(),
            ..facts()
        })
        .await
        .unwrap();
    assert!(is_refused(&world, &next).await);
    // A file that is read in the middle of a run.
    let other = begin(&governance).await;
    assert!(!is_refused(&world, &other).await);
    other.reads(&carried);
    assert!(is_refused(&world, &other).await);
}

#[tokio::test]
async fn arguments_that_are_changed_after_somebody_allowed_them_do_not_leave() {
    let world = World::new();
    let governance = world
        .builder(asking::ASK)
        .asking(world.asking())
        .build()
        .unwrap();
    let run = begin(&governance).await;
    // Outside, a layer may change them: that is what is asked about.
    tokio::spawn(answer(world.path("approvals"), Answer::AllowOnce));
    let outside = run.inside_of(&Layers::default().with(Changes("eve")));
    world
        .through(&outside, &run, 0, "mail", "send", json!({"to": "bob"}))
        .await
        .unwrap();
    assert_eq!(
        world.mail.take_calls(),
        [("send".to_owned(), json!({"to": "eve"}))]
    );
    // Inside, it is found out.
    tokio::spawn(answer(world.path("approvals"), Answer::AllowOnce));
    let inside = Layers::default()
        .with(run.layer())
        .with(Changes("eve"))
        .with(run.seal());
    let told = denied(
        world
            .through(&inside, &run, 1, "mail", "send", json!({"to": "bob"}))
            .await,
    );
    assert!(told.contains("changed after it was allowed"), "{told}");
    // As is a call that passed nothing.
    let alone = Layers::default().with(run.seal());
    denied(
        world
            .through(&alone, &run, 2, "mail", "send", json!({"to": "bob"}))
            .await,
    );
    assert_eq!(world.mail.take_calls(), []);
}

#[tokio::test]
async fn consent_to_one_call_is_none_to_another() {
    let world = World::new();
    let governance = world
        .builder(asking::ASK)
        .asking(world.asking())
        .build()
        .unwrap();
    let run = begin(&governance).await;
    tokio::spawn(answer(world.path("approvals"), Answer::AllowOnce));
    world
        .call(&run, 0, "mail", "send", json!({"to": "bob"}))
        .await
        .unwrap();
    world.is_asked().await;
    let store = world.store();
    for (number, to) in [(0, "eve"), (1, "bob")] {
        tokio::select! {
            sent = world.call(&run, number, "mail", "send", json!({"to": to})) => panic!("{sent:?}"),
            () = world.is_asked() => {}
        }
        asking::none_open(&store).await;
    }
    assert_eq!(world.mail.take_calls().len(), 1);
}
