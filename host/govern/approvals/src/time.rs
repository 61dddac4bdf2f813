//! Times, as files have them: seconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How far a clock may have gone back before what it said earlier counts no more, in seconds.
pub(crate) const SLACK: u64 = 300;

/// Now, in seconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// As people write it: `2026-11-24T02:12:08Z`.
pub(crate) fn shown(seconds: u64) -> String {
    // The last second that the format has.
    let seconds = seconds.min(253_402_300_799);
    let at = UNIX_EPOCH + Duration::from_secs(seconds);
    humantime::format_rfc3339_seconds(at).to_string()
}
