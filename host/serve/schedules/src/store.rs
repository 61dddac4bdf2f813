//! What is known of schedules and hooks, on disk, and the locks that all processes share.
//!
//! The state of each is a file. A process that changes the state holds the lock of the file's draft
//! meanwhile, which takes a moment. A process that has a run holds the lock of a place until the run
//! is over: the system frees the place where the process dies.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use ampoule_store::folder::{OTHERS_WRITE, PrivateFolder};
use jiff::Timestamp;

use crate::hook::replays::Replays;
use crate::plan::{self, Admission, CatchUp, Overlap};
use crate::state::{PassReason, RunNote, State};
use crate::timing::Timing;

/// How large a state may be, in bytes.
const STATE_BYTES: u64 = 1 << 20;
/// The outcome of a run whose process ended before it.
const INTERRUPTED: &str = "interrupted";

/// The states of schedules and hooks. Clones are the same.
#[derive(Debug, Clone)]
pub struct Store(Arc<PrivateFolder>);

/// What a look needs to know of a schedule.
#[derive(Debug, Clone)]
pub struct Schedule {
    /// Its name: letters, digits, `_` and `-`.
    pub name: String,
    /// Its times.
    pub timing: Timing,
    /// What happens with times at which no server was there.
    pub missed: CatchUp,
    /// What happens with a time at which the last run is still under way.
    pub overlap: Overlap,
}

/// A run that this process is to start, or to follow. Its place is taken as long as this lives.
#[derive(Debug)]
pub struct Claim {
    /// Which of the runs it is.
    pub number: u64,
    /// The time that it is the run of.
    pub due: Timestamp,
    /// How many times were missed before it.
    pub missed: usize,
    /// The id of a run that has begun already: a former process parked it.
    pub run: Option<String>,
    _lock: File,
}

/// A place for a run that nobody has.
struct FreePlace {
    number: usize,
    lock: File,
}

/// What became of a run whose process is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// This process has resumed it.
    Resumed,
    /// It is parked, until some process resumes it.
    Parked,
    /// It has ended so.
    Ended(String),
    /// Nothing is left of it.
    Gone,
}

/// What a look has found.
#[derive(Debug, Default)]
pub struct Tick {
    /// The runs that are this process's now.
    pub claims: Vec<Claim>,
    /// Whether some time waits for a run to end.
    pub waits: bool,
    /// The next time.
    pub next: Option<Timestamp>,
}

impl Store {
    /// The states in this folder, which is made if need be.
    ///
    /// # Errors
    ///
    /// The folder can't be made, or others can write to it.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let folder = PrivateFolder::open(folder, OTHERS_WRITE)?;
        Ok(Self(Arc::new(folder)))
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The state of a schedule or hook; an empty one before its first run.
    ///
    /// # Errors
    ///
    /// The file can't be read.
    pub fn state(&self, name: &str) -> io::Result<State> {
        Ok(self.read(&file_of(name))?.unwrap_or_default())
    }

    /// Looks at a schedule: which runs are to begin now. What this returns is written down, so that
    /// no other process starts the same. `fate` says what became of runs whose processes are gone.
    ///
    /// # Errors
    ///
    /// The state can't be read or written. Nothing begins then.
    pub fn look(
        &self,
        schedule: &Schedule,
        now: Timestamp,
        fate: impl Fn(&str) -> Fate,
    ) -> io::Result<Tick> {
        self.change(&schedule.name, |state| {
            let timing = schedule.timing.to_string();
            if state.timing != timing {
                state.timing = timing;
                state.last = Some(now);
                state.queue.clear();
            }
            let mut tick = Tick {
                claims: self.settle(&schedule.name, state, now, fate)?,
                ..Tick::default()
            };
            let last = plan::since(state.last, now);
            let due = plan::due(&schedule.timing, schedule.missed, last, now);
            let (starts, missed, newest) = match due {
                Some(due) => (due.starts, due.missed, due.newest),
                None => (Vec::new(), 0, last),
            };
            state.last = Some(newest);
            let mut places = self.places(&schedule.name, state, schedule.overlap.at_once())?;
            let is_passed = starts.is_empty() && missed > 0;
            let Admission { begin, passed } =
                plan::admit(starts, schedule.overlap, places.len(), &mut state.queue);
            if is_passed {
                state.pass(newest, PassReason::Missed);
            }
            for due in passed {
                state.pass(due, PassReason::Busy);
            }
            for (due, place) in begin.into_iter().zip(places.drain(..)) {
                tick.claims.push(Claim {
                    number: state.begin(due, place.number),
                    due,
                    missed,
                    run: None,
                    _lock: place.lock,
                });
            }
            tick.waits = !state.queue.is_empty();
            tick.next = schedule.timing.next_after(newest.max(now));
            Ok(tick)
        })
    }

    /// A run at once. None if as many are under way as may be.
    ///
    /// # Errors
    ///
    /// As for [`look`](Self::look).
    pub fn begin(
        &self,
        name: &str,
        at_once: usize,
        now: Timestamp,
        fate: impl Fn(&str) -> Fate,
    ) -> io::Result<Option<Claim>> {
        self.change(name, |state| {
            self.settle(name, state, now, fate)?;
            let mut places = self.places(name, state, at_once)?;
            if places.is_empty() {
                return Ok(None);
            }
            let place = places.swap_remove(0);
            Ok(Some(Claim {
                number: state.begin(now, place.number),
                due: now,
                missed: 0,
                run: None,
                _lock: place.lock,
            }))
        })
    }

