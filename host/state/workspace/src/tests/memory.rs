//! Files in memory: what they are to a run, and what they take.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{APPEND, READ, code};
use crate::open_options::OpenOptions;
use crate::{Code, FileError, Memory, Mount, ResolvedPath, Room, mount};

/// So many bytes.
struct Bytes {
    all: u64,
    taken: AtomicU64,
}

impl Bytes {
    fn of(all: u64) -> Arc<Self> {
        Arc::new(Self {
            all,
            taken: AtomicU64::new(0),
        })
    }

    fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }
}

impl Room for Bytes {
    fn take(&self, bytes: u64) -> Result<(), FileError> {
        let wanted = self.taken().saturating_add(bytes);
        if wanted > self.all {
            return Err(Code::Full.into());
        }
        self.taken.store(wanted, Relaxed);
        Ok(())
    }

    fn give_back(&self, bytes: u64) {
        let before = self.taken.fetch_sub(bytes, Relaxed);
        assert!(before >= bytes, "{bytes} given back of {before}");
    }
}

const WRITE: OpenOptions = OpenOptions {
    read: true,
    write: true,
    append: false,
    create: true,
    exclusive: false,
    truncate: true,
};

/// To be appended to if it is there.
const APPEND_THERE: OpenOptions = OpenOptions {
    create: false,
    ..APPEND
};

pub(super) fn memory() -> Memory {
    Memory::new(Bytes::of(1 << 30), "no workspace")
}

pub(super) fn at(path: &str) -> ResolvedPath {
    match mount(path, Some("")) {
        Ok(Mount::Memory(place)) => place,
        other => panic!("{path}: {other:?}"),
    }
}

pub(super) fn write(memory: &mut Memory, path: &str, text: &str) -> Result<(), FileError> {
    let file = memory.open(&at(path), WRITE, 1)?;
    let written = memory.write(file, 0, text.as_bytes());
    memory.close(file, 2)?;
    written.map(drop)
}

fn read(memory: &mut Memory, path: &str) -> Result<String, FileError> {
    let file = memory.open(&at(path), READ, 0)?;
    let bytes = memory.read(file, 0, 1 << 20)?;
    memory.close(file, 0)?;
    Ok(String::from_utf8(bytes).unwrap())
}

fn names(memory: &Memory, path: &str) -> Vec<String> {
    let listing = memory.list(&at(path), "").unwrap();
    listing
        .entries
        .into_iter()
        .map(|entry| entry.name)
        .collect()
}

#[test]
fn files_are_written_read_listed_and_removed() {
    let mut memory = memory();
    memory.make_folder(&at("/tmp/a"), 5).unwrap();
    write(&mut memory, "/tmp/a/x", "1").unwrap();
    write(&mut memory, "y", "22").unwrap();
    assert_eq!(read(&mut memory, "/tmp/a/x").unwrap(), "1");
    assert_eq!(read(&mut memory, "/workspace/y").unwrap(), "22");
    assert_eq!(names(&memory, "/tmp"), ["a"]);
    assert_eq!(names(&memory, "."), ["y"]);
    let [x, y] = ["/tmp/a/x", "y"].map(|path| memory.status(&at(path)).unwrap());
    assert_ne!(x.id, y.id);
    assert_eq!((y.size, y.modified), (2, 2));
    assert_eq!(code(memory.remove_folder(&at("/tmp/a"), 0)), Code::NotEmpty);
    assert_eq!(code(memory.remove(&at("/tmp/a"), 0)), Code::IsFolder);
    memory.remove(&at("/tmp/a/x"), 9).unwrap();
    assert_eq!(memory.status(&at("/tmp/a")).unwrap().modified, 9);
    memory.remove_folder(&at("/tmp/a"), 0).unwrap();
    assert_eq!(code(read(&mut memory, "/tmp/a/x")), Code::NoEntry);
    assert_eq!(code(memory.list(&at("y"), "")), Code::NotFolder);
    assert_eq!(code(write(&mut memory, "y/z", "")), Code::NotFolder);
    assert_eq!(code(write(&mut memory, "n/z", "")), Code::NoEntry);
    for root in ["/tmp", "."] {
        assert_eq!(code(memory.make_folder(&at(root), 0)), Code::Exists);
        assert_eq!(code(memory.remove_folder(&at(root), 0)), Code::Access);
        assert_eq!(code(memory.remove(&at(root), 0)), Code::IsFolder);
        assert_eq!(code(memory.open(&at(root), WRITE, 0)), Code::IsFolder);
    }
}

