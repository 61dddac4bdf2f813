//! What an attacker may try who writes to a log's folder, or makes calls; and what happens without
//! one.

use std::fs;
use std::io::Write as _;
use std::time::{Duration, Instant, SystemTime};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use serde_json::json;

use super::*;
use crate::keys::Keys;
use crate::line::{self, Place, Stamp};
use crate::manifest::{ChainState, Manifest};
use crate::{ArgumentForm, CallOutcome, Decision, Events, Filter, Stats, Verdict, human};

fn kinds(kept: &Kept) -> Vec<String> {
    let events = Events::read(&kept.path, Filter::default()).unwrap();
    events.map(|entry| entry.kind).collect()
}

/// A line of a log after some place, as anybody can make one.
fn forged(after: Place, ago: Duration, event: &str) -> (Vec<u8>, Place) {
    let mut line = Vec::new();
    let stamp = Stamp {
        at: SystemTime::now() - ago,
        up: Duration::ZERO,
    };
    let place = line::add(&mut line, after, stamp, event.as_bytes());
    (line, place)
}

#[test]
fn arguments_can_not_hide_what_was_called() {
    let kept = Kept::new();
    let mut settings = Settings::default();
    settings.arguments.otherwise = ArgumentForm::Redacted;
    let log = Log::open(&kept.path, settings).unwrap();
    let arguments =
        json!({ "x".repeat(1 << 20): 1, "y".repeat(1 << 20): {"z".repeat(1 << 20): 2} });
    let written = log.arguments("mail", "send", &arguments);
    assert!(json!(written).to_string().len() < 2000);
    // An attacker who puts together something large by himself.
    let written = written.with_redacted(json!(["x".repeat(1 << 20)]));
    let digest = written.digest.clone();
    log.write(&Event::CallAsked(CallAsked {
        run: "4711-1".into(),
        call: 3,
        server: "mail".into(),
        tool: "send".into(),
        arguments: written,
        decision: Verdict::Approved,
        ..CallAsked::default()
    }))
    .unwrap();
    log.write(&Event::Decision(Decision {
        run: "4711-1".into(),
        decision: Verdict::Denied,
        reason: Some("x".repeat(1 << 20).into()),
        ..Decision::default()
    }))
    .unwrap();
    log.close().unwrap();
    assert_eq!(found(&kept.check()), []);
    let entries: Vec<_> = Events::read(&kept.path, Filter::default())
        .unwrap()
        .filter(|it| it.run() == Some("4711-1"))
        .collect();
    let [asked, decided] = &entries[..] else {
        panic!("{entries:?}");
    };
    assert_eq!(asked.tool(), Some(("mail", "send")));
    assert_eq!(asked.outcome(), Some("approved"));
    let Some(Event::CallAsked(it)) = &asked.event else {
        panic!("{asked:?}");
    };
    assert_eq!((it.call, &it.arguments.digest), (3, &digest));
    assert!(asked.json()["cut"]["bytes"].as_u64().unwrap() > 1 << 20);
    assert_eq!(decided.outcome(), Some("denied"));
    assert_eq!(asked.line.matches("\"hash\":").count(), 2);
}

#[test]
fn numbers_at_their_ends_break_nothing() {
    // A file and a line with the largest numbers that there are.
    let kept = Kept::with(1);
    fs::write(kept.file("001-4294967295.jsonl"), "").unwrap();
    fs::write(kept.file("65535-000001.jsonl"), "").unwrap();
    assert!(!kept.check().findings.is_empty());
    kept.write(1);
    assert!(kinds(&kept).len() >= 13, "{:?}", kinds(&kept));

    let kept = Kept::with(1);
    let last = |seq| Place {
        seq,
        hash: Place::START.hash,
    };
    let ended = r#"{"kind":"run-ended","fuel":18446744073709551615,"tookUs":18446744073709551615}"#;
    let (line, _) = forged(last((1 << 60) - 2), Duration::ZERO, ended);
    let (largest, _) = forged(last(u64::MAX - 1), Duration::ZERO, ended);
    let mut text = fs::read(kept.file(FIRST)).unwrap();
    text.extend_from_slice(&line);
    text.extend_from_slice(&line);
    text.extend_from_slice(&largest);
    text.extend_from_slice(b"no line\n");
    fs::write(kept.file(FIRST), &text).unwrap();
    assert!(!kept.check().is_whole());
    let stats = Stats::of(Events::read(&kept.path, Filter::default()).unwrap());
    assert_eq!(stats.all.runs, 3);
    kept.write(1);
    assert!(!kept.check().is_whole());
}

