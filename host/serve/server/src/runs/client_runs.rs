//! A principal's runs between requests: runs that wait for their client's answer to a question, and
//! runs in the background, which were started with `wait` or became a task. Results of the latter
//! can be fetched for an hour.

use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule::RunId;
use ampoule_approvals::SealedQuestion;
use futures::FutureExt;
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::task::AbortOnDropHandle;

use super::answer::Answer;
use super::handle::RunHandle;
use crate::content::text::quoted;

/// How many runs of a principal's wait for their client's answer at once.
const WAITING: usize = 16;
/// How long one waits. Its own time stands still meanwhile.
const LONGEST: Duration = Duration::from_mins(10);
/// How many runs of a principal may be active in the background at once.
const UNDER_WAY: usize = 64;
/// How long their results are kept.
pub(crate) const KEPT_FOR: Duration = Duration::from_hours(1);

/// How much is stored of a principal's ended runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// How many of them.
    pub(crate) runs: usize,
    /// How much of what they gave, in bytes; of the latest all, however much that is.
    pub(crate) bytes: usize,
    /// For how long.
    pub(crate) time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            runs: 100,
            bytes: 16 << 20,
            time: KEPT_FOR,
        }
    }
}

/// A principal's runs. Clones are the same.
#[derive(Clone)]
pub(crate) struct ClientRuns {
    list: Arc<Mutex<List>>,
    bounds: Bounds,
}

/// The oldest first.
#[derive(Default)]
struct List {
    runs: VecDeque<Entry>,
    last_state: u64,
}

/// A run that is kept because its client has to answer, because it runs in the background, or both.
struct Entry {
    run: RunHandle,
    /// Under which its client comes back with an answer.
    states: Vec<State>,
    /// None where it ends if its client does not come back.
    lasting: Option<Lasting>,
}

/// What a client keeps while it finds out the answer.
struct State {
    name: String,
    /// It has to be opened.
    is_sealed: bool,
}

/// A run in the background.
struct Lasting {
    /// How much it gave, in bytes, once it is over.
    ended: Option<usize>,
    /// Its client has been asked something, and comes back with the answer.
    is_asked: bool,
    /// Carries the run to its end, and forgets it an hour later.
    _driver: AbortOnDropHandle<()>,
}

/// The questions in an answer to a client.
pub(crate) struct OpenQuestions {
    pub(crate) requests: BTreeMap<String, Value>,
    /// Under which the client comes back.
    pub(crate) state: String,
}

impl ClientRuns {
    pub(super) fn new(bounds: Bounds) -> Self {
        let list = Arc::default();
        Self { list, bounds }
    }

    /// Holds a run that has questions, until its client comes back. The run is returned if it
    /// continues without. For approvals, the client keeps a sealed state, and the run outlives a
    /// slow client, if there is room.
    pub(crate) fn hold(
        &self,
        run: RunHandle,
        seal: impl FnOnce(&SealedQuestion) -> Option<String>,
    ) -> Result<OpenQuestions, Box<RunHandle>> {
        let mut list = self.list.lock();
        let waiting: usize = list.runs.iter().map(|entry| entry.states.len()).sum();
        if waiting >= WAITING {
            // What it asks is found by looking.
            run.wants();
            let why = format!("too many runs wait for the client ({WAITING})");
            run.refuse(&why, true);
            return Err(Box::new(run));
        }
        let requests = run.wants();
        if requests.is_empty() {
            return Err(Box::new(run));
        }
        list.last_state += 1;
        let sealed = run.asks_about().and_then(|about| seal(&about));
        let is_sealed = sealed.is_some();
        let name = sealed.unwrap_or_else(|| format!("{}-{}", run.id(), list.last_state));
        if is_sealed && !list.has_lasting(run.id()) && list.under_way() < UNDER_WAY {
            self.make_lasting(&mut list, run.clone(), true);
        }
        let state = State {
            name: name.clone(),
            is_sealed,
        };
        match list.runs.iter_mut().find(|it| it.run.id() == run.id()) {
            Some(entry) => entry.states.push(state),
            None => list.runs.push_back(Entry {
                run,
                states: vec![state],
                lasting: None,
            }),
        }
        drop(list);
        let (weak, state) = (Arc::downgrade(&self.list), name.clone());
        tokio::spawn(async move {
            tokio::time::sleep(LONGEST).await;
            let list = weak.upgrade();
            if let Some(run) = list.and_then(|list| list.lock().take(&state)) {
                run.refuse("the client did not answer", false);
                tracing::info!(run = %run.id(), "the client of a run did not answer");
            }
        });
        Ok(OpenQuestions {
            requests,
            state: name,
        })
    }

