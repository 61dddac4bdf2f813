//! Claims, places, and what is left of runs whose processes are gone.

use jiff::Timestamp;
use tempfile::TempDir;

use super::{at, timing};
use crate::{CatchUp, Claim, Fate, Overlap, PassReason, Schedule, Store, Tick};

const NAME: &str = "nightly";

struct Place {
    _folder: TempDir,
    store: Store,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("schedules")).unwrap();
    Place {
        _folder: folder,
        store,
    }
}

fn each_hour(missed: CatchUp, overlap: Overlap) -> Schedule {
    Schedule {
        name: NAME.to_owned(),
        timing: timing("0 * * * *", "UTC"),
        missed,
        overlap,
    }
}

fn hour(hour: u8) -> Timestamp {
    at(&format!("2026-01-01T{hour:02}:00:00Z"))
}

fn look(store: &Store, schedule: &Schedule, now: Timestamp) -> Tick {
    store.look(schedule, now, |_| Fate::Gone).unwrap()
}

/// The only claim.
fn one(tick: Tick) -> Claim {
    let [claim] = <[Claim; 1]>::try_from(tick.claims).unwrap();
    claim
}

#[test]
fn the_first_look_starts_nothing_and_names_the_next_time() {
    let Place { store, .. } = &place();
    let tick = look(store, &each_hour(CatchUp::Each, Overlap::Skip), hour(5));
    assert!(tick.claims.is_empty() && !tick.waits);
    assert_eq!(tick.next, Some(hour(6)));
}

#[test]
fn of_two_processes_one_claims_a_time() {
    let Place { store, .. } = &place();
    let other = Store::open(store.path()).unwrap();
    let schedule = each_hour(CatchUp::Once, Overlap::Start);
    look(store, &schedule, hour(0));
    let looks: Vec<_> = std::thread::scope(|scope| {
        let looks: Vec<_> = [store, &other, store, &other]
            .into_iter()
            .map(|store| scope.spawn(|| look(store, &schedule, hour(1))))
            .collect();
        looks.into_iter().map(|look| look.join().unwrap()).collect()
    });
    let claims: Vec<_> = looks.iter().flat_map(|look| &look.claims).collect();
    assert_eq!(claims.len(), 1);
    assert_eq!((claims[0].due, claims[0].number), (hour(1), 1));
}

#[test]
fn a_run_keeps_its_place_until_it_ends() {
    let Place { store, .. } = &place();
    let schedule = each_hour(CatchUp::Once, Overlap::Skip);
    look(store, &schedule, hour(0));
    let claim = one(look(store, &schedule, hour(1)));
    store.starts(NAME, claim.number, "run-1").unwrap();
    assert_eq!(store.state(NAME).unwrap().outcome(), Some("under way"));
    assert!(look(store, &schedule, hour(2)).claims.is_empty());
    let passed = store.state(NAME).unwrap().passed.unwrap();
    assert_eq!((passed.due, passed.reason), (hour(2), PassReason::Busy));
    assert!(
        store
            .begin(NAME, 1, hour(2), |_| Fate::Gone)
            .unwrap()
            .is_none()
    );
    store.ended(NAME, claim, "returned", hour(2)).unwrap();
    let state = store.state(NAME).unwrap();
    assert_eq!(state.outcome(), Some("returned"));
    assert_eq!(state.newest().unwrap().run.as_deref(), Some("run-1"));
    assert_eq!(one(look(store, &schedule, hour(3))).number, 2);
}

#[test]
fn what_waits_begins_when_the_last_run_has_ended() {
    let Place { store, .. } = &place();
    let schedule = each_hour(CatchUp::Once, Overlap::Wait);
    look(store, &schedule, hour(0));
    let claim = one(look(store, &schedule, hour(1)));
    assert!(look(store, &schedule, hour(2)).waits);
    store.ended(NAME, claim, "threw", hour(2)).unwrap();
    let tick = look(store, &schedule, hour(2));
    assert!(!tick.waits);
    assert_eq!(one(tick).due, hour(2));
}

