//! Sessions, parked runs and records: each keeps to the guest that it began with.

use std::time::Duration;

use ampoule::{Functions, Grant, ParkedLimits, Runtime, RuntimeBuilder, Script, Tool};
use serde_json::json;
use tokio::sync::watch;

use super::{Place, error_of, guest_of};

/// A script that runs in the guest with numpy and pandas, and in which no module is missing.
const DATA: &str = "seen = 1  # pandas";

#[tokio::test]
async fn a_session_keeps_to_the_guest_that_it_began_with() {
    let place = Place::new();
    let runtime = place.runtime();
    let run = async |session: &str, source: &str| {
        let isolate = runtime.isolate(Script::python(source)).session(session);
        isolate.run().await.expect("it runs")
    };
    let usual = guest_of(&runtime, &run("plain", "seen = 1").await);
    let late = run("plain", "import pandas as pd\nreturn seen").await;
    let says = "There is no module `pandas` in this session: its first run did not name it, and a session keeps the modules that it began with. Run this script in a new session.";
    assert_eq!(error_of(&late), says);
    assert_eq!(guest_of(&runtime, &late), usual);
    let after = run("plain", "return seen").await;
    assert_eq!(after.value::<u32>().unwrap(), 1);

    let data = guest_of(&runtime, &run("tables", DATA).await);
    assert_ne!(data, usual);
    let later = run("tables", "return seen").await;
    assert_eq!(later.value::<u32>().unwrap(), 1);
    assert_eq!(guest_of(&runtime, &later), data);

    // Without the guest, its sessions can't go on, and others can.
    let without = place.without().build().expect("a runtime");
    let run = async |session: &str| {
        let isolate = without.isolate(Script::python("return seen"));
        isolate.session(session).run().await
    };
    let refused = run("tables").await.expect_err("another guest").to_string();
    assert!(refused.contains("or with other packages"), "{refused}");
    assert_eq!(run("plain").await.unwrap().value::<u32>().unwrap(), 1);
}

#[tokio::test]
async fn a_record_is_replayed_in_the_guest_that_it_was_made_in() {
    let place = Place::new();
    let runtime = place.runtime();
    for source in [DATA, "return __import__('pan' + 'das')"] {
        let outcome = runtime.isolate(Script::python(source)).run().await.unwrap();
        let id = outcome.record.expect("a record").to_string();
        let record = || runtime.records(None).unwrap().record(&id).unwrap();
        let replayed = runtime.replay(record()).run().await.unwrap();
        let same = replayed.difference.is_none() && replayed.notes.is_empty();
        assert!(same, "{replayed:?}");
        assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel);
        // An edited script may need the other guest.
        let edited = runtime.replay(record()).edited("return 1").unwrap();
        assert_eq!(
            edited.run().await.unwrap().outcome.value::<u32>().unwrap(),
            1
        );
    }
    let outcome = runtime.isolate(Script::python(DATA)).run().await.unwrap();
    let id = outcome.record.expect("a record").to_string();
    let without = place.without().build().expect("a runtime");
    let record = without.records(None).unwrap().record(&id).unwrap();
    let replayed = without.replay(record).run().await.unwrap();
    let says = "the record was made with another interpreter";
    let is_told = replayed.notes.iter().any(|note| note.contains(says));
    assert!(is_told, "{:?}", replayed.notes);
}

#[tokio::test]
async fn a_run_that_was_parked_wakes_in_its_guest() {
    let place = Place::new();
    let parking = |builder: RuntimeBuilder, open: &watch::Sender<bool>| {
        let builder = builder.binding(gate(open));
        let builder = builder.parked(place.path().join("parked"), ParkedLimits::default());
        builder.park_after(Duration::from_millis(20)).build()
    };
    let open = watch::Sender::new(false);
    let with_guest = || {
        let builder = place.without().python_data(place.guest());
        parking(builder, &open).expect("a runtime")
    };
    let runtime = with_guest();
    let source = "word = 'pandas'\nawait tools.gate.wait()\nreturn word";
    let isolate = runtime.isolate(Script::python(source)).grant(Grant::all());
    let run = isolate.start().await.expect("it starts");
    while runtime.waiting().parked != 1 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    runtime.suspend();
    drop((run, runtime));
    tokio::task::yield_now().await;

    // Where the guest is missing it stays parked.
    let without = parking(place.without(), &open).expect("a runtime");
    let refused = resumed(&without).await.err().expect("another guest");
    assert!(refused.contains("with other packages"), "{refused}");
    drop(without);

    let runtime = with_guest();
    open.send_replace(true);
    let run = resumed(&runtime).await.expect("it is resumed");
    let outcome = run.outcome().await.expect("it ends");
    assert_eq!(outcome.value::<String>().unwrap(), "pandas");
}

/// The one run that was parked, resumed.
async fn resumed(runtime: &Runtime) -> Result<ampoule::Run, String> {
    let mut all = runtime
        .resume_parked()
        .await
        .map_err(|error| error.to_string())?;
    let (_, run) = all.pop().expect("a parked run");
    run.map_err(|error| error.to_string())
}

/// A tool that answers once it is let.
fn gate(open: &watch::Sender<bool>) -> Functions {
    let open = open.clone();
    let about = json!({ "name": "wait", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } });
    let tool: Tool = serde_json::from_value(about).expect("a tool");
    Functions::new("gate").raw(tool, move |_, _| {
        let open = open.clone();
        Box::pin(async move {
            let _ = open.subscribe().wait_for(|open| *open).await;
            Ok(ampoule_tests::binding::returned("null".to_owned()))
        })
    })
}
