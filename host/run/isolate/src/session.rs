//! A run of a session: what it begins with, and what it leaves.

use std::sync::Arc;

use parking_lot::Mutex;
use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, ComponentType, Instance, Lift};

use super::memory::{Memory, MemoryExports, Snapshot};
use super::parking::ParkedSession;
use super::state::RunState;

/// The interface by which interpreters know of sessions.
const SESSION: &str = "ampoule:guest/session@0.1.0";

/// What makes a run one of a session.
pub struct Resume {
    /// What the session is called.
    pub name: String,
    /// How many runs the script may go back.
    pub back: u32,
    /// What the run before left; none for the first.
    pub before: Option<Snapshot>,
    /// A run that throws is kept, too.
    pub always: bool,
    /// Where what it leaves goes.
    pub left: LeftPlace,
}

/// Where what a run leaves is to be found when it has ended.
#[derive(Clone, Default)]
pub struct LeftPlace(Arc<Mutex<Option<Result<LeftState, String>>>>);

impl LeftPlace {
    /// What the run left, if it came to an end that leaves anything; or why that is lost.
    pub fn take(&self) -> Option<Result<LeftState, String>> {
        self.0.lock().take()
    }
}

/// What a run of a session left.
pub struct LeftState {
    /// Its memory.
    pub snapshot: Snapshot,
    /// The names at the top of the session's scripts, and what they hold.
    pub names: Vec<NameInMemory>,
    /// How many more there are.
    pub more: u32,
    /// Under which names the script asked for copies.
    pub forks: Vec<String>,
    /// How many runs the script asked to go back.
    pub rewind: Option<u32>,
}

/// `ampoule:guest/session.kept`
#[derive(Debug, Clone, PartialEq, Eq, ComponentType, Lift)]
#[component(record)]
pub struct NameInMemory {
    /// The name.
    pub name: String,
    /// What it holds.
    pub kind: String,
    /// How many items, characters or bytes that has.
    pub size: Option<u32>,
}

/// `ampoule:guest/session.left`
#[derive(ComponentType, Lift)]
#[component(record)]
struct LeftByGuest {
    names: Vec<NameInMemory>,
    more: u32,
    forks: Vec<String>,
    rewind: Option<u32>,
}

/// Where a guest has what sessions need.
#[derive(Clone)]
pub(super) struct SessionExports {
    memory: MemoryExports,
    begin: ComponentExportIndex,
    leave: ComponentExportIndex,
}

impl SessionExports {
    /// Those of a component; none where it lacks one.
    pub(super) fn of(component: &Component) -> Option<Self> {
        let session = component.get_export_index(None, SESSION)?;
        let function = |name| component.get_export_index(Some(&session), name);
        Some(Self {
            memory: MemoryExports::of(component)?,
            begin: function("begin")?,
            leave: function("leave")?,
        })
    }
}

impl SessionExports {
    /// Where its memory is.
    pub(super) fn memory(&self) -> &MemoryExports {
        &self.memory
    }
}

/// A run of a session that is under way.
pub(super) struct SessionRun {
    image: Arc<super::memory::Image>,
    resume: Box<Resume>,
}

impl SessionRun {
    /// Puts back what the run before left, and tells the interpreter.
    pub(super) async fn begin(
        store: &mut Store<RunState>,
        instance: &Instance,
        exports: &SessionExports,
        place: &super::memory::ImagePlace,
        mut resume: Box<Resume>,
    ) -> wasmtime::Result<Self> {
        let memory = Memory::of(&mut *store, instance, &exports.memory)?;
        let image = memory.image(&mut *store, place).await?;
        if let Some(before) = resume.before.take() {
            pay(store, before.bytes().len() as u64)?;
            memory.restore(&mut *store, &before).await?;
        }
        let begin = instance.get_typed_func::<(&str, u32), ()>(&mut *store, &exports.begin)?;
        begin
            .call_async(&mut *store, (&resume.name, resume.back))
            .await?;
        Ok(Self { image, resume })
    }

    /// That of a run that began in another process.
    pub(super) fn again(image: Arc<super::memory::Image>, resume: Box<Resume>) -> Self {
        Self { image, resume }
    }

    /// What is kept of it while its run is parked.
    pub(super) fn kept(&self) -> ParkedSession {
        ParkedSession {
            name: self.resume.name.clone(),
            back: self.resume.back,
            always: self.resume.always,
        }
    }

    /// Takes what the run leaves, unless it threw and is not to be kept.
    pub(super) async fn end(
        self,
        store: &mut Store<RunState>,
        instance: &Instance,
        exports: &SessionExports,
        threw: bool,
    ) {
        if threw && !self.resume.always {
            return;
        }
        let place = self.resume.left.clone();
        let left = self.left(store, instance, exports).await;
        // What the script returned, it returned.
        *place.0.lock() = Some(left.map_err(|error| format!("{error:#}")));
    }

    async fn left(
        self,
        store: &mut Store<RunState>,
        instance: &Instance,
        exports: &SessionExports,
    ) -> wasmtime::Result<LeftState> {
        let leave = instance.get_typed_func::<(), (LeftByGuest,)>(&mut *store, &exports.leave)?;
        let (said,) = leave.call_async(&mut *store, ()).await?;
        let memory = Memory::of(&mut *store, instance, &exports.memory)?;
        let snapshot = memory.changed(&mut *store, &self.image).await?;
        pay(store, snapshot.bytes().len() as u64)?;
        let LeftByGuest {
            names,
            more,
            forks,
            rewind,
        } = said;
        Ok(LeftState {
            snapshot,
            names,
            more,
            forks,
            rewind,
        })
    }
}

/// Counts what the host copies.
pub(super) fn pay(store: &mut Store<RunState>, bytes: u64) -> wasmtime::Result<()> {
    store.data().spend(bytes)?;
    super::fuel::pay(store, 0)
}
