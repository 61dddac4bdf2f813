//! A store in a folder of its own.

mod damaged;
mod killed;
mod parts;
mod promised;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use super::*;

fn head(guest: &str, memory: impl Into<Vec<u8>>) -> Head {
    let mut about = SessionMetadata::new(guest.to_owned(), "JavaScript".to_owned(), 1);
    about.names.push(SessionVariable {
        name: "x".to_owned(),
        kind: "number".to_owned(),
        size: None,
    });
    let memory = memory.into();
    Head { about, memory }
}

struct Fixture {
    folder: tempfile::TempDir,
    store: Store,
}

impl Fixture {
    fn new(limits: SessionLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("sessions"), limits).unwrap();
        Self { folder, store }
    }

    fn shelf(&self) -> Arc<Shelf> {
        self.store.shelf(None).unwrap()
    }
}

fn small(heads: usize, sessions: usize) -> SessionLimits {
    SessionLimits {
        heads,
        sessions,
        bytes: 10_000,
        ..SessionLimits::default()
    }
}

#[test]
fn what_one_run_left_the_next_one_finds() {
    let kept = Fixture::new(SessionLimits::default());
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    assert_eq!(session.newest().unwrap(), None);
    session.keep(head("g", "one")).unwrap();
    drop(session);

    // Another process.
    let again = Store::open(kept.store.path(), SessionLimits::default()).unwrap();
    let session = again.shelf(None).unwrap().take("a").unwrap();
    let found = session.newest().unwrap().unwrap();
    assert_eq!((&*found.memory, found.about.run), (&b"one"[..], 1));
    assert_eq!(found.about.names[0].name, "x");
}

#[test]
fn a_session_goes_back_as_far_as_it_has_heads() {
    let kept = Fixture::new(small(3, 10));
    let mut session = kept.shelf().take("a").unwrap();
    for memory in ["1", "2"] {
        session.keep(head("g", memory)).unwrap();
    }
    // To nothing at all, while the first is there.
    assert_eq!(session.back().unwrap(), 2);
    for memory in ["3", "4"] {
        session.keep(head("g", memory)).unwrap();
    }
    assert_eq!(session.heads().unwrap(), [2, 3, 4]);
    assert_eq!(session.back().unwrap(), 2);
    let too_far = session.rewind(3).unwrap_err();
    assert_eq!(
        too_far.to_string(),
        "the session `a` can be rewound by 2 runs at most"
    );
    session.rewind(2).unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"2");
    // Runs are counted from there.
    session.keep(head("g", "other")).unwrap();
    assert_eq!(session.heads().unwrap(), [2, 3]);
}

#[test]
fn a_fork_is_another_session_and_takes_no_room() {
    let kept = Fixture::new(small(5, 10));
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    assert!(matches!(session.fork("b"), Err(SessionError::Missing(_))));
    for memory in ["1", "2"] {
        session.keep(head("g", memory)).unwrap();
    }
    session.fork("b").unwrap();
    assert!(matches!(session.fork("b"), Err(SessionError::Exists(_))));
    assert!(matches!(session.fork("a"), Err(SessionError::Exists(_))));
    assert!(matches!(session.fork("../b"), Err(SessionError::Name)));
    let mut fork = shelf.take("b").unwrap();
    fork.rewind(1).unwrap();
    fork.keep(head("g", "b2")).unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"2");
    assert_eq!(fork.newest().unwrap().unwrap().memory, b"b2");
    use std::os::unix::fs::MetadataExt;
    let first = |name: &str| {
        let file = shelf.path_of(name).join("00000001.head");
        std::fs::metadata(file).unwrap().ino()
    };
    assert_eq!(first("a"), first("b"));
}

#[test]
fn one_has_a_session_at_a_time() {
    let kept = Fixture::new(SessionLimits::default());
    let shelf = kept.shelf();
    let session = shelf.take("a").unwrap();
    let again = Store::open(kept.store.path(), SessionLimits::default()).unwrap();
    let other = again.shelf(None).unwrap();
    assert!(matches!(other.take("a"), Err(SessionError::Busy(_))));
    drop(other.take("b").unwrap());
    drop(session);
    drop(other.take("a").unwrap());
}

#[test]
fn names_are_not_paths() {
    let kept = Fixture::new(SessionLimits::default());
    let long = "a".repeat(65);
    for name in ["", ".", "..", "a/b", "/a", ".a", "a b", "a\0", "é", &long] {
        assert!(
            matches!(kept.shelf().take(name), Err(SessionError::Name)),
            "{name}"
        );
    }
    drop(kept.shelf().take(&"a".repeat(64)).unwrap());
}

