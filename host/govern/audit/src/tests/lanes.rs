//! Logs that are as they were written.

use std::collections::HashSet;

use super::*;
use crate::{Events, Filter, WriteOutcome, human};

#[test]
fn what_is_written_can_be_read_and_is_whole() {
    let kept = Kept::with(3);
    let report = kept.check();
    assert_eq!(report.findings, []);
    assert_eq!((report.chains, report.files, report.events), (1, 1, 15));
    assert_eq!((report.checkpoints, report.unsigned), (1, 0));
    let filter = Filter {
        kinds: vec!["call-asked".to_owned(), "call-ended".to_owned()],
        tool: Some("mail.s*".parse().unwrap()),
        run: Some("00000002-000001".to_owned()),
        ..Filter::default()
    };
    let events: Vec<_> = Events::read(&kept.path, filter).unwrap().collect();
    let kinds: Vec<_> = events.iter().map(|it| (&*it.kind, it.seq)).collect();
    assert_eq!(kinds, [("call-asked", 12), ("call-ended", 13)]);
    let shown = human(&events[1]);
    assert!(
        shown.ends_with(
            "001:13 call-ended run=00000002-000001 mail.send answered (12 bytes, 340us)"
        ),
        "{shown}"
    );
}

#[test]
fn a_chain_continues_where_it_ended() {
    let kept = Kept::with(1);
    (0..3).for_each(|_| kept.write(1));
    let report = kept.check();
    assert_eq!(report.findings, []);
    assert_eq!((report.chains, report.files, report.checkpoints), (1, 1, 4));
}

#[test]
fn several_write_at_once_and_nothing_is_lost() {
    let kept = Kept::new();
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let kept = &kept;
            scope.spawn(move || {
                let log = kept.open();
                std::thread::scope(|scope| {
                    for thread in 0..4 {
                        let log = &log;
                        scope.spawn(move || {
                            (0..25)
                                .for_each(|run| write_run(log, (writer * 4 + thread) * 25 + run));
                        });
                    }
                });
                let report = kept.check();
                assert!(report.is_whole(), "{report:?}");
                log.close().unwrap();
            });
        }
    });
    let report = kept.check();
    assert_eq!(found(&report), []);
    let events = Events::read(&kept.path, Filter::default()).unwrap();
    let runs: HashSet<_> = events
        .filter(|it| it.kind == "run-ended")
        .filter_map(|it| it.run().map(ToOwned::to_owned))
        .collect();
    assert_eq!(runs.len(), 800);
}

#[test]
fn later_versions_are_checked_and_shown() {
    let kept = Kept::new();
    let log = kept.open();
    let mut writer = log.shared.writer.lock();
    writer
        .put(
            br#"{"kind":"dreamt","of":"sheep\u001b[2J","run":"1"}"#,
            false,
        )
        .unwrap();
    writer
        .put(
            br#"{"kind":"run-started","run":"7","mood":["good"]}"#,
            false,
        )
        .unwrap();
    drop(writer);
    log.close().unwrap();
    assert_eq!(kept.check().findings, []);
    let events: Vec<_> = Events::read(&kept.path, Filter::default())
        .unwrap()
        .collect();
    let dreamt = events.iter().find(|it| it.kind == "dreamt").unwrap();
    assert!(dreamt.event.is_none() && human(dreamt).ends_with(" dreamt"));
    assert!(events.iter().any(|it| it.run() == Some("7")));
}

#[test]
fn what_is_too_large_leaves_its_digest() {
    let kept = Kept::new();
    let log = kept.open();
    let event = Event::RequestDenied(crate::RequestDenied {
        reason: "x".repeat(1 << 20).into(),
        ..Default::default()
    });
    assert!(matches!(log.write(&event), Ok(WriteOutcome::At(_))));
    log.close().unwrap();
    assert_eq!(kept.check().findings, []);
    let filter = Filter {
        kinds: vec!["request-denied".to_owned()],
        ..Filter::default()
    };
    let event = Events::read(&kept.path, filter).unwrap().next().unwrap();
    let cut = &event.json()["cut"];
    assert!(cut["bytes"].as_u64() > Some(1 << 20) && cut["hash"].is_string());
}
