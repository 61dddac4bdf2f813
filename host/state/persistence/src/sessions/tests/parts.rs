//! Large heads, of which each part is kept once.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::*;

/// Bytes that never repeat, from a seed.
fn large(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u8
    };
    (0..1 << 20).map(|_| next()).collect()
}

/// What a folder takes on the disk, each file counted once, and how many there are.
fn taken(folder: &Path) -> (u64, usize) {
    let mut files = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let (path, found) = entry.map(|it| (it.path(), it.metadata().unwrap())).unwrap();
            match found.is_dir() {
                true => folders.push(path),
                false => drop(files.insert(found.ino(), found.len())),
            }
        }
    }
    (files.values().sum(), files.len())
}

#[test]
fn what_heads_have_in_common_is_kept_once() {
    let kept = Fixture::new(SessionLimits::default());
    let shelf = kept.shelf();
    let mut memory = large(1);
    let mut session = shelf.take("a").unwrap();
    for run in 0..8 {
        // A few bytes more, in the middle.
        let at = 200_000 + run * 50_000;
        memory.splice(at..at, [run as u8; 3]);
        session.keep(head("g", memory.clone())).unwrap();
    }
    assert_eq!(session.head(8).unwrap().memory, memory);
    let (bytes, _) = taken(kept.folder.path());
    assert!((1 << 20..3 << 20).contains(&bytes), "{bytes}");
    let mut other = shelf.take("b").unwrap();
    other.keep(head("g", memory.clone())).unwrap();
    let (more, _) = taken(kept.folder.path());
    assert!(more - bytes < 300_000, "{bytes} {more}");
    // Copies take nothing, and none of them needs the others.
    session.fork("c").unwrap();
    let listed = shelf.list().unwrap();
    assert!(listed.iter().all(|it| it.bytes > 1 << 20), "{listed:?}");
    session.remove().unwrap();
    other.remove().unwrap();
    let mut copy = shelf.take("c").unwrap();
    assert_eq!(copy.newest().unwrap().unwrap().memory, memory);
    copy.rewind(3).unwrap();
    assert_eq!(copy.newest().unwrap().unwrap().memory.len(), (1 << 20) + 15);
    copy.remove().unwrap();
    let parts = kept.store.path().join("local/.parts");
    assert_eq!(fs::read_dir(parts).unwrap().count(), 0);
}

#[test]
fn parts_that_were_changed_are_not_taken() {
    let kept = Fixture::new(SessionLimits::default());
    let mut session = kept.shelf().take("a").unwrap();
    let (first, second) = (large(1), large(2));
    session.keep(head("g", first.clone())).unwrap();
    let folder = kept.store.path().join("local/a");
    let part = folder.join("00000001.head.0003.part");
    let whole = fs::read(&part).unwrap();
    for changed in [Vec::new(), whole[1..].to_vec(), large(3)] {
        fs::write(&part, changed).unwrap();
        let found = session.newest();
        assert!(
            matches!(found, Err(SessionError::Damaged { .. })),
            "{found:?}"
        );
        // Nor by a head that would have the same part.
        session.keep(head("g", first.clone())).unwrap();
        assert_eq!(session.newest().unwrap().unwrap().memory, first);
        session.rewind(1).unwrap();
    }
    fs::remove_file(&part).unwrap();
    assert!(session.newest().is_err());
    // Of another head, in its place.
    session.keep(head("g", second)).unwrap();
    fs::copy(folder.join("00000002.head.0003.part"), &part).unwrap();
    session.rewind(1).unwrap();
    assert!(session.newest().is_err());
    fs::write(&part, whole).unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, first);
}

#[test]
fn what_an_index_says_is_bounded() {
    let kept = Fixture::new(SessionLimits::default());
    let mut session = kept.shelf().take("a").unwrap();
    session.keep(head("g", large(1))).unwrap();
    let file = kept.store.path().join("local/a/00000001.head");
    let whole = fs::read(&file).unwrap();
    let at = whole.len() - 12;
    for (count, bytes) in [
        (u32::MAX, u64::MAX),
        (u32::MAX, 1 << 20),
        (1, 1 << 20),
        (0, 0),
    ] {
        let numbers = [&count.to_le_bytes()[..], &bytes.to_le_bytes()].concat();
        fs::write(&file, [&whole[..at], &numbers].concat()).unwrap();
        assert!(session.newest().is_err(), "{count} {bytes}");
    }
    let small = Store::open(kept.store.path(), small(3, 3)).unwrap();
    fs::write(&file, &whole).unwrap();
    drop(session);
    let session = small.shelf(None).unwrap().take("a").unwrap();
    assert!(matches!(
        session.newest(),
        Err(SessionError::TooLarge { .. })
    ));
}

#[test]
fn what_was_never_whole_is_swept() {
    let kept = Fixture::new(SessionLimits::default());
    let shelf = kept.shelf();
    // As a process leaves it that is killed before the head is on the list.
    let commit = ampoule_store::commit::Commit::within(kept.store.path()).unwrap();
    let mut session = shelf.take("a").unwrap();
    let next = SessionChange::Head(Box::new(head("g", large(1))));
    session.promise(next, Some(commit.decision())).unwrap();
    drop(session);
    let folder = kept.store.path().join("local");
    fs::write(folder.join(".parts/aaaa"), "x").unwrap();
    let shelf = kept.shelf();
    let mut session = shelf.take("a").unwrap();
    assert_eq!(session.newest().unwrap(), None);
    session.keep(head("g", large(2))).unwrap();
    assert_eq!(session.newest().unwrap().unwrap().memory, large(2));
    let (bytes, _) = taken(kept.folder.path());
    assert!(bytes < 5 << 18, "{bytes}");
    session.remove().unwrap();
    assert_eq!(taken(&folder.join(".parts")).1, 0);
}
