//! Runs that are recorded, parked, of a session, or governed: what becomes of their files in memory.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule::{
    CallContext, Functions, Keep, Outcome, ParkedLimits, RecordLimits, RecordOptions, SessionLimits,
};
use ampoule_tests::binary;
use tokio::sync::watch;

use super::*;
use crate::cli::governance::governed;

/// A tool that answers when it is let.
#[derive(Clone)]
struct Door(watch::Sender<bool>);

impl Door {
    fn closed() -> Self {
        Self(watch::Sender::new(false))
    }

    fn open(&self) {
        self.0.send_replace(true);
    }

    fn binding(&self) -> Functions {
        let open = self.0.clone();
        let tool = json!({ "name": "wait", "inputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true } });
        let waits = move |_: serde_json::Map<String, Value>, _: CallContext| {
            let open = open.clone();
            async move {
                let _ = open.subscribe().wait_for(|open| *open).await;
                Ok(ampoule_tests::binding::returned("1".to_owned()))
            }
        };
        Functions::new("door").raw(serde_json::from_value(tool).unwrap(), waits)
    }
}

/// A runtime, as a new process would make it.
fn process(folder: &Path, door: &Door) -> Runtime {
    let mut options = RecordOptions::default();
    options.keep = Keep::All;
    runtime_builder()
        .binding(test_tools())
        .binding(door.binding())
        .records(folder.join("records"), options)
        .parked(folder.join("parked"), ParkedLimits::default())
        .sessions(folder.join("sessions"), SessionLimits::default())
        .build()
        .unwrap()
}

fn recorded(runtime: &Runtime, outcome: &Outcome) -> ampoule::Record {
    let run = outcome.record.expect("it left a record").to_string();
    let shelf = runtime.records(None).unwrap();
    let _ = RecordLimits::default();
    shelf.record(&run).unwrap()
}

/// What fills files in memory and the workspace, and depends on times and names that are drawn.
const RECORDED: [(Language, &str); 2] = [
    (
        Python,
        "
import os, shutil, tempfile, zipfile
with tempfile.TemporaryDirectory() as folder:
    with open(folder + '/a.txt', 'w') as file: file.write('a' * 100000)
    with zipfile.ZipFile(folder + '/z.zip', 'w') as archive: archive.write(folder + '/a.txt', 'a.txt')
    info = zipfile.ZipFile(folder + '/z.zip').infolist()[0]
    print(folder, info.date_time, os.stat(folder + '/a.txt').st_mtime_ns, os.stat(folder).st_ino)
    shutil.copy(folder + '/z.zip', 'z.zip')
    os.replace(folder + '/a.txt', 'moved.txt')
shutil.move('moved.txt', '/tmp/back.txt')
try: open('nothing')
except OSError as error: print(error)
await test_tools.echo(value='x')
return [os.path.getsize('z.zip'), os.path.getsize('/tmp/back.txt'), sorted(os.listdir('/')), os.listdir('.')]",
    ),
    (
        TypeScript,
        "
        import fs from 'node:fs';
        const folder = fs.mkdtempSync('/tmp/x-');
        fs.writeFileSync(`${folder}/a`, new Uint8Array([0, 255, 7]));
        console.log(folder, fs.statSync(`${folder}/a`).mtimeMs, Date.now());
        fs.renameSync(`${folder}/a`, 'moved');
        fs.copyFileSync('moved', `${folder}/b`);
        fs.copyFileSync(`${folder}/b`, 'c');
        await tools.testTools.echo({ value: 'x' });
        try { fs.readFileSync('nothing') } catch (error) { console.log(String(error)) }
        return [[...fs.readFileSync('c')], fs.readdirSync('.'), fs.readdirSync('/'), fs.readdirSync(folder)]",
    ),
];

#[tokio::test]
async fn a_run_that_is_run_again_makes_the_same_files() {
    for (language, source) in RECORDED {
        let folder = tempfile::tempdir().unwrap();
        let runtime = process(folder.path(), &Door::closed());
        let workspace = folder.path().join("workspace");
        let workspace = Workspace::workspace(&workspace, Quota::default()).unwrap();
        let given = folder.path().join("given");
        std::fs::create_dir(&given).unwrap();
        let with_folder = runtime_builder()
            .binding(test_tools())
            .folder(
                "given",
                Workspace::folder(&given, true, Quota::default()).unwrap(),
            )
            .records(folder.path().join("records"), {
                let mut options = RecordOptions::default();
                options.keep = Keep::All;
                options
            })
            .build()
            .unwrap();
        let isolate = |runtime: &Runtime| {
            let isolate = runtime.isolate(Script::new(language, source));
            isolate.grant(Grant::all())
        };
        for isolate in [
            isolate(&runtime),
            isolate(&runtime).workspace(Arc::clone(&workspace)),
            isolate(&with_folder),
        ] {
            let outcome = isolate.run().await.unwrap();
            let ending = outcome.ending.to_string();
            outcome
                .value::<Value>()
                .unwrap_or_else(|_| panic!("{ending}"));
            let elsewhere = runtime_builder().build().unwrap();
            let replay = elsewhere.replay(recorded(&runtime, &outcome));
            let replayed = replay.run().await.unwrap();
            if let Some(difference) = &replayed.difference {
                panic!("{difference}\n{}", replayed.outcome.ending);
            }
            assert_eq!(replayed.outcome.ending.to_string(), ending);
            assert_eq!(replayed.outcome.output, outcome.output, "{source}");
            assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel, "{source}");
        }
    }
}

#[tokio::test]
async fn what_is_in_memory_is_not_in_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = process(folder.path(), &Door::closed());
    let source = "import fs from 'node:fs'; const text = 'only-'.repeat(50000); fs.writeFileSync('/tmp/x', text);
        return fs.readFileSync('/tmp/x', 'utf8').length";
    let isolate = runtime.isolate(Script::new(TypeScript, source));
    let outcome = isolate.run().await.unwrap();
    let run = outcome.record.expect("it left a record");
    let file = folder.path().join(format!("records/local/{run}.record"));
    let record = std::fs::read_to_string(file).unwrap();
    assert!(!record.contains("only-only-"), "{}", record.len());
    assert!(record.len() < 20_000, "{}", record.len());
}