#[test]
fn how_a_file_is_opened_is_how_it_can_be_used() {
    let mut memory = memory();
    write(&mut memory, "a", "abc").unwrap();
    let exclusive = OpenOptions {
        exclusive: true,
        ..WRITE
    };
    assert_eq!(code(memory.open(&at("a"), exclusive, 0)), Code::Exists);
    let file = memory.open(&at("a"), READ, 0).unwrap();
    assert_eq!(code(memory.write(file, 0, b"x")), Code::BadHandle);
    assert_eq!(code(memory.resize(file, 0)), Code::BadHandle);
    let more = memory.open(&at("a"), APPEND, 0).unwrap();
    assert_eq!(memory.write(more, 0, b"d").unwrap(), 4);
    assert_eq!(memory.read(file, 1, 10).unwrap(), b"bcd");
    let blind = OpenOptions {
        read: false,
        ..APPEND
    };
    let blind = memory.open(&at("a"), blind, 0).unwrap();
    assert_eq!(code(memory.read(blind, 0, 1)), Code::BadHandle);
    memory.resize(more, 6).unwrap();
    assert_eq!(memory.read(file, 2, 10).unwrap(), b"cd\0\0");
    // An append goes to the end, at any offset that is given.
    assert_eq!(memory.write(more, u64::MAX, b"xx").unwrap(), 8);
    let file = memory.open(&at("b"), WRITE, 0).unwrap();
    assert_eq!(code(memory.write(file, u64::MAX, b"xx")), Code::Invalid);
    assert_eq!(code(memory.close(file | 1 << 20, 0)), Code::BadHandle);
    assert_eq!(code(memory.open(&at("n"), APPEND_THERE, 0)), Code::NoEntry);
}

#[test]
fn a_file_without_a_name_is_there_as_long_as_it_is_open() {
    let room = Bytes::of(1 << 20);
    let mut memory = Memory::new(Arc::clone(&room) as Arc<dyn Room>, "");
    let file = memory.open(&at("/tmp/x"), WRITE, 0).unwrap();
    memory.write(file, 0, &[7; 100_000]).unwrap();
    memory.remove(&at("/tmp/x"), 0).unwrap();
    assert_eq!(names(&memory, "/tmp"), [""; 0]);
    assert_eq!(memory.read(file, 99_999, 10).unwrap(), [7]);
    assert!(room.taken() >= 100_000);
    memory.close(file, 0).unwrap();
    assert_eq!(room.taken(), 0);
}

#[test]
fn names_are_changed_and_what_is_there_is_replaced() {
    let mut memory = memory();
    memory.make_folder(&at("a"), 0).unwrap();
    write(&mut memory, "a/x", "x").unwrap();
    write(&mut memory, "/tmp/y", "y").unwrap();
    let id = memory.status(&at("/tmp/y")).unwrap().id;
    memory.rename(&at("/tmp/y"), &at("a/x"), 0).unwrap();
    assert_eq!(read(&mut memory, "a/x").unwrap(), "y");
    assert_eq!(memory.status(&at("a/x")).unwrap().id, id);
    memory.rename(&at("a"), &at("/tmp/b"), 0).unwrap();
    assert_eq!(names(&memory, "."), [""; 0]);
    assert_eq!(read(&mut memory, "/tmp/b/x").unwrap(), "y");
    let mut moves = |from: &str, to: &str| memory.rename(&at(from), &at(to), 0);
    assert_eq!(code(moves("/tmp/b", "/tmp/b/c")), Code::Invalid);
    assert_eq!(code(moves("/tmp/b", "/tmp/b/x")), Code::Invalid);
    assert_eq!(code(moves("/tmp/b/x", "/tmp/b")), Code::IsFolder);
    assert_eq!(code(moves("/tmp/b/x", "/tmp/n/x")), Code::NoEntry);
    assert_eq!(code(moves("/tmp/n", "/tmp/m")), Code::NoEntry);
    assert_eq!(code(moves("/tmp", "b")), Code::Access);
    moves("/tmp/b", "/tmp/b").unwrap();
    moves("/tmp/b/x", "/tmp/b/x").unwrap();
    memory.make_folder(&at("d"), 0).unwrap();
    assert_eq!(
        code(memory.rename(&at("d"), &at("/tmp/b"), 0)),
        Code::NotEmpty
    );
    assert_eq!(
        code(memory.rename(&at("d"), &at("/tmp/b/x"), 0)),
        Code::NotFolder
    );
    memory.rename(&at("/tmp/b"), &at("d"), 0).unwrap();
    assert_eq!(read(&mut memory, "d/x").unwrap(), "y");
}

