//! A run of an interpreter, from step to step, which may be parked between two of them.

use std::sync::Arc;
use std::time::Duration;

use ampoule_limits::LEAST_PARK_AFTER;
use ampoule_tools::Error;
use tokio::time::{Instant, sleep};

use super::backend::{Note, ParkedState, Parking, ParkingBackend, ParkingError, Standing};
use super::files;
use super::gate::Gate;
use super::resume_error::ResumeError;
use crate::calls::CallId;
use crate::event::Event;
use crate::guest::{Guest, GuestInstance, Program, ProgramResult, Progress};
use crate::imports;
use crate::memory::{Image, Memory};
use crate::session::{Resume, SessionRun, pay};
use crate::vessel::Vessel;
use crate::work::UnfinishedRun;

/// How long a run that finds no room for an isolate waits until it tries again.
const AGAIN: Duration = Duration::from_millis(200);

/// Drives one run.
pub(crate) struct Driver<'run> {
    guest: &'run Guest,
    vessel: &'run mut Vessel,
    after: Duration,
    backend: Arc<dyn ParkingBackend>,
    gate: Arc<Gate>,
    state: Option<ParkedState>,
    image: Option<Arc<Image>>,
    session: Option<SessionRun>,
    here: Option<GuestInstance>,
}

impl<'run> Driver<'run> {
    pub(crate) fn new(
        guest: &'run Guest,
        vessel: &'run mut Vessel,
        parking: Box<Parking>,
        gate: Arc<Gate>,
    ) -> Self {
        let Parking {
            after,
            backend,
            state,
        } = *parking;
        Self {
            guest,
            vessel,
            after: after.max(LEAST_PARK_AFTER),
            backend,
            gate,
            state,
            image: None,
            session: None,
            here: None,
        }
    }

    /// Runs a program to its end; or a kept one, from where it was kept.
    pub(crate) async fn run(mut self, program: Program) -> Result<ProgramResult, UnfinishedRun> {
        let session = self.vessel.run_mut().session.take();
        let progress = match self.state.take() {
            None => self.start(program, session).await?,
            Some(state) => {
                // It is all in its memory.
                drop(program);
                let went_on = self.go_on(state, session).await;
                went_on.map_err(UnfinishedRun::BrokenOff)?
            }
        };
        self.until_end(progress)
            .await
            .map_err(UnfinishedRun::BrokenOff)
    }

    async fn start(
        &mut self,
        program: Program,
        session: Option<Box<Resume>>,
    ) -> Result<Progress, UnfinishedRun> {
        self.make().await.map_err(UnfinishedRun::Uninstantiated)?;
        let started = async {
            let (store, interpreter) = (self.vessel.store()?, here(&self.here)?);
            if let Some(resume) = session {
                let (instance, exports) = (interpreter.instance(), self.guest.session()?);
                let image = self.guest.image();
                let begun = SessionRun::begin(&mut *store, instance, exports, image, resume);
                self.session = Some(begun.await?);
            }
            interpreter.start(store, program).await
        };
        started.await.map_err(UnfinishedRun::BrokenOff)
    }

    /// Makes an instance, which has run nothing.
    async fn make(&mut self) -> wasmtime::Result<Memory> {
        let store = self.vessel.store()?;
        let interpreter = self.guest.instantiate(&mut *store).await?;
        let memory = (self.guest).memory_of(&mut *store, interpreter.instance())?;
        self.here = Some(interpreter);
        Ok(memory)
    }

    async fn until_end(mut self, mut progress: Progress) -> wasmtime::Result<ProgramResult> {
        loop {
            match progress {
                Progress::Waits(timeout) => {
                    self.wait(timeout).await?;
                    progress = self.step().await?;
                }
                Progress::Ended(returned) => {
                    if let Some(session) = self.session.take() {
                        let (store, interpreter) = (self.vessel.store()?, here(&self.here)?);
                        let (instance, exports) = (interpreter.instance(), self.guest.session()?);
                        let threw = returned.is_err();
                        session.end(store, instance, exports, threw).await;
                    }
                    return Ok(returned);
                }
            }
        }
    }

    /// Resumes what has ended.
    async fn step(&mut self) -> wasmtime::Result<Progress> {
        let (store, interpreter) = (self.vessel.store()?, here(&self.here)?);
        let ended = imports::wait(&mut *store, Some(0)).await?;
        interpreter.step(store, ended).await
    }