#[test]
fn a_file_from_before_the_mark_is_neither_read_nor_passed_over() {
    let kept = Kept::with(1);
    // What was there has been removed.
    let folder = PrivateFolder::open(&kept.path, OTHERS_REACH).unwrap();
    let keys = Keys::of(&folder).unwrap();
    let mark = |manifest: &mut Manifest| {
        let known = manifest.lanes.get_mut(&1).unwrap();
        known.removed = Some(crate::manifest::Mark {
            segment: 1,
            seq: known.seq,
            hash: known.hash.clone(),
            at: crate::manifest::now(),
        });
    };
    Manifest::change(&folder, &keys, mark).unwrap();
    fs::remove_file(kept.file(FIRST)).unwrap();
    kept.write(1);
    assert_eq!(found(&kept.check()), []);
    let before = kinds(&kept).len();
    let (line, _) = forged(
        Place::START,
        Duration::ZERO,
        r#"{"kind":"run-started","run":"forged"}"#,
    );
    fs::write(kept.file(FIRST), line).unwrap();
    assert_eq!(kinds(&kept).len(), before);
    assert_eq!(found(&kept.check()), [(FIRST, 0, &Fault::Leftover)]);
}

#[test]
fn a_file_that_could_not_be_begun_forks_no_chain() {
    let kept = Kept::with(1);
    let before = fs::read(kept.file("manifest.json")).unwrap();
    // A process writes, fails to begin another file, and is killed.
    kept.write(2);
    fs::write(kept.file("001-000002.jsonl"), "").unwrap();
    fs::write(kept.file("manifest.json"), before).unwrap();
    let log = kept.open();
    write_run(&log, 7);
    log.close().unwrap();
    let report = kept.check();
    let broken: Vec<_> = found(&report)
        .into_iter()
        .filter(|(.., what)| !matches!(what, Fault::Cut(_) | Fault::ListOld(_)))
        .collect();
    assert_eq!(broken, []);
}

#[test]
fn a_chain_that_was_removed_before_it_was_signed_is_reported() {
    let kept = Kept::with(1);
    let folder = PrivateFolder::open(&kept.path, OTHERS_REACH).unwrap();
    let keys = Keys::of(&folder).unwrap();
    Manifest::change(&folder, &keys, |it| {
        it.lanes.insert(2, ChainState::new());
    })
    .unwrap();
    assert_eq!(
        found(&kept.check()),
        [("002-000001.jsonl", 0, &Fault::NeverBegun)]
    );
}