#[test]
fn the_oldest_are_removed_where_there_are_too_many_and_the_unused() {
    let kept = Fixture::new(small(3, 3));
    let shelf = kept.shelf();
    for (name, hours) in [("a", 3), ("b", 1), ("c", 24 * 40)] {
        let mut session = shelf.take(name).unwrap();
        session.keep(head("g", name)).unwrap();
        let file = std::fs::File::open(shelf.path_of(name).join("00000001.head")).unwrap();
        let used = SystemTime::now() - Duration::from_hours(hours);
        file.set_modified(used).unwrap();
    }
    let names = || {
        let listed = shelf.list().unwrap().into_iter();
        listed.map(|session| session.name).collect::<Vec<_>>()
    };
    assert_eq!(names(), ["b", "a", "c"]);
    shelf.take("d").unwrap().keep(head("g", "d")).unwrap();
    assert_eq!(names(), ["d", "b", "a"]);
    // Copies count as well: a script that makes many has none the more.
    for copy in ["e", "f", "g", "h"] {
        shelf.take("d").unwrap().fork(copy).unwrap();
        assert_eq!(names().len(), 3, "{copy}");
    }
}

#[test]
fn what_is_too_large_is_not_kept() {
    let kept = Fixture::new(small(3, 3));
    let mut session = kept.shelf().take("a").unwrap();
    session.keep(head("g", "1")).unwrap();
    let large = session.keep(head("g", vec![0; 10_001])).unwrap_err();
    assert!(matches!(large, SessionError::TooLarge { most: 10_000, .. }));
    assert_eq!(session.heads().unwrap(), [1]);
}

#[test]
fn a_session_moves_to_another_store_with_the_key_of_the_first() {
    let (here, there) = (Fixture::new(small(3, 3)), Fixture::new(small(3, 3)));
    let file = here.folder.path().join("exported");
    let mut session = here.shelf().take("a").unwrap();
    assert!(matches!(session.export(), Err(SessionError::Missing(_))));
    session.keep(head("g", "1")).unwrap();
    std::fs::write(&file, session.export().unwrap()).unwrap();

    let shelf = there.store.shelf(Some("ann")).unwrap();
    let unsigned = shelf.import(&file, "b", None).unwrap_err();
    assert!(matches!(unsigned, SessionError::Foreign));
    let key = here.store.path().join("key");
    shelf.import(&file, "b", Some(&key)).unwrap();
    let found = shelf.take("b").unwrap().newest().unwrap().unwrap();
    assert_eq!(found.memory, b"1");
    // It can't go back to before it came.
    assert_eq!(shelf.take("b").unwrap().back().unwrap(), 0);
    let again = shelf.import(&file, "b", Some(&key)).unwrap_err();
    assert!(matches!(again, SessionError::Exists(_)));
}

#[test]
fn removed_is_removed() {
    let kept = Fixture::new(small(3, 3));
    let shelf = kept.shelf();
    shelf.take("a").unwrap().keep(head("g", "1")).unwrap();
    shelf.take("a").unwrap().remove().unwrap();
    assert_eq!(shelf.list().unwrap(), []);
    assert!(matches!(
        shelf.take("a").unwrap().remove(),
        Err(SessionError::Missing(_))
    ));
}

#[test]
fn each_principal_has_sessions_of_its_own() {
    let kept = Fixture::new(small(3, 3));
    let (ann, bob) = (kept.store.shelf(Some("ann")), kept.store.shelf(Some("bob")));
    let (ann, bob) = (ann.unwrap(), bob.unwrap());
    ann.take("a").unwrap().keep(head("g", "1")).unwrap();
    assert_eq!(bob.list().unwrap(), []);
    assert_eq!(bob.take("a").unwrap().newest().unwrap(), None);
    // A file that somebody copied is still the other's.
    bob.take("a").unwrap().keep(head("g", "2")).unwrap();
    let file = |shelf: &Shelf| shelf.path_of("a").join("00000001.head");
    std::fs::copy(file(&ann), file(&bob)).unwrap();
    let newest = bob.take("a").unwrap().newest();
    assert!(matches!(newest, Err(SessionError::NotYours)));
}

#[test]
fn ten_thousand_sessions_are_listed_and_opened_quickly() {
    let limits = SessionLimits {
        sessions: 20_000,
        ..SessionLimits::default()
    };
    let kept = Fixture::new(limits);
    let shelf = kept.shelf();
    shelf.take("first").unwrap().keep(head("g", "1")).unwrap();
    // Only the folders: what matters is how many there are.
    let first = shelf.path_of("first").join("00000001.head");
    let content = std::fs::read(&first).unwrap();
    for number in 0..10_000 {
        let name = format!("s{number}");
        let folder = PrivateFolder::open(&shelf.path_of(&name), OTHERS_REACH).unwrap();
        std::fs::hard_link(&first, folder.path().join("00000001.head")).unwrap();
        let sealed = crate::sessions::heads::HeadEntry {
            number: 1,
            seal: Head::seal(&content).unwrap(),
        };
        let list = crate::sessions::heads::List::of(&shelf, &name, vec![sealed]);
        list.put(&folder, &shelf.key).unwrap();
    }
    let begun = std::time::Instant::now();
    assert_eq!(shelf.list().unwrap().len(), 10_001);
    let listed = begun.elapsed();
    let begun = std::time::Instant::now();
    let session = shelf.take("s5000").unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"1");
    let opened = begun.elapsed();
    assert!(listed < Duration::from_secs(2), "{listed:?}");
    assert!(opened < Duration::from_millis(100), "{opened:?}");
}
