//! What the runs of a thread share: an engine, and the guests that are ready on it.

use std::sync::Arc;

use ampoule_effort::giving_way;
use ampoule_isolate::engine::{Engine, Engines, Initial, Kind};
use ampoule_isolate::{Components, Guest};
use ampoule_tools::Error;
use tokio::sync::{Mutex, OnceCell};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

use crate::guests::{GuestError, GuestKind, GuestSource, Guests, missing};

/// What runs use that they share with the other runs of their thread.
pub(crate) struct Shard {
    engine: Engine,
    javascript: GuestSlot,
    python: GuestSlot,
    python_data: Option<GuestSlot>,
    components: OnceCell<Components>,
}

/// The runs that share a guest. They share the slots of its instances, too: what runs of sessions
/// leave there would have to be put back for all others.
#[derive(Clone, Copy)]
pub(crate) enum Runs {
    Alone,
    OfSessions,
}

/// How much what is made hurries.
#[derive(Clone, Copy)]
enum Pace {
    Now,
    InBackground,
}

/// Where a guest is, once it is ready.
struct GuestSlot {
    source: Arc<GuestSource>,
    guest: BackgroundCell<Guest>,
    of_sessions: BackgroundCell<Guest>,
    /// How large its code was, where it was kept when somebody first asked.
    kept: BackgroundCell<Option<u64>>,
}

impl GuestSlot {
    fn new(source: &Arc<GuestSource>) -> Self {
        Self {
            source: Arc::clone(source),
            guest: BackgroundCell::default(),
            of_sessions: BackgroundCell::default(),
            kept: BackgroundCell::default(),
        }
    }

    fn guest(&self, runs: Runs) -> &BackgroundCell<Guest> {
        match runs {
            Runs::Alone => &self.guest,
            Runs::OfSessions => &self.of_sessions,
        }
    }
}

/// What is made once, off the async threads. All who need it wait for the one that makes it, which
/// continues even if they go away.
struct BackgroundCell<T> {
    value: OnceCell<T>,
    making: Mutex<Option<JoinHandle<Result<T, Error>>>>,
}

impl<T> Default for BackgroundCell<T> {
    fn default() -> Self {
        Self {
            value: OnceCell::new(),
            making: Mutex::new(None),
        }
    }
}

impl<T: Send + 'static> BackgroundCell<T> {
    async fn get(
        &self,
        make: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<&T, Error> {
        let made = async || {
            let mut making = self.making.lock().await;
            let made = making
                .get_or_insert_with(|| spawn_blocking(make))
                .await
                .map_err(broken_off);
            *making = None;
            made?
        };
        self.value.get_or_try_init(made).await
    }
}

impl Shard {
    pub(crate) fn new(engines: &Engines, guests: &Guests) -> Result<Self, Error> {
        Ok(Self {
            engine: engines.engine(Kind::Interpreters)?,
            javascript: GuestSlot::new(guests.get(GuestKind::JavaScript)?),
            python: GuestSlot::new(guests.get(GuestKind::Python)?),
            python_data: guests.find(GuestKind::PythonData).map(GuestSlot::new),
            components: OnceCell::new(),
        })
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The components that were compiled here. Their engine is made when the first of them runs.
    pub(crate) async fn components(&self, engines: &Engines) -> Result<&Components, Error> {
        let make = async || Components::new(engines.engine(Kind::Components)?);
        self.components.get_or_try_init(make).await
    }

    /// A guest, if it is ready.
    pub(crate) fn ready(&self, kind: GuestKind, runs: Runs) -> Option<&Guest> {
        self.place_of(kind).ok()?.guest(runs).value.get()
    }

    /// A guest: compiled, or loaded, when it is first needed.
    pub(crate) async fn guest(&self, kind: GuestKind, runs: Runs) -> Result<&Guest, Error> {
        self.made(kind, runs, Pace::Now).await
    }

    /// Has a guest made before a run waits for it.
    pub(crate) async fn guest_in_background(&self, kind: GuestKind) -> Result<(), Error> {
        let made = self.made(kind, Runs::Alone, Pace::InBackground);
        made.await.map(drop)
    }

    async fn made(&self, kind: GuestKind, runs: Runs, pace: Pace) -> Result<&Guest, Error> {
        let place = self.place_of(kind)?;
        let (engine, source) = (self.engine.clone(), Arc::clone(&place.source));
        let make = move || {
            let code = || engine.compile_named(source.name(), || Ok(source.component()?.into()));
            let code = match pace {
                Pace::Now => code(),
                Pace::InBackground => giving_way(code),
            };
            let code = code.map_err(|error| match error.downcast_ref() {
                Some(GuestError::Packages(why)) => Error::config(why.as_str()),
                _ => Error::host("the guest does not compile", error),
            })?;
            engine.room_for(Initial::of(&code)).map_err(Error::config)?;
            let guest = Guest::new(engine.wasmtime(), &code)?.sharing(source.memory.clone());
            Ok(match runs {
                Runs::Alone => guest.reading(source.pages()),
                Runs::OfSessions => guest.for_sessions(),
            })
        };
        place.guest(runs).get(make).await
    }

    /// Whether the code of a guest was kept, and need not be compiled, when that was first asked.
    pub(crate) async fn was_kept(&self, kind: GuestKind) -> Result<bool, Error> {
        let place = self.place_of(kind)?;
        let look = self.look_for(place);
        Ok(place.kept.get(move || Ok(look())).await?.is_some())
    }

    /// How large the code of a guest is, where it is kept and need not be compiled.
    pub(crate) async fn code_bytes(&self, kind: GuestKind) -> Result<Option<u64>, Error> {
        let look = self.look_for(self.place_of(kind)?);
        spawn_blocking(look).await.map_err(broken_off)
    }

    fn look_for(&self, place: &GuestSlot) -> impl FnOnce() -> Option<u64> + Send + 'static {
        let (engine, source) = (self.engine.clone(), Arc::clone(&place.source));
        move || engine.code_bytes(source.name())
    }

    fn place_of(&self, kind: GuestKind) -> Result<&GuestSlot, Error> {
        match kind {
            GuestKind::JavaScript => Ok(&self.javascript),
            GuestKind::Python => Ok(&self.python),
            GuestKind::PythonData => self.python_data.as_ref().ok_or_else(|| missing(kind)),
        }
    }
}

fn broken_off(error: JoinError) -> Error {
    Error::host("compiling was interrupted", error)
}
