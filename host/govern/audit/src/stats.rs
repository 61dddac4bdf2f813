//! Events, counted: by tool, principal, script and day.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::SystemTime;

use serde::Serialize;

use crate::entry::Entry;
use crate::event::Event;
use crate::latency::Latency;
use crate::outcome::{CallOutcome, Verdict};

/// How many rows a table has. What else there is, is summed up in one.
const MOST_ROWS: usize = 1000;
/// How many more are counted before the smallest are summed up.
const MORE_ROWS: usize = 8 * MOST_ROWS;
/// How many runs at once are watched for retries, and how many of each one's calls.
const MOST_RUNS: usize = 1024;
const MOST_CALLS: usize = 256;

/// What was counted of something.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Row {
    /// Runs that ended.
    pub runs: u64,
    /// Of these, those that did not return.
    pub failures: u64,
    /// Calls that ended.
    pub calls: u64,
    /// Of these, those that have no answer, or a failure for one.
    pub failed_calls: u64,
    /// Calls that were denied.
    pub denied: u64,
    /// Calls that were made again after they had failed, with the same arguments.
    pub retries: u64,
    /// The bytes of answers.
    pub bytes: u64,
    /// The tokens that runs cost.
    pub tokens: u64,
    /// The tokens that the same calls would have cost, made directly.
    pub direct_tokens: u64,
    /// The fuel of runs.
    pub fuel: u64,
    /// The time of runs; of a tool, that of its calls; in microseconds.
    pub took_us: u64,
    /// How long one run took; of a tool, one call.
    pub latency: Latency,
    /// The last time, in seconds since 1970.
    pub last: u64,
}

impl Row {
    /// How often something happened.
    fn count(&self) -> u64 {
        self.runs.max(self.calls.saturating_add(self.denied))
    }

    fn add(&mut self, other: &Self) {
        self.runs = self.runs.saturating_add(other.runs);
        self.failures = self.failures.saturating_add(other.failures);
        self.calls = self.calls.saturating_add(other.calls);
        self.failed_calls = self.failed_calls.saturating_add(other.failed_calls);
        self.denied = self.denied.saturating_add(other.denied);
        self.retries = self.retries.saturating_add(other.retries);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.direct_tokens = self.direct_tokens.saturating_add(other.direct_tokens);
        self.fuel = self.fuel.saturating_add(other.fuel);
        self.took_us = self.took_us.saturating_add(other.took_us);
        self.latency.add(&other.latency);
        self.last = self.last.max(other.last);
    }
}

/// Rows by name. It does not grow with what it counts: where there are too many, the smallest are
/// summed up, and what of them comes later begins anew.
#[derive(Debug, Clone, Default)]
pub struct Rows {
    rows: HashMap<String, Row>,
    rest: Row,
    left_out: u64,
}

impl Rows {
    fn add(&mut self, name: &str, row: &Row) {
        let name = shortened(name);
        if let Some(there) = self.rows.get_mut(name) {
            return there.add(row);
        }
        if self.rows.len() >= MORE_ROWS {
            self.sum_up();
        }
        self.rows.insert(name.to_owned(), row.clone());
    }

    fn sum_up(&mut self) {
        let mut rows: Vec<(String, Row)> = self.rows.drain().collect();
        rows.sort_unstable_by_key(|(_, row)| std::cmp::Reverse(row.count()));
        for (_, row) in rows.drain(MORE_ROWS / 2..) {
            self.left_out += 1;
            self.rest.add(&row);
        }
        self.rows.extend(rows);
    }

    /// The row of this name; of names that are long, the beginning counts.
    pub fn get(&self, name: &str) -> Option<&Row> {
        self.rows.get(shortened(name))
    }

    /// A thousand at most, the largest first.
    pub fn top(&self) -> Vec<(&str, &Row)> {
        let mut rows: Vec<(&str, &Row)> =
            self.rows.iter().map(|(name, row)| (&**name, row)).collect();
        rows.sort_unstable_by_key(|(name, row)| (std::cmp::Reverse(row.count()), *name));
        rows.truncate(MOST_ROWS);
        rows
    }

    /// All others, summed up, and how many there are at least.
    pub fn rest(&self) -> (Row, u64) {
        let mut rest = self.rest.clone();
        let top: HashSet<&str> = self.top().iter().map(|(name, _)| *name).collect();
        let mut count = self.left_out;
        for (name, row) in &self.rows {
            if !top.contains(&**name) {
                rest.add(row);
                count += 1;
            }
        }
        (rest, count)
    }
}

/// What was counted.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Everything.
    pub all: Row,
    /// By `server.tool`.
    pub tools: Rows,
    /// By principal; the local user is `local`.
    pub principals: Rows,
    /// By the digest of the script.
    pub scripts: Rows,
    /// By day, as `2026-11-24`, in UTC.
    pub days: Rows,
    /// Runs that hit a limit, by its name.
    pub limits: Rows,
    /// When the first and the last of the events were.
    pub span: Option<(SystemTime, SystemTime)>,
    /// How many events were lost, as they could not be written.
    pub lost: u64,
    recent: Recent,
}