#[test]
fn a_clock_that_goes_back_at_the_end_makes_no_file_old() {
    let kept = Kept::new();
    let folder = PrivateFolder::open(&kept.path, OTHERS_REACH).unwrap();
    let keys = Keys::of(&folder).unwrap();
    let year = Duration::from_hours(24 * 400);
    let (mut lines, mut place) = forged(
        Place::START,
        Duration::ZERO,
        r#"{"kind":"segment","lane":1,"segment":1}"#,
    );
    let (more, end) = forged(place, year, r#"{"kind":"run-started","run":"a"}"#);
    lines.extend_from_slice(&more);
    place = end;
    let stamp = Stamp {
        at: SystemTime::now() - year,
        up: Duration::ZERO,
    };
    let close = br#"{"kind":"checkpoint","why":"close"}"#;
    place = line::add_signed(&mut lines, place, stamp, close, &keys);
    (&folder.append(FIRST).unwrap()).write_all(&lines).unwrap();
    // Nobody's chain, which no sweep may remove: it is to be looked into.
    let (foreign, _) = forged(
        Place::START,
        year,
        r#"{"kind":"segment","lane":9,"segment":1}"#,
    );
    (&folder.append("009-000001.jsonl").unwrap())
        .write_all(&foreign)
        .unwrap();
    Manifest::change(&folder, &keys, |it| {
        it.anew.clear();
        it.lanes.clear();
        it.lanes
            .entry(1)
            .or_insert(ChainState::new())
            .reach(1, place);
    })
    .unwrap();
    let settings = Settings {
        rotate_bytes: 1,
        ..Settings::default()
    };
    // Somebody wrote just now: the clock is believed.
    let other = Settings {
        keep_for: None,
        ..settings.clone()
    };
    let other = Log::open(&kept.path, other).unwrap();
    write_run(&other, 1);
    let log = Log::open(&kept.path, settings).unwrap();
    let swept = || Manifest::read(&folder, None).unwrap().swept;
    let began = Instant::now();
    while swept() == 0 {
        assert!(began.elapsed().as_secs() < 30, "nobody looks for old files");
        std::thread::yield_now();
    }
    log.close().unwrap();
    other.close().unwrap();
    assert!(kept.file(FIRST).exists());
    assert!(kept.file("009-000001.jsonl").exists());
}

#[test]
fn names_of_any_length_take_no_room_in_counts() {
    let mut stats = Stats::default();
    let long = "x".repeat(200_000);
    let line = |seq: u64, run: u64| {
        let event = Event::CallAsked(CallAsked {
            run: format!("{run}{long}").into(),
            call: seq,
            server: long.as_str().into(),
            tool: long.as_str().into(),
            ..CallAsked::default()
        });
        let mut json = json!(event);
        for (name, value) in [("v", json!(1)), ("seq", json!(seq)), ("up", json!(0))] {
            json[name] = value;
        }
        json["at"] = crate::manifest::now().into();
        crate::Entry::of(1, json.to_string().as_bytes()).unwrap()
    };
    for seq in 0..20 {
        stats.add(&line(seq, seq));
    }
    let ended = CallEnded {
        server: long.as_str().into(),
        outcome: CallOutcome::Lost,
        ..CallEnded::default()
    };
    let mut entry = line(1, 1);
    entry.event = Some(Event::CallEnded(ended));
    stats.add(&entry);
    assert!(format!("{stats:?}").len() < 20_000);
}

#[test]
fn the_worst_is_reported_though_there_are_many_findings() {
    let mut report = Report::new();
    for _ in 0..5000 {
        report.found(FIRST, 1, Fault::ClockBack(Duration::from_secs(1)));
    }
    report.found(FIRST, 2, Fault::Cut(1));
    assert_eq!(report.worst(), Some(crate::Level::Doubtful));
    report.found(FIRST, 3, Fault::Changed);
    assert!(report.findings.iter().any(|it| it.what == Fault::Changed));
    assert_eq!(report.findings.len() as u64 + report.more, 5002);
}

#[test]
fn what_is_shown_has_no_signs_for_terminals() {
    let event = Event::RequestDenied(crate::RequestDenied {
        request: "a\u{1b}]0;x\u{7}\u{9b}2J\u{202e}\n".into(),
        ..crate::RequestDenied::default()
    });
    let kept = Kept::new();
    let log = kept.open();
    log.write(&event).unwrap();
    log.close().unwrap();
    for entry in Events::read(&kept.path, Filter::default()).unwrap() {
        assert!(!human(&entry).contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}', '\n']));
    }
}
