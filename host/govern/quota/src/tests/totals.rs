//! Totals in a folder, which outlive processes and are shared by them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::*;

#[test]
fn totals_outlive_the_process_and_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![calls_per_day(10).called("day")];
    let first = shared(rules(), folder.path(), &clock);
    for _ in 0..4 {
        assert!(calls(&first, "ada", &SEND));
    }
    drop(first);
    let second = shared(rules(), folder.path(), &clock);
    let third = shared(rules(), folder.path(), &clock);
    for _ in 0..3 {
        assert!(calls(&second, "ada", &SEND));
    }
    assert!(calls(&third, "ada", &SEND));
    second.exchange().unwrap();
    third.exchange().unwrap();
    assert_eq!(many(&third, "ada"), 2);
    third.exchange().unwrap();
    second.exchange().unwrap();
    assert_eq!(many(&second, "ada"), 0);
    // Totals of tools come back, too, and the next day is a new one for all.
    clock.pass(Duration::from_hours(24));
    assert_eq!(many(&second, "ada"), 10);
    second.exchange().unwrap();
    third.exchange().unwrap();
    assert_eq!(many(&third, "ada"), 0);
}

#[test]
fn many_threads_and_processes_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let per_tool = Rule {
        per: Per::Tool,
        ..calls_per_day(1_000_000).called("tools")
    };
    let rules = || vec![per_tool.clone(), calls_per_day(500).called("day")];
    let made = AtomicUsize::new(0);
    let processes: Vec<_> = (0..2)
        .map(|_| shared(rules(), folder.path(), &clock))
        .collect();
    thread::scope(|threads| {
        for quotas in &processes {
            for _ in 0..2 {
                threads.spawn(|| {
                    for at in 0..100 {
                        if calls(quotas, "ada", &SEND) {
                            made.fetch_add(1, Ordering::Relaxed);
                        }
                        if at % 10 == 0 {
                            quotas.exchange().unwrap();
                        }
                    }
                });
            }
        }
    });
    drop(processes);
    let made = made.into_inner();
    assert_eq!(made, 400);
    let next = shared(rules(), folder.path(), &clock);
    assert_eq!(many(&next, "ada"), 100);
    let tools = next.left(&of("ada"), Some(&SEND));
    let tools = tools.iter().find(|left| left.quota == "tools").unwrap();
    assert_eq!(tools.left, 1_000_000 - 500);
}

#[test]
fn a_clock_that_goes_back_gives_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let rules = || vec![calls_per_day(3).called("day")];
    let first = shared(rules(), folder.path(), &clock);
    assert_eq!(many(&first, "ada"), 3);
    clock.set(-3 * 86_400);
    assert!(!calls(&first, "ada", &SEND));
    first.exchange().unwrap();
    assert!(!calls(&first, "ada", &SEND));
    let second = shared(rules(), folder.path(), &clock);
    assert!(!calls(&second, "ada", &SEND), "nor to the next process");
    // A clock that was ahead keeps nobody waiting for longer than a day.
    let after = first
        .try_call(&of("ada"), &SEND)
        .unwrap_err()
        .after
        .unwrap();
    assert!(after <= Duration::from_hours(24));
    clock.pass(Duration::from_hours(24));
    assert!(calls(&first, "ada", &SEND));
    first.exchange().unwrap();
    second.exchange().unwrap();
    assert_eq!(many(&second, "ada"), 2);
    second.exchange().unwrap();
    first.exchange().unwrap();
    assert_eq!(many(&first, "ada"), 0);
}

#[test]
fn a_file_that_somebody_changes_gives_a_process_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Clock::new();
    let quotas = shared(vec![calls_per_day(3).called("day")], folder.path(), &clock);
    assert_eq!(many(&quotas, "ada"), 3);
    quotas.exchange().unwrap();
    let file = folder.path().join("quotas/totals");
    let right = fs::read(&file).unwrap();
    let mut changed = right.clone();
    *changed.last_mut().unwrap() ^= 1;
    for content in [&b""[..], b"{}", &changed, &right[..80]] {
        fs::write(&file, content).unwrap();
        quotas.exchange().unwrap();
        assert!(!calls(&quotas, "ada", &SEND));
        assert_eq!(
            fs::read(&file).unwrap(),
            right,
            "what is known is written again"
        );
    }
    fs::remove_file(&file).unwrap();
    quotas.exchange().unwrap();
    assert_eq!(fs::read(&file).unwrap(), right);
}

#[test]
fn a_process_does_not_begin_with_totals_that_somebody_changed() {
    let folder = tempfile::tempdir().unwrap();
    let rules = || vec![calls_per_day(3).called("day")];
    let path = folder.path().join("quotas");
    let quotas = Quotas::new(rules(), Some(&path)).unwrap();
    assert!(calls(&quotas, "ada", &SEND));
    drop(quotas);
    let file = path.join("totals");
    let right = fs::read(&file).unwrap();
    for at in (0..right.len()).step_by(7) {
        let mut changed = right.clone();
        changed[at] ^= 1;
        fs::write(&file, changed).unwrap();
        let refused = Quotas::new(rules(), Some(&path)).unwrap_err().to_string();
        assert!(
            refused.contains("remove the file to restart today's count"),
            "{refused}"
        );
    }
    fs::write(&file, &right).unwrap();
    assert_eq!(many(&Quotas::new(rules(), Some(&path)).unwrap(), "ada"), 2);
    fs::remove_file(&file).unwrap();
    assert_eq!(many(&Quotas::new(rules(), Some(&path)).unwrap(), "ada"), 3);
}
