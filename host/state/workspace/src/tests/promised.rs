//! Merges that are decided on together with something else.

use ampoule_store::commit::Commit;

use super::*;
use crate::Promises;

/// Promises what a run wrote.
fn promised(place: &Fixture, text: &str, commit: &mut Commit) -> (Promises, Files) {
    let run = place.run();
    write(&run, "a", text);
    let promises = run.promise(Some(commit.decision())).unwrap();
    for file in promises.files() {
        commit.promised(&file).unwrap();
    }
    (promises, run)
}

#[test]
fn a_promise_is_kept_by_the_next_process_if_that_was_decided() {
    let place = Fixture::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let commit = || Commit::within(elsewhere.path()).unwrap();
    merge(&place, "1");

    let mut open = commit();
    let promises = promised(&place, "2", &mut open);
    // Nobody sees anything of it.
    assert_eq!(place.on_disk("a").unwrap(), "1");
    drop(promises);
    assert_eq!(place.on_disk("a").unwrap(), "1");

    // A process that ends before anything was decided.
    let mut open = commit();
    let (promises, run) = promised(&place, "3", &mut open);
    forget(promises, run);
    assert_eq!(read(&place.run(), "a").unwrap(), "1");
    assert!(!place.path.join(".ampoule/journal.promised").exists());

    // One that ends right after.
    let mut made = commit();
    let (promises, run) = promised(&place, "4", &mut made);
    let decided = made.decide().unwrap();
    forget(promises, run);
    assert_eq!(read(&place.run(), "a").unwrap(), "4");
    assert_eq!(place.on_disk("a").unwrap(), "4");
    decided.kept();
    assert_eq!(
        fs::read_dir(elsewhere.path().join("commits"))
            .unwrap()
            .count(),
        0
    );
}

/// As where a process is killed: the lock is given back, and nothing is rolled back.
fn forget(mut promises: Promises, run: Files) {
    promises.decided();
    drop(promises);
    // What it wrote stays where it is.
    std::mem::forget(run);
}

fn merge(place: &Fixture, text: &str) {
    let run = place.run();
    write(&run, "a", text);
    run.merge().unwrap();
}

#[test]
fn two_folders_change_together_or_neither_does() {
    let (one, two) = (Fixture::new(), Fixture::new());
    let files = || {
        let folders = [(
            "two".to_owned(),
            Tree::folder(&two.path, true, Quota::default()).unwrap(),
        )];
        let workspace = Tree::workspace(&one.path, Quota::default()).unwrap();
        Files::new(Some(workspace), folders.to_vec())
    };
    let run = files();
    write(&run, "a", "1");
    write(&run, "/folders/two/b", "1");
    run.merge().unwrap();
    assert_eq!(
        (one.on_disk("a").unwrap(), two.on_disk("b").unwrap()),
        ("1".into(), "1".into())
    );

    // Somebody else changes the second: the first does not change either.
    let run = files();
    write(&run, "a", "2");
    write(&run, "/folders/two/b", "2");
    std::fs::write(two.path.join("b"), "other").unwrap();
    run.merge().unwrap_err();
    assert_eq!(
        (one.on_disk("a").unwrap(), two.on_disk("b").unwrap()),
        ("1".into(), "other".into())
    );
}
