//! Guests: components, compiled and linked as far as is possible before a run.
//!
//! - `instance`: an instance of one, which runs a program
//! - `program`: what it is given, and what it returns

mod instance;
mod program;

use std::ops::Range;
use std::sync::Arc;

use ampoule_limits::Limit;
use ampoule_tools::Error;
use tokio::sync::Mutex;
use wasmtime::component::{Component, ComponentExportIndex, Instance, InstancePre, Linker};
use wasmtime::{Engine, Store};

pub(super) use self::instance::GuestInstance;
pub(super) use self::program::{Program, ProgramResult, Progress};
use super::fuel;
use super::imports;
use super::memory::{Image, ImagePlace, MEMORY, Memory};
use super::pages::{Pages, Usual};
use super::parking::Driver;
use super::session::{Resume, SessionExports, SessionRun};
use super::setup::RunSetup;
use super::state::RunState;
use super::vessel::Vessel;
use super::work::UnfinishedRun;

/// The interface of an interpreter.
const SCRIPT: &str = "ampoule:guest/script@0.1.0";

/// A guest that interprets scripts: compiled, linked, and ready for any number of isolates.
#[derive(Clone)]
pub struct Guest {
    instance: InstancePre<RunState>,
    start: ComponentExportIndex,
    step: ComponentExportIndex,
    /// Where its memory is, and the pages of it that any run writes; none where there is no pool to
    /// keep any.
    pages: Option<(ComponentExportIndex, Usual)>,
    /// What sessions need; none of a guest that knows of none.
    session: Option<SessionExports>,
    image: ImagePlace,
}

/// The interpreter alone takes more than the run's limits allow. That is not the script's fault, so
/// it is not reported as a limit that the script has hit.
#[derive(Debug, thiserror::Error)]
#[error("the limit `{limit}` is {allowed} {}, and the interpreter takes {taken} before a script begins; allow at least that", limit.unit())]
pub(super) struct NoRoomError {
    limit: Limit,
    allowed: u64,
    taken: u64,
}

impl Guest {
    /// Links a component.
    pub fn new(engine: &Engine, component: &Component) -> Result<Self, Error> {
        let fault = |error| Error::host("the guest does not fit this host", error);
        let mut linker = Linker::new(engine);
        imports::add_to_linker(&mut linker)
            .and_then(|()| imports::add_for_interpreters(&mut linker))
            .map_err(fault)?;
        let instance = linker.instantiate_pre(component).map_err(fault)?;
        let script = component.get_export_index(None, SCRIPT).ok_or_else(|| {
            fault(wasmtime::Error::msg(format!(
                "it does not export `{SCRIPT}`"
            )))
        })?;
        let function = |name| {
            component
                .get_export_index(Some(&script), name)
                .ok_or_else(|| fault(wasmtime::Error::msg(format!("it does not export `{name}`"))))
        };
        let pooled = engine.pooling_allocator_metrics().is_some();
        let take = component
            .get_export_index(None, MEMORY)
            .and_then(|memory| component.get_export_index(Some(&memory), "take"));
        Ok(Self {
            start: function("start")?,
            step: function("step")?,
            pages: take
                .filter(|_| pooled)
                .map(|take| (take, Usual::alone(Vec::new()))),
            session: SessionExports::of(component),
            image: ImagePlace::default(),
            instance,
        })
    }

    /// The same, with the image of its memory where those of other engines have it.
    #[must_use]
    pub fn sharing(mut self, image: ImagePlace) -> Self {
        self.image = image;
        self
    }

    /// The same, whose small runs read these pages of its memory.
    #[must_use]
    pub fn reading(mut self, pages: Vec<Range<usize>>) -> Self {
        if let Some((_, usual)) = &mut self.pages {
            *usual = Usual::alone(pages);
        }
        self
    }

    /// The same, for runs of sessions: what most of them have put into their memories is usual there.
    #[must_use]
    pub fn for_sessions(mut self) -> Self {
        if let Some((_, usual)) = &mut self.pages {
            *usual = Usual::in_sessions();
        }
        self
    }

