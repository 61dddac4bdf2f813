//! A run that waits, moved into another process.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::{env, fs, iter};

use ampoule_guests::Embedded;
use ampoule_limits::Limits;
use ampoule_projection::Tool;
use ampoule_tools::testing::Stub;
use ampoule_tools::{Catalog, Grant, GrantedTools, ToolResult};
use serde_json::json;

use super::image::PAGE_BYTES;
use super::snapshot::APART;
use super::*;
use crate::engine::{Capacity, Engines, Kind};
use crate::fuel;
use crate::guest::{Guest, GuestInstance, Program, Progress};
use crate::imports::{self, Completion};
use crate::script::{Language, Script};
use crate::setup::RunSetup;
use crate::testing::code_folder;

/// Where the other process finds what it needs. This one has it not.
const FOLDER: &str = "AMPOULE_TEST_MOVED_RUN";

/// The tests that are started in the other process, by the language.
const THERE: [(Language, &str); 2] = [
    (
        Language::TypeScript,
        "memory::tests::typescript_resumes_in_another_process",
    ),
    (
        Language::Python,
        "memory::tests::python_resumes_in_another_process",
    ),
];

#[tokio::test]
async fn typescript_resumes_in_another_process() {
    let script = "
        function* counter() { let n = 0; while (true) yield ++n; }
        const count = counter(); count.next();
        const seen = new Map([['a', { list: [1, 2] }]]);
        const { value } = await tools.drive.read({ id: 1 });
        seen.get('a').list.push(value);
        const second = await tools.drive.read({ id: 2 });
        return [seen.get('a'), second.value, count.next().value];";
    let returned = json!([{ "list": [1, 2, "from here"] }, "from there", 2]);
    goes_on(Language::TypeScript, script, &returned).await;
}

#[tokio::test]
async fn python_resumes_in_another_process() {
    let script = "
def counter():
    n = 0
    while True:
        n += 1
        yield n

count = counter()
next(count)
seen = {'a': {'list': [1, 2]}}

async def both():
    seen['a']['list'].append((await tools.drive.read(id=1)).value)
    return await tools.drive.read(id=2)

second = await both()
result = [seen['a'], second.value, next(count)]";
    let returned = json!([{ "list": [1, 2, "from here"] }, "from there", 2]);
    goes_on(Language::Python, script, &returned).await;
}

