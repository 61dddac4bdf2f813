//! The runtime: what a process has once, shared by all its runs; `builder` makes it.

mod builder;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use ampoule_fair::Place;
use ampoule_isolate::engine::{Engines, Shards};
use ampoule_isolate::{Check, Component, Components};
use ampoule_limits::Limits;
use ampoule_tools::{Catalog, Error, Grant, GrantedTools, Layers, Principal, RunId, Toolkit};
use futures::future::join_all;

pub use builder::RuntimeBuilder;

use crate::governed::{Governor, Oversight, Requester};
use crate::guests::{GuestKind, Guests};
use crate::shard::{Runs, Shard};
use crate::stores::Stores;
use crate::undo::UndoOffers;

/// What a process has once: the engine, the guests that it compiled, and the catalog. Cheap to
/// clone.
///
/// ```
/// # use ampoule::{Runtime, Script};
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().build()?;
/// let outcome = runtime.isolate(Script::typescript("const n: number = 41; return n + 1")).run().await?;
/// assert_eq!(outcome.value::<u32>()?, 42);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

struct Shared {
    engines: Engines,
    guests: Guests,
    shards: Shards<Shard>,
    catalog: Catalog,
    limits: Limits,
    ceilings: Limits,
    slot_wait: Duration,
    check: Check,
    layers: Layers,
    stores: Stores,
    governor: Option<Arc<dyn Governor>>,
    undo: Arc<UndoOffers>,
    has_undo: bool,
}

/// A runtime that is not made yet, for what it is made with.
#[derive(Clone, Default)]
pub(crate) struct LaterRuntime(Arc<OnceLock<Weak<Shared>>>);

impl LaterRuntime {
    /// The runtime, while there is one.
    pub(crate) fn get(&self) -> Option<Runtime> {
        let shared = self.0.get()?.upgrade()?;
        Some(Runtime { shared })
    }
}

impl Runtime {
    /// A runtime with the defaults of [`RuntimeBuilder`], to be changed.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }

    /// What a run may use unless it asks for something else.
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// What no run may exceed.
    pub fn ceilings(&self) -> &Limits {
        &self.shared.ceilings
    }

    /// What a grant allows of the tools of all bindings: to list them, to search, to describe.
    ///
    /// # Errors
    ///
    /// A request error if the grant names a server that does not exist.
    pub fn tools(&self, grant: Grant) -> Result<GrantedTools, Error> {
        Ok(GrantedTools::new(self.catalog().clone(), grant)?)
    }

