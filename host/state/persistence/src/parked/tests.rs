//! What is kept, noted, claimed, and refused.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::{RawValue, to_raw_value};
use tempfile::TempDir;

use super::*;
use crate::parked::file::Head;
use crate::parked::files::{file_of, owner_of};

struct Folder {
    folder: TempDir,
    limits: ParkedLimits,
}

impl Folder {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            limits: ParkedLimits::default(),
        }
    }

    /// The store, as another process would open it.
    fn store(&self) -> Store {
        Store::open(&self.folder.path().join("parked"), self.limits).unwrap()
    }

    fn shelf(&self) -> Arc<Shelf> {
        self.store().shelf(None).unwrap()
    }

    fn files(&self, end: &str) -> Vec<PathBuf> {
        let files = fs::read_dir(self.folder.path().join("parked/local")).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let mut files: Vec<_> = files
            .filter(|file| file.to_string_lossy().ends_with(end))
            .collect();
        files.sort();
        files
    }
}

fn about(text: &str) -> Box<RawValue> {
    to_raw_value(text).unwrap()
}

#[test]
fn what_was_kept_last_and_noted_since_is_what_the_next_process_claims() {
    let folder = Folder::new();
    {
        let run = folder.shelf().run("a-1".to_owned());
        assert!(!run.is_kept());
        assert!(matches!(
            run.note(b"too early"),
            Err(ParkedRunError::Missing(_))
        ));
        run.keep(about("one"), b"first").unwrap();
        run.note(b"of the first").unwrap();
        run.keep(about("two"), b"second").unwrap();
        run.note(b"x").unwrap();
        run.note(b"").unwrap();
        run.note(b"yy").unwrap();
        assert_eq!(run.memory().unwrap(), b"second");
        // As long as it is this process's, it is nobody else's.
        assert!(folder.shelf().find("a-1").unwrap().is_owned);
        let claimed = folder.shelf().claim("a-1");
        assert!(matches!(claimed, Err(ParkedRunError::Busy(_))));
        assert!(folder.shelf().claim_all().unwrap().is_empty());
        assert!(matches!(
            folder.shelf().remove("a-1"),
            Err(ParkedRunError::Busy(_))
        ));
    }
    let shelf = folder.shelf();
    let claimed = shelf.claim("a-1").unwrap();
    assert_eq!(claimed.about.get(), "\"two\"");
    assert_eq!(claimed.notes, [&b"x"[..], b"", b"yy"]);
    assert_eq!(claimed.run.memory().unwrap(), b"second");
    // It continues where that stood.
    claimed.run.note(b"more").unwrap();
    drop((claimed, shelf));
    let shelf = folder.shelf();
    let claimed = shelf.claim("a-1").unwrap();
    assert_eq!(claimed.notes.len(), 4);
    claimed.run.end(about("over")).unwrap();
    assert_eq!(shelf.find("a-1").unwrap().state, State::Ended);
    assert!(folder.shelf().claim_all().unwrap().is_empty());
    folder.shelf().remove("a-1").unwrap();
    assert!(
        folder
            .files("")
            .iter()
            .all(|file| file.ends_with(".claiming"))
    );
}

