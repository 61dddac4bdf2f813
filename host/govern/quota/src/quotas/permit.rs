//! A call that begins, a run that begins, what they use, and what is left.

use super::*;

/// A call that has its place in all quotas. Dropping it changes nothing: the call is counted.
#[derive(Default)]
#[must_use = "the permit counts what the call sends and returns"]
pub struct Permit {
    shared: Option<Arc<Shared>>,
    counters: Vec<Arc<Counter>>,
    /// Whose they are: not forgotten while a call is under way, whose bytes are still to be counted.
    _account: Option<Arc<Account>>,
    /// On which day, and when.
    taken: (u64, Duration),
}

/// What a run has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunUsage {
    /// Units of fuel.
    pub fuel: u64,
    /// How long it had an isolate.
    pub isolate_time: Duration,
}

impl Quotas {
    /// Counts a call that is about to be made, if there is room for it in every rule that applies;
    /// otherwise, nothing is counted.
    ///
    /// # Errors
    ///
    /// [`QuotaError`]: for the script.
    pub fn try_call(
        &self,
        caller: &Caller<'_>,
        call: &CallFacts<'_>,
    ) -> Result<Permit, QuotaError> {
        let shared = &self.shared;
        if shared.rules.is_empty() {
            return Ok(Permit::default());
        }
        shared.is_used.store(true, Ordering::Relaxed);
        let (account, counters) = shared.of_call(caller, call);
        let (now, day) = shared.today();
        shared.take(&counters, now, day, &[Total::Bytes], Total::Calls)?;
        if let Err(exhausted) = shared.take_rates(&counters, now, &CALLS) {
            shared.give_back(&counters, day, Total::Calls);
            return Err(exhausted);
        }
        Ok(Permit {
            shared: Some(Arc::clone(shared)),
            counters,
            _account: Some(account),
            // Later than any rate took one: what is given back is never less than time has not.
            taken: (day, shared.clock.elapsed()),
        })
    }

    /// Counts a run that is about to begin, if there is room for it, and anything left of what runs
    /// use.
    ///
    /// # Errors
    ///
    /// [`QuotaError`]: for the caller that starts the run.
    pub fn try_run(&self, caller: &Caller<'_>) -> Result<(), QuotaError> {
        let shared = &self.shared;
        if shared.rules.is_empty() {
            return Ok(());
        }
        shared.is_used.store(true, Ordering::Relaxed);
        let counters = shared.of_runs(caller);
        let (now, day) = shared.today();
        shared.take(
            &counters,
            now,
            day,
            &[Total::Fuel, Total::IsolateMs],
            Total::Runs,
        )?;
        if let Err(exhausted) = shared.take_rates(&counters, now, &RUNS) {
            shared.give_back(&counters, day, Total::Runs);
            return Err(exhausted);
        }
        Ok(())
    }

    /// Counts what a run has used: when it ends, or a part of it now and then. A run is not
    /// interrupted where nothing is left; the next does not begin.
    pub fn spend(&self, caller: &Caller<'_>, spent: RunUsage) {
        let shared = &self.shared;
        if shared.rules.is_empty() {
            return;
        }
        shared.is_used.store(true, Ordering::Relaxed);
        let (_, day) = shared.today();
        for counter in shared.of_runs(caller) {
            let mut today = counter.today.lock();
            let today = today.on(day);
            today.add(Total::Fuel, spent.fuel);
            today.add(Total::IsolateMs, millis(spent.isolate_time));
        }
    }

    /// Measure is left of all that applies to somebody: to runs, and to this call, if one is given.
    pub fn left(&self, caller: &Caller<'_>, call: Option<&CallFacts<'_>>) -> Vec<Remainder> {
        let shared = &self.shared;
        let mut counters = shared.of_runs(caller);
        if let Some(call) = call {
            counters.retain(|counter| {
                let rule = &shared.rules[counter.rule];
                rule.fits_call(call.server, call.tool, call.classes)
            });
            let (_, of_call) = shared.of_call(caller, call);
            let is_new = |new: &Arc<Counter>| !counters.iter().any(|known| Arc::ptr_eq(known, new));
            let more: Vec<_> = of_call.into_iter().filter(is_new).collect();
            counters.extend(more);
        }
        let (now, day) = shared.today();
        let left = counters
            .iter()
            .flat_map(|counter| shared.left_of(counter, now, day));
        left.collect()
    }
}

impl Permit {
    /// Counts bytes that the call took along or brought back.
    pub fn bytes(&self, bytes: u64) {
        let Some(shared) = &self.shared else { return };
        let (_, day) = shared.today();
        for counter in &self.counters {
            counter.today.lock().on(day).add(Total::Bytes, bytes);
        }
        shared.is_used.store(true, Ordering::Relaxed);
    }

    /// The call was not made after all: it is not counted. What time has given back of a minute or an
    /// hour meanwhile is not given once more, and a day that is over stays as it was.
    pub fn give_back(self) {
        let Some(shared) = &self.shared else { return };
        let (day, at) = self.taken;
        let age = shared.clock.elapsed().saturating_sub(at);
        shared.give_back(&self.counters, day, Total::Calls);
        shared.is_used.store(true, Ordering::Relaxed);
        for (rate, _) in self
            .counters
            .iter()
            .flat_map(|counter| rates(counter, &CALLS))
        {
            rate.give_back(age);
        }
    }
}

impl std::fmt::Debug for Permit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Permit")
    }
}

/// The rates of calls, and of runs.
const CALLS: [Measure; 2] = [Measure::CallsPerMinute, Measure::CallsPerHour];
const RUNS: [Measure; 1] = [Measure::RunsPerMinute];

