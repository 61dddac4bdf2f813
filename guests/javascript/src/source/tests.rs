//! TypeScript as it was written, and the JavaScript that it becomes.

use super::*;

fn prepared(source: &str, role: Role) -> Result<Prepared, Fault> {
    prepare(
        &Allocator::default(),
        source,
        role,
        &|specifier| match specifier {
            "x" | "y" => Origin::Program,
            _ if specifier.contains("servers/") => Origin::Object,
            _ => Origin::Other,
        },
    )
}

/// What a statement becomes in a module, where nothing is added around it.
fn stripped(source: &str) -> String {
    match prepared(source, Role::Module) {
        Ok(prepared) => prepared.text,
        Err(fault) => panic!("{source}: {} at {}", fault.message, fault.offset),
    }
}

/// What a program becomes, without what is put around every one.
fn program(source: &str) -> String {
    let text = match prepared(source, Role::Main) {
        Ok(prepared) => prepared.text,
        Err(fault) => panic!("{source}: {} at {}", fault.message, fault.offset),
    };
    let body = text
        .split_once("{\n\n")
        .map_or(text.as_str(), |(_, body)| body);
    body.trim_end_matches("})")
        .trim_end_matches('}')
        .trim_end_matches('\n')
        .to_owned()
}

/// Text without runs of spaces.
fn squeezed(text: &str) -> String {
    text.split(' ')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// That what is left of a source is where it was.
fn assert_in_place(source: &str, text: &str) {
    assert_eq!(
        text.lines().count(),
        source.lines().count(),
        "{source}\n{text}"
    );
    for (now, before) in text.lines().zip(source.lines()) {
        assert!(now.len() <= before.len(), "{source}\n{text}");
        for (at, (now, before)) in now.bytes().zip(before.bytes()).enumerate() {
            assert!(
                now == before || b" ;()".contains(&now),
                "{source}\n{text}\nat {at}"
            );
        }
    }
}

/// Text without spaces at the ends of lines.
fn trimmed(text: &str) -> String {
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
}

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

#[test]
fn programs_return_what_their_shape_says() {
    let cases = [
        ("return 1", "return 1"),
        ("const a = 1; a + 1", "const a = 1; return a + 1"),
        ("\"text\"", "return \"text\""),
        ("{ a: 1, b: 2 }", "return { a: 1, b: 2 }"),
        ("{ a: 1 }", "return { a: 1 }"),
        (
            "async () => { return 1 }",
            "return (async () => { return 1 })()",
        ),
        ("(async () => 1);", "return ((async () => 1))();"),
        (
            "async function () { return 1 }",
            "return (async function () { return 1 })()",
        ),
        ("(async () => 1)()", "return (async () => 1)()"),
        (
            "async function main() {} main()",
            "async function main() {} return main()",
        ),
        ("if (a) return 1; f()", "if (a) return 1; f()"),
        ("setTimeout(() => {}, 1)", "setTimeout(() => {}, 1)"),
        (
            "async function main() {}",
            "async function main() {}\nreturn main()",
        ),
        (
            "const main = async () => 1;",
            "const main = async () => 1;\nreturn main()",
        ),
        (
            "function work() {} function main() {}",
            "function work() {} function main() {}\nreturn main()",
        ),
        (
            "type A = 1; async function run(): Promise<A> { return 1 }",
            "; async function run() { return 1 }\nreturn run()",
        ),
        (
            "function a() {} function b() {}",
            "function a() {} function b() {}",
        ),
        ("const a = f();", "const a = f();"),
        (
            "export default 1 as number",
            "let $default = 1;;\nreturn typeof $default===\"function\"?$default():$default",
        ),
        (
            "export default async function main() {}",
            "async function main() {}\nreturn main()",
        ),
        (
            "export default async function () {}",
            "let $default = async function () {};\nreturn $default()",
        ),
        (
            "export const a = 1; export async function main() {}",
            "const a = 1; async function main() {}\nreturn main()",
        ),
        (
            "const a = 1; export { a as default };",
            "const a = 1; ;\nreturn typeof a===\"function\"?a():a",
        ),
        ("", ""),
    ];
    for (source, expected) in cases {
        assert_eq!(squeezed(&program(source)).trim(), expected, "{source}");
    }
}

#[test]
fn enums_and_namespaces_run_on_their_lines() {
    let source = "enum A {\n  B,\n  C = \"c\",\n  D = 1 << 2,\n  E,\n}\nnamespace N.M {\n  export const x: number = 1;\n}";
    let text = stripped(source);
    assert_eq!(text.matches('\n').count(), source.matches('\n').count());
    assert!(text.starts_with("var A;(function(A){\n"), "{text}");
    assert!(text.contains("A[A[\"D\"]=1 << 2]=\"D\";"), "{text}");
    assert!(text.contains("A[A[\"E\"]=A[\"D\"]+1]=\"E\";"), "{text}");
}

#[test]
fn places_are_those_of_the_source_as_written() {
    let source = "// é\nenum A { B, C }; const { a }: { a: string } = A; type T = 1; @here";
    let source = source.replace("@here", "here()");
    let prepared = prepared(&source, Role::Main).expect("has no fault");
    for needle in ["here()", "const {", "= A;", "// é"] {
        let generated = prepared
            .text
            .find(needle)
            .unwrap_or_else(|| panic!("{needle}: {}", prepared.text));
        assert_eq!(
            prepared.map.original(generated),
            source.find(needle),
            "{needle}"
        );
    }
}

#[test]
fn free_names_are_those_that_may_be_servers() {
    let source = "import { x } from \"y\"; const a = 1; function f(b) { return github.c(a, b, x) } type T = typeof z; drive[\"k\"]; f(console);";
    let prepared = prepared(source, Role::Main).expect("has no fault");
    assert_eq!(prepared.free, ["github", "x", "drive", "console"]);
    assert!(prepared.module);
    assert_eq!(prepared.imports.len(), 1);
}

#[test]
fn faults_say_what_and_where() {
    let cases = [
        ("const a = ;", 10),
        ("let x: = 1", 7),
        ("f(\n", 3),
        ("@dec class A {}", 0),
        ("return 1 +", 10),
    ];
    for (source, offset) in cases {
        let fault = prepared(source, Role::Main).expect_err(source);
        assert_eq!(fault.offset, offset, "{source}: {}", fault.message);
        assert!(!fault.message.is_empty());
    }
}

#[test]
fn deep_nesting_is_a_fault() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}"), ("f(() => ", ")")] {
        let source = format!("{}{}", open.repeat(100_000), close.repeat(100_000));
        let fault = prepared(&source, Role::Main).expect_err(open);
        assert!(
            fault.message.contains("nested too deeply"),
            "{open}: {}",
            fault.message
        );
    }
    let sum = vec!["1"; 10_000].join("+");
    assert!(prepared(&sum, Role::Main).is_ok());
}
