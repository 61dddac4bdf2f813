//! What happens when clocks go forward and back.

use super::{times, timing};

/// In Berlin, clocks went from 02:00 to 03:00 on 29 March 2026, at 01:00 UTC.
const FORWARD: [&str; 2] = ["2026-03-28T12:00:00Z", "2026-03-30T12:00:00Z"];
/// There, they went from 03:00 to 02:00 on 25 October 2026, at 01:00 UTC.
const BACK: [&str; 2] = ["2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z"];

fn in_berlin(cron: &str, [after, until]: [&str; 2]) -> Vec<String> {
    times(&timing(cron, "Europe/Berlin"), after, until)
}

#[test]
fn a_time_of_day_that_clocks_skip_comes_right_after_the_gap() {
    assert_eq!(
        in_berlin("30 2 * * *", FORWARD),
        ["2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z"]
    );
}

#[test]
fn a_time_of_day_that_comes_twice_has_one_run_at_the_first() {
    assert_eq!(
        in_berlin("30 2 * * *", BACK),
        ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]
    );
}

#[test]
fn other_times_of_these_days_are_as_the_clock_on_the_wall_says() {
    assert_eq!(
        in_berlin("0 9 * * *", FORWARD),
        ["2026-03-29T07:00:00Z", "2026-03-30T07:00:00Z"]
    );
    assert_eq!(
        in_berlin("0 9 * * *", BACK),
        ["2026-10-25T08:00:00Z", "2026-10-26T08:00:00Z"]
    );
}

#[test]
fn an_interval_goes_on_through_the_change() {
    let around = |day: &str| [format!("{day}T00:00:00Z"), format!("{day}T02:00:00Z")];
    for day in ["2026-03-29", "2026-10-25"] {
        let [after, until] = around(day);
        let every = in_berlin("*/30 * * * *", [&after, &until]);
        let expected = ["00:30", "01:00", "01:30", "02:00"];
        let expected = expected.map(|time| format!("{day}T{time}:00Z"));
        assert_eq!(every, expected, "{day}");
    }
}

#[test]
fn in_utc_there_are_no_changes() {
    let utc = timing("30 2 * * *", "UTC");
    assert_eq!(
        times(&utc, FORWARD[0], FORWARD[1]),
        ["2026-03-29T02:30:00Z", "2026-03-30T02:30:00Z"]
    );
}

#[test]
fn seconds_come_first_where_there_are_six_fields() {
    let often = timing("*/20 0 12 * * *", "UTC");
    assert_eq!(
        times(&often, "2026-01-01T00:00:00Z", "2026-01-01T23:00:00Z"),
        [
            "2026-01-01T12:00:00Z",
            "2026-01-01T12:00:20Z",
            "2026-01-01T12:00:40Z"
        ]
    );
}

#[test]
fn a_leap_day_comes_every_fourth_year() {
    let leap = timing("0 0 29 2 *", "Pacific/Auckland");
    assert_eq!(
        times(&leap, "2026-01-01T00:00:00Z", "2033-01-01T00:00:00Z"),
        ["2028-02-28T11:00:00Z", "2032-02-28T11:00:00Z"]
    );
}
