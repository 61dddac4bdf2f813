//! The Python guest: CPython and our crate, linked into one module, with the library in its memory,
//! initialised.
//!
//! - [`mod@libraries`]: where CPython comes from
//! - [`modules`]: which modules are in its memory
//! - [`compiler`]: from their sources to their code
//! - [`zones`]: the database of time zones, as a module

mod compiler;
mod libraries;
mod modules;
mod zones;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wasmtime::Instance;

use super::toolchain::Toolchain;
use super::{FunctionNames, bulk, link, meter, pages_written, pointers, resting_state, snapshot};
pub(super) use libraries::{Files, Libraries};
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
static SCRIPTS: [&str; 5] = [
    "result = 1 + 1",
    "print('a', 1, {'b': [1, 2]})",
    "import json, re, math\nresult = {'a': [1, 2.5, None, 'b'], 'c': sum(x for x in range(3)), 'd': sorted({'x', 'y'}), 'e': f'{1.5:.2f}'.split('.')}\njson.dumps(result)",
    "import asyncio\nasync def one(n):\n    return await tools.slow.slow(number=n)\n\nawait asyncio.gather(*(one(n) for n in range(4)))",
    "class A:\n    def __init__(self, x):\n        self.x = x\n\ntry:\n    [A(i) for i in range(3)][5]\nexcept IndexError as error:\n    print(error)\nrows = await slow.slow({'rows': [{'a': 1}]})",
];
/// What scripts compute.
static COMPUTING: [&str; 8] = [
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(12)",
    "total = 0\nfor n in range(300):\n    total += n % 7 * 2 - n // 3\nwhile total > 1:\n    total /= 2\ntotal",
    "rows = [{'id': n, 'name': f'name {n}', 'amount': n * 1.5, 'paid': n % 3 == 0, 'tags': ['a', 'b']} for n in range(100)]\npaid = [row for row in rows if row['paid'] and row['amount'] > 10]\ngroups = {}\nfor row in paid:\n    groups.setdefault(row['id'] % 4, []).append(row['amount'])\n{key: {'sum': sum(of), 'mean': sum(of) / len(of), 'most': max(of)} for key, of in sorted(groups.items())}",
    "import json\nrows = json.loads(json.dumps([{'a': n, 'b': str(n), 'c': [n, None, True, 0.5]} for n in range(50)], indent=1))\nsorted(rows, key=lambda row: -row['a'])[:3]",
    "import re\ntext = 'The quick brown fox, 42 years old, jumps over 7 lazy dogs. ' * 10\nwords = {}\nfor word in text.lower().split():\n    word = word.strip('.,')\n    words[word] = words.get(word, 0) + 1\nnumbers = [int(found) for found in re.findall(r'\\d+', text)]\nre.sub(r'(\\w+) (\\w+)', r'\\2 \\1', text).title().replace('The', 'A') + ','.join(f'{word}: {count:>4}' for word, count in words.items())",
    "from collections import Counter, defaultdict\nfrom dataclasses import dataclass\nfrom datetime import datetime, timedelta\n@dataclass\nclass Item:\n    name: str\n    price: float\n    def with_tax(self):\n        return round(self.price * 1.19, 2)\nitems = [Item(str(n), n / 2) for n in range(20)]\nby = defaultdict(list)\nfor item in items:\n    by[len(item.name)].append(item.with_tax())\nday = datetime(2026, 1, 1) + timedelta(days=3)\n(Counter('abracadabra').most_common(2), dict(by), day.isoformat(), day.strftime('%d %b'))",
    "values = sorted((n * 7919 % 10007 for n in range(200)), reverse=True)\nvalues.sort(key=lambda n: n % 10)\npairs = list(zip(values, map(str, values), strict=True))\nany(n == 3 for n, _ in pairs), [*enumerate(values[:3])], set(values) & {1, 2, 3}, values.index(0) if 0 in values else None, tuple(reversed(values[2:5])), min(values, default=0)",
    "def walk(value, depth=0):\n    if isinstance(value, dict):\n        for key, inner in value.items():\n            yield key, depth\n            yield from walk(inner, depth + 1)\n    elif isinstance(value, list):\n        first, *rest = value\n        yield from walk(first)\n    else:\n        yield repr(value), depth\nfound = list(walk({'a': [1, 2.5, {'b': None}], 'c': 'd'}))\nlen(found), ' '.join(f'{name}:{depth}' for name, depth in found)",
];
/// One that waits for time to pass.
const WAITS: &str = "import asyncio\nawait asyncio.sleep(1)";

