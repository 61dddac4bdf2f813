//! Files in memory: each run has some, also where nobody gives it a workspace, and they are gone with
//! it.
//!
//! - `over`: what is hostile, or too much
//! - `kept`: runs that are recorded, parked, of a session, or governed

mod kept;
mod over;

use ampoule::{Grant, Isolate, Language, Quota, Runtime, Script, Workspace};
use ampoule_tests::command::Workplace;
use ampoule_tests::{runtime_builder, test_tools};
use serde_json::{Value, json};
use tempfile::TempDir;

use Language::{Python, TypeScript};

/// What somebody does with temporary files, in Python.
const PYTHON: &str = r#"
import csv, json, os, pathlib, shutil, sqlite3, tempfile, zipfile
out = {}
with tempfile.TemporaryDirectory(prefix="a-") as d:
    p = pathlib.Path(d) / "x.csv"
    with p.open("w", newline="") as f:
        csv.writer(f).writerows([["a", "b"], [1, 2]])
    out["csv"] = p.read_text()
    with zipfile.ZipFile(pathlib.Path(d) / "z.zip", "w", zipfile.ZIP_DEFLATED) as z:
        z.write(p, "x.csv")
    out["zip"] = zipfile.ZipFile(pathlib.Path(d) / "z.zip").namelist()
    db = sqlite3.connect(str(pathlib.Path(d) / "t.db"))
    with db: db.execute("create table t(a)"); db.executemany("insert into t values(?)", [(1,), (2,)])
    out["sqlite"] = db.execute("select sum(a) from t").fetchone()[0]; db.close()
    shutil.copytree(d, d + "-copy"); out["copied"] = sorted(os.listdir(d + "-copy")); shutil.rmtree(d + "-copy")
out["gone"] = not os.path.exists(d)
with tempfile.NamedTemporaryFile("w+", suffix=".json", delete=False) as f:
    json.dump({"k": 1}, f); f.flush(); f.seek(0); out["named"] = json.load(f)
os.replace(f.name, "final.json"); out["replaced"] = open("final.json").read()
with tempfile.TemporaryFile() as f: f.write(b"x"); f.seek(0); out["unnamed"] = f.read().decode()
with tempfile.SpooledTemporaryFile() as f: f.write(b"x"); f.seek(0); out["spooled"] = f.read().decode()
out["dir"] = tempfile.gettempdir()
out["left"] = os.listdir("/tmp")
return out
"#;

/// The same in JavaScript.
const JAVASCRIPT: &str = r#"
import fs from "node:fs";
import fsp from "node:fs/promises";
import os from "node:os";
import path from "node:path";
const out = {};
const d = await fsp.mkdtemp(path.join(os.tmpdir(), "a-"));
fs.writeFileSync(path.join(d, "x.csv"), "a,b\r\n");
fs.appendFileSync(path.join(d, "x.csv"), "1,2\r\n");
out.csv = await fsp.readFile(path.join(d, "x.csv"), "utf8");
await fsp.cp(d, `${d}-copy`, { recursive: true });
out.copied = fs.readdirSync(`${d}-copy`);
await fsp.rm(`${d}-copy`, { recursive: true });
const file = await fsp.open(path.join(d, "k.json"), "w+");
await file.write(JSON.stringify({ k: 1 }));
await file.close();
fs.renameSync(path.join(d, "k.json"), "final.json");
out.replaced = fs.readFileSync("final.json", "utf8");
fs.copyFileSync("final.json", path.join(d, "back.json"));
out.back = fs.statSync(path.join(d, "back.json")).size;
out.recent = Math.abs(fs.statSync(d).mtimeMs - Date.now()) < 60000;
fs.rmSync(d, { recursive: true, force: true });
out.gone = !fs.existsSync(d);
out.dir = os.tmpdir();
out.left = fs.readdirSync("/tmp");
return out;
"#;

fn expected(language: Language) -> Value {
    match language {
        Python => json!({
            "csv": "a,b\n1,2\n", "zip": ["x.csv"], "sqlite": 3, "copied": ["t.db", "x.csv", "z.zip"],
            "gone": true, "named": { "k": 1 }, "replaced": "{\"k\": 1}", "unnamed": "x", "spooled": "x",
            "dir": "/tmp", "left": [],
        }),
        _ => json!({
            "csv": "a,b\r\n1,2\r\n", "copied": ["x.csv"], "replaced": "{\"k\":1}", "back": 7, "recent": true,
            "gone": true, "dir": "/tmp", "left": [],
        }),
    }
}

