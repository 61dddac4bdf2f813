//! What is due, what was missed, and what waits.

use std::collections::VecDeque;

use jiff::{SignedDuration, Timestamp};

use super::{at, timing};
use crate::plan::{Admission, admit, since};
use crate::{CatchUp, DueTimes, Overlap, due};

const RULES: [CatchUp; 3] = [CatchUp::Once, CatchUp::Each, CatchUp::Skip];

fn due_each_hour(rule: CatchUp, last: &str, now: &str) -> Option<DueTimes> {
    due(&timing("0 * * * *", "UTC"), rule, at(last), at(now))
}

#[test]
fn a_time_is_due_once_it_has_come() {
    for rule in RULES {
        let before = due_each_hour(rule, "2026-01-01T00:00:00Z", "2026-01-01T00:59:59.9Z");
        assert_eq!(before, None);
        let then = due_each_hour(rule, "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z").unwrap();
        assert_eq!(then.starts, [at("2026-01-01T01:00:00Z")]);
        assert_eq!((then.missed, then.newest), (0, at("2026-01-01T01:00:00Z")));
        let again = due_each_hour(rule, "2026-01-01T01:00:00Z", "2026-01-01T01:00:01Z");
        assert_eq!(again, None);
    }
}

#[test]
fn missed_times_have_one_run_a_run_each_or_none() {
    let of = |rule| due_each_hour(rule, "2026-01-01T00:00:00Z", "2026-01-01T03:30:00Z").unwrap();
    let three = ["01", "02", "03"].map(|hour| at(&format!("2026-01-01T{hour}:00:00Z")));
    let (once, each, skip) = (of(CatchUp::Once), of(CatchUp::Each), of(CatchUp::Skip));
    assert_eq!((once.starts, once.missed), (vec![three[2]], 2));
    assert_eq!((each.starts, each.missed), (three.to_vec(), 0));
    assert_eq!((skip.starts, skip.missed), (vec![], 3));
    assert_eq!([once.newest, each.newest, skip.newest], [three[2]; 3]);
}

#[test]
fn a_time_that_is_past_for_a_moment_was_not_missed() {
    let skip = due_each_hour(
        CatchUp::Skip,
        "2026-01-01T00:00:00Z",
        "2026-01-01T02:00:59Z",
    );
    let skip = skip.unwrap();
    assert_eq!(skip.starts, [at("2026-01-01T02:00:00Z")]);
    assert_eq!(skip.missed, 1);
}

#[test]
fn a_month_of_seconds_is_made_up_for_within_bounds() {
    let each_second = timing("* * * * * *", "UTC");
    let (last, now) = (at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
    let each = due(&each_second, CatchUp::Each, last, now).unwrap();
    assert_eq!(each.starts.len(), 100);
    assert_eq!(each.starts.last(), Some(&now));
    assert_eq!(each.newest, now);
}

#[test]
fn nothing_is_due_twice_where_the_clock_goes_back() {
    let last = at("2026-01-01T12:00:00Z");
    let hour = SignedDuration::from_hours(1);
    assert_eq!(since(Some(last), last - hour), last);
    let back = due_each_hour(
        CatchUp::Each,
        "2026-01-01T12:00:00Z",
        "2026-01-01T11:30:00Z",
    );
    assert_eq!(back, None);
    // A clock that was ahead by years would stop the schedule for years.
    let far = last - hour * 25;
    assert_eq!(since(Some(last), far), far);
    assert_eq!(since(None, last), last);
}

fn admitted(starts: usize, overlap: Overlap, room: usize, waiting: usize) -> (Admission, usize) {
    let time = |second: usize| Timestamp::from_second(second as i64).unwrap();
    let mut queue: VecDeque<_> = (0..waiting).map(time).collect();
    let starts = (waiting..waiting + starts).map(time).collect();
    let admission = admit(starts, overlap, room, &mut queue);
    (admission, queue.len())
}

#[test]
fn a_time_at_which_the_last_run_is_under_way_passes_or_waits() {
    let counts = |(admission, waiting): (Admission, usize)| {
        [admission.begin.len(), admission.passed.len(), waiting]
    };
    assert_eq!(counts(admitted(1, Overlap::Skip, 1, 0)), [1, 0, 0]);
    assert_eq!(counts(admitted(1, Overlap::Skip, 0, 0)), [0, 1, 0]);
    assert_eq!(counts(admitted(1, Overlap::Wait, 0, 0)), [0, 0, 1]);
    // One waits already.
    assert_eq!(counts(admitted(1, Overlap::Wait, 0, 1)), [0, 1, 1]);
    assert_eq!(counts(admitted(1, Overlap::Wait, 1, 1)), [1, 0, 1]);
    assert_eq!(counts(admitted(0, Overlap::Wait, 1, 1)), [1, 0, 0]);
    assert_eq!(counts(admitted(1, Overlap::Start, 15, 0)), [1, 0, 0]);
    assert_eq!(counts(admitted(1, Overlap::Start, 0, 0)), [0, 1, 0]);
    // What is made up for waits for one another.
    assert_eq!(counts(admitted(5, Overlap::Skip, 1, 0)), [1, 0, 4]);
}