/// What the crate is called where libraries are linked.
const GUEST: &str = "the guest";
/// What the builder calls, and no run does.
const BUILD: &str = "build:";
/// The function of extensions that tells CPython of their modules.
const REGISTER: &str = "build:register-modules";
/// The function that gives room for the library.
const LIBRARY_MEMORY: &str = "build:library-memory";

/// The module, and scripts that do little.
pub(super) fn build(
    toolchain: &Toolchain,
    names: FunctionNames,
) -> Result<(Vec<u8>, &'static [&'static str])> {
    build_with(toolchain, names, &Extensions::default())
}

/// What a guest has besides CPython and its library.
pub(super) struct Extensions {
    /// Dynamic libraries: name and module. They are loaded behind CPython.
    pub(super) code: Files,
    /// Python sources: path and text. One that has the path of a module of the Python half takes its
    /// place, and the other is called `replaced_NAME` then.
    pub(super) sources: Files,
    /// Packages among the sources that look at where their files are.
    pub(super) packages: &'static [&'static str],
    /// Scripts as most are that use the extensions.
    pub(super) scripts: &'static [&'static str],
    /// In how many places a small run may write to its memory.
    pub(super) most_places: usize,
}

impl Default for Extensions {
    fn default() -> Self {
        Self {
            code: Files::new(),
            sources: Files::new(),
            packages: &[],
            scripts: &[],
            most_places: pages_written::MOST_PLACES,
        }
    }
}

/// The dynamic libraries that a guest is linked with: name and module.
pub(super) fn libraries() -> Result<Files> {
    Ok(Libraries::get(&folder()?)?.code)
}

/// Adds the Python sources of a folder: path and text.
pub(super) fn sources(root: &Path, sources: &mut Files) -> Result<()> {
    modules::own(root, root, sources)
}

fn folder() -> Result<PathBuf> {
    let folder = repository().join("target/guests/python");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The module of a guest that has extensions, and scripts that do little.
pub(super) fn build_with(
    toolchain: &Toolchain,
    names: FunctionNames,
    extensions: &Extensions,
) -> Result<(Vec<u8>, &'static [&'static str])> {
    let folder = folder()?;
    let libraries = Libraries::get(&folder)?;
    let guest = toolchain.build_library(&repository().join(FOLDER), "ampoule_python", &folder)?;
    let module = linked(&guest, &libraries, extensions, names)?;
    let block = modules::block(&libraries, extensions, &module)?;
    let snapshot = snapshot::take_with(&module, |store, instance| {
        load_libraries(store, instance)?;
        if let Some(register) = instance.get_func(&mut *store, REGISTER) {
            register.typed::<(), ()>(&*store)?.call(&mut *store, ())?;
        }
        let memory = instance.get_typed_func::<u32, u32>(&mut *store, LIBRARY_MEMORY)?;
        let place = memory.call(&mut *store, block.len() as u32)?;
        let memory = instance
            .get_memory(&mut *store, "memory")
            .expect("exported");
        Ok(memory.write(&mut *store, place as usize, &block)?)
    });
    let snapshot =
        snapshot.map_err(|error| anyhow::anyhow!("the guest can't be initialised: {error:?}"))?;
    resting_state::check(&snapshot, WAITS)?;
    // Its marks first: what takes less time than it did takes no more fuel.
    let scripts = [&SCRIPTS[..], &COMPUTING, extensions.scripts].concat();
    let module = pointers::settle(&meter::marked(&snapshot)?, &scripts)?;
    // What they do, most scripts do more of.
    let small = &SCRIPTS[..2];
    pages_written::check(&module, "Python", small, extensions.most_places)?;
    Ok((module, small))
}

fn linked(
    guest: &[u8],
    libraries: &Libraries,
    extensions: &Extensions,
    names: FunctionNames,
) -> Result<Vec<u8>> {
    let mut all = vec![(GUEST, guest)];
    all.extend(
        libraries
            .code
            .iter()
            .chain(&extensions.code)
            .map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
    );
    let is_export = |library: &str, name: &str| {
        let is_guests = name.starts_with(BUILD)
            || name.starts_with("cabi_")
            || name.contains("ampoule:guest/")
            || name == snapshot::INITIALIZE;
        (library == GUEST && is_guests) || name == REGISTER
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
