//! Which runs offer to take calls back, and what is done then.

use std::time::Duration;

use ampoule::{Ending, Limits, Principal, Toolkit};
use ampoule_tests::binding::Stub;

use super::*;

#[tokio::test]
async fn a_run_that_threw_is_undone_newest_first() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let outcome = failed(&runtime, THREE).await;
    assert!(matches!(outcome.ending, Ending::Threw(_)));
    // Nothing is taken back by itself.
    assert_eq!(tracker.deleted(), Vec::<u64>::new());
    let offer = outcome.undo.as_ref().unwrap();
    let calls: Vec<(u32, String)> = (offer.calls.iter())
        .map(|call| (call.takes_back.call, call.text()))
        .collect();
    assert_eq!(
        calls,
        [
            (2, r#"tracker.delete({"id":3})"#.to_owned()),
            (1, r#"tracker.delete({"id":2})"#.to_owned()),
            (0, r#"tracker.delete({"id":1})"#.to_owned()),
        ]
    );
    let document = serde_json::to_value(&outcome).unwrap();
    assert_eq!(document["undo"]["calls"][0]["takesBack"]["tool"], "create");

    let undo = undone(&runtime, &offered(&outcome)).await;
    let value: Value = undo.value().unwrap();
    assert_eq!(value["run"], offered(&outcome));
    assert_eq!(value["takenBack"][0]["call"], 2);
    assert_eq!(tracker.deleted(), [3, 2, 1]);
    // A run that takes something back offers nothing itself.
    assert!(undo.undo.is_none());
    let again = refused(&runtime, &offered(&outcome)).await;
    assert!(again.contains("a run is undone once"), "{again}");
    assert_eq!(tracker.deleted().len(), 3);
}

#[tokio::test]
async fn runs_that_hit_a_limit_or_are_cancelled_or_rejected_offer_it() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let limits = Limits {
        calls: 2,
        ..*runtime.limits()
    };
    let hit = script(&runtime, THREE)
        .limits(limits)
        .unwrap()
        .run()
        .await
        .unwrap();
    assert!(matches!(hit.ending, Ending::Limit(_)), "{:?}", hit.ending);
    assert_eq!(hit.undo.as_ref().unwrap().calls.len(), 2);

    let waits = "await tools.tracker.create({ title: 'a' }); console.log('made'); await new Promise(r => setTimeout(r, 1e6))";
    let run = script(&runtime, waits).start().await.unwrap();
    let mut events = run.events();
    while let Some(happened) = events.next().await {
        if matches!(happened.event, ampoule::Event::Output(_)) {
            run.cancel();
        }
    }
    let cancelled = run.outcome().await.unwrap();
    assert!(matches!(cancelled.ending, Ending::Cancelled));
    undone(&runtime, &offered(&cancelled)).await;
    assert_eq!(tracker.deleted(), [3]);

    // A component that traps, and what a script catches, end otherwise; what returns offers nothing.
    let caught = "try { await tools.tracker.create({ title: 'a' }); throw 1 } catch { return 2 }";
    assert!(failed(&runtime, caught).await.undo.is_none());
}

#[tokio::test]
async fn calls_without_an_undo_and_failed_calls_are_not_offered() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    assert!(
        failed(&runtime, "await tools.tracker.note({}); throw 1")
            .await
            .undo
            .is_none()
    );
    assert!(failed(&runtime, "throw 1").await.undo.is_none());
    // One that fails has done nothing.
    tracker.sticks(Some(7));
    let fails = failed(&runtime, "await tools.tracker.delete({ id: 7 })").await;
    assert!(fails.undo.is_none());
    let wrong = failed(&runtime, "await tools.tracker.create({ title: 7 })").await;
    assert!(wrong.undo.is_none());
    let unknown = refused(&runtime, "d365-17").await;
    assert!(unknown.contains("unknown run `d365-17`"), "{unknown}");
    let none = runtime_builder()
        .binding(Stub::new("x", []))
        .build()
        .unwrap();
    assert!(!none.has_undo() && runtime.has_undo());
}

