//! Runs that have files: what they were told of these is in their records.

use std::fs;
use std::sync::Arc;

use ampoule::{Difference, Functions, Keep, Language, Outcome, Quota, Workspace};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Recorded, elsewhere, options, same};

/// Scripts that read, list, change and miss files.
const SCRIPTS: [(Language, &str); 3] = [
    (
        Language::TypeScript,
        "import fs from 'node:fs/promises';
         const rows = (await fs.readFile('rows.csv', 'utf8')).trim().split('\\n');
         console.log(await fs.readdir('.'), (await fs.stat('rows.csv')).mtimeMs, Date.now());
         await fs.mkdir('out', { recursive: true });
         await fs.writeFile('out/sum.txt', String(rows.length));
         await fs.appendFile('out/sum.txt', ' rows');
         await fs.rename('out/sum.txt', 'out/rows.txt');
         await fs.copyFile('out/rows.txt', 'copy.txt');
         try { await fs.readFile('missing') } catch (error) { console.log(String(error)) }
         await tools.testTools.echo({ value: rows[0] });
         return [rows.length, await fs.readFile('copy.txt', 'utf8'), [...(await fs.readFile('bytes'))]]",
    ),
    (
        Language::Python,
        "import csv, os, pathlib, shutil, sqlite3
with open('rows.csv', newline='') as file:
    rows = list(csv.reader(file))
print(sorted(os.listdir('.')), os.stat('rows.csv').st_mtime)
database = sqlite3.connect('data.db')
database.execute('create table t (n)')
database.executemany('insert into t values (?)', [(n,) for n in range(100)])
database.commit()
total = database.execute('select sum(n) from t').fetchone()[0]
pathlib.Path('out').mkdir()
shutil.copy('rows.csv', 'out/copy.csv')
try:
    open('missing')
except OSError as error:
    print(error)
return [len(rows), total, list(open('bytes', 'rb').read())]",
    ),
    (
        Language::Python,
        "open('new', 'w').write('x' * 100_000)\nraise ValueError(str(len(open('new').read())))",
    ),
];

struct Place {
    recorded: Recorded,
    workspace: Arc<Workspace>,
}

impl Place {
    fn new() -> Self {
        let mut options = options(Keep::All);
        options.secrets = vec!["hunter2-secret".into()];
        let recorded = Recorded::with(options);
        let folder = recorded.folder.path().join("workspace");
        let workspace = Workspace::workspace(&folder, Quota::default()).unwrap();
        fs::write(folder.join("rows.csv"), "a,1\nb,2\nc,3\n").unwrap();
        fs::write(folder.join("bytes"), [0, 255, 128, 7]).unwrap();
        Self {
            recorded,
            workspace,
        }
    }

    async fn run(&self, language: Language, source: &str) -> Outcome {
        let isolate = self.recorded.isolate(language, source);
        let run = isolate.workspace(Arc::clone(&self.workspace)).run();
        run.await.expect("no host fault")
    }
}

#[tokio::test]
async fn a_run_that_had_files_comes_to_the_same_where_there_are_none() {
    for (language, source) in SCRIPTS {
        let place = Place::new();
        let outcome = place.run(language, source).await;
        let replayed = same(place.recorded.record(&outcome)).await;
        assert_eq!(replayed.outcome.output, outcome.output, "{source}");
        let endings = [&replayed.outcome, &outcome].map(|it| it.ending.to_string());
        assert_eq!(endings[0], endings[1], "{source}");
        assert_eq!(replayed.outcome.usage.fuel, outcome.usage.fuel, "{source}");
    }
}

#[tokio::test]
async fn what_a_run_wrote_is_not_written_again() {
    let place = Place::new();
    let source = "import fs from 'node:fs'; fs.writeFileSync('new', 'once'); return 1";
    let outcome = place.run(Language::TypeScript, source).await;
    let new = place.recorded.folder.path().join("workspace/new");
    fs::write(&new, "changed since").unwrap();
    same(place.recorded.record(&outcome)).await;
    assert_eq!(fs::read_to_string(new).unwrap(), "changed since");
}