    /// Runs a program to its end, in an instance of its own. While it waits, nothing of it runs: no
    /// frame of it is on any stack.
    pub(super) async fn run(
        &self,
        vessel: &mut Vessel,
        program: Program,
    ) -> Result<ProgramResult, UnfinishedRun> {
        let run = vessel.run_mut();
        if let (Some(parking), Some(gate), Some(_)) =
            (run.parking.take(), run.gate.clone(), &self.session)
        {
            // Apart, as below: what this keeps would be in all runs.
            let driver = Box::pin(Driver::new(self, vessel, parking, gate).run(program));
            return driver.await;
        }
        let store = vessel.store().map_err(UnfinishedRun::BrokenOff)?;
        let made = self.instantiate(&mut *store).await;
        let interpreter = made.map_err(UnfinishedRun::Uninstantiated)?;
        let returned = match store.data_mut().session.take() {
            None => self.run_alone(store, &interpreter, program).await,
            Some(resume) => Box::pin(self.run_on(store, &interpreter, program, resume)).await,
        };
        returned.map_err(UnfinishedRun::BrokenOff)
    }

    /// Runs a program of no session.
    async fn run_alone(
        &self,
        store: &mut Store<RunState>,
        interpreter: &GuestInstance,
        program: Program,
    ) -> wasmtime::Result<ProgramResult> {
        let returned = interpreter.run(&mut *store, program).await?;
        if returned.is_ok()
            && let Some(place) = store.data_mut().memory_place.take()
        {
            let memory = self.memory_of(store, interpreter.instance())?;
            place.put(memory.all(store).await?);
        }
        Ok(returned)
    }

    /// Runs a program of a session.
    async fn run_on(
        &self,
        store: &mut Store<RunState>,
        interpreter: &GuestInstance,
        program: Program,
        resume: Box<Resume>,
    ) -> wasmtime::Result<ProgramResult> {
        let (instance, exports) = (interpreter.instance(), self.session()?);
        let begun = SessionRun::begin(&mut *store, instance, exports, &self.image, resume);
        let session = begun.await?;
        let returned = interpreter.run(&mut *store, program).await?;
        session
            .end(store, instance, exports, returned.is_err())
            .await;
        Ok(returned)
    }

    /// What a session needs of it, which is what parking does.
    pub(super) fn session(&self) -> wasmtime::Result<&SessionExports> {
        let exports = self.session.as_ref();
        exports.ok_or_else(|| wasmtime::Error::msg("the guest does not support sessions"))
    }

    /// The memory of an instance.
    pub(super) fn memory_of(
        &self,
        store: &mut Store<RunState>,
        instance: &Instance,
    ) -> wasmtime::Result<Memory> {
        Memory::of(store, instance, self.session()?.memory())
    }

    /// The memory of new instances, of one that is made for it where nobody has needed it yet. The
    /// pool has one place for that.
    pub(super) async fn new_image(&self, blank: RunSetup) -> wasmtime::Result<Arc<Image>> {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());
        let _one = ONE_AT_A_TIME.lock().await;
        if let Some(image) = self.image.get() {
            return Ok(image);
        }
        let mut store = Store::new(self.engine(), RunState::new(blank));
        store.limiter(|run| &mut run.memory);
        fuel::share(&mut store)?;
        let instance = self.instance(&mut store).await?;
        let memory = self.memory_of(&mut store, &instance)?;
        memory.image(&mut store, &self.image).await
    }

    /// Where the memory of new instances is to be found.
    pub(super) fn image(&self) -> &ImagePlace {
        &self.image
    }

    pub(super) fn engine(&self) -> &Engine {
        self.instance.component().engine()
    }

    /// Makes an instance.
    ///
    /// # Errors
    ///
    /// [`NoRoomError`], or a shortage on the host.
    pub(super) async fn instantiate(
        &self,
        store: &mut Store<RunState>,
    ) -> wasmtime::Result<GuestInstance> {
        let instance = self.instance(&mut *store).await?;
        if let Some((take, usual)) = &self.pages {
            let take = instance.get_typed_func(&mut *store, take)?;
            let pages = Pages::of(&mut *store, &take, usual.clone()).await?;
            store.data_mut().pages = Some(pages);
        }
        self.interpreter(store, instance)
    }

    pub(super) async fn instance(&self, store: &mut Store<RunState>) -> wasmtime::Result<Instance> {
        store.data_mut().memory.start();
        let instance = self.instance.instantiate_async(&mut *store).await?;
        let run = store.data_mut();
        run.memory.started().map_err(|(limit, taken)| NoRoomError {
            limit,
            allowed: limit.of(&run.limits),
            taken,
        })?;
        Ok(instance)
    }

    pub(super) fn interpreter(
        &self,
        store: &mut Store<RunState>,
        instance: Instance,
    ) -> wasmtime::Result<GuestInstance> {
        GuestInstance::of(store, instance, &self.start, &self.step)
    }
}
