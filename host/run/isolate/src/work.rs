//! What one run is to do: a guest, with a script or a component's arguments; or a call or several,
//! without one.

use std::time::Duration;

use ampoule_effort as effort;
use ampoule_limits::LimitError;
use ampoule_tools::{Error, Form, ToolFailure};
use serde_json::json;
use wasmtime::{PoolConcurrencyLimitError, Store, Trap};

use super::compiled::GrantedComponent;
use super::fuel;
use super::guest::{Guest, NoRoomError, Program, ProgramResult};
use super::imports;
use super::outcome::Thrown;
use super::state::RunState;
use super::vessel::Vessel;
use super::wasi::context::{Wasi, WasiSetup};
use crate::component::Component;
use crate::direct_call::{self, DirectCall};
use crate::engine::WASM_STACK_BYTES;
use crate::script::{Language, Script};
use crate::undo::{Undo, UndoCall};

/// How many handles of the component model a guest may have: calls that it has not taken the
/// results of, open streams.
const MOST_HANDLES: usize = 20_000;

/// How many calls a message names.
const NAMED: usize = 10;

/// A guest, and what it is to run.
pub enum Work<'guest> {
    /// An interpreter, and what it is to interpret.
    Script(&'guest Guest, Script),
    /// A component, linked to what it is granted, and its arguments.
    Component(GrantedComponent, Component),
    /// One call, which the host makes.
    Call(DirectCall),
    /// Calls that take back those of another run, which the host makes.
    Undo(Undo),
}

/// How the guest's side ended: what `run` gave, or the error that broke it off.
pub(super) type WorkResult = wasmtime::Result<Result<Option<String>, Thrown>>;

/// Why `run` gave nothing.
pub(super) enum UnfinishedRun {
    /// There was no instance.
    Uninstantiated(wasmtime::Error),
    /// It trapped, or hit a limit.
    BrokenOff(wasmtime::Error),
}

impl Work<'_> {
    /// The language of a script.
    pub(super) fn language(&self) -> Option<Language> {
        match self {
            Self::Script(_, script) => Some(script.language()),
            Self::Component(..) | Self::Call(_) | Self::Undo(_) => None,
        }
    }

    /// How many linear memories an instance has.
    pub fn memories(&self) -> u32 {
        match self {
            Self::Script(..) => 1,
            Self::Component(granted, _) => granted.memories(),
            // It has none, and takes a place like any run: so many are bounded.
            Self::Call(_) | Self::Undo(_) => 1,
        }
    }

    /// Makes an instance, and drops it.
    pub(super) async fn instantiate(&self, store: &mut Store<RunState>) -> wasmtime::Result<()> {
        match self {
            Self::Script(guest, _) => guest.instantiate(store).await.map(drop),
            Self::Component(granted, _) => granted.instantiate(store).await,
            Self::Call(_) | Self::Undo(_) => Ok(()),
        }
    }

    /// Gives the Store what this guest needs.
    pub(super) fn furnish(mut self, store: &mut Store<RunState>) -> Result<Self, Error> {
        self.adapt(store.data_mut());
        let limits = store.data().limits;
        // How much the guest may show to the host in one call.
        let shown = match &mut self {
            // What the host may hold of it. The imports look at a text's length before they copy
            // it; what a script returns or throws is copied by Wasmtime, once it is known to be no
            // longer than this.
            Self::Script(..) => limits.host_bytes,
            // Nothing: no guest runs.
            Self::Call(_) | Self::Undo(_) => limits.host_bytes,
            // Wasmtime copies it before the host sees it, and counts what the copy takes.
            Self::Component(granted, component) => {
                let run = store.data_mut();
                if granted.wants_wasi() || !component.folders.is_empty() {
                    let setup = WasiSetup {
                        feed: &run.feed,
                        world: &run.world,
                        started: run.started,
                        http: granted.wants_http().then(|| run.account()),
                    };
                    run.wasi = Some(Box::new(Wasi::new(component, setup)?));
                }
                granted
                    .resolve(run)
                    .map_err(|error| Error::request(error.to_string()))?;
                // It has the engine's stack, and code that runs out of that should get an error
                // that says so.
                run.limits.stack_bytes = WASM_STACK_BYTES as u64;
                store.set_max_component_handles(MOST_HANDLES);
                if let Some(table) = store.concurrent_resource_table() {
                    table.set_max_capacity(MOST_HANDLES);
                }
                limits.host_bytes
            }
        };
        store.set_hostcall_fuel(usize::try_from(shown).unwrap_or(usize::MAX));
        Ok(self)
    }

    /// Gives a run the limits that this guest has.
    pub(super) fn adapt(&self, run: &mut RunState) {
        if self.language() == Some(Language::Python) {
            // CPython has limits of its own; past them, it has the engine's stack.
            run.limits.stack_bytes = WASM_STACK_BYTES as u64;
        }
    }

    pub(super) async fn enter(self, vessel: &mut Vessel) -> Result<WorkResult, Error> {
        // What a component does while it is made is its own doing as well. An interpreter does
        // nothing then.
        let is_a_users = matches!(self, Self::Component(..));
        let ended = match self {
            Self::Script(guest, script) => {
                let program = Program::new(script, vessel.run().limits.stack_bytes);
                guest.run(vessel, program).await
            }
            Self::Component(granted, component) => match vessel.store() {
                Ok(store) => granted.run(store, component.arguments_text()).await,
                Err(error) => Err(UnfinishedRun::Uninstantiated(error)),
            },
            Self::Call(call) => match vessel.store() {
                Ok(store) => made(store, call).await.map_err(UnfinishedRun::BrokenOff),
                Err(error) => Err(UnfinishedRun::BrokenOff(error)),
            },
            Self::Undo(undo) => match vessel.store() {
                Ok(store) => Box::pin(taken_back(store, undo))
                    .await
                    .map_err(UnfinishedRun::BrokenOff),
                Err(error) => Err(UnfinishedRun::BrokenOff(error)),
            },
        };
        match ended {
            Err(UnfinishedRun::Uninstantiated(error))
                if error.is::<PoolConcurrencyLimitError>()
                    || !is_a_users && !is_the_runs_own(vessel.run(), &error) =>
            {
                Err(uninstantiated(error))
            }
            Err(UnfinishedRun::Uninstantiated(error) | UnfinishedRun::BrokenOff(error)) => {
                Ok(Err(error))
            }
            Ok(ended) => Ok(Ok(ended)),
        }
    }
}

