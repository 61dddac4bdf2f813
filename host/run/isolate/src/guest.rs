//! Guests: components, compiled and linked as far as is possible before a run.

use std::ops::Range;
use std::sync::Arc;

use ampoule_effort::{self as effort, Effort};
use ampoule_limits::Limit;
use ampoule_tools::Error;
use tokio::sync::Mutex;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentType, Instance, InstancePre, Lift, Linker, Lower,
    TypedFunc,
};
use wasmtime::{Engine, Store};

use super::fuel;
use super::imports::{self, Completion};
use super::memory::{Image, ImagePlace, MEMORY, Memory};
use super::outcome::Thrown;
use super::pages::{Pages, Usual};
use super::parking::Driver;
use super::session::{Resume, SessionExports, SessionRun};
use super::state::{RunSetup, RunState};
use super::vessel::Vessel;
use super::work::Unfinished;
use crate::output::Level;
use crate::script::meant::{self, Reading};
use crate::script::{Check, Language, Module, Script};

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

/// An instance of a guest, which runs one program.
pub(super) struct GuestInstance {
    start: TypedFunc<(Arc<Source>,), (Progress,)>,
    step: TypedFunc<(Vec<Completion>,), (Progress,)>,
}

/// The interpreter alone takes more than the run's limits allow. That is not the script's fault, so
/// it is not reported as a limit that the script has hit.
#[derive(Debug, thiserror::Error)]
#[error("the limit `{limit}` is {allowed} {}, and the interpreter takes {taken} before a script begins; allow at least that", limit.unit())]
pub(super) struct NoRoom {
    limit: Limit,
    allowed: u64,
    taken: u64,
}

/// How a program ended: with a value, or an error.
pub(super) type Returned = Result<Option<String>, Thrown>;

/// `ampoule:guest/script.progress`
#[derive(ComponentType, Lift)]
#[component(variant)]
pub(super) enum Progress {
    #[component(name = "ended")]
    Ended(Returned),
    /// It continues when a call has ended, or when so many nanoseconds are over.
    #[component(name = "waits")]
    Waits(Option<u64>),
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
        let script = component
            .get_export_index(None, SCRIPT)
            .ok_or_else(|| fault(wasmtime::Error::msg(format!("it exports no `{SCRIPT}`"))))?;
        let function = |name| {
            component
                .get_export_index(Some(&script), name)
                .ok_or_else(|| fault(wasmtime::Error::msg(format!("it exports no `{name}`"))))
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
    ) -> Result<Returned, Unfinished> {
        let run = vessel.run_mut();
        if let (Some(parking), Some(gate), Some(_)) =
            (run.parking.take(), run.gate.clone(), &self.session)
        {
            // Apart, as below: what this keeps would be in all runs.
            let driver = Box::pin(Driver::new(self, vessel, parking, gate).run(program));
            return driver.await;
        }
        let store = vessel.store().map_err(Unfinished::BrokenOff)?;
        let made = self.instantiated(&mut *store).await;
        let (instance, interpreter) = made.map_err(Unfinished::Uninstantiated)?;
        let returned = match store.data_mut().session.take() {
            None => interpreter.run(store, program).await,
            Some(resume) => {
                Box::pin(self.run_on(store, (&instance, &interpreter), program, resume)).await
            }
        };
        returned.map_err(Unfinished::BrokenOff)
    }

