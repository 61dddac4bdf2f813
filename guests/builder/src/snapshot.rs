//! The guest as it is after its initialisation: its heap becomes the module's data, so that no run
//! has to build it.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wasmtime::error::Context as _;
use wasmtime::{Caller, Engine, Extern, Instance, Linker, Module, Result, Store, Val};
use wasmtime_wizer::{InstanceState, SnapshotVal, Wizer};

/// The core module's function that initialises it; it is gone from the result.
pub(super) const INITIALIZE: &str = "wizer-initialize";

/// The module's output, which is shown: it tells of errors.
const OUTPUT: (&str, &str) = ("ampoule:guest/console@0.1.0", "write");

/// Runs the module's initialisation and takes its state into a new module. Whatever else it imports
/// traps: nothing of the host may get in.
pub(super) fn take(module: &[u8]) -> Result<Vec<u8>> {
    take_with(module, |_, _| Ok(()))
}

/// The same, with something to do before the initialisation.
pub(super) fn take_with(
    module: &[u8],
    before: impl FnOnce(&mut Store<()>, &Instance) -> Result<()>,
) -> Result<Vec<u8>> {
    let mut wizer = Wizer::new();
    wizer.init_func(INITIALIZE);
    let (context, instrumented) = wizer.instrument(module)?;
    let engine = Engine::default();
    let module = Module::new(&engine, &instrumented)?;
    let mut store = Store::new(&engine, ());
    let mut linker = Linker::new(&engine);
    show_output(&mut linker)?;
    linker.define_unknown_imports_as_traps(&module)?;
    let instance = linker.instantiate(&mut store, &module)?;
    before(&mut store, &instance)?;
    instance
        .get_typed_func::<(), ()>(&mut store, INITIALIZE)?
        .call(&mut store, ())
        .context("the initialisation trapped")?;
    ready(wizer.snapshot(&context, &mut State { store, instance }))
}

/// Lets what an instance writes be seen.
#[expect(clippy::print_stderr, reason = "what a guest says while it is built")]
pub(super) fn show_output(linker: &mut Linker<()>) -> Result<()> {
    let write = |mut caller: Caller<'_, ()>, _level: i32, text: u32, bytes: u32| {
        let memory = caller.get_export("memory").and_then(Extern::into_memory);
        let data = memory.map_or(&[][..], |memory| memory.data(&caller));
        let text = data
            .get(text as usize..)
            .and_then(|data| data.get(..bytes as usize));
        eprintln!("{}", String::from_utf8_lossy(text.unwrap_or_default()));
    };
    linker.func_wrap(OUTPUT.0, OUTPUT.1, write)?;
    Ok(())
}

struct State {
    store: Store<()>,
    instance: Instance,
}

impl InstanceState for State {
    async fn global_get(&mut self, name: &str, _: wasmtime_wizer::ValType) -> SnapshotVal {
        let global = self
            .instance
            .get_global(&mut self.store, name)
            .expect("an instrumented global");
        match global.get(&mut self.store) {
            Val::I32(value) => SnapshotVal::I32(value),
            Val::I64(value) => SnapshotVal::I64(value),
            Val::F32(bits) => SnapshotVal::F32(bits),
            Val::F64(bits) => SnapshotVal::F64(bits),
            Val::V128(value) => SnapshotVal::V128(value.as_u128()),
            other => panic!("a global can't hold {other:?} in a snapshot"),
        }
    }

    async fn memory_contents(&mut self, name: &str, contents: impl FnOnce(&[u8]) + Send) {
        let memory = self
            .instance
            .get_memory(&mut self.store, name)
            .expect("an instrumented memory");
        contents(memory.data(&self.store));
    }
}

/// The value of a future that never waits: reading an instance's state does not.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("an instance's state is there"),
    }
}
