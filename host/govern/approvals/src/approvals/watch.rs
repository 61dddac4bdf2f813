//! Looks for answers: at once for those that this process writes, and a few times a second for
//! those of others. While nothing in the folder changes, that is one look at the folder's time.

use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use tokio::task::spawn_blocking;

use super::{AnswerNotice, EVERY, Settlement, Shared};
use crate::answer::CallVerdict;
use crate::approval::ApprovalError;
use crate::error::QuestionError;
use crate::names::{Name, Part};
use crate::store::Store;

/// How often what is not needed any more is removed.
const SWEPT: Duration = Duration::from_hours(1);
/// Clocks of folders are coarse: what was changed this shortly before it was looked at is looked at
/// again.
const COARSE: Duration = Duration::from_secs(2);

/// Starts the task; it ends with what it is for.
pub(super) fn start(shared: &Arc<Shared>) {
    let store = shared.store.clone();
    let changed = store.0.changed.subscribe();
    tokio::spawn(run(Arc::downgrade(shared), store, changed));
}

async fn run(shared: Weak<Shared>, store: Store, mut changed: tokio::sync::watch::Receiver<()>) {
    let mut watched = FolderState::default();
    let mut swept: Option<Instant> = None;
    loop {
        let sweeps = swept.is_none_or(|at| at.elapsed() > SWEPT);
        let of = store.clone();
        let looked = spawn_blocking(move || {
            if sweeps && let Err(problem) = of.sweep() {
                tracing::warn!(%problem, "ended questions can't be removed");
            }
            let looked = watched.look(&of);
            (watched, looked)
        });
        let Ok((back, looked)) = looked.await else {
            return;
        };
        watched = back;
        if sweeps {
            swept = Some(Instant::now());
        }
        let Some(shared) = shared.upgrade() else {
            return;
        };
        match looked {
            Ok(new) => shared.settle(&watched.names, new).await,
            Err(problem) => {
                tracing::warn!(%problem, "people's answers can't be read");
            }
        }
        drop(shared);
        tokio::select! {
            told = changed.changed() => if told.is_err() { return },
            () = tokio::time::sleep(EVERY) => {}
        }
    }
}

/// What was seen of the folder.
#[derive(Debug, Default)]
struct FolderState {
    /// What the folder's time was, and when that was looked at.
    at: Option<(SystemTime, SystemTime)>,
    names: HashSet<Name>,
}

impl FolderState {
    /// The answers that are new. All that were there when it first looked are not.
    fn look(&mut self, store: &Store) -> Result<Vec<Name>, QuestionError> {
        let modified = std::fs::metadata(store.0.folder.path()).and_then(|found| found.modified());
        let (modified, now) = (modified?, SystemTime::now());
        let is_first = self.at.is_none();
        if let Some((before, looked)) = self.at
            && before == modified
            && looked
                .duration_since(modified)
                .is_ok_and(|age| age > COARSE)
        {
            return Ok(Vec::new());
        }
        let names: HashSet<Name> = store.names()?.into_iter().collect();
        let new = names
            .iter()
            .filter(|name| !is_first && name.part == Part::Answer && !self.names.contains(*name));
        let new = new.cloned().collect();
        self.names = names;
        self.at = Some((modified, now));
        Ok(new)
    }
}

impl Shared {
    /// Wakes the calls whose questions are over.
    async fn settle(self: &Arc<Self>, names: &HashSet<Name>, new: Vec<Name>) {
        let open: Vec<(Name, u64)> = {
            let open = self.open.lock();
            let questions = open.questions.iter();
            questions
                .map(|(name, waiting)| (name.clone(), waiting.question.expires_at))
                .collect()
        };
        let now = self.store.now();
        for (name, expires_at) in open {
            if names.contains(&name.with(Part::Answer)) {
                self.answered_to(&name).await;
            } else if !names.contains(&name) && self.is_gone(&name) {
                self.close(&name, &ApprovalError::Withdrawn);
            } else if now >= expires_at {
                self.close(&name, &ApprovalError::Expired);
            }
        }
        for name in new {
            // Nobody listens, perhaps.
            let _ = self.answered.send(AnswerNotice {
                run: name.run,
                question: name.id,
            });
        }
    }

    /// Whether the question is gone; it may have been asked since it was looked for.
    fn is_gone(&self, name: &Name) -> bool {
        matches!(self.store.question(name), Err(QuestionError::Missing(_)))
    }

    /// Wakes those calls that an answer is about; the others ask again.
    async fn answered_to(&self, name: &Name) {
        let (store, of) = (self.store.clone(), name.clone());
        let read = spawn_blocking(move || Ok((store.question(&of)?, store.given(&of)?)));
        let read: Result<_, QuestionError> = read
            .await
            .unwrap_or_else(|stopped| Err(QuestionError::Folder(std::io::Error::other(stopped))));
        let (question, given) = match read {
            Ok((question, Some(given))) => (question, given),
            // It does not count: the question stays open.
            Ok((_, None)) => return,
            Err(problem) => return self.close(name, &ApprovalError::fault(&problem)),
        };
        let Some(waiting) = self.open.lock().close(name) else {
            return;
        };
        for (number, settled) in waiting.calls {
            let mut calls = question.calls.iter().enumerate();
            let place = calls.rfind(|(_, call)| call.number == number);
            let said = place.map(|(place, call)| given.says_of(place, call));
            let _ = settled.send(match said {
                None | Some(CallVerdict::Nothing) => Settlement::Again,
                Some(_) => Settlement::Answered,
            });
        }
        self.tell_over(name.id);
    }

    fn close(&self, name: &Name, why: &ApprovalError) {
        let waiting = self.open.lock().close(name);
        for (_, settled) in waiting.into_iter().flat_map(|waiting| waiting.calls) {
            let _ = settled.send(Settlement::Not(why.clone()));
        }
        self.tell_over(name.id);
    }
}

#[cfg(test)]
impl Shared {
    /// Whether nothing waits, and nothing is remembered of runs.
    pub(crate) fn is_idle(&self) -> bool {
        let open = self.open.lock();
        open.questions.is_empty() && open.runs.is_empty()
    }

    /// Whether what was asked is being written.
    pub(crate) fn is_writing(&self) -> bool {
        let open = self.open.lock();
        let written = |run: &super::Run| run.asked > 0 && run.gathering.is_empty();
        open.questions.is_empty() && open.runs.values().any(written)
    }
}
