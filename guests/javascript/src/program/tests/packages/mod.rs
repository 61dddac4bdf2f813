//! npm packages: taken in by one program, and imported by those after it.

mod rules;

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::packages::PROGRAM;

/// A package's tarball.
struct Tarball {
    pinned: String,
    archive: tar::Builder<GzEncoder<Vec<u8>>>,
}

impl Tarball {
    /// One whose package.json has these keys, too.
    fn new(name: &str, keys: &str) -> Self {
        let compressed = GzEncoder::new(Vec::new(), Compression::fast());
        let made = Self {
            pinned: format!("{name}@1.0.0"),
            archive: tar::Builder::new(compressed),
        };
        let comma = if keys.is_empty() { "" } else { "," };
        let text = format!(r#"{{"name":"{name}","version":"1.0.0"{comma}{keys}}}"#);
        made.file("package.json", &text)
    }

    fn file(self, path: &str, text: &str) -> Self {
        self.entry(&format!("package/{path}"), text)
    }

    /// A file by whatever name.
    fn entry(mut self, name: &str, text: &str) -> Self {
        let mut header = tar::Header::new_old();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(text.len() as u64);
        header.set_cksum();
        self.archive.append(&header, text.as_bytes()).unwrap();
        self
    }

    fn module(self) -> Module {
        let bytes = self.archive.into_inner().unwrap().finish().unwrap();
        Module {
            name: self.pinned,
            content: Content::Bytes(bytes),
        }
    }
}

/// Takes packages in, in a new realm. Gives it, and what that returned.
fn taken_in(packages: Vec<Tarball>) -> (Realm, String) {
    native::with(|host| *host = host_with_tools());
    let mut realm = Realm::new().expect("the prelude runs");
    let program = Program {
        name: PROGRAM.to_owned(),
        modules: packages.into_iter().map(Tarball::module).collect(),
        checking: Checking::Off,
        ..program("")
    };
    let told = run(&mut realm, program).expect("it does not throw");
    (realm, told.expect("it says what came of it"))
}

/// What a script returns after these packages were taken in without a failure.
fn with(packages: Vec<Tarball>, source: &str) -> String {
    let (mut realm, told) = taken_in(packages);
    assert_eq!(told, r#"{"failures":{}}"#);
    match run(&mut realm, program(source)) {
        Ok(value) => value.unwrap_or_else(|| "none".to_owned()),
        Err(thrown) => panic!("{source}\n{thrown:?}"),
    }
}

/// Why a package is refused.
fn refused(packages: Vec<Tarball>) -> String {
    let (_, told) = taken_in(packages);
    assert!(told.starts_with(r#"{"refused":"#), "{told}");
    told
}

fn modern() -> Tarball {
    let keys = r##""type":"module","exports":{".":{"types":"./a.d.ts","import":"./main.js","require":"./main.cjs"},"./part":"./lib/part.js","./package.json":"./package.json","./x/*":"./lib/*.js","./x/secret":null},"imports":{"#own":"./lib/own.js"}"##;
    Tarball::new("modern", keys)
        .file(
            "main.js",
            "import own from '#own'; import { part } from './lib/part.js';\nexport { part };\nexport default own;\nexport const url = import.meta.url; export class Kind {}\nexport let loads = 0; loads += 1; export const late = await Promise.resolve(3);",
        )
        .file("main.cjs", "exports.form = 'commonjs'")
        .file("lib/part.js", "export const part = 'part'")
        .file("lib/own.js", "export default 'own'")
        .file("lib/secret.js", "export default 'secret'")
        .file("a.d.ts", "not JavaScript")
}

fn common() -> Tarball {
    Tarball::new("common", r#""main":"lib""#)
        .file(
            "lib/index.js",
            "#!/usr/bin/env node\nconst { cycle } = require('./other'); const data = require('../data.json');\nmodule.exports = function common() { return cycle() + data.number };\nmodule.exports.named = process.env.NODE_ENV; module.exports.bytes = Buffer.from('hi').length;\nmodule.exports.early = 1; module.exports.place = __filename; module.exports.join = require('path').join('a', 'b')",
        )
        .file(
            "lib/other.js",
            "const main = require('./index.js'); exports.cycle = () => typeof main === 'object' ? 1 : 2",
        )
        .file("data.json", r#"{"number":40}"#)
        .file("esm.js", "export const unsaid = 'a module by its syntax'")
}

#[test]
fn modules_are_found_by_what_packages_export() {
    let source = "import own, { part, url, late, loads, type Shape } from 'modern';\nimport * as all from 'modern';\nimport { part as same } from 'modern/part';\nimport kept from 'modern/x/own';\nconst later = await import('modern');\nreturn [own, part, url, late, loads, Object.keys(all).length, same, kept, later.default, require('modern').form]";
    assert_eq!(
        with(vec![modern()], source),
        r#"["own","part","file:///packages/modern/main.js",3,1,6,"part","own","own","commonjs"]"#
    );
}

#[test]
fn commonjs_is_imported_by_default_and_by_names() {
    let source = "import common, { named, bytes, early, place, join } from 'common';\nimport data from 'common/data.json';\nimport { unsaid } from 'common/esm';\nreturn [common(), named, bytes, early, place, join, data.number, unsaid, require('common') === common, require('common/esm.js').unsaid]";
    assert_eq!(
        with(vec![common()], source),
        r#"[41,"production",2,1,"/packages/common/lib/index.js","a/b",40,"a module by its syntax",true,"a module by its syntax"]"#
    );
}

#[test]
fn packages_import_each_other_and_a_script_with_its_own_module_of_the_name_has_that() {
    let uses = Tarball::new("@scope/uses", r#""type":"module","main":"./index.js""#).file(
        "index.js",
        "import common from 'common'; import { part } from 'modern/part'; export default common() + part",
    );
    let packages = || vec![modern(), common()];
    let mut three = packages();
    three.push(uses);
    let source = "import it from '@scope/uses'; return it";
    assert_eq!(with(three, source), r#""41part""#);

    let (mut realm, _) = taken_in(packages());
    let mut own = program("import { own } from 'common'; return own");
    own.modules = vec![Module {
        name: "common.ts".to_owned(),
        content: Content::Source("export const own = 'own'".to_owned()),
    }];
    assert_eq!(run(&mut realm, own).unwrap().unwrap(), r#""own""#);
}

#[test]
fn scripts_begin_as_if_nothing_had_run() {
    let rude = Tarball::new("rude", r#""type":"module","main":"a.js""#).file(
        "a.js",
        "setTimeout(() => { globalThis.ran = true }, 1); Promise.reject(new Error('unheard')); export default Math.random()",
    );
    let source = "import rude from 'rude'; await new Promise((done) => setTimeout(done, 5)); return [typeof rude, typeof ran, Math.random() !== rude, env]";
    assert_eq!(
        with(vec![rude], source),
        r#"["number","undefined",true,{}]"#
    );
}

#[test]
fn what_is_not_there_is_named() {
    let (mut realm, told) = taken_in(vec![modern(), common()]);
    assert_eq!(told, r#"{"failures":{}}"#);
    for (source, says) in [
        (
            "import x from 'modern/lib/own.js'; return x",
            "the package modern has nothing by that name",
        ),
        (
            "import x from 'modern/x/secret'; return x",
            "the package modern has nothing by that name",
        ),
        (
            "return await import('common/nothing')",
            "the package common has nothing by that name",
        ),
        (
            "import { nothing } from 'modern'; return nothing",
            "nothing",
        ),
        (
            "import x from 'left-pad'; return x",
            "`ampoule javascript add left-pad`",
        ),
        (
            "return require('lodash')",
            "`ampoule javascript add lodash`",
        ),
    ] {
        let thrown = run(&mut realm, program(source)).unwrap_err();
        assert!(thrown.message.contains(says), "{source}: {thrown:?}");
    }
}

#[test]
fn what_needs_what_is_not_here_fails_alone_or_is_refused() {
    let partly = Tarball::new(
        "partly",
        r#""type":"module","exports":{".":"./node.js","./pure":"./pure.js"}"#,
    )
    .file(
        "node.js",
        "import stream from 'node:stream'; export default stream",
    )
    .file("pure.js", "export default 'pure'");
    let (mut realm, told) = taken_in(vec![partly]);
    assert!(
        told.contains(r#"imports \"node:stream\", which is not here"#)
            && told.starts_with(r#"{"failures":{"partly":"#),
        "{told}"
    );
    let source = "import pure from 'partly/pure'; return pure";
    let pure = run(&mut realm, program(source)).unwrap();
    assert_eq!(pure.unwrap(), r#""pure""#);

    let wholly = Tarball::new("wholly", r#""main":"a.js""#).file("a.js", "require('stream')");
    let why = refused(vec![wholly]);
    assert!(
        why.contains("imports \\\"stream\\\", which is not here"),
        "{why}"
    );
}

#[test]
fn archives_that_are_not_what_they_must_be_are_refused() {
    let bad = |keys| Tarball::new("bad", keys);
    for (tarball, says) in [
        (
            bad("").entry("package/../../a.js", ""),
            "leads out of the package",
        ),
        (
            bad("").entry("package/a\\b.js", ""),
            "leads out of the package",
        ),
        (
            bad("").file("a.js", "").file("a.js", ""),
            "two of its files have the name a.js",
        ),
        (
            bad("").file("build/fast.node", ""),
            "build/fast.node belongs to compiled code",
        ),
        (
            bad("").file("binding.gyp", ""),
            "binding.gyp belongs to compiled code",
        ),
        (
            bad(r#""scripts":{"postinstall":"x"}"#),
            "the install script `postinstall`",
        ),
        (bad(r#""version":"2.0.0""#), "it says that it is bad 2.0.0"),
        (
            Tarball::new("path", ""),
            "the name of a module that scripts have already",
        ),
        (
            Tarball::new("servers", ""),
            "the name of a module that scripts have already",
        ),
    ] {
        let why = refused(vec![tarball]);
        assert!(why.contains(says), "{says}: {why}");
    }
    let mut linked = bad("");
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    linked
        .archive
        .append_link(&mut header, "package/l.js", "/etc/passwd")
        .unwrap();
    assert!(refused(vec![linked]).contains("it has a link"));

    native::with(|host| *host = host_with_tools());
    let mut realm = Realm::new().expect("the prelude runs");
    let mut garbage = GzEncoder::new(Vec::new(), Compression::fast());
    garbage.write_all(&[7; 2000]).unwrap();
    for bytes in [b"no archive".to_vec(), garbage.finish().unwrap()] {
        let mut taking_in = program("");
        taking_in.name = PROGRAM.to_owned();
        taking_in.modules = vec![Module {
            name: "bad@1.0.0".to_owned(),
            content: Content::Bytes(bytes),
        }];
        let told = run(&mut realm, taking_in).unwrap().unwrap();
        assert!(told.contains("its archive can't be read"), "{told}");
    }
}
