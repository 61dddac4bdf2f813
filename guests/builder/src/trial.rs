//! A guest's core module, run while it is built: by a host whose clock stands still, whose entropy
//! is zeros, and whose one tool never answers.

use wasmtime::{
    Caller, Engine, Error, Extern, Instance, Linker, Memory, Module, Result, Store, Val,
};

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

    /// Begins a script, as the canonical ABI has it: a record's fields are arguments, a text is its
    /// address and length. Gives whether it waits; one that throws is an error.
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
        // No modules, no environment, no strings, a stack, and no check.
        arguments.extend([4, 0, 1, 0, 1, 0, 1 << 20, 0]);
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
        // The variant's case is its first byte; behind that, where it ended, is whether well.
        let progress = &self.memory().data(&self.store)[place..];
        let (waits, threw) = (progress[0] == 1, progress[8] == 1);
        if !waits && threw {
            return Err(Error::msg("the script throws"));
        }
        Ok(waits)
    }
}

const CLOCK: &str = "ampoule:guest/clock@0.1.0";
const RANDOM: &str = "ampoule:guest/random@0.1.0";
const TOOLS: &str = "ampoule:guest/tools@0.1.0";
const CALLS: &str = "ampoule:guest/calls@0.1.0";

/// The one tool's name, and its server's.
const NAME: &str = "slow";

fn linker(engine: &Engine, module: &Module) -> Result<Linker<()>> {
    let mut linker = Linker::new(engine);
    snapshot::show_output(&mut linker)?;
    linker.func_wrap(CLOCK, "now", || 0u64)?;
    linker.func_wrap(CLOCK, "elapsed", || 0u64)?;
    linker.func_wrap(RANDOM, "seed", || 0u64)?;
    linker.func_wrap(
        RANDOM,
        "bytes",
        |mut guest: Caller<'_, ()>, count: u32, result: u32| {
            let bytes = vec![0; count as usize];
            put(&mut guest, result, &[Part::List(&bytes)])
        },
    )?;
    linker.func_wrap(
        TOOLS,
        "server-name",
        |mut guest: Caller<'_, ()>, _name: u32, _length: u32, result: u32| {
            put(
                &mut guest,
                result,
                &[Part::Word(0), Part::List(NAME.as_bytes())],
            )
        },
    )?;
    linker.func_wrap(
        TOOLS,
        "resolve",
        |mut guest: Caller<'_, ()>, _: u32, _: u32, _: u32, _: u32, _: u32, result: u32| {
            put(&mut guest, result, &[Part::Word(0), Part::Word(0)])
        },
    )?;
    linker.func_wrap(
        TOOLS,
        "name-of",
        |mut guest: Caller<'_, ()>, _tool: u32, result: u32| {
            let name = Part::List(NAME.as_bytes());
            put(&mut guest, result, &[name, name])
        },
    )?;
    linker.func_wrap(
        TOOLS,
        "parameters",
        |mut guest: Caller<'_, ()>, _tool: u32, result: u32| {
            put(&mut guest, result, &[Part::List(&[])])
        },
    )?;
    linker.func_wrap(CALLS, "start", |_tool: u32, _: u32, _: u32| 0u32)?;
    linker.func_wrap(
        CALLS,
        "wait",
        |mut guest: Caller<'_, ()>, _: u32, _: u64, result: u32| {
            put(&mut guest, result, &[Part::List(&[])])
        },
    )?;
    linker.define_unknown_imports_as_traps(module)?;
    Ok(linker)
}

/// A part of what a function returns, as the canonical ABI has it in memory.
#[derive(Clone, Copy)]
enum Part<'a> {
    Word(u32),
    /// A text, or a list of bytes, or an empty list.
    List(&'a [u8]),
}

/// Writes a result to where the guest wants it.
fn put(guest: &mut Caller<'_, ()>, result: u32, parts: &[Part<'_>]) -> Result<()> {
    let memory = guest.get_export("memory").and_then(Extern::into_memory);
    let memory = memory.expect("exported");
    let mut words = Vec::new();
    for part in parts {
        match part {
            Part::Word(word) => words.push(*word),
            Part::List(bytes) => {
                let place = allocate(guest, bytes.len() as u32)?;
                memory.write(&mut *guest, place as usize, bytes)?;
                words.extend([place, bytes.len() as u32]);
            }
        }
    }
    let words: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    Ok(memory.write(guest, result as usize, &words)?)
}

fn allocate(guest: &mut Caller<'_, ()>, bytes: u32) -> Result<u32> {
    let function = guest.get_export("cabi_realloc").and_then(Extern::into_func);
    let function = function
        .expect("exported")
        .typed::<(u32, u32, u32, u32), u32>(&*guest)?;
    function.call(guest, (0, 0, 4, bytes))
}
