//! What is counted by principal, as far as there is room.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_untrusted::text;
use parking_lot::Mutex;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

/// How many principals are told apart: each is a series for as long as the process lasts.
const MOST: usize = 100;
/// How much of a name is shown, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// What stands for all others.
const OTHER: &str = "other";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct OfPrincipal {
    principal: Arc<str>,
}

type Counted = Family<OfPrincipal, Counter>;

/// The first principals that there were, each with what was counted.
pub(crate) struct Principals {
    runs: Counted,
    fuel: Counted,
    known: Mutex<HashMap<Arc<str>, Counters>>,
}

#[derive(Clone)]
struct Counters {
    runs: Counter,
    fuel: Counter,
}

impl Principals {
    pub(crate) fn new(runs: Counted, fuel: Counted) -> Self {
        Self {
            runs,
            fuel,
            known: Mutex::default(),
        }
    }

    pub(crate) fn count(&self, principal: &str, fuel: u64) {
        let of = self.of(principal);
        of.runs.inc();
        of.fuel.inc_by(fuel);
    }

    fn of(&self, principal: &str) -> Counters {
        let mut known = self.known.lock();
        if let Some(of) = known.get(principal) {
            return of.clone();
        }
        if known.len() >= MOST {
            return self.counters(OTHER.into());
        }
        let shown = text::one_line(&principal[..principal.floor_char_boundary(MAX_NAME_BYTES)]);
        let of = self.counters(Arc::from(&*shown));
        // Names that differ beyond what is shown are counted as one.
        known.insert(principal.into(), of.clone());
        of
    }

    fn counters(&self, principal: Arc<str>) -> Counters {
        let of = OfPrincipal { principal };
        Counters {
            runs: self.runs.get_or_create_owned(&of),
            fuel: self.fuel.get_or_create_owned(&of),
        }
    }
}
