//! Schedules and hooks: what is read, and what is said of what is wrong.

use super::super::{MissedRule, OverlapRule, SignatureEncoding};
use super::*;

const SCHEDULE: &str = "[schedules.nightly]\ncron = '0 3 * * *'\nscript = 'nightly.ts'\n";
const HOOK: &str = "[hooks.github]\nsecret = '0123456789abcdef'\nscript = 'hook.ts'\n";

#[test]
fn a_schedule_has_a_time_and_a_script_and_the_rest_has_defaults() {
    let config = parse(SCHEDULE).unwrap();
    let (name, schedule) = config.schedules.first_key_value().unwrap();
    assert_eq!(
        (name.as_str(), schedule.cron.as_str()),
        ("nightly", "0 3 * * *")
    );
    assert_eq!(schedule.time_zone.iana_name(), Some("UTC"));
    assert!(schedule.script.as_ref().unwrap().ends_with("nightly.ts"));
    assert_eq!(
        (schedule.missed, schedule.overlap),
        (MissedRule::Once, OverlapRule::Skip)
    );
    assert!(schedule.tools.is_empty() && schedule.principal.is_none());
}

#[test]
fn a_time_may_have_a_name_or_seconds() {
    for cron in ["@daily", "*/10 * * * * *", "0 9 * * MON-FRI", "0 0 L * *"] {
        parse(&SCHEDULE.replace("0 3 * * *", cron)).unwrap();
    }
}

#[test]
fn a_hook_is_signed_as_github_signs_where_nothing_else_is_said() {
    let config = parse(HOOK).unwrap();
    let hook = config.hooks.values().next().unwrap();
    assert_eq!(
        (&*hook.header, &*hook.prefix, &*hook.signed),
        ("X-Hub-Signature-256", "sha256=", "{body}")
    );
    assert_eq!(hook.encoding, SignatureEncoding::Hex);
    assert!(!format!("{hook:?}").contains("0123456789abcdef"));
}

#[test]
fn what_is_wrong_with_a_schedule_or_hook_says_what_to_do() {
    let schedule = |more: &str| format!("{SCHEDULE}{more}");
    let hook = |more: &str| format!("{HOOK}{more}");
    let cases = [
        (
            SCHEDULE.replace("0 3 * * *", "soon"),
            "not a cron expression",
        ),
        (
            SCHEDULE.replace("0 3 * * *", "0 0 30 2 *"),
            "no calendar has such a time",
        ),
        (
            SCHEDULE.replace("0 3 * * *", "0 0 3 * * * 2030"),
            "not a cron expression",
        ),
        (
            SCHEDULE.replace("0 3 * * *", "0 0 3 * * * *"),
            "not a cron expression",
        ),
        (
            schedule("time-zone = 'Berlin'"),
            "not the name of a time zone",
        ),
        (schedule("skill = 'report'"), "two ways to say what runs"),
        (
            schedule("function = 'f'"),
            "`function` belongs to a `skill`",
        ),
        (
            SCHEDULE.replace("script = 'nightly.ts'", ""),
            "it runs nothing",
        ),
        (SCHEDULE.replace("script", "skill"), "`function` is missing"),
        (schedule("toolkit = 'x'"), "unknown toolkit"),
        (
            schedule("tools = ['a']\ntoolkit = 'x'"),
            "two ways to say what it may call",
        ),
        (
            schedule("limits = { calls = 100_000_000 }"),
            "above the ceiling",
        ),
        (SCHEDULE.replace("nightly]", "'a/b']"), "letters, digits"),
        (
            HOOK.replace("0123456789abcdef", "short"),
            "at least 16 bytes",
        ),
        (hook("signed = '{timestamp}'"), "the body is signed"),
        (
            hook("signed = '{timestamp}.{body}'"),
            "`timestamp-header` is missing",
        ),
        (
            hook("timestamp-header = 'T'"),
            "a time that is not signed proves nothing",
        ),
        (
            hook("timestamp-header = 'T'\nsigned = '{timestamp}{body}'"),
            "a sign must stand between",
        ),
        (hook("tolerance = '1m'"), "this needs `timestamp-header`"),
        (hook("id-header = 'I'"), "write `{id}` in `signed`"),
        (hook("body = '1GiB'"), "at most `25MiB`"),
        (hook("at-once = 1_000"), "at most 64"),
        (hook("header = 'a b'"), "not the name of a header"),
        (
            hook("headers = ['X-GitHub-Event', 'X-GitHub Event']"),
            "not the name of a header",
        ),
    ];
    for (text, said) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(said), "{text}\n{error}");
    }
}