#[test]
fn a_copy_is_another_file() {
    let mut memory = memory();
    write(&mut memory, "a", "one").unwrap();
    memory.copy(&at("a"), &at("/tmp/b"), true, 9).unwrap();
    assert_eq!(memory.status(&at("/tmp/b")).unwrap().modified, 2);
    write(&mut memory, "a", "two").unwrap();
    assert_eq!(read(&mut memory, "/tmp/b").unwrap(), "one");
    assert_eq!(
        code(memory.copy(&at("a"), &at("/tmp/b"), true, 0)),
        Code::Exists
    );
    memory.copy(&at("a"), &at("/tmp/b"), false, 0).unwrap();
    assert_eq!(read(&mut memory, "/tmp/b").unwrap(), "two");
    assert_eq!(
        code(memory.copy(&at("/tmp"), &at("c"), false, 0)),
        Code::IsFolder
    );
    assert_eq!(
        code(memory.copy(&at("a"), &at("n/c"), false, 0)),
        Code::NoEntry
    );
    assert_eq!(names(&memory, "."), ["a"]);
}

#[test]
fn all_that_is_there_takes_room_and_what_goes_gives_it_back() {
    let room = Bytes::of(200_000);
    let mut memory = Memory::new(Arc::clone(&room) as Arc<dyn Room>, "");
    write(&mut memory, "a", &"x".repeat(100_000)).unwrap();
    assert!((100_000..140_000).contains(&room.taken()));
    let before = room.taken();
    assert_eq!(code(memory.copy(&at("a"), &at("b"), false, 0)), Code::Full);
    assert_eq!(
        code(write(&mut memory, "c", &"x".repeat(100_000))),
        Code::Full
    );
    memory.remove(&at("c"), 0).unwrap();
    let file = memory.open(&at("a"), APPEND, 0).unwrap();
    for size in [1 << 20, 1 << 50, u64::MAX] {
        assert_eq!(code(memory.resize(file, size)), Code::Full);
        assert_eq!(memory.growth(file, size), 0);
    }
    assert_eq!(code(memory.write(file, 0, &[0; 200_000])), Code::Full);
    assert_eq!(memory.growth(file, 100_007), 7);
    assert_eq!(
        (names(&memory, "."), room.taken()),
        (vec!["a".into()], before)
    );
    memory.resize(file, 1).unwrap();
    assert!(room.taken() < 2_000);
    // Names take some, too.
    let full = (0..1_000).find(|number| write(&mut memory, &number.to_string(), "").is_err());
    assert!(full.is_some_and(|number| number > 100), "{full:?}");
    drop(memory);
    assert_eq!(room.taken(), 0);
}

