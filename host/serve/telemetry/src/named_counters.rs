//! What is counted by names that others choose, of principals and of clients, as far as there is
//! room.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_untrusted::text;
use parking_lot::Mutex;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

/// How many names are told apart: each is a series for as long as the process lasts.
const MOST: usize = 100;
/// How much of a name is shown, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// What stands for all others.
const OTHER: &str = "other";

/// Counted by one label.
pub(crate) type LabelledCounter = Family<[(&'static str, Arc<str>); 1], Counter>;

/// The first names that there were, each with what was counted.
pub(crate) struct NamedCounters {
    /// Whose names they are: the label.
    label: &'static str,
    runs: LabelledCounter,
    fuel: LabelledCounter,
    known: Mutex<HashMap<Arc<str>, Counters>>,
}

#[derive(Clone)]
struct Counters {
    runs: Counter,
    fuel: Counter,
}

impl NamedCounters {
    pub(crate) fn new(label: &'static str, runs: LabelledCounter, fuel: LabelledCounter) -> Self {
        Self {
            label,
            runs,
            fuel,
            known: Mutex::default(),
        }
    }

    pub(crate) fn count(&self, name: &str, fuel: u64) {
        let of = self.of(name);
        of.runs.inc();
        of.fuel.inc_by(fuel);
    }

    fn of(&self, name: &str) -> Counters {
        let mut known = self.known.lock();
        if let Some(of) = known.get(name) {
            return of.clone();
        }
        if known.len() >= MOST {
            return self.counters(OTHER.into());
        }
        let shown = text::one_line(&name[..name.floor_char_boundary(MAX_NAME_BYTES)]);
        let of = self.counters(Arc::from(&*shown));
        // Names that differ beyond what is shown are counted as one.
        known.insert(name.into(), of.clone());
        of
    }

    fn counters(&self, name: Arc<str>) -> Counters {
        let of = [(self.label, name)];
        Counters {
            runs: self.runs.get_or_create_owned(&of),
            fuel: self.fuel.get_or_create_owned(&of),
        }
    }
}