/// In the first process, runs the script until it waits, and starts another, which runs this test
/// as well: there it continues.
async fn goes_on(language: Language, script: &str, returned: &serde_json::Value) {
    if let Some(folder) = env::var_os(FOLDER) {
        let folder = Path::new(&folder);
        return there(language, folder).await;
    }
    let folder = tempfile::tempdir().unwrap();
    let host = Host::new(language);
    let (mut store, interpreter, memory) = host.interpreter().await;
    let program = Program::new(Script::new(language, script), 1 << 20);
    let progress = interpreter.start(&mut store, program).await.unwrap();
    assert!(matches!(progress, Progress::Waits(None)));
    assert_eq!(
        host.drive.take_calls(),
        [("read".to_owned(), json!({ "id": 1 }))]
    );

    let changed = memory.changed(&mut store, &*host.image().await).await;
    let kept = changed.unwrap().into_bytes();
    assert!(
        kept.len() < 256 << 10,
        "{} bytes in {language:?}",
        kept.len()
    );
    fs::write(folder.path().join("memory"), kept).unwrap();
    // Nothing of it is left here.
    drop((store, interpreter));

    let there = THERE.iter().find(|(there, _)| *there == language);
    let ran = Command::new(env::current_exe().unwrap())
        .args([there.unwrap().1, "--exact"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let ended = fs::read(folder.path().join("returned.json")).unwrap();
    let ended: serde_json::Value = serde_json::from_slice(&ended).unwrap();
    assert_eq!(ended, *returned);
}

/// In the other process: puts the memory into a new instance, and resumes the end of the first
/// call.
async fn there(language: Language, folder: &Path) {
    let host = Host::new(language);
    host.drive.answer(answer("from there"));
    let (mut store, interpreter, memory) = host.interpreter().await;
    // The ids of tools are the host's.
    let tool = host.granted().resolve_on("drive", "read").await.unwrap();
    store.data_mut().resolved.add(tool).unwrap();
    let kept = Snapshot::read(fs::read(folder.join("memory")).unwrap()).unwrap();
    memory.restore(&mut store, &kept).await.unwrap();

    let mut ended = vec![Completion::returned(0, r#"{"value": "from here"}"#)];
    let returned = loop {
        match interpreter.step(&mut store, ended).await.unwrap() {
            Progress::Ended(returned) => break returned.unwrap().unwrap(),
            Progress::Waits(timeout) => ended = imports::wait(&mut store, timeout).await.unwrap(),
        }
    };
    assert_eq!(
        host.drive.take_calls(),
        [("read".to_owned(), json!({ "id": 2 }))]
    );
    fs::write(folder.join("returned.json"), returned).unwrap();
}

/// While runs wait, no call into them is under way, so in whatever order they continue, none stands
/// above another.
#[tokio::test]
async fn between_steps_no_call_is_under_way() {
    let host = Host::new(Language::JavaScript);
    let mut waiting = Vec::new();
    for number in 0..4 {
        let (mut store, interpreter, _) = host.interpreter().await;
        let script = format!(
            "const answer = await tools.drive.read({{ id: {number} }}); return answer.value + {number}"
        );
        let program = Program::new(Script::javascript(script), 1 << 20);
        let progress = interpreter.start(&mut store, program).await.unwrap();
        assert!(matches!(progress, Progress::Waits(None)));
        waiting.push((store, interpreter));
    }
    // In another order than they began.
    for (number, (mut store, interpreter)) in waiting.into_iter().enumerate().rev() {
        let ended = vec![Completion::returned(0, r#"{"value": "x"}"#)];
        let progress = interpreter.step(&mut store, ended).await.unwrap();
        let Progress::Ended(Ok(Some(returned))) = progress else {
            panic!("it ends");
        };
        assert_eq!(returned, format!("\"x{number}\""));
    }
}

/// A new memory of these pages, each of one byte.
fn image(pages: &[u8]) -> Image {
    let page = |byte: &u8| vec![*byte; PAGE_BYTES];
    Image::new(pages.iter().flat_map(page).collect())
}

#[test]
fn only_what_differs_is_kept() {
    let page = |byte: u8| vec![byte; PAGE_BYTES];
    let new = image(&[0, 1, 2, 3]);
    let pages = [0, 9, 2, 3, 0, 0, 0, 0, 0, 7].map(page);
    let mut now = pages.concat();
    now[PAGE_BYTES * 3 + 5] = 4;
    now[PAGE_BYTES * 4 - 1] = 5;
    let snapshot = Snapshot::of(&now, &new, iter::once(0..10).collect());
    // A whole page, two words of another, and a whole one.
    assert_eq!(
        snapshot.bytes().len(),
        4 + 3 * 6 + 4 * 4 + 2 * PAGE_BYTES + 2 * APART
    );

    let read = Snapshot::read(snapshot.clone().into_bytes()).unwrap();
    assert_eq!(read, snapshot);
    assert_eq!(patched(&read, &new), now);
}

/// What a guest makes of a new memory.
fn patched(snapshot: &Snapshot, new: &Image) -> Vec<u8> {
    let mut patches = snapshot.patches().unwrap();
    let pages = patches.size() as usize / PAGE_BYTES;
    let mut memory: Vec<u8> = (0..pages)
        .flat_map(|page| new.page(page))
        .copied()
        .collect();
    while let Some(mut patch) = patches.next_patch().unwrap() {
        assert!(patch.len() <= 64 << 10);
        while let Some((number, rest)) = patch.split_first_chunk() {
            let page = u32::from_le_bytes(*number) as usize;
            patch = rest;
            for _ in 0..short(&mut patch) {
                let at = page * PAGE_BYTES + short(&mut patch);
                let length = short(&mut patch);
                let run = patch.split_off(..length).unwrap();
                memory[at..at + length].copy_from_slice(run);
            }
        }
    }
    memory
}

fn short(patch: &mut &[u8]) -> usize {
    let (number, rest) = patch.split_first_chunk().unwrap();
    *patch = rest;
    usize::from(u16::from_le_bytes(*number))
}

#[test]
fn what_is_more_than_a_patch_becomes_several() {
    let new = image(&[0]);
    let mut now = vec![1; 40 * PAGE_BYTES];
    // As many runs as a page can have.
    now[..PAGE_BYTES]
        .as_chunks_mut::<{ 2 * APART }>()
        .0
        .iter_mut()
        .for_each(|run| run[..APART].fill(0));
    let snapshot = Snapshot::of(&now, &new, iter::once(0..40).collect());
    let (mut patches, mut count) = (snapshot.patches().unwrap(), 0);
    while patches.next_patch().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 3);
    assert_eq!(patched(&snapshot, &new), now);
}

#[test]
fn what_is_damaged_is_found_or_is_another_memory_of_the_same_size() {
    let new = image(&[0, 1, 2, 3]);
    let mut now = [4, 1, 5, 3].map(|byte| vec![byte; PAGE_BYTES]).concat();
    for at in (0..now.len()).step_by(97) {
        now[at] ^= 0x55;
    }
    let kept = Snapshot::of(&now, &new, iter::once(0..4).collect()).into_bytes();
    let mut random = 1_u64;
    for _ in 0..20_000 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let mut edited = kept.clone();
        let at = (random >> 33) as usize % edited.len();
        match random % 3 {
            0 => edited[at] ^= (random >> 20) as u8,
            1 => edited.truncate(at),
            _ => drop(edited.splice(at..at, [(random >> 20) as u8])),
        }
        let Ok(snapshot) = Snapshot::read(edited) else {
            continue;
        };
        // Nothing of it is outside of the memory, or this would panic.
        if snapshot.memory_bytes() < 1 << 20 {
            patched(&snapshot, &new);
        }
    }
}

struct Host {
    engine: crate::engine::Engine,
    guest: Guest,
    memory: MemoryExports,
    drive: Stub,
    catalog: Catalog,
}

impl Host {
    fn new(language: Language) -> Self {
        let ceilings = Limits::default_ceilings();
        let capacity = Capacity {
            isolates: 8,
            memory_bytes: ceilings.memory_bytes,
            table_elements: ceilings.table_elements,
        };
        let engines = Engines::new(capacity, Some(&code_folder())).unwrap();
        let engine = engines.engine(Kind::Interpreters).unwrap();
        let embedded = embedded(language);
        let code = engine
            .compile_named(embedded.bytes(), || Ok(embedded.component()?.into()))
            .unwrap();
        let read = serde_json::from_value::<Tool>(
            json!({ "name": "read", "inputSchema": { "type": "object" } }),
        );
        let read = read.unwrap();
        let drive = Stub::new("drive", vec![read]);
        drive.hang();
        Self {
            guest: Guest::new(engine.wasmtime(), &code).unwrap(),
            memory: MemoryExports::of(&code).unwrap(),
            engine,
            catalog: Catalog::new(vec![Arc::new(drive.clone())]).unwrap(),
            drive,
        }
    }

    fn granted(&self) -> GrantedTools {
        GrantedTools::new(self.catalog.clone(), Grant::all()).unwrap()
    }

    async fn interpreter(&self) -> (Store<RunState>, GuestInstance, Memory) {
        let setup = RunSetup::of(Limits::default(), self.granted());
        let mut store = Store::new(self.engine.wasmtime(), RunState::new(setup));
        store.limiter(|run| &mut run.memory);
        fuel::share(&mut store).unwrap();
        let instance = self.guest.instance(&mut store).await.unwrap();
        let interpreter = self.guest.interpreter(&mut store, instance).unwrap();
        let memory = Memory::of(&mut store, &instance, &self.memory).unwrap();
        (store, interpreter, memory)
    }

    async fn image(&self) -> Arc<Image> {
        let (mut store, _, memory) = self.interpreter().await;
        let place = ImagePlace::default();
        memory.image(&mut store, &place).await.unwrap()
    }
}

fn embedded(language: Language) -> Embedded {
    match language {
        Language::Python => ampoule_guests::PYTHON,
        _ => ampoule_guests::JAVASCRIPT,
    }
}

fn answer(value: &str) -> ToolResult {
    let value = serde_json::value::to_raw_value(&json!({ "value": value }));
    ToolResult {
        structured_content: Some(value.unwrap()),
        ..ToolResult::default()
    }
}
