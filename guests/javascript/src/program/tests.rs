//! Whole programs against the stand-in host: what they return, print, call and throw.

mod imports;
mod languages;

use super::*;
use crate::bindings::exports::ampoule::guest::script::{Content, Module};
use crate::host::Failure;
use crate::host::native::{self, Host, Tool};

/// A program of one module.
fn program(source: &str) -> Program {
    Program {
        name: "main.ts".to_owned(),
        source: source.to_owned(),
        modules: Vec::new(),
        env: String::new(),
        stack_bytes: 256 * 1024,
    }
}

/// Runs a program in a new realm, with a host that has tools.
fn run_program(program: Program) -> Outcome {
    native::with(|host| *host = host_with_tools());
    run(&mut Realm::new().expect("the prelude runs"), program)
}

fn host_with_tools() -> Host {
    let echo = |arguments: &str| Ok(arguments.to_owned());
    let fail = |_: &str| {
        Err(Failure {
            message: "no such page".to_owned(),
            content: r#"[{"type":"text","text":"no such page"}]"#.to_owned(),
        })
    };
    let drive = vec![
        Tool::new("get_document", echo).with_parameters(&["documentId", "fields"]),
        Tool::new("slow-search", |_| Ok("\"found\"".to_owned())).after(5_000_000),
        Tool::new("fail", fail),
        Tool::new("never", echo).after(u64::MAX / 2),
    ];
    let odd = ["__proto__", "then", "constructor", "toString"]
        .map(|name| Tool::new(name, move |_| Ok(format!("\"{name}\""))));
    let mut host = Host::default();
    host.servers = vec![
        ("google-drive".to_owned(), drive),
        ("odd".to_owned(), odd.into()),
        ("fetch".to_owned(), vec![Tool::new("fetch", echo)]),
    ];
    host
}

/// What a script returns, as JSON; `none` if nothing.
fn returned(source: &str) -> String {
    match run_program(program(source)) {
        Ok(value) => value.unwrap_or_else(|| "none".to_owned()),
        Err(thrown) => panic!("{source}\n{thrown:?}"),
    }
}

fn thrown(source: &str) -> Thrown {
    match run_program(program(source)) {
        Ok(value) => panic!("{source}\nreturned {value:?}"),
        Err(thrown) => thrown,
    }
}

fn assert_returns(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(returned(source), *expected, "{source}");
    }
}

#[test]
fn all_shapes_run() {
    assert_returns(&[
        ("return 1 + 1", "2"),
        ("1 + 1", "2"),
        ("const a: number = await Promise.resolve(3); return a", "3"),
        ("async () => { await null; return 1 }", "1"),
        ("async function f() { return 2 }", "2"),
        ("async function () { return 2 }", "2"),
        ("export default 5", "5"),
        ("export default async () => 6", "6"),
        ("export default async function () { return 7 }", "7"),
        (
            "async function main(): Promise<number> { return 8 }\nmain()",
            "8",
        ),
        ("async function main() { return 9 }", "9"),
        (
            "main().catch(console.error);\nasync function main() { return 10 }",
            "none",
        ),
        (
            "Here it is:\n\n```ts\nconst x: number = 11;\nreturn x;\n```\nThat is all.",
            "11",
        ),
        ("```\n12\n```", "12"),
        ("[1, 2].map(async (n) => n * 2)", "[2,4]"),
        ("({ a: 1 })", "{\"a\":1}"),
        ("{ a: 1 }", "{\"a\":1}"),
        ("'use strict'", "\"use strict\""),
        ("#!/usr/bin/env node\nreturn 1", "1"),
        ("", "none"),
        ("// nothing", "none"),
        ("const a = 1", "none"),
        ("return undefined", "none"),
        ("return null", "null"),
        ("return import.meta !== undefined", "true"),
        (
            "for await (const x of [1, Promise.resolve(2)]) if (x === 2) return x",
            "2",
        ),
    ]);
}

