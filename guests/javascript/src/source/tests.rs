//! TypeScript as it was written, and the JavaScript that it becomes.

mod types;

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
