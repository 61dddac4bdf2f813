//! An isolate that is carried out, from its beginning to its outcome.

use std::pin::pin;

use ampoule_isolate::{
    Code, Ending, Event, Guest, Language, Observers, Outcome, Output, Parking, Prepared, Resume,
    RunFiles, RunSetup, Usage, Work,
};
use ampoule_tools::Error;
use futures::FutureExt;
use futures::future::FusedFuture;
use tokio::task::spawn_blocking;

use super::Isolate;
use super::beginning::Beginning;
use crate::commit::Leaving;
use crate::governed::Carried;
use crate::parked::{Facts, Kept};
use crate::runtime::Runtime;
use crate::session::{Opened, Wanted};
use crate::shard::{Runs, Shard};
use crate::skills;

impl Isolate {
    /// Carries it out. Dropping the future ends the run and its calls.
    pub(super) async fn until_over(
        mut self,
        mut beginning: Beginning,
        cancelled: impl Future<Output = ()>,
    ) -> Result<Outcome, Error> {
        let (runtime, mut cancelled) = (self.runtime.clone(), pin!(cancelled.fuse()));
        if let Some(trial) = beginning.trial.take() {
            let tried = tokio::select! {
                biased;
                tried = Box::pin(self.tried(*trial, &mut beginning)) => tried?,
                () = &mut cancelled => return Ok(never_begun()),
            };
            if let Some(outcome) = tried {
                return Ok(outcome);
            }
        }
        let tries = self.tries();
        let mut brings = Vec::new();
        if beginning.imports_skills {
            brings = Box::pin(self.give_skills()).await?;
        }
        let mut kept = self.kept(&beginning)?;
        let recording = beginning.recording.clone();
        let recorded = recording.as_ref().map(|it| Box::new(it.describe(&self)));
        let (mut opened, mut resume) = match self.session.take() {
            None => (None, None),
            // Apart, since most runs are of no session: what this keeps would be in all of them.
            Some(name) => tokio::select! {
                biased;
                opened = Box::pin(self.opened(name)) => opened.map(|(opened, resume)| (Some(opened), Some(resume)))?,
                () = &mut cancelled => return over(kept, Ok(never_begun())).await,
            },
        };
        let mut files = Box::pin(self.files()).await?;
        if let Some(kept) = &kept {
            kept.fits(&files)?;
        }
        if let Some(instead) = &mut self.instead {
            resume = instead.session.take();
            files = instead.files.take().unwrap_or(files);
        }
        if let (Some(recording), Some(recorded)) = (&recording, recorded) {
            let run = opened.as_deref().map(Opened::run);
            files = recording.hears(files);
            let begun = (run.zip(resume.as_deref()), &files);
            Box::pin(recording.begin(recorded, begun)).await;
        }
        let session = resume.as_deref().map(|resume| &*resume.name);
        brings.extend(opened.iter().flat_map(|it| it.carried()).cloned());
        let governing = Box::pin(self.governing(&mut beginning, session, brings)).await?;
        if let (Some(files), Some(governing)) = (files.there(), &governing) {
            files.used_by(governing.within());
        }
        if let (Some(kept), Some(governing)) = (&kept, &governing) {
            kept.governed(governing.within());
        }
        let parking = kept
            .as_mut()
            .map(|kept| Box::new(kept.parking(opened.as_deref_mut())));
        let brought = Brought {
            session: resume,
            parking,
            files: files.clone(),
        };
        let ready = tokio::select! {
            biased;
            ready = self.ready(&runtime, beginning, brought) => ready?,
            () = &mut cancelled => return over(kept, Ok(never_begun())).await,
        };
        let mut outcome = ready.run(cancelled.as_mut()).await;
        let opened = opened.filter(|_| tries.is_none());
        outcome = match outcome {
            Ok(ended) => {
                let opened = opened.map(|mut opened| {
                    if let Some(governing) = &governing {
                        opened.carries(governing.carried());
                    }
                    opened
                });
                let leaving = Box::new(Leaving {
                    files: files.clone(),
                    may_keep: tries.is_none(),
                    session: opened,
                    record: recording,
                    parked: kept.as_ref().and_then(|kept| kept.ending()),
                    within: governing.as_ref().map(|governing| governing.within()),
                });
                Ok(leaving.leave(ended).await)
            }
            Err(error) => Err(error),
        };
        if let (Some(plan), Some(governing)) = (&tries, &governing) {
            *plan.lock() = governing.plan();
        }
        if let Some(governing) = governing {
            // A person may be asked about its output.
            outcome = tokio::select! {
                biased;
                outcome = Box::pin(governing.end(outcome)) => outcome,
                () = &mut cancelled, if !cancelled.is_terminated() => Ok(never_begun()),
            };
        }
        let outcome = over(kept, outcome).await;
        if let RunFiles::There(files, _) = files {
            // What it wrote goes once the run is over for good, and where nobody waits for that.
            spawn_blocking(move || drop(files));
        }
        outcome
    }

    /// Puts the skills that the script imports among its modules. Gives what those had read who saved
    /// them, or any other of their owner's.
    async fn give_skills(&mut self) -> Result<Vec<Carried>, Error> {
        let Code::Script(script) = &self.code else {
            return Ok(Vec::new());
        };
        let (runtime, principal) = (self.runtime.clone(), self.principal.clone());
        let script = script.clone();
        let give = move || {
            let visible = runtime.visible_skills(principal.as_ref())?;
            // That a skill is not there to be imported tells something, too.
            let shelf = runtime.skills(principal.as_ref())?;
            let carried = shelf.carried().map_err(skills::refused)?;
            let mut carried = Vec::from_iter(carried);
            Ok((skills::given(script, &visible, &mut carried), carried))
        };
        let given = spawn_blocking(give).await;
        let given = given.unwrap_or_else(|error| Err(Error::host("skills were not read", error)));
        let (script, carried) = given?;
        self.code = Code::Script(script);
        Ok(carried)
    }

