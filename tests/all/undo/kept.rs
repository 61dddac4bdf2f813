//! Offers that outlive the process, in records.

use ampoule::{Ending, Keep, Principal, RecordOptions};
use tempfile::TempDir;

use super::*;

fn recording(tracker: &Tracker, folder: &TempDir, secrets: &[&str]) -> Runtime {
    let mut options = RecordOptions::default();
    options.keep = Keep::All;
    options.secrets = secrets.iter().map(|it| (*it).to_owned()).collect();
    let builder = tracker
        .builder()
        .records(folder.path().join("records"), options);
    builder.build().unwrap()
}

#[tokio::test]
async fn the_next_process_takes_back_and_each_run_once() {
    let (tracker, folder) = (Tracker::default(), tempfile::tempdir().unwrap());
    let first = recording(&tracker, &folder, &[]);
    let run = offered(&failed(&first, THREE).await);
    let second = recording(&tracker, &folder, &[]);
    let offer = second.undo_offer(&run, None).await.unwrap();
    assert_eq!(offer.calls.len(), 3);
    let undo = undone(&second, &run).await;
    assert_eq!(tracker.deleted(), [3, 2, 1]);
    // Not by the process that made the calls, nor by another.
    for runtime in [&first, &second, &recording(&tracker, &folder, &[])] {
        assert!(refused(runtime, &run).await.contains("undone once"));
    }
    assert_eq!(tracker.deleted().len(), 3);

    // The undo has a record of its own, which names the run and takes nothing back when it is replayed.
    let shelf = second.records(None).unwrap();
    let record = shelf.record(&undo.record.unwrap().to_string()).unwrap();
    assert_eq!(record.head.language, "undo");
    assert_eq!(record.program.undoes().unwrap().to_string(), run);
    let replayed = second.replay(record).run().await.unwrap();
    assert!(replayed.difference.is_none(), "{:?}", replayed.difference);
    assert!(matches!(replayed.outcome.ending, Ending::Returned(_)));
    assert_eq!(tracker.deleted().len(), 3);

    // So is the run that failed, as if nothing had happened.
    let replayed = second
        .replay(shelf.record(&run).unwrap())
        .run()
        .await
        .unwrap();
    assert!(replayed.difference.is_none(), "{:?}", replayed.difference);
    assert!(replayed.outcome.undo.is_none());
    shelf.remove(&run).unwrap();
    let files = std::fs::read_dir(folder.path().join("records/local")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.ends_with(".undone")));
}

#[tokio::test]
async fn a_secret_that_records_do_not_keep_can_not_be_taken_back_from_one() {
    let (tracker, folder) = (Tracker::default(), tempfile::tempdir().unwrap());
    let binding = Functions::new("vault")
        .raw(tool("open", json!({})), |_, _| {
            ready(ToolResult::returned(
                &json!({ "key": "hunter2-hunter2", "id": 1 }),
            ))
        })
        .raw(tool("close", json!({})), |_, _| {
            ready(ToolResult::returned(&json!(1)))
        })
        .undo("open", "close({ title: result.key })")
        .unwrap();
    let mut options = RecordOptions::default();
    (options.keep, options.secrets) = (Keep::All, vec!["hunter2-hunter2".to_owned()]);
    let make = |binding| {
        let builder = tracker.builder().binding(binding);
        let builder = builder.records(folder.path().join("records"), options.clone());
        builder.build().unwrap()
    };
    let first = make(binding);
    let source = "await tools.vault.open({}); await tools.tracker.create({ title: 'a' }); throw 1";
    let outcome = failed(&first, source).await;
    // This process knows it.
    assert_eq!(outcome.undo.as_ref().unwrap().calls.len(), 2);
    let second = recording(&tracker, &folder, &[]);
    let offer = second.undo_offer(&offered(&outcome), None).await.unwrap();
    assert_eq!((offer.calls.len(), offer.irreversible.len()), (1, 1));
    assert!(
        offer.irreversible[0]
            .why
            .contains("a secret is among the arguments")
    );
}

#[tokio::test]
async fn records_are_their_principals_and_the_folders_owner_sees_all() {
    let (tracker, folder) = (Tracker::default(), tempfile::tempdir().unwrap());
    let first = recording(&tracker, &folder, &[]);
    let ann = Principal::new("ann");
    let outcome = script(&first, THREE).principal(ann).run().await.unwrap();
    let run = offered(&outcome);
    let second = recording(&tracker, &folder, &[]);
    let bob = Principal::new("bob");
    for other in [None, Some(&bob)] {
        assert!(second.undo_offer(&run, other).await.is_err());
    }
    assert_eq!(
        second
            .undo_offer_of_anybody(&run)
            .await
            .unwrap()
            .calls
            .len(),
        3
    );
    let isolate = second.undo_of_anybody(&run).await.unwrap();
    isolate.run().await.unwrap();
    assert_eq!(tracker.deleted(), [3, 2, 1]);
}
