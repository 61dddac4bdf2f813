//! What is shown of a run: its outcome and its events.

use ampoule::{Ending, Event};

use super::*;

/// Runs it, and gives the texts of its events, too.
async fn heard(isolate: Isolate) -> (Outcome, String) {
    let run = isolate.start().await.unwrap();
    let mut events = run.events();
    let outcome = run.outcome().await.unwrap();
    let mut texts = String::new();
    while let Some(event) = events.next().await {
        match &event.event {
            Event::Output(line) => texts += &format!("{}\n", line.text),
            Event::Progress { text, .. } => texts += &format!("{text}\n"),
            _ => {}
        }
    }
    (outcome, texts)
}

#[tokio::test]
async fn tokens_are_shown_and_values_are_sent() {
    let world = World::new();
    let governance = || tokens(Governance::builder(), &world).build().unwrap();
    let source = "
        const { email } = await tools.crm.get();
        console.log('it is ' + email);
        progress(0.5, 'at ' + email);
        emit({ email });
        return { email }";
    let runtime = world.runtime(&governance());
    let (outcome, heard) = heard(typescript(&runtime, source).session("s")).await;
    let emitted = outcome.emitted[0].get();
    assert_eq!(emitted, "{\"email\":\"<email:1>\"}");
    let shown = format!("{}{}{heard}", value(&outcome), outcome.output);
    assert!(!shown.contains(ADA), "{shown}");
    assert_eq!(value(&outcome), json!({ "email": "<email:1>" }));
    assert_eq!(outcome.output.to_string(), "it is <email:1>\n");
    assert!(heard.contains("it is <email:1>"), "{heard}");
    // A later run of the session, in the next process, sends the value.
    drop(runtime);
    let runtime = world.runtime(&governance());
    let sends = typescript(&runtime, "(await tools.mail.send({ to: '<email:1>' })).id");
    assert_eq!(value(&sends.session("s").run().await.unwrap()), "m-1");
    assert_eq!(world.sent(), [("send".to_owned(), json!({ "to": ADA }))]);
    // And its errors are shown in the same way.
    let throws = typescript(
        &runtime,
        "const { email } = await tools.crm.get(); throw new Error('no ' + email)",
    );
    let outcome = throws.session("s").run().await.unwrap();
    let Ending::Threw(thrown) = &outcome.ending else {
        panic!("{:?}", outcome.ending)
    };
    let told = thrown.to_string();
    assert!(
        told.contains("no <email:1>") && !told.contains(ADA),
        "{told}"
    );
    // So are the calls of a run that failed.
    let sends = "
        const { email } = await tools.crm.get();
        await tools.mail.send({ to: email, text: 'x'.repeat(150) + email });
        throw new Error('x')";
    let outcome = typescript(&runtime, sends)
        .session("s")
        .run()
        .await
        .unwrap();
    let log = outcome.call_log.unwrap();
    assert_eq!((log.reads, log.calls.len()), (1, 1));
    let line = log.to_string();
    assert!(
        line.ends_with("- mail.send({\"to\":\"<email:1>\",\"text\":\"…\"}): done"),
        "{line}"
    );
}

#[tokio::test]
async fn what_an_error_has_besides_text_is_shown_as_the_rest() {
    let world = World::new();
    let governance = tokens(Governance::builder(), &world).build().unwrap();
    let fails = "await tools.crm.fail()";
    let outcome = typescript(&world.runtime(&governance), fails);
    let outcome = outcome.run().await.unwrap();
    let [card] = &*outcome.error_content else {
        panic!("{:?}", outcome.error_content)
    };
    let card: Value = serde_json::from_str(card.get()).unwrap();
    assert_eq!(card["resource"]["text"], "card of <email:1>");
    let document: Value = serde_json::to_value(&outcome).unwrap();
    assert_eq!(document["errorContent"], json!([card]));
    // Where the error is withheld, so is this.
    let governance = labelled(json!({ "model": { "labels": "customers", "then": "deny" } }));
    let runtime = world.runtime(&governance.build().unwrap());
    let outcome = typescript(&runtime, fails).run().await.unwrap();
    assert!(outcome.withheld.is_some() && outcome.error_content.is_empty());
}

