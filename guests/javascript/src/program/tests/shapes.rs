//! What a script may look like, and how what it returns is rendered.

use super::*;

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
fn a_function_that_needs_arguments_is_not_called_without() {
    for (source, line, told) in [
        (
            "// sums\nfunction sum(orders) { return orders.length }",
            2,
            "The script declares `sum` and calls nothing. End it with a call that gives `orders`, such as `return sum(…)`.",
        ),
        (
            "const status = async (id: string, day?: string) => id",
            1,
            "The script declares `status` and calls nothing. End it with a call that gives `id`, such as `return await status(…)`.",
        ),
        (
            "const two = 2\nasync function main({ a, b }, rest = 1) { return a }",
            2,
            "The script declares `main` and calls nothing. End it with a call that gives `{ a, b }`, such as `return await main(…)`.",
        ),
        (
            "export default async function run(input) { return input }",
            1,
            "The script declares `run` and calls nothing. End it with a call that gives `input`, such as `return await run(…)`.",
        ),
        (
            "async ({ name }, count) => name",
            1,
            "The script is a function that nothing calls with `{ name }`, `count`: give it a name and end with a call that gives them, \
             such as `return await main(…)`, or write a function without parameters.",
        ),
    ] {
        let thrown = thrown(source);
        assert_eq!(thrown.message, told, "{source}");
        assert_eq!(thrown.location.map(|at| at.line), Some(line), "{source}");
    }
    assert_returns(&[
        ("function sum(...orders) { return orders.length }", "0"),
        ("const f = (a = 1, b?: number) => a", "1"),
        ("export default (a = 2) => a", "2"),
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
