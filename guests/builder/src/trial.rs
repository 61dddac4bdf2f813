//! A guest's core module, run while it is built: by a host whose clock stands still, whose entropy is zeros, and that has no tools.

use wasmtime::{Caller, Engine, Extern, Instance, Linker, Memory, Module, Result, Store, Val};

use crate::snapshot;

/// An instance of a guest.
pub(super) struct Trial {
    pub(super) store: Store<()>,
    pub(super) instance: Instance,
}

impl Trial {
    pub(super) fn of(engine: &Engine, module: &Module) -> Result<Self> {
        let mut store = Store::new(engine, ());
        let instance = linker(engine, module)?.instantiate(&mut store, module)?;
        Ok(Self { store, instance })
    }

    pub(super) fn memory(&mut self) -> Memory {
        let memory = self.instance.get_memory(&mut self.store, "memory");
        memory.expect("exported")
    }

    /// Begins a script, as the canonical ABI has it: a record's fields are arguments, a text is its address and length. Gives whether it waits.
    pub(super) fn start(&mut self, script: &str) -> Result<bool> {
        let allocate = self
            .instance
            .get_typed_func::<(i32, i32, i32, i32), i32>(&mut self.store, "cabi_realloc")?;
        let memory = self.memory();
        let mut arguments = Vec::new();
        for text in ["script", script] {
            let place = allocate.call(&mut self.store, (0, 0, 1, text.len() as i32))?;
            memory.write(&mut self.store, place as usize, text.as_bytes())?;
            arguments.extend([place, text.len() as i32]);
        }
        // No modules, no environment, and a stack.
        arguments.extend([4, 0, 1, 0, 1 << 20]);
        self.call("start", &arguments)
    }

    /// Goes on, with no calls that have ended. Gives whether it waits.
    pub(super) fn step(&mut self) -> Result<bool> {
        self.call("step", &[4, 0])
    }

    fn call(&mut self, function: &str, arguments: &[i32]) -> Result<bool> {
        let name = format!("ampoule:guest/script@0.1.0#{function}");
        let function = self.instance.get_func(&mut self.store, &name);
        let arguments: Vec<Val> = arguments.iter().copied().map(Val::I32).collect();
        let mut progress = [Val::I32(0)];
        function
            .expect("exported")
            .call(&mut self.store, &arguments, &mut progress)?;
        let place = progress[0].unwrap_i32() as usize;
        // The variant's case is its first byte.
        Ok(self.memory().data(&self.store)[place] == 1)
    }
}

fn linker(engine: &Engine, module: &Module) -> Result<Linker<()>> {
    let mut linker = Linker::new(engine);
    snapshot::show_output(&mut linker)?;
    linker.func_wrap("ampoule:guest/clock@0.1.0", "now", || 0u64)?;
    linker.func_wrap("ampoule:guest/clock@0.1.0", "elapsed", || 0u64)?;
    linker.func_wrap("ampoule:guest/random@0.1.0", "seed", || 0u64)?;
    linker.func_wrap(
        "ampoule:guest/random@0.1.0",
        "bytes",
        |mut caller: Caller<'_, ()>, count: i32, result: u32| -> Result<()> {
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

fn allocate(caller: &mut Caller<'_, ()>, bytes: i32) -> Result<i32> {
    let function = caller
        .get_export("cabi_realloc")
        .and_then(Extern::into_func);
    let function = function
        .expect("exported")
        .typed::<(i32, i32, i32, i32), i32>(&*caller)?;
    function.call(caller, (0, 0, 1, bytes))
}
