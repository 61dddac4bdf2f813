//! Promises that nobody awaited.

use super::*;

fn warnings(source: &str) -> Vec<String> {
    returned(source);
    native::with(|host| std::mem::take(&mut host.output))
        .into_iter()
        .map(|(_, text)| text)
        .collect()
}

/// A message without what is said of a mistake that was found before anything ran.
fn at_run_time(message: &str) -> &str {
    message
        .split("\nNothing was called")
        .next()
        .unwrap_or(message)
}

#[test]
fn a_promise_that_is_taken_for_its_value_says_whose_call_it_is() {
    let uses = [
        ("x.items", "it has no `items` yet"),
        ("x?.items?.length", "it has no `items` yet"),
        ("x.map((y) => y)", "it has no `map` yet"),
        ("x.length", "it has no `length` yet"),
        ("const { items } = x", "it has no `items` yet"),
        ("const [a] = x", "it can't be iterated yet"),
        ("for (const y of x) ;", "it can't be iterated yet"),
        ("[...x]", "it can't be iterated yet"),
        ("await Promise.all(x)", "it can't be iterated yet"),
        ("JSON.stringify({ x })", "it can't be written as JSON yet"),
        ("JSON.parse(x)", "it is not a text yet"),
        ("`${x}`", "it is not a text yet"),
        ("new Map().set(`${x}`, 1)", "it is not a text yet"),
        ("x - 1", "it is not a number yet"),
        ("x > 1", "it is not a number yet"),
        ("x + 1", "it is not a value yet"),
        ("x == 'open'", "it is not a value yet"),
    ];
    for (written, why) in uses {
        let told = thrown(&format!(
            "const x = tools.googleDrive.slowSearch();\n\n{written}"
        ));
        assert_eq!(
            at_run_time(&told.message),
            format!(
                "the call of google-drive.slow-search in line 1 was not awaited, so {why}: write `await tools.googleDrive.slowSearch(…)`"
            ),
            "{written}"
        );
        assert_eq!(told.location.map(|at| at.line), Some(3), "{written}");
    }
}

#[test]
fn await_of_a_member_is_told() {
    let told = thrown("return (await tools.googleDrive.slowSearch({ q: 1 }).items)");
    assert_eq!(
        at_run_time(&told.message),
        "the call of google-drive.slow-search in line 1 was not awaited, so it has no `items` yet: \
         write `(await tools.googleDrive.slowSearch(…))` in parentheses, for `await` takes all that follows"
    );
}

#[test]
fn other_promises_tell_it_too() {
    for source in [
        "const f = async () => [1];\nf().length",
        "Promise.all([1]).map((x) => x)",
        "const p = tools.googleDrive.slowSearch(); await p; p.items",
    ] {
        let told = thrown(source);
        assert!(
            told.message
                .starts_with("a promise was not awaited, so it has no `"),
            "{told:?}"
        );
    }
    let told = thrown(
        "const x = tools.googleDrive.slowSearch();\nawait tools.googleDrive.get_document({ documentId: x })",
    );
    assert!(
        told.message.contains(
            "they hold the call of google-drive.slow-search in line 1, which was not awaited"
        ),
        "{told:?}"
    );
}

