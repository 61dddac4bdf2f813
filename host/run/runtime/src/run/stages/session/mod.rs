//! Runs of a session. `open_session`: what they begin with, and what becomes of what they leave.

mod open_session;

use std::ops::ControlFlow;
use std::path::PathBuf;

use ampoule_isolate::{Code, Outcome};
use ampoule_store::commit::Decision;
use ampoule_tools::Error;

use self::open_session::{OpenSession, RunOfSession, SessionPromise};
use super::{Cancellation, never_begun, step};
use crate::governed::CarriedData;
use crate::run::commit::{Durable, End, Places, later};
use crate::run::draft::Draft;
use crate::run::isolate::Isolate;

/// Which session a run is one of.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// Its name; none of a run that is of no session.
    pub(crate) name: Option<String>,
    /// A run that throws is kept, too.
    pub(crate) keeps_always: bool,
}

/// The session of a run, until what the run leaves is promised; and what is promised from then on.
#[derive(Default)]
pub(in crate::run) struct Open {
    opened: Option<Box<OpenSession>>,
    /// In a box, as most runs promise nothing, and have the room of this all the same.
    promised: Option<Box<SessionPromise>>,
}

impl Isolate {
    /// Makes it a run of a session: the script finds what the [kept](crate::SessionEnd::kept) runs of
    /// this name left, of the same [principal](Self::principal), and leaves its own top-level names
    /// to the next one. It is kept if it comes to its end: a run that throws, hits a limit or is
    /// cancelled leaves the session as it was. One run of a session is under way at a time; others
    /// wait, as long as they would for an isolate. The grant and the limits are the run's own, as
    /// are its clocks and its entropy.
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.request.stages.session.name = Some(name.into());
        self
    }

    /// Keeps what a run of a session left where it threw, too. After a limit, and where it was
    /// cancelled, there is nothing to keep: it was in the middle of something.
    pub fn keep_always(mut self) -> Self {
        self.request.stages.session.keeps_always = true;
        self
    }
}

impl Options {
    /// Waits for the session, and puts what the run begins with into the draft. Breaks off where the
    /// run is cancelled meanwhile.
    pub(super) async fn open(
        self,
        draft: &mut Draft,
        cancelled: &mut impl Cancellation,
    ) -> Result<ControlFlow<Outcome, Open>, Error> {
        step("opens", "session");
        let Some(name) = self.name else {
            return Ok(ControlFlow::Continue(Open::default()));
        };
        tokio::select! {
            biased;
            // Apart, since most runs are of no session: what this keeps would be in all of them.
            opened = Box::pin(Open::of(name, self.keeps_always, draft)) => opened.map(ControlFlow::Continue),
            () = cancelled => Ok(ControlFlow::Break(never_begun())),
        }
    }
}

impl Open {
    async fn of(name: String, always: bool, draft: &mut Draft) -> Result<Self, Error> {
        let wanted = draft.guest();
        let script = match &mut draft.code {
            Code::Script(script) => script,
            Code::Component(_) => {
                return Err(Error::request("a component can't run in a session"));
            }
            Code::Call(_) | Code::Undo(_) => {
                return Err(Error::request("calls without a script have no session"));
            }
        };
        let principal = draft.setup.principal.as_ref();
        let run = RunOfSession {
            always,
            language: script.language(),
            wanted,
        };
        let opening = OpenSession::open(&draft.runtime, principal, name, run);
        let (opened, resume) = opening.await?;
        opened.name(script);
        draft.guest = Some(opened.guest);
        draft.setup.session = Some(Box::new(resume));
        Ok(Self {
            opened: Some(Box::new(opened)),
            promised: None,
        })
    }

    /// The number of the session's newest run when this one began; none of a run that is of no
    /// session.
    pub(super) fn newest(&self) -> Option<u64> {
        Some(self.opened.as_ref()?.run)
    }

    /// The run is one that began when this was the session's newest.
    pub(super) fn since(&mut self, run: u64) {
        if let Some(opened) = &mut self.opened {
            opened.has_changed = opened.run != run;
        }
    }

    /// What the session's runs have read, as far as policies care; those, too, of which nothing is
    /// left.
    pub(super) fn carried(&self) -> impl Iterator<Item = &CarriedData> {
        self.opened.iter().flat_map(|opened| &opened.before)
    }
}

impl Durable for Open {
    fn name(&self) -> &'static str {
        "session"
    }

    fn is_little(&mut self) -> bool {
        self.opened
            .as_mut()
            .is_none_or(|opened| opened.leaves_little())
    }

    fn places(&self, _: &End) -> Places {
        let Some(opened) = &self.opened else {
            return Places::default();
        };
        Places {
            things: 1 + usize::from(opened.asks_for_copies()),
            first: Some(opened.session.place().to_owned()),
        }
    }

    fn prepare(&mut self, end: &mut End) {
        if let Some(mut opened) = self.opened.take() {
            opened.carried = end.carried();
            self.promised = opened.promise(end).map(Box::new);
        }
    }

    fn announce(&self, end: &End) -> Result<(), String> {
        match (end.oversight(), &self.promised) {
            (Some(oversight), Some(promised)) => oversight.leaves(&promised.end),
            _ => Ok(()),
        }
    }

    fn promise(&mut self, end: &mut End, _: &Decision) -> Result<Vec<PathBuf>, String> {
        let Some(promised) = &self.promised else {
            return Ok(Vec::new());
        };
        end.outcome.session = Some(promised.end.clone());
        promised.files().map_err(|problem| problem.to_string())
    }

    fn keep(&mut self, end: &mut End) {
        let Some(promised) = &mut self.promised else {
            return;
        };
        let kept = promised.fulfil();
        if end.decision.is_some() {
            later(kept);
        } else {
            end.outcome.session = Some(match kept {
                Ok(()) => promised.end.clone(),
                Err(problem) => promised.take_back(&problem.to_string()),
            });
        }
    }

    fn take_back(&mut self, end: &mut End, why: &str) {
        if let Some(mut promised) = self.promised.take() {
            end.outcome.session = Some(promised.take_back(why));
        }
    }
}
