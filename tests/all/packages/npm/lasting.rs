//! Sessions and records of runs with packages.

use ampoule::{Keep, RecordOptions, Runtime, RuntimeBuilder, Script, SessionLimits};
use serde_json::json;

use super::{greeting, with};

fn lasting(builder: RuntimeBuilder, folder: &tempfile::TempDir) -> Runtime {
    let mut options = RecordOptions::default();
    options.keep = Keep::All;
    builder
        .sessions(folder.path().join("sessions"), SessionLimits::default())
        .records(folder.path().join("records"), options)
        .build()
        .expect("a runtime")
}

#[tokio::test]
async fn a_session_keeps_to_its_packages() {
    let folder = tempfile::tempdir().unwrap();
    let packaged = lasting(with(folder.path(), &[greeting()]), &folder);
    let run = async |runtime: &Runtime, source: &str| {
        let isolate = runtime.isolate(Script::typescript(source)).session("shop");
        isolate.run().await
    };
    let first = "import { loads } from 'greeting'; loads.push(9); const seen = loads";
    run(&packaged, first).await.unwrap();
    let second = "import { loads as again } from 'greeting'; import { VALUE } from 'greeting/late/value'; return [seen, again, VALUE]";
    let second = run(&packaged, second).await.unwrap();
    assert_eq!(
        second.value::<serde_json::Value>().unwrap(),
        json!([[1, 9], [1, 9], 42])
    );

    let bare = lasting(ampoule_tests::runtime_builder(), &folder);
    let error = run(&bare, "return 1").await.expect_err("it is refused");
    let says = "or with other packages";
    assert!(error.to_string().contains(says), "{error}");
}

#[tokio::test]
async fn a_record_names_its_packages_and_is_replayed_with_them() {
    let folder = tempfile::tempdir().unwrap();
    let packaged = lasting(with(folder.path(), &[greeting()]), &folder);
    let source = "import { greet } from 'greeting'; return [greet('Ada'), Math.random()]";
    let isolate = packaged.isolate(Script::typescript(source));
    let outcome = isolate.run().await.unwrap();
    let id = outcome.record.expect("a record").to_string();
    let record = packaged.records(None).unwrap().record(&id).unwrap();
    let packages = &record.head.build.packages;
    assert!(
        packages[0].starts_with("greeting@1.0.0 --hash=sha256:"),
        "{packages:?}"
    );
    let replayed = packaged.replay(record).run().await.unwrap();
    assert!(
        replayed.difference.is_none() && replayed.notes.is_empty(),
        "{replayed:?}"
    );
    assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel);

    let bare = lasting(ampoule_tests::runtime_builder(), &folder);
    let record = bare.records(None).unwrap().record(&id).unwrap();
    let replayed = bare.replay(record).run().await.unwrap();
    let says = "the record was made with the packages greeting@1.0.0, which are not here";
    assert!(
        replayed.notes.iter().any(|note| note.contains(says)),
        "{:?}",
        replayed.notes
    );
    assert!(replayed.difference.is_some(), "{replayed:?}");
}