#[tokio::test]
async fn what_the_model_must_not_have_is_withheld() {
    let world = World::new();
    let governance = labelled(
        json!({ "model": { "labels": "customers", "then": "deny", "reason": "customers stay here" } }),
    );
    let runtime = world.runtime(&governance.build().unwrap());
    for source in [
        "const { email } = await tools.crm.get(); console.log(email); progress(0.5, email); return email",
        "const { email } = await tools.crm.get(); console.log(email); throw new Error(email)",
        "const { email } = await tools.crm.get(); await tools.mail.send({ to: email }); throw 1",
    ] {
        let (outcome, heard) = heard(typescript(&runtime, source)).await;
        let why = outcome.withheld.as_deref().unwrap();
        assert!(why.contains("customers stay here"), "{why}");
        let document = serde_json::to_string(&outcome).unwrap();
        assert!(
            !document.contains(ADA) && !heard.contains(ADA),
            "{document} {heard}"
        );
        assert!(outcome.output.is_empty());
        assert_eq!(outcome.call_log, None);
    }
    // What was read by nobody is shown.
    let (outcome, heard) = heard(typescript(&runtime, "console.log('hi'); return 1")).await;
    assert_eq!((value(&outcome), &*heard), (json!(1), "hi\n"));
}

#[tokio::test]
async fn all_that_is_done_is_on_record() {
    let world = World::new();
    let log = world.log();
    let builder = tokens(Governance::builder(), &world).audit(Arc::clone(&log));
    let governance = builder.build().unwrap();
    let runtime = world.runtime(&governance);
    let source = "await tools.crm.get(); await tools.mail.send({ to: 'bob' }); return 1";
    typescript(&runtime, source).run().await.unwrap();
    drop((runtime, governance));
    world.is_sound(log).await;
    assert_eq!(
        kinds(&world),
        [
            "RunStarted",
            "CallAsked",
            "CallEnded",
            "CallAsked",
            "CallEnded",
            "RunEnded"
        ]
    );
}

/// What is on record of runs and their calls.
fn kinds(world: &World) -> Vec<String> {
    let events = ampoule::governance::audit::Events::read(&world.path("audit"), Default::default());
    let events = events.unwrap().filter_map(|entry| entry.event);
    let kinds = events.map(|event| {
        let event = format!("{event:?}");
        event.split('(').next().unwrap_or_default().to_owned()
    });
    kinds
        .filter(|kind| kind.starts_with("Run") || kind.starts_with("Call"))
        .collect()
}

#[tokio::test]
async fn a_script_that_is_only_checked_is_no_run() {
    for language in BOTH {
        let world = World::new();
        let log = world.log();
        let governance = Governance::builder().audit(Arc::clone(&log));
        let governance = governance.asking(world.asking()).build().unwrap();
        let mut records = ampoule::RecordOptions::default();
        records.keep = ampoule::Keep::All;
        let builder = world.builder(&governance);
        let runtime = builder
            .records(world.path("records"), records)
            .build()
            .unwrap();
        for (source, is_right) in [
            ("await tools.mail.send({})", true),
            ("await tools.mail.sned({})", false),
        ] {
            let script = Script::new(language, source).check(ampoule::Check::Alone);
            let isolate = runtime.isolate(script).grant(Grant::all());
            let outcome = isolate.session("s").preview().run().await.unwrap();
            let returned = matches!(outcome.ending, ampoule::Ending::Returned(None));
            assert_eq!(returned, is_right, "{}", outcome.ending);
            assert_eq!(outcome.record, None);
            assert!(outcome.session.is_none_or(|session| !session.kept));
        }
        assert_eq!(world.sent(), []);
        drop((runtime, governance));
        world.is_sound(log).await;
        assert_eq!(kinds(&world), [""; 0]);
    }
}
