//! An instance of a guest: how it begins a program, and continues it.

use std::sync::Arc;

use ampoule_effort::{self as effort, Effort};
use wasmtime::Store;
use wasmtime::component::{ComponentExportIndex, Instance, TypedFunc};

use super::program::{Program, ProgramResult, Progress, Source};
use crate::fuel;
use crate::imports::{self, Completion};
use crate::outcome::Thrown;
use crate::output::Level;
use crate::script::Language;
use crate::script::meant::{self, Reading};
use crate::state::RunState;

/// An instance of a guest, which runs one program.
pub(crate) struct GuestInstance {
    instance: Instance,
    start: TypedFunc<(Arc<Source>,), (Progress,)>,
    step: TypedFunc<(Vec<Completion>,), (Progress,)>,
}

impl GuestInstance {
    /// An instance, with its functions at these places.
    pub(super) fn of(
        store: &mut Store<RunState>,
        instance: Instance,
        start: &ComponentExportIndex,
        step: &ComponentExportIndex,
    ) -> wasmtime::Result<Self> {
        Ok(Self {
            start: instance.get_typed_func(&mut *store, start)?,
            step: instance.get_typed_func(&mut *store, step)?,
            instance,
        })
    }

    /// The instance itself.
    pub(crate) fn instance(&self) -> &Instance {
        &self.instance
    }

    pub(super) async fn run(
        &self,
        store: &mut Store<RunState>,
        program: Program,
    ) -> wasmtime::Result<ProgramResult> {
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
    pub(crate) async fn start(
        &self,
        store: &mut Store<RunState>,
        program: Program,
    ) -> wasmtime::Result<Progress> {
        let Program { source, language } = program;
        if let Some(refused) = meant::refused(&source.source, &source.name, language) {
            return Ok(Progress::Ended(Err(refused)));
        }
        let source = Arc::new(source);
        match self.begin(&mut *store, Arc::clone(&source)).await? {
            Progress::Ended(Err(fault))
                if meant::is_fault_of_source(&fault, &source.name)
                    && store.data().has_run_nothing() =>
            {
                // Apart, since most programs parse: what this keeps would be in all runs.
                Box::pin(self.start_as_meant(store, source, language, fault)).await
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
        source: Arc<Source>,
        language: Language,
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
        let of_scripts =
            |reading: &&Reading| meant::refused(&reading.source, &source.name, language).is_none();
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
    pub(crate) async fn step(
        &self,
        store: &mut Store<RunState>,
        ended: Vec<Completion>,
    ) -> wasmtime::Result<Progress> {
        let gauge = store.data().gauge.clone();
        let computing = self.step.call_async(store, (ended,));
        Ok(fuel::in_slices(gauge, computing).await?.0)
    }
}
