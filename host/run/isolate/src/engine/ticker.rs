//! Epochs: the engine's clock, by which code that computes is interrupted.

use std::sync::Arc;
use std::sync::atomic::{self, AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ampoule_fair::Places;
use ampoule_tools::Error;
use parking_lot::{Mutex, MutexGuard};
use wasmtime::Engine;

/// How long code may compute before it lets others run.
const EPOCH: Duration = Duration::from_millis(1);
/// For how many epochs without a run the thread stays awake: waking it costs more than a short run.
const IDLE_EPOCHS: u32 = 500;

/// A thread that lets the epochs of all engines pass while any place is taken, and sleeps otherwise.
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    engines: Mutex<Vec<Engine>>,
    /// Whether there are any: until then nobody needs epochs.
    drives: AtomicBool,
    places: Places,
    asleep: AtomicBool,
    stop: AtomicBool,
}

impl Ticker {
    pub(super) fn start(places: Places) -> Result<Self, Error> {
        let shared = Arc::new(Shared {
            engines: Mutex::default(),
            drives: AtomicBool::new(false),
            places,
            asleep: AtomicBool::new(false),
            stop: AtomicBool::new(false),
        });
        let seen = Arc::clone(&shared);
        let thread = thread::Builder::new()
            .name("ampoule-epochs".into())
            .spawn(move || seen.tick())
            .map_err(|error| Error::host("the thread for epochs can't be started", error))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Lets the epochs of this engine pass as well.
    pub(super) fn drive(&self, engine: Engine) {
        self.shared.engines().push(engine);
        self.shared.drives.store(true, Ordering::SeqCst);
        // The run that had it made has its place already, and others may have taken theirs just
        // before.
        atomic::fence(Ordering::SeqCst);
        self.wake();
    }

    /// To be called by a run that has taken a place: from here on epochs pass.
    pub(super) fn rouse(&self) {
        atomic::fence(Ordering::SeqCst);
        if self.is_missed() {
            self.wake();
        }
    }

    /// Whether it sleeps, and there are engines: to wake a thread takes a good part of a small run's
    /// time.
    fn is_missed(&self) -> bool {
        let shared = &self.shared;
        shared.drives.load(Ordering::Relaxed) && shared.asleep.load(Ordering::Relaxed)
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.wake();
        if let Some(thread) = self.thread.take() {
            // It ends within an epoch, and does not panic.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn engines(&self) -> MutexGuard<'_, Vec<Engine>> {
        // Nothing that holds the lock can panic.
        self.engines.lock()
    }

    fn tick(&self) {
        let mut idle = 0;
        while !self.stop.load(Ordering::SeqCst) {
            thread::sleep(EPOCH);
            self.engines().iter().for_each(Engine::increment_epoch);
            idle = if self.is_needed() { 0 } else { idle + 1 };
            if idle > IDLE_EPOCHS {
                self.sleep();
                idle = 0;
            }
        }
    }

    fn is_needed(&self) -> bool {
        self.drives.load(Ordering::SeqCst) && self.places.any_taken()
    }

    /// Sleeps until a place is taken, and there is an engine. Between the two steps of either side
    /// stands a fence: a run that takes a place sees `asleep`, or is seen here.
    fn sleep(&self) {
        self.asleep.store(true, Ordering::Relaxed);
        atomic::fence(Ordering::SeqCst);
        while !self.is_needed() && !self.stop.load(Ordering::SeqCst) {
            thread::park();
        }
        self.asleep.store(false, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use futures::FutureExt;
    use wasmtime::{Config, Engine, Instance, Module, Store};

    use super::*;

    /// `(module (func (export "spin") (loop (br 0))))`
    const SPIN: &[u8] = b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x02\x01\0\x07\x08\x01\x04spin\0\0\x0a\x09\x01\x07\0\x03\x40\x0c\0\x0b\x0b";

    /// Runs an endless loop until an epoch interrupts it.
    fn spin(engine: &Engine) {
        let module = Module::new(engine, SPIN).unwrap();
        let mut store = Store::new(engine, ());
        store.set_epoch_deadline(1);
        let spin = Instance::new(&mut store, &module, &[])
            .unwrap()
            .get_typed_func::<(), ()>(&mut store, "spin")
            .unwrap();
        assert!(spin.call(&mut store, ()).is_err());
    }

    #[test]
    fn epochs_pass_while_runs_are_active_also_after_a_sleep() {
        let engine = Engine::new(Config::new().epoch_interruption(true)).unwrap();
        let places = Places::new(1);
        let ticker = Ticker::start(places.clone()).unwrap();
        ticker.drive(engine.clone());
        let take = || {
            let place = places
                .take(None, 1, Duration::ZERO)
                .now_or_never()
                .unwrap()
                .unwrap();
            ticker.rouse();
            place
        };
        drop((take(), spin(&engine)));
        let deadline = Instant::now() + Duration::from_secs(30);
        while !ticker.shared.asleep.load(Ordering::SeqCst) {
            assert!(Instant::now() < deadline, "the ticker never sleeps");
            thread::yield_now();
        }
        assert!(ticker.is_missed());
        drop((take(), spin(&engine)));
    }

    #[test]
    fn nobody_is_woken_for_runs_that_need_no_epochs() {
        let ticker = Ticker::start(Places::new(1)).unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        while !ticker.shared.asleep.load(Ordering::SeqCst) {
            assert!(Instant::now() < deadline, "the ticker never sleeps");
            thread::yield_now();
        }
        assert!(!ticker.is_missed());
    }
}
