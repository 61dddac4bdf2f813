//! From a module's source to its code, by the CPython that will run it.

use anyhow::{Context, Result, anyhow};
use wasmtime::{Engine, Instance, Linker, Memory, Module, Store, TypedFunc};

use super::load_libraries;

/// How many bytes the guest's request has: four addresses.
const REQUEST_BYTES: u32 = 16;

/// CPython in an instance of its own, as far as compiling goes.
pub(super) struct Compiler {
    store: Store<()>,
    memory: Memory,
    allocate: TypedFunc<u32, u32>,
    compile: TypedFunc<u32, i32>,
}

impl Compiler {
    pub(super) fn start(module: &[u8]) -> Result<Self> {
        Self::begin(module).map_err(|error| anyhow!("CPython can't compile: {error:?}"))
    }

    fn begin(module: &[u8]) -> wasmtime::Result<Self> {
        let engine = Engine::default();
        let module = Module::new(&engine, module)?;
        let mut store = Store::new(&engine, ());
        let mut linker = Linker::new(&engine);
        linker.define_unknown_imports_as_traps(&module)?;
        let instance: Instance = linker.instantiate(&mut store, &module)?;
        load_libraries(&mut store, &instance)?;
        instance
            .get_typed_func::<(), ()>(&mut store, "build:start-compiler")?
            .call(&mut store, ())?;
        Ok(Self {
            memory: instance.get_memory(&mut store, "memory").expect("exported"),
            allocate: instance.get_typed_func(&mut store, "build:memory")?,
            compile: instance.get_typed_func(&mut store, "build:compile")?,
            store,
        })
    }

    /// Compiles a module; nothing where it is not valid, as some files are that only show it.
    pub(super) fn compile(&mut self, name: &str, source: &[u8]) -> Result<Option<Vec<u8>>> {
        let name = self.text(name.as_bytes())?;
        let source = self.text(source)?;
        let mut request = [0; REQUEST_BYTES as usize];
        request[..4].copy_from_slice(&name.to_le_bytes());
        request[4..8].copy_from_slice(&source.to_le_bytes());
        let place = self.write(&request)?;
        let compiled = self.compile.call(&mut self.store, place);
        let compiled = compiled.map_err(|error| anyhow!("it traps: {error:?}"))?;
        if compiled == 0 {
            return Ok(None);
        }
        let code = self.number(place + 8)?;
        let bytes = self.number(place + 12)?;
        let code = self.memory.data(&self.store).get(code..code + bytes);
        Ok(Some(code.context("the code is in memory")?.to_vec()))
    }

    fn number(&self, place: u32) -> Result<usize> {
        let mut bytes = [0; 4];
        self.memory.read(&self.store, place as usize, &mut bytes)?;
        Ok(u32::from_le_bytes(bytes) as usize)
    }

    fn text(&mut self, text: &[u8]) -> Result<u32> {
        self.write(&[text, b"\0"].concat())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<u32> {
        let allocated = self.allocate.call(&mut self.store, bytes.len() as u32);
        let place = allocated.map_err(|error| anyhow!("there is no memory: {error:?}"))?;
        self.memory.write(&mut self.store, place as usize, bytes)?;
        Ok(place)
    }
}
