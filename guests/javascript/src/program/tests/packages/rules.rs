//! In what order modules of packages run, what they find, and what they leave.

use super::*;

/// The engine frees the module that can't be loaded, and the one that needs it stays.
#[test]
fn a_module_that_needs_one_that_failed_fails_as_that_one_does() {
    let exports = r#""type":"module","sideEffects":false,"exports":{".":"./index.js","./lib":"./lib.js","./pure":"./pure.js"}"#;
    let circle = Tarball::new("circle", exports)
        .file("index.js", "import './lib.js'; import 'node:stream'")
        .file("lib.js", "import './index.js'; export default 'lib'")
        .file("pure.js", "export default 'pure'");
    let (mut realm, told) = taken_in(vec![circle]);
    let missing = "imports \\\"node:stream\\\", which is not here";
    for specifier in ["circle", "circle/lib"] {
        let says = format!("\"{specifier}\":\"Error: /packages/circle/index.js {missing}");
        assert!(told.contains(&says), "{told}");
    }
    for _ in 0..2 {
        let source = "import lib from 'circle/lib'; return lib";
        let thrown = run(&mut realm, program(source)).unwrap_err();
        assert!(thrown.message.contains("\"node:stream\""), "{thrown:?}");
        let source = "import pure from 'circle/pure'; return pure";
        let pure = run(&mut realm, program(source)).unwrap();
        assert_eq!(pure.unwrap(), r#""pure""#);
    }
}

#[test]
fn a_module_that_is_required_while_it_is_loaded_throws() {
    let of = |import: &str| {
        Tarball::new("cycle", r#""main":"a.mjs""#)
            .file(
                "a.mjs",
                &format!("{import}; export const early = 1; export default b"),
            )
            .file("b.cjs", "module.exports = require('./a.mjs')")
            .file(
                "c.cjs",
                "try { require('./d.mjs') } catch (error) { module.exports = error.message }",
            )
            .file("d.mjs", "import './a.mjs'")
    };
    for import in ["import b from './b.cjs'", "import * as b from './b.cjs'"] {
        let why = refused(vec![of(import)]);
        let says = "/packages/cycle/a.mjs is still being loaded: a cycle of import and require";
        assert!(why.contains(says), "{import}: {why}");
    }
    // What catches that goes on, and so does what imports it.
    let caught = "import { default as b } from './c.cjs'";
    let source = "import said, { early } from 'cycle'; return [said, early]";
    let says = "/packages/cycle/a.mjs is still being loaded: a cycle of import and require";
    assert_eq!(with(vec![of(caught)], source), format!(r#"["{says}",1]"#));
    let all = "import * as all from './c.cjs'; const b = all.default";
    assert_eq!(with(vec![of(all)], source), format!(r#"["{says}",1]"#));
}

#[test]
fn commonjs_runs_after_what_is_imported_before_it() {
    let keys = r#""type":"module","main":"index.js""#;
    let ordered = Tarball::new("ordered", keys)
        .file("setup.js", "globalThis.steps = ['setup']")
        .file(
            "legacy.cjs",
            "steps.push('legacy'); exports.steps = [...steps]; exports.name = 'it'",
        )
        .file(
            "index.js",
            "import './setup.js'; import './legacy.cjs'; import legacy, { name } from './legacy.cjs'; import { steps as same } from './legacy.cjs'; import './later.js';\n\
             export { name as again } from './legacy.cjs'; export default [legacy.steps, name, same === legacy.steps]",
        )
        .file("later.js", "steps.push('later')");
    let source = "import all, { again } from 'ordered'; return [all, again, steps]";
    assert_eq!(
        with(vec![ordered], source),
        r#"[[["setup","legacy"],"it",true],"it",["setup","legacy","later"]]"#
    );

    let wrong = Tarball::new("wrong", keys)
        .file("legacy.cjs", "exports.name = 'it'")
        .file("index.js", "import { nothing } from './legacy.cjs'");
    let why = refused(vec![wrong]);
    let says =
        "SyntaxError: Could not find export 'nothing' in module '/packages/wrong/legacy.cjs'";
    assert!(why.contains(says), "{why}");
}

/// Code of the package runs then, and asks for modules in turn.
#[test]
fn a_package_that_is_required_can_require_and_import() {
    let asks = Tarball::new("asks", r#""main":"a.js""#)
        .file("a.js", "exports.first = require('modern/part').part")
        .file(
            "late.js",
            "exports.got = require('modern/x/own').default; exports.path = require('./sync.mjs').default; exports.late = import('./very.mjs')",
        )
        .file(
            "sync.mjs",
            "import path from 'node:path'; export default path.join('a', 'b')",
        )
        .file(
            "very.mjs",
            "import own from 'modern/x/own'; export default own",
        );
    let source = "const { got, path, late } = require('asks/late'); return [got, path, (await late).default]";
    assert_eq!(with(vec![modern(), asks], source), r#"["own","a/b","own"]"#);
}

#[test]
fn entry_points_that_no_script_asks_for_change_nothing() {
    let exports = |more: &str| {
        format!(r#"{more}"type":"module","exports":{{".":"./a.js","./polyfill":"./polyfill.js"}}"#)
    };
    let package = |keys: &str| {
        Tarball::new("fills", keys)
            .file("a.js", "export default 'a'")
            .file("polyfill.js", "globalThis.filled = true")
    };
    let source = "import a from 'fills'; const before = typeof filled; await import('fills/polyfill'); return [a, before, typeof filled]";
    for (more, before) in [
        ("", "undefined"),
        (r#""sideEffects":["./polyfill.js"],"#, "undefined"),
        (r#""sideEffects":false,"#, "boolean"),
    ] {
        let expected = format!(r#"["a","{before}","boolean"]"#);
        assert_eq!(with(vec![package(&exports(more))], source), expected);
    }
}

#[test]
fn modules_of_both_kinds_have_process() {
    let keys = r#""type":"module","exports":{".":"./a.js","./old":"./old.cjs","./own":"./own.js","./at":"./at.js"}"#;
    let asks = Tarball::new("asks", keys)
        .file(
            "a.js",
            "export const mode = process.env.NODE_ENV; export { mode as default }; globalThis.kept = process // the end",
        )
        .file("old.cjs", "exports.mode = process.env.NODE_ENV; exports.same = process === kept")
        .file("own.js", "const process = { env: { NODE_ENV: 'own' } }; export default process.env.NODE_ENV")
        .file("at.js", "export const fail = () => { process; throw new Error('here') }");
    let source = "import mode from 'asks'; import old from 'asks/old'; import own from 'asks/own'; import { fail } from 'asks/at';\n\
                  let at; try { fail() } catch (error) { at = error.stack.includes('at.js:1:') || error.stack }\n\
                  return [mode, old.mode, old.same, own, at]";
    assert_eq!(
        with(vec![asks], source),
        r#"["production","production",true,"own",true]"#
    );
}

#[test]
fn paths_are_resolved_as_node_does() {
    let paths = Tarball::new("paths", r#""main":"lib/index.js""#)
        .file(
            "lib/index.js",
            "module.exports = ['./util', './util/', './data', '.', '..', './both'].map((path) => { try { return require(path).name } catch { return 'none' } })",
        )
        .file("lib/util.js", "exports.name = 'file'")
        .file("lib/util/index.js", "exports.name = 'folder'")
        .file("lib/data/index.js", "exports.name = 'folder'")
        .file("lib/data.mjs", "export const name = 'module'")
        .file("lib/both.cjs", "exports.name = 'common'")
        .file("lib.js", "exports.name = 'beside'")
        .file("index.js", "exports.name = 'top'");
    let source = "import found from 'paths'; return [found, require('paths/lib').name, require('paths/lib/util/').name]";
    assert_eq!(
        with(vec![paths], source),
        r#"[["file","folder","folder",null,null,"common"],"beside","folder"]"#
    );
}

#[test]
fn an_added_package_is_also_the_module_of_node_that_it_stands_for() {
    let events = Tarball::new("events", r#""main":"a.js""#).file("a.js", "exports.on = 1");
    let uses = Tarball::new("uses", r#""main":"a.js""#).file(
        "a.js",
        "module.exports = [require('events').on, require('node:events').on]",
    );
    let source = "import uses from 'uses'; import { on } from 'node:events'; return [uses, on]";
    assert_eq!(with(vec![events, uses], source), "[[1,1],1]");
    let test = Tarball::new("test", r#""main":"a.js""#).file("a.js", "exports.on = 1");
    let (mut realm, _) = taken_in(vec![test]);
    let source = "import test from 'node:test'; return test";
    run(&mut realm, program(source)).unwrap_err();
}

#[test]
fn what_archives_have_besides_does_no_harm() {
    let mark = "\u{feff}";
    let manifest = format!(r#"{mark}{{"name":"marked","version":"1.0.0","main":"a.js"}}"#);
    let compressed = GzEncoder::new(Vec::new(), Compression::fast());
    let marked = Tarball {
        pinned: "marked@1.0.0".to_owned(),
        archive: tar::Builder::new(compressed),
    };
    let data = format!("{mark}[1]");
    let mut marked = marked
        .entry("./package/package.json", &manifest)
        .entry("./package/a.js", "module.exports = require('./data.json')")
        .file("data.json", &data);
    let mut header = tar::Header::new_old();
    header.as_old_mut().name[.."package/latin.js".len()].copy_from_slice(b"package/latin.js");
    header.set_size(2);
    header.set_cksum();
    marked.archive.append(&header, &[0xe9, b';'][..]).unwrap();
    let source = "import marked from 'marked'; return marked";
    assert_eq!(with(vec![marked], source), "[1]");
}
