//! What one principal has used, by the rules that apply to it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::rate::Rate;
use crate::rule::{Limits, Per, Rule};

/// How many tools are told apart by one rule of one principal; the others share a count.
const TOOLS: usize = 4_096;

/// What is counted in a day, in the order of the totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Total {
    Calls,
    Runs,
    Fuel,
    IsolateMs,
    Bytes,
}

/// All of them.
pub(crate) const TOTALS: [Total; 5] = [
    Total::Calls,
    Total::Runs,
    Total::Fuel,
    Total::IsolateMs,
    Total::Bytes,
];

impl Total {
    pub(crate) fn limit(self, limits: &Limits) -> Option<u64> {
        match self {
            Self::Calls => limits.calls_per_day,
            Self::Runs => limits.runs_per_day,
            Self::Fuel => limits.fuel_per_day,
            Self::IsolateMs => limits.isolate_time_per_day.map(millis),
            Self::Bytes => limits.bytes_per_day,
        }
    }
}

pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What was used in a day, of each [`Total`].
pub(crate) type Sums = [u64; TOTALS.len()];

/// What was used today.
#[derive(Debug, Default)]
pub(crate) struct Today {
    /// Which day that is.
    pub(crate) count: u64,
    /// What is in the folder, as far as is known: of all processes.
    pub(crate) kept: Sums,
    /// What is not there yet.
    pub(crate) new: Sums,
}

impl Today {
    /// As of this day.
    pub(crate) fn on(&mut self, count: u64) -> &mut Self {
        if self.count != count {
            *self = Self {
                count,
                ..Self::default()
            };
        }
        self
    }

    pub(crate) fn used(&self, total: Total) -> u64 {
        self.kept[total as usize].saturating_add(self.new[total as usize])
    }

    pub(crate) fn add(&mut self, total: Total, more: u64) {
        let new = &mut self.new[total as usize];
        *new = new.saturating_add(more);
    }

    pub(crate) fn give_back(&mut self, total: Total, less: u64) {
        let new = &mut self.new[total as usize];
        *new = new.saturating_sub(less);
    }
}

/// The rates and totals of one rule, for whoever shares them.
pub(crate) struct Counter {
    /// The rule's place.
    pub(crate) rule: usize,
    /// What the totals are kept under.
    pub(crate) key: String,
    pub(crate) calls_per_minute: Option<Rate>,
    pub(crate) calls_per_hour: Option<Rate>,
    pub(crate) runs_per_minute: Option<Rate>,
    pub(crate) today: Mutex<Today>,
}

/// How long a key of a total may be, in bytes.
const KEY_BYTES: usize = 400;

impl Counter {
    pub(crate) fn new(
        (place, rule): (usize, &Rule),
        (principal, tool): (&str, &str),
        clock: &Clock,
    ) -> Self {
        let rate = |limit: Option<u32>, seconds| {
            limit.map(|limit| Rate::new(limit, Duration::from_secs(seconds), clock))
        };
        let mut key = [&*rule.name, principal, tool].join("\n");
        if key.len() > KEY_BYTES {
            key = format!("{}\n#{}", rule.name, blake3::hash(key.as_bytes()).to_hex());
        }
        Self {
            rule: place,
            key,
            calls_per_minute: rate(rule.limits.calls_per_minute, 60),
            calls_per_hour: rate(rule.limits.calls_per_hour, 3_600),
            runs_per_minute: rate(rule.limits.runs_per_minute, 60),
            today: Mutex::default(),
        }
    }

    /// Whether nothing is lost where this is forgotten: the rates are whole, the totals kept.
    pub(crate) fn is_idle(&self) -> bool {
        let rates = [
            &self.calls_per_minute,
            &self.calls_per_hour,
            &self.runs_per_minute,
        ];
        let whole = rates
            .into_iter()
            .flatten()
            .all(|rate| rate.left().1.is_zero());
        whole && self.today.lock().new == Sums::default()
    }
}