/// Each writes files in memory, has some open, waits, and continues with them.
const WAITS: [(Language, &str); 2] = [
    (
        TypeScript,
        "import fs from 'node:fs/promises';
        await fs.mkdir('/tmp/d');
        await fs.writeFile('/tmp/d/first', 'one'.repeat(50000));
        const log = await fs.open('/tmp/log', 'a+');
        await log.write('before\\n');
        const { mtimeMs, ino } = await fs.stat('/tmp/d/first');
        await tools.door.wait({});
        await log.write('after\\n');
        await log.close();
        await fs.appendFile('/tmp/d/first', '!');
        const now = await fs.stat('/tmp/d/first');
        await fs.rename('/tmp/log', 'log');
        return [await fs.readFile('log', 'utf8'), now.size, now.ino === ino, now.mtimeMs >= mtimeMs, (await fs.readdir('/tmp')).sort()]",
    ),
    (
        Python,
        "import os, tempfile
os.mkdir('/tmp/d')
with open('/tmp/d/first', 'w') as file: file.write('one' * 50000)
unnamed = tempfile.TemporaryFile('w+')
unnamed.write('unnamed'); unnamed.flush()
before = os.stat('/tmp/d/first')
with open('/tmp/log', 'a+') as log:
    log.write('before\\n')
    log.flush()
    await tools.door.wait()
    log.write('after\\n')
with open('/tmp/d/first', 'a') as file: file.write('!')
now = os.stat('/tmp/d/first')
unnamed.seek(0)
assert unnamed.read() == 'unnamed'
unnamed.close()
os.replace('/tmp/log', 'log')
[open('log').read(), now.st_size, now.st_ino == before.st_ino, now.st_mtime >= before.st_mtime, sorted(os.listdir('/tmp'))]",
    ),
];

fn went_on() -> Value {
    json!(["before\nafter\n", 150_001, true, true, ["d"]])
}

fn waiting(runtime: &Runtime, script: Script) -> Isolate {
    let isolate = runtime.isolate(script);
    let isolate = isolate
        .grant(Grant::all())
        .park_after(Duration::from_millis(20));
    isolate.record(Keep::None)
}

