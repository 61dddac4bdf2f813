//! What is hostile, or too much: paths that lead out, and files without end.

use ampoule::{Ending, Limit, Limits};

use super::*;

fn little() -> Limits {
    Limits {
        memory_bytes: 48 << 20,
        ..Limits::default()
    }
}

#[tokio::test]
async fn files_count_for_the_limit_of_memory_and_say_so() {
    let place = Place::new();
    let python = "
import errno, os
told = []
file = open('/tmp/large', 'wb')
piece = b'x' * (1 << 20)
written = 0
try:
    while True:
        file.write(piece)
        written += 1
except OSError as error:
    told += [error.errno == errno.ENOSPC, '`memory` limit, 50331648 bytes' in str(error)]
try: file.close()
except OSError: pass
os.remove('/tmp/large')
with open('/tmp/again', 'wb') as file: file.write(piece)
try: os.truncate('/tmp/again', 1 << 50)
except OSError as error: told.append(error.errno == errno.ENOSPC)
return told + [5 < written < 48, os.path.getsize('/tmp/again')]";
    let isolate = place.alone(Python, python).limits(little()).unwrap();
    let outcome = isolate.run().await.unwrap();
    let told = outcome.value::<Value>();
    let told = told.unwrap_or_else(|_| panic!("{}", outcome.ending));
    assert_eq!(told, json!([true, true, true, true, 1 << 20]));
    let peak = outcome.usage.peak_memory_bytes;
    assert!((40 << 20..=48 << 20).contains(&peak), "{peak}");

    let javascript = "
        import fs from 'node:fs';
        const told = (action) => { try { action(); return 'nothing' } catch (error) { return [error.code, error.message.includes('`memory` limit')] } };
        const piece = new Uint8Array(1 << 20);
        const large = told(() => { for (;;) fs.appendFileSync('/tmp/large', piece) });
        const size = fs.statSync('/tmp/large').size;
        const copy = told(() => fs.copyFileSync('/tmp/large', 'copy'));
        fs.rmSync('/tmp/large');
        fs.writeFileSync('again', piece);
        return [large, size > 20 << 20, copy, fs.readdirSync('/tmp'), fs.readdirSync('.')]";
    for isolate in [
        place.alone(TypeScript, javascript),
        place.given(TypeScript, javascript),
    ] {
        let found = value(isolate.limits(little()).unwrap()).await;
        let full = json!(["ENOSPC", true]);
        // In the workspace there is room for the copy.
        let (copy, names) = match place.names().is_empty() {
            true => (full.clone(), json!(["again"])),
            false => (json!("nothing"), json!(["again", "copy"])),
        };
        assert_eq!(found, json!([full, true, copy, [], names]));
    }
}

#[tokio::test]
async fn what_files_take_a_script_has_not_and_the_limit_is_told() {
    let place = Place::new();
    for (language, source) in [
        (
            TypeScript,
            "import fs from 'node:fs'; fs.writeFileSync('/tmp/x', new Uint8Array(20 << 20)); const held = []; for (;;) held.push(new Uint8Array(1 << 20))",
        ),
        (
            Python,
            "open('/tmp/x', 'wb').write(bytes(8 << 20))\nheld = []\nwhile True: held.append(bytearray(1 << 20))",
        ),
    ] {
        let isolate = place.alone(language, source).limits(little()).unwrap();
        let outcome = isolate.run().await.unwrap();
        let ending = outcome.ending.to_string();
        let is_limit = matches!(&outcome.ending, Ending::Limit(hit) if hit.limit == Limit::Memory);
        assert!(is_limit || ending.contains("emory"), "{ending}");
        assert!(outcome.usage.peak_memory_bytes <= 48 << 20);
    }
}

