//! What the runs of a thread share: an engine, and the guests that are ready on it.

use std::sync::{LazyLock, OnceLock};

use ampoule_effort::giving_way;
use ampoule_guests::Embedded;
use ampoule_isolate::engine::{Engine, Engines, Initial, Kind};
use ampoule_isolate::{Components, Guest, ImagePlace, Interpreter, Language};
use ampoule_tools::Error;
use tokio::sync::{Mutex, OnceCell};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};

/// What runs use that they share with the other runs of their thread.
pub(crate) struct Shard {
    engine: Engine,
    javascript: GuestSlot,
    python: GuestSlot,
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
    embedded: Embedded,
    guest: BackgroundCell<Guest>,
    of_sessions: BackgroundCell<Guest>,
    /// How large its code was, where it was kept when somebody first asked.
    kept: BackgroundCell<Option<u64>>,
}

impl GuestSlot {
    fn new(embedded: Embedded) -> Self {
        Self {
            embedded,
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
    pub(crate) fn new(engines: &Engines) -> Result<Self, Error> {
        Ok(Self {
            engine: engines.engine(Kind::Interpreters)?,
            javascript: GuestSlot::new(ampoule_guests::JAVASCRIPT),
            python: GuestSlot::new(ampoule_guests::PYTHON),
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

    /// The guest of a language, if it is ready.
    pub(crate) fn ready(&self, language: Language, runs: Runs) -> Option<&Guest> {
        self.place_of(language).guest(runs).value.get()
    }

    /// The guest of a language: compiled, or loaded, when it is first needed.
    pub(crate) async fn guest(&self, language: Language, runs: Runs) -> Result<&Guest, Error> {
        self.made(language, runs, Pace::Now).await
    }

    /// Has the guest of a language made before a run waits for it.
    pub(crate) async fn guest_in_background(&self, language: Language) -> Result<(), Error> {
        let made = self.made(language, Runs::Alone, Pace::InBackground);
        made.await.map(drop)
    }

    async fn made(&self, language: Language, runs: Runs, pace: Pace) -> Result<&Guest, Error> {
        let place = self.place_of(language);
        let (engine, embedded) = (self.engine.clone(), place.embedded);
        let image = known(language).image.clone();
        let make = move || {
            let code =
                || engine.compile_named(embedded.bytes(), || Ok(embedded.component()?.into()));
            let code = match pace {
                Pace::Now => code(),
                Pace::InBackground => giving_way(code),
            };
            let code = code.map_err(|error| Error::host("the guest does not compile", error))?;
            engine.room_for(Initial::of(&code)).map_err(Error::config)?;
            let guest = Guest::new(engine.wasmtime(), &code)?.sharing(image);
            Ok(match runs {
                Runs::Alone => guest.reading(embedded.pages()),
                Runs::OfSessions => guest.for_sessions(),
            })
        };
        place.guest(runs).get(make).await
    }

    /// Whether the code of a language's guest was kept, and need not be compiled, when that was
    /// first asked.
    pub(crate) async fn was_kept(&self, language: Language) -> Result<bool, Error> {
        let place = self.place_of(language);
        let look = self.look_for(place);
        Ok(place.kept.get(move || Ok(look())).await?.is_some())
    }

    /// How large the code of a language's guest is, where it is kept and need not be compiled.
    pub(crate) async fn code_bytes(&self, language: Language) -> Result<Option<u64>, Error> {
        let look = self.look_for(self.place_of(language));
        spawn_blocking(look).await.map_err(broken_off)
    }

    fn look_for(&self, place: &GuestSlot) -> impl FnOnce() -> Option<u64> + Send + 'static {
        let (engine, embedded) = (self.engine.clone(), place.embedded);
        move || engine.code_bytes(embedded.bytes())
    }

    fn place_of(&self, language: Language) -> &GuestSlot {
        match language.interpreter() {
            Interpreter::JavaScript => &self.javascript,
            Interpreter::Python => &self.python,
        }
    }
}

/// What sessions know of a guest, the same for all shards.
#[derive(Default)]
struct GuestImage {
    image: ImagePlace,
    hash: OnceLock<String>,
}

fn known(language: Language) -> &'static GuestImage {
    static JAVASCRIPT: LazyLock<GuestImage> = LazyLock::new(GuestImage::default);
    static PYTHON: LazyLock<GuestImage> = LazyLock::new(GuestImage::default);
    match language.interpreter() {
        Interpreter::JavaScript => &JAVASCRIPT,
        Interpreter::Python => &PYTHON,
    }
}

/// The hash of the guest of a language, as it is embedded.
pub(crate) fn guest_hash(language: Language) -> &'static str {
    let embedded = match language.interpreter() {
        Interpreter::JavaScript => ampoule_guests::JAVASCRIPT,
        Interpreter::Python => ampoule_guests::PYTHON,
    };
    let hash = || blake3::hash(embedded.bytes()).to_hex().to_string();
    known(language).hash.get_or_init(hash)
}

fn broken_off(error: JoinError) -> Error {
    Error::host("compiling was interrupted", error)
}
