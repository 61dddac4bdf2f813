use oxc_allocator::Allocator;

use super::*;
use crate::source::{Origin, Running, prepare_program};

mod uncertain;

/// The calls of a source, a line each: the tool, its arguments, what is not known of them (`?` and
/// `+`), whether the call is conditional (`if`) or indirect (`~`), and what is read of its answer.
fn calls(source: &str) -> Vec<String> {
    prepared(source)
        .calls
        .iter()
        .map(|call| line(source, call))
        .collect()
}

/// Whether something in a source may catch what a function of it throws.
fn may_catch(source: &str) -> bool {
    prepared(source).may_catch
}

fn prepared(source: &str) -> WrittenCalls {
    let running = Running {
        lasting: None,
        is_checked: true,
    };
    let origin = |_: &str| Origin::Other;
    let prepared = prepare_program(&Allocator::default(), source, &origin, running);
    prepared.expect("it parses").written
}

fn line(source: &str, call: &Call) -> String {
    let mut line = match &call.callee {
        Callee::Global { server, tool } => format!("{server}.{tool}"),
        Callee::Member { server, tool } => format!("tools.{server}.{tool}"),
        Callee::Account {
            server,
            account,
            tool,
        } => format!("tools.{server}.as({account}).{tool}"),
        Callee::Named {
            server,
            tool,
            is_told,
        } => format!(
            "{}\"{tool}\"{}",
            server
                .as_ref()
                .map_or(String::new(), |it| format!("\"{it}\".")),
            if *is_told { "!" } else { "" }
        ),
        Callee::Import {
            specifier,
            name,
            tool,
        } => format!(
            "{specifier}#{}.{}",
            name.as_deref().unwrap_or("*"),
            tool.as_deref().unwrap_or("")
        ),
    };
    match &call.arguments {
        Some(arguments) => {
            line += &format!(" {}", arguments.json);
            line.extend(arguments.unknown.iter().map(|it| format!(" ?{it}")));
            line.extend(arguments.open.iter().map(|it| format!(" +{it}")));
        }
        None => line += " …",
    }
    line += if call.conditional { " if" } else { "" };
    line += if call.indirect { " ~" } else { "" };
    line.extend(
        call.reads
            .iter()
            .map(|it| format!(" {}{}", it.subject.source_text(source), it.pointer)),
    );
    line.extend(
        call.of_promise
            .iter()
            .map(|it| format!(" promise.{}", it.name)),
    );
    line
}

#[track_caller]
fn assert_calls(source: &str, expected: &[&str]) {
    assert_eq!(calls(source), expected, "{source}");
}

#[test]
fn tools_are_found_by_all_their_names() {
    assert_calls("await demo.listOrders({})", &["demo.listOrders {}"]);
    assert_calls(
        "await tools.demo.listOrders()",
        &["tools.demo.listOrders {}"],
    );
    assert_calls(
        "await tools[\"my-demo\"][\"list\"]()",
        &["tools.my-demo.list {}"],
    );
    assert_calls(
        "const d = tools.demo; await d.list()",
        &["tools.demo.list {}"],
    );
    assert_calls(
        "const { list, get: one } = demo; await list(); await one({})",
        &["demo.list {}", "demo.get {}"],
    );
    assert_calls(
        "const { demo } = tools; await demo.list()",
        &["tools.demo.list {}"],
    );
    assert_calls("const get = demo.get; await get({})", &["demo.get {}"]);
    assert_calls("await callTool(\"demo.list\", {})", &["\"demo.list\"! {}"]);
    assert_calls(
        "await callMCPTool(\"demo\", \"list\", {})",
        &["\"demo\".\"list\" {}"],
    );
    assert_calls("await codemode.list({})", &["\"list\" {}"]);
    assert_calls("await mcp__demo__list({})", &["\"mcp__demo__list\" {}"]);
    assert_calls(
        "import demo, { get } from './servers/demo'; import * as all from 'x'; await demo.list(); await get({}); await all.a()",
        &[
            "./servers/demo#default.list {}",
            "./servers/demo#get. {}",
            "x#*.a {}",
        ],
    );
}

#[test]
fn names_of_the_source_are_nobodys_server() {
    for source in [
        "const demo = make(); await demo.list()",
        "let demo; demo = tools.demo; await demo.list()",
        "function f(demo) { return demo.list() } return f(1)",
        "try { x() } catch (demo) { demo.list() }",
        "demo = 1; await demo.list()",
        "globalThis.demo = {}; await demo.list()",
        "Object.prototype.x = 1; await demo.list()",
        "eval('x'); await demo.list()",
        "for (const demo of [1]) { demo.list() }",
        "console.log(JSON.stringify([1]))",
        "await demo.x?.({})",
        "await demo[name]({})",
        "tools.$search('x')",
    ] {
        assert_calls(source, &[]);
    }
}

