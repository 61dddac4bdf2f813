//! Runs with files: written and open files stay with a run over a restart.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ampoule::{Ending, Language, Outcome, Quota, Runtime, RuntimeBuilder, Sharing, Workspaces};
use ampoule_tests::command::Workplace;
use serde_json::{Value, json};

use super::{Parked, Shop, builder, script, until_parked};

use Language::{Python, TypeScript};

/// Each writes, changes and removes files, waits, and continues with its files.
const GOES_ON: [(Language, &str); 2] = [
    (
        TypeScript,
        "import fs from 'node:fs/promises';
        const rows = (await fs.readFile('rows.csv', 'utf8')).trim().split('\\n');
        await fs.mkdir('out');
        await fs.writeFile('out/first', rows.join('+'));
        await fs.rename('moved', 'out/moved');
        await fs.rm('gone');
        const log = await fs.open('log', 'a+');
        await log.write('before\\n');
        await tools.shop.look({});
        await log.write('after\\n');
        await log.close();
        await fs.appendFile('out/first', '!');
        return [await fs.readFile('log', 'utf8'), (await fs.readdir('.')).sort(),
            await fs.readFile('out/moved', 'utf8')]",
    ),
    (
        Python,
        "import os
rows = open('rows.csv').read().split()
os.mkdir('out')
with open('out/first', 'w') as file:
    file.write('+'.join(rows))
os.rename('moved', 'out/moved')
os.remove('gone')
table = open('rows.csv')
first = table.readline()
with open('log', 'a+') as log:
    log.write('before\\n')
    log.flush()
    await tools.shop.look()
    log.write('after\\n')
assert first + table.read() == 'a,1\\nb,2\\n'
with open('out/first', 'a') as file:
    file.write('!')
[open('log').read(), sorted(os.listdir('.')), open('out/moved').read()]",
    ),
];

struct Place {
    parked: Parked,
    shop: Shop,
}

impl Place {
    fn new() -> Self {
        let place = Self {
            parked: Parked::new(),
            shop: Shop::closed(),
        };
        fs::create_dir(place.workspace()).unwrap();
        for (name, text) in [("rows.csv", "a,1\nb,2\n"), ("moved", "m"), ("gone", "g")] {
            fs::write(place.workspace().join(name), text).unwrap();
        }
        place
    }