#[test]
fn promises_that_are_promises_are_as_before() {
    assert_returns(&[
        (
            "const x = tools.googleDrive.slowSearch(); return [x instanceof Promise, x instanceof Object, typeof x.then, x.constructor === Promise, String(Object.prototype.toString.call(x)), 'items' in x, Object.keys(x), { ...x }, await x]",
            "[true,true,\"function\",true,\"[object Promise]\",false,[],{},\"found\"]",
        ),
        (
            "const list = []; const p = Promise.resolve(1); for (const key in p) list.push(key); p.note = 2; return [list, p.note, p.toString(), p.nodeType, p[Symbol.asyncIterator]]",
            "[[],2,\"[object Promise]\",null,null]",
        ),
        (
            "class Task extends Promise { get label() { return this.text ?? 'none' } toJSON() { return 'task' } } const t = new Task((r) => r(1)); return [t.label, t, await t, await t.then((x) => x + 1), t.then(() => 1) instanceof Task]",
            "[\"none\",\"task\",1,2,true]",
        ),
        ("return { p: Promise.resolve(1) }", "{\"p\":\"[Promise]\"}"),
        ("return [1, 2].map(async (x) => x)", "[1,2]"),
        (
            "try { structuredClone(Promise.resolve(1)) } catch (e) { return e.message }",
            "\"#<Promise> could not be cloned.\"",
        ),
        (
            "const p = tools.googleDrive.get_document({ a: 1 }); await new Promise((r) => setTimeout(r, 1)); return [p instanceof Promise, p.constructor === Promise, (await p).a, (await p.then((x) => x)).a]",
            "[true,true,1,1]",
        ),
    ]);
    assert_eq!(
        warnings(
            "const p = Promise.resolve(1); console.log(p, [p]); console.log('%s %d %i %f %o', p, p, p, p, p); await p"
        ),
        [
            "Promise { 1 } [ Promise { 1 } ]",
            "Promise { 1 } NaN NaN NaN Promise { 1 }"
        ]
    );
}

#[test]
fn calls_that_nobody_awaited_are_told_once() {
    let never = "Warning: the call of google-drive.never in line 2 was never awaited, and the script ended before the answer: it may or may not have been done. Write `await tools.googleDrive.never(…)`.";
    for source in [
        "\ntools.googleDrive.never({}); return 1",
        "\nconst x = tools.googleDrive.never(); await null; return { ...x, y: x === 1 }",
        "await Promise.race([tools.googleDrive.get_document({})]);\nconst x = tools.googleDrive.never(); return x ? 1 : 2",
    ] {
        assert_eq!(warnings(source), [never], "{source}");
        let cancelled = native::with(|host| host.cancelled.len());
        assert_eq!(cancelled, 1, "{source}");
    }
    let ended = "Warning: the call of google-drive.slow-search in line 1 was never awaited, and nothing has the answer. Write `await tools.googleDrive.slowSearch(…)`.";
    for source in [
        "const x = tools.googleDrive.slowSearch(); await new Promise((r) => setTimeout(r, 9)); return x === 1",
        "const x = tools.googleDrive.slowSearch();\nlet y = x === 1",
    ] {
        assert_eq!(warnings(source), [ended], "{source}");
    }
    assert_eq!(
        warnings("for (const id of [1, 2, 3]) tools.googleDrive.never({ id });\nreturn 1"),
        [never
            .replace("the call", "3 calls")
            .replace("line 2 was", "line 1 were")]
    );
}

#[test]
fn calls_that_are_awaited_in_any_way_are_not_told() {
    for source in [
        "return tools.googleDrive.slowSearch()",
        "return [tools.googleDrive.slowSearch(), tools.googleDrive.slowSearch()]",
        "const p = tools.googleDrive.slowSearch(); await new Promise((r) => setTimeout(r, 9)); return [p]",
        "const p = tools.googleDrive.get_document({}); await tools.googleDrive.slowSearch(); return p",
        "const p = tools.googleDrive.get_document({}); await tools.googleDrive.slowSearch(); await p; return 1",
        "const p = tools.googleDrive.get_document({}); await tools.googleDrive.slowSearch(); await Promise.all([p]); return 1",
        "const p = tools.googleDrive.get_document({}); await tools.googleDrive.slowSearch(); p.then(() => 1); return 1",
        "const f = async () => tools.googleDrive.get_document({}); await tools.googleDrive.slowSearch(); await f(); return 1",
        "await Promise.race([tools.googleDrive.never(), tools.googleDrive.slowSearch()]); return 1",
        "tools.googleDrive.slowSearch().then(() => 1); return 1",
        "tools.googleDrive.slowSearch().catch(() => 1)\nlet x",
        "for await (const x of [tools.googleDrive.slowSearch()]) ; return 1",
    ] {
        assert!(warnings(source).is_empty(), "{source}");
    }
}