#[tokio::test]
async fn a_run_within_a_toolkit_is_unknown_outside_of_it() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let toolkit = |name: &str| Toolkit::new(name, vec!["tracker".parse().unwrap()]);
    let isolate = script(&runtime, THREE).grant(Grant::all().within(toolkit("issues")));
    let run = offered(&isolate.run().await.unwrap());
    for elsewhere in [None, Some("other")] {
        let elsewhere = elsewhere.map(std::sync::Arc::from);
        let undo = runtime.undo_within(&run, None, elsewhere.as_ref()).await;
        let unknown = undo.err().expect("it is unknown there").to_string();
        assert!(unknown.contains("unknown run"), "{unknown}");
    }
    let issues = toolkit("issues");
    let undo = runtime.undo_within(&run, None, Some(issues.name())).await;
    undo.unwrap().run().await.unwrap();
    assert_eq!(tracker.deleted(), [3, 2, 1]);
}

#[tokio::test]
async fn what_can_not_be_taken_back_is_said_and_the_rest_is() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let source =
        "await tools.tracker.create({ title: 'a' }); await tools.tracker.label({ id: 1 }); throw 1";
    let outcome = failed(&runtime, source).await;
    let offer = outcome.undo.as_ref().unwrap();
    assert_eq!((offer.calls.len(), offer.irreversible.len()), (1, 1));
    assert_eq!(offer.irreversible[0].call.text(), "tracker.label (call 1)");
    assert_eq!(offer.irreversible[0].why, "`result.key` is missing");
    undone(&runtime, &offered(&outcome)).await;
    assert_eq!(tracker.deleted(), [1]);
    let outcome = failed(&runtime, "await tools.tracker.label({ id: 1 }); throw 1").await;
    let why = refused(&runtime, &offered(&outcome)).await;
    assert!(
        why.ends_with("can be taken back: tracker.label (call 0): `result.key` is missing"),
        "{why}"
    );
}

#[tokio::test]
async fn a_failure_in_the_middle_says_what_is_taken_back() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let outcome = failed(&runtime, THREE).await;
    tracker.sticks(Some(2));
    let undo = undone(&runtime, &offered(&outcome)).await;
    let told = undo.ending.to_string();
    assert_eq!(
        told,
        "ToolError: tracker.delete: this issue is locked\n\
         Taken back before that: tracker.create (call 2).\n\
         Not taken back: tracker.create (call 1), tracker.create (call 0)."
    );
    assert_eq!(tracker.deleted(), [3, 2]);
    assert!(
        refused(&runtime, &offered(&outcome))
            .await
            .contains("undone once")
    );
}

#[tokio::test]
async fn what_never_left_may_be_tried_again() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let outcome = failed(&runtime, THREE).await;
    let isolate = runtime.undo(&offered(&outcome), None).await.unwrap();
    // Nothing is granted that could take it back.
    let grant: Grant = "tracker.create".parse().unwrap();
    let undo = isolate.grant(grant).run().await.unwrap();
    let told = undo.ending.to_string();
    assert!(
        told.contains("Not taken back: tracker.create (call 2), "),
        "{told}"
    );
    // One that is dropped before it begins takes nothing, either.
    drop(runtime.undo(&offered(&outcome), None).await.unwrap());
    let ended = undone(&runtime, &offered(&outcome)).await.ending;
    assert!(matches!(ended, Ending::Returned(_)), "{ended}");
    assert_eq!(tracker.deleted(), [3, 2, 1]);
}

#[tokio::test]
async fn of_two_at_once_one_takes_back() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let run = offered(&failed(&runtime, THREE).await);
    let one = runtime.undo(&run, None).await.unwrap();
    let other = runtime.undo(&run, None).await.unwrap();
    let (one, other) = tokio::join!(one.run(), other.run());
    assert_eq!(
        [one.is_ok(), other.is_ok()]
            .iter()
            .filter(|it| **it)
            .count(),
        1
    );
    assert_eq!(tracker.deleted(), [3, 2, 1]);
}

