//! How long a list holds, and for whom: `ttlMs` and `cacheScope`, which servers send with lists
//! since 2026-07-28.

use std::time::Duration;

use serde_json::value::RawValue;

/// The longest that is believed, in milliseconds: a year, which can be added to a clock's time.
const LONGEST_MS: f64 = 365.0 * 24.0 * 3600.0 * 1000.0;

/// A list whose server promises nothing is old at once, and may be asked for each time. It is asked
/// for no more often than this, for most of these lists never change: zero is what servers' SDKs
/// say where nobody said anything.
const UNPROMISED: Duration = Duration::from_secs(5);

/// What a server says of its list. Of several pages, the least holds for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Freshness {
    /// How long the list may be used; none where the server does not say, as servers did not
    /// before.
    pub(super) ttl: Option<Duration>,
    /// Whether it is for who asked alone.
    pub(super) is_private: bool,
}

impl Freshness {
    /// Adds what a page says.
    pub(super) fn add(&mut self, ttl_ms: Option<&RawValue>, scope: Option<&RawValue>) {
        let ms = ttl_ms.and_then(|ms| serde_json::from_str::<f64>(ms.get()).ok());
        let ttl = ms.map(|ms| Duration::from_secs_f64(ms.clamp(0.0, LONGEST_MS) / 1000.0));
        self.ttl = [self.ttl, ttl].into_iter().flatten().min();
        // What is not a word that we know may mean anything.
        self.is_private |= scope.is_some_and(|scope| scope.get() != r#""public""#);
    }

    /// How long the list need not be asked for again, if not for as long as it is not known to have
    /// changed. The server may report that, or not.
    pub(super) fn lasts(&self, tells_of_changes: bool) -> Option<Duration> {
        match self.ttl? {
            Duration::ZERO if tells_of_changes => None,
            Duration::ZERO => Some(UNPROMISED),
            ttl => Some(ttl),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(pages: &[(&str, &str)]) -> Freshness {
        let mut said = Freshness::default();
        for (ttl, scope) in pages {
            let raw = |text: &str| RawValue::from_string(text.to_owned()).ok();
            said.add(raw(ttl).as_deref(), raw(scope).as_deref());
        }
        said
    }

    #[test]
    fn the_shortest_time_of_all_pages_holds_and_one_that_is_private_makes_all_so() {
        let ms = |ms| Some(Duration::from_millis(ms));
        let (public, private) = (r#""public""#, r#""private""#);
        let cases = [
            (&[][..], (None, false)),
            (&[("", "")], (None, false)),
            (&[("1500", public)], (ms(1500), false)),
            (&[("1500", public), ("20", public)], (ms(20), false)),
            (&[("20", private), ("", public)], (ms(20), true)),
            (&[("-7", r#""shared""#)], (ms(0), true)),
            (&[(r#""soon""#, "7")], (None, true)),
            (&[("1e300", public)], (ms(LONGEST_MS as u64), false)),
        ];
        for (pages, (ttl, is_private)) in cases {
            assert_eq!(said(pages), Freshness { ttl, is_private }, "{pages:?}");
        }
    }

    #[test]
    fn a_list_without_a_promise_is_asked_for_now_and_then_unless_its_server_tells_of_changes() {
        let of = |ttl: &str| said(&[(ttl, "")]);
        for (ttl, tells, lasts) in [
            ("", true, None),
            ("", false, None),
            ("0", true, None),
            ("0", false, Some(5000)),
            ("1", true, Some(1)),
            ("1", false, Some(1)),
        ] {
            let lasts = lasts.map(Duration::from_millis);
            assert_eq!(of(ttl).lasts(tells), lasts, "{ttl} {tells}");
        }
    }
}
