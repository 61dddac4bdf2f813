//! What one principal has used, by the rules that apply to it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::clock::Clock;
use crate::rate::Rate;
use crate::rule::{Caller, Per, Rule};

/// How many tools are distinguished by one rule of one principal; the others share a count.
const TOOLS: usize = 4_096;
/// How many counts of tools there are in all; further tools of a principal share one.
const ALL_TOOLS: usize = 50_000;

/// What is counted in a day, in the order of the totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Total {
    Calls,
    Runs,
    Fuel,
    IsolateMs,
    Bytes,
    /// Calls that were not made after all: sums only grow, so those are counted for themselves.
    NotMade,
}

/// All of them.
pub(crate) const TOTALS: [Total; 6] = [
    Total::Calls,
    Total::Runs,
    Total::Fuel,
    Total::IsolateMs,
    Total::Bytes,
    Total::NotMade,
];

impl Total {
    pub(crate) fn limit(self, rule: &Rule) -> Option<u64> {
        match self {
            Self::Calls => rule.calls_per_day,
            Self::Runs => rule.runs_per_day,
            Self::Fuel => rule.fuel_per_day,
            Self::IsolateMs => rule.isolate_time_per_day.map(millis),
            Self::Bytes => rule.bytes_per_day,
            Self::NotMade => None,
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
pub(crate) struct DayCount {
    /// Which day that is.
    pub(crate) count: u64,
    /// What is in the folder, as far as is known: of all processes.
    pub(crate) kept: Sums,
    /// What is not there yet.
    pub(crate) new: Sums,
}

impl DayCount {
    /// As of this day, or of a later one that has begun meanwhile: none comes back.
    pub(crate) fn on(&mut self, count: u64) -> &mut Self {
        if self.count < count {
            *self = Self {
                count,
                ..Self::default()
            };
        }
        self
    }

    pub(crate) fn used(&self, total: Total) -> u64 {
        let sum = |total: Total| self.kept[total as usize].saturating_add(self.new[total as usize]);
        match total {
            Total::Calls => sum(total).saturating_sub(sum(Total::NotMade)),
            total => sum(total),
        }
    }

    pub(crate) fn add(&mut self, total: Total, more: u64) {
        let new = &mut self.new[total as usize];
        *new = new.saturating_add(more);
    }

    /// One that was counted on this day did not happen. What was counted on an earlier day is gone.
    pub(crate) fn give_back(&mut self, count: u64, total: Total) {
        match total {
            _ if self.count != count => {}
            Total::Calls => self.add(Total::NotMade, 1),
            total => {
                let new = &mut self.new[total as usize];
                *new = new.saturating_sub(1);
            }
        }
    }
}

/// The rates and totals of one rule, for those who share them.
pub(crate) struct Counter {
    /// The rule's place.
    pub(crate) rule: usize,
    /// What the totals are kept under.
    pub(crate) key: String,
    pub(crate) calls_per_minute: Option<Rate>,
    pub(crate) calls_per_hour: Option<Rate>,
    pub(crate) runs_per_minute: Option<Rate>,
    pub(crate) today: Mutex<DayCount>,
}

/// How long a key of a total may be as it is written, in bytes.
const KEY_BYTES: usize = 400;

impl Counter {
    pub(crate) fn new(
        place: usize,
        rule: &Rule,
        principal: &str,
        tool: &str,
        clock: &Clock,
    ) -> Self {
        let rate = |limit: Option<u32>, seconds| {
            limit.map(|limit| Rate::new(limit, Duration::from_secs(seconds), clock))
        };
        let mut key = [&*rule.name, principal, tool].join("\n");
        // An escape takes up to six bytes.
        let written: usize = key
            .bytes()
            .map(|byte| match byte {
                0..b' ' => 6,
                b'"' | b'\\' => 2,
                _ => 1,
            })
            .sum();
        if written > KEY_BYTES {
            key = format!("{}\n#{}", rule.name, blake3::hash(key.as_bytes()).to_hex());
        }
        Self {
            rule: place,
            key,
            calls_per_minute: rate(rule.calls_per_minute, 60),
            calls_per_hour: rate(rule.calls_per_hour, 3_600),
            runs_per_minute: rate(rule.runs_per_minute, 60),
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
    Each(Mutex<ToolCounters>),
}

struct ToolCounters {
    known: HashMap<String, HashMap<String, Arc<Counter>>>,
    count: usize,
    /// How many there are of all principals.
    all: Arc<AtomicUsize>,
}

impl Drop for ToolCounters {
    fn drop(&mut self) {
        self.all.fetch_sub(self.count, Ordering::Relaxed);
    }
}

/// What the account of those is called for whom there is no room.
pub(crate) const OTHERS: &str = "(others)";

/// What one principal has used, by the rules that apply to it.
pub(crate) struct Account {
    /// Whose; none for those that share one.
    principal: Option<String>,
    counts: Vec<(usize, Counts)>,
}

/// What accounts have in common.
#[derive(Default)]
pub(crate) struct SharedCounters {
    /// The counts of rules that all share.
    pub(crate) everybody: HashMap<usize, Arc<Counter>>,
    /// How many counts of tools there are.
    tools: Arc<AtomicUsize>,
}

impl SharedCounters {
    pub(crate) fn new(everybody: HashMap<usize, Arc<Counter>>) -> Self {
        Self {
            everybody,
            ..Self::default()
        }
    }
}

impl Account {
    /// The rules that may apply to a principal; all rules, for the account of those for whom there
    /// is no room: the caller decides which of them apply.
    pub(crate) fn new(
        principal: Option<&str>,
        rules: &[Rule],
        common: &SharedCounters,
        clock: &Clock,
    ) -> Self {
        let rules = rules.iter().enumerate();
        let theirs =
            rules.filter(|(_, rule)| principal.is_none_or(|name| rule.fits_principal(name)));
        let counts = theirs.map(|(place, rule)| {
            let principal = principal.unwrap_or(OTHERS);
            let counts = match (rule.per, common.everybody.get(&place)) {
                (Per::Everybody, Some(shared)) => Counts::One(Arc::clone(shared)),
                (Per::Tool, _) => Counts::Each(Mutex::new(ToolCounters {
                    known: HashMap::new(),
                    count: 0,
                    all: Arc::clone(&common.tools),
                })),
                _ => Counts::One(Arc::new(Counter::new(place, rule, principal, "", clock))),
            };
            (place, counts)
        });
        Self {
            principal: principal.map(str::to_owned),
            counts: counts.collect(),
        }
    }

    /// The counts that a call is counted by. `known` says what is kept of one that is new.
    pub(crate) fn of_call(
        &self,
        rules: &[Rule],
        caller: &Caller<'_>,
        call: &crate::CallFacts<'_>,
        clock: &Clock,
        known: &dyn Fn(&Counter),
    ) -> Vec<Arc<Counter>> {
        let fits = |place: usize| {
            let rule = &rules[place];
            rule.fits(caller) && rule.fits_call(call.server, call.tool, call.classes)
        };
        let counts = self.counts.iter().filter(|(place, _)| fits(*place));
        let of = counts.map(|(place, counts)| match counts {
            Counts::One(counter) => Arc::clone(counter),
            Counts::Each(tools) => {
                let (place, rule) = (*place, &rules[*place]);
                let owner = self.principal.as_deref().unwrap_or(OTHERS);
                let new = |tool: &str| {
                    let counter = Counter::new(place, rule, owner, tool, clock);
                    known(&counter);
                    Arc::new(counter)
                };
                tools.lock().of(call.server, call.tool, &new)
            }
        });
        of.collect()
    }

    /// The counts that this principal's runs are counted by.
    pub(crate) fn of_runs<'a>(
        &'a self,
        rules: &'a [Rule],
        caller: &'a Caller<'_>,
    ) -> impl Iterator<Item = &'a Arc<Counter>> {
        self.counts
            .iter()
            .filter_map(move |(place, counts)| match counts {
                Counts::One(counter) if rules[*place].fits(caller) => Some(counter),
                _ => None,
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

impl ToolCounters {
    fn of(&mut self, server: &str, tool: &str, new: &dyn Fn(&str) -> Arc<Counter>) -> Arc<Counter> {
        let found = |tools: &Self, server: &str, tool: &str| {
            let tools = tools.known.get(server)?;
            tools.get(tool).cloned()
        };
        if let Some(known) = found(self, server, tool) {
            return known;
        }
        let is_room = self.count < TOOLS && self.all.load(Ordering::Relaxed) < ALL_TOOLS;
        let (server, tool) = match is_room {
            true => (server, tool),
            false => ("", ""),
        };
        if let Some(known) = found(self, server, tool) {
            return known;
        }
        let counter = new(&format!("{server}.{tool}"));
        self.count += 1;
        self.all.fetch_add(1, Ordering::Relaxed);
        let tools = self.known.entry(server.to_owned()).or_default();
        tools.insert(tool.to_owned(), Arc::clone(&counter));
        counter
    }
}