#[tokio::test]
async fn another_principal_does_not_find_the_run() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let (ann, bob) = (Principal::new("ann"), Principal::new("bob"));
    let outcome = script(&runtime, THREE)
        .principal(ann.clone())
        .run()
        .await
        .unwrap();
    let run = offered(&outcome);
    for other in [Some(&bob), None] {
        let why = runtime
            .undo_offer(&run, other)
            .await
            .unwrap_err()
            .to_string();
        let unknown = runtime.undo_offer("1234567890abcdef-1", other).await;
        let unknown = unknown.unwrap_err().to_string();
        assert_eq!(
            why.replace(&run, "RUN"),
            unknown.replace("1234567890abcdef-1", "RUN")
        );
    }
    let short = run[run.find('-').unwrap() - 4..].to_owned();
    let isolate = runtime.undo(&short, Some(&ann)).await.unwrap();
    isolate.run().await.unwrap();
    assert_eq!(tracker.deleted(), [3, 2, 1]);
}

#[tokio::test]
async fn the_same_account_takes_back() {
    let tracker = Tracker::default();
    let account = |name: &str| {
        let (called, name) = (tracker.clone(), name.to_owned());
        let make = tracker.clone();
        Functions::new(&name)
            .raw(tool("create", json!({})), move |it, _| {
                ready(make.called("create", it))
            })
            .raw(tool("delete", json!({})), move |mut it, _| {
                it.insert("account".into(), name.clone().into());
                ready(called.called("delete", it))
            })
            .undo("create", "jira.delete({ id: result.id })")
            .unwrap()
    };
    let runtime = runtime_builder()
        .binding(account("jira@work"))
        .binding(account("jira@home"))
        .build()
        .unwrap();
    let source = "await tools.jira.as('home').create({ title: 'a' }); await tools.jira.as('work').create({ title: 'b' }); throw 1";
    let outcome = failed(&runtime, source).await;
    undone(&runtime, &offered(&outcome)).await;
    let called = tracker.0.lock().unwrap().called.clone();
    let deleted: Vec<&Value> = called[2..].iter().map(|(_, it)| it).collect();
    assert_eq!(
        deleted,
        [
            &json!({ "id": 2, "account": "jira@work" }),
            &json!({ "id": 1, "account": "jira@home" })
        ]
    );
}

#[tokio::test]
async fn calls_of_python_and_calls_at_once_are_taken_back() {
    let tracker = Tracker::default();
    let runtime = tracker.runtime();
    let python =
        ampoule::Script::python("tools.tracker.create(title='a').result()\nraise ValueError('no')");
    let outcome = runtime
        .isolate(python)
        .grant(Grant::all())
        .run()
        .await
        .unwrap();
    assert_eq!(outcome.undo.unwrap().calls.len(), 1);
    let at_once =
        "await Promise.all(['a', 'b'].map(title => tools.tracker.create({ title }))); throw 1";
    let outcome = failed(&runtime, at_once).await;
    undone(&runtime, &offered(&outcome)).await;
    assert_eq!(tracker.deleted(), [3, 2]);
}

#[tokio::test]
async fn a_run_that_was_parked_offers_what_it_called_before() {
    let tracker = Tracker::default();
    let folder = tempfile::tempdir().unwrap();
    let runtime = tracker
        .builder()
        .parked(
            folder.path().join("parked"),
            ampoule::ParkedLimits::default(),
        )
        .build()
        .unwrap();
    let source = "await tools.tracker.create({ title: 'a' }); await new Promise(r => setTimeout(r, 500)); throw 1";
    let isolate = script(&runtime, source).park_after(Duration::from_millis(20));
    let run = isolate.start().await.unwrap();
    let outcome = run.outcome().await.unwrap();
    assert!(outcome.usage.parked > 0);
    undone(&runtime, &offered(&outcome)).await;
    assert_eq!(tracker.deleted(), [1]);
}
