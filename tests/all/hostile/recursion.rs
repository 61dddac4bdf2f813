//! Programs that recurse, and sources and values that are deep.

use super::{Hostile, hostile};

fn nested(open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(100_000), close.repeat(100_000))
}

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        hostile(
            "deep recursion",
            "const f = () => 1 + f(); return f()",
            "threw:RangeError",
        ),
        hostile(
            "deep recursion, caught",
            "let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { return e instanceof RangeError && n > 100 }",
            "returned",
        ),
        hostile(
            "deep recursion of getters",
            "const o = { get x() { return this.x } }; return o.x",
            "threw:RangeError",
        ),
        hostile(
            "deep recursion of proxies",
            "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x",
            "threw:RangeError",
        ),
        hostile(
            "deep recursion of toString",
            "let a = []; a[0] = { toString: () => String(a) }; return '' + { toString() { return '' + this } }",
            "threw:RangeError",
        ),
        hostile(
            "deep JSON in",
            "return JSON.parse('['.repeat(100000) + ']'.repeat(100000)).length",
            "threw:RangeError",
        ),
        hostile(
            "deep JSON out",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a).length",
            "threw:RangeError",
        ),
        hostile(
            "a deep result",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a",
            "threw:RangeError",
        ),
        hostile(
            "a deep argument",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; await tools.testTools.echo({ value: a })",
            "threw:RangeError",
        ),
        hostile(
            "a deep regular expression",
            "return new RegExp('('.repeat(100000) + ')'.repeat(100000)).test('')",
            "threw:SyntaxError",
        ),
        hostile(
            "deep brackets in the source",
            nested("[", "]"),
            "threw:SyntaxError",
        ),
        hostile(
            "deep parentheses in the source",
            nested("(", ")"),
            "threw:SyntaxError",
        ),
        hostile(
            "deep braces in the source",
            nested("{", "}"),
            "threw:SyntaxError",
        ),
        hostile(
            "deep types in the source",
            format!("let x: {}", nested("Array<", ">")),
            "limit:stack",
        ),
        hostile(
            "deep unary operators in the source",
            format!("return {}1", "- ".repeat(100_000)),
            "limit:stack",
        ),
        hostile(
            "deep templates in the source",
            nested("`${", "}`"),
            "threw:SyntaxError",
        ),
        hostile(
            "a long chain of operators in the source",
            format!("return 1{}", "+1".repeat(100_000)),
            "returned",
        ),
        hostile(
            "a long chain of else if",
            format!("{} return 1", "if (0) {} else ".repeat(100_000)),
            "limit:stack",
        ),
        hostile(
            "console.log of what is deep",
            "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; console.log(a); return 1",
            "returned",
        ),
        hostile(
            "structuredClone of what is deep",
            "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; structuredClone(a)",
            "threw:RangeError",
        ),
    ]
}