#[tokio::test]
async fn a_run_whose_files_were_not_kept_fails_again() {
    let place = Place::new();
    let (started, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    #[derive(serde::Deserialize, schemars::JsonSchema)]
    struct Nothing {}
    let (start, end) = (Arc::clone(&started), Arc::clone(&ended));
    let other =
        Functions::new("other").tool("end", "Waits for the other run.", move |_: Nothing| {
            let (start, end) = (Arc::clone(&start), Arc::clone(&end));
            async move {
                start.notify_one();
                end.notified().await;
                Ok::<_, String>(())
            }
        });
    let source = "import fs from 'node:fs/promises';
        await fs.appendFile('rows.csv', 'd,4'); await other.end(); return 'wrote'";
    let isolate = place.recorded.isolate(Language::TypeScript, source);
    let slow = isolate
        .workspace(Arc::clone(&place.workspace))
        .binding(other)
        .run();
    // It begins after the slow one did, and is over before that is.
    let quick = async {
        started.notified().await;
        let source =
            "import fs from 'node:fs/promises'; await fs.writeFile('rows.csv', 'mine'); return 1";
        let outcome = place.run(Language::TypeScript, source).await;
        ended.notify_one();
        outcome
    };
    let (slow, other) = tokio::join!(slow, quick);
    let slow = slow.expect("no host fault");
    assert!(other.ending.to_string().contains('1'), "{}", other.ending);
    let ending = slow.ending.to_string();
    assert!(ending.starts_with("WorkspaceError: "), "{ending}");
    let replayed = same(place.recorded.record(&slow)).await;
    assert_eq!(replayed.outcome.ending.to_string(), ending);
}

#[tokio::test]
async fn a_changed_script_reads_what_the_recorded_one_read() {
    let place = Place::new();
    let source = "import fs from 'node:fs/promises';
        const text = await fs.readFile('rows.csv', 'utf8'); await fs.readFile('bytes'); return text.length";
    let outcome = place.run(Language::TypeScript, source).await;
    fs::remove_file(place.recorded.folder.path().join("workspace/rows.csv")).unwrap();
    let replay = async |source: &str| {
        let record = place.recorded.record(&outcome);
        let replay = elsewhere().replay(record).edited(source).unwrap();
        replay.run().await.unwrap()
    };
    // In another order.
    let changed = "import fs from 'node:fs/promises';
        const bytes = await fs.readFile('bytes'); const text = await fs.readFile('rows.csv', 'utf8');
        return [text.trim().split('\\n').length, bytes.length]";
    let value: Value = replay(changed).await.outcome.value().unwrap();
    assert_eq!(value, json!([3, 4]));
    let other = "import fs from 'node:fs/promises'; return await fs.readFile('other.csv', 'utf8')";
    let replayed = replay(other).await;
    let Some(Difference::World { what }) = &replayed.difference else {
        panic!("{:?}", replayed.difference)
    };
    assert!(what.contains("open \"other.csv\""), "{what}");
}

#[tokio::test]
async fn secrets_in_files_are_not_in_the_record() {
    let place = Place::new();
    let folder = place.recorded.folder.path().join("workspace");
    fs::write(folder.join("text"), "key = hunter2-secret\n").unwrap();
    fs::write(
        folder.join("binary"),
        [&[0xff, 0xfe][..], b"hunter2-secret", &[0x80]].concat(),
    )
    .unwrap();
    let source = "import fs from 'node:fs'; return [fs.readFileSync('text').length, fs.readFileSync('binary').length]";
    let outcome = place.run(Language::TypeScript, source).await;
    let file = fs::read_to_string(place.recorded.file(&outcome)).unwrap();
    let base64 = [
        "aHVudGVyMi1zZWNyZXQ",
        "h1bnRlcjItc2VjcmV0",
        "odW50ZXIyLXNlY3JldA",
    ];
    for secret in ["hunter2-secret"].iter().chain(&base64) {
        assert!(!file.contains(secret), "{secret}");
    }
    let record = place.recorded.record(&outcome);
    let replayed = elsewhere().replay(record).run().await.unwrap();
    assert_eq!(
        replayed.outcome.ending.to_string(),
        outcome.ending.to_string()
    );
    assert_eq!(replayed.difference, None);
}