impl Stats {
    /// Counts events.
    pub fn of(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut stats = Self::default();
        entries.into_iter().for_each(|entry| stats.add(&entry));
        stats
    }

    /// Counts one more.
    pub fn add(&mut self, entry: &Entry) {
        self.span = Some(match self.span {
            Some((first, last)) => (first.min(entry.at), last.max(entry.at)),
            None => (entry.at, entry.at),
        });
        let since = entry.at.duration_since(SystemTime::UNIX_EPOCH);
        let mut row = Row {
            last: since.unwrap_or_default().as_secs(),
            ..Row::default()
        };
        match &entry.event {
            Some(Event::RunEnded(it)) => {
                row.runs = 1;
                row.failures = u64::from(&*it.outcome != "returned");
                row.fuel = it.fuel;
                row.took_us = it.took_us;
                row.latency = Latency::of(it.took_us);
                row.bytes = it.bytes;
                row.tokens = it.tokens.unwrap_or(0);
                row.direct_tokens = it.direct_tokens.unwrap_or(0);
                self.scripts.add(&it.script, &row);
                if let Some(limit) = &it.limit {
                    self.limits.add(limit, &row);
                }
                self.recent.forget(&it.run);
                self.everywhere(entry, &row);
            }
            Some(Event::CallAsked(it)) => {
                let tool = format!("{}.{}", it.server, it.tool);
                let what = key(&[&it.server, &it.tool, &it.arguments.digest]);
                row.retries = u64::from(self.recent.asked(&it.run, it.call, what));
                if row.retries > 0 {
                    self.tool(entry, &tool, &row);
                }
            }
            Some(Event::CallEnded(it)) => {
                row.calls = 1;
                row.failed_calls = u64::from(it.outcome != CallOutcome::Answered);
                row.took_us = it.took_us;
                row.latency = Latency::of(it.took_us);
                row.bytes = it.bytes;
                self.recent.ended(&it.run, it.call, row.failed_calls > 0);
                self.tools.add(&format!("{}.{}", it.server, it.tool), &row);
                // The run has these.
                (row.bytes, row.took_us) = (0, 0);
                row.latency = Latency::default();
                self.everywhere(entry, &row);
            }
            Some(Event::Decision(it)) if it.decision == Verdict::Denied => {
                row.denied = 1;
                self.tool(entry, &format!("{}.{}", it.server, it.tool), &row);
            }
            Some(Event::Gap(it)) => self.lost = self.lost.saturating_add(it.lost),
            _ => {}
        }
    }

    fn tool(&mut self, entry: &Entry, tool: &str, row: &Row) {
        self.tools.add(tool, row);
        self.everywhere(entry, row);
    }

    fn everywhere(&mut self, entry: &Entry, row: &Row) {
        self.all.add(row);
        self.principals
            .add(entry.principal().unwrap_or("local"), row);
        let day = humantime::format_rfc3339_seconds(entry.at).to_string();
        self.days.add(day.get(..10).unwrap_or(&day), row);
    }
}

/// What of a name is kept.
fn shortened(name: &str) -> &str {
    const MOST: usize = 200;
    &name[..name.floor_char_boundary(MOST)]
}

/// What runs and calls are distinguished by, however long their names are.
type Key = [u8; 16];

fn key(parts: &[&str]) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher
            .update(&part.len().to_le_bytes())
            .update(part.as_bytes());
    }
    let mut key = Key::default();
    hasher.finalize_xof().fill(&mut key);
    key
}

/// Runs that are under way, with what of them failed.
#[derive(Debug, Clone, Default)]
struct Recent {
    runs: HashMap<Key, Calls>,
    order: VecDeque<Key>,
}

#[derive(Debug, Clone, Default)]
struct Calls {
    asked: HashMap<u64, Key>,
    failed: HashSet<Key>,
}

impl Recent {
    /// Whether the same failed before in that run.
    fn asked(&mut self, run: &str, call: u64, what: Key) -> bool {
        let run = key(&[run]);
        if !self.runs.contains_key(&run) {
            if self.order.len() >= MOST_RUNS
                && let Some(oldest) = self.order.pop_front()
            {
                self.runs.remove(&oldest);
            }
            self.order.push_back(run);
        }
        let calls = self.runs.entry(run).or_default();
        let failed = calls.failed.contains(&what);
        if calls.asked.len() < MOST_CALLS {
            calls.asked.insert(call, what);
        }
        failed
    }

    fn ended(&mut self, run: &str, call: u64, failed: bool) {
        let Some(calls) = self.runs.get_mut(&key(&[run])) else {
            return;
        };
        let what = calls.asked.remove(&call).filter(|_| failed);
        if calls.failed.len() < MOST_CALLS {
            calls.failed.extend(what);
        }
    }

    fn forget(&mut self, run: &str) {
        let run = key(&[run]);
        if self.runs.remove(&run).is_some() {
            self.order.retain(|known| *known != run);
        }
    }
}
