//! What of a source is code, what its TypeScript does, and what is its result.

use super::*;

fn output() -> Vec<String> {
    native::with(|host| host.output.iter().map(|(_, text)| text.clone()).collect())
}

#[test]
fn stray_fences_leave_the_program() {
    let code = "const a = 1;\nconsole.log(a);\nreturn a";
    for source in [
        format!("{code}\n```\n"),
        format!("\u{feff}```ts\n{code}\n```\n"),
        format!("{code}\n```\nThis logs a.\n"),
        format!("I read src/* first:\n```ts\n{code}\n```\n"),
    ] {
        assert_eq!(returned(&source), "1", "{source}");
        assert_eq!(output(), ["1"], "{source}");
    }
    assert_eq!(
        returned("return `\n~~~\nb\n~~~\n`"),
        "\"\\n~~~\\nb\\n~~~\\n\""
    );
    assert_eq!(thrown("let a = ;\n```").location.map(|at| at.line), Some(1));
}

#[test]
fn bare_names_of_members_are_those_that_nothing_hides() {
    assert_returns(&[
        (
            "enum E { A = 1, B = [1, 2].map((A) => A * 10)[1], C = A + 1 } return [E.B, E.C]",
            "[20,2]",
        ),
        (
            "enum E { A = 1, B = (() => { return A; function A() {} })() as any, C = { A }.A } return [typeof E.B, E.C]",
            "[\"function\",1]",
        ),
        (
            "namespace N { export const a = 1; export let b = 2 } \
             namespace N { export const o = { a }; export const f = (a: number) => ({ a }); ({ b } = { b: 3 }); ({ b = 4 } = {} as any) } \
             return [N.o, N.f(5), N.b]",
            "[{\"a\":1},{\"a\":5},4]",
        ),
        (
            "enum Other { X = 'x' } enum E { A = Other.X, B = Other.X.length, C = `${A}y`, D = A + 'z' } return E",
            "{\"1\":\"B\",\"A\":\"x\",\"B\":1,\"C\":\"xy\",\"D\":\"xz\"}",
        ),
    ]);
}

#[test]
fn fields_read_parameter_properties() {
    assert_returns(&[
        (
            "class A { url: string = this.host + '/a'; readonly 'b c' = [1].map(() => this.url); #d = this.url as string\n\
             ['e'] = 1; f = () => this.host; static g = this; constructor(private host: string, public n = 1) { this.n++ } d() { return this.#d } }\n\
             const a = new A('h'); return [a, a.d(), a.f(), A.g === A]",
            "[{\"url\":\"h/a\",\"b c\":[\"h/a\"],\"e\":1,\"f\":\"[Function: f]\",\"host\":\"h\",\"n\":2},\"h/a\",\"h\",true]",
        ),
        (
            "class A { a = 1 } class B extends A { c = this.a + this.b; constructor(protected b: number) { super(); } } return new B(2).c",
            "3",
        ),
        (
            "class A { a = 1; b = this.a as number\n['c'] = 3 } return new A()",
            "{\"a\":1,\"b\":1,\"c\":3}",
        ),
    ]);
}

#[test]
fn what_is_not_supported_says_so() {
    let fault = thrown("class A {\n  accessor x = 1\n}");
    assert!(
        fault
            .message
            .contains("`accessor` fields are not supported"),
        "{fault:?}"
    );
    assert_eq!(fault.location.map(|at| at.line), Some(2));
}

#[test]
fn main_modules_know_that_they_are() {
    assert_returns(&[
        (
            "async function main() { return 1 }\nif (import.meta.main) { main(); }",
            "1",
        ),
        (
            "async function main() { return 2 }\nif (import.meta.main) await main();",
            "2",
        ),
        ("if (import.meta.main) console.log('here');", "none"),
    ]);
    assert_eq!(output(), ["here"]);
}

#[test]
fn programs_that_call_nothing_are_told() {
    for source in [
        "export const LIMIT = Number(env.LIMIT ?? 1);\nexport async function run() { return LIMIT }",
        "const run = async () => other();\nconst other = () => run();",
    ] {
        assert_eq!(returned(source), "none");
        let output = output().join("\n");
        assert!(
            output.contains("`run`") && output.contains("return await run();"),
            "{output}"
        );
    }
    for source in [
        "function run() { console.log('ran') }\nconst result = run();",
        "const a = 1;",
        "function run() { console.log('ran') }\nclass A { static a = run() }",
    ] {
        assert_eq!(returned(source), "none");
        assert!(!output().join("").contains("Warning"), "{source}");
    }
}