#[test]
fn a_note_that_was_cut_off_was_not_noted_and_one_that_was_changed_is_refused() {
    let folder = Folder::new();
    let run = folder.shelf().run("a-1".to_owned());
    run.keep(about("it"), b"memory").unwrap();
    run.note(b"whole").unwrap();
    run.note(b"cut off").unwrap();
    drop(run);
    let notes = folder.files(".notes").remove(0);
    let whole = fs::read(&notes).unwrap();
    for cut in whole.len() - 30..whole.len() {
        fs::write(&notes, &whole[..cut]).unwrap();
        let shelf = folder.shelf();
        let claimed = shelf.claim("a-1").unwrap();
        assert_eq!(claimed.notes, [b"whole"]);
        claimed.run.note(b"next").unwrap();
        drop((claimed, shelf));
        let shelf = folder.shelf();
        assert_eq!(shelf.claim("a-1").unwrap().notes, [&b"whole"[..], b"next"]);
    }
    for at in [8, 20, 60] {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&notes, changed).unwrap();
        let claimed = folder.shelf().claim("a-1");
        assert!(
            matches!(claimed, Err(ParkedRunError::Damaged { .. })),
            "{at}"
        );
    }
    // Notes in another order, or twice, were not written so.
    let (first, second) = whole.split_at(8 + 5 + 32);
    for other in [[second, first].concat(), [first, first].concat()] {
        fs::write(&notes, other).unwrap();
        let claimed = folder.shelf().claim("a-1");
        assert!(matches!(claimed, Err(ParkedRunError::Damaged { .. })));
    }
}

#[test]
fn whichever_byte_is_changed_it_is_found() {
    let folder = Folder::new();
    let run = folder.shelf().run("a-1".to_owned());
    run.keep(about("it"), &[7; 100]).unwrap();
    drop(run);
    let file = folder.files(".run").remove(0);
    let whole = fs::read(&file).unwrap();
    let shelf = folder.shelf();
    for at in 0..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&file, &changed).unwrap();
        let memory = match shelf.claim("a-1") {
            Ok(claimed) => {
                let memory = claimed.run.memory();
                claimed.run.release().unwrap();
                memory
            }
            Err(error) => Err(error),
        };
        assert!(
            matches!(memory, Err(ParkedRunError::Damaged { .. })),
            "{at}: {memory:?}"
        );
        fs::write(&file, &whole[..at]).unwrap();
        let claimed = shelf.claim("a-1").and_then(|claimed| {
            let memory = claimed.run.memory();
            claimed.run.release()?;
            memory
        });
        assert!(
            matches!(claimed, Err(ParkedRunError::Damaged { .. })),
            "{at}"
        );
    }
    let mut longer = OpenOptions::new().append(true).open(&file).unwrap();
    longer.write_all(b"more").unwrap();
    shelf.remove("a-1").unwrap();
}

#[test]
fn a_writer_that_was_killed_between_two_files_leaves_the_newer_one() {
    let folder = Folder::new();
    let run = folder.shelf().run("a-1".to_owned());
    run.keep(about("one"), b"1").unwrap();
    run.note(b"of one").unwrap();
    let [old, notes] = [".run", ".notes"].map(|end| folder.files(end).remove(0));
    let before = [&old, &notes].map(|file| fs::read(file).unwrap());
    run.keep(about("two"), b"2").unwrap();
    drop(run);
    for (file, bytes) in [&old, &notes].into_iter().zip(before) {
        fs::write(file, bytes).unwrap();
    }
    let shelf = folder.shelf();
    let claimed = shelf.claim("a-1").unwrap();
    assert_eq!((claimed.about.get(), claimed.notes.len()), ("\"two\"", 0));
    assert!(!old.exists() && !notes.exists());
    claimed.run.remove().unwrap();
    assert!(
        folder
            .files("")
            .iter()
            .all(|file| file.ends_with(".claiming"))
    );
}

