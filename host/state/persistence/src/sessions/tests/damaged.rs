//! Files that are not what was written.

use super::*;

#[test]
fn an_edited_file_is_refused_wherever_it_was_edited() {
    let key = [7; 32];
    let file = head("g", "some memory").written(&key).0;
    assert_eq!(Head::read(&file, &key).unwrap(), head("g", "some memory"));
    for at in 0..file.len() {
        let mut edited = file.clone();
        edited[at] ^= 1;
        Head::read(&edited, &key).unwrap_err();
        Head::read(&file[..at], &key).unwrap_err();
    }
    let other = [8; 32];
    assert!(matches!(
        Head::read(&file, &other),
        Err(SessionError::Foreign)
    ));
}

#[test]
fn what_was_signed_is_still_read_with_care() {
    let key = [7; 32];
    let signed = |content: &[u8]| {
        let hash = blake3::keyed_hash(&key, content);
        [content, hash.as_bytes()].concat()
    };
    let magic = b"ampoule session 1\n";
    for content in [
        &magic[..],
        &[&magic[..], &[0xff; 4]].concat(),
        &[&magic[..], &[4, 0, 0, 0], b"nope"].concat(),
        &[&magic[..], &[2, 0, 0, 0], b"{}"].concat(),
        &[&magic[..], &[0xff, 0xff, 0, 0], b"{}"].concat(),
    ] {
        let read = Head::read(&signed(content), &key);
        assert!(
            matches!(read, Err(SessionError::NoSession(_))),
            "{content:?}"
        );
    }
}

#[test]
fn other_files_in_a_session_are_left_alone() {
    let kept = Fixture::new(small(3, 3));
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    session.keep(head("g", "1")).unwrap();
    let folder = shelf.path_of("a");
    for name in ["notes", "x.head", "-1.head", "99999999999999999999999.head"] {
        std::fs::write(folder.join(name), "x").unwrap();
    }
    assert_eq!(session.heads().unwrap(), [1]);
    // What looks like a head and is on no list is none, and goes.
    std::fs::write(folder.join("00000007.head"), "x").unwrap();
    drop(session);
    let mut session = shelf.take("a").unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"1");
    assert!(!folder.join("00000007.head").exists());
    session.keep(head("g", "2")).unwrap();
    std::fs::write(folder.join("00000002.head"), "x").unwrap();
    let damaged = session.newest().unwrap_err().to_string();
    assert_eq!(
        damaged,
        "the stored state of the session `a` is damaged: it is not of this version; `ampoule sessions rewind a 1` goes back to the run before, `ampoule sessions rm a` removes it"
    );
    // It can still be undone.
    session.rewind(1).unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, b"1");
}

/// The files of a session that say which heads it has.
fn listed(folder: &std::path::Path) -> Vec<u8> {
    std::fs::read(folder.join("heads")).unwrap()
}

#[test]
fn a_head_is_bound_to_its_session_and_its_number() {
    let kept = Fixture::new(small(5, 5));
    let shelf = kept.shelf();
    for (name, memories) in [("a", ["1", "2", "3"]), ("b", ["4", "5", "6"])] {
        let mut session = shelf.take(name).unwrap();
        for memory in memories {
            session.keep(head("g", memory)).unwrap();
        }
    }
    let file = |name: &str, number: u64| shelf.path_of(name).join(format!("{number:08}.head"));
    let newest = |name: &str| {
        let session = shelf.take(name).unwrap();
        session.newest().map(|head| head.map(|head| head.memory))
    };
    let undo = |name: &str, number: u64, edit: &dyn Fn()| {
        let before = std::fs::read(file(name, number)).unwrap();
        edit();
        let found = newest(name);
        std::fs::write(file(name, number), before).unwrap();
        let told = found.unwrap_err().to_string();
        assert!(told.contains("is damaged"), "{told}");
    };
    // Taken away; another of its own; that of the same number of another session; a flipped bit.
    undo("a", 3, &|| std::fs::remove_file(file("a", 3)).unwrap());
    undo("a", 3, &|| {
        _ = std::fs::copy(file("a", 1), file("a", 3)).unwrap()
    });
    undo("a", 3, &|| {
        _ = std::fs::copy(file("b", 3), file("a", 3)).unwrap()
    });
    undo("a", 3, &|| {
        let mut bytes = std::fs::read(file("a", 3)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(file("a", 3), bytes).unwrap();
    });
    assert_eq!(newest("a").unwrap().unwrap(), b"3");
    // All files of another session.
    std::fs::rename(shelf.path_of("b"), shelf.path_of("c")).unwrap();
    let told = newest("c").unwrap_err().to_string();
    assert!(told.contains("belongs to another session"), "{told}");
    // Without its list; with one that was changed.
    let list = listed(&shelf.path_of("a"));
    std::fs::remove_file(shelf.path_of("a").join("heads")).unwrap();
    let told = newest("a").unwrap_err().to_string();
    assert!(
        told.contains("its list of checkpoints is missing"),
        "{told}"
    );
    for at in 0..list.len() {
        let mut edited = list.clone();
        edited[at] ^= 1;
        std::fs::write(shelf.path_of("a").join("heads"), &edited).unwrap();
        newest("a").unwrap_err();
    }
    // It is still listed, and can be removed.
    assert!(
        shelf
            .list()
            .unwrap()
            .iter()
            .any(|listed| listed.name == "a")
    );
    shelf.take("a").unwrap().remove().unwrap();
    assert_eq!(newest("a").unwrap(), None);
}

#[test]
fn a_fork_goes_its_own_way() {
    let kept = Fixture::new(small(5, 5));
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    session.keep(head("g", "1")).unwrap();
    session.fork("b").unwrap();
    session.keep(head("g", "2")).unwrap();
    let mut fork = shelf.take("b").unwrap();
    fork.keep(head("g", "other")).unwrap();
    assert_eq!(fork.newest().unwrap().unwrap().memory, b"other");
    let head = |name: &str| shelf.path_of(name).join("00000002.head");
    std::fs::copy(head("a"), head("b")).unwrap();
    assert!(
        fork.newest()
            .unwrap_err()
            .to_string()
            .contains("not the checkpoint that was stored")
    );
}