    /// The same, as it is for somebody, by a client of that name: a tool that the policies of
    /// governance never let them call is not there.
    ///
    /// # Errors
    ///
    /// As for [`tools`](Self::tools).
    pub fn tools_of(
        &self,
        grant: Grant,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<GrantedTools, Error> {
        let requester = Requester {
            principal,
            client,
            toolkit: grant.toolkit().map(Toolkit::name),
        };
        let catalog = self.catalog_for(requester);
        Ok(GrantedTools::new(catalog, grant)?)
    }

    /// What governs its runs, if anything does.
    #[cfg(feature = "governance")]
    pub fn governance(&self) -> Option<&ampoule_governance::Governance> {
        Some(self.governor()?.governance())
    }

    /// Whether what runs left that [carried](crate::Workspace::carried) this may be shown to somebody's
    /// model, without another run: what they had read may keep it from that. Where nothing governs
    /// runs, it may.
    pub fn may_show(&self, carried: Option<&serde_json::Value>, requester: Requester<'_>) -> bool {
        match (self.governor(), carried) {
            (Some(governor), Some(carried)) => governor.may_show(carried, requester),
            _ => true,
        }
    }

    /// The same of a text that goes there as it is, such as a file: where personal data is replaced
    /// or withheld, it may not have any.
    pub fn may_show_text(
        &self,
        carried: Option<&serde_json::Value>,
        requester: Requester<'_>,
        text: &str,
    ) -> bool {
        let governor = self.governor();
        governor.is_none_or(|it| it.may_show_text(carried, requester, text))
    }

    /// A run that is under way is about to read what is kept of another one, which
    /// [had read](crate::Outcome::carried) this. Where nothing governs runs, that is nobody's matter.
    ///
    /// # Errors
    ///
    /// A host fault: it is unknown what that was, and the run must not have it.
    pub fn reads(&self, run: RunId, carried: &serde_json::Value) -> Result<(), Error> {
        let oversight = self.oversight(run);
        oversight.map_or(Ok(()), |oversight| oversight.reads(carried))
    }

    /// A run that is under way, where it is governed.
    pub(crate) fn oversight(&self, run: RunId) -> Option<Arc<dyn Oversight>> {
        self.governor()?.run(run)
    }

    pub(crate) fn governor(&self) -> Option<&dyn Governor> {
        self.shared.governor.as_deref()
    }

    /// The catalog as it is for somebody.
    pub(crate) fn catalog_for(&self, requester: Requester<'_>) -> Catalog {
        match self.governor() {
            None => self.catalog().clone(),
            Some(governor) => governor.catalog(self.catalog(), requester),
        }
    }

    /// What states the servers behind the bindings are in, each in a fixed word such as `ready`, by
    /// the bindings' names. Known without waiting.
    pub fn standings(&self) -> Vec<(Arc<str>, &'static str)> {
        let servers = self.catalog().servers().iter();
        let standings =
            servers.map(|server| (server.binding().name().into(), server.binding().standing()));
        standings
            .filter_map(|(name, standing)| Some((name, standing?)))
            .collect()
    }

    /// Failed runs whose calls can be taken back.
    pub(crate) fn undo_offers(&self) -> &Arc<UndoOffers> {
        &self.shared.undo
    }

    /// Whether something takes back calls of any tool of all bindings, so that failed runs may offer
    /// that.
    pub fn has_undo(&self) -> bool {
        self.shared.has_undo
    }

    /// Where what outlives runs is kept.
    pub(crate) fn stores(&self) -> &Stores {
        &self.shared.stores
    }

    /// How scripts are checked that say nothing else.
    pub(crate) fn check(&self) -> Check {
        self.shared.check
    }

    pub(crate) fn slot_wait(&self) -> Duration {
        self.shared.slot_wait
    }

    /// How many isolates are in use, and how many runs wait for one.
    pub fn load(&self) -> (u64, u64) {
        self.shared.engines.load()
    }

    /// The guests that there are, compiled or not. [`GuestKind::PythonData`] is among them where the
    /// runtime has [its file](RuntimeBuilder::python_data).
    pub fn guest_kinds(&self) -> impl Iterator<Item = GuestKind> {
        self.guests().kinds()
    }

    /// Compiles a guest, such as that of a language, or loads its code from the cache, so that the
    /// first run does not have to wait for it.
    ///
    /// # Errors
    ///
    /// A configuration error if the ceiling of memory or tables has no room for the guest, or the
    /// runtime lacks it; a host fault if it can't be compiled on this machine.
    pub async fn warm(&self, guest: impl Into<GuestKind>) -> Result<(), Error> {
        let shard = self.shard().await?;
        shard.guest(guest.into(), Runs::Alone).await.map(drop)
    }

    /// The same, for what no run waits for yet: compiling lets all other threads of the machine
    /// have its cores. A run that needs the guest meanwhile waits for that.
    ///
    /// # Errors
    ///
    /// As of [`warm`](Self::warm).
    pub async fn warm_in_background(&self, guest: impl Into<GuestKind>) -> Result<(), Error> {
        let shard = self.shard().await?;
        shard.guest_in_background(guest.into()).await
    }

    /// How large the compiled code of a guest is, in bytes, its snapshot included; none
    /// if it must be compiled first. If it is kept, [`warm`](Self::warm) takes milliseconds rather
    /// than seconds. It may still turn out to be damaged; then the guest is compiled again.
    ///
    /// # Errors
    ///
    /// A host fault if WebAssembly can't run here; a configuration error if the runtime lacks the guest.
    pub async fn code_bytes(&self, guest: impl Into<GuestKind>) -> Result<Option<u64>, Error> {
        self.shard().await?.code_bytes(guest.into()).await
    }

    /// Where compiled code is kept between processes; none if it is not, because nobody asked for
    /// it or the folder can't be used.
    ///
    /// # Errors
    ///
    /// A host fault if WebAssembly can't run here.
    pub async fn code_folder(&self) -> Result<Option<&Path>, Error> {
        Ok(self.shard().await?.engine().code_folder())
    }

    /// Compiles a component, or loads its code from the cache, so that its first run does not have
    /// to wait for it.
    ///
    /// # Errors
    ///
    /// A request error if it is not valid, can't be run, or imports what does not exist.
    pub async fn compile(&self, component: &Component) -> Result<(), Error> {
        let components = self.components().await?;
        components.compile(component, self.limits(), None).await
    }

    /// Lets go of what the bindings hold, such as the processes of servers, and waits until it is
    /// gone. Runs under way see their calls fail.
    pub async fn close(&self) {
        join_all(
            self.catalog()
                .servers()
                .iter()
                .map(|server| server.binding().close()),
        )
        .await;
    }

    /// The components that this thread has compiled. Their engine is made when the first of them
    /// runs.
    pub(crate) async fn components(&self) -> Result<&Components, Error> {
        let shard = self.shard().await?;
        shard.components(&self.shared.engines).await
    }

    /// The guests, compiled or not.
    pub(crate) fn guests(&self) -> &Guests {
        &self.shared.guests
    }

    /// What this thread's runs share.
    pub(crate) async fn shard(&self) -> Result<&Shard, Error> {
        let Shared {
            engines,
            guests,
            shards,
            ..
        } = &*self.shared;
        shards.mine(|| Shard::new(engines, guests)).await
    }

    pub(crate) fn layers(&self) -> &Layers {
        &self.shared.layers
    }

    pub(crate) fn catalog(&self) -> &Catalog {
        &self.shared.catalog
    }

    /// Somebody's place among the isolates that may be alive at once, for one with that many linear
    /// memories.
    pub(crate) async fn place(
        &self,
        whose: Option<&Principal>,
        memories: u32,
    ) -> Result<Place, Error> {
        let wait = self.shared.slot_wait;
        let place = self.shared.engines.place(whose, memories, wait).await;
        place.map_err(|busy| {
            let whose = whose.map_or("", |_| " that this client may have");
            let why = match busy.waited {
                true => format!(
                    "all isolates{whose} were in use for {} s",
                    wait.as_secs_f32()
                ),
                false => "too many runs wait for an isolate".to_owned(),
            };
            Error::busy(why, busy.again)
        })
    }
}

/// The folder for what can't be made again, such as sessions: `ampoule` in the user's folder of data.
pub fn data_folder() -> Option<PathBuf> {
    Some(
        directories::ProjectDirs::from("", "", "ampoule")?
            .data_local_dir()
            .to_owned(),
    )
}

/// The folder for what can be made again: `ampoule` in the user's cache folder.
pub fn cache_folder() -> Option<PathBuf> {
    Some(
        directories::ProjectDirs::from("", "", "ampoule")?
            .cache_dir()
            .to_owned(),
    )
}