    /// What keeps the run while it is parked, if it may be.
    fn kept(&mut self, beginning: &Beginning) -> Result<Option<Box<Kept>>, Error> {
        let Some(after) = self.park_after else {
            return Ok(None);
        };
        let facts = Facts {
            run: beginning.id,
            principal: self.principal.clone(),
            limits: self.limits,
            grant: beginning.grant.clone(),
            after,
            whose: self.whose(),
        };
        let code = &self.code;
        let kept = match self.resumed.take() {
            Some(resumed) => Kept::resumed(&self.runtime, facts, *resumed, self.outcome_is_kept),
            None => Kept::new(&self.runtime, facts, code)?,
        };
        Ok(Some(Box::new(kept)))
    }

    /// The files that it has.
    async fn files(&mut self) -> Result<RunFiles, Error> {
        let (runtime, principal) = (self.runtime.clone(), self.principal.clone());
        let wanted = std::mem::take(&mut self.workspace);
        if !runtime.files().gives(&wanted) {
            return Ok(RunFiles::None);
        }
        let opened = spawn_blocking(move || runtime.files().files(wanted, principal.as_ref()));
        let opened = opened.await;
        let opened = opened
            .unwrap_or_else(|error| Err(Error::host("the workspace was not opened", error)))?;
        Ok(opened.map_or(RunFiles::None, |files| RunFiles::There(files, None)))
    }

    /// The session that it is to be a run of, with what it begins with.
    async fn opened(&mut self, name: String) -> Result<(Box<Opened>, Box<Resume>), Error> {
        let Code::Script(script) = &mut self.code else {
            return Err(Error::request("a component can't be a run of a session"));
        };
        let always = self.keep_always;
        let (wanted, principal) = (Wanted { name, always }, self.principal.as_ref());
        let opening = Opened::open(&self.runtime, principal, wanted, script.language());
        let (opened, resume) = opening.await?;
        opened.name(script);
        Ok((Box::new(opened), Box::new(resume)))
    }

    /// Waits for the guest to be compiled and for a slot. The run's clock starts after that.
    pub(super) async fn ready(
        self,
        runtime: &Runtime,
        beginning: Beginning,
        brought: Brought,
    ) -> Result<Prepared<'_>, Error> {
        let Beginning {
            id,
            grant: _,
            tools,
            deadline,
            mut observers,
            gauge,
            recording: _,
            imports_skills: _,
            slept: _,
            trial: _,
        } = beginning;
        let bytes = self.code.bytes();
        let (engine, work) = match self.code {
            Code::Script(script) => {
                let shard = runtime.shard().await?;
                let runs = match brought.session {
                    Some(_) => Runs::OfSessions,
                    None => Runs::Alone,
                };
                let guest = (script.language(), runs);
                let guest = ready_guest(shard, guest, &mut observers).await?;
                (shard.engine(), Work::Script(guest, script))
            }
            Code::Component(component) => {
                let components = runtime.components().await?;
                let whose = (&self.limits, self.principal.as_ref());
                let granted = components.grant(&component, &tools, whose).await?;
                let component = component.without_code();
                (components.engine(), Work::Component(granted, component))
            }
        };
        let Brought {
            session,
            parking,
            files,
        } = brought;
        let is_parked = parking
            .as_ref()
            .is_some_and(|parking| parking.kept.is_some());
        let place = match is_parked {
            true => None,
            false => {
                let place = runtime.place(self.principal.as_ref(), work.memories());
                Some(place.await?)
            }
        };
        let setup = RunSetup {
            id,
            principal: self.principal,
            limits: self.limits,
            tools,
            layers: self.layers,
            respondent: self.respondent,
            trace: self.trace,
            deadline,
            world: self.world,
            observers,
            gauge,
            session,
            parking,
            files,
        };
        match place {
            Some(place) => Prepared::new((engine, place), work, bytes, setup),
            None => Ok(Prepared::parked(work, setup)),
        }
    }
}

/// What outlives the run, as far as the run has it.
#[derive(Default)]
pub(super) struct Brought {
    session: Option<Box<Resume>>,
    parking: Option<Box<Parking>>,
    files: RunFiles,
}

/// The guest of a language. Whoever listens is told if that takes seconds.
async fn ready_guest<'shard>(
    shard: &'shard Shard,
    (language, runs): (Language, Runs),
    observers: &mut Observers,
) -> Result<&'shard Guest, Error> {
    if let Some(guest) = shard.ready(language, runs) {
        return Ok(guest);
    }
    if !observers.any() || shard.was_kept(language).await? {
        return shard.guest(language, runs).await;
    }
    observers.tell(|| Event::compiling(language));
    let guest = shard.guest(language, runs).await?;
    observers.tell(|| Event::compiled(language));
    Ok(guest)
}

/// The outcome of a run that was cancelled while it waited for its turn, or for somebody to say
/// whether it may be shown.
fn never_begun() -> Outcome {
    Outcome::new(Ending::Cancelled, Output::default(), Usage::default())
}

/// The run is over, and nothing of it is kept any longer. Apart, since most runs are never parked.
async fn over(kept: Option<Box<Kept>>, outcome: Result<Outcome, Error>) -> Result<Outcome, Error> {
    match kept {
        None => outcome,
        Some(kept) => Box::pin(kept.over(outcome)).await,
    }
}
