//! What a run has besides its isolate, in stages: each in a file of its own, and all of them known
//! here alone. `options` has what a run asks of those that can be asked for something.
//!
//! A stage has these forms, one after the other. One that a run does not have goes through the same
//! forms, and does nothing.
//!
//! - `Options`: what the run asks of it. Plain data, which a dry run of the same has, too.
//! - `Preparation::of(&mut Isolate, …)`: once, before anything is waited for, in those stages that
//!   change what the run sees. It may not wait; an error keeps the run from being started.
//! - `open(&mut Draft)`: once, before the run begins. It may wait, and puts what it has into the
//!   draft. It may not count on a stage that opens later, and nothing of it may have an effect that
//!   dropping does not undo. Where it fails, those that are open are dropped, and that is the
//!   outcome.
//! - `start(&mut Draft)`: once, after all are open, in those stages that need what others have.
//! - `close(…)`: once, when the run has ended. It may change the outcome, and may not lose it. It
//!   does not happen to a run that is dropped or fails before it begins: dropping has to do.
//! - [`Durable`]: the part of a stage that keeps something on disk. It takes part in the one
//!   [commit](super::commit) at the end of the run.
//!
//! Each says that it happens by a [`step`], first of all: see `steps`.
//!
//! The two orders do not mirror each other. Governance starts late, since it has to know what the
//! session, the skills and the files of the run carry; and it closes after the commit, since a
//! person may be asked about what is shown, while what the run leaves is what was real.

mod files;
pub(super) mod governed;
mod nesting;
mod options;
mod parked;
mod preview;
mod record;
mod replay;
pub(super) mod session;
mod skills;
mod steps;
#[cfg(test)]
mod tests;
pub(super) mod undo;

use std::ops::ControlFlow;
use std::path::PathBuf;

use ampoule_isolate::Outcome;
use ampoule_tools::{Catalog, Error};

pub(super) use self::options::StageOptions;
pub(super) use self::steps::{Cancellation, never_begun, step};
use super::commit::{Durable, DurableParts, End, commit};
use super::draft::Draft;
use super::isolate::Isolate;

/// The stages of a run that has not begun.
pub(super) struct Preparation {
    preview: preview::Preparation,
    nesting: nesting::Preparation,
    skills: skills::Preparation,
    record: record::Preparation,
    options: StageOptions,
}

/// The stages of a run that are open. Those that are not open yet are as those that the run does not
/// have. Where this is dropped, they are dropped in this order.
#[derive(Default)]
pub(super) struct Open {
    nesting: nesting::Open,
    governed: governed::Open,
    files: files::Open,
    session: session::Open,
    record: record::Open,
    parked: parked::Open,
    undo: undo::Open,
    is_dry_run: bool,
}

/// What a run leaves, for the commit.
struct CommitInputs {
    files: files::Changes,
    session: session::Open,
    record: record::Open,
    parked: parked::Ending,
}

impl Preparation {
    /// The order in which stages are prepared. Gives the catalog as the run sees it.
    pub(super) fn of(isolate: &mut Isolate) -> Result<(Self, Catalog), Error> {
        if isolate.request.code.is_only_checked() {
            isolate.request.stages.check_only();
        }
        let preview = preview::Preparation::of(isolate)?;
        let mut catalog = isolate.catalog()?;
        let nesting = nesting::Preparation::of(isolate, &catalog);
        let skills = skills::Preparation::of(isolate, &catalog)?;
        let record = record::Preparation::of(isolate, &mut catalog);
        let prepared = Self {
            preview,
            nesting,
            skills,
            record,
            options: std::mem::take(&mut isolate.request.stages),
        };
        Ok((prepared, catalog))
    }

