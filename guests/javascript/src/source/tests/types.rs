//! What is taken off of TypeScript, and what stays.

use super::*;

#[test]
fn types_become_blanks() {
    let cases = [
        ("let x: number = 1;", "let x = 1;"),
        ("let x!: string;", "let x ;"),
        (
            "const f = <T,>(a: T, b?: string): T => a;",
            "const f = (a , b ) => a;",
        ),
        (
            "function f(this: Window, a: A): void {}",
            "function f( a ) {}",
        ),
        (
            "function f<T extends U = V>(x: T): asserts x is string {}",
            "function f (x ) {}",
        ),
        ("const y = x as unknown as string;", "const y = x ;"),
        ("const y = { a: 1 } satisfies A;", "const y = { a: 1 } ;"),
        ("const y = x!.a![0]!;", "const y = x .a [0] ;"),
        ("const y = <string>x;", "const y = x;"),
        (
            "const m = new Map<string, Array<number>>();",
            "const m = new Map ();",
        ),
        ("const f = g<string>;", "const f = g ;"),
        ("f<A>`x`;", "f `x`;"),
        ("f?.<A>(x);", "f?. (x);"),
        ("try {} catch (e: unknown) {}", "try {} catch (e ) {}"),
        ("for (const x of <A[]>y) {}", "for (const x of y) {}"),
        ("const { a, b }: { a: A; b: B } = c;", "const { a, b } = c;"),
        ("const [a]: [A] = c;", "const [a] = c;"),
        (
            "async function* f(...rest: A[]): AsyncGenerator<A> {}",
            "async function* f(...rest ) {}",
        ),
        (
            "const o = { m<T>(x: T): T { return x } };",
            "const o = { m (x ) { return x } };",
        ),
        (
            "const o = { get a(): A { return 1 } };",
            "const o = { get a() { return 1 } };",
        ),
        ("let é: Straße = 1; throw x;", "let é = 1; throw x;"),
        ("if ((x as any) = 1) {}", "if ((x ) = 1) {}"),
        (
            "const f = (x?: A /* why */, ...y: B[]) => x;",
            "const f = (x /* why */, ...y ) => x;",
        ),
        (
            "const f = async <T>(x: T): Promise<T> => x;",
            "const f = async (x ) => x;",
        ),
        ("let a = b < c, d = e > (f);", "let a = b < c, d = e > (f);"),
        ("x = y as any ? 1 : 2;", "x = y ? 1 : 2;"),
        (
            "export const f = (a: A) => { type B = 1; return a as B };",
            "export const f = (a ) => { ; return a; };",
        ),
    ];
    for (source, expected) in cases {
        let text = stripped(source);
        assert_eq!(squeezed(&text), expected, "{source}");
        assert_in_place(source, &text);
    }
}

#[test]
fn declarations_of_types_become_nothing() {
    let cases = [
        "interface A<T> extends B { a: string }",
        "type A<T> = T extends string ? 1 : 2;",
        "declare const x: string;",
        "declare let y: A, z: B;",
        "declare function f(): void;",
        "declare class C { m(): void }",
        "declare module \"x\" { export const a: 1 }",
        "declare namespace N { const a: 1 }",
        "declare global { interface Window {} }",
        "declare enum E { A }",
        "namespace N { export type A = 1; interface B {} }",
        "function f(a: string): void;",
        "export type A = 1;",
        "export interface A {}",
        "import type A from \"x\";",
        "import type { A } from \"x\";",
        "import { type A, type B } from \"x\";",
        "export type { A } from \"x\";",
        "export type * from \"x\";",
        "export declare const x: 1;",
        "export default interface A {}",
    ];
    for source in cases {
        assert_eq!(stripped(source).trim_matches([' ', ';']), "", "{source}");
    }
}

#[test]
fn statements_still_end_where_they_did() {
    let cases = [
        ("x as any\n(y)", "x;      \n(y)"),
        ("let a = x as T\n[0].f()", "let a = x;    \n[0].f()"),
        ("f()\ninterface A {}\n(y)", "f()\n;             \n(y)"),
        ("f()\ntype A = 1\n[y]", "f()\n;         \n[y]"),
        (
            "class A { a: string\n[\"b\"] = 1 }",
            "class A { a;       \n[\"b\"] = 1 }",
        ),
        (
            "class A { a = 1\npublic [\"b\"] = 2 }",
            "class A { a = 1\n;      [\"b\"] = 2 }",
        ),
        (
            "class A { a = 1\nprivate *b() {} }",
            "class A { a = 1\n;       *b() {} }",
        ),
        (
            "class A { a = 1\ndeclare b: string\n*c() {} }",
            "class A { a = 1\n;                \n*c() {} }",
        ),
        ("return_\nlet x: any\n(y)", "return_\nlet x;    \n(y)"),
    ];
    for (source, expected) in cases {
        let text = stripped(source);
        assert_eq!(trimmed(&text), trimmed(expected), "{source}");
        assert_in_place(source, &text);
    }
}