#[test]
fn typescript_runs() {
    assert_returns(&[
        (
            "enum A { X, Y = 5, Z, S = 's' } return [A.X, A.Z, A[6], A.S, A]",
            "[0,6,\"Z\",\"s\",{\"0\":\"X\",\"5\":\"Y\",\"6\":\"Z\",\"X\":0,\"Y\":5,\"Z\":6,\"S\":\"s\"}]",
        ),
        (
            "enum F { A = 1 << 0, B = 1 << 1, AB = A | B, 'c-d' = AB + 1 } return [F.AB, F['c-d']]",
            "[3,4]",
        ),
        (
            "enum A { X = 1 } enum A { Y = X + 1 } const enum C { Q = 'q' } return [A.Y, C.Q]",
            "[2,\"q\"]",
        ),
        (
            "namespace N { export const a = 1; export namespace M { export function f() { return a } } let b = 2; export let c = b; export function set() { c = 9 } } N.set(); return [N.M.f(), N.c]",
            "[1,9]",
        ),
        (
            "namespace A.B { export enum E { X = 3 } } namespace A { export const y = 1 } namespace A { export const z = y + 1 } return [A.B.E.X, A.z]",
            "[3,2]",
        ),
        (
            "class P { m() { return P.x } } namespace P { export const x = 4 } return new P().m()",
            "4",
        ),
        (
            "class A { constructor(public a: number, readonly b = 2) {} } class B extends A { constructor(private c: string) { super(1); } d() { return this.c } } const b = new B('c'); return [b, b.d()]",
            "[{\"a\":1,\"b\":2,\"c\":\"c\"},\"c\"]",
        ),
        (
            "const f = <T,>(x: T): T => x; const o = { v: f<number>(1) as unknown as string } satisfies object; return o!.v!",
            "1",
        ),
        (
            "abstract class A { abstract m(): number; n() { return this.m() } } return new (class extends A { override m() { return 3 } })().n()",
            "3",
        ),
        (
            "interface A { x: number } type B = A & { y: 1 }; const b: B = { x: 1, y: 1 }; return b",
            "{\"x\":1,\"y\":1}",
        ),
        ("let x: any = 1\n;[x] = [2]\nreturn x", "2"),
        (
            "function f(this: any, a?: number, ...b: string[]): asserts a is number {} f.call(null, 1); return 1",
            "1",
        ),
    ]);
}

#[test]
fn results_render_as_stated() {
    assert_returns(&[
        (
            "return [undefined, null, , 1.5, -0, 1e21, 123456789012, NaN, -Infinity]",
            "[null,null,null,1.5,0,1e+21,123456789012,\"NaN\",\"-Infinity\"]",
        ),
        (
            "return { a: undefined, b: 10n, c: 2n ** 100n }",
            "{\"b\":\"10\",\"c\":\"1267650600228229401496703205376\"}",
        ),
        ("return new Date(0)", "\"1970-01-01T00:00:00.000Z\""),
        ("return new Date(NaN)", "null"),
        (
            "return [new Map([['a', 1]]), new Map([[1, 2]]), new Map(), new Set([1, 'b'])]",
            "[{\"a\":1},[[1,2]],{},[1,\"b\"]]",
        ),
        (
            "return [new Uint8Array([1, 2]), new Float64Array([0.5]), new Uint8Array([3]).buffer, new BigInt64Array([5n])]",
            "[[1,2],[0.5],[3],[\"5\"]]",
        ),
        (
            "const a = { b: [] }; a.b.push(a); return a",
            "{\"b\":[\"[Circular]\"]}",
        ),
        ("const a = {}; return [a, a]", "[{},{}]"),
        (
            "return Object.assign(new TypeError('no', { cause: new Error('why') }), { code: 5 })",
            "{\"name\":\"TypeError\",\"message\":\"no\",\"cause\":{\"name\":\"Error\",\"message\":\"why\"},\"code\":5}",
        ),
        (
            "return [function f() {}, class C {}, () => {}, Symbol('s'), /a/g, Promise.resolve()]",
            "[\"[Function: f]\",\"[Function: C]\",\"[Function]\",\"Symbol(s)\",\"/a/g\",\"[Promise]\"]",
        ),
        ("return { toJSON() { return { x: 1 } } }", "{\"x\":1}"),
        (
            "return new (class P { a = 1; #b = 2; get c() { return 3 } })()",
            "{\"a\":1}",
        ),
        (
            "return [new Number(1), new String('s'), Object(true), Object(1n)]",
            "[1,\"s\",true,\"1\"]",
        ),
        (
            "return 'a\"\\\\\\n\\u0001\\u2028\\ud800é😀'",
            "\"a\\\"\\\\\\n\\u0001\u{2028}\u{fffd}é😀\"",
        ),
        (
            "return Object.create(null, { x: { value: 1, enumerable: true } })",
            "{\"x\":1}",
        ),
        ("return new Proxy([1], {})", "[1]"),
        (
            "return Object.fromEntries([['__proto__', 1], ['2', 2], ['1', 1]])",
            "{\"1\":1,\"2\":2,\"__proto__\":1}",
        ),
    ]);
    let deep = "let a = []; for (let i = 0; i < 10000; i++) a = [a]; return a";
    assert_eq!(thrown(deep).name, "RangeError");
}

