//! Guests that users compiled: components that import tools as functions with types.
//!
//! - `wants`: what a component imports
//! - `link`: its imports, made of granted tools; `call`: what happens when it calls one
//! - `entry`: the export that is run

mod call;
mod entry;
mod link;
#[cfg(test)]
mod tests;
mod wants;

use std::collections::VecDeque;
use std::sync::Arc;

use ampoule_limits::Limits;
use ampoule_tools::{Error, GrantedTools, Principal, ResolvedTool};
use ampoule_values::RunTypes;
use parking_lot::{Mutex, MutexGuard};
use wasmtime::Store;
use wasmtime::component::{InstancePre, Linker};

use super::outcome::Thrown;
use super::state::RunState;
use super::wasi::http::RequestTask;
use super::wasi::http::exchanges::fetcher;
use super::work::UnfinishedRun;
use super::{fuel, imports, wasi};
use crate::component::Component;
use crate::engine::{Engine, Initial};
use entry::Entry;
use link::LinkedComponent;
use wants::{HttpVersion, Wants};

/// How many components a shard keeps compiled.
const KEPT: usize = 32;
/// How many ways a component is kept linked: for servers whose lists differ from run to run.
const LINKED: usize = 4;

/// The components that a shard has compiled.
pub struct Components {
    engine: Engine,
    base: Linker<RunState>,
    /// The latest first.
    kept: Mutex<VecDeque<Arc<CompiledComponent>>>,
}

/// A compiled component, and what is the same in all of its runs.
struct CompiledComponent {
    digest: blake3::Hash,
    component: wasmtime::component::Component,
    memories: u32,
    wants: Wants,
    entry: Entry,
    /// The latest first.
    linked: Mutex<VecDeque<Arc<LinkedComponent>>>,
}

/// A compiled component, linked to what one run is granted.
pub struct GrantedComponent {
    compiled: Arc<CompiledComponent>,
    instance: InstancePre<RunState>,
    tools: Vec<ResolvedTool>,
    /// What makes its HTTP requests, if it has some made and may.
    fetcher: Option<ResolvedTool>,
}

impl Components {
    /// None compiled yet, to be run on this engine.
    ///
    /// # Errors
    ///
    /// A host fault if the host's own interfaces can't be linked.
    pub fn new(engine: Engine) -> Result<Self, Error> {
        let mut base = Linker::new(engine.wasmtime());
        imports::add_to_linker(&mut base)
            .and_then(|()| wasi::add_to_linker(&mut base))
            .map_err(|error| Error::host("the host's own interfaces can't be linked", error))?;
        Ok(Self {
            engine,
            base,
            kept: Mutex::default(),
        })
    }

    /// The engine that they run on.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Compiles a component, unless it is kept. Those of one principal wait behind each other, and
    /// not before those of others.
    pub async fn compile(
        &self,
        component: &Component,
        limits: &Limits,
        whose: Option<&Principal>,
    ) -> Result<(), Error> {
        self.compiled(component, limits, whose).await.map(drop)
    }

    /// The types of a component's `run`, which is compiled for that.
    ///
    /// # Errors
    ///
    /// A request error if it can't be run, or its `run` has no types of its own.
    pub async fn run_types(
        &self,
        component: &Component,
        limits: &Limits,
    ) -> Result<RunTypes, Error> {
        let compiled = self.compiled(component, limits, None).await?;
        let types = compiled.entry.types().cloned();
        types.ok_or_else(|| {
            Error::request(
                "its `run` has no types of its own: export one such as `run: func(input: report) -> result<summary, string>`",
            )
        })
    }

    /// A component that can be run, with these tools, by somebody.
    ///
    /// # Errors
    ///
    /// A request error if it can't be, with what would have to change.
    pub async fn grant(
        &self,
        component: &Component,
        tools: &GrantedTools,
        limits: &Limits,
        whose: Option<&Principal>,
    ) -> Result<GrantedComponent, Error> {
        let compiled = self.compiled(component, limits, whose).await?;
        let linked = self.linked(&compiled, tools).await?;
        let fetcher = match compiled.wants.requests {
            Some(_) => fetcher(tools).await,
            None => None,
        };
        Ok(GrantedComponent {
            fetcher,
            tools: linked.tools(&compiled.wants, tools)?,
            instance: linked.instance.clone(),
            compiled,
        })
    }

    /// A component linked to these tools: kept, or otherwise linked now.
    async fn linked(
        &self,
        compiled: &CompiledComponent,
        tools: &GrantedTools,
    ) -> Result<Arc<LinkedComponent>, Error> {
        let kept: Vec<_> = lock(&compiled.linked).iter().cloned().collect();
        for linked in kept {
            if linked.serves(&compiled.wants, tools).await? {
                return Ok(linked);
            }
        }
        let linked =
            LinkedComponent::new(&self.base, &compiled.component, &compiled.wants, tools).await?;
        Ok(keep(&compiled.linked, Arc::new(linked), LINKED))
    }

