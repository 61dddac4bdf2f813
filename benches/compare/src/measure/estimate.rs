//! How long it will take, from how long it took: a peer takes about as long for a workload in each
//! round. For what was not done yet there are guesses, which are off by as much as those before.

use std::collections::HashMap;
use std::time::Duration;

use super::Extent;
use crate::workloads::Workload;

pub(super) struct Estimate<'a> {
    peers: usize,
    rounds: usize,
    /// Each workload, with a guess.
    guesses: Vec<(&'a Workload, Duration)>,
    /// How often a peer did a workload, and how long it took last.
    known: HashMap<(&'static str, &'static str), (usize, Duration)>,
}

impl<'a> Estimate<'a> {
    pub(super) fn new(peers: usize, workloads: &[&'a Workload], extent: &Extent) -> Self {
        let guess = |workload: &&'a Workload| (*workload, workload.guess(extent));
        Self {
            peers,
            rounds: extent.rounds,
            guesses: workloads.iter().map(guess).collect(),
            known: HashMap::new(),
        }
    }

    pub(super) fn took(&mut self, workload: &Workload, peer: &'static str, time: Duration) {
        let known = self.known.entry((workload.id, peer)).or_default();
        *known = (known.0 + 1, time);
    }

    pub(super) fn left(&self) -> Duration {
        let (mut guessed, mut took) = (0.0, 0.0);
        let (mut known, mut unknown) = (0.0, 0.0);
        for (workload, guess) in &self.guesses {
            let guess = guess.as_secs_f64();
            let rounds = workload.rounds(self.rounds);
            let times = self.known.iter().filter(|((id, _), _)| *id == workload.id);
            let mut peers = 0;
            for (_, (done, time)) in times {
                peers += 1;
                guessed += guess;
                took += time.as_secs_f64();
                known += time.as_secs_f64() * rounds.saturating_sub(*done) as f64;
            }
            unknown += guess * (self.peers.saturating_sub(peers) * rounds) as f64;
        }
        let scale = if guessed > 0.0 { took / guessed } else { 1.0 };
        Duration::from_secs_f64(known + unknown * scale)
    }
}

/// A length of time, for people.
pub(super) fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..90 => format!("{seconds} s"),
        _ => format!("{} min", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::ALL;

    #[test]
    fn what_is_left_follows_from_what_it_took() {
        let extent = Extent {
            rounds: 3,
            budget_ms: 1000,
            window_ms: 2000,
            cores: 2,
        };
        let workload = ALL.iter().find(|workload| workload.id == "fib").unwrap();
        let mut estimate = Estimate::new(2, &[workload], &extent);
        assert_eq!(estimate.left(), workload.guess(&extent) * 6);
        estimate.took(workload, "one", Duration::from_secs(4));
        // Two more of this peer; the other one is taken to be as slow.
        assert_eq!(estimate.left().as_secs_f64().round(), 20.0);
        estimate.took(workload, "other", Duration::from_secs(1));
        assert_eq!(estimate.left().as_secs_f64().round(), 10.0);
        assert_eq!(minutes(Duration::from_secs(600)), "10 min");
    }
}