#[test]
fn there_is_room_for_so_many_and_no_more() {
    let mut folder = Folder::new();
    folder.limits.most = 2;
    folder.limits.all.most = 3;
    folder.limits.each = 1000;
    let store = folder.store();
    let [one, other] = [None, Some("ada")].map(|whose| store.shelf(whose).unwrap());
    let full = |kept: Result<(), ParkedRunError>| match kept {
        Err(ParkedRunError::Full(why)) => why,
        kept => panic!("{kept:?}"),
    };
    let keep = |shelf: &Arc<Shelf>, name: &str| {
        let run = shelf.run(name.to_owned());
        run.keep(about("it"), b"memory").map(|()| run)
    };
    let kept = [keep(&one, "a"), keep(&one, "b")].map(Result::unwrap);
    assert_eq!(full(keep(&one, "c").map(drop)), "a principal may have 2");
    let ada = keep(&other, "a").unwrap();
    assert_eq!(full(keep(&other, "b").map(drop)), "there may be 3");
    // What is there may be kept anew, as long as it is not too large.
    kept[0].keep(about("anew"), b"memory").unwrap();
    assert!(full(kept[0].keep(about("anew"), &[0; 1000])).contains("at most 1000"));
    assert_eq!(one.find("a").unwrap().about.get(), "\"anew\"");
    kept[1].remove().unwrap();
    keep(&other, "b").unwrap();
    drop((kept, ada));
    // Another process counts them, too.
    let again = folder.store();
    let mine = again.shelf(None).unwrap();
    again.shelf(Some("ada")).unwrap();
    assert_eq!(full(keep(&mine, "d").map(drop)), "there may be 3");
}

#[test]
fn what_is_unused_for_too_long_is_removed_and_what_is_used_is_not() {
    let mut folder = Folder::new();
    let left = folder.shelf().run("left".to_owned());
    left.keep(about("it"), b"memory").unwrap();
    drop(left);
    let shelf = folder.shelf();
    let had = shelf.run("had".to_owned());
    had.keep(about("it"), b"memory").unwrap();
    folder.limits.age = Duration::ZERO;
    std::thread::sleep(Duration::from_millis(1100));
    let later = folder.shelf();
    later.sweep().unwrap();
    assert_eq!(later.names().unwrap(), ["had"]);
}

#[test]
fn thousands_of_one_principal_are_listed_claimed_and_removed_in_seconds() {
    /// Not as many as may be, since some disks take milliseconds to remove each file.
    const MANY: usize = 2_000;
    /// One of so many is old.
    const OLD: usize = 20;
    let now = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let mut folder = Folder::new();
    folder.limits.most = MANY;
    {
        let shelf = folder.shelf();
        let first = shelf.run("0".to_owned());
        first.keep(about("it"), b"memory").unwrap();
        let (owner, key) = (folder.files(".owner").remove(0), &shelf.shared.key);
        // What the others' processes would have written, without waiting for the disk each time.
        for number in 1..MANY {
            let run = number.to_string();
            let kept = if number % OLD == 0 { 1 } else { now };
            let head = Head::new(&run, 1, &shelf.tag, State::Parked, kept, about("it"));
            let file = head.written(b"memory", key).unwrap();
            fs::write(owner.with_file_name(file_of(&run, 1)), file).unwrap();
            fs::copy(&owner, owner.with_file_name(owner_of(&run))).unwrap();
        }
    }
    // Long for a machine that does other things, and far below what looking at all for each takes.
    let within = |what: &str, most: u64, done: &mut dyn FnMut()| {
        let began = std::time::Instant::now();
        done();
        let took = began.elapsed();
        assert!(took < Duration::from_secs(most), "{what}: {took:?}");
    };
    within("listing", 10, &mut || {
        let listed = folder.shelf().list().unwrap();
        assert_eq!(listed.into_iter().flatten().count(), MANY);
    });
    // What a power failure left of an owner is nobody.
    fs::write(folder.files(".owner").remove(0), [0xff; 16]).unwrap();
    let shelf = folder.shelf();
    let more = shelf.run("one more".to_owned());
    let full = more.keep(about("it"), b"memory").unwrap_err();
    assert!(matches!(full, ParkedRunError::Full(_)), "{full}");
    within("claiming", 20, &mut || {
        assert_eq!(shelf.claim_all().unwrap().len(), MANY);
    });
    drop((more, shelf));
    folder.limits.age = Duration::from_hours(1);
    within("removing", 20, &mut || {
        let later = folder.shelf();
        later.sweep().unwrap();
        let left = later.names().unwrap();
        assert_eq!(left.len(), MANY - (MANY - 1) / OLD);
        assert!(!left.contains(&OLD.to_string()));
    });
}
