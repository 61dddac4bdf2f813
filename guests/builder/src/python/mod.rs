//! The Python guest: CPython and our crate, linked into one module, with the library in its memory,
//! initialised.
//!
//! - [`libraries`]: where CPython comes from
//! - [`modules`]: which modules are in its memory
//! - [`compiler`]: from their sources to their code
//! - [`zones`]: the database of time zones, as a module
//! - [`touched`]: how much of its memory a run writes to

mod compiler;
mod libraries;
mod modules;
mod touched;
mod zones;

use std::fs;

use anyhow::{Context, Result};
use wasmtime::Instance;

use super::toolchain::Toolchain;
use super::{Names, bulk, encode, link, pointers, rest, snapshot};
use libraries::Libraries;
use xtask::repository;

/// The crate's sources.
pub(super) const FOLDER: &str = "guests/python";

/// The stack in linear memory. CPython raises `RecursionError` where its C code has used what it is
/// told of: a frame may take some forty times as much of the native stack, of which the engine
/// gives 8 MiB, and that must not come to its end first. What does not ask, such as `marshal` and
/// `decimal`, needs more.
const STACK: link::Stack = link::Stack {
    bytes: 1 << 20,
    told: 192 << 10,
};

/// Scripts as most are, but for what they compute.
const SCRIPTS: [&str; 5] = [
    "result = 1 + 1",
    "print('a', 1, {'b': [1, 2]})",
    "import json, re, math\nresult = {'a': [1, 2.5, None, 'b'], 'c': sum(x for x in range(3)), 'd': sorted({'x', 'y'}), 'e': f'{1.5:.2f}'.split('.')}\njson.dumps(result)",
    "import asyncio\nasync def one(n):\n    return await tools.slow.slow(number=n)\n\nawait asyncio.gather(*(one(n) for n in range(4)))",
    "class A:\n    def __init__(self, x):\n        self.x = x\n\ntry:\n    [A(i) for i in range(3)][5]\nexcept IndexError as error:\n    print(error)\nrows = await slow.slow({'rows': [{'a': 1}]})",
];
/// One that waits for time to pass.
const WAITS: &str = "import asyncio\nawait asyncio.sleep(1)";

/// What the builder calls, and no run does.
const BUILD: &str = "build:";
/// The function that gives room for the library.
const LIBRARY_MEMORY: &str = "build:library-memory";

pub(super) fn build(toolchain: &Toolchain, names: Names) -> Result<Vec<u8>> {
    let folder = repository().join("target/guests/python");
    fs::create_dir_all(&folder)?;
    let libraries = Libraries::get(&folder)?;
    let guest = toolchain.build_library(&repository().join(FOLDER), "ampoule_python", &folder)?;
    let module = linked(&guest, &libraries, names)?;
    let block = modules::block(&libraries, &module)?;
    let snapshot = snapshot::take_with(&module, |store, instance| {
        load_libraries(store, instance)?;
        let memory = instance.get_typed_func::<u32, u32>(&mut *store, LIBRARY_MEMORY)?;
        let place = memory.call(&mut *store, block.len() as u32)?;
        let memory = instance
            .get_memory(&mut *store, "memory")
            .expect("exported");
        Ok(memory.write(&mut *store, place as usize, &block)?)
    });
    let snapshot =
        snapshot.map_err(|error| anyhow::anyhow!("the guest can't be initialised: {error:?}"))?;
    let snapshot = pointers::gather(&snapshot, &SCRIPTS)?;
    // What they do, most scripts do more of.
    touched::check(&snapshot, &SCRIPTS[..2])?;
    rest::check(&snapshot, WAITS)?;
    encode(&snapshot)
}

fn linked(guest: &[u8], libraries: &Libraries, names: Names) -> Result<Vec<u8>> {
    let mut all = vec![("the guest", guest)];
    all.extend(
        libraries
            .code
            .iter()
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
    );
    let is_export = |name: &str| {
        name.starts_with(BUILD)
            || name.starts_with("cabi_")
            || name.contains("ampoule:guest/")
            || name == snapshot::INITIALIZE
    };
    let module = link::link(&all, STACK, is_export, names).context("CPython can't be linked")?;
    bulk::in_steps(&module)
}

/// Does what loading the libraries does.
fn load_libraries(store: &mut wasmtime::Store<()>, instance: &Instance) -> wasmtime::Result<()> {
    instance
        .get_typed_func::<(), ()>(&mut *store, link::LOADER)?
        .call(store, ())
}