    /// A component's code: kept, or otherwise compiled now.
    async fn compiled(
        &self,
        component: &Component,
        limits: &Limits,
        whose: Option<&Principal>,
    ) -> Result<Arc<CompiledComponent>, Error> {
        if let Some(compiled) = self.find(component.digest) {
            return Ok(compiled);
        }
        let bytes = component.wasm.len() as u64;
        if bytes > limits.host_bytes {
            return Err(Error::request(format!(
                "the component has {bytes} bytes; the limit `host-bytes` allows {}",
                limits.host_bytes
            )));
        }
        let turn = self.engine.compiling().wait(whose).await;
        let turn = turn
            .map_err(|busy| Error::busy("too many components wait to be compiled", busy.again))?;
        // Another run may have had the same one compiled by now.
        if let Some(compiled) = self.find(component.digest) {
            return Ok(compiled);
        }
        let (engine, wasm, digest) = (
            self.engine.clone(),
            Arc::clone(&component.wasm),
            component.digest,
        );
        let compiling = tokio::task::spawn_blocking(move || {
            // Until it is done, though its run may be gone: however many runs are given up, one
            // compiles.
            let _turn = turn;
            CompiledComponent::new(&engine, &wasm, digest)
        });
        let compiled = compiling
            .await
            .map_err(|error| Error::host("compiling was interrupted", error))??;
        Ok(keep(&self.kept, Arc::new(compiled), KEPT))
    }

    fn find(&self, digest: blake3::Hash) -> Option<Arc<CompiledComponent>> {
        let mut kept = lock(&self.kept);
        let place = kept.iter().position(|compiled| compiled.digest == digest)?;
        let found = kept.remove(place)?;
        kept.push_front(Arc::clone(&found));
        Some(found)
    }
}

impl CompiledComponent {
    fn new(engine: &Engine, wasm: &[u8], digest: blake3::Hash) -> Result<Self, Error> {
        let component = engine
            .compile(wasm)
            .map_err(|error| Error::request(format!("the component is not valid: {error:#}")))?;
        let resources = component.resources_required().ok_or_else(|| {
            Error::request("the component imports core modules, which can't be provided")
        })?;
        engine
            .room_for(Initial::of(&component))
            .map_err(Error::request)?;
        let wants = Wants::of(engine.wasmtime(), &component).map_err(Error::request)?;
        let entry = Entry::of(engine.wasmtime(), &component).map_err(Error::request)?;
        Ok(Self {
            digest,
            memories: resources.num_memories,
            wants,
            entry,
            component,
            linked: Mutex::default(),
        })
    }
}

impl GrantedComponent {
    /// How many linear memories an instance has.
    pub(super) fn memories(&self) -> u32 {
        self.compiled.memories
    }

    /// Whether a run of it needs WASI.
    pub(super) fn wants_wasi(&self) -> bool {
        self.compiled.wants.wasi
    }

    /// Whether it imports `wasi:http`.
    pub(super) fn wants_http(&self) -> bool {
        self.compiled.wants.http
    }

    /// Gives the run its tools, in the order of the functions that call them, and then the one that
    /// makes its HTTP requests.
    pub(super) fn resolve(&mut self, run: &mut RunState) -> wasmtime::Result<()> {
        self.tools
            .drain(..)
            .try_for_each(|tool| run.resolved.add(tool).map(drop))?;
        let wasi = run.wasi.as_deref_mut();
        if let Some(exchanges) = wasi.and_then(|wasi| wasi.exchanges.as_mut()) {
            let fetcher = self.fetcher.take();
            exchanges.tool = fetcher.map(|tool| run.resolved.add(tool)).transpose()?;
        }
        Ok(())
    }

    pub(super) async fn instantiate(&self, store: &mut Store<RunState>) -> wasmtime::Result<()> {
        self.instance.instantiate_async(store).await.map(drop)
    }

    /// Runs an instance to its end. The value is what it returned, as JSON.
    pub(super) async fn run(
        &self,
        store: &mut Store<RunState>,
        arguments: &str,
    ) -> Result<Result<Option<String>, Thrown>, UnfinishedRun> {
        if self.compiled.wants.requests == Some(HttpVersion::P3) {
            start_requests(store).map_err(UnfinishedRun::Uninstantiated)?;
        }
        let instance = self.instance.instantiate_async(&mut *store).await;
        let instance = instance.map_err(UnfinishedRun::Uninstantiated)?;
        let ended = self.compiled.entry.call(store, &instance, arguments).await;
        // What the host computed for it, and nothing has paid for yet.
        let ended = ended.map_err(UnfinishedRun::BrokenOff)?;
        fuel::pay(&mut *store, 0).map_err(UnfinishedRun::BrokenOff)?;
        Ok(ended)
    }
}

/// Starts the task that makes the HTTP requests of a guest of WASI 0.3.
fn start_requests(store: &mut Store<RunState>) -> wasmtime::Result<()> {
    let wasi = store.data_mut().wasi.as_deref_mut();
    match wasi.and_then(|wasi| wasi.exchanges.take()) {
        Some(exchanges) => store.spawn(RequestTask::new(exchanges)).map(drop),
        None => Ok(()),
    }
}

fn lock<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock()
}

/// Keeps a value, and drops the one that was kept longest if there are more than `most`.
fn keep<T>(kept: &Mutex<VecDeque<Arc<T>>>, value: Arc<T>, most: usize) -> Arc<T> {
    let mut kept = lock(kept);
    kept.push_front(Arc::clone(&value));
    kept.truncate(most);
    value
}
