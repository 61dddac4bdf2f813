//! Guests: components, compiled and linked as far as is possible before a run.

use ampoule_limits::Limit;
use ampoule_tools::Error;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentType, InstancePre, Linker, Lower, TypedFunc,
};
use wasmtime::{Engine, Store};

use super::imports;
use super::outcome::Thrown;
use super::state::RunState;
use super::work::Unfinished;
use crate::script::{Module, Script};

/// A guest that interprets scripts: compiled, linked, and ready for any number of isolates.
#[derive(Clone)]
pub struct Guest {
    instance: InstancePre<RunState>,
    run: ComponentExportIndex,
}

/// The interpreter alone takes more than the run's limits allow. That is no fault of the script's, so it is not told as a limit that the script has hit.
#[derive(Debug, thiserror::Error)]
#[error("the limit `{limit}` is {allowed} {}, and the interpreter takes {taken} before a script begins; allow at least that", limit.unit())]
pub(super) struct NoRoom {
    limit: Limit,
    allowed: u64,
    taken: u64,
}

/// The guest's `run`: a program in, a value or an error out.
pub(super) type Run = TypedFunc<(Program,), (Result<Option<String>, Thrown>,)>;

impl Guest {
    /// Links a component.
    pub fn new(engine: &Engine, component: &Component) -> Result<Self, Error> {
        let fault = |error| Error::host("the guest does not fit this host", error);
        let mut linker = Linker::new(engine);
        imports::add_to_linker(&mut linker).map_err(fault)?;
        let instance = linker.instantiate_pre(component).map_err(fault)?;
        let run = component
            .get_export_index(None, "ampoule:guest/script@0.1.0")
            .and_then(|script| component.get_export_index(Some(&script), "run"))
            .ok_or_else(|| fault(wasmtime::Error::msg("it exports no `ampoule:guest/script`")))?;
        Ok(Self { instance, run })
    }

    /// Runs a program to its end, in an instance of its own.
    pub(super) async fn run(
        &self,
        store: &mut Store<RunState>,
        program: Program,
    ) -> Result<Result<Option<String>, Thrown>, Unfinished> {
        let instance = self.instantiate(&mut *store).await;
        let run = instance.map_err(Unfinished::Uninstantiated)?;
        match run.call_async(store, (program,)).await {
            Ok((returned,)) => Ok(returned),
            Err(error) => Err(Unfinished::BrokenOff(error)),
        }
    }

    /// Makes an instance.
    ///
    /// # Errors
    ///
    /// [`NoRoom`], or a want of the host's.
    pub(super) async fn instantiate(&self, store: &mut Store<RunState>) -> wasmtime::Result<Run> {
        store.data_mut().memory.start();
        let instance = self.instance.instantiate_async(&mut *store).await?;
        let run = store.data_mut();
        run.memory.started().map_err(|(limit, taken)| NoRoom {
            limit,
            allowed: limit.of(&run.limits),
            taken,
        })?;
        instance.get_typed_func(store, self.run)
    }
}

/// `ampoule:guest/script.content`
#[derive(ComponentType, Lower)]
#[component(variant)]
pub(super) enum Content {
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
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct ProgramModule {
    name: String,
    content: Content,
}

/// `ampoule:guest/script.program`
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Program {
    name: String,
    source: String,
    modules: Vec<ProgramModule>,
    env: String,
    #[component(name = "stack-bytes")]
    stack_bytes: u32,
}

impl Program {
    pub(super) fn new(script: Script, stack_bytes: u64) -> Self {
        let content = |module| match module {
            Module::Source(text) => Content::Source(text),
            Module::Text(text) => Content::Text(text),
            Module::Json(text) => Content::Json(text),
            Module::Bytes(bytes) => Content::Bytes(bytes),
        };
        Self {
            name: script.name,
            source: script.source,
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
            stack_bytes: u32::try_from(stack_bytes).unwrap_or(u32::MAX),
        }
    }
}
