//! What scripts do with files, in both languages.

use ampoule::Limits;
use serde_json::json;

use super::*;

#[tokio::test]
async fn a_csv_written_in_one_run_is_read_in_the_next_whatever_their_languages() {
    let place = Place::new();
    let wrote = r#"
        import fs from "node:fs/promises";
        import path from "node:path";
        await fs.mkdir(path.join("data", "q3"), { recursive: true });
        await fs.writeFile("data/q3/orders.csv", "id,total\na,10\n");
        await fs.appendFile("./workspace/data/q3/orders.csv", "b,32\n");
        return (await fs.stat("/workspace/data/q3/orders.csv")).size"#;
    assert_eq!(place.typescript(wrote).await, json!(19));
    let read = "
import csv
with open('data/q3/orders.csv', newline='') as file:
    rows = list(csv.DictReader(file))
with open('sums.csv', 'w', newline='') as file:
    csv.writer(file).writerows([['total'], [sum(int(row['total']) for row in rows)]])
return rows[1]";
    assert_eq!(
        place.python(read).await,
        json!({ "id": "b", "total": "32" })
    );
    assert_eq!(place.on_disk("sums.csv").unwrap(), "total\r\n42\r\n");
    let again = r#"
        import { readFileSync, readdirSync, existsSync } from "fs";
        return [readFileSync("sums.csv", "utf8"), readdirSync(".", { recursive: true }), existsSync("nope")]"#;
    let found = json!([
        "total\r\n42\r\n",
        ["data", "data/q3", "data/q3/orders.csv", "sums.csv"],
        false
    ]);
    assert_eq!(place.typescript(again).await, found);
}