    /// Waits until a call has ended, or the time is over: parked, if that takes long.
    async fn wait(&mut self, timeout: Option<u64>) -> wasmtime::Result<()> {
        let timeout = timeout.map(Duration::from_nanos);
        let due = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let run = self.vessel.run_mut();
        // What a record says comes at once.
        let replayed = run.world.expected()?.is_some();
        let nothing_to_wait_for = timeout.is_none() && !run.calls.pending();
        if replayed || nothing_to_wait_for || run.calls.have_ended() {
            return Ok(());
        }
        if self.gate.keeps_back(self.started()) {
            self.keep_before_calls_leave(due).await?;
        }
        let run = self.vessel.run_mut();
        let first = timeout.map_or(self.after, |timeout| timeout.min(self.after));
        imports::wait_for_any(run, Some(first)).await;
        if run.calls.have_ended() {
            return Ok(());
        }
        // So soon, it would hardly be parked.
        if left(due) < LEAST_PARK_AFTER {
            imports::wait_for_any(run, Some(left(due))).await;
            return Ok(());
        }
        // There may be room for it later.
        let mut again = self.after;
        while !self.park(due).await? {
            again = again.saturating_mul(2);
            self.backend.stands(Standing::KeptAlive);
            let run = self.vessel.run_mut();
            imports::wait_for_any(run, Some(left(due).min(again))).await;
            self.backend.stands(Standing::Running);
            if run.calls.have_ended() {
                return Ok(());
            }
            if left(due) < LEAST_PARK_AFTER {
                imports::wait_for_any(run, Some(left(due))).await;
                return Ok(());
            }
        }
        self.wait_parked(due).await
    }

    fn started(&self) -> CallId {
        let started = self.vessel.run().calls.started();
        CallId::try_from(started).unwrap_or(CallId::MAX)
    }

    /// Keeps the run as it is, and gives its isolate back. Whether it is so.
    async fn park(&mut self, due: Option<Instant>) -> wasmtime::Result<bool> {
        let run = self.vessel.run_mut();
        run.parked = run.parked.saturating_add(1);
        if let Err(ParkingError(why)) = self.keep(due).await? {
            let run = self.vessel.run_mut();
            run.parked = run.parked.saturating_sub(1);
            tracing::warn!(why, "a waiting run can't be parked");
            return Ok(false);
        }
        self.here = None;
        self.vessel.leave();
        self.vessel.run_mut().own_files.leave();
        self.vessel.run().feed.tell(|| Event::Parked);
        self.backend.stands(Standing::Parked);
        Ok(true)
    }

    /// Waits without an isolate, and continues in another one.
    async fn wait_parked(&mut self, due: Option<Instant>) -> wasmtime::Result<()> {
        let run = self.vessel.run_mut();
        imports::wait_for_any(run, due.map(|due| left(Some(due)))).await;
        imports::note_answers(run).await;
        self.wake().await
    }

    async fn wake(&mut self) -> wasmtime::Result<()> {
        let place = loop {
            match self.backend.place().await {
                Ok(place) => break place,
                // Its wall time says how long it may try.
                Err(busy) if busy.is_busy() => sleep(AGAIN).await,
                Err(error) => {
                    return Err(ResumeError::at("no isolate")(as_wasmtime(error)).into());
                }
            }
        };
        let snapshot = self.backend.memory().await.map_err(ResumeError::of)?;
        self.vessel.enter(self.guest.engine(), place)?;
        self.vessel.store()?.data_mut().find_tools().await;
        let memory = self.make().await;
        let memory = memory.map_err(ResumeError::at("no room for its memory"))?;
        let store = self.vessel.store()?;
        // It has run nothing.
        if self.image.is_none() {
            self.image = Some(memory.image(&mut *store, self.guest.image()).await?);
        }
        let restored = memory.restore(&mut *store, &snapshot).await;
        restored.map_err(ResumeError::at("its memory can't be restored"))?;
        files::restore_own(store, snapshot).await?;
        self.backend.stands(Standing::Running);
        store.data().feed.tell(|| Event::Woken);
        Ok(())
    }