async fn until_parked(runtime: &Runtime) {
    while runtime.waiting().parked != 1 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

fn told(outcome: &Outcome) -> Value {
    let value = outcome.value();
    value.unwrap_or_else(|_| panic!("{}", outcome.ending))
}

#[tokio::test]
async fn a_parked_run_has_its_files_when_it_wakes() {
    for (language, source) in WAITS {
        let waits = Script::new(language, source);
        let folder = tempfile::tempdir().unwrap();
        let door = Door::closed();
        let runtime = process(folder.path(), &door);
        let workspace = folder.path().join("workspace");
        let workspace = Workspace::workspace(&workspace, Quota::default()).unwrap();
        for isolate in [
            waiting(&runtime, waits.clone()),
            waiting(&runtime, waits.clone()).workspace(workspace),
        ] {
            door.0.send_replace(false);
            let run = isolate.start().await.unwrap();
            until_parked(&runtime).await;
            door.open();
            let outcome = run.outcome().await.unwrap();
            assert_eq!(told(&outcome), went_on());
            assert_eq!(outcome.usage.parked, 1);
        }
        let log = std::fs::read_to_string(folder.path().join("workspace/log"));
        assert_eq!(log.unwrap(), "before\nafter\n");
    }
}

#[tokio::test]
async fn the_next_process_has_a_parked_run_s_files() {
    for (language, source) in WAITS {
        let waits = Script::new(language, source);
        let folder = tempfile::tempdir().unwrap();
        let door = Door::closed();
        let runtime = process(folder.path(), &door);
        let run = waiting(&runtime, waits).start().await.unwrap();
        until_parked(&runtime).await;
        runtime.suspend();
        drop(run);
        drop(runtime);
        tokio::task::yield_now().await;

        door.open();
        let runtime = process(folder.path(), &door);
        let (_, run) = runtime.resume_parked().await.unwrap().pop().unwrap();
        let outcome = run.unwrap().outcome().await.unwrap();
        assert_eq!(told(&outcome), went_on());
    }
}

#[tokio::test]
async fn a_session_keeps_names_and_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = process(folder.path(), &Door::closed());
    let run = async |language, source: &str| {
        let isolate = runtime.isolate(Script::new(language, source));
        told(&isolate.session("s").run().await.unwrap())
    };
    let first = "import os\nfile = open('/tmp/x', 'w+'); file.write('1'); file.flush(); kept = 7\nlen(os.listdir('/tmp'))";
    assert_eq!(run(Python, first).await, json!(1));
    let second = "
try: file.write('2'); file.flush(); said = 'written'
except (OSError, ValueError): said = 'closed'
[kept, os.listdir('/tmp'), said]";
    assert_eq!(run(Python, second).await, json!([7, [], "closed"]));
}

#[tokio::test]
async fn what_a_run_has_read_goes_with_what_it_moves_to_its_workspace() {
    let rules = "workspace = {}
[labels.gives]
'demo.get_customer' = 'customer-data'
[labels.refuses]
'demo.create_ticket' = { labels = 'customer-data', reason = 'customers stay out of tickets' }";
    let workplace = Workplace::default();
    governed(&workplace, rules);
    let run = async |source: &str| {
        workplace
            .run(&["run", "-q", "--language", "python", "-e", source])
            .await
    };
    let reads = "found = await demo.get_customer(customer_id='CUS-0001')\nopen('/tmp/x', 'w').write(str(found))\n";
    let opens = "await demo.create_ticket(customer_id='CUS-0002', subject='x', text=open('notes.txt').read())";
    // What stays in memory is gone, and so is what it was.
    let stays = run(reads).await;
    assert_eq!(stays.code, Some(0), "{stays:?}");
    let writes =
        run("open('/tmp/x', 'w').write('nothing'); import os; os.replace('/tmp/x', 'notes.txt')")
            .await;
    assert_eq!(writes.code, Some(0), "{writes:?}");
    let opened = run(opens).await;
    assert_eq!(opened.code, Some(0), "{opened:?}");
    let moves = run(&format!(
        "{reads}import os\nos.replace('/tmp/x', 'notes.txt')"
    ))
    .await;
    assert_eq!(moves.code, Some(0), "{moves:?}");
    let refused = run(opens).await;
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(
        refused.stderr.contains("customers stay out of tickets"),
        "{refused:?}"
    );
    assert!(binary().exists());
}
