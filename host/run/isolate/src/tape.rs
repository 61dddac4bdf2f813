//! What a world tells a run, on a tape: recorded, and told again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::world::{DivergenceError, Live, Pass, World};

/// How many times of the clock, and how many waits, a recording may hold.
const MOST_TIMES: usize = 1 << 20;
/// How many random bytes.
const MOST_ENTROPY: usize = 4 << 20;

/// What a world told a run, in the order that it was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tape {
    /// What clocks showed, in nanoseconds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    times: Vec<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "hex")]
    entropy: Vec<u8>,
    /// The calls whose ends were taken, each time that the run took some, or waited in vain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    taken: Vec<Vec<u32>>,
}

/// Bytes as text.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::ptr_arg, reason = "serde hands over what the field is")]
    pub(super) fn serialize<S: Serializer>(
        bytes: &Vec<u8>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digit = |digit| char::from_digit(u32::from(digit), 16).unwrap_or('0');
        serializer.serialize_str(&digits.map(digit).collect::<String>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = |pair: &[u8; 2]| Some((digit(pair[0])? << 4 | digit(pair[1])?) as u8);
        match text.as_bytes().as_chunks() {
            (pairs, []) => pairs.iter().map(byte).collect::<Option<_>>(),
            _ => None,
        }
        .ok_or_else(|| D::Error::custom("these are not bytes"))
    }
}

impl Tape {
    /// Adds what comes after it.
    pub fn extend(&mut self, more: Self) {
        self.times.extend(more.times);
        self.entropy.extend(more.entropy);
        self.taken.extend(more.taken);
    }

    /// When the run first asked what time it is, in nanoseconds since 1970.
    pub fn begins(&self) -> Option<u64> {
        // The rest of the times are since the run began, which is not that long ago.
        const YEARS: u64 = 100_000_000_000_000_000;
        self.times.iter().copied().find(|time| *time > YEARS)
    }

    /// The random bytes, in the order that they were asked for.
    pub fn entropy(&self) -> &[u8] {
        &self.entropy
    }
}

/// A world, recorded: as it is, if no other is named. Clones record into the same tape.
#[derive(Clone)]
pub struct Recording {
    of: Arc<dyn World>,
    state: Arc<Mutex<(Tape, bool)>>,
}

impl Default for Recording {
    fn default() -> Self {
        Self::of(Live::shared())
    }
}

impl Recording {
    /// A recording of what that world tells.
    pub fn of(world: Arc<dyn World>) -> Self {
        Self {
            of: world,
            state: Arc::default(),
        }
    }

    /// The world as it is, unless this is another.
    pub fn of_given(world: Option<Arc<dyn World>>) -> Self {
        world.map_or_else(Self::default, Self::of)
    }

    /// What has been recorded so far; none if there was more than a mebi of times or waits, or 4
    /// MiB of entropy.
    pub fn tape(&self) -> Option<Tape> {
        let (tape, overflowed) = &*self.state();
        (!overflowed).then(|| tape.clone())
    }

    /// Takes what has been recorded since this was last asked, if that is so many times, random
    /// bytes or waits: for a recorder that writes it down meanwhile.
    pub fn take(&self, least: usize) -> Option<Tape> {
        let (tape, _) = &mut *self.state();
        let parts = [tape.times.len(), tape.entropy.len(), tape.taken.len()];
        let is_enough = parts.iter().any(|&part| part >= least.max(1));
        is_enough.then(|| std::mem::take(tape))
    }

    fn state(&self) -> MutexGuard<'_, (Tape, bool)> {
        self.state.lock()
    }

    fn time(&self, time: u64) -> u64 {
        let (tape, overflowed) = &mut *self.state();
        match tape.times.len() < MOST_TIMES {
            true => tape.times.push(time),
            false => *overflowed = true,
        }
        time
    }
}

impl World for Recording {
    fn now(&self) -> Result<u64, DivergenceError> {
        self.of.now().map(|time| self.time(time))
    }

    fn elapsed(&self, began: Instant) -> Result<u64, DivergenceError> {
        self.of.elapsed(began).map(|time| self.time(time))
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        self.of.fill(bytes)?;
        let (tape, overflowed) = &mut *self.state();
        match tape.entropy.len() + bytes.len() <= MOST_ENTROPY {
            true => tape.entropy.extend_from_slice(bytes),
            false => *overflowed = true,
        }
        Ok(())
    }

    fn expected(&self) -> Result<Option<Vec<u32>>, DivergenceError> {
        self.of.expected()
    }

    fn turn(&self, call: u32) -> Option<BoxFuture<'static, ()>> {
        self.of.turn(call)
    }

    fn taken(&self, calls: &[u32]) {
        self.of.taken(calls);
        let (tape, overflowed) = &mut *self.state();
        match tape.taken.len() < MOST_TIMES {
            true => tape.taken.push(calls.to_vec()),
            false => *overflowed = true,
        }
    }

    fn pass(&self, most: Option<Duration>) -> Pass {
        self.of.pass(most)
    }
}

/// A world that tells what a [`Tape`] says, to one run: the same that it told the recorded one. No
/// time passes in it: what the recorded run waited for comes at once, as far as its calls have
/// ended.
pub struct Replay {
    tape: Tape,
    /// When the end of a call was taken alone, by the call.
    turns: HashMap<u32, usize>,
    read: Mutex<Read>,
    /// How often the ends of calls were taken.
    taken: watch::Sender<usize>,
}

#[derive(Default)]
struct Read {
    times: usize,
    entropy: usize,
}

impl Replay {
    /// From the start of the tape.
    pub fn new(tape: Tape) -> Self {
        let alone = |(turn, taken): (usize, &Vec<u32>)| match taken[..] {
            [call] => Some((call, turn)),
            _ => None,
        };
        Self {
            turns: tape.taken.iter().enumerate().filter_map(alone).collect(),
            tape,
            read: Mutex::default(),
            taken: watch::Sender::new(0),
        }
    }

    fn read(&self) -> MutexGuard<'_, Read> {
        self.read.lock()
    }
}

fn over(what: &str) -> DivergenceError {
    DivergenceError(format!("the record has no more {what}"))
}

impl World for Replay {
    fn now(&self) -> Result<u64, DivergenceError> {
        let mut read = self.read();
        read.times += 1;
        let time = self.tape.times.get(read.times - 1);
        time.copied().ok_or_else(|| over("times"))
    }

    fn elapsed(&self, _: Instant) -> Result<u64, DivergenceError> {
        self.now()
    }

    fn fill(&self, bytes: &mut [u8]) -> Result<(), DivergenceError> {
        let mut read = self.read();
        let end = read.entropy + bytes.len();
        let recorded = self.tape.entropy.get(read.entropy..end);
        bytes.copy_from_slice(recorded.ok_or_else(|| over("entropy"))?);
        read.entropy = end;
        Ok(())
    }

    fn expected(&self) -> Result<Option<Vec<u32>>, DivergenceError> {
        let calls = self.tape.taken.get(*self.taken.borrow());
        calls
            .cloned()
            .map(Some)
            .ok_or_else(|| over("ends of calls"))
    }

    fn turn(&self, call: u32) -> Option<BoxFuture<'static, ()>> {
        let turn = *self.turns.get(&call)?;
        let mut taken = self.taken.subscribe();
        Some(Box::pin(async move {
            // Where the world is gone, so is the run.
            let _ = taken.wait_for(|taken| *taken >= turn).await;
        }))
    }

    fn taken(&self, _: &[u32]) {
        self.taken.send_modify(|taken| *taken += 1);
    }
}
