//! Records as files.

use std::sync::Arc;

use ampoule_isolate::{Code, Ending, Outcome, Output, Script, Usage};
use ampoule_limits::{Limit, Limits};
use ampoule_tools::{Grant, RunId};

use crate::{Build, Head, Keep, Program, RecordError, RecordLimits, Recorder, Shelf, Store};

fn shelf(folder: &tempfile::TempDir) -> Arc<Shelf> {
    let store = Store::open(&folder.path().join("records"), RecordLimits::default());
    store.unwrap().shelf(None).unwrap()
}

fn recorded(shelf: &Arc<Shelf>, run: &str) {
    let recorder = Recorder::new(Arc::clone(shelf), run.to_owned(), &[]);
    let build = Build {
        version: "1".into(),
        guest: "g".into(),
        packages: Vec::new(),
    };
    let code = Code::from(Script::typescript("return 1"));
    let head = Head::new(run.to_owned(), 0, "typescript".into(), build);
    recorder.begin(head, Program::new(&code, Grant::all(), &Limits::default()));
    let outcome = Outcome::new(Ending::Returned(None), Output::default(), Usage::default());
    assert!(recorder.finish(&outcome, None, Keep::All));
}

#[test]
fn a_run_is_found_by_its_id_or_the_end_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = shelf(&folder);
    for run in [
        "00000000aaaa1111-1",
        "00000000bbbb1111-1",
        "00000000aaaa2222-17",
    ] {
        recorded(&shelf, run);
    }
    assert_eq!(shelf.list().unwrap().len(), 3);
    assert_eq!(shelf.find("2222-17").unwrap(), "00000000aaaa2222-17");
    assert!(matches!(shelf.find("1111-1"), Err(RecordError::Several(_))));
    assert!(matches!(shelf.find("1-1"), Err(RecordError::Missing(_))));
    shelf.remove("00000000aaaa1111-1").unwrap();
    assert_eq!(shelf.find("1111-1").unwrap(), "00000000bbbb1111-1");
    assert_eq!(
        shelf.record("1111-1").unwrap().head.run,
        "00000000bbbb1111-1"
    );
}

#[test]
fn what_is_in_the_way_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = shelf(&folder);
    recorded(&shelf, "00000000aaaa1111-1");
    let local = folder.path().join("records/local");
    std::fs::write(local.join("00000000aaaa1111-2.record"), "nonsense").unwrap();
    std::fs::write(local.join("note.txt"), "mine").unwrap();
    std::fs::create_dir(local.join("00000000aaaa1111-3.record")).unwrap();
    assert_eq!(shelf.list().unwrap().len(), 1);
}

#[test]
fn one_that_is_not_finished_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = shelf(&folder);
    let recorder = Recorder::new(Arc::clone(&shelf), "aaaa-1".to_owned(), &[]);
    let build = Build {
        version: "1".into(),
        guest: "g".into(),
        packages: Vec::new(),
    };
    let code = Code::from(Script::typescript("return 1"));
    let head = Head::new("aaaa-1".to_owned(), 0, "typescript".into(), build);
    recorder.begin(head, Program::new(&code, Grant::all(), &Limits::default()));
    let local = folder.path().join("records/local");
    assert_eq!(std::fs::read_dir(&local).unwrap().count(), 1);
    drop(recorder);
    assert_eq!(std::fs::read_dir(&local).unwrap().count(), 0);
}

#[test]
fn limits_are_what_they_were() {
    let mut limits = Limits::default();
    for (number, limit) in (1..).zip(Limit::ALL) {
        let text = match limit {
            Limit::WallTime => format!("{number}ms"),
            _ => (limit.of(&limits) - number).to_string(),
        };
        let mut config = ampoule_limits::LimitsConfig::default();
        config.read(limit, &text).unwrap();
        limits = config.over(limits);
    }
    let program = Program::new(&Script::typescript("").into(), Grant::none(), &limits);
    assert_eq!(program.limits().unwrap(), limits);
}

#[test]
fn the_calls_of_a_run_are_taken_back_once() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = shelf(&folder);
    let run: RunId = "00000000aaaa1111-1".parse().unwrap();
    recorded(&shelf, &run.to_string());
    assert!(!shelf.is_undone(run));
    assert!(shelf.begin_undo(run).unwrap());
    assert!(shelf.is_undone(run) && !shelf.begin_undo(run).unwrap());
    shelf.give_up_undo(run).unwrap();
    assert!(shelf.begin_undo(run).unwrap());
    assert_eq!(shelf.list().unwrap().len(), 1);
    shelf.remove(&run.to_string()).unwrap();
    assert!(!shelf.is_undone(run));
    assert!(shelf.record(&run.to_string()).is_err());
}

#[test]
fn an_offer_is_kept_without_calls_that_have_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = shelf(&folder);
    let run = "00000000aaaa1111-1".to_owned();
    let recorder = Recorder::new(Arc::clone(&shelf), run.clone(), &["123456789".to_owned()]);
    let build = Build {
        version: "1".into(),
        guest: "g".into(),
        packages: Vec::new(),
    };
    let code = Code::from(Script::typescript("throw 1"));
    let head = Head::new(run.clone(), 0, "typescript".into(), build);
    recorder.begin(head, Program::new(&code, Grant::all(), &Limits::default()));
    let call = |call: u32, arguments: &str| {
        serde_json::json!({
            "takesBack": { "call": call, "server": "tracker", "tool": "create" },
            "server": "tracker", "tool": "delete", "arguments": arguments,
        })
    };
    let offer = serde_json::json!({
        "run": run, "calls": [call(1, "{\"id\":7}"), call(0, "{\"id\":123456789}")],
    });
    let mut outcome = Outcome::new(Ending::Cancelled, Output::default(), Usage::default());
    outcome.undo = Some(serde_json::from_value(offer).unwrap());
    assert!(recorder.finish(&outcome, None, Keep::All));
    let kept = shelf.record(&run).unwrap().undo.unwrap();
    assert_eq!((kept.calls.len(), kept.irreversible.len()), (1, 1));
    assert_eq!(kept.calls[0].arguments, "{\"id\":7}");
    assert_eq!(kept.irreversible[0].call.call, 0);
    let text = std::fs::read_to_string(folder.path().join(format!("records/local/{run}.record")));
    assert!(!text.unwrap().contains("123456789"));
}
