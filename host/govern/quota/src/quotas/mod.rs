//! What calls and runs ask before they continue.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, RwLock};

use crate::account::{Account, Counter, SharedCounters, TOTALS, Total, millis};
use crate::clock::{Clock, Moment};
use crate::day;
use crate::rate::Rate;
use crate::remainder::{Measure, QuotaError, Remainder};
use crate::rule::{Caller, Classes, Per, Rule, RulesError};
use crate::totals::{KnownTotals, Totals};

mod permit;

pub use permit::{Permit, RunUsage};

/// How many rules there may be.
const RULES: usize = 256;
/// How many principals are distinguished, and how many counts there are for that at most. Further
/// principals share one account.
const PRINCIPALS: usize = 10_000;
const COUNTS: usize = 200_000;
/// How often totals are exchanged with the folder.
const EXCHANGED: Duration = Duration::from_millis(500);
/// Principals that have nothing under way are forgotten at most this often.
const FORGOTTEN: Duration = Duration::from_secs(1);

/// A call, as rules look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallFacts<'a> {
    /// The binding's name.
    pub server: &'a str,
    /// The tool's name.
    pub tool: &'a str,
    /// The classes that the tool is in.
    pub classes: Classes,
}

/// The rates and quotas of an operator, and what has been used. Where this is dropped, what was used
/// is written to the folder.
pub struct Quotas {
    shared: Arc<Shared>,
    keeper: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

struct Shared {
    rules: Vec<Rule>,
    clock: Clock,
    accounts: RwLock<Accounts>,
    common: SharedCounters,
    /// The account of the principals for which there is no room.
    others: Arc<Account>,
    today: Mutex<day::CurrentDay>,
    totals: Option<Totals>,
    /// What the folder had when it was last looked at.
    kept: Mutex<KnownTotals>,
    /// Whether somebody has asked since then.
    is_used: AtomicBool,
}

#[derive(Default)]
struct Accounts {
    known: HashMap<Box<str>, Arc<Account>>,
    forgotten: Option<Instant>,
}

impl Quotas {
    /// Rates and quotas by these rules: a call must have room in each that applies to it. Totals are
    /// kept in a folder, which processes can share; without one, they end with the process.
    ///
    /// # Errors
    ///
    /// [`RulesError`]: what is wrong with the rules, or the folder.
    pub fn new(rules: Vec<Rule>, folder: Option<&Path>) -> Result<Self, RulesError> {
        Self::with_clock(rules, folder, Clock::new())
    }

    pub(crate) fn with_clock(
        rules: Vec<Rule>,
        folder: Option<&Path>,
        clock: Clock,
    ) -> Result<Self, RulesError> {
        if rules.len() > RULES {
            return Err(RulesError::TooMany(rules.len()));
        }
        for (place, rule) in rules.iter().enumerate() {
            rule.check()?;
            if rules[..place].iter().any(|other| other.name == rule.name) {
                return Err(RulesError::Twice(rule.name.clone()));
            }
        }
        let totals = folder.map(Totals::open).transpose();
        let totals = totals.map_err(RulesError::Folder)?;
        if let Some(totals) = &totals {
            totals.check().map_err(RulesError::Folder)?;
        }
        let shared_by_all = rules.iter().enumerate();
        let everybody = shared_by_all
            .filter(|(_, rule)| rule.per == Per::Everybody)
            .map(|(place, rule)| (place, Arc::new(Counter::new(place, rule, "*", "", &clock))))
            .collect();
        let common = SharedCounters::new(everybody);
        let shared = Arc::new(Shared {
            others: Arc::new(Account::new(None, &rules, &common, &clock)),
            accounts: RwLock::default(),
            today: Mutex::new(day::CurrentDay::new(clock.now())),
            totals,
            kept: Mutex::default(),
            is_used: AtomicBool::new(false),
            common,
            rules,
            clock,
        });
        shared.exchange().map_err(RulesError::Folder)?;
        let keeper = shared.totals.is_some().then(|| shared.keeper()).transpose();
        let keeper = keeper.map_err(RulesError::Folder)?;
        Ok(Self { shared, keeper })
    }

    /// Writes what was used to the folder, and learns what other processes have used. It is done
    /// twice a second anyhow.
    ///
    /// # Errors
    ///
    /// [`RulesError::Folder`].
    pub fn exchange(&self) -> Result<(), RulesError> {
        self.shared.exchange().map_err(RulesError::Folder)
    }

    /// Where totals are kept, if they are.
    pub fn folder(&self) -> Option<&Path> {
        self.shared.totals.as_ref().map(Totals::path)
    }

