//! The end of a run: what it leaves in its session, its files and its record, and that it is not
//! parked any more; all of it or nothing.
//!
//! Where only one store has something to keep, that store does so at once. Where several have, each
//! promises first; then one file decides, and whoever finds a promise later goes by that
//! ([`ampoule_store::commit`]). So a process may be killed anywhere between.

use std::path::PathBuf;

use ampoule_isolate::{Ending, Outcome, Output, RunFiles, Usage};
use ampoule_store::commit::{Commit, Decision};
use ampoule_workspace::Promises;
use tokio::task::spawn_blocking;

use crate::governed::{Carried, Within};
use crate::parked::EndOfKept;
use crate::record::Recording;
use crate::session::{self, Opened};
use crate::workspace;

/// What a run may leave, and where.
pub(crate) struct Leaving {
    pub(crate) files: RunFiles,
    /// A run that was only tried leaves no files.
    pub(crate) may_keep: bool,
    pub(crate) session: Option<Box<Opened>>,
    pub(crate) record: Option<Recording>,
    pub(crate) parked: Option<EndOfKept>,
    pub(crate) within: Option<Within>,
}

/// What was promised.
type Promised = (Option<Promises>, Option<session::Promised>);

impl Leaving {
    /// Keeps what the run leaves, and says so in its outcome.
    pub(crate) async fn leave(mut self, mut outcome: Outcome) -> Outcome {
        let is_little = self.session.as_mut().is_none_or(|it| it.leaves_little());
        let alone = matches!(self.files, RunFiles::None) && self.record.is_none();
        if alone && self.parked.is_none() && is_little {
            self.keep(&mut outcome);
            return outcome;
        }
        let kept = spawn_blocking(move || {
            self.keep(&mut outcome);
            outcome
        });
        kept.await.unwrap_or_else(|_| {
            // It is the process that ends.
            Outcome::new(Ending::Cancelled, Output::default(), Usage::default())
        })
    }

    fn keep(mut self, outcome: &mut Outcome) {
        let commit = self.place(outcome).map(|place| Commit::within(&place));
        match commit {
            None => self.keep_one(outcome),
            Some(Ok(commit)) => self.keep_all(commit, outcome),
            Some(Err(error)) => {
                let promised = self.promised(outcome, None);
                self.take_back(promised, outcome, &error.to_string());
            }
        }
    }

    /// Where it is decided, if several stores may have something to keep.
    fn place(&self, outcome: &Outcome) -> Option<PathBuf> {
        let mut places = Vec::new();
        if let Some(session) = &self.session {
            places.push(session.place().to_owned());
            if session.asks_for_copies() {
                places.push(session.place().to_owned());
            }
        }
        places.extend(self.record.as_ref().map(|it| it.place().to_owned()));
        if self.may_keep {
            places.extend(workspace::places_changed(&self.files, outcome));
        }
        let several = places.len() + usize::from(self.parked.is_some()) > 1;
        places.into_iter().next().filter(|_| several)
    }

    /// Keeps what there is in one store.
    fn keep_one(&mut self, outcome: &mut Outcome) {
        let (mut files, mut session) = self.promised(outcome, None);
        if let Err(why) = self.announce(&session) {
            self.take_back((files, session), outcome, &why);
            return;
        }
        if let Some(files) = &mut files
            && let Err(problem) = files.keep()
        {
            outcome.ending = workspace::not_kept(&problem.advice_or_text());
        }
        if let Some(session) = &mut session {
            outcome.session = Some(match session.fulfil() {
                Ok(()) => session.end.clone(),
                Err(problem) => session.take_back(&problem.to_string()),
            });
        }
        if let Some(record) = &self.record {
            record.end(outcome, self.carried());
        }
    }

    /// Keeps what there is in several stores, or nothing.
    fn keep_all(&mut self, mut commit: Commit, outcome: &mut Outcome) {
        let decision = commit.decision();
        let (mut files, mut session) = self.promised(outcome, Some(&decision));
        let others = self.announce(&session).and_then(|()| {
            let promised = (files.as_ref(), session.as_ref());
            self.promise_others(&mut commit, promised, outcome)
        });
        let decided = others.and_then(|()| commit.decide().map_err(|error| error.to_string()));
        let decided = match decided {
            Ok(decided) => decided,
            Err(why) => return self.take_back((files, session), outcome, &why),
        };
        // From here on all of it is so, whatever becomes of this process.
        if let Some(files) = &mut files {
            files.decided();
            later(files.keep());
        }
        if let Some(session) = &mut session {
            later(session.fulfil());
        }
        if let Some(record) = &self.record {
            record.decided();
            record.fulfil(outcome);
        }
        if let Some(parked) = &self.parked {
            later(parked.fulfil());
        }
        decided.kept();
    }

    /// Promises what the run left in its files and its session; where that can't be, the outcome says
    /// so.
    fn promised(&mut self, outcome: &mut Outcome, decision: Option<&Decision>) -> Promised {
        let files = workspace::promise(&self.files, outcome, (self.may_keep, decision));
        let session = self.session.take();
        let session = session.and_then(|opened| opened.promise(outcome, decision));
        (files, session)
    }

    /// What is about to be done is on record before it is.
    fn announce(&self, session: &Option<session::Promised>) -> Result<(), String> {
        match (&self.within, session) {
            (Some(within), Some(session)) => within.leaves(&session.end),
            _ => Ok(()),
        }
    }

    /// Promises the rest, and tells the commit of all that was promised.
    fn promise_others(
        &self,
        commit: &mut Commit,
        (files, session): (Option<&Promises>, Option<&session::Promised>),
        outcome: &mut Outcome,
    ) -> Result<(), String> {
        let decision = commit.decision();
        let mut promises: Vec<PathBuf> = files.map(Promises::files).unwrap_or_default();
        if let Some(session) = session {
            outcome.session = Some(session.end.clone());
            promises.extend(session.files().map_err(|problem| problem.to_string())?);
        }
        if let Some(record) = &self.record {
            promises.extend(record.promise(outcome, (self.carried(), &decision)));
        }
        if let Some(parked) = &self.parked {
            let promised = parked.promise(outcome, &decision);
            promises.push(promised.map_err(|problem| problem.to_string())?);
        }
        let mut promises = promises.iter();
        let named = promises.try_for_each(|file| commit.promised(file));
        named.map_err(|error| error.to_string())
    }

    /// Nothing that was promised becomes so, and this is why. A record says how a run ended, so there
    /// is none of one that did not end as it says.
    fn take_back(&self, (files, session): Promised, outcome: &mut Outcome, why: &str) {
        tracing::error!(why, "what a run left is not kept");
        if files.is_some_and(|files| !files.is_empty()) {
            outcome.ending = workspace::not_kept(why);
        }
        if let Some(mut session) = session {
            outcome.session = Some(session.take_back(why));
        }
        if let Some(parked) = &self.parked {
            parked.take_back();
        }
    }

    fn carried(&self) -> Option<Carried> {
        self.within.as_ref()?.carried()
    }
}

/// What was decided is done by whoever comes next where it can't be done now.
fn later<T, E: std::fmt::Display>(done: Result<T, E>) {
    if let Err(error) = done {
        tracing::error!(%error, "something that a run left is put in its place later");
    }
}