    /// Runs a program of a session.
    async fn run_on(
        &self,
        store: &mut Store<RunState>,
        (instance, interpreter): (&Instance, &GuestInstance),
        program: Program,
        resume: Box<Resume>,
    ) -> wasmtime::Result<Returned> {
        let exports = self.session()?;
        let of = (instance, exports);
        let session = SessionRun::begin(&mut *store, of, &self.image, resume).await?;
        let returned = interpreter.run(&mut *store, program).await?;
        session.end(store, of, returned.is_err()).await;
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
        Memory::of(store, (instance, self.session()?.memory()))
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
    /// [`NoRoom`], or a shortage on the host.
    pub(super) async fn instantiate(
        &self,
        store: &mut Store<RunState>,
    ) -> wasmtime::Result<GuestInstance> {
        Ok(self.instantiated(store).await?.1)
    }

    pub(super) async fn instantiated(
        &self,
        store: &mut Store<RunState>,
    ) -> wasmtime::Result<(Instance, GuestInstance)> {
        let instance = self.instance(&mut *store).await?;
        if let Some((take, usual)) = &self.pages {
            let take = instance.get_typed_func(&mut *store, take)?;
            let pages = Pages::of(&mut *store, &take, usual.clone()).await?;
            store.data_mut().pages = Some(pages);
        }
        let interpreter = self.interpreter(store, &instance)?;
        Ok((instance, interpreter))
    }

    pub(super) async fn instance(&self, store: &mut Store<RunState>) -> wasmtime::Result<Instance> {
        store.data_mut().memory.start();
        let instance = self.instance.instantiate_async(&mut *store).await?;
        let run = store.data_mut();
        run.memory.started().map_err(|(limit, taken)| NoRoom {
            limit,
            allowed: limit.of(&run.limits),
            taken,
        })?;
        Ok(instance)
    }

    pub(super) fn interpreter(
        &self,
        store: &mut Store<RunState>,
        instance: &Instance,
    ) -> wasmtime::Result<GuestInstance> {
        Ok(GuestInstance {
            start: instance.get_typed_func(&mut *store, self.start)?,
            step: instance.get_typed_func(&mut *store, self.step)?,
        })
    }
}

impl GuestInstance {
    async fn run(
        &self,
        store: &mut Store<RunState>,
        program: Program,
    ) -> wasmtime::Result<Returned> {
        let mut progress = self.start(store, program).await?;
        loop {
            match progress {
                Progress::Ended(returned) => return Ok(returned),
                Progress::Waits(timeout) => {
                    let ended = imports::wait(&mut *store, timeout).await?;
                    progress = self.step(store, ended).await?;
                }
            }
        }
    }

    /// Begins a program, and runs it until nothing in it can continue. One that does not parse is
    /// begun as it was meant, if that is clear.
    pub(super) async fn start(
        &self,
        store: &mut Store<RunState>,
        program: Program,
    ) -> wasmtime::Result<Progress> {
        let Program { source, language } = program;
        if let Some(refused) = meant::refused(&source.source, (&source.name, language)) {
            return Ok(Progress::Ended(Err(refused)));
        }
        let source = Arc::new(source);
        match self.begin(&mut *store, Arc::clone(&source)).await? {
            Progress::Ended(Err(fault))
                if meant::is_fault_of_source(&fault, &source.name)
                    && store.data().has_run_nothing() =>
            {
                // Apart, since most programs parse: what this keeps would be in all runs.
                Box::pin(self.start_as_meant(store, (source, language), fault)).await
            }
            progress => Ok(progress),
        }
    }

    async fn begin(
        &self,
        store: &mut Store<RunState>,
        source: Arc<Source>,
    ) -> wasmtime::Result<Progress> {
        let gauge = store.data().gauge.clone();
        let computing = self.start.call_async(store, (source,));
        Ok(fuel::in_slices(gauge, computing).await?.0)
    }