#[test]
fn tools_are_called_in_every_way() {
    let document = "{\"documentId\":1}";
    let ways = [
        "return tools['google-drive'].get_document({ documentId: 1 })",
        "return tools.googleDrive.getDocument({ documentId: 1 })",
        "return googleDrive.get_document({ documentId: 1 })",
        "return await codemode.getDocument({ documentId: 1 })",
        "return callMCPTool('google-drive__get_document', { documentId: 1 })",
        "return callMCPTool<{ x: 1 }>('mcp__google-drive__get_document', { documentId: 1 })",
        "import * as drive from './servers/google-drive'; return drive.getDocument({ documentId: 1 })",
        "import { getDocument } from 'servers/google-drive/index.ts'; return getDocument({ documentId: 1 })",
        "import { get_document as get, type X } from '../servers/google-drive/index.js'; return get({ documentId: 1 })",
        "import getDocument from './servers/google-drive/getDocument'; return getDocument({ documentId: 1 })",
        "import { getDocument } from './servers/google-drive/getDocument.ts'; return getDocument({ documentId: 1 })",
        "import { GoogleDriveTools } from '~/.mcp/wrappers/google-drive'; const t = new GoogleDriveTools({}); return t.getDocument({ documentId: 1 })",
        "import { GoogleDriveTools } from '~/.mcp/wrappers/google-drive'; const t = new GoogleDriveTools(null); return t.getDocument(1)",
        "import { callMCPTool } from '../../../client.js'; return callMCPTool('google-drive__get_document', { documentId: 1 })",
        "const { getDocument } = await import('./servers/google-drive'); return getDocument({ documentId: 1 })",
        "const { googleDrive: { getDocument } } = tools; return getDocument({ documentId: 1 })",
        "function f(googleDrive) { return googleDrive } f(1); return googleDrive.getDocument({ documentId: 1 })",
        "return (await tools.googleDrive).getDocument({ documentId: 1 })",
    ];
    for way in ways {
        assert_eq!(returned(way), document, "{way}");
        assert_eq!(
            native::with(|host| host.started.clone()),
            [("get_document".to_owned(), document.to_owned())],
            "{way}"
        );
    }
}