    fn workspace(&self) -> PathBuf {
        self.parked.folder.path().join("workspace")
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.workspace().join(file)).unwrap()
    }

    /// Waits until so many layers are there: they are removed in the background.
    async fn until_layers(&self, many: usize) {
        let layers = self.workspace().join(".ampoule/layers");
        let count = || fs::read_dir(&layers).map_or(0, Iterator::count);
        for _ in 0..1000 {
            if count() == many {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{} layers", count());
    }

    /// A runtime, as a new process would make it.
    fn runtime(&self) -> Runtime {
        self.builder().build().unwrap()
    }

    fn builder(&self) -> RuntimeBuilder {
        let workspaces = Workspaces::new(self.workspace(), Sharing::Project, Quota::default());
        builder(self.parked.folder.path(), self.parked.limits)
            .binding(self.shop.binding())
            .workspaces(workspaces)
    }

    /// Parks a run of this, and ends its process. Gives its id.
    async fn left(&self, language: Language, source: &str) -> String {
        let runtime = self.runtime();
        let run = script(&runtime, language, source).start().await.unwrap();
        let id = run.id().to_string();
        until_parked(&runtime, 1).await;
        runtime.suspend();
        drop(run);
        drop(runtime);
        tokio::task::yield_now().await;
        id
    }

    /// The end of the one run that was left, in a new process.
    async fn gone_on_with(&self, runtime: &Runtime) -> Outcome {
        self.shop.open();
        let (_, run) = runtime.resume_parked().await.unwrap().pop().unwrap();
        run.unwrap().outcome().await.unwrap()
    }

    async fn is_as_it_should_be(&self, value: &Value) {
        let names = json!(["log", "out", "rows.csv"]);
        assert_eq!(*value, json!(["before\nafter\n", names, "m"]));
        assert_eq!(self.text("out/first"), "a,1+b,2!");
        assert_eq!(self.text("log"), "before\nafter\n");
        assert!(!self.workspace().join("gone").exists());
        self.until_layers(0).await;
    }
}

#[tokio::test]
async fn what_it_wrote_and_has_open_is_there_when_it_wakes() {
    for (language, source) in GOES_ON {
        let place = Place::new();
        let runtime = place.runtime();
        let run = script(&runtime, language, source).start().await.unwrap();
        until_parked(&runtime, 1).await;
        // Nobody sees what it has not finished.
        assert!(!place.workspace().join("log").exists());
        place.shop.open();
        let outcome = run.outcome().await.unwrap();
        let value = outcome
            .value()
            .unwrap_or_else(|_| panic!("{}", outcome.ending));
        place.is_as_it_should_be(&value).await;
    }
}

#[tokio::test]
async fn the_next_process_goes_on_with_its_files() {
    for (language, source) in GOES_ON {
        let place = Place::new();
        place.left(language, source).await;

        let runtime = place.runtime();
        // Another run's merge clears away what nobody has; this is kept.
        let other = "import fs from 'node:fs'; fs.writeFileSync('other', '1'); fs.rmSync('other')";
        let ended = script(&runtime, TypeScript, other).run().await.unwrap();
        assert!(
            matches!(ended.ending, Ending::Returned(_)),
            "{}",
            ended.ending
        );
        let other = "import fs from 'node:fs'; fs.writeFileSync('log2', '1')";
        script(&runtime, TypeScript, other).run().await.unwrap();
        fs::remove_file(place.workspace().join("log2")).unwrap();
        place.until_layers(1).await;

        let outcome = place.gone_on_with(&runtime).await;
        let value = outcome
            .value()
            .unwrap_or_else(|_| panic!("{}", outcome.ending));
        place.is_as_it_should_be(&value).await;
    }
}

#[tokio::test]
async fn what_was_changed_while_it_slept_is_a_conflict() {
    let place = Place::new();
    let (language, source) = GOES_ON[0];
    place.left(language, source).await;
    fs::write(place.workspace().join("log"), "mine").unwrap();
    let outcome = place.gone_on_with(&place.runtime()).await;
    let ending = outcome.ending.to_string();
    assert!(
        ending.contains("WorkspaceError") && ending.contains("`log`"),
        "{ending}"
    );
    assert_eq!(place.text("log"), "mine");
}

#[tokio::test]
async fn a_file_that_was_replaced_is_to_be_opened_again() {
    let source = "
table = open('rows.csv', buffering=1)
table.readline()
await tools.shop.look()
table.seek(0)
try:
    table.read()
except OSError as error:
    told = str(error)
[told, open('rows.csv').read()]";
    let place = Place::new();
    place.left(Python, source).await;
    fs::write(place.workspace().join("rows.csv"), "another\n").unwrap();
    let outcome = place.gone_on_with(&place.runtime()).await;
    let value = outcome.value::<[String; 2]>();
    let [told, read] = value.unwrap_or_else(|_| panic!("{}", outcome.ending));
    assert!(told.contains("I/O error"), "{told}");
    assert_eq!(read, "another\n");
}

#[tokio::test]
async fn a_run_without_its_folder_cannot_go_on() {
    let place = Place::new();
    let (language, source) = GOES_ON[0];
    let id = place.left(language, source).await;
    let elsewhere = builder(place.parked.folder.path(), place.parked.limits);
    let elsewhere = elsewhere.binding(place.shop.binding()).build().unwrap();
    let (_, run) = elsewhere.resume_parked().await.unwrap().pop().unwrap();
    let error = run.unwrap().outcome().await.unwrap_err().to_string();
    assert!(error.contains("it had the files of"), "{error}");
    // It is there still, where they are.
    drop(elsewhere);
    place.shop.open();
    let runtime = place.runtime();
    let run = runtime.resume(&id, None).unwrap().start().await.unwrap();
    let value = run.outcome().await.unwrap().value().unwrap();
    place.is_as_it_should_be(&value).await;
}

#[tokio::test]
async fn what_was_not_kept_at_first_is_whole_later() {
    // There is no room for it as long as there is another.
    let mut place = Place::new();
    place.parked.limits.most = 1;
    let slow = Shop::closed();
    let runtime = place.builder().binding(slow.binding_named("slow"));
    let runtime = runtime.build().unwrap();
    let waits = "return await tools.slow.look({})";
    let other = script(&runtime, TypeScript, waits).start().await.unwrap();
    until_parked(&runtime, 1).await;
    let (language, source) = GOES_ON[0];
    let run = script(&runtime, language, source).start().await.unwrap();
    while runtime.waiting().kept_alive == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    slow.open();
    other.outcome().await.unwrap();
    until_parked(&runtime, 1).await;
    runtime.suspend();
    drop(run);
    drop(runtime);
    tokio::task::yield_now().await;
    let outcome = place.gone_on_with(&place.runtime()).await;
    let value = outcome
        .value()
        .unwrap_or_else(|_| panic!("{}", outcome.ending));
    place.is_as_it_should_be(&value).await;
}

#[tokio::test]
async fn what_is_removed_leaves_no_files() {
    let place = Place::new();
    let (language, source) = GOES_ON[0];
    let id = place.left(language, source).await;
    let runtime = place.runtime();
    place.until_layers(1).await;
    runtime.remove_parked(&id, None).unwrap();
    let other = "import fs from 'node:fs'; fs.writeFileSync('other', '1')";
    script(&runtime, TypeScript, other).run().await.unwrap();
    place.until_layers(0).await;
}

#[tokio::test]
async fn what_a_command_left_is_gone_on_with_in_its_folder() {
    let workplace = Workplace::default();
    workplace.file("ampoule.toml", "[runs]\npark-after = '50ms'\n");
    fs::create_dir(workplace.path().join("ws")).unwrap();
    let code = "import fs from 'node:fs/promises'; await fs.writeFile('a', '1');
        await new Promise(it => setTimeout(it, 3000)); await fs.appendFile('a', '2');
        return await fs.readFile('a', 'utf8')";
    let mut child = workplace
        .command(
            ampoule_tests::binary(),
            &["run", "--workspace", "ws", "-e", code],
        )
        .spawn()
        .unwrap();
    let id = loop {
        let listed = workplace.run(&["runs"]).await.stdout;
        let line = listed.lines().find(|line| line.contains(" parked "));
        if let Some(id) = line.and_then(|line| line.split(' ').next()) {
            break id.to_owned();
        }
        assert!(child.try_wait().unwrap().is_none(), "{listed}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    child.kill().await.unwrap();
    let refused = workplace.run(&["runs", "resume", &id]).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("which it does not have here"),
        "{refused:?}"
    );
    // One that is not there can't be the one that it had, and none is made.
    let nowhere = ["runs", "resume", &id, "--workspace", "wss"];
    let refused = workplace.run(&nowhere).await;
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let told = "--workspace wss: folder not found";
    assert!(refused.stderr.contains(told), "{refused:?}");
    assert!(!workplace.path().join("wss").exists());
    let whole = workplace.path().join("ws");
    let whole = whole.to_str().unwrap();
    let ended = workplace
        .run(&["runs", "resume", &id, "--workspace", whole])
        .await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout.trim(), "12");
    assert_eq!(
        fs::read_to_string(workplace.path().join("ws/a")).unwrap(),
        "12"
    );
}