#[test]
fn arguments_are_known_as_far_as_the_text_says_them() {
    let arguments = |source: &str, expected: &str| {
        let expected = format!("demo.x {expected}");
        assert_calls(source, &[&expected]);
    };
    arguments(
        "await demo.x({ a: 'é\\n', b: [1, -2.5, null], c: { d: true } })",
        "{\"a\":\"é\\u000a\",\"b\":[1,-2.5,null],\"c\":{\"d\":true}}",
    );
    arguments(
        "await demo.x({ a: y, b: `t`, c: `${y}`, d: undefined, e: y ? 1 : 2 })",
        "{\"a\":null,\"b\":\"t\",\"c\":null,\"d\":null,\"e\":null} ?/a ?/c ?/d ?/e",
    );
    arguments(
        "const a = 'v', n = 5; let u = 1; u = 2; await demo.x({ a, n, u })",
        "{\"a\":\"v\",\"n\":5,\"u\":null} ?/u",
    );
    arguments(
        "const base = { a: 1, b: 2 }; await demo.x({ ...base, b: 3 })",
        "{\"a\":1,\"b\":3}",
    );
    arguments(
        "await demo.x({ a: 1, ...more, b: 2 })",
        "{\"a\":null,\"b\":2} ?/a +",
    );
    arguments(
        "await demo.x({ a: 1, [k]: 2, b: 3 })",
        "{\"a\":null,\"b\":3} ?/a +",
    );
    arguments("await demo.x({ a: [1, ...more, 2] })", "{\"a\":[1]} +/a");
    arguments(
        "await demo.x({ get a() { return 1 }, b() {} })",
        "{\"a\":null,\"b\":null} ?/a ?/b",
    );
    arguments(
        "await demo.x({ n: 12345678901234567890, m: 1e400 })",
        "{\"n\":null,\"m\":null} ?/n ?/m",
    );
    arguments(
        "await demo.x({ when: new Date(), id: 5n })",
        "{\"when\":null,\"id\":null} ?/when ?/id",
    );
    arguments("const o = { a: 1 }; await demo.x(o as any)", "{\"a\":1}");
    arguments("await demo.x(o)", "…");
    arguments("await demo.x('a', 2)", "…");
    arguments(
        "await demo.x({ 'a/b': y, \"c~d\": [y] })",
        "{\"a/b\":null,\"c~d\":[null]} ?/a~1b ?/c~0d/0",
    );
}

#[test]
fn what_may_be_changed_is_not_known() {
    for source in [
        "const o = { a: 1 }; o.a = 2; await demo.x(o)",
        "const o = { a: 1 }; change(o); await demo.x(o)",
        "const o = { a: 1 }; const p = o; p.a = 2; await demo.x(o)",
        "const o = { a: [1] }; o.a.push(2); await demo.x({ ...o })",
        "const o = { a: 1 }; const p = { o }; p.o.a = 2; await demo.x(o)",
        "const o = { a: {} }; const p = { ...o }; p.a.b = 2; await demo.x(o)",
        "const o = { a: 1 }; delete o.a; await demo.x(o)",
    ] {
        let calls = calls(source);
        let call = calls.last().expect("a call");
        assert!(
            call.contains(" …") || call.contains(" +"),
            "{source}: {call}"
        );
    }
}

#[test]
fn calls_that_may_not_happen_are_conditional() {
    let certain = "await demo.x({})";
    assert_calls(certain, &["demo.x {}"]);
    for source in [
        "if (y) await demo.x({})",
        "y && await demo.x({})",
        "y ? await demo.x({}) : 1",
        "while (y) await demo.x({})",
        "for (const i of y) await demo.x({})",
        "if (y) return; await demo.x({})",
        "if (y) throw new Error('z'); await demo.x({})",
        "exit(); await demo.x({})",
        "switch (y) { case 1: await demo.x({}) }",
        "let v; v ??= await demo.x({})",
        "const { v = await demo.x({}) } = y",
        "let v; ({ v = await demo.x({}) } = y)",
        "l: { if (y) break l; await demo.x({}) }",
    ] {
        assert_calls(source, &["demo.x {} if"]);
    }
    assert_calls(
        "async function main() { await demo.x({}) } await main()",
        &["demo.x {} if ~"],
    );
    assert_calls(
        "await Promise.all([1].map(async (i) => demo.x({})))",
        &["demo.x {} if ~"],
    );
    assert_calls("const p = demo.x({}); await p", &["demo.x {} ~"]);
    assert_calls(
        "await Promise.all([demo.x({}), demo.y({})])",
        &["demo.x {}", "demo.y {}"],
    );
    assert_calls("await Promise.allSettled([demo.x({})])", &["demo.x {} ~"]);
    assert_calls("try { await demo.x({}) } catch {}", &[]);
    assert_calls("try { await demo.x({}) } finally { y() }", &[]);
}