    /// Resumes a run that another process kept.
    async fn go_on(
        &mut self,
        state: ParkedState,
        session: Option<Box<Resume>>,
    ) -> wasmtime::Result<Progress> {
        let ParkedState { mut journal, notes } = state;
        let run = self.vessel.run_mut();
        run.resume(&mut journal)?;
        let fuel_left = journal.fuel_left;
        if let Some(kept) = journal.files.take() {
            files::restore(run.files.there(), kept).await?;
        }
        let run = self.vessel.run_mut();
        let beyond = notes.contains(&Note::Beyond);
        let now = run.host_time().now;
        let due = journal
            .due
            .map(|due| Duration::from_nanos(due.saturating_sub(now)));
        let due = due.and_then(|left| Instant::now().checked_add(left));
        // Before any of its calls is under way.
        self.gate
            .cover(CallId::try_from(journal.calls().0).unwrap_or(CallId::MAX));
        self.backend.stands(Standing::Parked);
        if !beyond {
            run.resume_calls(journal, notes).await?;
        }
        self.vessel.set_fuel_left(fuel_left);
        if beyond {
            let said = "the host stopped while the script was in the middle of a function that waited for calls, where it could not be parked: what those calls did is unknown, and the run can't resume";
            return Err(ResumeError(said.to_owned()).into());
        }
        self.wait_parked(due).await?;
        if let Some(resume) = session {
            let image = Arc::clone(image(&self.image)?);
            self.session = Some(SessionRun::again(image, resume));
        }
        self.step().await
    }

    /// Calls that can't be repeated leave once what asked for them is kept. Where it can't be, the
    /// run continues like one that was never parked.
    async fn keep_before_calls_leave(&mut self, due: Option<Instant>) -> wasmtime::Result<()> {
        if let Err(ParkingError(why)) = self.keep(due).await? {
            tracing::warn!(
                why,
                "a parked run can't be stored any more: if this process stops, the run is lost"
            );
            self.gate.forget().await.map_err(ResumeError::of)?;
        }
        Ok(())
    }

    /// Keeps the run as it is.
    async fn keep(&mut self, due: Option<Instant>) -> wasmtime::Result<Result<(), ParkingError>> {
        if self.image.is_none() {
            // Only runs that wait for long need it.
            let blank = self.vessel.run().blank();
            let image = match self.guest.image().get() {
                Some(image) => Ok(image),
                None => self.guest.new_image(blank).await,
            };
            match image {
                Ok(image) => self.image = Some(image),
                Err(error) => return Ok(Err(ParkingError(format!("{error:#}")))),
            }
        }
        let gate = Arc::clone(&self.gate);
        let _nothing_leaves = gate.hold().await;
        let started = self.started();
        let (store, interpreter) = (self.vessel.store()?, here(&self.here)?);
        let memory = (self.guest).memory_of(&mut *store, interpreter.instance())?;
        let snapshot = memory.changed(&mut *store, image(&self.image)?).await?;
        let files = store.data().files.there().filter(|files| files.are_used());
        let files = files.cloned();
        let own = store.data().own_files.there().cloned();
        let snapshot = files::with_own(own, snapshot).await?;
        let bytes = files.as_ref().map_or(0, |files| files.keeping_takes());
        let bytes = bytes.saturating_add(snapshot.bytes().len() as u64);
        if store.get_fuel()? <= bytes {
            return Ok(Err(ParkingError("it has no fuel left for that".to_owned())));
        }
        pay(store, bytes)?;
        let kept_files = match &files {
            None => None,
            Some(files) => match files::keep(&*self.backend, files).await {
                Ok(kept) => Some(kept),
                Err(why) => return Ok(Err(why)),
            },
        };
        let (fuel_left, timeout) = (store.get_fuel()?, due.map(|due| left(Some(due))));
        let session = self.session.as_ref().map(SessionRun::kept);
        let journal = store
            .data()
            .journal(fuel_left, timeout, session, kept_files);
        let kept = self.backend.keep(journal, snapshot).await;
        if let Some(files) = files {
            files::settle(&files, kept.is_ok()).await?;
        }
        if kept.is_ok() {
            gate.cover(started);
        }
        Ok(kept)
    }
}

/// How long it is until then; for what is never due, for ever.
fn left(due: Option<Instant>) -> Duration {
    due.map_or(Duration::MAX, |due| {
        due.saturating_duration_since(Instant::now())
    })
}

fn here(here: &Option<GuestInstance>) -> wasmtime::Result<&GuestInstance> {
    here.as_ref()
        .ok_or_else(|| wasmtime::Error::msg("a parked run has no instance"))
}

fn image(image: &Option<Arc<Image>>) -> wasmtime::Result<&Arc<Image>> {
    image
        .as_ref()
        .ok_or_else(|| wasmtime::Error::msg("the guest's image is unknown"))
}

fn as_wasmtime(error: Error) -> wasmtime::Error {
    wasmtime::Error::msg(error.to_string())
}