    /// Whether something is everybody's together.
    pub fn has_shared(&self) -> bool {
        let mut rules = self.shared.rules.iter();
        rules.any(|rule| rule.per == Per::Everybody)
    }

    /// Whether there are no rules: nothing has to be asked.
    pub fn is_empty(&self) -> bool {
        self.shared.rules.is_empty()
    }
}

impl Drop for Quotas {
    fn drop(&mut self) {
        if let Some((stop, keeper)) = self.keeper.take() {
            drop(stop);
            let _ = keeper.join();
        }
        if let Err(error) = self.shared.exchange() {
            tracing::warn!(%error, "the usage of quotas can't be stored");
        }
    }
}

impl std::fmt::Debug for Quotas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rules = &self.shared.rules;
        f.debug_struct("Quotas")
            .field("rules", rules)
            .finish_non_exhaustive()
    }
}

impl Shared {
    fn keeper(self: &Arc<Self>) -> std::io::Result<(mpsc::Sender<()>, JoinHandle<()>)> {
        let (stop, stopped) = mpsc::channel::<()>();
        let shared = Arc::clone(self);
        let keeper = std::thread::Builder::new().name("quotas".to_owned());
        let keeper = keeper.spawn(move || {
            let mut wait = EXCHANGED;
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(wait) {
                if !shared.is_used.swap(false, Ordering::Relaxed) {
                    continue;
                }
                let began = Instant::now();
                if let Err(error) = shared.exchange() {
                    tracing::warn!(%error, "the usage of quotas can't be stored");
                }
                // However much there is to write, most of the time is for other work.
                wait = EXCHANGED.max(began.elapsed() * 20);
            }
        })?;
        Ok((stop, keeper))
    }

    fn exchange(&self) -> std::io::Result<()> {
        let Some(totals) = &self.totals else {
            return Ok(());
        };
        let mut counters: Vec<_> = self.common.everybody.values().cloned().collect();
        let accounts: Vec<_> = {
            let accounts = self.accounts.read();
            let known = accounts.known.values().chain([&self.others]);
            known.cloned().collect()
        };
        for account in accounts {
            counters.extend(account.all());
        }
        counters.sort_by(|one, other| one.key.cmp(&other.key));
        counters.dedup_by(|one, other| Arc::ptr_eq(one, other));
        // A copy: calls need not wait for the disk.
        let mut today = *self.today.lock();
        let known = self.kept.lock().clone();
        let kept = totals.exchange(&counters, &mut today, self.clock.now(), &known)?;
        *self.kept.lock() = kept;
        self.today.lock().join(today.day, self.clock.now());
        Ok(())
    }

    /// Tells a count that is new what the folder has of it.
    fn learn(&self, counter: &Counter) {
        let kept = self.kept.lock().clone();
        if let Some(sums) = kept.of(&counter.key) {
            counter.today.lock().on(kept.day).kept = sums;
        }
    }

    fn account(&self, principal: &str) -> Arc<Account> {
        if let Some(known) = self.accounts.read().known.get(principal) {
            return Arc::clone(known);
        }
        let mut accounts = self.accounts.write();
        if let Some(known) = accounts.known.get(principal) {
            return Arc::clone(known);
        }
        let most = PRINCIPALS.min(COUNTS / self.rules.len().max(1));
        if accounts.known.len() >= most && !self.forget(&mut accounts) {
            return Arc::clone(&self.others);
        }
        let account = Account::new(Some(principal), &self.rules, &self.common, &self.clock);
        for counter in account.all() {
            if !self.common.everybody.contains_key(&counter.rule) {
                self.learn(&counter);
            }
        }
        let account = Arc::new(account);
        accounts
            .known
            .insert(principal.into(), Arc::clone(&account));
        account
    }

    /// Forgets principals of whom nothing is lost by that: whether there is room now.
    fn forget(&self, accounts: &mut Accounts) -> bool {
        let is_due = accounts.forgotten.is_none_or(|at| at.elapsed() > FORGOTTEN);
        if !is_due || self.totals.is_none() {
            return false;
        }
        accounts.forgotten = Some(Instant::now());
        let before = accounts.known.len();
        accounts.known.retain(|_, account| {
            let is_held = Arc::strong_count(account) > 1;
            is_held || !account.all().iter().all(|counter| counter.is_idle())
        });
        accounts.known.len() < before
    }

    /// The time, and which day's totals count now.
    fn today(&self) -> (Moment, u64) {
        let now = self.clock.now();
        (now, self.today.lock().at(now).count)
    }
}