    /// Begins the first reading of a program that parses; nothing of the program has run. Where there
    /// is none, the error says what can be seen of the reason.
    async fn start_as_meant(
        &self,
        store: &mut Store<RunState>,
        (source, language): (Arc<Source>, Language),
        fault: Thrown,
    ) -> wasmtime::Result<Progress> {
        let bytes = source.source.len() as u64;
        let run = store.data();
        let (effort, feed) = (run.effort.clone(), Arc::clone(&run.feed));
        let Ok(_hold) = run.held.hold(bytes * (meant::MOST_READINGS + 1)) else {
            return Ok(Progress::Ended(Err(fault)));
        };
        let readings = {
            let source = Arc::clone(&source);
            let price = effort::BYTE * bytes * meant::MOST_READINGS;
            let read = move |_: &Effort| Ok(meant::readings(&source.source, language));
            effort.work(price, read).await
        };
        let readings = readings.unwrap_or_default();
        fuel::pay(&mut *store, 0)?;
        let of_scripts = |reading: &&Reading| {
            meant::refused(&reading.source, (&source.name, language)).is_none()
        };
        for reading in readings.iter().filter(of_scripts) {
            let again = Arc::new(source.read_as(reading));
            let begun = self.begin(&mut *store, again).await;
            match begun {
                Ok(Progress::Ended(Err(fault)))
                    if meant::is_fault_of_source(&fault, &source.name)
                        && store.data().has_run_nothing() => {}
                begun => {
                    feed.write(Level::Warn, &reading.note())?;
                    return begun;
                }
            }
        }
        let mut explained = fault.clone();
        let explain = move |_: &Effort| {
            meant::explain(&mut explained, &source.source, language, &readings);
            Ok(explained)
        };
        let explained = effort.work(effort::BYTE * bytes, explain).await;
        Ok(Progress::Ended(Err(explained.unwrap_or(fault))))
    }

    /// Resumes calls that have ended.
    pub(super) async fn step(
        &self,
        store: &mut Store<RunState>,
        ended: Vec<Completion>,
    ) -> wasmtime::Result<Progress> {
        let gauge = store.data().gauge.clone();
        let computing = self.step.call_async(store, (ended,));
        Ok(fuel::in_slices(gauge, computing).await?.0)
    }
}

/// `ampoule:guest/script.content`
#[derive(Clone, ComponentType, Lower)]
#[component(variant)]
enum Content {
    #[component(name = "source")]
    Source(String),
    #[component(name = "text")]
    Text(String),
    #[component(name = "json")]
    Json(String),
    #[component(name = "bytes")]
    Bytes(Vec<u8>),
}

/// `ampoule:guest/script.module`
#[derive(Clone, ComponentType, Lower)]
#[component(record)]
struct ProgramModule {
    name: String,
    content: Content,
}

/// A script that a guest is to run, and its language.
pub(super) struct Program {
    source: Source,
    language: Language,
}

/// `ampoule:guest/script.program`
#[derive(ComponentType, Lower)]
#[component(record)]
struct Source {
    name: String,
    source: String,
    modules: Vec<ProgramModule>,
    env: String,
    strings: String,
    #[component(name = "stack-bytes")]
    stack_bytes: u32,
    checking: Check,
}

impl Program {
    pub(super) fn new(script: Script, stack_bytes: u64) -> Self {
        let content = |module| match module {
            Module::Source(text) => Content::Source(text),
            Module::Text(text) => Content::Text(text),
            Module::Json(text) => Content::Json(text),
            Module::Bytes(bytes) => Content::Bytes(bytes),
        };
        let language = script.language;
        let source = Source {
            name: script.name,
            source: meant::with_known_fence(&script.source).unwrap_or(script.source),
            modules: script
                .modules
                .into_iter()
                .map(|(name, module)| ProgramModule {
                    name,
                    content: content(module),
                })
                .collect(),
            env: if script.env.is_empty() {
                String::new()
            } else {
                serde_json::Value::Object(script.env).to_string()
            },
            strings: match script.strings.is_empty() {
                true => String::new(),
                // Texts alone can always be written.
                false => serde_json::to_string(&script.strings).unwrap_or_default(),
            },
            stack_bytes: u32::try_from(stack_bytes).unwrap_or(u32::MAX),
            checking: script.check,
        };
        Self { source, language }
    }
}

impl Source {
    /// The same program, its source read otherwise.
    fn read_as(&self, reading: &Reading) -> Self {
        Self {
            name: self.name.clone(),
            source: reading.source.clone(),
            modules: self.modules.clone(),
            env: self.env.clone(),
            strings: self.strings.clone(),
            stack_bytes: self.stack_bytes,
            checking: self.checking,
        }
    }
}
