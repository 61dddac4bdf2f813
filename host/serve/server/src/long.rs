//! Runs that go on though nobody waits for them: those that were started with `wait`, and those
//! that became a task. What they gave can be fetched for an hour.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};
use std::time::Duration;

use ampoule::RunId;
use futures::FutureExt;
use parking_lot::Mutex;
use rmcp::model::{CallToolResult, ContentBlock};
use tokio_util::task::AbortOnDropHandle;

use super::cut::{self, Room};
use super::held::UnderWay;
use super::incoming::quoted;
use super::tools::ExecuteCode;

/// How many of a principal's may be under way at once.
const UNDER_WAY: usize = 64;
/// For how long what they gave is kept.
pub(super) const KEPT_FOR: Duration = Duration::from_hours(1);

/// How much is kept of a principal's runs that have ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// How many of them.
    pub(super) runs: usize,
    /// How much of what they gave, in bytes; of the latest all, however much that is.
    pub(super) bytes: usize,
    /// For how long.
    pub(super) time: Duration,
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

/// How long a client may wait; no run takes as long.
const LONGEST_WAIT: Duration = Duration::from_hours(24);

/// A principal's runs that nobody need wait for, the oldest first. Clones are the same.
#[derive(Clone)]
pub(super) struct LongRuns {
    runs: Arc<Mutex<VecDeque<Long>>>,
    bounds: Bounds,
}

struct Long {
    run: UnderWay,
    /// How much it gave, in bytes, once it is over.
    ended: Option<usize>,
    /// Its client has been asked something, and comes back with the answer.
    is_held: bool,
    /// Carries the run to its end, and forgets it an hour later.
    _driver: AbortOnDropHandle<()>,
}

impl LongRuns {
    pub(super) fn new(bounds: Bounds) -> Self {
        let runs = Arc::default();
        Self { runs, bounds }
    }

    /// Whether one more may be started.
    ///
    /// # Errors
    ///
    /// What to do instead.
    pub(super) fn have_room(&self) -> Result<(), String> {
        match self.under_way() < UNDER_WAY {
            true => Ok(()),
            false => Err(format!(
                "{UNDER_WAY} runs are under way already that nobody need wait for: wait for one of them, cancel one, or run this without `wait`"
            )),
        }
    }

    /// How many of them have not ended.
    pub(super) fn under_way(&self) -> usize {
        let runs = self.runs.lock();
        runs.iter().filter(|long| long.ended.is_none()).count()
    }

    /// Has a run go on though nobody waits for it.
    pub(super) fn add(&self, run: UnderWay) {
        self.put(run, false);
    }

    /// Has one go on whose client may need long to ask its person, if there is room.
    pub(super) fn add_held(&self, run: UnderWay) {
        if !self.has(run.id) && self.have_room().is_ok() {
            self.put(run, true);
        }
    }

    /// The client of such a run is back.
    pub(super) fn forget_held(&self, id: RunId) {
        let is_held = |long: &Long| long.run.id == id && long.is_held;
        if self.runs.lock().iter().any(is_held) {
            self.forget(id);
        }
    }

    fn put(&self, run: UnderWay, is_held: bool) {
        let (runs, id, answer) = (Arc::downgrade(&self.runs), run.id, run.answer.clone());
        let bounds = self.bounds;
        // Its end is noted after it is there.
        let mut all = self.runs.lock();
        let driver = tokio::spawn(async move {
            if let Ok(answer) = AssertUnwindSafe(answer).catch_unwind().await {
                ended(&runs, bounds, id, &answer);
                tokio::time::sleep(bounds.time).await;
            }
            forget(&runs, id);
        });
        let progress = run.progress.unheard();
        all.push_back(Long {
            run: run.telling(progress),
            ended: None,
            is_held,
            _driver: AbortOnDropHandle::new(driver),
        });
    }

    /// The run that a client means.
    pub(super) fn find(&self, id: &str) -> Option<UnderWay> {
        let runs = self.runs.lock();
        let found = runs.iter().find(|long| long.run.id.is_meant_by(id));
        found.map(|long| long.run.clone())
    }