#[test]
fn a_run_whose_process_is_gone_ends_as_its_remains_say() {
    let Place { store, .. } = &place();
    let schedule = each_hour(CatchUp::Skip, Overlap::Skip);
    let cases = [
        (Fate::Gone, "interrupted", true),
        (Fate::Ended("returned".to_owned()), "returned", true),
        (Fate::Parked, "under way", false),
        (Fate::Resumed, "under way", false),
    ];
    look(store, &schedule, hour(0));
    for (number, (fate, outcome, is_free)) in cases.into_iter().enumerate() {
        // No time of the schedule's.
        let begun = at(&format!("2026-01-01T00:0{}:00Z", number + 1));
        let claim = store
            .begin(NAME, 1, begun, |_| Fate::Gone)
            .unwrap()
            .unwrap();
        store.starts(NAME, claim.number, "run").unwrap();
        // The process dies.
        drop(claim);
        let resumed = fate == Fate::Resumed;
        let tick = store.look(&schedule, begun, |_| fate.clone()).unwrap();
        assert_eq!(store.state(NAME).unwrap().outcome(), Some(outcome));
        let runs: Vec<_> = tick
            .claims
            .iter()
            .map(|claim| claim.run.as_deref())
            .collect();
        let free = store.state(NAME).unwrap().open.is_empty();
        assert_eq!(free, is_free);
        if resumed {
            assert!(runs.contains(&Some("run")));
        }
        // Nothing is left for the next case.
        drop(tick);
        store.look(&schedule, begun, |_| Fate::Gone).unwrap();
    }
}

#[test]
fn other_times_begin_anew() {
    let Place { store, .. } = &place();
    look(store, &each_hour(CatchUp::Each, Overlap::Skip), hour(0));
    let other = Schedule {
        timing: timing("30 * * * *", "UTC"),
        ..each_hour(CatchUp::Each, Overlap::Skip)
    };
    let tick = look(store, &other, hour(9));
    assert!(tick.claims.is_empty());
    assert_eq!(tick.next, Some(at("2026-01-01T09:30:00Z")));
}

#[test]
fn times_that_nobody_was_there_for_are_reported() {
    let Place { store, .. } = &place();
    let schedule = each_hour(CatchUp::Skip, Overlap::Skip);
    look(store, &schedule, hour(0));
    let claim = one(look(store, &schedule, hour(1)));
    store.ended(NAME, claim, "returned", hour(1)).unwrap();
    assert!(
        look(store, &schedule, at("2026-01-01T04:30:00Z"))
            .claims
            .is_empty()
    );
    assert_eq!(store.state(NAME).unwrap().outcome(), Some("missed"));
}

#[test]
fn a_damaged_state_begins_anew() {
    let Place { store, .. } = &place();
    std::fs::write(store.path().join("nightly.json"), "{").unwrap();
    let schedule = each_hour(CatchUp::Once, Overlap::Skip);
    assert!(look(store, &schedule, hour(0)).claims.is_empty());
    assert_eq!(one(look(store, &schedule, hour(1))).due, hour(1));
}

#[test]
fn a_run_that_did_not_start_has_no_id() {
    let Place { store, .. } = &place();
    let schedule = each_hour(CatchUp::Once, Overlap::Skip);
    look(store, &schedule, hour(0));
    let claim = one(look(store, &schedule, hour(1)));
    store.starts(NAME, claim.number, "run-1").unwrap();
    store.not_started(NAME, claim, hour(1)).unwrap();
    let state = store.state(NAME).unwrap();
    assert_eq!(state.outcome(), Some("not started"));
    assert_eq!(state.newest().unwrap().run, None);
    assert!(state.open.is_empty());
}

#[test]
fn the_next_time_is_after_those_that_were_looked_at_before_the_clock_was_set_back() {
    let Place { store, .. } = &place();
    let schedule = each_hour(CatchUp::Once, Overlap::Skip);
    look(store, &schedule, hour(0));
    drop(look(store, &schedule, hour(5)));
    let state = store.state(NAME).unwrap();
    let back = at("2026-01-01T02:30:00Z");
    assert_eq!(state.next(&schedule.timing, back), Some(hour(6)));
    let tick = look(store, &schedule, back);
    assert_eq!((tick.claims.len(), tick.next), (0, Some(hour(6))));
    // A clock that is set back by more than a day was wrong before.
    let far = at("2025-12-30T02:30:00Z");
    let next = Some(at("2025-12-30T03:00:00Z"));
    assert_eq!(state.next(&schedule.timing, far), next);
    assert_eq!(look(store, &schedule, far).next, next);
    // Other times have nothing to do with what was looked at.
    let other = timing("30 * * * *", "UTC");
    assert_eq!(state.next(&other, back), Some(at("2026-01-01T03:30:00Z")));
}

#[test]
fn a_damaged_list_of_messages_takes_none_and_says_what_to_do() {
    let Place { store, .. } = &place();
    let file = store.path().join("slack.taken.json");
    for damaged in [
        "",
        "{",
        "{\"taken\": 1}",
        "{\"a\": \"2026-01-01T00:00:00Z\"}",
    ] {
        std::fs::write(&file, damaged).unwrap();
        let error = store.replays("slack", |_| ()).unwrap_err().to_string();
        assert!(error.contains("slack.taken.json is damaged"), "{error}");
        assert!(error.contains("remove the file"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), damaged);
    }
    std::fs::remove_file(&file).unwrap();
    store.replays("slack", |_| ()).unwrap();
    assert!(!file.exists(), "nothing has changed");
}