#[tokio::test]
async fn files_names_and_open_files_have_limits() {
    let place = Place::new();
    let source = "
        import fs from 'node:fs';
        const told = (action) => { try { action(); return 'nothing' } catch (error) { return error.code } };
        let made = 0;
        const many = told(() => { for (;; made++) fs.writeFileSync(`/tmp/${made}`, '') });
        fs.rmSync('/tmp/0');
        const open = [];
        const opened = told(() => { for (;;) open.push(fs.openSync('/tmp/1', 'r')) });
        let deep = '.';
        const nested = told(() => { for (;;) { fs.rmSync(`/tmp/${open.length}`, { force: true }); open.push(1); fs.mkdirSync(deep += '/d') } });
        return [made, many, open.filter((it) => it !== 1).length, opened, nested, told(() => fs.writeFileSync('n'.repeat(256), ''))]";
    let expected = json!([
        10_000,
        "ENOSPC",
        256,
        "EMFILE",
        "ENAMETOOLONG",
        "ENAMETOOLONG"
    ]);
    assert_eq!(value(place.alone(TypeScript, source)).await, expected);
}

#[tokio::test]
async fn no_path_leads_out_of_memory() {
    let place = Place::new();
    let python = "
import os
told = []
for path in ('/etc/passwd', '../../etc/passwd', '/tmp/../../etc/passwd', '/proc/self/mem', '/dev/null', '/tmp/.ampoule/x', '..', '/', '/folders/x'):
    try: open(path, 'w'); told.append(path)
    except OSError as error: told.append('no')
for path in ('/tmp/a\\0b', 'a\\0b'):
    try: open(path, 'w'); told.append(path)
    except (OSError, ValueError): told.append('no')
for action in (lambda: os.symlink('/etc', '/tmp/link'), lambda: os.link('/tmp', '/tmp/link'), lambda: os.rename('/tmp', '/x'), lambda: os.rmdir('/workspace')):
    try: action(); told.append('done')
    except OSError: told.append('no')
return told";
    let javascript = "
        import fs from 'node:fs';
        const told = [];
        for (const path of ['/etc/passwd', '../../etc/passwd', '/tmp/../../etc/passwd', '/proc/self/mem', '/dev/null', '/tmp/.ampoule/x', '..', '/', '/folders/x', '/tmp/a\\0b', 'a\\0b']) {
            try { fs.writeFileSync(path, 'x'); told.push(path) } catch { told.push('no') }
        }
        for (const action of [() => fs.renameSync('/tmp', '/x'), () => fs.rmdirSync('/workspace'), () => fs.mkdirSync('/x'), () => fs.rmSync('/tmp', { recursive: true })]) {
            try { action(); told.push('done') } catch { told.push('no') }
        }
        return told";
    let refused = json!(vec!["no"; 15]);
    for (language, source) in [(Python, python), (TypeScript, javascript)] {
        assert_eq!(value(place.alone(language, source)).await, refused);
        assert_eq!(value(place.given(language, source)).await, refused);
    }
}

#[tokio::test]
async fn what_the_host_does_for_files_in_memory_is_paid_for() {
    let place = Place::new();
    let limits = Limits {
        fuel: 200_000_000,
        ..Limits::default()
    };
    for source in [
        "import fs from 'node:fs'; const b = new Uint8Array(1 << 20); for (;;) fs.writeFileSync('/tmp/x', b)",
        "import fs from 'node:fs'; fs.writeFileSync('/tmp/x', ''); for (;;) { fs.truncateSync('/tmp/x', 60 << 20); fs.truncateSync('/tmp/x', 0) }",
        "import fs from 'node:fs'; fs.writeFileSync('/tmp/x', new Uint8Array(1 << 24)); for (;;) fs.copyFileSync('/tmp/x', '/tmp/y')",
        "import fs from 'node:fs'; fs.mkdirSync('/tmp/d'); for (let i = 0; i < 2000; i++) fs.writeFileSync(`/tmp/d/${i}`, ''); for (;;) { fs.renameSync('/tmp/d', '/tmp/e'); fs.renameSync('/tmp/e', '/tmp/d') }",
        "import fs from 'node:fs'; for (let i = 0; i < 2000; i++) fs.writeFileSync(`/tmp/${i}`, ''); for (;;) fs.readdirSync('/tmp')",
    ] {
        let isolate = place.alone(TypeScript, source).limits(limits).unwrap();
        let outcome = isolate.run().await.unwrap();
        let is_limit = matches!(&outcome.ending, Ending::Limit(hit) if hit.limit == Limit::Fuel);
        assert!(is_limit, "{source}: {}", outcome.ending);
    }
}
