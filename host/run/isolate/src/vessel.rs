//! Where a run is: in an isolate, or parked.

use ampoule_fair::Place;
use wasmtime::{Engine, Store};

use crate::fuel;
use crate::state::RunState;

/// Where a run is, with all that the host knows of it.
pub(crate) struct Vessel(RunPlace);

enum RunPlace {
    /// The Store is dropped before its place is given back.
    Isolate(Store<RunState>, Place),
    /// It has none, and so much fuel left.
    Parked(Box<RunState>, u64),
    /// Between the two, at no time that anybody sees.
    Between,
}

impl Vessel {
    pub(crate) fn isolate(store: Store<RunState>, place: Place) -> Self {
        Self(RunPlace::Isolate(store, place))
    }

    pub(crate) fn parked(run: RunState) -> Self {
        let fuel = run.limits.fuel;
        Self(RunPlace::Parked(Box::new(run), fuel))
    }

    /// The Store of its isolate, if it has one.
    pub(crate) fn store(&mut self) -> wasmtime::Result<&mut Store<RunState>> {
        match &mut self.0 {
            RunPlace::Isolate(store, _) => Ok(store),
            _ => Err(wasmtime::Error::msg("a parked run has no isolate")),
        }
    }

    pub(crate) fn run(&self) -> &RunState {
        match &self.0 {
            RunPlace::Isolate(store, _) => store.data(),
            RunPlace::Parked(run, _) => run,
            RunPlace::Between => unreachable!("it is nowhere else between two calls"),
        }
    }

    pub(crate) fn run_mut(&mut self) -> &mut RunState {
        match &mut self.0 {
            RunPlace::Isolate(store, _) => store.data_mut(),
            RunPlace::Parked(run, _) => run,
            RunPlace::Between => unreachable!("it is nowhere else between two calls"),
        }
    }

    pub(crate) fn fuel_left(&self) -> u64 {
        match &self.0 {
            RunPlace::Isolate(store, _) => store.get_fuel().unwrap_or(0),
            RunPlace::Parked(_, fuel) => *fuel,
            RunPlace::Between => 0,
        }
    }

    /// It has so much fuel left, and no isolate.
    pub(crate) fn set_fuel_left(&mut self, left: u64) {
        if let RunPlace::Parked(_, fuel) = &mut self.0 {
            *fuel = left;
        }
    }

    /// Gives the isolate back, if it has one.
    pub(crate) fn leave(&mut self) {
        let fuel = self.fuel_left();
        match std::mem::replace(&mut self.0, RunPlace::Between) {
            RunPlace::Isolate(mut store, place) => {
                let run = store.data_mut();
                if let Some(pages) = run.pages.take() {
                    // What was put back, or was kept for long, is not a usual page.
                    pages.give_back(run.memory.memory_bytes(), u64::MAX, 0);
                }
                let mut run = store.into_data();
                drop(place);
                run.memory.empty();
                self.0 = RunPlace::Parked(Box::new(run), fuel);
            }
            other => self.0 = other,
        }
    }

    /// Puts the run into a Store of this engine again; the instance comes later.
    pub(crate) fn enter(&mut self, engine: &Engine, place: Place) -> wasmtime::Result<()> {
        match std::mem::replace(&mut self.0, RunPlace::Between) {
            RunPlace::Parked(run, left) => {
                let mut store = Store::new(engine, *run);
                store.limiter(|run| &mut run.memory);
                let shown = store.data().limits.host_bytes;
                store.set_hostcall_fuel(usize::try_from(shown).unwrap_or(usize::MAX));
                let shared = fuel::share(&mut store).and_then(|()| store.set_fuel(left));
                self.0 = RunPlace::Isolate(store, place);
                shared
            }
            other => {
                self.0 = other;
                Ok(())
            }
        }
    }
}