#[test]
fn tools_of_any_name_are_reached() {
    assert_returns(&[
        (
            "const s = tools.odd; return [await s['__proto__']({}), await s.constructor({}), await s.toString({}), await s['then']({})]",
            "[\"__proto__\",\"constructor\",\"toString\",\"then\"]",
        ),
        (
            "const s = await tools.odd; return s.constructor()",
            "\"constructor\"",
        ),
        (
            "async function f() { return tools.odd } return (await f()).toString()",
            "\"toString\"",
        ),
        ("return await fetch.fetch({ url: 'x' })", "{\"url\":\"x\"}"),
        (
            "return [Object.keys(tools), Object.keys(tools.odd), 'odd' in tools, 'x' in tools, 'then' in tools.odd, 'x' in tools.odd]",
            "[[\"google-drive\",\"odd\",\"fetch\"],[\"__proto__\",\"then\",\"constructor\",\"toString\"],true,false,true,false]",
        ),
        (
            "return tools.odd.then === tools.odd.then && tools.googleDrive === tools['google-drive']",
            "true",
        ),
        (
            "return tools.$servers().map((s) => [s.name, s.tools])",
            "[[\"google-drive\",4],[\"odd\",4],[\"fetch\",1]]",
        ),
        (
            "return tools.$search('document', { limit: 1 }).map((t) => t.identifier)",
            "[\"getDocument\"]",
        ),
        ("return tools.$search('', { server: 'fetch' }).length", "1"),
        (
            "return tools.$describe('google-drive.get_document')",
            "\"declare function getDocument(): unknown;\"",
        ),
        (
            "return tools.odd",
            "{\"__proto__\":\"[Function: __proto__]\",\"constructor\":\"[Function: constructor]\",\"toString\":\"[Function: toString]\"}",
        ),
        (
            "return typeof tools.odd.toJSON + String(Object.prototype.toString.call(tools))",
            "\"undefined[object tools]\"",
        ),
    ]);
}

#[test]
fn names_that_are_not_granted_throw_at_once() {
    let cases = [
        ("tools.github", "no server \"github\""),
        ("tools.odd.more", "no tool \"more\" in \"odd\""),
        ("codemode.more", "no tool \"more\""),
        (
            "await callMCPTool('odd__more')",
            "no tool \"more\" in \"odd\"",
        ),
        (
            "import { more } from './servers/odd'; more()",
            "no tool \"more\" in \"odd\"",
        ),
        (
            "import * as odd from './servers/odd'; odd.more()",
            "no tool \"more\" in \"odd\"",
        ),
        (
            "import x from './servers/github'; x()",
            "There is no module \"./servers/github\". no server \"github\"",
        ),
        (
            "import fs from 'node:fs'; fs()",
            "There is no module \"node:fs\". There are no files here",
        ),
        (
            "await import('axios')",
            "There is no module \"axios\". There is no network here",
        ),
    ];
    for (source, message) in cases {
        let thrown = thrown(&format!("\n  {source}"));
        assert!(thrown.message.starts_with(message), "{source}: {thrown:?}");
        assert_eq!(
            thrown.location.map(|location| location.line),
            Some(2),
            "{source}"
        );
    }
}

#[test]
fn failed_calls_reject_with_what_the_tool_said() {
    let caught = "try { await tools.googleDrive.fail({}) } catch (e) { return [e instanceof ToolError, e instanceof Error, e.name, e.message, e.server, e.tool, e.content[0].text, String(e)] }";
    assert_eq!(
        returned(caught),
        "[true,true,\"ToolError\",\"no such page\",\"google-drive\",\"fail\",\"no such page\",\"ToolError: no such page\"]"
    );
    let thrown = thrown(
        "const x = 1;\nasync function f() {\n  await tools.googleDrive.fail({});\n}\nawait f();",
    );
    assert_eq!(
        (thrown.name.as_str(), thrown.message.as_str()),
        ("ToolError", "google-drive.fail: no such page")
    );
    let location = thrown.location.expect("has a place");
    assert_eq!(
        (location.line, location.text.as_str()),
        (3, "  await tools.googleDrive.fail({});")
    );
}

