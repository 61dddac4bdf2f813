//! How long to wait before a request is sent again.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::RETRY_AFTER;

use crate::backoff::{LONGEST_PAUSE, doubled, jittered};

/// How often a request is sent in all that the server did not carry out.
const ATTEMPTS: u32 = 4;

/// The pause before the second attempt. It doubles with each further one.
const FIRST: Duration = Duration::from_millis(500);

/// Counts attempts.
#[derive(Debug, Default)]
pub(super) struct Attempts(u32);

impl Attempts {
    /// How long to wait before the next one; none where there should be none.
    pub(super) fn next(&mut self, headers: &HeaderMap) -> Option<Duration> {
        self.0 += 1;
        if self.0 >= ATTEMPTS {
            return None;
        }
        match asked_for(headers) {
            // One that wants a longer one is believed, and not waited for.
            Some(pause) => Some(pause).filter(|pause| *pause <= LONGEST_PAUSE),
            None => Some(jittered(doubled(FIRST, self.0 - 1))),
        }
    }
}

/// What the server asks for in `Retry-After`: seconds, or a date.
pub(super) fn asked_for(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = chrono::DateTime::parse_from_rfc2822(value)
        .ok()?
        .timestamp();
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()?;
    Some(Duration::from_secs(u64::try_from(at).ok()?).saturating_sub(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(value: &str) -> HeaderMap {
        HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())])
    }

    #[test]
    fn what_the_server_asks_for_is_read() {
        assert_eq!(asked_for(&headers(" 7 ")), Some(Duration::from_secs(7)));
        assert_eq!(
            asked_for(&headers("Wed, 21 Oct 2015 07:28:00 GMT")),
            Some(Duration::ZERO)
        );
        let far = asked_for(&headers("Fri, 31 Dec 9999 23:59:59 GMT")).unwrap();
        assert!(far > LONGEST_PAUSE);
        for odd in ["soon", "-1", "1e9", "99999999999999999999999"] {
            assert_eq!(asked_for(&headers(odd)), None, "{odd}");
        }
    }

    #[test]
    fn pauses_grow_and_attempts_end() {
        let mut attempts = Attempts::default();
        for most in [500, 1000, 2000] {
            let pause = attempts.next(&HeaderMap::new()).unwrap().as_millis();
            assert!((most / 2..=most).contains(&pause), "{pause}");
        }
        assert_eq!(attempts.next(&HeaderMap::new()), None);
        assert_eq!(
            Attempts::default().next(&headers("3")),
            Some(Duration::from_secs(3))
        );
        assert_eq!(Attempts::default().next(&headers("61")), None);
        assert_eq!(doubled(FIRST, u32::MAX), LONGEST_PAUSE);
    }
}
