//! Sessions whose next heads are decided on together with something else.

use ampoule_store::commit::Commit;

use super::*;

/// Promises one more head of `a`, and a fork of it.
fn promised(shelf: &Arc<Shelf>, commit: &mut Commit) -> [Session; 2] {
    let mut session = shelf.take("a").unwrap();
    let next = SessionChange::Head(Box::new(head("g", "2")));
    session.promise(next, Some(commit.decision())).unwrap();
    let fork = session.forked("b", Some(commit.decision())).unwrap();
    for session in [&session, &fork] {
        let file = session.promise_file().unwrap();
        assert!(file.exists());
        commit.promised(&file).unwrap();
    }
    [session, fork]
}

fn memories(shelf: &Arc<Shelf>) -> [Option<Vec<u8>>; 2] {
    ["a", "b"].map(|name| {
        let session = shelf.take(name).unwrap();
        session.newest().unwrap().map(|head| head.memory)
    })
}

#[test]
fn what_was_promised_is_there_once_that_was_decided() {
    let kept = Fixture::new(small(5, 5));
    let shelf = kept.shelf();
    shelf.take("a").unwrap().keep(head("g", "1")).unwrap();
    let mut commit = Commit::within(kept.store.path()).unwrap();
    let sessions = promised(&shelf, &mut commit);
    let about = |name: &str| shelf.about(name).unwrap().map(|about| about.run);
    assert_eq!([about("a"), about("b")], [Some(1), None]);
    // A process that ends before it has decided.
    drop(sessions);
    assert_eq!(memories(&shelf), [Some(b"1".to_vec()), None]);
    assert_eq!(shelf.list().unwrap().len(), 1);

    // One that ends right after.
    let mut commit = Commit::within(kept.store.path()).unwrap();
    let (decision, sessions) = (commit.decision(), promised(&shelf, &mut commit));
    let decided = commit.decide().unwrap();
    assert_eq!([about("a"), about("b")], [Some(2), Some(2)]);
    drop(sessions);
    assert_eq!(memories(&shelf), [Some(b"2".to_vec()), Some(b"2".to_vec())]);
    decided.kept();
    assert!(!decision.is_made().unwrap());
}

#[test]
fn what_is_taken_back_leaves_the_session_as_it_was() {
    let kept = Fixture::new(small(1, 5));
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    session.keep(head("g", "1")).unwrap();
    let commit = Commit::within(kept.store.path()).unwrap();
    let next = SessionChange::Head(Box::new(head("g", "2")));
    session.promise(next, Some(commit.decision())).unwrap();
    assert_eq!(session.next_run(), Some(2));
    session.take_back();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"1");
    session.keep(head("g", "3")).unwrap();
    assert_eq!(session.heads().unwrap(), [2]);
}