#[test]
fn calls_run_at_once_and_can_be_raced_and_aborted() {
    assert_returns(&[
        (
            "const a = performance.now(); await Promise.all([1, 2, 3].map(() => tools.googleDrive.slowSearch())); return performance.now() - a",
            "5",
        ),
        (
            "return await Promise.race([tools.googleDrive.never({}), new Promise((r) => setTimeout(r, 10, 'late'))])",
            "\"late\"",
        ),
        (
            "const c = new AbortController(); setTimeout(() => c.abort('enough'), 5); try { await tools.googleDrive.never({}, { signal: c.signal }) } catch (e) { return e }",
            "\"enough\"",
        ),
        (
            "try { await tools.googleDrive.never({}, { signal: AbortSignal.timeout(5) }) } catch (e) { return e.name }",
            "\"TimeoutError\"",
        ),
        (
            "try { await tools.googleDrive.never({}, { signal: AbortSignal.abort() }) } catch (e) { return e.name }",
            "\"AbortError\"",
        ),
        (
            "const c = new AbortController(); const r = await tools.googleDrive.get_document({}, { signal: c.signal }); c.abort(); return r",
            "{}",
        ),
    ]);
    returned(
        "const c = new AbortController(); const p = tools.googleDrive.never({}, { signal: c.signal }).catch(() => 1); c.abort(); return await p",
    );
    assert_eq!(native::with(|host| host.cancelled.clone()), [1]);
}

#[test]
fn arguments_that_are_no_object_are_refused() {
    for (argument, told) in [
        ("'x'", "not a string"),
        ("[1]", "not an array"),
        ("null", "not null"),
        ("5", "not a number"),
    ] {
        let thrown = thrown(&format!("await tools.odd.constructor({argument})"));
        assert_eq!(thrown.name, "TypeError");
        assert!(thrown.message.contains(told), "{thrown:?}");
        assert_eq!(thrown.location.map(|location| location.line), Some(1));
    }
    let thrown = thrown("const a = {}; a.a = a; await tools.odd.constructor(a)");
    assert!(
        thrown.message.contains("can't be written as JSON"),
        "{thrown:?}"
    );
    assert_eq!(
        returned(
            "return await tools.googleDrive.get_document({ a: undefined, d: new Date(0), n: NaN, f() {} })"
        ),
        "{\"d\":\"1970-01-01T00:00:00.000Z\",\"n\":null}"
    );
}

#[test]
fn a_run_ends_when_there_is_nothing_left_to_do() {
    assert_returns(&[
        ("setTimeout(() => console.log('late'), 50); return 1", "1"),
        ("tools.googleDrive.never({}); return 1", "1"),
        (
            "tools.googleDrive.slowSearch({}).then(console.log)\nlet x",
            "none",
        ),
    ]);
    assert_eq!(
        native::with(|host| host
            .output
            .iter()
            .map(|(_, text)| text.clone())
            .collect::<Vec<_>>()),
        ["found"]
    );
    assert_eq!(
        returned("setTimeout(() => console.log('a'), 5); setTimeout(() => console.log('b'), 1)"),
        "none"
    );
    assert_eq!(
        native::with(|host| host
            .output
            .iter()
            .map(|(_, text)| text.clone())
            .collect::<Vec<_>>()),
        ["b", "a"]
    );
    let stuck = thrown("await new Promise(() => {})");
    assert!(stuck.message.contains("nothing can settle"), "{stuck:?}");
}

#[test]
fn rejections_that_nobody_hears_are_told() {
    let unheard = thrown("async function f() { throw new Error('lost') }\nf();\nlet x;");
    assert_eq!(
        (unheard.message.as_str(), unheard.location.map(|at| at.line)),
        ("lost", Some(1))
    );
    assert_eq!(returned("Promise.reject(new Error('lost')); return 1"), "1");
    assert!(native::with(|host| host.output[0].1.contains("lost")));
    assert_eq!(
        returned("const p = Promise.reject(1); await null; p.catch(() => {}); let x"),
        "none"
    );
    let timer = thrown("setTimeout(() => { throw new TypeError('in a timer') }, 1);\nlet x");
    assert_eq!(
        (timer.name.as_str(), timer.location.map(|at| at.line)),
        ("TypeError", Some(1))
    );
}

