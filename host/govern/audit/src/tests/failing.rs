//! A disk that is full.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;
use crate::{Events, Filter, OnFailure, WriteOutcome};

/// No file may grow beyond that.
fn limit(bytes: Option<u64>) {
    let maximum = getrlimit(Resource::Fsize).maximum;
    let limit = Rlimit {
        current: bytes.or(maximum),
        maximum,
    };
    setrlimit(Resource::Fsize, limit).unwrap();
}

fn full(on_failure: OnFailure) -> Vec<u64> {
    let settings = Settings {
        on_failure,
        ..Settings::default()
    };
    let log = Log::open(&folder_of_test(), settings).unwrap();
    write_run(&log, 1);
    let there = std::fs::metadata(folder_of_test().join(FIRST))
        .unwrap()
        .len();
    let asked = Event::CallAsked(CallAsked::default());
    let ended = Event::CallEnded(CallEnded::default());
    // A part of a line fits.
    limit(Some(there + 100));
    let mut refused = 0;
    for _ in 0..3 {
        match log.write(&asked) {
            Err(error) => {
                refused += 1;
                let why = error.to_string();
                assert!(
                    why.contains("can't be recorded") && why.contains("File too large"),
                    "{why}"
                );
            }
            Ok(put) => assert_eq!(put, WriteOutcome::Lost),
        }
    }
    assert_eq!(log.write(&ended).unwrap(), WriteOutcome::Lost);
    let standing = log.standing();
    assert_eq!((standing.lost, standing.refused), (4 - refused, refused));
    assert!(standing.failing.is_some());
    assert_eq!(
        std::fs::metadata(folder_of_test().join(FIRST))
            .unwrap()
            .len(),
        there
    );
    limit(None);
    assert!(matches!(log.write(&asked), Ok(WriteOutcome::At(_))));
    assert_eq!(log.standing().failing, None);
    log.close().unwrap();
    vec![4 - refused, refused]
}

#[test]
#[ignore = "another process runs it"]
fn stops() {
    assert_eq!(full(OnFailure::Stop), [1, 3]);
}

#[test]
#[ignore = "another process runs it"]
fn goes_on() {
    assert_eq!(full(OnFailure::GoOn), [4, 0]);
}

#[test]
fn a_full_disk_stops_what_happens_or_is_reported() {
    for (test, wanted) in [("stops", [1, 3]), ("goes_on", [4, 0])] {
        let kept = Kept::new();
        let test = format!("tests::failing::{test}");
        let done = elsewhere(&test, &kept.path).output().unwrap();
        let told = String::from_utf8_lossy(&done.stdout);
        assert!(done.status.success() && told.contains("1 passed"), "{told}");
        let report = kept.check();
        assert_eq!(found(&report), []);
        let gaps: Vec<_> = Events::read(&kept.path, Filter::default())
            .unwrap()
            .filter_map(|it| match it.event {
                Some(Event::Gap(gap)) => Some([gap.lost, gap.refused]),
                _ => None,
            })
            .collect();
        assert_eq!(
            gaps.iter()
                .fold([0, 0], |sum, gap| [sum[0] + gap[0], sum[1] + gap[1]]),
            wanted
        );
        let gap = |it: &crate::Finding| matches!(it.what, Fault::Gap { .. });
        assert!(report.findings.iter().any(gap));
    }
}

#[test]
fn a_file_that_goes_while_it_is_written_is_reported() {
    let kept = Kept::new();
    let settings = Settings {
        checkpoint_every: std::time::Duration::from_millis(20),
        ..Settings::default()
    };
    let log = Log::open(&kept.path, settings).unwrap();
    write_run(&log, 1);
    std::fs::remove_file(kept.file(FIRST)).unwrap();
    let second = kept.file("001-000002.jsonl");
    let began = std::time::Instant::now();
    while !second.exists() {
        write_run(&log, 2);
        assert!(began.elapsed().as_secs() < 30, "the log does not notice it");
    }
    write_run(&log, 3);
    log.close().unwrap();
    let report = kept.check();
    assert!(
        report
            .findings
            .iter()
            .any(|it| it.what == Fault::FilesMissing(1)),
        "{report:?}"
    );
}
