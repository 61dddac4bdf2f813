//! Times as texts.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The year 9999, in milliseconds since 1970: no calendar has a later one.
const LAST: u64 = 253_370_764_800_000;

/// A time in RFC 3339, to the millisecond.
pub(crate) fn text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    of_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The same of milliseconds since 1970.
pub(crate) fn of_millis(millis: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(millis.min(LAST));
    humantime::format_rfc3339_millis(time).to_string()
}

/// The same of seconds since 1970.
pub(crate) fn of_seconds(seconds: u64) -> String {
    of_millis(seconds.saturating_mul(1000))
}