#[test]
fn errors_tell_where_in_the_source_as_written() {
    let cases = [
        (
            "const a: number = 1;\nconst b: string = \"é\"; b.x.y",
            2,
            28,
            "TypeError",
        ),
        ("throw new Error('x')", 1, 7, "Error"),
        (
            "enum A { B = 1, C }; interface D {}; throw new RangeError('x')",
            1,
            44,
            "RangeError",
        ),
        ("```ts\nlet a: any = 1;\n  a.b.c\n```", 3, 7, "TypeError"),
        (
            "const f = (x: {\n  a: 1\n}): never => {\n  throw new Error('x');\n};\nf({ a: 1 })",
            4,
            9,
            "Error",
        ),
        ("await Promise.resolve();\nfoo", 2, 1, "ReferenceError"),
        ("const x = 1;\nconst x = 2;", 2, 9, "SyntaxError"),
        ("return JSON.parse('{')", 1, 13, "SyntaxError"),
        ("let a = ;", 1, 9, "SyntaxError"),
        (
            "export default async function f() {\n  throw new Error('x')\n}",
            2,
            9,
            "Error",
        ),
        (
            "import * as d from './servers/odd';\nthrow new Error('x')",
            2,
            7,
            "Error",
        ),
    ];
    for (source, line, column, name) in cases {
        let thrown = thrown(source);
        let location = thrown
            .location
            .clone()
            .unwrap_or_else(|| panic!("{source}\n{thrown:?}"));
        assert_eq!(
            (location.line, location.column, thrown.name.as_str()),
            (line, column, name),
            "{source}\n{thrown:?}"
        );
        assert_eq!(
            location.text,
            source
                .lines()
                .nth(line as usize - 1)
                .expect("the line is there")
                .trim_end(),
            "{source}"
        );
        assert_eq!(location.module, "main.ts");
    }
}

#[test]
fn errors_tell_stack_and_causes() {
    let source = "function f(): never {\n  const cause = new TypeError('inner', { cause: 'root' }); throw new Error('outer', { cause });\n}\nfunction g() { f() }\ng();";
    let error = thrown(source);
    assert_eq!(
        error.stack,
        "    at f (main.ts:2:66)\n    at g (main.ts:4:16)\n    at main.ts:5:1"
    );
    assert_eq!(error.causes, ["TypeError: inner (main.ts:2:17)", "root"]);
    let several = thrown("throw new AggregateError([new Error('a'), 'b'], 'both')");
    assert_eq!(several.causes, ["Error: a (main.ts:1:27)", "b"]);
    for (source, message) in [
        ("throw 'text'", "text"),
        ("throw { code: 1 }", "{\"code\":1}"),
        ("throw undefined", "undefined"),
    ] {
        assert!(thrown(source).message.ends_with(message), "{source}");
    }
    assert!(
        thrown("github.x()").message.contains("not defined"),
        "{:?}",
        thrown("github.x()")
    );
    assert!(
        thrown("process.exit()")
            .message
            .contains("There is no process here")
    );
    assert_eq!(
        returned("return typeof process + typeof github"),
        "\"undefinedundefined\""
    );
}