fn rates<'c>(counter: &'c Counter, of: &'c [Measure]) -> impl Iterator<Item = (&'c Rate, Measure)> {
    of.iter().filter_map(|what| {
        let rate = match what {
            Measure::CallsPerMinute => &counter.calls_per_minute,
            Measure::CallsPerHour => &counter.calls_per_hour,
            Measure::RunsPerMinute => &counter.runs_per_minute,
            _ => &None,
        };
        Some((rate.as_ref()?, *what))
    })
}

fn rate_limit(what: Measure, rule: &Rule) -> u64 {
    let limit = match what {
        Measure::CallsPerMinute => rule.calls_per_minute,
        Measure::CallsPerHour => rule.calls_per_hour,
        Measure::RunsPerMinute => rule.runs_per_minute,
        _ => None,
    };
    limit.map_or(0, u64::from)
}

fn day_of(total: Total) -> Measure {
    match total {
        Total::Calls => Measure::CallsPerDay,
        Total::Runs => Measure::RunsPerDay,
        Total::Fuel => Measure::FuelPerDay,
        Total::IsolateMs => Measure::IsolateMsPerDay,
        Total::Bytes => Measure::BytesPerDay,
        // It has no limit.
        Total::NotMade => Measure::CallsPerDay,
    }
}

impl Shared {
    fn of_call(
        &self,
        caller: &Caller<'_>,
        call: &CallFacts<'_>,
    ) -> (Arc<Account>, Vec<Arc<Counter>>) {
        let account = self.account(caller.principal.unwrap_or_default());
        let learn = |counter: &Counter| self.learn(counter);
        let counters = account.of_call(&self.rules, caller, call, &self.clock, &learn);
        (account, counters)
    }

    fn of_runs(&self, caller: &Caller<'_>) -> Vec<Arc<Counter>> {
        let account = self.account(caller.principal.unwrap_or_default());
        account.of_runs(&self.rules, caller).cloned().collect()
    }

    /// Counts one of `one` in each, if there is room, and anything left of `others`.
    fn take(
        &self,
        counters: &[Arc<Counter>],
        now: Moment,
        day: u64,
        others: &[Total],
        one: Total,
    ) -> Result<(), QuotaError> {
        for (place, counter) in counters.iter().enumerate() {
            let rule = &self.rules[counter.rule];
            let mut today = counter.today.lock();
            let today = today.on(day);
            let full = |total: &Total| {
                let limit = total.limit(rule);
                limit.is_some_and(|limit| today.used(*total) >= limit)
            };
            if let Some(total) = others.iter().chain([&one]).find(|total| full(total)) {
                let limit = total.limit(rule).unwrap_or(0);
                let after = (limit > 0).then(|| self.today.lock().ends_in(now));
                let exhausted = self.exhausted(counter, day_of(*total), limit, now, after);
                self.give_back(&counters[..place], day, one);
                return Err(exhausted);
            }
            today.add(one, 1);
        }
        Ok(())
    }

    fn give_back(&self, counters: &[Arc<Counter>], day: u64, one: Total) {
        for counter in counters {
            counter.today.lock().give_back(day, one);
        }
    }

    /// Takes one of each rate, or of none.
    fn take_rates(
        &self,
        counters: &[Arc<Counter>],
        now: Moment,
        of: &[Measure],
    ) -> Result<(), QuotaError> {
        let all = || {
            counters.iter().flat_map(|counter| {
                rates(counter, of).map(move |(rate, what)| (counter, rate, what))
            })
        };
        for (place, (counter, rate, what)) in all().enumerate() {
            if let Err(after) = rate.take() {
                for (_, rate, _) in all().take(place) {
                    rate.give_back(Duration::ZERO);
                }
                let limit = rate_limit(what, &self.rules[counter.rule]);
                let after = (limit > 0).then_some(after);
                return Err(self.exhausted(counter, what, limit, now, after));
            }
        }
        Ok(())
    }

    fn exhausted(
        &self,
        counter: &Counter,
        what: Measure,
        limit: u64,
        now: Moment,
        after: Option<Duration>,
    ) -> QuotaError {
        QuotaError {
            quota: self.rules[counter.rule].name.clone(),
            what,
            limit,
            after,
            resets_at: after.map_or(u64::MAX, |after| later(now, after)),
        }
    }

    fn left_of(&self, counter: &Counter, now: Moment, day: u64) -> Vec<Remainder> {
        let rule = &self.rules[counter.rule];
        let of = [CALLS[0], CALLS[1], RUNS[0]];
        let ends = later(now, self.today.lock().ends_in(now));
        let mut left: Vec<Remainder> = rates(counter, &of)
            .map(|(rate, what)| {
                let (left, full) = rate.left();
                Remainder {
                    quota: rule.name.clone(),
                    what,
                    limit: rate_limit(what, rule),
                    left: u64::from(left),
                    resets_at: later(now, full),
                }
            })
            .collect();
        let mut today = counter.today.lock();
        let today = today.on(day);
        for total in TOTALS {
            if let Some(limit) = total.limit(rule) {
                left.push(Remainder {
                    quota: rule.name.clone(),
                    what: day_of(total),
                    limit,
                    left: limit.saturating_sub(today.used(total)),
                    resets_at: ends,
                });
            }
        }
        left
    }
}

/// So long from now, in seconds since 1970, rounded up.
fn later(now: Moment, after: Duration) -> u64 {
    let up = u64::from(after.subsec_nanos() > 0);
    now.wall.saturating_add(after.as_secs()).saturating_add(up)
}