    /// Whether a run waits under this state, which is not sealed.
    pub(crate) fn waits_under_plain(&self, state: &str) -> bool {
        let list = self.list.lock();
        let mut states = list.runs.iter().flat_map(|entry| &entry.states);
        states.any(|it| it.name == state && !it.is_sealed)
    }

    /// The run that waits under this state. Its client is back.
    pub(crate) fn take(&self, state: &str) -> Option<RunHandle> {
        self.list.lock().take(state)
    }

    /// Checks that one more run may start in the background.
    ///
    /// # Errors
    ///
    /// What to do instead.
    pub(crate) fn have_room(&self) -> Result<(), String> {
        match self.under_way() < UNDER_WAY {
            true => Ok(()),
            false => Err(format!(
                "too many runs in the background ({UNDER_WAY}): wait for one, cancel one, or run this without `wait`"
            )),
        }
    }

    /// How many of those have not ended.
    fn under_way(&self) -> usize {
        self.list.lock().under_way()
    }

    /// Whether there are runs that would end if these were forgotten.
    pub(super) fn are_under_way(&self) -> bool {
        let list = self.list.lock();
        list.under_way() > 0 || list.runs.iter().any(|entry| !entry.states.is_empty())
    }

    /// Whether there are no runs in the background, active or ended.
    pub(crate) fn none_last(&self) -> bool {
        self.list.lock().lasting().next().is_none()
    }

    /// Lets a run continue in the background.
    pub(crate) fn add(&self, run: RunHandle) {
        self.make_lasting(&mut self.list.lock(), run, false);
    }

    fn make_lasting(&self, list: &mut List, run: RunHandle, is_asked: bool) {
        let (weak, id, answer) = (Arc::downgrade(&self.list), run.id(), run.answer.clone());
        let bounds = self.bounds;
        // Its end is noted after it is there: the list is locked.
        let driver = tokio::spawn(async move {
            if let Ok(answer) = AssertUnwindSafe(answer).catch_unwind().await {
                ended(&weak, bounds, id, &answer);
                tokio::time::sleep(bounds.time).await;
            }
            forget(&weak, id);
        });
        let at = list.runs.iter().position(|entry| entry.run.id() == id);
        let known = at.and_then(|at| list.runs.remove(at));
        list.runs.push_back(Entry {
            run,
            states: known.map(|entry| entry.states).unwrap_or_default(),
            lasting: Some(Lasting {
                ended: None,
                is_asked,
                _driver: AbortOnDropHandle::new(driver),
            }),
        });
    }

    /// The run that a client means, by its id or the beginning of that.
    pub(crate) fn find(&self, id: &str) -> Option<RunHandle> {
        let list = self.list.lock();
        let found = list.lasting().find(|run| run.id().is_meant_by(id));
        found.cloned()
    }

    /// The same.
    ///
    /// # Errors
    ///
    /// The error for an unknown run.
    pub(crate) fn named(&self, id: &str) -> Result<RunHandle, String> {
        self.find(id).ok_or_else(|| {
            format!(
                "unknown run `{}`: outcomes of runs started with `wait` are kept for an hour, of the last {}; run the code again",
                quoted(id),
                self.bounds.runs
            )
        })
    }