    /// Ends the notes of runs that are over. Gives those that this process has resumed.
    ///
    /// # Errors
    ///
    /// As for [`look`](Self::look).
    pub fn settled(
        &self,
        name: &str,
        now: Timestamp,
        fate: impl Fn(&str) -> Fate,
    ) -> io::Result<Vec<Claim>> {
        self.change(name, |state| self.settle(name, state, now, fate))
    }

    /// Writes down the id of the claimed run of this number, before the run starts: whatever happens to
    /// this process then, the next one finds the run.
    ///
    /// # Errors
    ///
    /// The state can't be written. The run must not start then.
    pub fn starts(&self, name: &str, number: u64, run: &str) -> io::Result<()> {
        self.change(name, |state| {
            state.starts(number, run);
            Ok(())
        })
    }

    /// Writes down that the run did not start, and frees its place.
    ///
    /// # Errors
    ///
    /// The state can't be written.
    pub fn not_started(&self, name: &str, claim: Claim, now: Timestamp) -> io::Result<()> {
        let written = self.change(name, |state| {
            state.not_started(claim.number, now);
            Ok(())
        });
        drop(claim);
        written
    }

    /// Writes down how the run ended, and frees its place.
    ///
    /// # Errors
    ///
    /// The state can't be written.
    pub fn ended(&self, name: &str, claim: Claim, outcome: &str, now: Timestamp) -> io::Result<()> {
        let written = self.change(name, |state| {
            state.end(claim.number, outcome, now);
            Ok(())
        });
        drop(claim);
        written
    }

    /// Changes what is known of the messages that a hook has taken. It is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The file can't be read or written. No message may be taken then.
    pub fn replays<T>(&self, hook: &str, change: impl FnOnce(&mut Replays) -> T) -> io::Result<T> {
        let file = format!("{hook}.taken.json");
        let draft = self.0.draft(&file, || ())?;
        let before = match self.content(&file)? {
            // A message that was taken would start a second run otherwise.
            Some(content) => serde_json::from_slice(&content).map_err(|error| {
                let path = self.0.path().join(&file);
                io::Error::other(format!(
                    "the messages that the hook `{hook}` has taken can't be read: {} is damaged ({error}). The hook takes no message while that file is there. Wait for the hook's `tolerance`, or for a day if it has an `id-header`, and remove the file: no earlier message can start a second run then",
                    path.display()
                ))
            })?,
            None => Replays::default(),
        };
        let mut replays = before.clone();
        let given = change(&mut replays);
        if replays != before {
            draft.keep(&file, &serde_json::to_vec(&replays)?)?;
            self.0.sync()?;
        }
        Ok(given)
    }

    /// Ends the notes of runs that are over, and takes over those that this process has resumed.
    fn settle(
        &self,
        name: &str,
        state: &mut State,
        now: Timestamp,
        fate: impl Fn(&str) -> Fate,
    ) -> io::Result<Vec<Claim>> {
        let mut claims = Vec::new();
        for RunNote {
            number,
            due,
            place,
            run,
            ..
        } in state.open.clone()
        {
            // A process has the run.
            let Some(lock) = self.0.try_lock(&place_of(name, place))? else {
                continue;
            };
            match run.as_deref().map_or(Fate::Gone, &fate) {
                Fate::Parked => {}
                Fate::Gone => state.end(number, INTERRUPTED, now),
                Fate::Ended(outcome) => state.end(number, &outcome, now),
                Fate::Resumed => claims.push(Claim {
                    number,
                    due,
                    missed: 0,
                    run,
                    _lock: lock,
                }),
            }
        }
        Ok(claims)
    }

    /// The free places for runs.
    fn places(&self, name: &str, state: &State, at_once: usize) -> io::Result<Vec<FreePlace>> {
        let mut places = Vec::new();
        let room = at_once.saturating_sub(state.open.len());
        for number in 0..at_once {
            if places.len() == room {
                break;
            }
            if state.open.iter().all(|note| note.place != number)
                && let Some(lock) = self.0.try_lock(&place_of(name, number))?
            {
                places.push(FreePlace { number, lock });
            }
        }
        Ok(places)
    }

    /// Changes a state, while no other process does.
    fn change<T>(
        &self,
        name: &str,
        change: impl FnOnce(&mut State) -> io::Result<T>,
    ) -> io::Result<T> {
        let file = file_of(name);
        let draft = self.0.draft(&file, || ())?;
        let before: Option<State> = self.read(&file)?;
        let mut state = before.clone().unwrap_or_default();
        let given = change(&mut state)?;
        if before.as_ref() != Some(&state) {
            draft.keep(&file, &serde_json::to_vec(&state)?)?;
            self.0.sync()?;
        }
        Ok(given)
    }

    /// The state in a file. A damaged one counts as missing: runs would never begin otherwise.
    fn read<T: serde::de::DeserializeOwned>(&self, name: &str) -> io::Result<Option<T>> {
        let Some(content) = self.content(name)? else {
            return Ok(None);
        };
        let read = serde_json::from_slice(&content);
        if let Err(error) = &read {
            let folder = self.0.path().display();
            tracing::warn!(%folder, name, %error, "a damaged file is begun anew");
        }
        Ok(read.ok())
    }

    /// The bytes of a file, bounded. None if the file is missing.
    fn content(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let file = match self.0.file(name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(STATE_BYTES).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }
}

fn file_of(name: &str) -> String {
    format!("{name}.json")
}

fn place_of(name: &str, number: usize) -> String {
    format!("{name}.place-{number}")
}
