//! Everything that is changed is found.

use std::fs;

use super::*;
use crate::Level;
use crate::line::{self, Place, Stamp};

/// What was found after something was done to the lines of a file.
fn after(change: impl FnOnce(&mut Vec<String>)) -> Vec<(u64, Fault)> {
    let kept = Kept::with(10);
    assert_eq!(found(&kept.check()), []);
    let mut lines = kept.lines(FIRST);
    change(&mut lines);
    kept.put_lines(FIRST, &lines);
    let report = kept.check();
    let found = found(&report).into_iter();
    found.map(|(_, line, what)| (line, what.clone())).collect()
}

#[test]
fn a_changed_line_is_found() {
    let found = after(|lines| lines[7] = lines[7].replace("mail", "male"));
    assert_eq!(found, [(8, Fault::Changed)]);
}

#[test]
fn a_removed_line_is_found() {
    let found = after(|lines| drop(lines.remove(6)));
    assert_eq!(found, [(7, Fault::Missing(1))]);
}

#[test]
fn lines_that_changed_places_are_found() {
    let found = after(|lines| lines.swap(6, 7));
    let out = |seq, expected| Fault::OutOfOrder { seq, expected };
    assert_eq!(
        found,
        [
            (7, Fault::Missing(1)),
            (8, out(7, 9)),
            (9, Fault::Missing(1))
        ]
    );
}

#[test]
fn a_line_that_was_put_in_is_found() {
    let found = after(|lines| lines.insert(6, lines[5].clone()));
    let twice = Fault::OutOfOrder {
        seq: 6,
        expected: 7,
    };
    assert_eq!(found, [(7, twice)]);
    // One that follows the line before in its number and its hash.
    let found = after(|lines| {
        let parts = line::Parts::of(lines[5].as_bytes()).unwrap();
        let place = Place {
            seq: 6,
            hash: parts.hash,
        };
        let stamp = Stamp {
            at: std::time::SystemTime::now(),
            up: std::time::Duration::ZERO,
        };
        let mut line = Vec::new();
        line::add(
            &mut line,
            place,
            stamp,
            br#"{"kind":"run-started","run":"forged"}"#,
        );
        lines.insert(6, String::from_utf8(line).unwrap().trim_end().to_owned());
    });
    assert_eq!(
        found,
        [(
            8,
            Fault::OutOfOrder {
                seq: 7,
                expected: 8
            }
        )]
    );
}

#[test]
fn a_chain_that_was_made_anew_has_no_good_signature() {
    let found = after(|lines| {
        let mut place = Place::START;
        for text in lines.iter_mut() {
            // Everything again, with the events' names changed.
            let value: serde_json::Value =
                serde_json::from_str(&text.replace("mail", "male")).unwrap();
            let mut event = value.as_object().unwrap().clone();
            let at = humantime::parse_rfc3339(event["at"].as_str().unwrap()).unwrap();
            let up = std::time::Duration::from_micros(event["up"].as_u64().unwrap());
            for own in ["v", "seq", "at", "up", "hash"] {
                event.shift_remove(own);
            }
            let mut line = Vec::new();
            let event = serde_json::to_vec(&event).unwrap();
            place = line::add(&mut line, place, Stamp { at, up }, &event);
            *text = String::from_utf8(line).unwrap().trim_end().to_owned();
        }
    });
    let last = found.last().unwrap().0;
    assert_eq!(
        found,
        [(last, Fault::OtherThanListed), (last, Fault::BadSignature)]
    );
}

#[test]
fn an_end_that_was_cut_off_is_found() {
    for left in [0, 1, 5, 42] {
        let kept = Kept::with(10);
        let lines = kept.lines(FIRST);
        assert_eq!(lines.len(), 43);
        match left {
            0 => fs::write(kept.file(FIRST), "").unwrap(),
            _ => kept.put_lines(FIRST, &lines[..left]),
        }
        let report = kept.check();
        let cut = Fault::Cut(left as u64);
        let end = Fault::EndMissing(43);
        let last = left as u64;
        assert_eq!(found(&report), [(FIRST, last, &cut), (FIRST, 0, &end)]);
        assert!(!report.is_whole());
        // The process that resumes the chain does not hide it.
        kept.write(1);
        let report = kept.check();
        let second = (
            &*report
                .findings
                .iter()
                .find(|it| it.file != FIRST)
                .unwrap()
                .file,
            1,
        );
        assert_eq!(second.0, "001-000002.jsonl");
        assert!(!report.is_whole());
    }
}

#[test]
fn an_older_end_that_fits_is_found() {
    let kept = Kept::with(2);
    let before = fs::read(kept.file(FIRST)).unwrap();
    kept.write(2);
    fs::write(kept.file(FIRST), before).unwrap();
    let report = kept.check();
    assert!(
        matches!(found(&report)[..], [(FIRST, 0, Fault::EndMissing(_))]),
        "{report:?}"
    );
}

#[test]
fn an_older_list_of_files_is_found() {
    let kept = Kept::with(2);
    let before = fs::read(kept.file("manifest.json")).unwrap();
    kept.write(2);
    let number = kept.check().number;
    kept.write(2);
    let all: Vec<_> = [FIRST, "manifest.json"]
        .map(|name| (name, fs::read(kept.file(name)).unwrap()))
        .into();
    fs::write(kept.file("manifest.json"), before).unwrap();
    let report = kept.check();
    assert_eq!(
        found(&report),
        [("manifest.json", 0, &Fault::ListOld(number))]
    );
    // All of it put back: this shows to a reader who has noted the number.
    for (name, content) in all {
        fs::write(kept.file(name), content).unwrap();
    }
    let report = kept.check();
    assert!(report.is_whole());
    let against = Against {
        number: Some(report.number + 1),
        ..Against::default()
    };
    assert!(!verify(&kept.path, &against).unwrap().is_whole());
}