    /// All runs in the background, the oldest first.
    pub(crate) fn all(&self) -> Vec<RunHandle> {
        self.list.lock().lasting().cloned().collect()
    }

    /// Whether a run is among those.
    pub(crate) fn has(&self, id: RunId) -> bool {
        self.list.lock().has_lasting(id)
    }

    /// The client of a run is back with its answer: if the run was kept only for that, a request
    /// has to wait for it again.
    pub(crate) fn forget_asked(&self, id: RunId) {
        let is_asked = |entry: &Entry| {
            entry.run.id() == id && entry.lasting.as_ref().is_some_and(|it| it.is_asked)
        };
        let is_there = self.list.lock().runs.iter().any(is_asked);
        if is_there {
            self.forget(id);
        }
    }

    /// Forgets a run: it ends, if it has not.
    pub(crate) fn forget(&self, id: RunId) {
        forget(&Arc::downgrade(&self.list), id);
    }
}

impl List {
    /// The runs in the background.
    fn lasting(&self) -> impl Iterator<Item = &RunHandle> {
        let lasting = self.runs.iter().filter(|entry| entry.lasting.is_some());
        lasting.map(|entry| &entry.run)
    }

    fn has_lasting(&self, id: RunId) -> bool {
        self.lasting().any(|run| run.id() == id)
    }

    fn under_way(&self) -> usize {
        let lasting = self.runs.iter().filter_map(|entry| entry.lasting.as_ref());
        lasting.filter(|lasting| lasting.ended.is_none()).count()
    }

    fn take(&mut self, state: &str) -> Option<RunHandle> {
        let is_it = |it: &State| it.name == state;
        let has_it = |entry: &Entry| entry.states.iter().any(is_it);
        let at = self.runs.iter().position(has_it)?;
        let entry = &mut self.runs[at];
        entry.states.retain(|it| !is_it(it));
        let run = entry.run.clone();
        if entry.states.is_empty() && entry.lasting.is_none() {
            self.runs.remove(at);
        }
        Some(run)
    }

    /// Stops keeping a run: only waiting requests keep it. The caller drops the returned values
    /// after unlocking the list: dropping takes time, and other locks.
    fn end_lasting(&mut self, at: usize) -> Option<(Option<Lasting>, Option<Entry>)> {
        let entry = self.runs.get_mut(at)?;
        let lasting = entry.lasting.take();
        let is_over = entry.states.is_empty();
        Some((lasting, is_over.then(|| self.runs.remove(at)).flatten()))
    }
}

/// Records the end of a run. The oldest ended runs are removed to make room.
fn ended(list: &Weak<Mutex<List>>, bounds: Bounds, id: RunId, answer: &Answer) {
    let Some(list) = list.upgrade() else {
        return;
    };
    let bytes = answer.bytes();
    let mut gone = Vec::new();
    let mut list = list.lock();
    let lasting = list.runs.iter_mut().find(|entry| entry.run.id() == id);
    if let Some(lasting) = lasting.and_then(|entry| entry.lasting.as_mut()) {
        lasting.ended = Some(bytes);
    }
    loop {
        let ended = |entry: &Entry| entry.lasting.as_ref().and_then(|lasting| lasting.ended);
        let (count, bytes) = (list.runs.iter().filter_map(ended))
            .fold((0, 0_usize), |(count, sum), bytes| {
                (count + 1, sum.saturating_add(bytes))
            });
        let oldest = |entry: &Entry| ended(entry).is_some() && entry.run.id() != id;
        match list.runs.iter().position(oldest) {
            Some(oldest) if count > bounds.runs || bytes > bounds.bytes => {
                gone.extend(list.end_lasting(oldest));
            }
            _ => break,
        }
    }
}

fn forget(list: &Weak<Mutex<List>>, id: RunId) {
    let Some(list) = list.upgrade() else {
        return;
    };
    let mut list = list.lock();
    let at = list.runs.iter().position(|entry| entry.run.id() == id);
    let gone = at.and_then(|at| list.end_lasting(at));
    drop(list);
    drop(gone);
}
