//! Epochs: the engine's clock, by which code that computes is interrupted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wasmtime::Engine;

use crate::error::Error;

/// How long code may compute before it lets others run.
const EPOCH: Duration = Duration::from_millis(1);
/// For how many epochs without a run the thread stays awake: waking it costs more than a short run.
const IDLE_EPOCHS: u32 = 500;

/// A thread that lets epochs pass while runs are active, and sleeps otherwise.
pub(crate) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    active: AtomicUsize,
    asleep: AtomicBool,
    stop: AtomicBool,
}

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> Result<Self, Error> {
        let shared = Arc::new(Shared::default());
        let (engine, seen) = (engine.clone(), Arc::clone(&shared));
        let thread = thread::Builder::new()
            .name("ampoule-epochs".into())
            .spawn(move || seen.tick(&engine))
            .map_err(|error| Error::host("no thread for the epochs", error.into()))?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Lets epochs pass until the answer is dropped.
    pub(crate) fn activate(self: &Arc<Self>) -> Active {
        self.shared.active.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) {
            self.wake();
        }
        Active {
            ticker: Arc::clone(self),
        }
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
    fn tick(&self, engine: &Engine) {
        let mut idle = 0;
        while !self.stop.load(Ordering::SeqCst) {
            thread::sleep(EPOCH);
            engine.increment_epoch();
            idle = if self.active.load(Ordering::SeqCst) == 0 {
                idle + 1
            } else {
                0
            };
            if idle > IDLE_EPOCHS {
                self.sleep();
                idle = 0;
            }
        }
    }

    /// Sleeps until there is a run. A run that starts in between sees `asleep`, or is seen here: both orders are sequentially consistent.
    fn sleep(&self) {
        self.asleep.store(true, Ordering::SeqCst);
        while self.active.load(Ordering::SeqCst) == 0 && !self.stop.load(Ordering::SeqCst) {
            thread::park();
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}

/// A run that needs epochs.
pub(crate) struct Active {
    ticker: Arc<Ticker>,
}

impl Drop for Active {
    fn drop(&mut self) {
        self.ticker.shared.active.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

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
        let ticker = Arc::new(Ticker::start(&engine).unwrap());
        drop((ticker.activate(), spin(&engine)));
        let deadline = Instant::now() + Duration::from_secs(30);
        while !ticker.shared.asleep.load(Ordering::SeqCst) {
            assert!(Instant::now() < deadline, "the ticker never sleeps");
            thread::yield_now();
        }
        let active = ticker.activate();
        spin(&engine);
        drop(active);
    }
}
