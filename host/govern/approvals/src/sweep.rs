//! What is stored of questions is removed once it is useless.

use std::collections::HashMap;
use std::time::Duration;

use crate::answer::Answer;
use crate::error::QuestionError;
use crate::names::{Name, Part};
use crate::store::{State, Store};

impl Store {
    /// Removes what nobody can use any more: questions that expired, and answers that were good
    /// until then, each after the same time again; what belongs to no question; and what writers
    /// left that were killed. What can't be read stays for [`ApprovalLimits::good`] and is then
    /// removed, too.
    ///
    /// # Errors
    ///
    /// [`QuestionError::Folder`].
    ///
    /// [`ApprovalLimits::good`]: crate::ApprovalLimits::good
    pub fn sweep(&self) -> Result<(), QuestionError> {
        self.0.folder.sweep_drafts();
        let mut files: HashMap<_, Vec<Name>> = HashMap::new();
        for name in self.names()? {
            files.entry(name.id).or_default().push(name);
        }
        let now = self.now();
        for of_one in files.values() {
            if self.ends(of_one) > now {
                continue;
            }
            // The question first: without it, the rest allows nothing.
            let mut of_one: Vec<_> = of_one.iter().collect();
            of_one.sort_by_key(|name| name.part != Part::Question);
            for name in of_one {
                self.0.folder.clear(&name.to_string())?;
            }
        }
        self.sweep_spent(now)
    }

    /// Until when the files of a question are kept, in seconds since 1970.
    fn ends(&self, files: &[Name]) -> u64 {
        let good = self.0.limits.good.as_secs();
        let question = files.iter().find(|name| name.part == Part::Question);
        match question.map(|name| self.listed(name)) {
            Some(Ok(found)) => match found.state {
                State::Answered(given) => {
                    let standing = match given.answer {
                        Answer::AllowSession { until } => until,
                        _ => 0,
                    };
                    standing.max(given.good_until(&self.0.limits) + good)
                }
                State::Open | State::Expired => found.question.expires_at + good,
            },
            // Useless, except perhaps to an operator who looks for what happened.
            _ => {
                let written = files
                    .iter()
                    .filter_map(|name| self.written(&name.to_string()));
                written.max().map_or(0, |written| written + good)
            }
        }
    }

    /// When a file was written, in seconds since 1970.
    fn written(&self, name: &str) -> Option<u64> {
        let written = self.0.folder.metadata(name).ok()?.modified().ok()?;
        let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(since.as_secs())
    }

    /// Removes the names of sealed states that were used, and are over.
    fn sweep_spent(&self, now: u64) -> Result<(), QuestionError> {
        let kept = (self.0.limits.expires + Duration::from_hours(24)).as_secs();
        for name in self.0.folder.names()? {
            let over = || {
                self.written(&name)
                    .is_some_and(|written| written + kept < now)
            };
            if name.ends_with(crate::seal::SPENT) && over() {
                self.0.folder.clear(&name)?;
            }
        }
        Ok(())
    }
}
