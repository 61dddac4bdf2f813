//! Two runs at once.

use super::*;

/// What the second of two runs gets, which both began before either was merged.
fn second(place: &Fixture, first: impl Fn(&Files), second: impl Fn(&Files)) -> Result<(), String> {
    let (one, other) = (place.run(), place.run());
    first(&one);
    second(&other);
    one.merge().unwrap();
    other.merge().map(drop).map_err(|error| error.advice)
}

#[test]
fn runs_that_change_different_files_are_both_there() {
    let place = Fixture::new();
    second(
        &place,
        |run| write(run, "a", "a"),
        |run| write(run, "b", "b"),
    )
    .unwrap();
    assert_eq!(place.names(), ["a", "b"]);
}

#[test]
fn of_two_runs_that_change_the_same_file_the_later_fails_and_leaves_nothing() {
    let place = Fixture::new();
    fs::write(place.path.join("n"), "0").unwrap();
    let increment = |run: &Files| {
        let before: u32 = read(run, "n").unwrap().parse().unwrap();
        write(run, "n", &(before + 1).to_string());
        write(run, &format!("log-{before}"), "x");
    };
    let told = second(&place, increment, |run| {
        increment(run);
        write(run, "other", "lost?");
    });
    let told = told.unwrap_err();
    assert!(
        told.starts_with("`log-0`, `n` changed since this run first looked"),
        "{told}"
    );
    assert_eq!(place.names(), ["log-0", "n"]);
    assert_eq!(place.on_disk("n").unwrap(), "1");
}

#[test]
fn what_a_run_read_and_did_not_change_is_not_a_conflict() {
    let place = Fixture::new();
    fs::write(place.path.join("n"), "0").unwrap();
    let reads = |run: &Files| {
        read(run, "n").unwrap();
        write(run, "m", "m");
    };
    second(&place, |run| write(run, "n", "1"), reads).unwrap();
    assert_eq!(place.on_disk("n").unwrap(), "1");
}

#[test]
fn a_file_that_was_removed_and_a_folder_that_was_filled_are_conflicts() {
    let place = Fixture::new();
    fs::create_dir(place.path.join("d")).unwrap();
    fs::write(place.path.join("d/a"), "a").unwrap();
    let told = second(
        &place,
        |run| run.remove("d/a").unwrap(),
        |run| write(run, "d/a", "b"),
    );
    assert!(told.unwrap_err().starts_with("`d/a` changed"));
    let told = second(
        &place,
        |run| write(run, "d/b", "b"),
        |run| run.remove_folder("d").unwrap(),
    );
    assert!(told.unwrap_err().starts_with("`d` changed"));
    assert_eq!(place.on_disk("d/b").unwrap(), "b");
    let told = second(
        &place,
        |run| {
            run.remove("d/b").unwrap();
            run.remove_folder("d").unwrap();
        },
        |run| write(run, "d/new", "new"),
    );
    assert!(told.unwrap_err().starts_with("`d/new` changed"));
    assert_eq!(place.names(), [""; 0]);
}

#[test]
fn what_somebody_changed_by_hand_is_a_conflict_as_well() {
    let place = Fixture::new();
    fs::write(place.path.join("n"), "0").unwrap();
    let run = place.run();
    write(&run, "n", "1");
    fs::write(place.path.join("n"), "by hand").unwrap();
    assert!(run.merge().unwrap_err().advice.starts_with("`n` changed"));
    assert_eq!(place.on_disk("n").unwrap(), "by hand");
}

#[test]
fn many_runs_at_once_never_lose_one() {
    let place = Fixture::new();
    fs::write(place.path.join("n"), "0").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut done = 0;
                while done < 25 {
                    let run = place.run();
                    let before: u32 = read(&run, "n").unwrap().parse().unwrap();
                    write(&run, "n", &(before + 1).to_string());
                    done += u32::from(run.merge().is_ok());
                }
            });
        }
    });
    assert_eq!(place.on_disk("n").unwrap(), "100");
    assert_eq!(place.layers(), 0);
}
