//! How much of its memory a run writes to.
//!
//! What a run wrote to is put back after it. The engine looks for such pages and copies them, as long as they lie in at most 32 places; where there are
//! more, it lets go of the memory, and the next run takes a page fault for each page (Wasmtime's `vm/sys/unix/pagemap.rs`). So a guest whose run writes here and
//! there is several times slower, and the build says so.

use anyhow::{Result, anyhow, ensure};
use wasmtime::{Caller, Engine, Extern, Instance, Linker, Memory, Module, Store, Val};

use crate::{report, snapshot};

const PAGE_BYTES: usize = 4096;
/// In how many places the engine puts pages back.
const MOST_PLACES: usize = 32;
/// Scripts that do little, as most scripts do more of.
const SCRIPTS: [&str; 2] = ["result = 1 + 1", "print('a', 1, {'b': [1, 2]})"];

/// Tells how many pages runs write to.
///
/// # Errors
///
/// Where they lie in too many places.
pub(super) fn check(module: &[u8]) -> Result<()> {
    let fails = |error| anyhow!("the guest does not run: {error:?}");
    let engine = Engine::default();
    let module = Module::new(&engine, module).map_err(fails)?;
    for script in SCRIPTS {
        let (pages, places) = touched(&engine, &module, script).map_err(fails)?;
        report(&format!(
            "a run of `{script}` in Python writes to {pages} pages in {places} places"
        ));
        ensure!(
            places <= MOST_PLACES,
            "a run writes to pages in more than {MOST_PLACES} places"
        );
    }
    Ok(())
}

fn touched(engine: &Engine, module: &Module, script: &str) -> wasmtime::Result<(usize, usize)> {
    let mut store = Store::new(engine, ());
    let instance = linker(engine, module)?.instantiate(&mut store, module)?;
    let memory = instance.get_memory(&mut store, "memory").expect("exported");
    let before = memory.data(&store).to_vec();
    run(&mut store, &instance, memory, script)?;
    let after = memory.data(&store).chunks(PAGE_BYTES).enumerate();
    let changed = after.filter(|(page, after)| {
        let before = before.chunks(PAGE_BYTES).nth(*page);
        before.map_or_else(
            || after.iter().any(|byte| *byte != 0),
            |before| before != *after,
        )
    });
    let changed: Vec<usize> = changed.map(|(page, _)| page).collect();
    let apart = changed.windows(2).filter(|pair| pair[0] + 1 != pair[1]);
    Ok((changed.len(), apart.count() + 1))
}

/// A host whose clock stands still and whose entropy is zeros.
fn linker(engine: &Engine, module: &Module) -> wasmtime::Result<Linker<()>> {
    let mut linker = Linker::new(engine);
    snapshot::show_output(&mut linker)?;
    linker.func_wrap("ampoule:guest/clock@0.1.0", "now", || 0u64)?;
    linker.func_wrap("ampoule:guest/clock@0.1.0", "elapsed", || 0u64)?;
    linker.func_wrap("ampoule:guest/random@0.1.0", "seed", || 0u64)?;
    linker.func_wrap(
        "ampoule:guest/random@0.1.0",
        "bytes",
        |mut caller: Caller<'_, ()>, count: i32, result: u32| -> wasmtime::Result<()> {
            let place = allocate(&mut caller, count)?;
            let memory = caller.get_export("memory").and_then(Extern::into_memory);
            let list = [place.to_le_bytes(), count.to_le_bytes()].concat();
            Ok(memory
                .expect("exported")
                .write(&mut caller, result as usize, &list)?)
        },
    )?;
    linker.define_unknown_imports_as_traps(module)?;
    Ok(linker)
}

fn allocate(caller: &mut Caller<'_, ()>, bytes: i32) -> wasmtime::Result<i32> {
    let function = caller
        .get_export("cabi_realloc")
        .and_then(Extern::into_func);
    let function = function
        .expect("exported")
        .typed::<(i32, i32, i32, i32), i32>(&*caller)?;
    function.call(caller, (0, 0, 1, bytes))
}

/// Runs a script, as the canonical ABI has it: a record's fields are arguments, a text is its address and length.
fn run(
    store: &mut Store<()>,
    instance: &Instance,
    memory: Memory,
    script: &str,
) -> wasmtime::Result<()> {
    let allocate =
        instance.get_typed_func::<(i32, i32, i32, i32), i32>(&mut *store, "cabi_realloc")?;
    let mut arguments = Vec::new();
    for text in ["script.py", script] {
        let place = allocate.call(&mut *store, (0, 0, 1, text.len() as i32))?;
        memory.write(&mut *store, place as usize, text.as_bytes())?;
        arguments.extend([place, text.len() as i32]);
    }
    // No modules, no environment, and a stack.
    arguments.extend([4, 0, 1, 0, 1 << 20]);
    let arguments: Vec<Val> = arguments.into_iter().map(Val::I32).collect();
    let run = instance
        .get_func(&mut *store, "ampoule:guest/script@0.1.0#run")
        .expect("exported");
    run.call(store, &arguments, &mut [Val::I32(0)])
}
