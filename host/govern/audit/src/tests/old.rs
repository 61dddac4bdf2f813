//! What is too old goes, and leaves a mark.

use std::io::Write as _;
use std::time::{Duration, Instant, SystemTime};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};

use super::*;
use crate::keys::Keys;
use crate::line::{self, Place, Stamp};
use crate::manifest::{ChainState, Manifest};
use crate::{Events, Filter};

/// Files of a run each, that are too old at once.
fn settings() -> Settings {
    Settings {
        rotate_bytes: 1,
        keep_for: Some(Duration::ZERO),
        ..Settings::default()
    }
}

#[test]
fn old_files_go_and_the_rest_is_whole() {
    let kept = Kept::new();
    let keep = || Settings {
        keep_for: None,
        ..settings()
    };
    // Two chains, of which one has nobody who writes to it any more.
    let (one, other) = (
        Log::open(&kept.path, keep()).unwrap(),
        Log::open(&kept.path, keep()).unwrap(),
    );
    for run in 0..3 {
        write_run(&one, run);
        write_run(&other, run);
    }
    one.close().unwrap();
    other.close().unwrap();
    let before = kept.check();
    assert_eq!((found(&before), before.chains), (vec![], 2));

    let log = Log::open(&kept.path, settings()).unwrap();
    let began = Instant::now();
    while kept.file("002-000001.jsonl").exists() || kept.file(FIRST).exists() {
        assert!(began.elapsed().as_secs() < 30, "nothing is removed");
        std::thread::yield_now();
    }
    write_run(&log, 7);
    log.close().unwrap();
    let report = kept.check();
    assert_eq!(found(&report), []);
    assert!(report.events < before.events);
    let removed = Events::read(&kept.path, Filter::default()).unwrap();
    let removed = removed.filter(|it| matches!(it.event, Some(Event::Removed(_))));
    assert!(removed.count() >= 1);

    // The next process resumes the chain of which nothing is left.
    let (one, other) = (kept.open(), kept.open());
    write_run(&one, 8);
    write_run(&other, 8);
    one.close().unwrap();
    other.close().unwrap();
    assert_eq!(found(&kept.check()), []);

    // What goes besides is missing.
    let mut files: Vec<_> = std::fs::read_dir(&kept.path)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "jsonl"));
    files.sort();
    std::fs::remove_file(&files[0]).unwrap();
    assert!(!kept.check().is_whole());
}

/// A log of somebody who last wrote so many days ago.
fn of_long_ago(kept: &Kept, days: u64) {
    let folder = PrivateFolder::open(&kept.path, OTHERS_REACH).unwrap();
    let keys = Keys::of(&folder).unwrap();
    let stamp = |ago: u64| Stamp {
        at: SystemTime::now() - Duration::from_hours(24 * ago),
        up: Duration::ZERO,
    };
    let mut lines = Vec::new();
    let segment = br#"{"kind":"segment","lane":1,"segment":1}"#;
    let mut place = line::add(&mut lines, Place::START, stamp(days), segment);
    // Its clock went back a day.
    place = line::add(&mut lines, place, stamp(days + 1), br#"{"kind":"opened"}"#);
    let close = br#"{"kind":"checkpoint","why":"close"}"#;
    place = line::add_signed(&mut lines, place, stamp(days), close, &keys);
    (&folder.append(FIRST).unwrap()).write_all(&lines).unwrap();
    let list = |manifest: &mut Manifest| {
        manifest.anew.clear();
        manifest
            .lanes
            .entry(1)
            .or_insert(ChainState::new())
            .reach(1, place);
    };
    Manifest::change(&folder, &keys, list).unwrap();
}

#[test]
fn a_clock_that_went_back_is_noted() {
    let kept = Kept::new();
    of_long_ago(&kept, 3);
    let report = kept.check();
    let day = Duration::from_hours(24);
    let [finding] = &report.findings[..] else {
        panic!("{report:?}");
    };
    assert!(matches!(finding.what, Fault::ClockBack(by) if by.abs_diff(day).as_secs() < 2));
    assert_eq!((finding.level, finding.line), (crate::Level::Note, 2));
    assert!(report.is_whole());
}

#[test]
fn a_clock_that_went_far_ahead_removes_nothing_at_once() {
    let kept = Kept::new();
    of_long_ago(&kept, 200);
    let swept = || {
        let folder = PrivateFolder::open(&kept.path, OTHERS_REACH).unwrap();
        Manifest::read(&folder, None).unwrap().swept
    };
    let wait = |gone: bool| {
        // The old file ends there.
        let settings = Settings {
            rotate_bytes: 1,
            ..Settings::default()
        };
        let log = Log::open(&kept.path, settings).unwrap();
        let began = Instant::now();
        while swept() == 0 || gone && kept.file(FIRST).exists() {
            assert!(began.elapsed().as_secs() < 30, "nobody looks for old files");
            std::thread::yield_now();
        }
        log.close().unwrap();
    };
    wait(false);
    assert!(kept.file(FIRST).exists());
    // Somebody has written since, and a day has passed.
    let folder = PrivateFolder::open(&kept.path, OTHERS_REACH).unwrap();
    let keys = Keys::of(&folder).unwrap();
    Manifest::change(&folder, &keys, |manifest| manifest.swept = 0).unwrap();
    wait(true);
    assert_eq!(found(&kept.check()), []);
}