#[test]
fn what_may_catch_is_told() {
    for source in [
        "try { y() } catch {} await demo.x()",
        "demo.x().catch(y)",
        "demo.x().then(y, z)",
        "Promise.allSettled([demo.x()])",
        "Promise.any([demo.x()])",
    ] {
        assert!(may_catch(source), "{source}");
    }
    for source in [
        "await demo.x()",
        "demo.x().then(y)",
        "await Promise.all([demo.x()])",
    ] {
        assert!(!may_catch(source), "{source}");
    }
}

#[test]
fn reads_follow_answers() {
    for (source, reads) in [
        (
            "const r = await demo.x(); return r.a.b",
            &["r/a", "r.a/a/b"][..],
        ),
        ("return (await demo.x()).a", &["(await demo.x())/a"]),
        (
            "const { a } = await demo.x(); return a.b",
            &["await demo.x()/a", "a/a/b"],
        ),
        (
            "const { a: { b } } = await demo.x(); b()",
            &["await demo.x()/a", "await demo.x()/a/b"],
        ),
        (
            "const r = await demo.x(); for (const i of r.items) console.log(i.a)",
            &["r/items", "i/items/-/a"],
        ),
        (
            "const r = await demo.x(); return r.items.map((i) => i.a)",
            &["r/items", "r.items/items/map", "i/items/-/a"],
        ),
        (
            "const r = await demo.x(); return r.items.map(({ a }) => `${a}`)",
            &["r/items", "r.items/items/map", "{ a }/items/-/a"],
        ),
        (
            "const r = await demo.x(); return r.items[0].a",
            &["r/items", "r.items[0]/items/0/a"],
        ),
        (
            "const r = await demo.x(); const list = r.items; return list.filter((i) => i.a)",
            &["r/items", "list/items/filter"],
        ),
        (
            "const [r] = await Promise.all([demo.x()]); return { a: r.a }",
            &["r/a"],
        ),
        ("const r = await demo.x(); return r['a'] + 1", &["r/a"]),
        (
            "const r = await demo.x(); const first = r.items.find((i) => i.b); return first.a",
            &["r/items", "r.items/items/find", "first/items/-/a"],
        ),
    ] {
        let calls = calls(source);
        let call = calls[0].strip_prefix("demo.x {}").expect("one call");
        let expected: String = reads.iter().map(|read| format!(" {read}")).collect();
        assert_eq!(call, expected, "{source}");
    }
}

#[test]
fn what_is_looked_at_first_is_not_read() {
    for source in [
        "const r = await demo.x(); if (r.error) throw new Error(r.error.message)",
        "const r = await demo.x(); return r.a ?? 1",
        "const r = await demo.x(); return r.a?.b",
        "const r = await demo.x(); return r?.a",
        "const r = await demo.x(); return r.a ? r.a.b : 1",
        "const r = await demo.x(); if ('a' in r) return 1; return r.a",
        "const r = await demo.x(); if (Object.hasOwn(r, 'a')) return 1; return r.a",
        "const r = await demo.x(); const a = r.a; if (a) return a.b; return a",
        "const { a } = await demo.x(); return a && a.b",
        "const { a = 1 } = await demo.x(); return a",
        "const r = await demo.x(); r.a = 1; return r.a",
        "const r = await demo.x(); r[k] = 1; return r.a",
        "const r = await demo.x(); Object.assign(r, y); return r.a",
        "let r = await demo.x(); r = y; return r.a",
        "const r = await demo.x(); const f = () => r.a; return 1",
        "const r = await demo.x(); return typeof r.a",
        "const r = await demo.x(); if (y) return r.a; return 2",
        "const r = await demo.x(); try { r.a.b() } catch {} return 1",
        "const r = await demo.x(); return r.toString()",
        "const r = await demo.x(); r.items.forEach((i) => { i.total = 1 }); return r.items[0].total",
    ] {
        let calls = calls(source);
        let reads = calls[0].strip_prefix("demo.x {}").expect("one call");
        let reads = reads
            .replace(" r/items", "")
            .replace(" r.items/items/forEach", "");
        assert_eq!(reads, "", "{source}");
    }
}

#[test]
fn what_is_read_of_promises_is_told() {
    assert_calls("return demo.x({}).items", &["demo.x {} ~ promise.items"]);
    assert_calls(
        "const r = demo.x({}); return r.items.length",
        &["demo.x {} ~ promise.items"],
    );
    assert_calls(
        "return demo.x({}).map((i) => i)",
        &["demo.x {} ~ promise.map"],
    );
    assert_calls(
        "const r = demo.x({}); await demo.y({ id: r.id })",
        &["demo.x {} ~ promise.id", "demo.y {\"id\":null} ?/id"],
    );
    assert_calls("return demo.x({}).then((r) => r.a)", &["demo.x {} ~"]);
    assert_calls("await demo.x({}).finally(y)", &["demo.x {} ~"]);
}

#[test]
fn globals_are_in_order() {
    assert!(GLOBALS.is_sorted());
}
