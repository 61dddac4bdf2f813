//! Questions of runs that sleep: their calls are not made again before somebody has answered, so
//! that nothing waits for the answer here but who wakes the run.

use std::sync::Arc;

use super::{Approvals, Waiting, blocking};
use crate::approval::ApprovalError;
use crate::names::Part;

impl Approvals {
    /// Asks in this process what a run had asked that sleeps, in all places that reach somebody.
    ///
    /// # Errors
    ///
    /// [`ApprovalError::Failed`]: the questions can't be read.
    pub async fn recall(&self, run: &str) -> Result<(), ApprovalError> {
        let (store, of) = (self.0.store.clone(), run.to_owned());
        let read = move || {
            let names = store.names()?.into_iter();
            let theirs = names.filter(|name| name.part == Part::Question && name.run == of);
            let mut open = Vec::new();
            for name in theirs {
                // One that can't be read, or is gone, nobody can answer.
                if let Ok(question) = store.question(&name)
                    && store.is_open(&question)
                    && store.given(&name)?.is_none()
                {
                    open.push((name, Arc::new(question)));
                }
            }
            Ok(open)
        };
        for (name, question) in blocking(read).await? {
            let is_new = {
                let mut open = self.0.open.lock();
                let is_new = !open.questions.contains_key(&name);
                open.questions.entry(name).or_insert_with(|| Waiting {
                    question: Arc::clone(&question),
                    calls: Vec::new(),
                });
                is_new
            };
            if is_new {
                self.0.tell(&question);
            }
        }
        // It may have been answered meanwhile.
        self.0.store.0.changed.send_replace(());
        Ok(())
    }
}