/// The counts of one rule, for one principal.
enum Counts {
    One(Arc<Counter>),
    /// By server and tool.
    Each(Mutex<Tools>),
}

#[derive(Default)]
struct Tools {
    known: HashMap<String, HashMap<String, Arc<Counter>>>,
    count: usize,
}

/// What one principal has used, by the rules that apply to it.
pub(crate) struct Account {
    principal: String,
    counts: Vec<(usize, Counts)>,
}

impl Account {
    /// The rules that apply to a principal; `shared` are the counts of those that all share.
    pub(crate) fn new(
        principal: &str,
        rules: &[Rule],
        shared: &HashMap<usize, Arc<Counter>>,
        clock: &Clock,
    ) -> Self {
        let rules = rules.iter().enumerate();
        let theirs = rules.filter(|(_, rule)| rule.principal.fits(principal));
        let counts = theirs.map(|(place, rule)| {
            let counts = match (rule.per, shared.get(&place)) {
                (Per::Everybody, Some(shared)) => Counts::One(Arc::clone(shared)),
                (Per::Tool, _) => Counts::Each(Mutex::default()),
                _ => Counts::One(Arc::new(Counter::new(
                    (place, rule),
                    (principal, ""),
                    clock,
                ))),
            };
            (place, counts)
        });
        Self {
            principal: principal.to_owned(),
            counts: counts.collect(),
        }
    }

    /// The counts that a call is counted by. `known` says what is kept of one that is new.
    pub(crate) fn of_call(
        &self,
        rules: &[Rule],
        call: &crate::CallOf<'_>,
        clock: &Clock,
        known: &dyn Fn(&Counter),
    ) -> Vec<Arc<Counter>> {
        let fits = |place: usize| rules[place].fits_call(call.server, call.tool, call.classes);
        let counts = self.counts.iter().filter(|(place, _)| fits(*place));
        let of = counts.map(|(place, counts)| match counts {
            Counts::One(counter) => Arc::clone(counter),
            Counts::Each(tools) => {
                let rule = (*place, &rules[*place]);
                let new = |tool: &str| {
                    let counter = Counter::new(rule, (&self.principal, tool), clock);
                    known(&counter);
                    Arc::new(counter)
                };
                tools.lock().of(call.server, call.tool, &new)
            }
        });
        of.collect()
    }

    /// The counts that runs are counted by.
    pub(crate) fn of_runs(&self) -> impl Iterator<Item = &Arc<Counter>> {
        self.counts.iter().filter_map(|(_, counts)| match counts {
            Counts::One(counter) => Some(counter),
            Counts::Each(_) => None,
        })
    }

    /// All of its counts.
    pub(crate) fn all(&self) -> Vec<Arc<Counter>> {
        let mut all = Vec::new();
        for (_, counts) in &self.counts {
            match counts {
                Counts::One(counter) => all.push(Arc::clone(counter)),
                Counts::Each(tools) => {
                    let tools = tools.lock();
                    all.extend(tools.known.values().flat_map(HashMap::values).cloned());
                }
            }
        }
        all
    }
}

impl Tools {
    fn of(&mut self, server: &str, tool: &str, new: &dyn Fn(&str) -> Arc<Counter>) -> Arc<Counter> {
        let found = |tools: &Self, server: &str, tool: &str| {
            let tools = tools.known.get(server)?;
            tools.get(tool).cloned()
        };
        if let Some(known) = found(self, server, tool) {
            return known;
        }
        let (server, tool) = match self.count < TOOLS {
            true => (server, tool),
            false => ("", ""),
        };
        if let Some(known) = found(self, server, tool) {
            return known;
        }
        let counter = new(&format!("{server}.{tool}"));
        self.count += 1;
        let tools = self.known.entry(server.to_owned()).or_default();
        tools.insert(tool.to_owned(), Arc::clone(&counter));
        counter
    }
}