#[test]
fn files_that_are_missing_are_found() {
    let kept = Kept::new();
    let settings = || Settings {
        rotate_bytes: 1,
        ..Settings::default()
    };
    for run in 0..4 {
        let log = Log::open(&kept.path, settings()).unwrap();
        write_run(&log, run);
        log.close().unwrap();
    }
    assert_eq!(found(&kept.check()), []);
    let name = |number| format!("001-{number:06}.jsonl");
    let files = fs::read_dir(&kept.path).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_str().unwrap().ends_with(".jsonl")
    });
    let newest = files.count() as u32;
    assert!(newest >= 4);
    for gone in [1, 2, newest] {
        let content = fs::read(kept.file(&name(gone))).unwrap();
        fs::remove_file(kept.file(&name(gone))).unwrap();
        let report = kept.check();
        let files = report
            .findings
            .iter()
            .any(|it| it.what == Fault::FilesMissing(1));
        assert!(files && !report.is_whole(), "{gone}: {report:?}");
        fs::write(kept.file(&name(gone)), content).unwrap();
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::Permissions::from_mode(0o600);
        fs::set_permissions(kept.file(&name(gone)), mode).unwrap();
    }
    // Two that have each other's name.
    fs::rename(kept.file(&name(1)), kept.file("aside")).unwrap();
    fs::rename(kept.file(&name(2)), kept.file(&name(1))).unwrap();
    fs::rename(kept.file("aside"), kept.file(&name(2))).unwrap();
    let report = kept.check();
    assert!(
        report.findings.iter().any(|it| it.what == Fault::Misplaced),
        "{report:?}"
    );
}

#[test]
fn a_chain_that_is_gone_or_from_elsewhere_is_found() {
    let kept = Kept::with(2);
    fs::remove_file(kept.file(FIRST)).unwrap();
    let report = kept.check();
    let wanted = [
        (FIRST, 0, &Fault::FilesMissing(1)),
        (FIRST, 0, &Fault::EndMissing(11)),
    ];
    assert_eq!(found(&report), wanted);

    let (kept, other) = (Kept::with(2), Kept::with(2));
    fs::copy(other.file(FIRST), kept.file("002-000001.jsonl")).unwrap();
    let report = kept.check();
    assert_eq!(found(&report), [("002-000001.jsonl", 0, &Fault::Foreign)]);
    fs::copy(other.file(FIRST), kept.file(FIRST)).unwrap();
    assert!(!kept.check().is_whole());
}

#[test]
fn a_log_of_another_key_is_found() {
    let (kept, other) = (Kept::with(2), Kept::with(2));
    let key = kept.open().public_key();
    assert_eq!(key, crate::public_key(&kept.path).unwrap());
    let against = Against {
        key: Some(key.to_string().parse().unwrap()),
        number: None,
    };
    assert!(verify(&kept.path, &against).unwrap().is_whole());
    let report = verify(&other.path, &against).unwrap();
    let bad = report
        .findings
        .iter()
        .filter(|it| it.what == Fault::BadSignature);
    assert!(bad.count() == 1 && report.broken == 2, "{report:?}");
}

#[test]
fn a_list_that_is_gone_is_found_also_once_there_is_another() {
    let kept = Kept::with(2);
    fs::remove_file(kept.file("manifest.json")).unwrap();
    let report = kept.check();
    assert!(
        matches!(found(&report)[..], [("manifest.json", 0, Fault::NoList(_))]),
        "{report:?}"
    );
    kept.write(1);
    let report = kept.check();
    assert!(
        matches!(
            found(&report)[..],
            [("manifest.json", 0, Fault::ListAnew(_))]
        ),
        "{report:?}"
    );
}

#[test]
fn every_byte_counts() {
    let kept = Kept::with(10);
    let text = fs::read(kept.file(FIRST)).unwrap();
    let list = fs::read(kept.file("manifest.json")).unwrap();
    // A pseudorandom sequence, the same each time.
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % below
    };
    for _ in 0..1000 {
        let mut changed = text.clone();
        let at = random(changed.len());
        changed[at] ^= 1 << random(8);
        fs::write(kept.file(FIRST), &changed).unwrap();
        assert!(!kept.check().is_whole(), "byte {at}");
    }
    fs::write(kept.file(FIRST), &text).unwrap();
    for at in 0..list.len() {
        let mut changed = list.clone();
        changed[at] ^= 1 << random(8);
        fs::write(kept.file("manifest.json"), &changed).unwrap();
        assert!(!kept.check().is_whole(), "byte {at} of the list");
    }
    fs::write(kept.file("manifest.json"), &list).unwrap();
    assert_eq!(found(&kept.check()), []);
}

#[test]
fn what_is_not_a_line_costs_no_memory_and_hides_nothing() {
    let kept = Kept::with(3);
    let mut lines = kept.lines(FIRST);
    lines[4] = "x".repeat(3 << 20);
    lines.insert(8, "[".repeat(100_000));
    kept.put_lines(FIRST, &lines);
    let report = kept.check();
    let found = found(&report);
    assert_eq!(
        found[..2],
        [(FIRST, 5, &Fault::NoLine), (FIRST, 9, &Fault::NoLine)]
    );
    assert_eq!(report.worst(), Some(Level::Broken));
}
