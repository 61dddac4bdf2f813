//! Processes that end without a word.

use std::io::{BufRead, BufReader, Write as _};
use std::process::Stdio;

use super::*;
use crate::{Events, Filter};

/// Writes until somebody ends it; each event is printed once it is written.
#[test]
#[ignore = "another process runs it"]
fn writes() {
    let log = Log::open(&folder_of_test(), Settings::default()).unwrap();
    for number in 0.. {
        write_run(&log, number);
        let mut out = std::io::stdout();
        writeln!(out, "wrote {number}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn what_was_written_is_there_after_a_kill() {
    let kept = Kept::new();
    for _ in 0..3 {
        let mut child = elsewhere("tests::killed::writes", &kept.path);
        let mut child = child.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let told = lines
            .map(Result::unwrap)
            .filter(|line| line.starts_with("wrote"))
            .take(50);
        let told = told.last().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let last: u64 = told.strip_prefix("wrote ").unwrap().parse().unwrap();
        let events: Vec<_> = Events::read(&kept.path, Filter::default())
            .unwrap()
            .collect();
        let wanted = format!("{last:08x}-000001");
        assert!(
            events
                .iter()
                .any(|it| it.kind == "run-ended" && it.run() == Some(&wanted))
        );
        // It is reported, and is not a sign of tampering.
        let report = kept.check();
        assert!(report.is_whole(), "{report:?}");
        assert_eq!(report.worst(), Some(crate::Level::Doubtful));
    }
    kept.write(1);
    let report = kept.check();
    let cut = found(&report)
        .iter()
        .filter(|it| matches!(it.2, Fault::Cut(_)))
        .count();
    assert!(cut == 3 && report.is_whole(), "{report:?}");
    let events = Events::read(&kept.path, Filter::default()).unwrap();
    let unclean = events.filter(|it| matches!(&it.event, Some(Event::Opened(it)) if it.unclean));
    assert_eq!(unclean.count(), 3);
}

#[test]
fn half_a_line_at_the_end_stays_and_is_reported() {
    let kept = Kept::with(1);
    let mut text = std::fs::read(kept.file(FIRST)).unwrap();
    text.extend_from_slice(br#"{"v":1,"seq":8,"#);
    std::fs::write(kept.file(FIRST), text).unwrap();
    kept.write(1);
    let report = kept.check();
    let half = Fault::HalfLine(15);
    let cut = Fault::Cut(0);
    assert_eq!(found(&report), [(FIRST, 8, &half), (FIRST, 8, &cut)]);
}