    /// The order in which stages open and start. Breaks off with the outcome where the run is over
    /// before it begins.
    pub(super) async fn open(
        self,
        open: &mut Open,
        draft: &mut Draft,
        cancelled: &mut impl Cancellation,
    ) -> Result<ControlFlow<Outcome>, Error> {
        let options = self.options;
        draft.mode = options.governed.mode;
        open.is_dry_run = draft.mode.is_dry_run();

        let session = options.session.name.as_deref();
        let previewed = self.preview.open(draft, session, cancelled).await?;
        if previewed.is_break() {
            return Ok(previewed);
        }
        self.skills.open(draft).await?;
        // From now on all of the script is known.
        draft.guest = Some(draft.guest());
        open.undo = open_undo(options.undo, draft).await?;
        open.parked = options.parked.open(draft)?;
        open.record = self.record.open(draft);
        match options.session.open(draft, cancelled).await? {
            ControlFlow::Continue(session) => open.session = session,
            ControlFlow::Break(outcome) => return Ok(ControlFlow::Break(outcome)),
        }
        options.files.open(draft).await?;
        open.parked.check(draft)?;
        replay::open(draft);

        open.record.start(draft, &open.session).await;
        open.governed = governed::Open::start(draft, &open.session).await?;
        open.nesting = self.nesting.start(draft, &open.governed);
        open.files = files::Open::start(draft, &open.governed);
        open.parked.start(draft, &mut open.session, &open.governed);
        Ok(ControlFlow::Continue(()))
    }
}

/// What the run takes back, and where it offers something. A run that is only tried, or run again,
/// does neither, and what takes something back offers nothing.
async fn open_undo(options: undo::Options, draft: &mut Draft) -> Result<undo::Open, Error> {
    step("opens", "undo");
    draft.carried.extend(options.carried.iter().cloned());
    if !draft.origin.is_live() || draft.mode.is_dry_run() {
        return Ok(undo::Open::default());
    }
    let is_undo = undo::of(&draft.code).is_some();
    let has_own = draft.access.bindings.iter().any(|it| it.has_undo());
    let may_offer = !is_undo && (has_own || draft.runtime.has_undo());
    let offering = may_offer.then(|| {
        Box::new(undo::Offering {
            offers: draft.runtime.undo_offers().clone(),
            principal: draft.setup.principal.clone(),
            grant: draft.access.grant.clone(),
        })
    });
    options.open(offering).await
}

impl Open {
    /// The run begins.
    pub(super) fn begin(&mut self) {
        self.undo.begin();
    }

    /// The order in which stages close.
    pub(super) async fn close(
        mut self,
        ended: Result<Outcome, Error>,
        cancelled: &mut impl Cancellation,
    ) -> Result<Outcome, Error> {
        let mut offered = None;
        let mut ended = match ended {
            Ok(mut outcome) => {
                offered = Some(self.undo.ended(&mut outcome));
                let end = End::of(outcome, self.governed.oversight());
                Ok(commit(self.leaving(), end).await)
            }
            Err(error) => Err(error),
        };
        ended = self.governed.close(ended, cancelled).await;
        if let (Some(offered), Ok(outcome)) = (offered, &ended) {
            offered.keep(outcome);
        }
        ended = self.parked.close(ended).await;
        self.files.close();
        ended
    }

    /// The run is over before it began.
    pub(super) async fn give_up(self, outcome: Outcome) -> Result<Outcome, Error> {
        self.parked.close(Ok(outcome)).await
    }

    /// What the run leaves: of a dry run, nothing.
    fn leaving(&mut self) -> CommitInputs {
        if self.is_dry_run {
            self.session = session::Open::default();
        }
        CommitInputs {
            files: self.files.changes(self.is_dry_run),
            session: std::mem::take(&mut self.session),
            record: std::mem::take(&mut self.record),
            parked: self.parked.ending(),
        }
    }
}

impl DurableParts<4> for CommitInputs {
    fn stores(&mut self) -> [&mut dyn Durable; 4] {
        [
            &mut self.files,
            &mut self.session,
            &mut self.record,
            &mut self.parked,
        ]
    }

    fn place(&self, end: &End) -> Option<PathBuf> {
        let stores: [&dyn Durable; 4] = [&self.session, &self.record, &self.files, &self.parked];
        let (mut things, mut first) = (0, None);
        for store in stores {
            let places = store.places(end);
            things += places.things;
            first = first.or(places.first);
        }
        first.filter(|_| things > 1)
    }
}