#[test]
fn modules_import_each_other() {
    let module = |name: &str, content| Module {
        name: name.to_owned(),
        content,
    };
    let source = |name: &str, text: &str| module(name, Content::Source(text.to_owned()));
    let modules = vec![
        source(
            "lib/math.ts",
            "import { one, type T } from './numbers.js';\nexport enum E { A = 2 }\nexport interface I { a: 1 }\nexport const two: T = one + one as T;\nexport default (x: number) => x * two;",
        ),
        source(
            "lib/numbers.ts",
            "export type T = number; export const one: T = await Promise.resolve(1);",
        ),
        source(
            "throws.ts",
            "// a comment\nexport function f(x: number): never {\n  throw new Error('in a module ' + x);\n}",
        ),
        source("broken.ts", "export const a = 1;\nexport const b = ;"),
        source(
            "tree.ts",
            "import { getDocument } from './servers/google-drive';\nexport const read = (id: number) => getDocument({ documentId: id });",
        ),
        module("readme.txt", Content::Text("hello".to_owned())),
        module("data.json", Content::Json("{\"a\":[1]}".to_owned())),
        module("raw.bin", Content::Bytes(vec![1, 2])),
    ];
    let run_with = |source: &str| {
        run_program(Program {
            modules: modules.clone(),
            env: "{\"KEY\":\"v\"}".to_owned(),
            ..program(source)
        })
    };
    let cases = [
        (
            "import times, { two, E, I } from './lib/math.ts'; const i: I = { a: 1 }; return [times(4), two, E.A]",
            "[8,2,2]",
        ),
        ("import { two } from 'lib/math'; return two", "2"),
        (
            "import text from './readme.txt'; import data from './data.json' with { type: 'json' }; import raw from './raw.bin'; return [text, data, raw]",
            "[\"hello\",{\"a\":[1]},[1,2]]",
        ),
        (
            "import { read } from './tree'; return read(5)",
            "{\"documentId\":5}",
        ),
        ("const m = await import('./lib/numbers'); return m.one", "1"),
        ("return env.KEY", "\"v\""),
    ];
    for (source, expected) in cases {
        assert_eq!(
            run_with(source).map_err(|thrown| format!("{thrown:?}")),
            Ok(Some(expected.to_owned())),
            "{source}"
        );
    }
    let places = [
        (
            "import { f } from './throws'; f(1)",
            "throws.ts",
            3,
            "in a module 1",
        ),
        ("import './broken'; 1", "broken.ts", 2, ""),
        (
            "\nimport { nothing } from './lib/math'; nothing()",
            "main.ts",
            2,
            "",
        ),
        (
            "\nimport { one } from './lib/none'; one()",
            "main.ts",
            2,
            "There is no module \"./lib/none\". The program's modules are",
        ),
    ];
    for (source, module, line, message) in places {
        let thrown = run_with(source).expect_err(source);
        assert!(thrown.message.contains(message), "{source}\n{thrown:?}");
        let location = thrown
            .location
            .clone()
            .unwrap_or_else(|| panic!("{source}\n{thrown:?}"));
        assert_eq!(
            (location.module.as_str(), location.line),
            (module, line),
            "{source}\n{thrown:?}"
        );
    }
}

#[test]
fn deep_recursion_can_be_caught() {
    let cases = [
        "(function f() { f() })()",
        "JSON.parse('['.repeat(100000))",
        "let a = []; for (let i = 0; i < 100000; i++) a = [a]; JSON.stringify(a)",
        "new RegExp('('.repeat(100000))",
        "const o = { get a() { return this.a } }; o.a",
        "const f = () => [1, 2].sort(f); f()",
        "const o = { toString() { return '' + this } }; '' + o",
        "const p = new Proxy({}, { get: (t, k, r) => r[k] }); p.a",
        "eval('['.repeat(100000))",
        "class A { constructor() { new A() } } new A()",
        "const f = (...a) => f(...a, 1); f()",
        "const f = async () => { await f() }; await f()",
    ];
    for source in cases {
        let caught = format!("try {{ {source}; return 'ran' }} catch (e) {{ return e.name }}");
        let name = returned(&caught);
        assert!(
            name == "\"RangeError\"" || source.contains("RegExp") && name == "\"SyntaxError\"",
            "{source}: {name}"
        );
    }
}

#[test]
fn what_a_script_pollutes_does_not_reach_the_tools() {
    let pollution = "Object.prototype.get = () => 'x'; Object.prototype.signal = 1; Object.prototype.value = 2; Array.prototype.push = null; \
        Map.prototype.get = null; Promise.prototype.then = null; JSON.stringify = null; String.prototype.split = null; Object.prototype.toJSON = undefined;";
    let source = format!(
        "{pollution} let r; await (async () => {{ r = await tools.googleDrive.getDocument({{ a: 1 }}) }})(); return [r, Object.keys(tools.odd)]"
    );
    // A polluted `signal` is what the script asked for.
    let source = source.replace("Object.prototype.signal = 1; ", "");
    assert_eq!(
        returned(&source),
        "[{\"a\":1},[\"__proto__\",\"then\",\"constructor\",\"toString\"]]"
    );
}

mod ends;
mod tools;