/// A call that the host makes.
struct MadeCall<'c> {
    server: &'c str,
    tool: &'c str,
    /// An object, as JSON.
    arguments: String,
    form: Form,
}

/// Makes the call of a run, and waits for its end.
async fn made(store: &mut Store<RunState>, call: DirectCall) -> wasmtime::Result<ProgramResult> {
    let form = call.form();
    let DirectCall {
        server,
        tool,
        arguments,
        ..
    } = call;
    let made = MadeCall {
        server: &server,
        tool: &tool,
        arguments: Box::<str>::from(arguments).into(),
        form,
    };
    Ok(make(store, made).await?.map(Some))
}

/// Makes a call while there is no other, and waits for its end. It asks for what an interpreter would
/// ask for, by the same functions, so that it has the same limits, layers, record and world.
async fn make(
    store: &mut Store<RunState>,
    made: MadeCall<'_>,
) -> wasmtime::Result<Result<String, Thrown>> {
    let MadeCall {
        server,
        tool,
        arguments,
        form,
    } = made;
    let (server, tool) = (imports::bounded(server), imports::bounded(tool));
    let tool = match imports::resolve(&mut *store, Some(server), tool).await? {
        Ok(tool) => tool,
        Err(unknown) => return Ok(Err(direct_call::tool_error(unknown.message))),
    };
    let named = store.data().resolved.get(tool)?.clone();
    store.data().calls.admit(arguments.len() as u64)?;
    imports::start(&mut *store, tool, arguments, form)?;
    // It is the only call.
    let ended = loop {
        let mut ended = imports::wait::<ToolFailure>(&mut *store, None).await?;
        if let Some(ended) = ended.pop() {
            break ended.into_outcome();
        }
    };
    fuel::pay(&mut *store, effort::REQUEST)?;
    Ok(ended.map_err(|failure| direct_call::failed(named.server(), named.name(), failure)))
}

/// Makes the calls one after the other, until one fails. The value says which calls are taken back, and
/// so does the error.
async fn taken_back(store: &mut Store<RunState>, undo: Undo) -> wasmtime::Result<ProgramResult> {
    let Undo { run, calls } = undo;
    for (done, call) in calls.iter().enumerate() {
        let made = MadeCall {
            server: &call.server,
            tool: &call.tool,
            arguments: call.arguments.clone(),
            form: Form::Script,
        };
        if let Err(thrown) = make(store, made).await? {
            return Ok(Err(stopped(thrown, &calls, done)));
        }
    }
    let taken_back: Vec<_> = calls.iter().map(|call| &call.takes_back).collect();
    let value = json!({ "run": run, "takenBack": taken_back });
    Ok(Ok(Some(value.to_string())))
}

/// The error of the first call that failed, with what is taken back and what is not.
fn stopped(thrown: Thrown, calls: &[UndoCall], done: usize) -> Thrown {
    let (before, left) = calls.split_at(done);
    let mut message = thrown.message;
    if !before.is_empty() {
        message += &format!("\nTaken back before that: {}.", named(before));
    }
    message += &format!("\nNot taken back: {}.", named(left));
    Thrown { message, ..thrown }
}

fn named(calls: &[UndoCall]) -> String {
    let names = calls.iter().take(NAMED);
    let names: Vec<String> = names.map(|call| call.takes_back.text()).collect();
    match calls.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{}, and {more} more", names.join(", ")),
    }
}

/// What it means that there is no instance. The pool is larger than the number of isolates, except
/// for what a component made of many parts takes of it.
pub(super) fn uninstantiated(error: wasmtime::Error) -> Error {
    if error.is::<PoolConcurrencyLimitError>() {
        let why = "there is no room for another isolate at the moment";
        return Error::busy(why, Duration::from_secs(1));
    }
    if let Some(no_room) = error.downcast_ref::<NoRoomError>() {
        return Error::request(no_room.to_string());
    }
    Error::host("the guest can't be instantiated", error)
}

/// Whether the run's limits kept its instance from being made, and not a shortage on the host.
fn is_the_runs_own(run: &RunState, error: &wasmtime::Error) -> bool {
    error.is::<LimitError>() || error.is::<Trap>() || run.memory.denied(&run.limits).is_some()
}
