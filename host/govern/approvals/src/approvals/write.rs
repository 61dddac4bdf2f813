//! Calls that have gathered become a question, or are added to the one that is open.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::{GatheredCall, Settlement, Shared, Waiting, blocking};
use crate::names::Name;
use crate::question::{Caller, Kind, Question};

impl Shared {
    /// Asks about the calls of a run that have gathered.
    pub(super) async fn put(self: Arc<Self>, caller: Caller) {
        let writing = {
            let open = self.open.lock();
            open.runs
                .get(&caller.run)
                .map(|run| Arc::clone(&run.writing))
        };
        let Some(writing) = writing else { return };
        let _writing = writing.lock().await;
        let (gathered, name) = {
            let mut open = self.open.lock();
            let Some(run) = open.runs.get_mut(&caller.run) else {
                return;
            };
            (std::mem::take(&mut run.gathering), run.open.clone())
        };
        if gathered.is_empty() {
            return;
        }
        let calls: Vec<_> = gathered.iter().map(|one| one.call.clone()).collect();
        let asked = calls.len() as u64;
        let done = gathered
            .first()
            .map_or_else(Vec::new, |one| one.done.clone());
        let (store, run) = (self.store.clone(), caller.run.clone());
        let kept = blocking(move || {
            if let Some(name) = name
                && let Some(question) = store.extend(&name, &calls)?
            {
                return Ok((name, question));
            }
            let (now, limits) = (store.now(), store.limits());
            let question = Question::new(Kind::Calls, caller, calls, done, now, limits)?;
            Ok((store.put(&question)?, question))
        });
        let (name, question) = match kept.await {
            Ok((name, question)) => (name, Arc::new(question)),
            Err(why) => {
                for one in gathered {
                    let _ = one.settled.send(Settlement::Not(why.clone()));
                }
                return;
            }
        };
        self.asked.fetch_add(asked, Relaxed);
        if let Err(unwanted) = self.opened(&run, name, &question, gathered) {
            let (store, id) = (self.store.clone(), question.id);
            // Its calls learn that they are withdrawn, once this is so.
            let _ = blocking(move || store.withdraw(id)).await;
            drop(unwanted);
        }
    }

    /// The calls wait for the question's answer; or are returned, if the run has ended meanwhile.
    fn opened(
        &self,
        run: &str,
        name: Name,
        question: &Arc<Question>,
        gathered: Vec<GatheredCall>,
    ) -> Result<(), Vec<GatheredCall>> {
        let mut open = self.open.lock();
        match open.runs.get_mut(run) {
            Some(run) => run.open = Some(name.clone()),
            None => return Err(gathered),
        }
        let waiting = open.questions.entry(name).or_insert_with(|| Waiting {
            question: Arc::clone(question),
            calls: Vec::new(),
        });
        waiting.question = Arc::clone(question);
        let calls = gathered
            .into_iter()
            .map(|one| (one.call.number, one.settled));
        waiting.calls.extend(calls);
        drop(open);
        self.tell(question);
        // Somebody may have answered what it was before these calls were added.
        self.store.0.changed.send_replace(());
        Ok(())
    }
}
