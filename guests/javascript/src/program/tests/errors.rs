//! What uncaught errors tell.

use super::*;

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