/// A runtime, and a folder that runs may be given.
struct Place {
    runtime: Runtime,
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self {
            runtime: runtime_builder().binding(test_tools()).build().unwrap(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A run that has nothing but what it makes.
    fn alone(&self, language: Language, source: &str) -> Isolate {
        let isolate = self.runtime.isolate(Script::new(language, source));
        isolate.grant(Grant::all())
    }

    /// A run that has a workspace.
    fn given(&self, language: Language, source: &str) -> Isolate {
        let workspace = Workspace::workspace(self.folder.path(), Quota::default()).unwrap();
        self.alone(language, source).workspace(workspace)
    }

    /// What is in the workspace.
    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != ".ampoule").collect();
        names.sort();
        names
    }
}

async fn value(isolate: Isolate) -> Value {
    let outcome = isolate.run().await.expect("no host fault");
    let value = outcome.value();
    value.unwrap_or_else(|error| panic!("{error}\n{}", outcome.output))
}

#[tokio::test]
async fn temporary_files_are_there_with_a_workspace_and_without() {
    for (language, source) in [(Python, PYTHON), (TypeScript, JAVASCRIPT)] {
        let place = Place::new();
        let expected = expected(language);
        assert_eq!(value(place.alone(language, source)).await, expected);
        assert_eq!(place.names(), [""; 0]);
        assert_eq!(value(place.given(language, source)).await, expected);
        // Of temporary files, nothing is left.
        assert_eq!(place.names(), ["final.json"]);
    }
}

#[tokio::test]
async fn the_command_line_keeps_what_was_moved_to_the_workspace_alone() {
    let workplace = Workplace::default();
    workplace.file("script.py", PYTHON);
    let run = workplace.run(&["run", "-q", "--json", "script.py"]).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.json()["value"], expected(Python));
    let arguments = ["run", "-q", "--json", "script.py", "--workspace", "w"];
    std::fs::create_dir(workplace.path().join("w")).unwrap();
    let run = workplace.run(&arguments).await;
    assert_eq!(run.code, Some(0), "{run:?}");
    assert_eq!(run.json()["value"], expected(Python));
    let listed = workplace.run(&["files", "--workspace", "w"]).await;
    assert_eq!(listed.stdout, "           8  final.json\n");
    // Nor is it to be had from outside.
    let got = ["files", "--workspace", "w", "get", "/tmp/x"];
    assert_eq!(workplace.run(&got).await.code, Some(2));
}

#[tokio::test]
async fn a_run_s_files_are_gone_with_it_and_nobody_else_s() {
    let place = Place::new();
    let write = "import fs from 'node:fs'; const before = fs.readdirSync('/tmp').concat(fs.readdirSync('.'));
        fs.writeFileSync('/tmp/secret', 'x'); fs.writeFileSync('out.csv', 'y'); await tools.testTools.sleep({ ms: 20 });
        return [before, fs.readdirSync('/tmp'), fs.readdirSync('.'), fs.readdirSync('/')]";
    let own = json!([[], ["secret"], ["out.csv"], ["tmp", "workspace"]]);
    let runs = (0..8).map(|_| value(place.alone(TypeScript, write)));
    for found in futures::future::join_all(runs).await {
        assert_eq!(found, own);
    }
    let python = "import os\nreturn [os.listdir('/tmp'), os.listdir('.'), sorted(os.listdir('/')), os.getcwd()]";
    let nothing = json!([[], [], ["tmp", "workspace"], "/workspace"]);
    assert_eq!(value(place.alone(Python, python)).await, nothing);
    assert_eq!(value(place.given(Python, python)).await, nothing);
}

#[tokio::test]
async fn modules_and_databases_are_made_and_used_within_a_run() {
    let place = Place::new();
    let source = "
import os, sqlite3, sys, gzip, pathlib
db = sqlite3.connect('x.db')
db.execute('pragma journal_mode = delete')
db.execute('create table t (n integer, s text)')
db.executemany('insert into t values (?, ?)', [(n, 'row %d' % n) for n in range(2000)])
db.commit()
db.execute('delete from t where n % 2')
db.rollback()
db.close()
count = sqlite3.connect('x.db').execute('select count(*), max(s) from t').fetchone()
with gzip.open('/tmp/z.gz', 'wt') as file: file.write('a line\\n' * 1000)
with gzip.open('/tmp/z.gz', 'rt') as file: lines = sum(1 for _ in file)
pathlib.Path('deep/er').mkdir(parents=True)
pathlib.Path('deep/er/a.txt').write_text('grüße')
os.rename('deep', '/tmp/moved')
walked = [(at, folders, files) for at, folders, files in os.walk('/tmp/moved')]
with open('/tmp/seek', 'wb+') as file:
    file.seek(5); file.write(b'x'); file.truncate(8); file.seek(0); held = file.read()
return [count, lines, walked, pathlib.Path('/tmp/moved/er/a.txt').read_text(), list(held), sorted(os.listdir('.'))]";
    let expected = json!([
        [2000, "row 999"],
        1000,
        [["/tmp/moved", ["er"], []], ["/tmp/moved/er", [], ["a.txt"]]],
        "grüße",
        [0, 0, 0, 0, 0, 120, 0, 0],
        ["x.db"],
    ]);
    assert_eq!(value(place.alone(Python, source)).await, expected);
}