#[test]
fn arrow_functions_stay_whole_across_lines() {
    let cases = [
        (
            "const f = (a: A): {\n  b: B\n} => a;",
            "const f = (a   \n      \n) => a;",
        ),
        (
            "const f = async <\n  T\n>(a: T) => a;",
            "const f = async (\n   \n  a   ) => a;",
        ),
        (
            "const f = (\n  a: A,\n): Promise<\n  B\n> => a;",
            "const f = (\n  a   ,\n          \n   \n) => a;",
        ),
        (
            "const g = (a) => <{\n x: 1\n}>a;",
            "const g = (a) => ( \n     \n  a);",
        ),
    ];
    for (source, expected) in cases {
        let text = stripped(source);
        assert_eq!(
            squeezed(&trimmed(&text)),
            squeezed(&trimmed(expected)),
            "{source}"
        );
        assert_eq!(
            text.matches('\n').count(),
            source.matches('\n').count(),
            "{source}"
        );
    }
}

#[test]
fn classes_keep_what_runs() {
    let cases = [
        (
            "abstract class A<T> extends B<T> implements C, D<E> {}",
            "class A extends B {}",
        ),
        (
            "class A { private readonly a: string = \"x\"; static override b?: B; c!: C }",
            "class A { a = \"x\"; static b ; c; }",
        ),
        (
            "class A { [key: string]: any; a = 1 }",
            "class A { ; a = 1 }",
        ),
        (
            "class A { m(a: string): void; m(a: any) {} }",
            "class A { ; m(a ) {} }",
        ),
        (
            "abstract class A { abstract m(): void; abstract a: string; b() {} }",
            "class A { ; ; b() {} }",
        ),
        (
            "class A { m?(): void {} get a(): A { return 1 } async *[x]<T>(): A {} }",
            "class A { m () {} get a() { return 1 } async *[x] () {} }",
        ),
        (
            "class A { constructor(public a: A, private readonly b = 1, c: C) { f() } }",
            "class A { constructor( a , b = 1, c ) {;this.a=a;this.b=b; f() } }",
        ),
        (
            "class A extends B { constructor(public a: A) { super(a); f() } }",
            "class A extends B { constructor( a ) { super(a);;this.a=a; f() } }",
        ),
        (
            "export default abstract class A {}",
            "export default class A {}",
        ),
    ];
    for (source, expected) in cases {
        let text = squeezed(&stripped(source))
            .replace(" )", ")")
            .replace("( ", "(")
            .replace(" ;", ";")
            .replace(" (", "(");
        let expected = expected
            .replace(" )", ")")
            .replace("( ", "(")
            .replace(" ;", ";")
            .replace(" (", "(");
        assert_eq!(text, expected, "{source}");
    }
}

#[test]
fn imports_that_are_types_go_and_the_rest_stays() {
    let cases = [
        (
            "import { A, b } from \"x\"; b(); let a: A;",
            "import {\"b\" as b} from \"x\"; b(); let a ;",
        ),
        (
            "import { type A, b } from \"x\"; b();",
            "import {\"b\" as b} from \"x\"; b();",
        ),
        (
            "import a, * as b from \"x\"; a(b);",
            "import a,* as b from \"x\"; a(b);",
        ),
        (
            "import * as drive from \"./servers/google-drive\"; drive.a();",
            "import {default as drive} from \"./servers/google-drive\"; drive.a();",
        ),
        (
            "import { A } from \"./servers/google-drive\"; let a: A;",
            "; let a ;",
        ),
        ("import { A } from \"./types\"; let a: A;", "; let a ;"),
        ("import { a } from \"x\";", "import \"x\";"),
        ("import \"x\";", "import \"x\";"),
        (
            "import x from \"y\" with { type: \"json\" }; f(x);",
            "import x from \"y\" with { type: \"json\" }; f(x);",
        ),
        (
            "export { a, type B } from \"x\";",
            "export { a, } from \"x\";",
        ),
        (
            "interface A {} const b = 1; export { A, b };",
            "; const b = 1; export { b };",
        ),
        ("import a = b.c; f(a);", "const a = b.c; f(a);"),
        ("export = 1;", "export default 1;"),
    ];
    for (source, expected) in cases {
        assert_eq!(squeezed(&stripped(source)), expected, "{source}");
    }
}
