//! `ampoule` is killed as a process that a user starts: what commands show afterwards is all of a run,
//! or nothing of it, and no run is lost whose end was told.
//!
//! - `process`: a process that is killed; `found`: what the next commands show
//! - `run`: `ampoule run`, also where runs are parked; `chat`: `ampoule chat`; `schedule`: runs of a
//!   clock
//! - `often`: the same many times
//!
//! `AMPOULE_TEST_KILLS` says how often each process is killed.

mod chat;
mod found;
mod often;
mod process;
mod run;
mod schedule;

use std::time::Duration;

/// How often each process is killed in the quick tests.
const FEW: u64 = 4;

/// How often one is killed.
pub(crate) fn kills(usual: u64) -> u64 {
    let variable = std::env::var("AMPOULE_TEST_KILLS").ok();
    variable.map_or(usual, |text| text.parse().expect("a number"))
}

/// A part of a time, another one for each kill: they lie evenly over it.
fn part(whole: Duration, time: u64) -> Duration {
    const STEPS: u64 = 199;
    whole.mul_f64((time * 67 % STEPS) as f64 / STEPS as f64)
}

/// What became of the runs that were killed.
#[derive(Debug, Default)]
struct Tally {
    /// Nothing of the run is there.
    lost: u64,
    /// All of it is there, and nobody was told.
    kept: u64,
    /// It was told.
    told: u64,
}

impl Tally {
    /// The number that is there, after the one that was there before, and the last that was told.
    fn count(&mut self, number: u64, before: u64, told: u64) {
        assert!(number >= told, "{number} is there, and {told} was told");
        assert!(
            number == before || number == before + 1,
            "{number} after {before}"
        );
        match (number > before, told > before) {
            (_, true) => self.told += 1,
            (true, false) => self.kept += 1,
            (false, false) => self.lost += 1,
        }
    }
}