#[test]
fn only_so_many_files_are_there_or_open_and_none_is_too_deep() {
    let mut memory = memory();
    for number in 0..10_000 {
        write(&mut memory, &format!("/tmp/{number:05}"), "").unwrap();
    }
    assert_eq!(code(memory.make_folder(&at("a"), 0)), Code::Full);
    assert_eq!(code(memory.open(&at("a"), WRITE, 0)), Code::Full);
    let (mut after, mut all) = (String::new(), 0);
    loop {
        let listing = memory.list(&at("/tmp"), &after).unwrap();
        all += listing.entries.len();
        match listing.entries.last() {
            Some(last) if listing.more => after.clone_from(&last.name),
            _ => break,
        }
    }
    assert_eq!(all, 10_000);
    let open: Vec<_> = (0..256)
        .map(|_| memory.open(&at("/tmp/00000"), READ, 0).unwrap())
        .collect();
    assert_eq!(
        code(memory.open(&at("/tmp/00000"), READ, 0)),
        Code::TooManyOpen
    );
    assert_eq!(code(memory.stage(0)), Code::TooManyOpen);
    memory.close(open[0], 0).unwrap();
    assert_eq!(code(memory.read(open[0], 0, 1)), Code::BadHandle);
    assert!(!open.contains(&memory.open(&at("/tmp/00000"), READ, 0).unwrap()));

    let mut memory = self::memory();
    let mut deep = String::from("/tmp");
    for _ in 0..40 {
        deep += "/d";
        memory.make_folder(&at(&deep), 0).unwrap();
    }
    memory.make_folder(&at("/workspace/e"), 0).unwrap();
    memory
        .rename(&at("/tmp/d"), &at("/workspace/e/d"), 0)
        .unwrap();
    let mut other = String::from("/tmp");
    for _ in 0..30 {
        other += "/o";
        memory.make_folder(&at(&other), 0).unwrap();
    }
    // However often it is moved, no folder is deeper than a path can say.
    let refused = memory.rename(&at("e"), &at(&format!("{other}/e")), 0);
    assert_eq!(code(refused), Code::NameTooLong);
    memory.rename(&at("e"), &at("/tmp/e"), 0).unwrap();
}

#[test]
fn what_is_kept_is_the_same_later() {
    let room = Bytes::of(1 << 20);
    let mut memory = Memory::new(Arc::clone(&room) as Arc<dyn Room>, "");
    let mut deep = String::from("/tmp");
    for _ in 0..60 {
        deep += "/d";
        memory.make_folder(&at(&deep), 3).unwrap();
    }
    write(&mut memory, &format!("{deep}/x"), "deep").unwrap();
    write(&mut memory, "large", &"y".repeat(70_000)).unwrap();
    let open = memory.open(&at("large"), APPEND, 0).unwrap();
    let gone = memory.open(&at("/tmp/gone"), WRITE, 0).unwrap();
    memory.write(gone, 0, b"still").unwrap();
    memory.remove(&at("/tmp/gone"), 0).unwrap();
    let statuses = |memory: &Memory| {
        [at("large"), at("/tmp"), at(&deep)].map(|place| memory.status(&place).unwrap())
    };
    let (kept, before, taken) = (memory.keep(), statuses(&memory), room.taken());
    memory.let_go();
    assert_eq!(room.taken(), 0);
    drop(memory);

    let mut again = Memory::restore(&kept, Arc::clone(&room) as Arc<dyn Room>, "").unwrap();
    assert_eq!((statuses(&again), room.taken()), (before, taken));
    assert_eq!(again.keep(), kept);
    assert_eq!(read(&mut again, &format!("{deep}/x")).unwrap(), "deep");
    assert_eq!(again.write(open, 0, b"z").unwrap(), 70_001);
    assert_eq!(again.read(gone, 0, 9).unwrap(), b"still");
    again.close(gone, 0).unwrap();
    let new = again.open(&at("new"), WRITE, 0).unwrap();
    assert!(new > gone);
    drop(again);
    assert_eq!(room.taken(), 0);

    for end in [0, 7, 8, 20, kept.len() - 1] {
        let damaged = Memory::restore(&kept[..end], Bytes::of(1 << 20), "").map(drop);
        assert_eq!(code(damaged), Code::Io, "{end}");
    }
    assert_eq!(
        code(Memory::restore(&kept, Bytes::of(1_000), "").map(drop)),
        Code::Full
    );
    assert_eq!(room.taken(), 0);
}