    /// All of them, the oldest first.
    pub(super) fn all(&self) -> Vec<UnderWay> {
        let runs = self.runs.lock();
        runs.iter().map(|long| long.run.clone()).collect()
    }

    /// Whether there are none, not even such as have ended.
    pub(super) fn are_none(&self) -> bool {
        self.runs.lock().is_empty()
    }

    /// Whether it is among them.
    pub(super) fn has(&self, id: RunId) -> bool {
        self.runs.lock().iter().any(|long| long.run.id == id)
    }

    /// Forgets a run: it ends, if it has not.
    pub(super) fn forget(&self, id: RunId) {
        forget(&Arc::downgrade(&self.runs), id);
    }
}

/// Takes note of the end of a run. The oldest that have ended give way to it.
fn ended(runs: &Weak<Mutex<VecDeque<Long>>>, bounds: Bounds, id: RunId, answer: &CallToolResult) {
    let Some(runs) = runs.upgrade() else {
        return;
    };
    let bytes = serde_json::to_vec(answer).map_or(usize::MAX, |json| json.len());
    let mut gone = Vec::new();
    let mut runs = runs.lock();
    if let Some(long) = runs.iter_mut().find(|long| long.run.id == id) {
        long.ended = Some(bytes);
    }
    loop {
        let ended = runs.iter().filter_map(|long| long.ended);
        let (count, bytes) = ended.fold((0, 0_usize), |(count, sum), bytes| {
            (count + 1, sum.saturating_add(bytes))
        });
        let oldest = runs
            .iter()
            .position(|long| long.ended.is_some() && long.run.id != id);
        match oldest {
            Some(oldest) if count > bounds.runs || bytes > bounds.bytes => {
                gone.extend(runs.remove(oldest))
            }
            _ => break,
        }
    }
}

/// How long a client waits.
pub(super) fn seconds(wait: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(wait)
        .map(|wait| wait.min(LONGEST_WAIT))
        .map_err(|_| format!("`wait` must be a number of seconds, not {wait}"))
}

/// The run that a client wants to go on with, or to end.
pub(super) fn found(
    runs: &LongRuns,
    id: &str,
    arguments: &ExecuteCode,
) -> Result<UnderWay, String> {
    if arguments.code.is_some() {
        let both = "`run` waits for a run that is under way, `code` starts one: give one of them";
        return Err(both.to_owned());
    }
    let Some(run) = runs.find(id) else {
        return Err(format!(
            "there is no run `{}`: of runs that were started with `wait`, the outcome is kept for an hour, of the last {}; run the code again",
            quoted(id),
            runs.bounds.runs
        ));
    };
    if arguments.cancel {
        run.cancel.cancel();
    }
    Ok(run)
}

/// What is said of a run that goes on.
pub(super) fn so_far(run: &UnderWay) -> CallToolResult {
    /// How many tokens of what it printed are shown.
    const TOKENS: usize = 1000;
    let id = run.id.short();
    let mut text = format!(
        "Run {id} goes on ({}). To wait for it: {{\"run\":\"{id}\"}}, with \"cancel\":true to end it.",
        run.progress.message()
    );
    if run.progress.waits.what().is_some() {
        text += " Only a person can allow what it waits for: tell yours; nothing that you call does it.";
    }
    let (printed, whole) = run.seen.printed();
    if !printed.is_empty() {
        let room = Room {
            bytes: usize::MAX,
            tokens: TOKENS,
        };
        text += match whole {
            true => " It has printed so far:\n",
            false => " It has printed, last:\n",
        };
        text += &cut::text(&printed, room);
    }
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn forget(runs: &Weak<Mutex<VecDeque<Long>>>, id: RunId) {
    let Some(runs) = runs.upgrade() else {
        return;
    };
    let mut runs = runs.lock();
    let at = runs.iter().position(|long| long.run.id == id);
    let gone = at.and_then(|at| runs.remove(at));
    // What is dropped with it takes its time, and locks of others.
    drop(runs);
    drop(gone);
}