#[tokio::test]
async fn what_models_write_with_nodes_modules_works() {
    let place = Place::new();
    let source = r#"
        import fs, { createReadStream, createWriteStream, promises as fsp } from "node:fs";
        import * as fsPromises from "fs/promises";
        import { Buffer } from "node:buffer";
        import readline from "node:readline";
        import path from "path";
        const got = [];
        const out = createWriteStream("lines.txt");
        for (let i = 0; i < 3; i++) out.write(`line ${i}\n`);
        await new Promise((done) => out.end("last", done));
        for await (const line of readline.createInterface({ input: createReadStream("lines.txt"), crlfDelay: Infinity })) got.push(line);
        const bytes = await fsp.readFile("lines.txt");
        got.push(bytes instanceof Uint8Array, bytes.toString().length, Buffer.from("hi").toString("hex"), bytes.toString("base64").length);
        fs.writeFileSync("raw", new Uint8Array([104, 105]));
        const handle = await fsPromises.open("raw", "r+");
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
        await handle.write("HEY", 0);
        await handle.close();
        got.push(bytesRead, buffer.toString(), fs.readFileSync("raw", { encoding: "utf-8" }));
        fs.copyFileSync("raw", "copy");
        await fsp.rename("copy", "moved");
        got.push((await fsp.readdir(".", { withFileTypes: true })).filter((entry) => entry.isFile()).map((entry) => entry.name));
        await fsp.rm("moved");
        await fsp.rm("never", { force: true });
        fs.mkdirSync("a/b/c", { recursive: true });
        fs.writeFileSync("a/b/c/x.json", JSON.stringify({ x: 1 }));
        fs.cpSync("a", "z", { recursive: true });
        fs.rmSync("a", { recursive: true });
        got.push(JSON.parse(fs.readFileSync("z/b/c/x.json", "utf8")), await new Promise((done) => fs.readFile("raw", "utf8", (_, text) => done(text))));
        const dir = await fsp.mkdtemp("/tmp/x-");
        await fsp.writeFile(path.join(dir, "y"), "1");
        got.push(path.basename(dir).length, path.resolve("a", "../b"), path.extname("a.tar.gz"), path.relative("/a/b", "/a/c/d"), path.parse("/x/y.z").name);
        got.push((await fsp.access("raw").then(() => "there")), (await fsp.stat("z")).isDirectory());
        return got"#;
    let expected = json!([
        "line 0", "line 1", "line 2", "last", true, 25, "6869", 36, 2, "hi", "HEY",
        ["lines.txt", "moved", "raw"],
        { "x": 1 }, "HEY", 8, "/workspace/b", ".gz", "../c/d", "y", "there", true,
    ]);
    assert_eq!(place.typescript(source).await, expected);
    assert!(!place.path("tmp").exists());
    assert_eq!(place.on_disk("z/b/c/x.json").unwrap(), r#"{"x":1}"#);
}

#[tokio::test]
async fn what_models_write_with_pythons_library_works() {
    let place = Place::new();
    let source = "
import glob, gzip, json, os, pathlib, pickle, shutil, sqlite3, tempfile, zipfile
got = [os.getcwd()]
p = pathlib.Path('out') / 'deep'
p.mkdir(parents=True)
(p / 'x.json').write_text(json.dumps({'a': 1}))
got.append(json.loads((p / 'x.json').read_text()))
with open('lines.txt', 'w') as f:
    f.writelines(f'{i}\\n' for i in range(1000))
with open('lines.txt', 'rb+') as f:
    f.seek(-4, 2)
    f.write(b'end')
with open('lines.txt') as f:
    got += [sum(1 for _ in f), f.tell() > 0]
shutil.copy('lines.txt', 'out/copy.txt')
shutil.copytree('out', 'tree')
shutil.move('tree', 'moved')
got.append(sorted(glob.glob('**/*.txt', recursive=True)))
got.append(sorted((r, len(d), len(f)) for r, d, f in os.walk('.')))
shutil.rmtree('moved')
with tempfile.TemporaryDirectory() as d, tempfile.NamedTemporaryFile('w+', dir=d) as t:
    t.write('temporary'); t.flush()
    got += [d.startswith('/tmp/'), os.path.getsize(t.name)]
with zipfile.ZipFile('a.zip', 'w') as z: z.write('lines.txt')
with zipfile.ZipFile('a.zip') as z: got.append(len(z.read('lines.txt')))
pickle.dump({1, 2}, open('set.pickle', 'wb'))
got.append(len(pickle.load(open('set.pickle', 'rb'))))
db = sqlite3.connect('data.db')
db.executescript('create table t(a, b); insert into t values (1, 2), (3, 4)')
db.commit(); db.close()
got.append(sqlite3.connect('data.db').execute('select sum(a), sum(b) from t').fetchone())
os.replace('lines.txt', 'out/lines.txt')
got += [os.path.exists('lines.txt'), os.path.isdir('out'), os.stat('out/lines.txt').st_size, os.listdir('out')]
left = open('left.txt', 'w'); left.write('not closed')
return got";
    let expected = json!([
        "/workspace", { "a": 1 }, 1000, true,
        ["lines.txt", "moved/copy.txt", "out/copy.txt"],
        [[".", 2, 1], ["./moved", 1, 1], ["./moved/deep", 0, 1], ["./out", 1, 1], ["./out/deep", 0, 1]],
        true, 9, 3890, 2, [4, 6], false, true, 3890, ["copy.txt", "deep", "lines.txt"],
    ]);
    assert_eq!(place.python(source).await, expected);
    assert_eq!(place.on_disk("left.txt").unwrap(), "not closed");
    let again = "import sqlite3\nreturn sqlite3.connect('data.db').execute('select count(*) from t').fetchone()[0]";
    assert_eq!(place.python(again).await, json!(2));
}

#[tokio::test]
async fn names_and_lines_need_not_be_ascii() {
    let place = Place::new();
    let source = "
import os, pathlib
pathlib.Path('grüße').mkdir()
with open('grüße/大 🎈.txt', 'w') as file:
    file.write('für Zoë\\n')
return [os.listdir('grüße'), open('grüße/大 🎈.txt').read(), os.fsencode('ü').hex()]";
    assert_eq!(
        place.python(source).await,
        json!([["大 🎈.txt"], "für Zoë\n", "c3bc"])
    );
    assert_eq!(place.on_disk("grüße/大 🎈.txt").unwrap(), "für Zoë\n");
    let read = r#"
        import fs from "node:fs";
        return [fs.readdirSync("grüße"), fs.readFileSync("grüße/大 🎈.txt", "utf8")]"#;
    assert_eq!(
        place.typescript(read).await,
        json!([["大 🎈.txt"], "für Zoë\n"])
    );
}

#[tokio::test]
async fn a_large_file_is_read_line_by_line_in_little_memory() {
    let place = Place::limited(Quota {
        bytes: 1 << 30,
        files: 10,
    });
    fs::create_dir_all(place.path("")).unwrap();
    let line = format!("{}\n", "x".repeat(999));
    fs::write(place.path("large.txt"), line.repeat(100_000)).unwrap();
    let limits = Limits {
        memory_bytes: 64 << 20,
        fuel: 1_000_000_000_000,
        wall_time: std::time::Duration::from_secs(300),
        ..Limits::default()
    };
    let javascript = r#"
        import { createReadStream } from "node:fs";
        import readline from "node:readline";
        let [lines, bytes] = [0, 0];
        for await (const line of readline.createInterface({ input: createReadStream("large.txt") })) { lines++; bytes += line.length }
        return [lines, bytes]"#;
    let python = "
lines = size = 0
with open('large.txt') as file:
    for line in file:
        lines += 1
        size += len(line) - 1
return [lines, size]";
    for (language, source) in [
        (Language::TypeScript, javascript),
        (Language::Python, python),
    ] {
        let isolate = place.isolate(language, source).limits(limits).unwrap();
        let outcome = isolate.run().await.unwrap();
        assert_eq!(value(&outcome, source), json!([100_000, 99_900_000]));
        assert!(outcome.usage.peak_memory_bytes < 64 << 20);
    }
}

#[tokio::test]
async fn errors_are_nodes_and_pythons() {
    let place = Place::new();
    let javascript = r#"
        import fs from "node:fs";
        fs.mkdirSync("d"); fs.writeFileSync("d/x", "");
        const told = (action) => { try { action(); return "nothing" } catch (error) { return error.message } };
        return [
            told(() => fs.readFileSync("x")), told(() => fs.mkdirSync("d")), told(() => fs.readFileSync("d")), told(() => fs.rmdirSync("d")),
            told(() => fs.rmSync("d")), told(() => fs.readdirSync("d/x")), told(() => fs.writeFileSync("n/x", "")), told(() => fs.openSync("x", "q")),
            told(() => fs.writeFileSync("x", 1)), told(() => fs.renameSync("a", "b")),
        ]"#;
    let expected = json!([
        "ENOENT: no such file or directory, open 'x'",
        "EEXIST: file already exists, mkdir 'd'",
        "EISDIR: illegal operation on a directory, open 'd'",
        "ENOTEMPTY: directory not empty, rmdir 'd'",
        "EISDIR: illegal operation on a directory, rm 'd'. remove a directory with { recursive: true }",
        "ENOTDIR: not a directory, scandir 'd/x'",
        "ENOENT: no such file or directory, open 'n/x'",
        "The argument 'flags' is invalid. Received 'q'",
        "The \"data\" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received type number",
        "ENOENT: no such file or directory, rename 'a' -> 'b'",
    ]);
    assert_eq!(place.typescript(javascript).await, expected);
    let python = "
import os
told = []
for action in (
    lambda: open('x'), lambda: os.mkdir('d'), lambda: open('d'), lambda: os.rmdir('d'), lambda: os.listdir('d/x'), lambda: open('n/x', 'w'),
    lambda: os.rename('a', 'b'), lambda: open('d/x', 'x'), lambda: os.symlink('a', 'b'),
):
    try: action()
    except OSError as error: told.append(f'{type(error).__name__} {error.strerror}')
return told";
    let expected = json!([
        "FileNotFoundError No such file or directory",
        "FileExistsError File exists",
        "IsADirectoryError Is a directory",
        "OSError Directory not empty",
        "NotADirectoryError Not a directory",
        "FileNotFoundError No such file or directory",
        "FileNotFoundError No such file or directory",
        "FileExistsError File exists",
        "OSError Not supported",
    ]);
    assert_eq!(place.python(python).await, expected);
}
