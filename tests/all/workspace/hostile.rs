//! Scripts that want too much, and workspaces full of links.

use std::os::unix::fs::symlink;

use ampoule::{Ending, Limits};
use serde_json::json;

use super::*;

#[tokio::test]
async fn no_path_leads_out() {
    let place = Place::new();
    fs::create_dir_all(place.path("")).unwrap();
    fs::write(place.above.path().join("secret"), "secret").unwrap();
    for (name, to) in [
        ("out", "../secret"),
        ("up", ".."),
        ("root", "/"),
        ("self", "."),
        ("device", "/dev/zero"),
    ] {
        symlink(to, place.path(name)).unwrap();
    }
    let paths = json!([
        "../secret",
        "/etc/passwd",
        "out",
        "up/secret",
        "root/etc/passwd",
        "self/self/x",
        "device",
        "/proc/self/environ",
        "a\0b",
        "/workspace/../secret",
        ".ampoule/lock",
        "x".repeat(300),
        "x/".repeat(2_048),
        "",
        "\u{0}",
        "/folders/x",
        "/tmp/../../secret",
    ]);
    let javascript = format!(
        "import fs from 'node:fs';
        const got = [];
        for (const path of {paths}) {{
            for (const action of [fs.readFileSync, (path) => fs.writeFileSync(path, 'x'), fs.readdirSync, (path) => fs.mkdirSync(path + '/x'), (path) => fs.copyFileSync(path, 'copy')]) {{
                try {{ action(path); got.push(path) }} catch (error) {{ if (!error.code) throw error }}
            }}
        }}
        return got"
    );
    assert_eq!(place.typescript(&javascript).await, json!([]));
    let python = format!(
        "import os, json, shutil
got = []
for path in json.loads({}):
    for action in (lambda p: open(p).read(), lambda p: open(p, 'w'), os.listdir, lambda p: os.mkdir(p + '/x'), lambda p: shutil.copy(p, 'copy')):
        try:
            action(path)
            got.append(path)
        except (OSError, ValueError): pass
return got",
        json!(paths.to_string())
    );
    assert_eq!(place.python(&python).await, json!([]));
    let secret = fs::read_to_string(place.above.path().join("secret"));
    assert_eq!(secret.unwrap(), "secret");
}

#[tokio::test]
async fn a_quota_is_an_error_that_a_script_may_catch() {
    let place = Place::limited(Quota {
        bytes: 1 << 20,
        files: 20,
    });
    let javascript = r#"
        import fs from "node:fs";
        const got = [];
        try { for (let i = 0; ; i++) fs.appendFileSync("large", "x".repeat(100_000)) } catch (error) { got.push(error.code) }
        try { fs.truncateSync("large", 2 ** 50) } catch (error) { got.push(error.code) }
        fs.rmSync("large");
        try { for (let i = 0; ; i++) fs.writeFileSync(`f${i}`, "") } catch (error) { got.push(error.code) }
        for (const name of fs.readdirSync(".")) fs.rmSync(name);
        return got"#;
    assert_eq!(
        place.typescript(javascript).await,
        json!(["ENOSPC", "ENOSPC", "ENOSPC"])
    );
    let python = "
import os
got = []
try:
    with open('large', 'wb') as f:
        while True: f.write(b'x' * 100_000)
except OSError as error: got.append(error.strerror.split(':')[0])
os.remove('large')
try:
    for i in range(1000): open(f'f{i}', 'w').close()
except OSError as error: got.append(error.strerror.split(':')[0])
for name in os.listdir('.'): os.remove(name)
return got";
    assert_eq!(
        place.python(python).await,
        json!(["No space left on device", "No space left on device"])
    );
}

#[tokio::test]
async fn what_the_host_does_is_paid_for() {
    let place = Place::new();
    fs::create_dir_all(place.path("")).unwrap();
    fs::write(place.path("large"), vec![0; 50 << 20]).unwrap();
    let limits = Limits {
        fuel: 300_000_000,
        ..Limits::default()
    };
    for source in [
        "import fs from 'node:fs'; for (let i = 0; ; i++) fs.copyFileSync('large', 'copy')",
        "import fs from 'node:fs'; for (;;) fs.existsSync('nope')",
        "import fs from 'node:fs'; for (;;) fs.statSync('large')",
        "import fs from 'node:fs'; const fd = fs.openSync('large'); const b = new Uint8Array(1 << 20); for (;;) fs.readSync(fd, b, 0, 1 << 20, 0)",
        "import fs from 'node:fs'; for (;;) fs.closeSync(fs.openSync('x', 'w'))",
        "import fs from 'node:fs'; for (;;) fs.renameSync('large', 'large')",
    ] {
        let isolate = place.isolate(Language::TypeScript, source);
        let outcome = isolate.limits(limits).unwrap().run().await.unwrap();
        let Ending::Limit(hit) = &outcome.ending else {
            panic!("{source}: {}", outcome.ending);
        };
        assert_eq!(hit.limit, ampoule::Limit::Fuel, "{source}");
    }
    assert!(!place.path("copy").exists());
}

#[tokio::test]
async fn ten_thousand_files_are_there_for_scripts() {
    let place = Place::limited(Quota {
        bytes: 1 << 30,
        files: 10_001,
    });
    fs::create_dir_all(place.path("d")).unwrap();
    for number in 0..10_000 {
        fs::write(place.path(&format!("d/{number:05}")), "x").unwrap();
    }
    let javascript = "import fs from 'node:fs'; const names = fs.readdirSync('d'); return [names.length, new Set(names).size, names[9_999]]";
    assert_eq!(
        place.typescript(javascript).await,
        json!([10_000, 10_000, "09999"])
    );
    let python = "import os\nnames = sorted(os.listdir('d'))\nreturn [len(names), len(set(names)), names[-1], sum(entry.is_file() for entry in os.scandir('d'))]";
    assert_eq!(
        place.python(python).await,
        json!([10_000, 10_000, "09999", 10_000])
    );
}