#[tokio::test]
async fn files_are_moved_between_memory_and_the_workspace() {
    let place = Place::new();
    std::fs::write(place.folder.path().join("there.txt"), "there").unwrap();
    let python = "
import os, shutil
os.makedirs('/tmp/t/deep')
for name in ('/tmp/t/a', '/tmp/t/deep/b', '/tmp/c', '/tmp/d'):
    with open(name, 'w') as file: file.write(name)
shutil.move('/tmp/t', 'tree')
os.replace('/tmp/c', 'there.txt')
os.rename('/tmp/d', 'd.txt')
shutil.move('d.txt', '/tmp/again')
shutil.copy('/tmp/again', 'copy.txt')
told = []
for action in (
    lambda: os.rename('/tmp/again', 'no/such'), lambda: os.rename('/tmp/again', 'tree'), lambda: os.rename('/tmp/nothing', 'x'),
    lambda: os.rename('nothing', '/tmp/x'), lambda: os.rename('tree', '/tmp/x'),
):
    try: action()
    except OSError as error: told.append(type(error).__name__)
with open('/tmp/again', 'a') as file:
    file.write('!')
    try: os.replace('/tmp/again', 'early')
    except OSError as error: told.append('close it' in str(error))
os.replace('/tmp/again', 'late')
return [os.path.exists('/tmp/t'), open('there.txt').read(), open('copy.txt').read(), told, open('late').read(), os.listdir('/tmp')]";
    let told = json!([
        "FileNotFoundError",
        "IsADirectoryError",
        "FileNotFoundError",
        "FileNotFoundError",
        "OSError",
        true
    ]);
    let expected = json!([false, "/tmp/c", "/tmp/d", told, "/tmp/d!", []]);
    assert_eq!(value(place.given(Python, python)).await, expected);
    assert_eq!(place.names(), ["copy.txt", "late", "there.txt", "tree"]);
    let deep = place.folder.path().join("tree/deep/b");
    assert_eq!(std::fs::read_to_string(deep).unwrap(), "/tmp/t/deep/b");

    let javascript = "
        import fs from 'node:fs';
        fs.writeFileSync('/tmp/x', 'x'.repeat(3000000));
        fs.renameSync('/tmp/x', 'large');
        fs.renameSync('large', '/tmp/y');
        fs.copyFileSync('/tmp/y', 'copied');
        const told = (action) => { try { action(); return 'nothing' } catch (error) { return error.code } };
        fs.mkdirSync('/tmp/f');
        return [fs.statSync('/tmp/y').size, fs.existsSync('large'), told(() => fs.copyFileSync('/tmp/y', 'copied', fs.constants.COPYFILE_EXCL)),
            told(() => fs.renameSync('/tmp/f', 'f')), told(() => fs.renameSync('/tmp', 'f')), fs.readFileSync('copied', 'utf8').length]";
    let expected = json!([3_000_000, false, "EEXIST", "EXDEV", "EXDEV", 3_000_000]);
    assert_eq!(value(place.given(TypeScript, javascript)).await, expected);
}

#[tokio::test]
async fn what_is_not_there_says_that_the_working_folder_is_in_memory() {
    let place = Place::new();
    for (language, source) in [
        (
            TypeScript,
            "import fs from 'node:fs'; return fs.readFileSync('data.csv')",
        ),
        (Python, "open('data.csv')"),
        (Python, "import os\nos.listdir('data')"),
    ] {
        let outcome = place.alone(language, source).run().await.unwrap();
        let ending = outcome.ending.to_string();
        for told in [
            "this run has no workspace",
            "in memory",
            "--workspace FOLDER",
        ] {
            assert!(ending.contains(told), "{ending}");
        }
        let outcome = place.given(language, source).run().await.unwrap();
        let ending = outcome.ending.to_string();
        assert!(!ending.contains("in memory"), "{ending}");
    }
}
